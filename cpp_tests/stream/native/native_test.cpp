// Native driver objects, shared with another library that calls the CUDA driver.
#include <portacl/portacl.h>

#include <climits>
#include <cstring>

#include "support/base/cuda_driver.h"
#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

bool OnCuda() {
    const char* name = portaclBackendName();
    return name && std::strcmp(name, "cuda") == 0;
}

void MakeCurrent() {
    void* context = nullptr;
    ACL_OK(portaclContextGetNative(nullptr, &context));
    Driver("cuCtxSetCurrent", context);
}

void* NewDriverStream() {
    MakeCurrent();
    void* stream = nullptr;
    Driver("cuStreamCreate", &stream, 1u);
    return stream;
}

void DriverFill(void* stream, void* address, unsigned char value, size_t size) {
    MakeCurrent();
    Driver("cuMemsetD8Async", reinterpret_cast<unsigned long long>(address), value, size, stream);
}

// Memory that another library has allocated from the driver, of each kind.
struct OthersMemory {
    static constexpr size_t kSize = 3 * 4096;
    enum MemoryKind { kOnDevice, kManaged, kPinned };

    explicit OthersMemory(MemoryKind kind) : kind(kind) {
        MakeCurrent();
        if (kind == kOnDevice) Driver("cuMemAlloc_v2", &address, kSize);
        if (kind == kManaged) Driver("cuMemAllocManaged", &address, kSize, 1u);
        if (kind == kPinned) Driver("cuMemHostAlloc", &address, kSize, 0u);
    }
    ~OthersMemory() { Free(); }
    void Free() {
        MakeCurrent();
        if (address != 0 && kind == kPinned) Driver("cuMemFreeHost", At(0));
        if (address != 0 && kind != kPinned) Driver("cuMemFree_v2", address);
        address = 0;
    }
    void* At(size_t offset) const { return reinterpret_cast<void*>(address + offset); }

    MemoryKind kind;
    unsigned long long address = 0;
};

aclrtMemLocation LocationOf(const void* address) {
    auto attributes = Poison<aclrtPtrAttributes>();
    ACL_EXPECT_OK(aclrtPointerGetAttributes(address, &attributes));
    EXPECT_EQ(attributes.pageSize, 0u) << "unknown for memory of other libraries";
    return attributes.location;
}

class Native : public WithDevice {
  protected:
    void* const kBefore = reinterpret_cast<void*>(uintptr_t{0x5a5a});
};

TEST_F(Native, NullOutputs) {
    Stream stream;
    Event event;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclDeviceGetNative(0, nullptr), "native is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclContextGetNative(nullptr, nullptr), "native is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclStreamGetNative(stream, nullptr), "native is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclEventGetNative(event, nullptr), "native is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclStreamWrapNative(kBefore, nullptr), "stream is null");
}

TEST_F(Native, InvalidHandles) {
    void* native = kBefore;
    void* const garbage = reinterpret_cast<void*>(uintptr_t{0x123456789});
    Event event;
    Stream stream;
    aclrtStream dead_stream = nullptr;
    ACL_OK(aclrtCreateStream(&dead_stream));
    ACL_OK(aclrtDestroyStream(dead_stream));
    for (void* const bad : {garbage, static_cast<void*>(static_cast<aclrtEvent>(event)), dead_stream})
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, portaclStreamGetNative(bad, &native), Shown(bad));
    for (void* const bad : {garbage, static_cast<void*>(static_cast<aclrtStream>(stream))}) {
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, portaclEventGetNative(bad, &native), Shown(bad));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, portaclContextGetNative(bad, &native), Shown(bad));
    }
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclEventGetNative(nullptr, &native), "event is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclStreamWrapNative(nullptr, &native), "native is null",
                     "default stream");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclStreamWrapNative(reinterpret_cast<void*>(uintptr_t{1}), &native),
                     "native is 1", "legacy default stream");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclStreamWrapNative(reinterpret_cast<void*>(uintptr_t{2}), &native),
                     "native is 2", "per-thread default stream");
    EXPECT_EQ(native, kBefore);
}

