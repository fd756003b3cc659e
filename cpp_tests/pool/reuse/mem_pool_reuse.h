// The fixture of tests about reuse of freed memory.
#pragma once

#include <utility>
#include <vector>

#include "support/gate.h"
#include "support/pool/mem_pool.h"

namespace portacl_test {

// A size of which a segment has room for one block only, so that reuse is visible.
constexpr size_t kSize = 24 * kMiB;

// Two streams, and a pool with a block that the first stream freed.
class MemPoolReuseTest : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        if (HasFatalFailure()) return;
        ACL_OK(aclrtCreateStream(&first_));
        ACL_OK(aclrtCreateStream(&second_));
        const aclrtMemPoolProps props = PoolProps();
        ACL_OK(aclrtMemPoolCreate(&pool_, &props));
        uint64_t all = UINT64_MAX;
        ACL_OK(aclrtMemPoolSetAttr(pool_, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &all));
    }

    void TearDown() override {
        for (auto [memory, stream] : kept_) Free(memory, stream);
        ACL_EXPECT_OK(aclrtMemPoolDestroy(pool_));
        ACL_EXPECT_OK(aclrtDestroyStream(second_));
        ACL_EXPECT_OK(aclrtDestroyStream(first_));
        WithDevice::TearDown();
    }

    void Allow(bool follow_events, bool opportunistic, bool internal) {
        const std::pair<aclrtMemPoolAttr, int> switches[] = {
            {ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, follow_events},
            {ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, opportunistic},
            {ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, internal},
        };
        for (auto [attribute, on] : switches) ACL_EXPECT_OK(aclrtMemPoolSetAttr(pool_, attribute, &on));
    }

    void* Allocate(aclrtStream stream) {
        void* memory = nullptr;
        ACL_EXPECT_OK(aclrtMemPoolMallocAsync(&memory, kSize, pool_, stream));
        return memory;
    }

    // Another pool, with room for one block, so that no other memory is left.
    void UseSmallPool() {
        const aclrtMemPoolProps props = PoolProps(0, 32 * kMiB);
        ACL_EXPECT_OK(aclrtMemPoolDestroy(pool_));
        ACL_EXPECT_OK(aclrtMemPoolCreate(&pool_, &props));
    }

    // A block that the first stream has freed; the gate keeps the stream from reaching the free.
    void* FreedBehind(Gate& gate) {
        ACL_EXPECT_OK(gate.Hold(first_));
        void* memory = Allocate(first_);
        Free(memory, first_);
        return memory;
    }

    // Later work of the second stream is ordered after all work of the first stream so far.
    void OrderSecondAfter(const Event& event) {
        ACL_EXPECT_OK(aclrtRecordEvent(event, first_));
        ACL_EXPECT_OK(aclrtStreamWaitEvent(second_, event));
    }

    // Memory that `stream` gets must be `wanted` on backends with exact figures; on others it may
    // be.
    void ExpectReuse(void* wanted, aclrtStream stream) {
        void* memory = Allocate(stream);
        if (IsExact()) {
            EXPECT_EQ(memory, wanted);
        } else {
            RecordProperty("reused", memory == wanted);
        }
        Free(memory, stream);
    }

    // Memory that `stream` gets must not be `forbidden`.
    void ExpectNoReuse(void* forbidden, aclrtStream stream) {
        void* memory = Allocate(stream);
        EXPECT_NE(memory, forbidden);
        // The stream that freed it gets it first.
        kept_.emplace_back(memory, stream);
    }

    aclrtStream first_ = nullptr, second_ = nullptr;
    aclrtMemPool pool_ = nullptr;

  private:
    std::vector<std::pair<void*, aclrtStream>> kept_;
};

}  // namespace portacl_test
