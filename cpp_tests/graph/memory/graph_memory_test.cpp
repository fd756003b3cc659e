// Pool memory that captured streams allocate belongs to the graph and has the same address in each
// run.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/acl_test.h"
#include "support/gate.h"
#include "support/graph/graph.h"
#include "support/graph/memory.h"
#include "support/objects.h"
#include "support/pool/mem_pool.h"
#include "support/says.h"

namespace {

using namespace portacl_test;

constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr auto kGlobal = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
constexpr size_t kSize = 4096;
using Bytes = std::vector<unsigned char>;

class GraphMemory : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        const aclrtMemPoolProps props = PoolProps();
        ACL_OK(aclrtMemPoolCreate(&pool_, &props));
    }

    void TearDown() override {
        if (pool_) {
            EXPECT_EQ(GraphUsedAtLast(), 0u);
            ACL_EXPECT_OK(aclrtMemPoolDestroy(pool_));
        }
        WithDevice::TearDown();
    }

    void* AllocateFromPool(aclrtStream stream) {
        void* memory = nullptr;
        ExpectOk("aclrtMemPoolMallocAsync", aclrtMemPoolMallocAsync(&memory, kSize, pool_, stream));
        return memory;
    }

    // A graph that allocates memory and fills it.
    Graph AllocatingGraph(aclrtStream stream, int value, void** memory) {
        return Capture(stream, [&] {
            *memory = AllocateFromPool(stream);
            ACL_OK(aclrtMemsetAsync(*memory, kSize, value, kSize, stream));
        });
    }

    int Byte(void* memory) {
        unsigned char byte = 0;
        ExpectOk("aclrtMemcpy", aclrtMemcpy(&byte, 1, memory, 1, ACL_MEMCPY_DEVICE_TO_HOST));
        return byte;
    }

    aclrtMemPool pool_ = nullptr;
};