TEST_F(Native, DevicesOutOfRange) {
    const auto count = static_cast<int>(DeviceCount());
    for (const int id : {-1, count, INT_MIN, INT_MAX}) {
        int32_t native = -7;
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, portaclDeviceGetNative(id, &native), std::to_string(id));
        EXPECT_EQ(native, -7);
    }
}

TEST_F(Native, ThreadsWithoutADevice) {
    Stream stream;
    OnNewThread([&] {
        void* native = kBefore;
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, portaclStreamGetNative(stream, &native));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, portaclStreamGetNative(nullptr, &native));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, portaclContextGetNative(nullptr, &native));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, portaclStreamWrapNative(kBefore, &native));
        EXPECT_EQ(native, kBefore);
    });
}

TEST_F(Native, NothingAfterFinalize) {
    Stream stream;
    const aclrtStream dead = stream.Release();
    ACL_OK(aclFinalize());
    void* native = kBefore;
    int32_t device = -7;
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, portaclStreamGetNative(dead, &native));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, portaclContextGetNative(nullptr, &native));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, portaclDeviceGetNative(0, &device));
    EXPECT_EQ(native, kBefore);
    EXPECT_EQ(device, -7);
    ACL_OK(aclInit(nullptr));
}

TEST_F(Native, TheCpuHasNoNativeObjects) {
    if (OnCuda()) GTEST_SKIP() << "for CPUs only: a driver has native objects";
    Stream stream;
    Event event;
    void* native = kBefore;
    int32_t device = -7;
    const std::string said = "the cpu backend has no driver", remedy = "portaclBackendName";
    constexpr aclError kNone = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    ACL_FAILS_SAYING(kNone, portaclDeviceGetNative(0, &device), said, remedy);
    ACL_FAILS_SAYING(kNone, portaclContextGetNative(nullptr, &native), said, remedy);
    ACL_FAILS_SAYING(kNone, portaclStreamGetNative(stream, &native), said, remedy);
    ACL_FAILS_SAYING(kNone, portaclEventGetNative(event, &native), said, remedy);
    ACL_FAILS_SAYING(kNone, portaclStreamWrapNative(kBefore, &native), "create a stream");
    EXPECT_EQ(native, kBefore);
    EXPECT_EQ(device, -7);
}

// The remaining tests run with a driver.
class NativeCuda : public Native {
  protected:
    void SetUp() override {
        Native::SetUp();
        if (!OnCuda()) GTEST_SKIP() << "the cpu backend has no driver below it";
    }
};

TEST_F(NativeCuda, DeviceAndContextAreThoseOfTheDriver) {
    int32_t device = -7;
    ACL_OK(portaclDeviceGetNative(0, &device));
    int wanted = -1;
    Driver("cuDeviceGet", &wanted, 0);
    EXPECT_EQ(device, wanted);

    void* context = nullptr;
    void* retained = nullptr;
    ACL_OK(portaclContextGetNative(nullptr, &context));
    Driver("cuDevicePrimaryCtxRetain", &retained, wanted);
    EXPECT_EQ(context, retained);
    Driver("cuDevicePrimaryCtxRelease_v2", wanted);

    aclrtContext current = nullptr;
    ACL_OK(aclrtGetCurrentContext(&current));
    void* same = nullptr;
    ACL_OK(portaclContextGetNative(current, &same));
    EXPECT_EQ(same, context);
}

// The stream was idle when its native handle was queried: only the driver knows the other library's
// work.
TEST_F(NativeCuda, WorkOfOtherLibrariesIsWaitedFor) {
    constexpr size_t kSize = 1 << 20;
    Stream stream;
    DeviceMemory memory(kSize);
    ACL_OK(aclrtSynchronizeStream(stream));
    void* native = nullptr;
    ACL_OK(portaclStreamGetNative(stream, &native));
    DriverFill(native, memory.At(), 0x3c, kSize);
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(IsIdle(stream));
    EXPECT_EQ(memory.Download(), std::vector<unsigned char>(kSize, 0x3c));
}

