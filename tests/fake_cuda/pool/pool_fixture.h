// Code that the tests of memory pools share.
#pragma once

#include "fixture.h"

// A pool on device 0, which is destroyed at the end.
class Pools : public FakeCuda {
  protected:
    static constexpr size_t kMiB = size_t{1} << 20;
    // The granularity in which a pool allocates from its device.
    static constexpr size_t kPage = 32 * kMiB;

    enum Attribute {
        kFollowEvents = 1,
        kOpportunistic,
        kInternalDependencies,
        kThreshold,
        kReserved,
        kReservedHigh,
        kUsed,
        kUsedHigh,
    };

    void SetUp() override {
        FakeCuda::SetUp();
        pool = create(props());
        OK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
    }

    void TearDown() override {
        fakeCudaRelease();
        if (!reset) {
            EXPECT_EQ(CUDA_SUCCESS, cuStreamDestroy_v2(second));
            EXPECT_EQ(CUDA_SUCCESS, pool == nullptr ? CUDA_SUCCESS : cuMemPoolDestroy(pool));
        }
        FakeCuda::TearDown();
    }

    static CUmemPoolProps props() {
        CUmemPoolProps wanted{};
        wanted.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
        wanted.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
        return wanted;
    }

    static CUmemoryPool create(const CUmemPoolProps& wanted) {
        CUmemoryPool made = nullptr;
        EXPECT_EQ(CUDA_SUCCESS, cuMemPoolCreate(&made, &wanted));
        return made;
    }

    CUdeviceptr allocate_async(size_t size, CUstream on) {
        CUdeviceptr address = 0;
        EXPECT_EQ(CUDA_SUCCESS, cuMemAllocFromPoolAsync(&address, size, pool, on));
        return address;
    }

    uint64_t get(Attribute attribute) {
        uint64_t value = 0;
        EXPECT_EQ(CUDA_SUCCESS, cuMemPoolGetAttribute(pool, attribute, &value));
        return value;
    }

    void set(Attribute attribute, uint64_t value) {
        EXPECT_EQ(CUDA_SUCCESS, cuMemPoolSetAttribute(pool, attribute, &value));
    }

    // Enables only this kind of reuse between streams, or none.
    void allow_only(int attribute) {
        for (const Attribute each : {kFollowEvents, kOpportunistic, kInternalDependencies}) {
            set(each, each == attribute);
        }
    }

    // Orders `after` after all work of `before` so far.
    void order(CUstream before, CUstream after) {
        CUevent event = nullptr;
        EXPECT_EQ(CUDA_SUCCESS, cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
        EXPECT_EQ(CUDA_SUCCESS, cuEventRecord(event, before));
        EXPECT_EQ(CUDA_SUCCESS, cuStreamWaitEvent(after, event, 0));
        EXPECT_EQ(CUDA_SUCCESS, cuEventDestroy_v2(event));
    }

    // Whether the stream gets a block that was just freed in another stream.
    bool reuses(CUdeviceptr freed, size_t size, CUstream on) {
        const CUdeviceptr allocation = allocate_async(size, on);
        EXPECT_EQ(CUDA_SUCCESS, cuMemFreeAsync(allocation, on));
        return allocation == freed;
    }

    CUmemoryPool pool = nullptr;
    CUstream second = nullptr;
};
