// Registered host memory of the caller: how devices and copies use it, and until when.

#include <portacl/portacl.h>
#include <sys/mman.h>

#include <atomic>
#include <limits>
#include <memory>
#include <string>

#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

using Bytes = std::vector<unsigned char>;

constexpr size_t kPage = 4096;
constexpr uint32_t kPinned = ACL_HOST_REG_PINNED, kMapped = ACL_HOST_REG_MAPPED;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr aclError kAlready = ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
constexpr aclError kNot = ACL_ERROR_HOST_MEMORY_NOT_REGISTERED;

// Pages that the library has never seen.
class Pages {
  public:
    explicit Pages(size_t size, unsigned char value = 1) : size_(size) {
        void* start = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        EXPECT_NE(start, MAP_FAILED);
        bytes_ = static_cast<unsigned char*>(start);
        Fill(value);
    }
    ~Pages() { munmap(bytes_, size_); }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;

    unsigned char* At(size_t offset = 0) const { return bytes_ + offset; }
    void Fill(unsigned char value) { std::memset(bytes_, value, size_); }
    Bytes Copy() const { return {bytes_, bytes_ + size_}; }

  private:
    unsigned char* bytes_;
    size_t size_;
};

// Registers the memory for the lifetime of this object.
class Registered {
  public:
    Registered(void* address, size_t size, uint32_t flag) : address_(address) {
        ExpectOk("aclrtHostRegisterV2", aclrtHostRegisterV2(address, size, flag));
    }
    ~Registered() { ExpectOk("aclrtHostUnregister", aclrtHostUnregister(address_)); }
    Registered(const Registered&) = delete;
    Registered& operator=(const Registered&) = delete;

  private:
    void* address_;
};

int LocationOf(const void* address) {
    auto reported = Poison<aclrtPtrAttributes>();
    ExpectOk("aclrtPointerGetAttributes", aclrtPointerGetAttributes(address, &reported));
    return reported.location.type;
}

class HostRegister : public WithDevice {};

