// The capacity of devices without a configured limit: each has nearly all the memory that the
// machine gives this process, and together they have no more.
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "support/memory/machine_memory.h"
#include "support/objects.h"
#include "support/own_process.h"
#include "support/pool/mem_pool.h"
#include "support/process/soft_limit.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr size_t kMiB = size_t{1} << 20;
constexpr size_t kGiB = size_t{1} << 30;
// All sizes are rounded to a page of this size.
constexpr size_t kPage = 2 * kMiB;

struct MemorySizes {
    size_t free = 0, total = 0;
};

// Total memory of a device, which becomes the current one.
MemorySizes Info(int32_t device) {
    MemorySizes memory;
    ExpectOk("aclrtSetDevice", aclrtSetDevice(device));
    ExpectOk("aclrtGetMemInfo", aclrtGetMemInfo(ACL_HBM_MEM, &memory.free, &memory.total));
    return memory;
}

// Free memory of a device, which becomes the current one.
void* Take(int32_t device, size_t size) {
    void* address = nullptr;
    ExpectOk("aclrtSetDevice", aclrtSetDevice(device));
    // Without the 32 bytes that aclrtMalloc adds.
    ExpectOk("aclrtMallocAlign32", aclrtMallocAlign32(&address, size, ACL_MEM_MALLOC_NORMAL_ONLY));
    return address;
}

// How much of `bytes` can be allocated.
size_t Rounded(size_t bytes) {
    return bytes / kPage * kPage;
}

int32_t Devices() {
    return static_cast<int32_t>(DeviceCount());
}

bool IsGuarded() {
    const char* guard = std::getenv("PORTACL_CPU_GUARD");
    return guard != nullptr && std::string(guard) == "1";
}

// ---- memory of the machine ----

void ExpectNearlyTheMachine() {
    ACL_OK(aclInit(nullptr));
    const size_t machine = MachineMemory();
    for (int32_t device = 0; device < Devices(); ++device) {
        const MemorySizes memory = Info(device);
        EXPECT_LE(memory.total, machine) << "device " << device;
        EXPECT_GE(memory.total, machine / 10 * 9) << "device " << device;
        EXPECT_EQ(memory.free, memory.total) << "device " << device;
    }
    ACL_OK(aclFinalize());
}

// One device allocates most of it while the others have nothing; the rest is available to all.
void ExpectTogetherNoMore() {
    ACL_OK(aclInit(nullptr));
    const int32_t last = Devices() - 1;
    const size_t total = Info(last).total;
    for (int32_t device = 0; device < last; ++device) Info(device);

    const size_t most = Rounded(total / 10 * 7);
    void* first = Take(0, most);
    for (int32_t device = 0; device <= last; ++device) {
        const MemorySizes memory = Info(device);
        EXPECT_EQ(memory.total, total) << "device " << device;
        EXPECT_EQ(memory.free, total - most) << "device " << device;
    }
    auto refused = Poison<void*>();
    ACL_OK(aclrtSetDevice(last));
    const size_t too_much = total - most + kPage;
    ACL_FAILS_SAYING(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&refused, too_much, ACL_MEM_MALLOC_NORMAL_ONLY),
                     "device " + std::to_string(last), std::to_string(total - most) + " of");
    EXPECT_TRUE(IsPoison(refused));

    void* rest = Take(last, total - most);
    for (int32_t device = 0; device <= last; ++device) EXPECT_EQ(Info(device).free, 0u);
    ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&refused, 1, ACL_MEM_MALLOC_NORMAL_ONLY));
    ACL_OK(aclrtFree(first));
    EXPECT_EQ(Info(last).free, most);
    ACL_OK(aclrtFree(rest));

    // A reset makes the device's memory available to the others.
    Take(0, most);
    ACL_OK(aclrtResetDeviceForce(0));
    EXPECT_EQ(Info(last).free, total);
    ACL_OK(aclrtFree(Take(last, total)));
    ACL_OK(aclFinalize());
}

