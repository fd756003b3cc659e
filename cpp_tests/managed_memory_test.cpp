// Managed memory: the host and all devices use it at one address; advice and prefetches.

#include <limits>

#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

using Bytes = std::vector<unsigned char>;

constexpr size_t kGrain = 2 << 20;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr uint32_t kGlobal = ACL_RT_MEM_ATTACH_GLOBAL;

class ManagedMemory {
  public:
    explicit ManagedMemory(size_t size) : size_(size) {
        ExpectOk("aclrtMemAllocManaged", aclrtMemAllocManaged(&address_, size, kGlobal));
    }
    ManagedMemory(size_t size, unsigned char value) : ManagedMemory(size) {
        std::memset(address_, value, size);
    }
    ~ManagedMemory() {
        if (address_) ExpectOk("aclrtFree", aclrtFree(address_));
    }
    ManagedMemory(const ManagedMemory&) = delete;
    ManagedMemory& operator=(const ManagedMemory&) = delete;

    void* At(size_t offset = 0) const { return Data() + offset; }
    unsigned char* Data() const { return static_cast<unsigned char*>(address_); }
    Bytes Copy() const { return {Data(), Data() + size_}; }
    void* Release() { return std::exchange(address_, nullptr); }

  private:
    void* address_ = nullptr;
    size_t size_;
};

aclrtPtrAttributes AttributesOf(const void* address) {
    auto told = Poison<aclrtPtrAttributes>();
    ExpectOk("aclrtPointerGetAttributes", aclrtPointerGetAttributes(address, &told));
    return told;
}

class MemAllocManaged : public WithDevice {};

TEST_F(MemAllocManaged, HostAndDeviceSeeTheSameBytes) {
    constexpr size_t kSize = kGrain + 5000;
    ManagedMemory managed(kSize, 1);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(managed.At()) % kGrain, 0u);
    Stream stream;
    // The device reads what the host wrote, and the other way round.
    DeviceMemory device(kSize);
    ACL_OK(aclrtMemcpyAsync(device.At(), kSize, managed.At(), kSize, ACL_MEMCPY_DEVICE_TO_DEVICE,
                            stream));
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
    ACL_OK(aclrtReduceAsync(managed.At(), managed.At(kGrain), 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
                            ACL_INT8, stream, nullptr));
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
            const bool allowed =
                std::find(one.kinds.begin(), one.kinds.end(), kind) != one.kinds.end();
            for (bool async : {false, true}) {
                ACL_OK(aclrtMemcpy(one.src, kSize, pattern.data(), kSize, ACL_MEMCPY_DEFAULT));
                ACL_OK(aclrtMemcpy(one.dst, kSize, Bytes(kSize).data(), kSize, ACL_MEMCPY_DEFAULT));
                const aclError code =
                    async ? aclrtMemcpyAsync(one.dst, kSize, one.src, kSize, direction, nullptr)
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

// As device memory, not as pageable host memory: nothing is waited for.
TEST_F(MemAllocManaged, CopiesAreAsynchronous) {
    constexpr size_t kSize = kGrain;
    Stream stream;
    ManagedMemory managed(kSize, 1);
    DeviceMemory device(kSize);
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtMemcpyAsync(device.At(), kSize, managed.At(), kSize, ACL_MEMCPY_HOST_TO_DEVICE,
                            stream));
    std::memset(managed.At(), 2, kSize);
    EXPECT_FALSE(IsIdle(stream));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(device.Download() == Bytes(kSize, 2));
}

