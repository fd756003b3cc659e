// Variants of aclrtMalloc and aclrtMallocHost, and a free that synchronizes.

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>

#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/threads.h"

using namespace portacl_test;

namespace {

constexpr size_t kMiB = 1 << 20;
constexpr size_t kMost = std::numeric_limits<size_t>::max();

// All of them under one signature, with no attributes.
struct Allocator {
    const char* name;
    std::function<aclError(void**, size_t, aclrtMemMallocPolicy)> call;
    bool has_tail = true;
};

std::vector<Allocator> Allocators() {
    return {{"aclrtMallocAlign32",
             [](void** out, size_t size, aclrtMemMallocPolicy policy) { return aclrtMallocAlign32(out, size, policy); },
             false},
            {"aclrtMallocCached",
             [](void** out, size_t size, aclrtMemMallocPolicy policy) { return aclrtMallocCached(out, size, policy); }},
            {"aclrtMallocWithCfg",
             [](void** out, size_t size, aclrtMemMallocPolicy policy) {
                 return aclrtMallocWithCfg(out, size, policy, nullptr);
             }},
            {"aclrtMallocForTaskScheduler", [](void** out, size_t size, aclrtMemMallocPolicy policy) {
                 return aclrtMallocForTaskScheduler(out, size, policy, nullptr);
             }}};
}

class MallocVariants : public WithDevice {};

TEST_F(MallocVariants, EverySizeIsUsableToItsEnd) {
    for (const Allocator& allocator : Allocators()) {
        for (size_t size : {size_t{1}, size_t{33}, size_t{4096}, kMiB + 1, 3 * kMiB}) {
            SCOPED_TRACE(testing::Message() << allocator.name << ' ' << size);
            void* address = nullptr;
            ASSERT_TRUE(Returned(allocator.name, allocator.call(&address, size, ACL_MEM_MALLOC_HUGE_FIRST), 0));
            EXPECT_EQ(reinterpret_cast<uintptr_t>(address) % 512, 0u);
            const auto bytes = Pattern(size);
            std::vector<unsigned char> seen(size);
            ACL_OK(aclrtMemcpy(address, size, bytes.data(), size, ACL_MEMCPY_HOST_TO_DEVICE));
            ACL_OK(aclrtMemcpy(seen.data(), size, address, size, ACL_MEMCPY_DEVICE_TO_HOST));
            EXPECT_TRUE(seen == bytes);
            ACL_OK(aclrtFree(address));
            ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(address));
        }
    }
}

bool BoundsAreChecked() {
#ifdef __SANITIZE_ADDRESS__
    return true;
#else
    const char* guard = std::getenv("PORTACL_CPU_GUARD");
    return guard != nullptr && std::strcmp(guard, "1") == 0;
#endif
}

// Bytes that may be read after the end: as many as after aclrtMalloc, and none with Align32.
TEST_F(MallocVariants, TheReadableTail) {
    DeviceMemory plain(100);
    void* base = nullptr;
    size_t usual = 0;
    ACL_OK(aclrtMemGetAddressRange(plain.At(), &base, &usual));
    // A driver's memory has no 32 bytes of padding, which could cost a page; nor has any memory
    // while out-of-bounds accesses are checked.
    EXPECT_EQ(usual, OnCpu() && !BoundsAreChecked() ? 160u : 128u);
    for (const Allocator& allocator : Allocators()) {
        SCOPED_TRACE(allocator.name);
        void* address = nullptr;
        ASSERT_TRUE(Returned(allocator.name, allocator.call(&address, 100, ACL_MEM_MALLOC_NORMAL_ONLY), 0));
        size_t size = 0;
        ACL_OK(aclrtMemGetAddressRange(address, &base, &size));
        EXPECT_EQ(size, allocator.has_tail ? usual : 128);
        std::vector<unsigned char> host(size + 1);
        ACL_OK(aclrtMemcpy(host.data(), size, address, size, ACL_MEMCPY_DEVICE_TO_HOST));
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID,
                  aclrtMemcpy(host.data(), size + 1, address, size + 1, ACL_MEMCPY_DEVICE_TO_HOST));
        ACL_OK(aclrtFree(address));
    }
}