// One test for one device, for the default number, and for many.
#define WITH_DEVICES(count, name, body)                           \
    TEST(MemoryCapacity, name##Of##count) {                       \
        RunInOwnProcess(body, {{"PORTACL_CPU_DEVICES", #count}}); \
    }
#define WITH_1_4_8_DEVICES(name, body) \
    WITH_DEVICES(1, name, body) WITH_DEVICES(4, name, body) WITH_DEVICES(8, name, body)

WITH_1_4_8_DEVICES(NearlyTheMachineIsForEach, ExpectNearlyTheMachine)
WITH_1_4_8_DEVICES(NoMoreThanTheMachineIsForAll, ExpectTogetherNoMore)

// As a program that is written for one device with its own memory.
OWN_PROCESS_TEST(MemoryCapacity, TwoLargeBuffersFitIntoOneDevice, {"PORTACL_CPU_DEVICES", "4"}) {
    ACL_OK(aclInit(nullptr));
    const size_t size = Rounded(std::min(MachineMemory() / 5 * 2, uint64_t{4} * kGiB));
    void* one = Take(3, size);
    void* other = Take(3, size);
    ACL_OK(aclrtMemset(static_cast<char*>(one) + size - 64, 64, 1, 64));
    ACL_OK(aclrtMemset(other, size, 2, 64));
    ACL_OK(aclrtFree(one));
    ACL_OK(aclrtFree(other));
    ACL_OK(aclFinalize());
}

// Memory freed on one device is available to another, even if it was cached.
OWN_PROCESS_TEST(MemoryCapacity, CachedMemoryOfADeviceIsAvailableToOthers, {"PORTACL_CPU_DEVICES", "2"}) {
    ACL_OK(aclInit(nullptr));
    const size_t total = Info(1).total;
    std::vector<void*> pieces;
    for (int i = 0; i < 64; ++i) pieces.push_back(Take(0, kMiB / 4));
    for (void* piece : pieces) ACL_OK(aclrtFree(piece));
    EXPECT_EQ(Info(1).free, total) << "freed memory that is kept for its next use counts as free";
    ACL_OK(aclrtFree(Take(1, total)));
    ACL_OK(aclrtSetDevice(0));
    {
        const Stream stream;
        const MemPool pool;
        pool.SetThreshold(UINT64_MAX);
        Free(pool.Allocate(64 * kMiB, stream), stream);
        Synchronize(stream);
        EXPECT_GE(Reserved(pool), 64 * kMiB);
        // More than is free beside a pool, until the pool is trimmed.
        ACL_OK(aclrtFree(Take(1, total)));
        EXPECT_EQ(Reserved(pool), 0u);
        ACL_OK(aclrtSetDevice(0));
    }
    ACL_OK(aclFinalize());
}

// ---- a limit per device ----

OWN_PROCESS_TEST(MemoryCapacity, TheVariableLimitsEachDevice, {"PORTACL_CPU_DEVICES", "4"},
                 {"PORTACL_CPU_MEMORY", "1T"}) {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "AddressSanitizer has a byte for each 8, of 4 TiB";
#endif
    ACL_OK(aclInit(nullptr));
    const size_t total = size_t{1} << 40;
    for (int32_t device = 0; device < 4; ++device) {
        const MemorySizes memory = Info(device);
        EXPECT_EQ(memory.total, total);
        EXPECT_EQ(memory.free, total);
        Take(device, total);
        EXPECT_EQ(Info(device).free, 0u);
    }
    ACL_OK(aclFinalize());
}

// ---- limits of addresses ----

constexpr size_t kAddresses = 8 * kGiB;

// Half of the address space is for the devices; each reserves its share when it is opened.
void ExpectHalfTheAddresses() {
    ACL_OK(aclInit(nullptr));
    const auto devices = static_cast<size_t>(Devices());
    const size_t share = Rounded(kAddresses / 2 / devices);
    const size_t machine = MachineMemory();
    for (int32_t device = 0; device < Devices(); ++device) {
        const MemorySizes memory = Info(device);
        if (share < machine / 10 * 9) {
            EXPECT_EQ(memory.total, share);
        }
        ACL_OK(aclrtFree(Take(device, memory.free)));
    }
    // The program still has some address space.
    EXPECT_TRUE(std::vector<char>(64 * kMiB).back() == 0);
    ACL_OK(aclFinalize());
}

void RunWithFewAddresses(const Settings& settings) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers want more addresses than that";
#endif
    if (IsGuarded()) GTEST_SKIP() << "guard mode takes more addresses";
    const SoftLimit addresses(RLIMIT_AS, kAddresses);
    RunInOwnProcess(ExpectHalfTheAddresses, settings);
}

#define WITH_FEW_ADDRESSES(count)                                      \
    TEST(MemoryCapacity, HalfOfTheAddressesIsForTheProgramOf##count) { \
        RunWithFewAddresses({{"PORTACL_CPU_DEVICES", #count}});        \
    }
WITH_FEW_ADDRESSES(1)
WITH_FEW_ADDRESSES(4)
WITH_FEW_ADDRESSES(8)

// Invisible devices reserve none.
TEST(MemoryCapacity, AddressesAreForVisibleDevices) {
    RunWithFewAddresses({{"PORTACL_CPU_DEVICES", "8"}, {"ASCEND_RT_VISIBLE_DEVICES", "5,2"}});
}

}  // namespace

namespace {

// The bytes of a device's memory that have access rights, in both views of guard mode, and those that have none.
struct Mapped {
    size_t open = 0, closed = 0;
};

Mapped DeviceMappings() {
    Mapped mapped;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        if (line.find("portacl-device") == std::string::npos) continue;
        char* next = nullptr;
        const size_t first = std::strtoull(line.c_str(), &next, 16), end = std::strtoull(next + 1, &next, 16);
        (std::string(next, 5) == " ---s" ? mapped.closed : mapped.open) += end - first;
    }
    return mapped;
}

// Tools that read all memory of a process, such as the leak check of Valgrind, skip the rest.
OWN_PROCESS_TEST(MemoryCapacity, OnlyWhatWasAllocatedHasAccessRights, {"PORTACL_CPU_MEMORY", "4G"}) {
    constexpr size_t kMostAhead = 64 * kMiB + 2 * kPage;
    EXPECT_EQ(Info(0).total, 4 * kGiB);
    EXPECT_EQ(DeviceMappings().open, 0u);
    std::vector<void*> blocks;
    size_t taken = 0;
    for (const size_t size : {size_t{1}, kPage - 32, kPage, 300 * kMiB, 100 * kMiB, kMiB}) {
        blocks.push_back(Take(0, size));
        taken += (size + kPage - 1) / kPage * kPage;
        // The last bytes can be used.
        char* const end = static_cast<char*>(blocks.back()) + size;
        ACL_OK(aclrtMemset(end - 1, 1, 0x11, 1));
        const Mapped mapped = DeviceMappings();
        EXPECT_LE(mapped.open, taken + kMostAhead);
        EXPECT_GE(mapped.closed, 4 * kGiB - taken - kMostAhead);
    }
    const size_t open = DeviceMappings().open;
    for (void* block : blocks) ACL_OK(aclrtFree(block));
    // Freed memory is allocated again without a change.
    ACL_OK(aclrtFree(Take(0, 200 * kMiB)));
    EXPECT_LE(DeviceMappings().open, open);
    ACL_OK(aclrtResetDevice(0));
}

// A program may read 32 bytes after each allocation, also where access rights end.
OWN_PROCESS_TEST(MemoryCapacity, BytesAfterAnAllocationCanBeRead, {"PORTACL_CPU_MEMORY", "1G"}, {"PORTACL_CHECK", ""}) {
    EXPECT_EQ(Info(0).total, kGiB);
    if (const char* guard = std::getenv("PORTACL_CPU_GUARD"); guard && guard[0] == '1') {
        GTEST_SKIP() << "guard mode detects the read";
    }
    for (size_t size = kPage; size <= 256 * kMiB; size += size) {
        const auto* bytes = static_cast<const volatile char*>(Take(0, size));
        for (size_t i = 0; i < 32; ++i) EXPECT_EQ(bytes[size + i], 0);
    }
    ACL_OK(aclrtResetDevice(0));
}

}  // namespace