// With the locations as aclrtPointerGetAttributes tells them.
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
    ACL_OK(aclrtMemcpyBatchAsync(&src, &size, &dst, &size, 1, &attribute, &first, 1, &failed,
                                 nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    // What is only the device's is not managed.
    attribute = {location(dst), location(src), {}};
    dst = device.At();
    ACL_FAILS_SAYING(kDead,
                     aclrtMemcpyBatch(&dst, &size, &src, &size, 1, &attribute, &first, 1, &failed),
                     "dsts[0]", "managed memory");
}

TEST_F(MemAllocManaged, EveryDeviceUsesIt) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ManagedMemory managed(kGrain, 1);
    ACL_OK(aclrtSetDevice(1));
    Stream stream;
    DeviceMemory device(1000);
    ACL_OK(aclrtMemsetAsync(managed.At(), 1000, 4, 1000, stream));
    ACL_OK(aclrtReduceAsync(managed.At(), managed.At(500), 500, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
                            ACL_INT8, stream, nullptr));
    ACL_OK(aclrtMemcpyAsync(device.At(), 1000, managed.At(), 1000, ACL_MEMCPY_DEFAULT, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(managed.Data()[0], 8);
    EXPECT_EQ(managed.Data()[999], 4);
    EXPECT_TRUE(device.Download() == Bytes(managed.Data(), managed.Data() + 1000));
    // What is only device 0's is not.
    ACL_OK(aclrtSetDevice(0));
    DeviceMemory plain(1000);
    ACL_OK(aclrtSetDevice(1));
    ACL_FAILS_SAYING(kDead, aclrtMemsetAsync(plain.At(), 1000, 4, 1000, nullptr), "device 0",
                     "device 1");
    // Work of another device keeps it as well.
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

TEST_F(MemAllocManaged, QueriesKnowIt) {
    for (size_t size : {size_t{1}, kGrain, kGrain + 1}) {
        ManagedMemory managed(size);
        const size_t rounded = (size + kGrain - 1) / kGrain * kGrain;
        void* base = nullptr;
        size_t told = 0;
        ACL_OK(aclrtMemGetAddressRange(managed.At(rounded - 1), &base, &told));
        EXPECT_EQ(base, managed.At());
        EXPECT_EQ(told, rounded);
        // The rounding is the program's.
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
    ACL_FAILS_SAYING(
        kDead,
        aclrtMemcpy(host.data(), host.size(), managed.At(), kGrain + 1, ACL_MEMCPY_DEVICE_TO_HOST),
        "src", Shown(managed.At()), std::to_string(kGrain + 1));
}

TEST_F(MemAllocManaged, IsFreedByFree) {
    void* address = ManagedMemory(kGrain).Release();
    ACL_FAILS_SAYING(kDead, aclrtFreeHost(address), "managed", "aclrtFree", Shown(address));
    ACL_FAILS_SAYING(kDead, aclrtFree(static_cast<char*>(address) + 1), "1 bytes into");
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
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtMemAllocManaged(nullptr, 1, kGlobal), "ptr",
                     "null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtMemAllocManaged(&address, 0, kGlobal), "size");
    for (uint32_t flag : {0u, 2u, 3u, ~0u})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtMemAllocManaged(&address, 1, flag),
                         "flag is", "ACL_RT_MEM_ATTACH_GLOBAL");
    for (uint64_t size : {most, most - kGrain, most / 2, uint64_t{1} << 50})
        ACL_FAILS_SAYING(ACL_ERROR_RT_MEMORY_ALLOCATION,
                         aclrtMemAllocManaged(&address, size, kGlobal), "size",
                         std::to_string(size));
    OnNewThread(
        [&] { ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtMemAllocManaged(&address, 1, kGlobal)); });
    EXPECT_TRUE(IsPoison(address));
}

TEST_F(MemAllocManaged, GoesWithItsDevice) {
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

constexpr aclrtMemManagedLocation Place(int type, int id = 0) {
    return {static_cast<aclrtMemManagedLocationType>(type), id};
}

constexpr int kDevice = ACL_MEM_LOCATIONTYPE_DEVICE, kHost = ACL_MEM_LOCATIONTYPE_HOST;

// The numbers that an attribute is told as.
std::vector<int32_t> Told(const void* at, size_t size, int attribute, size_t room = 1) {
    std::vector<int32_t> data(room, 77);
    ExpectOk("aclrtMemManagedGetAttr",
             aclrtMemManagedGetAttr(static_cast<aclrtMemManagedRangeAttribute>(attribute), at, size,
                                    data.data(), room * sizeof(int32_t)));
    return data;
}

// Attributes of the second of three pieces, and of all of them.
class Advice : public WithDevice {
  protected:
    static aclError Advise(const void* at, size_t size, int advice, aclrtMemManagedLocation place) {
        return aclrtMemManagedAdvise(at, size, static_cast<aclrtMemManagedAdviseType>(advice),
                                     place);
    }
};

TEST_F(Advice, IsRememberedForItsRange) {
    ManagedMemory managed(3 * kGrain, 1);
    const void *const all = managed.At(), *const second = managed.At(kGrain);
    EXPECT_EQ(Told(all, 3 * kGrain, ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY)[0], 0);
    ACL_OK(Advise(second, kGrain, ACL_MEM_ADVISE_SET_READ_MOSTLY, Place(99, -5)));
    EXPECT_EQ(Told(second, kGrain, ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY)[0], 1);
    EXPECT_EQ(Told(all, 3 * kGrain, ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY)[0], 0);
    ACL_OK(Advise(all, 3 * kGrain, ACL_MEM_ADVISE_SET_READ_MOSTLY, Place(0)));
    EXPECT_EQ(Told(all, 3 * kGrain, ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY)[0], 1);
    ACL_OK(Advise(second, kGrain, ACL_MEM_ADVISE_UNSET_READ_MOSTLY, Place(0)));
    EXPECT_EQ(Told(all, 2 * kGrain, ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY)[0], 0);
    EXPECT_EQ(Told(all, kGrain, ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY)[0], 1);
    EXPECT_TRUE(managed.Copy() == Bytes(3 * kGrain, 1));
}

TEST_F(Advice, PreferredLocation) {
    ManagedMemory managed(2 * kGrain);
    const auto told = [&](size_t size) {
        std::vector<int32_t> all;
        for (int attribute : {ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION,
                              ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE,
                              ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID})
            all.push_back(Told(managed.At(), size, attribute)[0]);
        return all;
    };
    using Numbers = std::vector<int32_t>;
    EXPECT_EQ(told(2 * kGrain), (Numbers{-2, 0, 0}));
    ACL_OK(Advise(managed.At(), kGrain, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, Place(kDevice, 0)));
    EXPECT_EQ(told(kGrain), (Numbers{0, kDevice, 0}));
    EXPECT_EQ(told(2 * kGrain), (Numbers{-2, 0, 0})) << "not all of it";
    ACL_OK(
        Advise(managed.At(), 2 * kGrain, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, Place(kHost, 5)));
    EXPECT_EQ(told(2 * kGrain), (Numbers{-1, kHost, 0}));
    ACL_OK(Advise(managed.At(), 2 * kGrain, ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION, Place(0)));
    EXPECT_EQ(told(2 * kGrain), (Numbers{-2, 0, 0}));
}

TEST_F(Advice, AccessedBy) {
    ManagedMemory managed(2 * kGrain);
    const auto told = [&](size_t size, size_t room) {
        return Told(managed.At(), size, ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, room);
    };
    using Numbers = std::vector<int32_t>;
    EXPECT_EQ(told(2 * kGrain, 2), (Numbers{-2, -2}));
    ACL_OK(Advise(managed.At(), 2 * kGrain, ACL_MEM_ADVISE_SET_ACCESSED_BY, Place(kDevice, 0)));
    ACL_OK(Advise(managed.At(), 2 * kGrain, ACL_MEM_ADVISE_SET_ACCESSED_BY, Place(kDevice, 0)));
    ACL_OK(Advise(managed.At(), kGrain, ACL_MEM_ADVISE_SET_ACCESSED_BY, Place(kHost)));
    EXPECT_EQ(told(kGrain, 3), (Numbers{-1, 0, -2}));
    EXPECT_EQ(told(2 * kGrain, 3), (Numbers{0, -2, -2}));
    EXPECT_EQ(told(kGrain, 1), (Numbers{-1})) << "as many as there is room for";
    ACL_OK(Advise(managed.At(), kGrain, ACL_MEM_ADVISE_UNSET_ACCESSED_BY, Place(kDevice, 0)));
    EXPECT_EQ(told(kGrain, 2), (Numbers{-1, -2}));
}

TEST_F(Advice, EndsWithTheMemory) {
    // The address may come again.
    for (int round = 0; round < 3; ++round) {
        ManagedMemory managed(kGrain);
        EXPECT_EQ(Told(managed.At(), kGrain, ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY)[0], 0);
        ACL_OK(Advise(managed.At(), kGrain, ACL_MEM_ADVISE_SET_READ_MOSTLY, Place(0)));
    }
}

TEST_F(Advice, SeveralAttributes) {
    ManagedMemory managed(kGrain);
    ACL_OK(Advise(managed.At(), kGrain, ACL_MEM_ADVISE_SET_READ_MOSTLY, Place(0)));
    ACL_OK(Advise(managed.At(), kGrain, ACL_MEM_ADVISE_SET_ACCESSED_BY, Place(kHost)));
    aclrtMemManagedRangeAttribute which[] = {ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY,
                                             ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY};
    int32_t by[2] = {77, 77}, mostly = 77;
    void* data[] = {by, &mostly};
    size_t sizes[] = {sizeof by, sizeof mostly};
    ACL_OK(aclrtMemManagedGetAttrs(which, 2, managed.At(), kGrain, data, sizes));
    EXPECT_EQ(by[0], -1);
    EXPECT_EQ(by[1], -2);
    EXPECT_EQ(mostly, 1);
    // One that is wrong, and none is told.
    by[0] = mostly = 77;
    sizes[1] = 2;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                     aclrtMemManagedGetAttrs(which, 2, managed.At(), kGrain, data, sizes),
                     "dataSize is 2");
    sizes[1] = 4;
    data[1] = nullptr;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                     aclrtMemManagedGetAttrs(which, 2, managed.At(), kGrain, data, sizes),
                     "data[1]");
    data[1] = &mostly;
    for (const char* null : {"attributes", "data", "dataSizes"})
        EXPECT_TRUE(FailedSaying(
            "aclrtMemManagedGetAttrs",
            aclrtMemManagedGetAttrs(*null == 'a' ? nullptr : which, 2, managed.At(), kGrain,
                                    null == std::string("data") ? nullptr : data,
                                    null == std::string("dataSizes") ? nullptr : sizes),
            ACL_ERROR_INVALID_PARAM, {null, "null"}));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                     aclrtMemManagedGetAttrs(which, 0, managed.At(), kGrain, data, sizes),
                     "numAttributes");
    EXPECT_EQ(by[0], 77);
    EXPECT_EQ(mostly, 77);
}