TEST_F(GraphMemory, MemoryAllocatedAndFreedInAGraphIsValidInEachRun) {
    const Stream stream, other;
    const PinnedMemory in(kSize, 1), out(kSize, 0);
    void *first = nullptr, *second = nullptr;
    {
        const Graph graph = Capture(stream, [&] {
            first = AllocateFromPool(stream);
            ACL_OK(aclrtMemcpyAsync(first, kSize, in.At(), kSize, ACL_MEMCPY_HOST_TO_DEVICE, stream));
            ACL_OK(portaclMallocAsync(&second, kSize, stream));
            ACL_OK(aclrtMemcpyAsync(second, kSize, first, kSize, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
            ACL_OK(aclrtMemPoolFreeAsync(first, stream));
            ACL_OK(aclrtMemcpyAsync(out.At(), kSize, second, kSize, ACL_MEMCPY_DEVICE_TO_HOST, stream));
            ACL_OK(portaclFreeAsync(second, stream));
        });
        EXPECT_NE(first, second);
        EXPECT_GE(GraphUsed(), kSize);
        for (int run = 1; run <= 3; ++run) {
            std::memset(in.At(), run, kSize);
            ACL_OK(aclmdlRIExecuteAsync(graph, run == 2 ? other : stream));
            ACL_OK(aclrtSynchronizeDevice());
            EXPECT_EQ(out.Copy(), Bytes(kSize, static_cast<unsigned char>(run)));
        }
        // It cannot be freed while no run has allocated it.
        ACL_FAILS_SAYING(kDead, aclrtMemPoolFreeAsync(first, stream), Shown(first), "no run");
        ACL_FAILS_SAYING(kDead, aclrtFree(first), Shown(first), "no run");
    }
    ACL_FAILS(kDead, aclrtMemPoolFreeAsync(first, stream));
}

TEST_F(GraphMemory, MemoryOfARunIsFreedOutsideBeforeTheNextRun) {
    const Stream stream;
    void* memory = nullptr;
    const Graph graph = AllocatingGraph(stream, 5, &memory);
    const std::function<aclError()> ways[] = {
        [&] { return aclrtMemPoolFreeAsync(memory, stream); },
        [&] { return portaclFreeAsync(memory, nullptr); },
        [&] { return aclrtFree(memory); },
    };
    for (const auto& free : ways) {
        ACL_FAILS(kDead, aclrtMemPoolFreeAsync(memory, stream));
        ACL_OK(aclmdlRIExecuteAsync(graph, stream));
        ACL_FAILS_SAYING(kDead, aclmdlRIExecuteAsync(graph, stream), Shown(memory), "still allocated");
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_EQ(Byte(memory), 5);
        EXPECT_TRUE(Returned("the free", free(), 0));
    }
    ACL_FAILS(kDead, aclrtMemPoolFreeAsync(memory, stream));
}

TEST_F(GraphMemory, AnotherGraphMayFreeIt) {
    const Stream stream;
    void* memory = nullptr;
    const PinnedMemory out(kSize, 0);
    const Graph taking = AllocatingGraph(stream, 7, &memory);
    const Graph freeing = Capture(stream, [&] {
        ACL_OK(aclrtMemcpyAsync(out.At(), kSize, memory, kSize, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        ACL_OK(aclrtMemPoolFreeAsync(memory, stream));
    });
    ACL_FAILS_SAYING(kDead, aclmdlRIExecuteAsync(freeing, stream), Shown(memory), "no run");
    for (int run = 0; run < 3; ++run) {
        ACL_OK(aclmdlRIExecuteAsync(taking, stream));
        ACL_OK(aclmdlRIExecuteAsync(freeing, stream));
    }
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(out.Copy(), Bytes(kSize, 7));
    ACL_FAILS(kDead, aclmdlRIExecuteAsync(freeing, stream));
}

TEST_F(GraphMemory, AllocatedMemoryOutlivesTheGraph) {
    const Stream stream;
    void* memory = nullptr;
    {
        const Graph graph = AllocatingGraph(stream, 9, &memory);
        ACL_OK(aclmdlRIExecuteAsync(graph, stream));
        ACL_OK(aclrtSynchronizeStream(stream));
    }
    EXPECT_EQ(Byte(memory), 9);
    EXPECT_GE(GraphUsed(), kSize);
    ACL_OK(aclrtMemPoolFreeAsync(memory, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_FAILS(kDead, aclrtMemPoolFreeAsync(memory, stream));
}

// The pool may allocate to a captured stream memory that the stream has freed before and that is
// still in use.
TEST_F(GraphMemory, RunsAreOrderedAfterEarlierUsesOfTheMemory) {
    const Stream stream, other;
    const PinnedMemory out(kSize, 0);
    Gate gate;
    ACL_OK(gate.Hold(stream));
    void *before = AllocateFromPool(stream), *memory = nullptr;
    ACL_OK(aclrtMemsetAsync(before, kSize, 1, kSize, stream));
    ACL_OK(aclrtMemPoolFreeAsync(before, stream));
    const Graph graph = Capture(stream, [&] {
        memory = AllocateFromPool(stream);
        ACL_OK(aclrtMemsetAsync(memory, kSize, 2, kSize, stream));
        ACL_OK(aclrtMemcpyAsync(out.At(), kSize, memory, kSize, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        ACL_OK(aclrtMemPoolFreeAsync(memory, stream));
    });
    ACL_OK(aclmdlRIExecuteAsync(graph, other));
    EXPECT_FALSE(IsIdle(other));
    gate.Open();
    ACL_OK(aclrtSynchronizeDevice());
    EXPECT_EQ(out.Copy(), Bytes(kSize, 2));
}

TEST_F(GraphMemory, ACaptureCannotFreeOtherMemory) {
    const Stream stream;
    void* outside = AllocateFromPool(stream);
    const DeviceMemory plain(64);
    ACL_OK(aclmdlRICaptureBegin(stream, kGlobal));
    void* memory = AllocateFromPool(stream);
    ACL_FAILS_SAYING(kDead, aclrtMemPoolFreeAsync(outside, stream), Shown(outside), "capture");
    ACL_FAILS(kDead, aclrtMemPoolFreeAsync(plain.At(), stream));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemPoolFreeAsync(nullptr, stream));
    void* none = Poison<void*>();
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemPoolMallocAsync(&none, 0, pool_, stream));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemPoolMallocAsync(&none, 8, nullptr, stream));
    ACL_FAILS(kDead, aclrtMemPoolMallocAsync(&none, 8, stream, stream));
    EXPECT_TRUE(IsPoison(none));
    ACL_OK(aclrtMemPoolFreeAsync(memory, stream));
    ACL_FAILS_SAYING(kDead, aclrtMemPoolFreeAsync(memory, stream), "already");
    // None of these calls has invalidated the capture.
    aclmdlRI graph = nullptr;
    ACL_OK(aclmdlRICaptureEnd(stream, &graph));
    ACL_OK(aclmdlRIDestroy(graph));
    ACL_OK(aclrtMemPoolFreeAsync(outside, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
}

TEST_F(GraphMemory, GraphsWithMemoryCannotBeNested) {
    const Stream stream;
    void* memory = nullptr;
    const Graph graph = AllocatingGraph(stream, 1, &memory);
    ACL_OK(aclmdlRICaptureBegin(stream, kGlobal));
    ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclmdlRIExecuteAsync(graph, stream), "pool memory");
    aclmdlRI other = nullptr;
    ACL_OK(aclmdlRICaptureEnd(stream, &other));
    ACL_OK(aclmdlRIDestroy(other));
}

TEST_F(GraphMemory, FailedCapturesFreeIt) {
    Stream stream;
    const Stream other;
    ACL_OK(aclmdlRICaptureBegin(stream, kGlobal));
    AllocateFromPool(stream);
    ACL_FAILS(ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC, aclrtSynchronizeStream(stream));
    EndInvalid(stream);
    EXPECT_EQ(GraphUsedAtLast(), 0u);
    ACL_OK(aclmdlRICaptureBegin(stream, kGlobal));
    void* memory = AllocateFromPool(stream);
    ACL_OK(aclrtDestroyStreamForce(stream.Release()));
    EXPECT_EQ(GraphUsedAtLast(), 0u);
    ACL_FAILS(kDead, aclrtMemPoolFreeAsync(memory, other));
}

TEST_F(GraphMemory, ThePoolMayBeDestroyedFirst) {
    const Stream stream;
    void* memory = nullptr;
    const Graph graph = AllocatingGraph(stream, 3, &memory);
    ACL_OK(aclrtMemPoolDestroy(pool_));
    pool_ = nullptr;
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(Byte(memory), 3);
    ACL_OK(aclrtFree(memory));
}

TEST(GraphMemoryTeardown, MemoryEndsWithTheDevice) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    void *idle = nullptr, *taken = nullptr;
    const auto capture = [&](void** memory) {
        return Capture(stream, [&] { ACL_OK(portaclMallocAsync(memory, kSize, stream)); }).Release();
    };
    capture(&idle);
    ACL_OK(aclmdlRIExecuteAsync(capture(&taken), stream));
    ACL_OK(aclrtResetDevice(0));
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS(kDead, aclrtMemPoolFreeAsync(taken, nullptr));
    ACL_FAILS(kDead, aclrtMemPoolFreeAsync(idle, nullptr));
    ACL_OK(aclFinalize());
}

}  // namespace
