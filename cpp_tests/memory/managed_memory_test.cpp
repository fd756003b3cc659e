// Managed memory: the host and all devices use it at one address.

#include <limits>

#include "support/gate.h"
#include "support/memory/managed_memory.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

using Bytes = std::vector<unsigned char>;

constexpr size_t kGrain = kManagedGrain;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr uint32_t kGlobal = ACL_RT_MEM_ATTACH_GLOBAL;

aclrtPtrAttributes AttributesOf(const void* address) {
    auto reported = Poison<aclrtPtrAttributes>();
    ExpectOk("aclrtPointerGetAttributes", aclrtPointerGetAttributes(address, &reported));
    return reported;
}

class MemAllocManaged : public WithDevice {};

TEST_F(MemAllocManaged, HostAndDeviceSeeTheSameBytes) {
    constexpr size_t kSize = kGrain + 5000;
    ManagedMemory managed(kSize, 1);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(managed.At()) % kGrain, 0u);
    Stream stream;
    // The device reads what the host wrote, and vice versa.
    DeviceMemory device(kSize);
    ACL_OK(aclrtMemcpyAsync(device.At(), kSize, managed.At(), kSize, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(device.Download() == Bytes(kSize, 1));
    ACL_OK(aclrtMemsetAsync(managed.At(), kSize, 2, kSize, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(managed.Copy() == Bytes(kSize, 2));
    ACL_OK(aclrtMemset(managed.At(100), kSize - 100, 3, 50));
    EXPECT_EQ(managed.Data()[149], 3);
    EXPECT_EQ(managed.Data()[150], 2);
    ACL_OK(aclrtMemsetD32(managed.At(4), kSize - 4, 0x01010101, 8));
    EXPECT_EQ(managed.Data()[35], 1);
    // Reductions work on it.
    std::memset(managed.At(), 5, 64);
    std::memset(managed.At(kGrain), 6, 64);
    ACL_OK(aclrtReduceAsync(managed.At(), managed.At(kGrain), 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT8, stream,
                            nullptr));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(Bytes(managed.Data(), managed.Data() + 64), Bytes(64, 11));
}

TEST_F(MemAllocManaged, CopiesOfEveryKind) {
    constexpr size_t kSize = 5000;
    const Bytes pattern = Pattern(kSize);
    DeviceMemory device(kSize);
    PinnedMemory pinned(kSize);
    Bytes pageable(kSize);
    ManagedMemory managed(kSize), other(kSize);
    const struct {
        void* dst;
        void* src;
        std::vector<int> kinds;
    } cases[] = {
        {device.At(), managed.At(), {1, 3, 4, 5, 6}},
        {managed.At(), device.At(), {2, 3, 4, 6}},
        {pinned.At(), managed.At(), {0, 2, 4}},
        {managed.At(), pinned.At(), {0, 1, 4, 5}},
        {pageable.data(), managed.At(), {0, 2, 4}},
        {managed.At(), pageable.data(), {0, 1, 4, 5}},
        {other.At(), managed.At(), {0, 1, 2, 3, 4, 5, 6}},
    };
    for (const auto& one : cases) {
        for (int kind = 0; kind <= 7; ++kind) {
            SCOPED_TRACE(testing::Message() << "kind " << kind << ", case " << &one - cases);
            const auto direction = static_cast<aclrtMemcpyKind>(kind);
            const bool allowed = std::find(one.kinds.begin(), one.kinds.end(), kind) != one.kinds.end();
            for (bool async : {false, true}) {
                ACL_OK(aclrtMemcpy(one.src, kSize, pattern.data(), kSize, ACL_MEMCPY_DEFAULT));
                ACL_OK(aclrtMemcpy(one.dst, kSize, Bytes(kSize).data(), kSize, ACL_MEMCPY_DEFAULT));
                const aclError code = async ? aclrtMemcpyAsync(one.dst, kSize, one.src, kSize, direction, nullptr)
                                            : aclrtMemcpy(one.dst, kSize, one.src, kSize, direction);
                const char* const name = async ? "aclrtMemcpyAsync" : "aclrtMemcpy";
                if (!allowed) {
                    EXPECT_TRUE(Failed(name, code, kDead));
                    continue;
                }
                EXPECT_TRUE(Returned(name, code, 0));
                ACL_OK(aclrtSynchronizeStream(nullptr));
                Bytes seen(kSize);
                ACL_OK(aclrtMemcpy(seen.data(), kSize, one.dst, kSize, ACL_MEMCPY_DEFAULT));
                EXPECT_TRUE(seen == pattern);
            }
        }
    }
}

// Like copies of device memory, and unlike those of pageable memory, they do not wait.
TEST_F(MemAllocManaged, CopiesAreAsynchronous) {
    constexpr size_t kSize = kGrain;
    Stream stream;
    ManagedMemory managed(kSize, 1);
    DeviceMemory device(kSize);
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtMemcpyAsync(device.At(), kSize, managed.At(), kSize, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    std::memset(managed.At(), 2, kSize);
    EXPECT_FALSE(IsIdle(stream));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(device.Download() == Bytes(kSize, 2));
}

// With the locations that aclrtPointerGetAttributes returns.
TEST_F(MemAllocManaged, Batches) {
    ManagedMemory managed(kGrain, 1);
    DeviceMemory device(100);
    Bytes host(100, 5);
    const auto location = [](const void* at) { return AttributesOf(at).location; };
    void* dst = managed.At(10);
    void* src = host.data();
    size_t size = 100, first = 0, failed = 0;
    aclrtMemcpyBatchAttr attribute = {location(dst), location(src), {}};
    ACL_OK(aclrtMemcpyBatch(&dst, &size, &src, &size, 1, &attribute, &first, 1, &failed));
    EXPECT_EQ(Bytes(managed.Data() + 10, managed.Data() + 110), host);
    attribute = {location(src), location(dst), {}};
    ACL_OK(aclrtMemcpyBatchAsync(&src, &size, &dst, &size, 1, &attribute, &first, 1, &failed, nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    // Device memory is not managed memory.
    attribute = {location(dst), location(src), {}};
    dst = device.At();
    ACL_FAILS_SAYING(kDead, aclrtMemcpyBatch(&dst, &size, &src, &size, 1, &attribute, &first, 1, &failed), "dsts[0]",
                     "managed memory");
}

TEST_F(MemAllocManaged, EveryDeviceUsesIt) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ManagedMemory managed(kGrain, 1);
    ACL_OK(aclrtSetDevice(1));
    Stream stream;
    DeviceMemory device(1000);
    ACL_OK(aclrtMemsetAsync(managed.At(), 1000, 4, 1000, stream));
    ACL_OK(aclrtReduceAsync(managed.At(), managed.At(500), 500, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT8, stream,
                            nullptr));
    ACL_OK(aclrtMemcpyAsync(device.At(), 1000, managed.At(), 1000, ACL_MEMCPY_DEFAULT, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(managed.Data()[0], 8);
    EXPECT_EQ(managed.Data()[999], 4);
    EXPECT_TRUE(device.Download() == Bytes(managed.Data(), managed.Data() + 1000));
    // Memory of device 0 is not.
    ACL_OK(aclrtSetDevice(0));
    DeviceMemory plain(1000);
    ACL_OK(aclrtSetDevice(1));
    ACL_FAILS_SAYING(kDead, aclrtMemsetAsync(plain.At(), 1000, 4, 1000, nullptr), "device 0", "device 1");
    // Work of another device keeps it allocated as well.
    void* address = managed.Release();
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtMemsetAsync(address, 1000, 7, 1000, stream));
    ACL_OK(aclrtMemcpyAsync(device.At(), 1000, address, 1000, ACL_MEMCPY_DEFAULT, stream));
    ACL_OK(aclrtFree(address));
    ManagedMemory after(kGrain, 9);
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(device.Download() == Bytes(1000, 7));
    EXPECT_TRUE(after.Copy() == Bytes(kGrain, 9));
}

TEST_F(MemAllocManaged, QueriesFindIt) {
    for (size_t size : {size_t{1}, kGrain, kGrain + 1}) {
        ManagedMemory managed(size);
        const size_t rounded = (size + kGrain - 1) / kGrain * kGrain;
        void* base = nullptr;
        size_t reported = 0;
        ACL_OK(aclrtMemGetAddressRange(managed.At(rounded - 1), &base, &reported));
        EXPECT_EQ(base, managed.At());
        EXPECT_EQ(reported, rounded);
        // The program does the rounding.
        managed.Data()[rounded - 1] = 1;
        const aclrtPtrAttributes attributes = AttributesOf(managed.At(rounded - 1));
        EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_MANAGED);
        EXPECT_EQ(attributes.location.id, 0u);
        EXPECT_GE(attributes.pageSize, 4096u);
        void* list[] = {managed.At(5)};
        auto is_device = Poison<uint32_t>();
        ACL_OK(aclrtCheckMemType(list, 1, ACL_RT_MEM_TYPE_DEV, &is_device, 0));
        EXPECT_EQ(is_device, 1u);
        ACL_OK(aclrtMemFlush(managed.At(), 100));
        void* device = nullptr;
        ACL_OK(aclrtHostGetDevicePointer(managed.At(7), &device, 0));
        EXPECT_EQ(device, managed.At(7));
        ACL_FAILS(kDead, aclrtHostRegisterV2(managed.At(), 4096, ACL_HOST_REG_PINNED));
    }
}

TEST_F(MemAllocManaged, NothingRunsPastTheEnd) {
    ManagedMemory managed(kGrain, 1);
    Bytes host(kGrain + 1);
    ACL_FAILS_SAYING(kDead, aclrtMemcpy(host.data(), host.size(), managed.At(), kGrain + 1, ACL_MEMCPY_DEVICE_TO_HOST),
                     "src", Shown(managed.At()), std::to_string(kGrain + 1));
}

TEST_F(MemAllocManaged, IsFreedByFree) {
    void* address = ManagedMemory(kGrain).Release();
    ACL_FAILS_SAYING(kDead, aclrtFreeHost(address), "managed", "aclrtFree", Shown(address));
    ACL_FAILS_SAYING(kDead, aclrtFree(static_cast<char*>(address) + 1), "1 byte into");
    ACL_FAILS_SAYING(kDead, aclrtHostUnregister(address), "aclrtFree");
    OnNewThread([=] { ACL_OK(aclrtFree(address)); });
    ACL_FAILS(kDead, aclrtFree(address));
    ACL_FAILS(kDead, aclrtMemset(address, 1, 1, 1));
    EXPECT_EQ(AttributesOf(address).location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    ACL_OK(aclrtFreeWithDevSync(ManagedMemory(kGrain).Release()));
}

TEST_F(MemAllocManaged, BadArguments) {
    auto address = Poison<void*>();
    const uint64_t most = std::numeric_limits<uint64_t>::max();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtMemAllocManaged(nullptr, 1, kGlobal), "ptr", "null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtMemAllocManaged(&address, 0, kGlobal), "size");
    for (uint32_t flag : {0u, 2u, 3u, ~0u})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtMemAllocManaged(&address, 1, flag), "flag is",
                         "ACL_RT_MEM_ATTACH_GLOBAL");
    for (uint64_t size : {most, most - kGrain, most / 2, uint64_t{1} << 50})
        ACL_FAILS_SAYING(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMemAllocManaged(&address, size, kGlobal), "size",
                         std::to_string(size));
    OnNewThread([&] { ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtMemAllocManaged(&address, 1, kGlobal)); });
    EXPECT_TRUE(IsPoison(address));
}

TEST_F(MemAllocManaged, EndsWithItsDevice) {
    void* address = ManagedMemory(kGrain).Release();
    ACL_OK(aclrtResetDeviceForce(0));
    ACL_FAILS(kDead, aclrtFree(address));
    ACL_OK(aclrtSetDevice(0));
    address = ManagedMemory(kGrain).Release();
    ACL_OK(aclFinalize());
    ACL_FAILS(kDead, aclrtFree(address));
    auto none = Poison<void*>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtMemAllocManaged(&none, 1, kGlobal));
    EXPECT_TRUE(IsPoison(none));
    ACL_OK(aclInit(nullptr));
}

}  // namespace