// What is wrong with a range is told by every call alike.
struct Ranged {
    const char* name;
    aclError (*call)(const void*, size_t);
};

const Ranged kRanged[] = {
    {"aclrtMemManagedAdvise",
     [](const void* at, size_t size) {
         return aclrtMemManagedAdvise(at, size, ACL_MEM_ADVISE_SET_READ_MOSTLY, Place(0));
     }},
    {"aclrtMemManagedGetAttr",
     [](const void* at, size_t size) {
         int32_t data = 0;
         return aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, at, size, &data, 4);
     }},
    {"aclrtMemManagedGetAttrs",
     [](const void* at, size_t size) {
         auto which = ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
         int32_t number = 0;
         void* data = &number;
         size_t room = 4;
         return aclrtMemManagedGetAttrs(&which, 1, at, size, &data, &room);
     }},
    {"aclrtMemManagedPrefetchAsync",
     [](const void* at, size_t size) {
         return aclrtMemManagedPrefetchAsync(at, size, Place(kHost), 0, nullptr);
     }},
    {"aclrtMemManagedPrefetchBatchAsync",
     [](const void* at, size_t size) {
         auto place = Place(kHost);
         size_t first = 0;
         return aclrtMemManagedPrefetchBatchAsync(&at, &size, 1, &place, &first, 1, 0, nullptr);
     }},
};

