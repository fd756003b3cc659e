// Another library in the process that has a context of its own on the same device, or pools of the driver.
#include <portacl/portacl.h>

#include <thread>

#include "support/base/cuda_driver.h"
#include "support/gate.h"
#include "support/objects.h"
#include "support/pool/mem_pool.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr size_t kSize = 1 << 20;

using Bytes = std::vector<unsigned char>;

unsigned long long Number(void* address) {
    return reinterpret_cast<unsigned long long>(address);
}

// A context of cuCtxCreate, with a stream and memory. It is current on the thread between the calls of the tests.
class NativeContext : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        if (OnCpu()) GTEST_SKIP() << "the cpu backend has no driver below it";
        Driver("cuCtxCreate_v2", &context_, 0u, 0);
        Driver("cuStreamCreate", &stream_, 1u);
        Driver("cuMemAlloc_v2", &memory_, kSize);
    }
    void TearDown() override {
        if (context_) Driver("cuCtxDestroy_v2", context_);
        WithDevice::TearDown();
    }
    void Enter() { Driver("cuCtxSetCurrent", context_); }
    void Fill(unsigned char value) {
        Enter();
        Driver("cuMemsetD8Async", memory_, value, kSize, stream_);
    }

    void* context_ = nullptr;
    void* stream_ = nullptr;
    unsigned long long memory_ = 0;
};

TEST_F(NativeContext, AStreamOfAnotherContextIsRefused) {
    aclrtStream stream = Poison<aclrtStream>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR, portaclStreamWrapNative(stream_, &stream),
                     "not in the primary context of the current device", Shown(stream_));
    EXPECT_TRUE(IsPoison(stream));
}

TEST_F(NativeContext, MemoryOfAnotherContextIsCopied) {
    void* const others = reinterpret_cast<void*>(memory_);
    const DeviceMemory memory(kSize);
    const Stream stream;
    Fill(0x31);
    Driver("cuStreamSynchronize", stream_);
    aclrtPtrAttributes attributes{};
    ACL_OK(aclrtPointerGetAttributes(others, &attributes));
    EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    EXPECT_EQ(attributes.location.id, 0u);
    Enter();
    ACL_OK(aclrtMemcpyAsync(memory.At(), kSize, others, kSize, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 0x32, kSize / 2, stream));
    ACL_OK(aclrtMemcpyAsync(others, kSize, memory.At(), kSize, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    Enter();
    Bytes bytes(kSize);
    Driver("cuMemcpyDtoH_v2", static_cast<void*>(bytes.data()), memory_, kSize);
    Bytes wanted(kSize, 0x31);
    std::fill_n(wanted.begin(), kSize / 2, static_cast<unsigned char>(0x32));
    EXPECT_EQ(bytes, wanted);
}

// Events order the streams of both contexts.
TEST_F(NativeContext, EventsOrderStreamsOfBoth) {
    const Stream stream;
    const Event done;
    void *native = nullptr, *native_event = nullptr, *filled = nullptr;
    ACL_OK(portaclStreamGetNative(stream, &native));
    ACL_OK(portaclEventGetNative(done, &native_event));
    const DeviceMemory memory(Bytes(kSize, 0x41));
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 0x42, kSize, stream));
    ACL_OK(aclrtRecordEvent(done, stream));
    // The other library reads what this one writes, and this one what the other writes.
    Enter();
    Driver("cuStreamWaitEvent", stream_, native_event, 0u);
    Driver("cuMemcpyDtoDAsync_v2", memory_, Number(memory.At()), kSize / 2, stream_);
    Driver("cuMemsetD8Async", memory_ + kSize / 2, static_cast<unsigned char>(0x43), kSize / 2, stream_);
    Driver("cuEventCreate", &filled, 2u);
    Driver("cuEventRecord", filled, stream_);
    void* primary = nullptr;
    ACL_OK(portaclContextGetNative(nullptr, &primary));
    Driver("cuCtxSetCurrent", primary);
    Driver("cuStreamWaitEvent", native, filled, 0u);
    Enter();
    ACL_OK(aclrtMemcpyAsync(memory.At(), kSize, reinterpret_cast<void*>(memory_), kSize, ACL_MEMCPY_DEVICE_TO_DEVICE,
                            stream));
    EXPECT_FALSE(IsIdle(stream));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    Bytes wanted(kSize, 0x43);
    std::fill_n(wanted.begin(), kSize / 2, static_cast<unsigned char>(0x42));
    EXPECT_EQ(memory.Download(), wanted);
    Enter();
    Driver("cuEventDestroy_v2", filled);
}

// The other context ends, with its memory. What this library has in streams is not affected.
TEST_F(NativeContext, MayEndWhileStreamsWork) {
    const Stream stream;
    const DeviceMemory memory(kSize);
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 0x51, kSize, stream));
    Fill(0x52);
    // Not after the gate: a driver may wait for all work of the device, so both are at the same time.
    std::thread ends([this] { Driver("cuCtxDestroy_v2", context_); });
    gate.Open();
    ends.join();
    context_ = nullptr;
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(memory.Download(), Bytes(kSize, 0x51));
    aclrtPtrAttributes attributes{};
    ACL_OK(aclrtPointerGetAttributes(reinterpret_cast<void*>(memory_), &attributes));
    EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
}