TEST_F(MallocVariants, BadArguments) {
    for (const Allocator& allocator : Allocators()) {
        auto address = Poison<void*>();
        EXPECT_TRUE(FailedSaying(allocator.name, allocator.call(nullptr, 64, ACL_MEM_MALLOC_HUGE_FIRST),
                                 ACL_ERROR_INVALID_PARAM, {"devPtr", "null"}));
        EXPECT_TRUE(FailedSaying(allocator.name, allocator.call(&address, 0, ACL_MEM_MALLOC_HUGE_FIRST),
                                 ACL_ERROR_INVALID_PARAM, {"size", "0"}));
        for (size_t size : {kMost, kMost - 31, kMost / 2 + 1})
            EXPECT_TRUE(FailedSaying(allocator.name, allocator.call(&address, size, ACL_MEM_MALLOC_HUGE_FIRST),
                                     ACL_ERROR_RT_MEMORY_ALLOCATION, {"size", std::to_string(size)}));
        EXPECT_TRUE(IsPoison(address));
        // An unknown policy is no error.
        ASSERT_TRUE(Returned(allocator.name, allocator.call(&address, 64, static_cast<aclrtMemMallocPolicy>(99)), 0));
        ACL_OK(aclrtFree(address));
    }
}

TEST_F(MallocVariants, NeedADeviceInThisThread) {
    OnNewThread([] {
        for (const Allocator& allocator : Allocators()) {
            auto address = Poison<void*>();
            EXPECT_TRUE(FailedSaying(allocator.name, allocator.call(&address, 64, ACL_MEM_MALLOC_HUGE_FIRST),
                                     ACL_ERROR_RT_CONTEXT_NULL, {"aclrtSetDevice"}));
            EXPECT_TRUE(IsPoison(address));
        }
    });
}

TEST_F(MallocVariants, FailAfterFinalize) {
    ACL_OK(aclFinalize());
    auto address = Poison<void*>();
    for (const Allocator& allocator : Allocators())
        EXPECT_TRUE(
            Failed(allocator.name, allocator.call(&address, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtMallocHostWithCfg(&address, 64, nullptr));
    EXPECT_TRUE(IsPoison(address));
    ACL_OK(aclInit(nullptr));
}

// The calls that take attributes, those for host memory last.
std::vector<std::pair<const char*, std::function<aclError(void**, aclrtMallocConfig*)>>> Takers() {
    return {{"aclrtMallocWithCfg",
             [](void** out, aclrtMallocConfig* config) {
                 return aclrtMallocWithCfg(out, 64, ACL_MEM_MALLOC_HUGE_FIRST, config);
             }},
            {"aclrtMallocForTaskScheduler",
             [](void** out, aclrtMallocConfig* config) {
                 return aclrtMallocForTaskScheduler(out, 64, ACL_MEM_MALLOC_HUGE_FIRST, config);
             }},
            {"aclrtMallocHostWithCfg",
             [](void** out, aclrtMallocConfig* config) { return aclrtMallocHostWithCfg(out, 64, config); }}};
}

// An attribute; the bytes of the union that the value does not set contain a pattern.
aclrtMallocAttribute Attribute(int kind, uint32_t value) {
    auto made = Poison<aclrtMallocAttribute>();
    made.attr = static_cast<aclrtMallocAttrType>(kind);
    if (kind == ACL_RT_MEM_ATTR_MODULE_ID)
        made.value.moduleId = static_cast<uint16_t>(value);
    else
        made.value.deviceId = value;
    return made;
}

class MallocConfig : public WithDevice {};

TEST_F(MallocConfig, ValidAttributes) {
    std::vector<aclrtMallocAttribute> attributes = {
        Attribute(ACL_RT_MEM_ATTR_RSV, 0xA5A5A5A5), Attribute(ACL_RT_MEM_ATTR_MODULE_ID, 0xFFFF),
        Attribute(ACL_RT_MEM_ATTR_DEVICE_ID, 0), Attribute(ACL_RT_MEM_ATTR_VA_FLAG, 0)};
    for (const auto& [name, call] : Takers()) {
        for (size_t count = 0; count <= attributes.size(); ++count) {
            aclrtMallocConfig config{count ? attributes.data() : nullptr, count};
            void* address = nullptr;
            ASSERT_TRUE(Returned(name, call(&address, &config), 0));
            ACL_OK(aclrtMemset(address, 64, 1, 64));
            const bool host = std::string(name) == "aclrtMallocHostWithCfg";
            ACL_OK(host ? aclrtFreeHost(address) : aclrtFree(address));
        }
    }
}

TEST_F(MallocConfig, InvalidAttributes) {
    const struct {
        std::vector<aclrtMallocAttribute> attributes;
        aclError code;
        std::string word;
    } cases[] = {
        {{Attribute(4, 0)}, ACL_ERROR_INVALID_PARAM, "cfg->attrs is 4"},
        {{Attribute(-1, 0)}, ACL_ERROR_INVALID_PARAM, "cfg->attrs is -1"},
        {{Attribute(ACL_RT_MEM_ATTR_VA_FLAG, 2)}, ACL_ERROR_INVALID_PARAM, "vaFlag is 2"},
        {{Attribute(ACL_RT_MEM_ATTR_MODULE_ID, 1), Attribute(ACL_RT_MEM_ATTR_MODULE_ID, 1)},
         ACL_ERROR_INVALID_PARAM,
         "attr 1 more than once"},
        {{Attribute(ACL_RT_MEM_ATTR_DEVICE_ID, DeviceCount())},
         ACL_ERROR_RT_INVALID_DEVICEID,
         "deviceId is " + std::to_string(DeviceCount())},
        {{Attribute(ACL_RT_MEM_ATTR_DEVICE_ID, 0xFFFFFFFF)}, ACL_ERROR_RT_INVALID_DEVICEID, "4294967295"},
    };
    for (const auto& [name, call] : Takers()) {
        auto address = Poison<void*>();
        for (const auto& one : cases) {
            auto attributes = one.attributes;
            aclrtMallocConfig config{attributes.data(), attributes.size()};
            EXPECT_TRUE(FailedSaying(name, call(&address, &config), one.code, {"cfg", one.word}));
        }
        aclrtMallocConfig missing{nullptr, 1};
        EXPECT_TRUE(
            FailedSaying(name, call(&address, &missing), ACL_ERROR_INVALID_PARAM, {"attrs is null", "numAttrs is 1"}));
        EXPECT_TRUE(IsPoison(address));
    }
}

TEST_F(MallocConfig, OneAddressForHostAndDeviceIsPinnedMemory) {
    auto attribute = Attribute(ACL_RT_MEM_ATTR_VA_FLAG, 1);
    aclrtMallocConfig config{&attribute, 1};
    for (const auto& [name, call] : Takers()) {
        auto address = Poison<void*>();
        const aclError code = call(&address, &config);
        if (std::string(name) == "aclrtMallocHostWithCfg") {
            ASSERT_TRUE(Returned(name, code, 0));
            ACL_OK(aclrtFreeHost(address));
            continue;
        }
        EXPECT_TRUE(FailedSaying(name, code, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, {"vaFlag", "aclrtMallocHost"}));
        EXPECT_TRUE(IsPoison(address));
    }
}

TEST_F(MallocConfig, OfAnotherDevice) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    auto attribute = Attribute(ACL_RT_MEM_ATTR_DEVICE_ID, 1);
    aclrtMallocConfig config{&attribute, 1};
    auto address = Poison<void*>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtMallocWithCfg(&address, 64, ACL_MEM_MALLOC_HUGE_FIRST, &config),
                     "deviceId is 1", "aclrtSetDevice(1)");
    EXPECT_TRUE(IsPoison(address));
    // Pinned memory belongs to all devices.
    ACL_OK(aclrtMallocHostWithCfg(&address, 64, &config));
    ACL_OK(aclrtFreeHost(address));
}