TEST_F(Advice, BadRanges) {
    ManagedMemory managed(2 * kGrain);
    DeviceMemory device(2 * kGrain);
    PinnedMemory pinned(2 * kGrain);
    void* gone = ManagedMemory(kGrain).Release();
    ACL_OK(aclrtFree(gone));
    const size_t most = std::numeric_limits<size_t>::max();
    for (const Ranged& one : kRanged) {
        SCOPED_TRACE(one.name);
        EXPECT_TRUE(FailedSaying(one.name, one.call(nullptr, kGrain), ACL_ERROR_INVALID_PARAM,
                                 {"null", "aclrtMemAllocManaged"}));
        for (size_t size : {size_t{0}, size_t{1}, kGrain + 1, most})
            EXPECT_TRUE(FailedSaying(one.name, one.call(managed.At(), size),
                                     ACL_ERROR_INVALID_PARAM,
                                     {std::to_string(size), std::to_string(kGrain)}));
        EXPECT_TRUE(FailedSaying(one.name, one.call(managed.At(4096), kGrain),
                                 ACL_ERROR_RT_ADDR_UNALIGNED, {Shown(managed.At(4096))}));
        for (size_t size : {2 * kGrain, most - kGrain + 1})
            EXPECT_TRUE(FailedSaying(one.name, one.call(managed.At(kGrain), size), kDead,
                                     {Shown(managed.At(kGrain)), std::to_string(size)}));
        for (void* other : {device.At(), gone})
            EXPECT_TRUE(FailedSaying(one.name, one.call(other, kGrain), kDead, {Shown(other)}));
        EXPECT_TRUE(Returned(one.name, one.call(managed.At(), 2 * kGrain), 0));
        if (std::string(one.name).find("Prefetch") == std::string::npos)
            OnNewThread(
                [&] { EXPECT_TRUE(Returned(one.name, one.call(managed.At(), 2 * kGrain), 0)); });
    }
}