TEST_F(NativeCuda, BothLibrariesSubmitInOneOrder) {
    constexpr size_t kSize = 4096;
    Stream stream;
    DeviceMemory memory(kSize);
    void* native = nullptr;
    ACL_OK(portaclStreamGetNative(stream, &native));
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 1, kSize, stream));
    DriverFill(native, memory.At(), 2, kSize);
    EXPECT_FALSE(IsIdle(stream));
    ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 3, kSize / 2, stream));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    std::vector<unsigned char> wanted(kSize, 2);
    std::fill_n(wanted.begin(), kSize / 2, static_cast<unsigned char>(3));
    EXPECT_EQ(memory.Download(), wanted);
}

TEST_F(NativeCuda, TheDefaultStreamHasANativeHandle) {
    void* native = nullptr;
    ACL_OK(portaclStreamGetNative(nullptr, &native));
    EXPECT_NE(native, nullptr);
    void* context = nullptr;
    void* of_stream = nullptr;
    ACL_OK(portaclContextGetNative(nullptr, &context));
    MakeCurrent();
    Driver("cuStreamGetCtx", native, &of_stream);
    EXPECT_EQ(of_stream, context);
}

TEST_F(NativeCuda, EventsCanBeWaitedForByTheDriver) {
    NEEDS_QUEUES(2);
    Stream stream;
    Event event;
    void* native = nullptr;
    ACL_OK(portaclEventGetNative(event, &native));
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtRecordEvent(event, stream));
    void* const other = NewDriverStream();
    Driver("cuStreamWaitEvent", other, native, 0u);
    gate.Open();
    Driver("cuStreamSynchronize", other);
    EXPECT_TRUE(IsComplete(event));
    Driver("cuStreamDestroy_v2", other);
}

TEST_F(NativeCuda, AWrappedStreamIsUsedAndNotDestroyed) {
    constexpr size_t kSize = 4096;
    void* const native = NewDriverStream();
    DeviceMemory memory(kSize);
    aclrtStream stream = nullptr;
    ACL_OK(portaclStreamWrapNative(native, &stream));
    void* same = nullptr;
    ACL_OK(portaclStreamGetNative(stream, &same));
    EXPECT_EQ(same, native);

    Gate gate;
    ACL_OK(gate.Hold(stream));
    DriverFill(native, memory.At(), 7, kSize);
    ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 9, kSize / 2, stream));
    EXPECT_FALSE(IsIdle(stream));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    std::vector<unsigned char> wanted(kSize, 7);
    std::fill_n(wanted.begin(), kSize / 2, static_cast<unsigned char>(9));
    EXPECT_EQ(memory.Download(), wanted);

    ACL_OK(aclrtDestroyStream(stream));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream(stream));
    // It still belongs to the driver: it takes work, and is destroyed once, here.
    DriverFill(native, memory.At(), 11, kSize);
    Driver("cuStreamSynchronize", native);
    EXPECT_EQ(memory.Download(), std::vector<unsigned char>(kSize, 11));
    Driver("cuStreamDestroy_v2", native);
}