TEST_F(MallocConfig, HostSizesAndNulls) {
    auto address = Poison<void*>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtMallocHostWithCfg(nullptr, 64, nullptr), "ptr", "null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtMallocHostWithCfg(&address, 0, nullptr), "size", "0");
    for (uint64_t size : {uint64_t{kMost}, uint64_t{kMost / 2 + 1}})
        ACL_FAILS_SAYING(ACL_ERROR_BAD_ALLOC, aclrtMallocHostWithCfg(&address, size, nullptr), std::to_string(size));
    EXPECT_TRUE(IsPoison(address));
    OnNewThread([] {
        void* pinned = nullptr;
        ACL_OK(aclrtMallocHostWithCfg(&pinned, 1000, nullptr));
        std::memset(pinned, 1, 1000);
        ACL_OK(aclrtFreeHost(pinned));
    });
}

class FreeWithDevSync : public WithDevice {};

// From a thread without a device: the memory determines the device.
TEST_F(FreeWithDevSync, WaitsForTheDevice) {
    for (const bool host : {false, true}) {
        SCOPED_TRACE(host);
        Stream stream;
        DeviceMemory other(64);
        void* address = host ? PinnedMemory(64).Release() : DeviceMemory(64).Release();
        std::atomic<bool> done{false};
        std::atomic<pid_t> id{0};
        Gate gate;
        ACL_OK(gate.Hold(stream));
        ACL_OK(aclrtMemsetAsync(other.At(), 64, 5, 64, stream));
        std::thread freeing([&] {
            id = gettid();
            ACL_EXPECT_OK(host ? aclrtFreeHostWithDevSync(address) : aclrtFreeWithDevSync(address));
            done = true;
        });
        EXPECT_TRUE(gate.AwaitArrival());
        AwaitBlocked(id, [&] { return done.load(); });
        EXPECT_FALSE(done);
        // The memory stays allocated until the wait is over.
        ACL_EXPECT_OK(aclrtMemset(address, 64, 1, 64));
        gate.Open();
        freeing.join();
        EXPECT_TRUE(IsIdle(stream));
        EXPECT_EQ(other.Download(), std::vector<unsigned char>(64, 5));
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(address, 64, 1, 64));
    }
}

