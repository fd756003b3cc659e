// Graphs whose control flow depends on numbers in device memory.
#pragma once

#include <acl/acl.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "support/acl_test.h"
#include "support/graph/build.h"
#include "support/graph/run.h"
#include "support/objects.h"

namespace portacl_test {

// A 32-bit number in device memory.
class Number {
  public:
    explicit Number(int32_t value = 0) : memory_(std::in_place, std::vector<int32_t>(8, value)) {}
    void* At() const { return memory_->At(); }
    int32_t Get() const { return memory_->Download<int32_t>()[0]; }
    void Set(int32_t value) const { ACL_EXPECT_OK(aclrtMemcpy(At(), 4, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE)); }
    // Adds `other`, in stream order.
    aclError Add(const Number& other, aclrtStream stream) const {
        return aclrtReduceAsync(At(), other.At(), 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, stream, nullptr);
    }
    // Sets it, in stream order.
    aclError Write(uint32_t value, aclrtStream stream) const { return aclrtMemsetD32Async(At(), 4, value, 1, stream); }

    // Frees it early.
    void Free() { memory_.reset(); }

  private:
    std::optional<DeviceMemory> memory_;
};

// A choice between streams by comparing two numbers.
inline aclError Switch(const Number& left, aclrtCondition condition, const Number& right, aclrtStream then,
                       aclrtStream if_false, aclrtStream stream) {
    return aclrtSwitchStream(left.At(), condition, right.At(), ACL_RT_SWITCH_INT32, then, if_false, stream);
}

// Builds a loop that adds 1 to `count` as long as that is less than `limit`.
inline void BuildLoop(const Built& graph, aclrtStream stream, const Number& count, const Number& one,
                      const Number& limit) {
    graph.Bind(stream);
    ACL_OK(count.Add(one, stream));
    ACL_OK(Switch(count, ACL_RT_LESS, limit, stream, nullptr, stream));
    graph.End(stream);
}

// An endless loop.
struct Endless {
    Persistent inner;
    Number count, one{1}, zero;
    Built graph;

    Endless() {
        graph.Bind(inner);
        ACL_EXPECT_OK(count.Add(one, inner));
        ACL_EXPECT_OK(Switch(zero, ACL_RT_EQUAL, zero, inner, nullptr, inner));
        graph.End(inner);
    }

    // Checks that no run continues.
    void AwaitEnd() const {
        for (const auto deadline = std::chrono::steady_clock::now() + kPatience;;) {
            const aclError code = aclmdlRIUnbindStream(graph, inner);
            if (code == ACL_SUCCESS) break;
            ASSERT_EQ(code, ACL_ERROR_RT_MODEL_RUNNING);
            ASSERT_LT(std::chrono::steady_clock::now(), deadline);
        }
    }

    // Waits until the loop has iterated more than once.
    void AwaitRounds() const {
        const int32_t before = count.Get();
        for (const auto deadline = std::chrono::steady_clock::now() + kPatience; count.Get() - before < 3;)
            ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    }
};

}  // namespace portacl_test
