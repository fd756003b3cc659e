// 16 threads, 64 streams on all devices, random operations, and a model that predicts every byte.
//
// A lane is a stream with its memory. A thread that submits to a lane holds its lock and applies
// the same operation to the model, so the model is the content of the memory when the stream has
// run it. Lanes read each other's memory; events order that.
//
// PORTACL_TEST_STRESS_SEED repeats the operations of a run (not the interleaving of its threads),
// PORTACL_TEST_STRESS_OPERATIONS is the total number of operations.

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

#include "process/stress/operation.h"
#include "support/acl_test.h"
#include "support/kernel/kernels.h"
#include "support/threads.h"

using namespace portacl_test;

namespace {

constexpr int kThreads = 16;
constexpr int kLanes = 64;

uint64_t Setting(const char* name, uint64_t fallback) {
    const char* text = std::getenv(name);
    return text && *text ? std::strtoull(text, nullptr, 10) : fallback;
}

// An operation, and how many of all random operations it is.
struct Choice {
    size_t share;
    void (*run)(Lane&, Random&);
};

constexpr Choice kChoices[] = {
    {4, Fill},
    {2, FillWords},
    {3, FromPinned},
    {3, ToPinned},
    {2, FromPageable},
    {1, ToPageable},
    {2, Within},
    {2, ReduceBytes},
    {1, ReduceWords},
    {2, AccessPinned},
    {1, WriteToPinned},
    {2, ReplaceMemory},
    {1, [](Lane& lane, Random&) { ReplaceStream(lane); }},
    {1, [](Lane& lane, Random&) { ReplaceEvent(lane); }},
    {1, [](Lane& lane, Random&) { ReplacePinned(lane); }},
    {1, CopyNow},
    {1, [](Lane& lane, Random&) { Ask(lane); }},
    {1, Rows},
    {1, Batch},
    {2, AddByKernel},
    {2, [](Lane& lane, Random&) { Synchronize(lane); }},
};

void RunAny(Lane& lane, Random& random) {
    size_t all = 0;
    for (const Choice& choice : kChoices) all += choice.share;
    size_t drawn = random.Below(all);
    for (const Choice& choice : kChoices) {
        if (drawn < choice.share) return choice.run(lane, random);
        drawn -= choice.share;
    }
}

class Stress {
  public:
    Stress() {
        ACL_EXPECT_OK(aclrtGetDeviceCount(&devices_));
        for (int i = 0; i < kLanes; ++i) {
            Lane& lane = lanes_[static_cast<size_t>(i)];
            lane.device = i % static_cast<int32_t>(devices_);
            lane.creator = i % 3;
            ACL_EXPECT_OK(aclrtSetDevice(lane.device));
            if (programs_.size() < devices_) programs_.push_back(std::make_unique<Program>());
            lane.mark = programs_[static_cast<size_t>(lane.device)]->Kernel("mark");
            NewStream(lane);
            NewEvent(lane);
            for (ModelledBuffer& buffer : lane.memory) NewMemory(lane, buffer);
            NewPinned(lane);
        }
    }

    // One random operation.
    void Operation(Random& random) {
        Lane& lane = lanes_[random.Below(kLanes)];
        if (random.Below(7) == 0) return ReadOther(lane, lanes_[random.Below(kLanes)], random);
        const std::lock_guard<std::mutex> lock(lane.mutex);
        ACL_EXPECT_OK(aclrtSetDevice(lane.device));
        RunAny(lane, random);
    }

    // All memory, byte for byte.
    void CheckAll() {
        for (Lane& lane : lanes_) {
            ACL_EXPECT_OK(aclrtSetDevice(lane.device));
            Synchronize(lane);
            for (ModelledBuffer& buffer : lane.memory) {
                Bytes found(kSize);
                ACL_EXPECT_OK(aclrtMemcpy(found.data(), kSize, buffer.address, kSize, ACL_MEMCPY_DEVICE_TO_HOST));
                ExpectModel(found.data(), buffer.model.data(), {0, kSize}, "device memory");
            }
        }
    }

    ~Stress() {
        for (Lane& lane : lanes_) {
            ACL_EXPECT_OK(aclrtSetDevice(lane.device));
            ACL_EXPECT_OK(aclrtDestroyStream(lane.stream));
            ACL_EXPECT_OK(aclrtDestroyEvent(lane.event));
            for (ModelledBuffer& buffer : lane.memory) ACL_EXPECT_OK(aclrtFree(buffer.address));
            ACL_EXPECT_OK(aclrtFreeHost(lane.pinned.address));
        }
    }
    Stress(const Stress&) = delete;
    Stress& operator=(const Stress&) = delete;

  private:
    uint32_t devices_ = 1;
    // Streams of each device.
    std::vector<std::unique_ptr<Program>> programs_;
    std::array<Lane, kLanes> lanes_;
};

TEST(Stress, EveryByteMatchesTheModel) {
    const uint64_t seed = Setting("PORTACL_TEST_STRESS_SEED", std::random_device()());
    const uint64_t operations = Setting("PORTACL_TEST_STRESS_OPERATIONS", 16000);
    std::printf("PORTACL_TEST_STRESS_SEED=%llu PORTACL_TEST_STRESS_OPERATIONS=%llu\n",
                static_cast<unsigned long long>(seed), static_cast<unsigned long long>(operations));
    std::fflush(stdout);
    ACL_OK(aclInit(nullptr));
    {
        Stress stress;
        OnThreads(kThreads, [&](int thread) {
            Random random(seed + static_cast<uint64_t>(thread));
            for (uint64_t i = 0; i < operations / kThreads && !testing::Test::HasFailure(); ++i)
                stress.Operation(random);
        });
        stress.CheckAll();
        EXPECT_EQ(wrong_in_order, 0) << "host functions that did not find what they should";
    }
    ACL_OK(aclFinalize());
}

}  // namespace