TEST_F(Advice, BadArguments) {
    ManagedMemory managed(kGrain);
    const auto fails = [&](aclError code, int advice, aclrtMemManagedLocation place,
                           std::initializer_list<std::string> words) {
        EXPECT_TRUE(FailedSaying("aclrtMemManagedAdvise",
                                 Advise(managed.At(), kGrain, advice, place), code, words));
    };
    for (int advice : {-1, 6, std::numeric_limits<int>::max()})
        fails(ACL_ERROR_INVALID_PARAM, advice, Place(kHost), {"advise is", "0 to 5"});
    for (int type : {0, 5, -1})
        fails(ACL_ERROR_INVALID_PARAM, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, Place(type),
              {"type of location is"});
    fails(ACL_ERROR_INVALID_PARAM, ACL_MEM_ADVISE_SET_ACCESSED_BY,
          Place(ACL_MEM_LOCATIONTYPE_HOST_NUMA), {"type of location is 3"});
    fails(ACL_ERROR_INVALID_PARAM, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION,
          Place(ACL_MEM_LOCATIONTYPE_HOST_NUMA, -1), {"id of location is -1"});
    for (int id : {-1, 1000})
        fails(ACL_ERROR_RT_INVALID_DEVICEID, ACL_MEM_ADVISE_SET_ACCESSED_BY, Place(kDevice, id),
              {"location", std::to_string(id)});
    int32_t data[2] = {77, 77};
    for (int attribute : {0, 9, -1})
        ACL_FAILS_SAYING(
            ACL_ERROR_INVALID_PARAM,
            aclrtMemManagedGetAttr(static_cast<aclrtMemManagedRangeAttribute>(attribute),
                                   managed.At(), kGrain, data, 4),
            "attribute is", "1 to 8");
    for (size_t room : {size_t{0}, size_t{3}, size_t{8}})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                         aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, managed.At(),
                                                kGrain, data, room),
                         "dataSize is", std::to_string(room));
    for (size_t room : {size_t{0}, size_t{6}})
        ACL_FAILS(ACL_ERROR_INVALID_PARAM,
                  aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, managed.At(), kGrain,
                                         data, room));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                     aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, managed.At(),
                                            kGrain, nullptr, 4),
                     "data", "null");
    EXPECT_EQ(data[0], 77);
}