// The pool from which PyTorch (cudaMallocAsync) and CuPy (MemoryAsyncPool) allocate, beside pools of this library, on
// one stream: neither frees, trims or counts what the other has.
TEST_F(NativeContext, TheDevicesPoolIsUsedBesideOwnOnes) {
    const Stream stream;
    void *native = nullptr, *primary = nullptr, *theirs = nullptr;
    ACL_OK(portaclStreamGetNative(stream, &native));
    ACL_OK(portaclContextGetNative(nullptr, &primary));
    Driver("cuDeviceGetMemPool", &theirs, 0);
    const MemPool own;
    for (int round = 0; round < 3; ++round) {
        unsigned long long block = 0;
        void* pooled = nullptr;
        Driver("cuCtxSetCurrent", primary);
        Driver("cuMemAllocFromPoolAsync", &block, kSize, theirs, native);
        Driver("cuMemsetD8Async", block, static_cast<unsigned char>(0x61 + round), kSize, native);
        Enter();
        ACL_OK(aclrtMemPoolMallocAsync(&pooled, kSize, own, stream));
        EXPECT_NE(Number(pooled), block);
        ACL_OK(aclrtMemcpyAsync(pooled, kSize, reinterpret_cast<void*>(block), kSize, ACL_MEMCPY_DEVICE_TO_DEVICE,
                                stream));
        Driver("cuCtxSetCurrent", primary);
        Driver("cuMemFreeAsync", block, native);
        ACL_OK(aclrtMemPoolTrimTo(own, 0));
        Bytes bytes(kSize);
        ACL_OK(aclrtSynchronizeStream(stream));
        ACL_OK(aclrtMemcpy(bytes.data(), kSize, pooled, kSize, ACL_MEMCPY_DEVICE_TO_HOST));
        EXPECT_EQ(bytes, Bytes(kSize, static_cast<unsigned char>(0x61 + round)));
        ACL_OK(aclrtMemPoolFreeAsync(pooled, stream));
    }
    // This library knows neither a pool nor a block of the driver's.
    unsigned long long block = 0;
    Driver("cuCtxSetCurrent", primary);
    Driver("cuMemAllocFromPoolAsync", &block, kSize, theirs, native);
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(reinterpret_cast<void*>(block)));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemPoolFreeAsync(reinterpret_cast<void*>(block), stream));
    Driver("cuCtxSetCurrent", primary);
    Driver("cuMemFreeAsync", block, native);
    ACL_OK(aclrtSynchronizeStream(stream));
}

// Memory of this library, filled by the other one in its stream, and freed here.
TEST_F(NativeContext, OwnMemoryIsLentToTheDriver) {
    const Stream stream;
    void *native = nullptr, *primary = nullptr, *memory = nullptr;
    ACL_OK(portaclStreamGetNative(stream, &native));
    ACL_OK(portaclContextGetNative(nullptr, &primary));
    for (int round = 0; round < 3; ++round) {
        ACL_OK(aclrtMalloc(&memory, kSize, ACL_MEM_MALLOC_NORMAL_ONLY));
        Driver("cuCtxSetCurrent", primary);
        Driver("cuMemsetD8Async", Number(memory), static_cast<unsigned char>(round), kSize, native);
        Enter();
        Bytes bytes(kSize, 0xff);
        ACL_OK(aclrtMemcpyAsync(bytes.data(), kSize, memory, kSize, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_EQ(bytes, Bytes(kSize, static_cast<unsigned char>(round)));
        // Its use by the driver is pending.
        Driver("cuCtxSetCurrent", primary);
        Driver("cuMemsetD8Async", Number(memory), static_cast<unsigned char>(9), kSize, native);
        Enter();
        ACL_OK(aclrtFree(memory));
    }
    ACL_OK(aclrtSynchronizeStream(stream));
}

// cuMemFree waits for work of all libraries, but cuMemUnmap, which frees this memory, does not.
TEST_F(NativeContext, UnmappingWaitsForAWrappedStream) {
    constexpr size_t kPage = 2 << 20;
    NEEDS_HUGE_PAGES(kPage);
    void *native = nullptr, *memory = nullptr, *primary = nullptr;
    aclrtStream wrapped = nullptr;
    ACL_OK(portaclContextGetNative(nullptr, &primary));
    Driver("cuCtxSetCurrent", primary);
    Driver("cuStreamCreate", &native, 1u);
    ACL_OK(portaclStreamWrapNative(native, &wrapped));
    ACL_OK(aclrtMalloc(&memory, kPage, ACL_MEM_MALLOC_HUGE_ONLY));
    Gate gate;
    ACL_OK(gate.Hold(wrapped));
    Driver("cuMemsetD8Async", Number(memory), static_cast<unsigned char>(1), kPage, native);
    ACL_OK(aclrtFree(memory));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(wrapped));
    ACL_OK(aclrtDestroyStream(wrapped));
    Driver("cuStreamDestroy_v2", native);
}

}  // namespace