// The device is reset while it has a wrapped stream; the stream's owner still has it.
TEST_F(NativeCuda, AWrappedStreamOutlivesTheReset) {
    void* const native = NewDriverStream();
    void* context = nullptr;
    Driver("cuDevicePrimaryCtxRetain", &context, 0);
    aclrtStream stream = nullptr;
    ACL_OK(portaclStreamWrapNative(native, &stream));
    ACL_OK(aclrtResetDeviceForce(0));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream(stream));
    Driver("cuCtxSetCurrent", context);
    Driver("cuStreamSynchronize", native);
    Driver("cuStreamDestroy_v2", native);
    Driver("cuDevicePrimaryCtxRelease_v2", 0);
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(NativeCuda, AStreamOfAnotherDeviceIsRefused) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDevice(1));
    void* const native = NewDriverStream();
    ACL_OK(aclrtSetDevice(0));
    aclrtStream stream = kBefore;
    ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR, portaclStreamWrapNative(native, &stream),
                     "not in the primary context of the current device", Shown(native));
    EXPECT_EQ(stream, kBefore);
    ACL_OK(aclrtSetDevice(1));
    MakeCurrent();
    Driver("cuStreamDestroy_v2", native);
    ACL_OK(aclrtResetDevice(1));
    ACL_OK(aclrtResetDevice(1));
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(NativeCuda, RefusedInsideAHostFunction) {
    void* const native = NewDriverStream();
    struct Seen {
        void* native;
        aclError get, wrap;
    };
    static Seen seen;
    seen = {native, 0, 0};
    Stream stream;
    const auto call = [](void*) {
        void* out = nullptr;
        seen.get = portaclStreamGetNative(nullptr, &out);
        seen.wrap = portaclStreamWrapNative(seen.native, &out);
    };
    ACL_OK(aclrtLaunchHostFunc(stream, call, nullptr));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(seen.get, ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(seen.wrap, ACL_ERROR_RT_PARAM_INVALID);
    Driver("cuStreamDestroy_v2", native);
}

TEST_F(NativeCuda, MemoryOfOtherLibrariesIsFound) {
    const struct {
        OthersMemory::MemoryKind kind;
        aclrtMemLocationType type;
    } kinds[] = {{OthersMemory::kOnDevice, ACL_MEM_LOCATION_TYPE_DEVICE},
                 {OthersMemory::kManaged, ACL_MEM_LOCATION_TYPE_MANAGED},
                 {OthersMemory::kPinned, ACL_MEM_LOCATION_TYPE_HOST}};
    for (const auto& [kind, type] : kinds) {
        SCOPED_TRACE(kind);
        OthersMemory memory(kind);
        for (const size_t offset : {size_t{0}, size_t{5000}, OthersMemory::kSize - 1}) {
            EXPECT_EQ(LocationOf(memory.At(offset)).type, type);
            EXPECT_EQ(LocationOf(memory.At(offset)).id, 0u);
            auto base = Poison<void*>();
            auto size = Poison<size_t>();
            ACL_OK(aclrtMemGetAddressRange(memory.At(offset), &base, &size));
            EXPECT_EQ(base, memory.At(0));
            // Drivers may round sizes up.
            EXPECT_GE(size, OthersMemory::kSize);
        }
        void* const freed = memory.At(5000);
        memory.Free();
        auto base = Poison<void*>();
        auto size = Poison<size_t>();
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtMemGetAddressRange(freed, &base, &size),
                         "not in a live allocation");
        EXPECT_TRUE(IsPoison(base) && IsPoison(size));
        EXPECT_EQ(LocationOf(freed).type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    }
}

TEST_F(NativeCuda, MemoryOfOtherLibrariesIsCopiedAndFilled) {
    constexpr size_t kSize = OthersMemory::kSize;
    for (const auto kind : {OthersMemory::kOnDevice, OthersMemory::kManaged}) {
        SCOPED_TRACE(kind);
        OthersMemory memory(kind), pinned(OthersMemory::kPinned);
        Stream stream;
        std::vector<unsigned char> from(kSize, 0x21), to(kSize);
        ACL_OK(aclrtMemcpy(memory.At(0), kSize, from.data(), kSize, ACL_MEMCPY_HOST_TO_DEVICE));
        ACL_OK(aclrtMemsetAsync(memory.At(4096), 4096, 0x22, 4096, stream));
        ACL_OK(aclrtMemcpyAsync(pinned.At(0), kSize, memory.At(0), kSize, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        ACL_OK(aclrtSynchronizeStream(stream));
        ACL_OK(aclrtMemcpy(to.data(), kSize, pinned.At(0), kSize, ACL_MEMCPY_HOST_TO_HOST));
        std::fill(from.begin() + 4096, from.begin() + 8192, static_cast<unsigned char>(0x22));
        EXPECT_EQ(to, from);
        // This library cannot free it.
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(memory.At(0)));
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHost(pinned.At(0)));
    }
}

}  // namespace