TEST_F(Advice, RefusedInsideAHostFunction) {
    struct State {
        void* memory;
        std::vector<aclError> codes;
    };
    ManagedMemory managed(kGrain);
    auto* state = MakeImmortal<State>();
    state->memory = managed.At();
    ACL_OK(aclrtLaunchHostFunc(
        nullptr,
        [](void* argument) {
            auto* state = static_cast<State*>(argument);
            void* none = nullptr;
            state->codes.push_back(aclrtMemAllocManaged(&none, 1, kGlobal));
            for (const Ranged& one : kRanged)
                state->codes.push_back(one.call(state->memory, kGrain));
        },
        state));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(state->codes, std::vector<aclError>(6, kDead));
}

class Prefetch : public WithDevice {};

TEST_F(Prefetch, IsRememberedAndInOrder) {
    ManagedMemory managed(2 * kGrain, 1);
    Stream stream;
    const auto last = [&](size_t size) {
        std::vector<int32_t> all;
        for (int attribute : {ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION,
                              ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE,
                              ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID})
            all.push_back(Told(managed.At(), size, attribute)[0]);
        return all;
    };
    using Numbers = std::vector<int32_t>;
    EXPECT_EQ(last(2 * kGrain), (Numbers{-2, 0, 0}));
    ACL_OK(aclrtMemManagedPrefetchAsync(managed.At(), 2 * kGrain, Place(kDevice, 0), 0, stream));
    EXPECT_EQ(last(2 * kGrain), (Numbers{0, kDevice, 0}));
    ACL_OK(aclrtMemsetAsync(managed.At(), 2 * kGrain, 5, 2 * kGrain, stream));
    ACL_OK(aclrtMemManagedPrefetchAsync(managed.At(), kGrain, Place(kHost), 0, stream));
    EXPECT_EQ(last(kGrain), (Numbers{-1, kHost, 0}));
    EXPECT_EQ(last(2 * kGrain), (Numbers{-2, 0, 0}));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(managed.Copy() == Bytes(2 * kGrain, 5));
    // Freed with a move queued.
    Gate gate;
    ACL_OK(gate.Hold(stream));
    void* address = ManagedMemory(kGrain).Release();
    ACL_OK(aclrtMemManagedPrefetchAsync(address, kGrain, Place(kDevice, 0), 0, stream));
    ACL_OK(aclrtFree(address));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
}