TEST_F(FreeWithDevSync, RefusesInvalidAddressesWithoutWaiting) {
    Stream stream;
    DeviceMemory device(1000);
    PinnedMemory pinned(1000, 0);
    std::vector<char> pageable(1000);
    void* gone = DeviceMemory(100).Release();
    void* gone_host = PinnedMemory(100).Release();
    ACL_OK(aclrtFreeWithDevSync(gone));
    ACL_OK(aclrtFreeHostWithDevSync(gone_host));
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtFreeWithDevSync(nullptr), "devPtr", "null");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeWithDevSync(device.At(8)), "8 bytes into");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeWithDevSync(pinned.At()), "aclrtFreeHost");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeWithDevSync(pageable.data()), "not a live allocation");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeWithDevSync(gone), "was freed");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtFreeHostWithDevSync(nullptr), "hostPtr", "null");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHostWithDevSync(pinned.At(8)), "8 bytes into");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHostWithDevSync(device.At()), "aclrtFree");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHostWithDevSync(gone_host), "was freed");
    EXPECT_FALSE(IsIdle(stream));
}

TEST_F(FreeWithDevSync, AfterFinalize) {
    void* device = DeviceMemory(64).Release();
    void* pinned = PinnedMemory(64).Release();
    ACL_OK(aclFinalize());
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeWithDevSync(device));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHostWithDevSync(pinned));
    ACL_OK(aclInit(nullptr));
}

class CacheCoherence : public WithDevice {};

TEST_F(CacheCoherence, FlushAndInvalidateLeaveTheDataAlone) {
    void* cached = nullptr;
    ACL_OK(aclrtMallocCached(&cached, 1000, ACL_MEM_MALLOC_HUGE_FIRST));
    const auto bytes = Pattern(1000);
    ACL_OK(aclrtMemcpy(cached, 1000, bytes.data(), 1000, ACL_MEMCPY_HOST_TO_DEVICE));
    ACL_OK(aclrtMemFlush(cached, 1000));
    ACL_OK(aclrtMemInvalidate(cached, 1000));
    // Needs no device in this thread.
    OnNewThread([=] {
        ACL_OK(aclrtMemFlush(static_cast<char*>(cached) + 999, 1));
        ACL_OK(aclrtMemInvalidate(static_cast<char*>(cached) + 999, 1));
    });
    std::vector<unsigned char> seen(1000);
    ACL_OK(aclrtMemcpy(seen.data(), 1000, cached, 1000, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT_EQ(seen, bytes);
    ACL_OK(aclrtFree(cached));
}

TEST_F(CacheCoherence, BadArguments) {
    DeviceMemory device(1000);
    PinnedMemory pinned(1000, 0);
    std::vector<char> pageable(1000);
    void* gone = DeviceMemory(64).Release();
    ACL_OK(aclrtFree(gone));
    const std::pair<const char*, aclError (*)(void*, size_t)> calls[] = {{"aclrtMemFlush", aclrtMemFlush},
                                                                         {"aclrtMemInvalidate", aclrtMemInvalidate}};
    for (const auto& [name, call] : calls) {
        EXPECT_TRUE(FailedSaying(name, call(nullptr, 1), ACL_ERROR_INVALID_PARAM, {"devPtr", "null"}));
        EXPECT_TRUE(FailedSaying(name, call(device.At(), 0), ACL_ERROR_INVALID_PARAM, {"size is 0"}));
        for (size_t size : {size_t{100000}, kMost - 1, kMost})
            EXPECT_TRUE(FailedSaying(name, call(device.At(8), size), ACL_ERROR_RT_PARAM_INVALID,
                                     {Shown(device.At(8)), std::to_string(size)}));
        for (void* host : {pinned.At(), static_cast<void*>(pageable.data())})
            EXPECT_TRUE(FailedSaying(name, call(host, 10), ACL_ERROR_RT_PARAM_INVALID, {Shown(host), "host memory"}));
        EXPECT_TRUE(Failed(name, call(gone, 64), ACL_ERROR_RT_PARAM_INVALID));
    }
}

}  // namespace