TEST_F(HostRegister, ReturnsAnAddressForKernels) {
    Pages pages(3 * kPage);
    auto device = Poison<void*>();
    ACL_OK(aclrtHostRegister(pages.At(), 2 * kPage + 100, ACL_HOST_REGISTER_MAPPED, &device));
    EXPECT_NE(device, nullptr);
    for (size_t offset : {size_t{0}, size_t{100}, 2 * kPage + 99}) {
        auto inside = Poison<void*>();
        ACL_OK(aclrtHostGetDevicePointer(pages.At(offset), &inside, 0));
        EXPECT_EQ(inside, static_cast<char*>(device) + offset);
        EXPECT_EQ(LocationOf(pages.At(offset)), ACL_MEM_LOCATION_TYPE_HOST);
    }
    EXPECT_EQ(LocationOf(pages.At(2 * kPage + 100)), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    auto none = Poison<void*>();
    ACL_FAILS(kNot, aclrtHostGetDevicePointer(pages.At(2 * kPage + 100), &none, 0));
    ACL_OK(aclrtHostUnregister(pages.At()));
    ACL_FAILS_SAYING(kNot, aclrtHostGetDevicePointer(pages.At(), &none, 0), "pHost", Shown(pages.At()));
    EXPECT_TRUE(IsPoison(none));
    EXPECT_EQ(LocationOf(pages.At()), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    EXPECT_EQ(pages.Copy(), Bytes(3 * kPage, 1));
}

TEST_F(HostRegister, PinnedMemoryHasAnAddressForKernels) {
    PinnedMemory pinned(1000);
    void* device = nullptr;
    ACL_OK(aclrtHostGetDevicePointer(pinned.At(10), &device, 0));
    EXPECT_EQ(device, pinned.At(10));
}

TEST_F(HostRegister, AddressQueriesFindIt) {
    Pages pages(2 * kPage);
    Registered registered(pages.At(), kPage + 5, kPinned | kMapped);
    void* base = nullptr;
    size_t size = 0;
    ACL_OK(aclrtMemGetAddressRange(pages.At(kPage + 4), &base, &size));
    EXPECT_EQ(base, pages.At());
    EXPECT_EQ(size, kPage + 5);
    ACL_FAILS(kDead, aclrtMemGetAddressRange(pages.At(kPage + 5), &base, &size));
    void* list[] = {pages.At()};
    auto is_device = Poison<uint32_t>();
    ACL_OK(aclrtCheckMemType(list, 1, ACL_RT_MEM_TYPE_DEV, &is_device, 0));
    EXPECT_EQ(is_device, 0u);
    auto reported = Poison<aclrtPtrAttributes>();
    ACL_OK(aclrtPointerGetAttributes(pages.At(3), &reported));
    EXPECT_EQ(reported.pageSize, kPage);
}

// The source is read, and the destination written, when the copy runs and not when it is submitted.
TEST_F(HostRegister, CopiesOfPinnedMemoryAreAsynchronous) {
    for (size_t size : {size_t{100}, size_t{60000}, size_t{3 << 20}}) {
        for (uint32_t flag : {kPinned, kPinned | kMapped}) {
            SCOPED_TRACE(testing::Message() << size << " bytes, flag " << flag);
            Stream stream;
            Pages from(size, 1), to(size, 7);
            Registered first(from.At(), size, flag), second(to.At(), size, flag);
            DeviceMemory device(size);
            Gate gate;
            ACL_OK(gate.Hold(stream));
            ACL_OK(aclrtMemcpyAsync(device.At(), size, from.At(), size, ACL_MEMCPY_HOST_TO_DEVICE, stream));
            ACL_OK(aclrtMemcpyAsync(to.At(), size, device.At(), size, ACL_MEMCPY_DEVICE_TO_HOST, stream));
            from.Fill(2);
            EXPECT_FALSE(IsIdle(stream));
            EXPECT_EQ(to.At()[size - 1], 7);
            gate.Open();
            ACL_OK(aclrtSynchronizeStream(stream));
            EXPECT_TRUE(device.Download() == Bytes(size, 2));
            EXPECT_TRUE(to.Copy() == Bytes(size, 2));
        }
    }
}

// Without ACL_HOST_REG_PINNED the memory counts as pageable: the call reads the source, or waits
// until the destination is written.
TEST_F(HostRegister, CopiesOfMemoryThatIsOnlyMappedAreNot) {
    for (size_t size : {size_t{100}, size_t{3 << 20}}) {
        Stream stream;
        Pages from(size, 1), to(size, 7);
        Registered first(from.At(), size, kMapped), second(to.At(), size, kMapped);
        DeviceMemory device(size);
        Gate gate;
        ACL_OK(gate.Hold(stream));
        Opener opener(gate);
        ACL_OK(aclrtMemcpyAsync(device.At(), size, from.At(), size, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        from.Fill(2);
        ACL_OK(aclrtMemcpyAsync(to.At(), size, device.At(), size, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        EXPECT_TRUE(to.Copy() == Bytes(size, 1));
    }
}

TEST_F(HostRegister, SynchronousCopiesAndFillsWork) {
    Pages pages(2 * kPage);
    const Bytes wanted = Pattern(2 * kPage);
    DeviceMemory device(wanted);
    Registered registered(pages.At(), 2 * kPage, kPinned);
    ACL_OK(aclrtMemcpy(pages.At(), 2 * kPage, device.At(), 2 * kPage, ACL_MEMCPY_DEFAULT));
    EXPECT_TRUE(pages.Copy() == wanted);
    ACL_OK(aclrtMemset(pages.At(), 2 * kPage, 9, 100));
    EXPECT_EQ(pages.At()[99], 9);
    EXPECT_EQ(pages.At()[100], wanted[100]);
    Stream stream;
    ACL_OK(aclrtMemsetAsync(pages.At(kPage), kPage, 8, kPage, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(pages.At()[2 * kPage - 1], 8);
}

TEST_F(HostRegister, FillsOfMemoryThatIsOnlyMappedAreRefused) {
    Pages pages(kPage);
    Registered registered(pages.At(), kPage, kMapped);
    ACL_FAILS_SAYING(kDead, aclrtMemset(pages.At(), kPage, 9, 100), "devPtr", Shown(pages.At()));
    EXPECT_EQ(pages.Copy(), Bytes(kPage, 1));
}

TEST_F(HostRegister, NothingRunsPastTheEnd) {
    Pages pages(2 * kPage);
    DeviceMemory device(2 * kPage);
    for (uint32_t flag : {kPinned, kMapped}) {
        Registered registered(pages.At(), kPage, flag);
        ACL_FAILS_SAYING(kDead, aclrtMemcpy(device.At(), kPage, pages.At(10), kPage, ACL_MEMCPY_HOST_TO_DEVICE), "src",
                         Shown(pages.At(10)), "registration", Shown(pages.At()), "4086");
        ACL_FAILS_SAYING(kDead,
                         aclrtMemcpyAsync(pages.At(10), kPage, device.At(), kPage, ACL_MEMCPY_DEVICE_TO_HOST, nullptr),
                         "dst", "registration", "4086");
    }
    EXPECT_EQ(pages.Copy(), Bytes(2 * kPage, 1));
}

// Unregistering returns at once, like freeing, and does not disturb pending work.
TEST_F(HostRegister, QueuedWorkKeepsTheRegistration) {
    constexpr size_t kSize = 100000;
    Stream stream;
    Pages pages(kSize, 1);
    DeviceMemory device(kSize);
    ACL_OK(aclrtHostRegisterV2(pages.At(), kSize, kPinned));
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtMemcpyAsync(device.At(), kSize, pages.At(), kSize, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    ACL_OK(aclrtHostUnregister(pages.At()));
    EXPECT_FALSE(IsIdle(stream));
    EXPECT_EQ(LocationOf(pages.At()), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    ACL_FAILS(kNot, aclrtHostUnregister(pages.At()));
    // A GPU's driver keeps it registered until then.
    const bool again_at_once = std::string(portaclBackendName()) == "cpu";
    if (again_at_once) {
        ACL_OK(aclrtHostRegisterV2(pages.At(), kSize, kPinned));
    } else {
        ACL_FAILS_SAYING(kAlready, aclrtHostRegisterV2(pages.At(), kSize, kPinned), "synchronise", Shown(pages.At()));
    }
    pages.Fill(3);
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(device.Download() == Bytes(kSize, 3));
    if (!again_at_once) {
        ACL_OK(aclrtHostRegisterV2(pages.At(), kSize, kPinned));
    }
    ACL_OK(aclrtHostUnregister(pages.At()));
}

TEST_F(HostRegister, TwiceIsAnError) {
    Pages pages(4 * kPage);
    auto device = Poison<void*>();
    {
        Registered registered(pages.At(kPage), 2 * kPage, kPinned);
        for (size_t offset : {size_t{0}, kPage, 2 * kPage}) {
            ACL_FAILS_SAYING(kAlready, aclrtHostRegisterV2(pages.At(offset), 2 * kPage, kMapped),
                             Shown(pages.At(offset)), Shown(pages.At(kPage)), "aclrtHostUnregister");
            ACL_FAILS(kAlready, aclrtHostRegister(pages.At(offset), 2 * kPage, ACL_HOST_REGISTER_MAPPED, &device));
        }
        EXPECT_TRUE(IsPoison(device));
        // Adjacent ranges do not overlap.
        Registered before(pages.At(), kPage, kPinned), after(pages.At(3 * kPage), 1, kMapped);
        EXPECT_EQ(LocationOf(pages.At(3 * kPage)), ACL_MEM_LOCATION_TYPE_HOST);
    }
    Registered all(pages.At(), 4 * kPage, kPinned);
}

TEST_F(HostRegister, UnregisterTakesTheAddressThatWasRegistered) {
    Pages pages(2 * kPage);
    PinnedMemory pinned(100);
    DeviceMemory device(100);
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtHostUnregister(nullptr), "ptr", "null");
    ACL_FAILS_SAYING(kNot, aclrtHostUnregister(pages.At()), "ptr", Shown(pages.At()));
    ACL_OK(aclrtHostRegisterV2(pages.At(), 2 * kPage, kPinned));
    ACL_FAILS_SAYING(kDead, aclrtHostUnregister(pages.At(kPage)), "4096 bytes into", Shown(pages.At()));
    ACL_FAILS_SAYING(kDead, aclrtHostUnregister(pinned.At()), "aclrtFreeHost", Shown(pinned.At()));
    ACL_FAILS_SAYING(kDead, aclrtHostUnregister(device.At()), "aclrtFree", Shown(device.At()));
    // Freeing it is an error.
    ACL_FAILS_SAYING(kDead, aclrtFreeHost(pages.At()), "aclrtHostUnregister", Shown(pages.At()));
    ACL_FAILS_SAYING(kDead, aclrtFree(pages.At()), "aclrtHostUnregister", Shown(pages.At()));
    ACL_FAILS(kDead, aclrtFreeHostWithDevSync(pages.At()));
    EXPECT_EQ(LocationOf(pages.At()), ACL_MEM_LOCATION_TYPE_HOST);
    ACL_OK(aclrtHostUnregister(pages.At()));
    ACL_FAILS_SAYING(kNot, aclrtHostUnregister(pages.At()), "no longer");
}

TEST_F(HostRegister, MemoryOfThisLibraryIsRefused) {
    PinnedMemory pinned(3 * kPage);
    DeviceMemory device(3 * kPage);
    for (void* own : {pinned.At(), device.At()})
        ACL_FAILS_SAYING(kDead, aclrtHostRegisterV2(own, kPage, kPinned), "ptr", Shown(own), "this library");
    auto none = Poison<void*>();
    ACL_FAILS_SAYING(kDead, aclrtHostGetDevicePointer(device.At(), &none, 0), "pHost", Shown(device.At()),
                     "device memory");
    EXPECT_TRUE(IsPoison(none));
}

// The registration would be at addresses that the next allocation gets.
TEST_F(HostRegister, MemoryThatTheLibraryHasFreedIsRefused) {
    const auto refused = [](void* freed) {
        auto address = Poison<void*>();
        ACL_FAILS_SAYING(kDead, aclrtHostRegisterV2(freed, kPage, kPinned | kMapped), "was freed");
        ACL_FAILS_SAYING(kDead, aclrtHostRegister(freed, kPage, ACL_HOST_REGISTER_MAPPED, &address), "was freed");
        EXPECT_TRUE(IsPoison(address));
    };
    constexpr size_t kSmall = 64 << 10, kLarge = 4 << 20;
    for (const size_t size : {kSmall, kLarge}) {
        void* freed = DeviceMemory(size).At();
        refused(freed);
        DeviceMemory again(size);
    }
    if (std::string(portaclBackendName()) != "cpu") return;
    // Drivers may leave freed pinned memory mapped for the host.
    void* freed = PinnedMemory(kLarge).At();
    refused(freed);
    PinnedMemory again(kLarge);
}

TEST_F(HostRegister, BadArguments) {
    Pages pages(kPage);
    auto device = Poison<void*>();
    const size_t most = std::numeric_limits<size_t>::max();
    const struct {
        aclError code;
        void* ptr;
        uint64_t size;
        int type;
        uint32_t flag;
        std::initializer_list<std::string> words;
    } cases[] = {
        {ACL_ERROR_INVALID_PARAM, nullptr, kPage, 0, kPinned, {"ptr", "null"}},
        {ACL_ERROR_INVALID_PARAM, pages.At(), 0, 0, kPinned, {"size is 0"}},
        {ACL_ERROR_INVALID_PARAM, pages.At(), most, 0, kPinned, {std::to_string(most), "end"}},
        {ACL_ERROR_INVALID_PARAM, pages.At(), most / 2, 0, kMapped, {"end of the address space"}},
        {ACL_ERROR_RT_ADDR_UNALIGNED, pages.At(8), 8, 0, kMapped, {Shown(pages.At(8)), "4096"}},
        {ACL_ERROR_INVALID_PARAM, pages.At(), 8, 1, 0, {"is ", "0x2"}},
        {ACL_ERROR_INVALID_PARAM, pages.At(), 8, -1, 1, {"is ", "0x2"}},
        {ACL_ERROR_INVALID_PARAM, pages.At(), 8, std::numeric_limits<int>::min(), 0x20, {"is "}},
        {ACL_ERROR_INVALID_PARAM, pages.At(), 8, 2, ~0u, {"0xffffffff"}},
        {ACL_ERROR_RT_FEATURE_NOT_SUPPORT, pages.At(), 8, 4, 4, {"is "}},
        {ACL_ERROR_RT_FEATURE_NOT_SUPPORT, pages.At(), 8, 8, kPinned | 8, {"is "}},
    };
    for (const auto& one : cases) {
        SCOPED_TRACE(testing::Message() << one.ptr << ' ' << one.size << ' ' << one.type);
        EXPECT_TRUE(
            FailedSaying("aclrtHostRegisterV2", aclrtHostRegisterV2(one.ptr, one.size, one.flag), one.code, one.words));
        EXPECT_TRUE(Failed("aclrtHostRegister",
                           aclrtHostRegister(one.ptr, one.size, static_cast<aclrtHostRegisterType>(one.type), &device),
                           one.code));
    }
    EXPECT_TRUE(IsPoison(device));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtHostRegister(pages.At(), kPage, ACL_HOST_REGISTER_MAPPED, nullptr),
                     "devPtr", "null");
    EXPECT_EQ(LocationOf(pages.At()), ACL_MEM_LOCATION_TYPE_UNREGISTERED);

    Registered registered(pages.At(), kPage, kPinned);
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtHostGetDevicePointer(nullptr, &device, 0), "pHost", "null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtHostGetDevicePointer(pages.At(), nullptr, 0), "pDevice", "null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtHostGetDevicePointer(pages.At(), &device, 3), "flag is 0x3");
    ACL_FAILS_SAYING(kDead, aclrtHostGetDevicePointer(pages.At(), &device, 0), "ACL_HOST_REG_MAPPED");
    EXPECT_TRUE(IsPoison(device));
}

// Only the kernel knows that this memory is not mapped.
TEST_F(HostRegister, UnmappedMemoryIsRefused) {
    Pages pages(3 * kPage);
    ASSERT_EQ(munmap(pages.At(kPage), kPage), 0);
    ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtHostRegisterV2(pages.At(), 3 * kPage, kPinned),
                     Shown(pages.At()));
    EXPECT_EQ(LocationOf(pages.At()), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    Registered before(pages.At(), kPage, kPinned), after(pages.At(2 * kPage), kPage, kPinned);
}

TEST_F(HostRegister, NeedsNoDeviceInThisThread) {
    Pages pages(kPage);
    OnNewThread([&] {
        void* device = nullptr;
        ACL_OK(aclrtHostRegister(pages.At(), kPage, ACL_HOST_REGISTER_MAPPED, &device));
    });
    OnNewThread([&] { ACL_OK(aclrtHostUnregister(pages.At())); });
}

TEST_F(HostRegister, OneOfManyThreadsRegistersIt) {
    constexpr int kThreads = 8, kRounds = 50;
    Pages pages(kThreads * kPage);
    std::atomic<int> wins{0};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread)
        threads.emplace_back([&, thread] {
            for (int round = 0; round < kRounds; ++round) {
                // Each thread registers its own page, and all of them the last one.
                if (thread < kThreads - 1) {
                    void* own = pages.At(size_t(thread) * kPage);
                    ACL_EXPECT_OK(aclrtHostRegisterV2(own, kPage, kPinned));
                    ACL_EXPECT_OK(aclrtHostUnregister(own));
                }
                void* shared = pages.At((kThreads - 1) * kPage);
                const aclError code = aclrtHostRegisterV2(shared, kPage, kPinned);
                if (code == 0) {
                    EXPECT_EQ(++wins, 1);
                    --wins;
                    ACL_EXPECT_OK(aclrtHostUnregister(shared));
                } else {
                    EXPECT_EQ(code, kAlready);
                }
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(LocationOf(pages.At()), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
}

TEST_F(HostRegister, OutlivesTheDeviceAndEndsWithTheSession) {
    Pages pages(kPage);
    ACL_OK(aclrtHostRegisterV2(pages.At(), kPage, kPinned | kMapped));
    ACL_OK(aclrtResetDeviceForce(0));
    EXPECT_EQ(LocationOf(pages.At()), ACL_MEM_LOCATION_TYPE_HOST);
    ACL_OK(aclrtSetDevice(0));
    DeviceMemory device(kPage);
    ACL_OK(aclrtMemcpyAsync(device.At(), kPage, pages.At(), kPage, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(device.Download(), pages.Copy());
    device.Release();
    ACL_OK(aclFinalize());
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtHostRegisterV2(pages.At(), kPage, kPinned));
    auto none = Poison<void*>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtHostRegister(pages.At(), kPage, ACL_HOST_REGISTER_MAPPED, &none));
    ACL_FAILS(kNot, aclrtHostUnregister(pages.At()));
    ACL_FAILS(kNot, aclrtHostGetDevicePointer(pages.At(), &none, 0));
    EXPECT_TRUE(IsPoison(none));
    ACL_OK(aclInit(nullptr));
    Registered again(pages.At(), kPage, kPinned);
}

TEST_F(HostRegister, RefusedInsideAHostFunction) {
    struct State {
        void* page;
        std::atomic<aclError> codes[3];
    };
    Pages pages(kPage);
    auto* state = MakeImmortal<State>();
    state->page = pages.At();
    ACL_OK(aclrtLaunchHostFunc(
        nullptr,
        [](void* argument) {
            auto* state = static_cast<State*>(argument);
            void* device = nullptr;
            state->codes[0] = aclrtHostRegisterV2(state->page, kPage, kPinned);
            state->codes[1] = aclrtHostUnregister(state->page);
            state->codes[2] = aclrtHostGetDevicePointer(state->page, &device, 0);
        },
        state));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    for (const auto& code : state->codes) EXPECT_EQ(code, kDead);
}

}  // namespace