TEST_F(Prefetch, Batch) {
    ManagedMemory managed(4 * kGrain, 1);
    const void* at[] = {managed.At(), managed.At(kGrain), managed.At(2 * kGrain)};
    size_t sizes[] = {kGrain, kGrain, 2 * kGrain};
    aclrtMemManagedLocation places[] = {Place(kDevice, 0), Place(kHost)};
    size_t firsts[] = {0, 2};
    ACL_OK(aclrtMemManagedPrefetchBatchAsync(at, sizes, 3, places, firsts, 2, 0, nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    const int kLast = ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION;
    EXPECT_EQ(Told(managed.At(), 2 * kGrain, kLast)[0], 0);
    EXPECT_EQ(Told(managed.At(2 * kGrain), 2 * kGrain, kLast)[0], -1);

    // All of it is looked at before any of it is queued.
    ManagedMemory fresh(kGrain);
    const void* good_and_bad[] = {fresh.At(), fresh.At(), nullptr};
    ACL_FAILS_SAYING(
        ACL_ERROR_INVALID_PARAM,
        aclrtMemManagedPrefetchBatchAsync(good_and_bad, sizes, 3, places, firsts, 2, 0, nullptr),
        "ptrs[2]");
    places[1] = Place(kDevice, 1000);
    at[0] = at[1] = at[2] = fresh.At();
    ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID,
                     aclrtMemManagedPrefetchBatchAsync(at, sizes, 3, places, firsts, 2, 0, nullptr),
                     "prefetchLocs[1]", "1000");
    EXPECT_EQ(Told(fresh.At(), kGrain, kLast)[0], -2);
    places[1] = Place(kHost);
    for (auto wrong : {std::pair<size_t, size_t>{1, 2}, {0, 0}, {0, 3}}) {
        size_t bad[] = {wrong.first, wrong.second};
        ACL_FAILS_SAYING(
            ACL_ERROR_INVALID_PARAM,
            aclrtMemManagedPrefetchBatchAsync(at, sizes, 3, places, bad, 2, 0, nullptr),
            "prefetchLocIdxs");
    }
    for (size_t count : {size_t{0}, size_t{4}})
        ACL_FAILS_SAYING(
            ACL_ERROR_INVALID_PARAM,
            aclrtMemManagedPrefetchBatchAsync(at, sizes, 3, places, firsts, count, 0, nullptr),
            "numPrefetchLocs");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                     aclrtMemManagedPrefetchBatchAsync(at, sizes, 0, places, firsts, 1, 0, nullptr),
                     "count is 0");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                     aclrtMemManagedPrefetchBatchAsync(at, sizes, 3, places, firsts, 2, 1, nullptr),
                     "flags is 0x1");
    EXPECT_TRUE(FailedSaying(
        "aclrtMemManagedPrefetchBatchAsync",
        aclrtMemManagedPrefetchBatchAsync(nullptr, sizes, 3, places, firsts, 2, 0, nullptr),
        ACL_ERROR_INVALID_PARAM, {"ptrs is null"}));
    EXPECT_TRUE(FailedSaying(
        "aclrtMemManagedPrefetchBatchAsync",
        aclrtMemManagedPrefetchBatchAsync(at, nullptr, 3, places, firsts, 2, 0, nullptr),
        ACL_ERROR_INVALID_PARAM, {"sizes is null"}));
    EXPECT_TRUE(FailedSaying(
        "aclrtMemManagedPrefetchBatchAsync",
        aclrtMemManagedPrefetchBatchAsync(at, sizes, 3, nullptr, firsts, 2, 0, nullptr),
        ACL_ERROR_INVALID_PARAM, {"prefetchLocs is null"}));
    EXPECT_TRUE(FailedSaying(
        "aclrtMemManagedPrefetchBatchAsync",
        aclrtMemManagedPrefetchBatchAsync(at, sizes, 3, places, nullptr, 2, 0, nullptr),
        ACL_ERROR_INVALID_PARAM, {"prefetchLocIdxs is null"}));
}

TEST_F(Prefetch, BadArguments) {
    ManagedMemory managed(kGrain);
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                     aclrtMemManagedPrefetchAsync(managed.At(), kGrain, Place(kHost), 4, nullptr),
                     "flags is 0x4");
    for (int type : {0, 5})
        ACL_FAILS_SAYING(
            ACL_ERROR_INVALID_PARAM,
            aclrtMemManagedPrefetchAsync(managed.At(), kGrain, Place(type), 0, nullptr),
            "type of location is");
    ACL_FAILS(ACL_ERROR_RT_INVALID_DEVICEID,
              aclrtMemManagedPrefetchAsync(managed.At(), kGrain, Place(kDevice, 99), 0, nullptr));
    aclrtStream dead = Stream().Release();
    ACL_OK(aclrtDestroyStream(dead));
    Event event;
    for (aclrtStream wrong : {dead, reinterpret_cast<aclrtStream>(uintptr_t{0x1234}),
                              static_cast<aclrtStream>(static_cast<aclrtEvent>(event))})
        ACL_FAILS(kDead,
                  aclrtMemManagedPrefetchAsync(managed.At(), kGrain, Place(kHost), 0, wrong));
    OnNewThread([&] {
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL,
                  aclrtMemManagedPrefetchAsync(managed.At(), kGrain, Place(kHost), 0, nullptr));
    });
    EXPECT_EQ(Told(managed.At(), kGrain, ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION)[0], -2);
}

}  // namespace
