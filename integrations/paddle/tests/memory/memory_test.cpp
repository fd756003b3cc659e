#include <cstdint>
#include <cstdlib>

#include "plugin_under_test.h"

using namespace paddle_test;

namespace {

class MemoryCallbacks : public WithDevice {};
class MemoryOfTwo : public WithTwoDevices {};

// Devices of the cpu backend share the machine's memory unless each has its own limit.
[[maybe_unused]] const int kLimitIsSet = setenv("PORTACL_CPU_MEMORY", "4G", 0);

std::size_t Free(C_Device device) {
    std::size_t total = 0;
    std::size_t free = 0;
    EXPECT_EQ(Plugin().device_memory_stats(device, &total, &free), C_SUCCESS);
    EXPECT_LE(free, total);
    EXPECT_GT(total, 0u);
    return free;
}

TEST_F(MemoryCallbacks, StatisticsFollowAllocations) {
    constexpr std::size_t kSize = 16 << 20;
    const std::size_t before = Free(device());
    void* pointer = nullptr;
    ASSERT_EQ(Plugin().device_memory_allocate(device(), &pointer, kSize), C_SUCCESS);
    ASSERT_NE(pointer, nullptr);
    EXPECT_LE(Free(device()) + kSize, before);
    EXPECT_EQ(Plugin().device_memory_deallocate(device(), pointer, kSize), C_SUCCESS);
    EXPECT_EQ(Free(device()), before);
}

TEST_F(MemoryOfTwo, AnAllocationIsOnTheDeviceThatIsNamedAndNotOnTheOneThatIsSet) {
    constexpr std::size_t kSize = 16 << 20;
    ASSERT_EQ(Plugin().set_device(device()), C_SUCCESS);
    const std::size_t here = Free(device());
    const std::size_t there = Free(other());
    void* pointer = nullptr;
    ASSERT_EQ(Plugin().device_memory_allocate(other(), &pointer, kSize), C_SUCCESS);
    EXPECT_EQ(Free(device()), here);
    EXPECT_LE(Free(other()) + kSize, there);
    EXPECT_EQ(Plugin().device_memory_deallocate(device(), pointer, kSize), C_SUCCESS) << "whatever device is set";
    EXPECT_EQ(Free(other()), there);
}

// For Paddle a null pointer means out of memory: it releases its caches and tries again. It throws
// a failure status at once.
TEST_F(MemoryCallbacks, OutOfMemoryIsANullPointerAndALineWithTheLibrarysWords) {
    for (const std::size_t size : {SIZE_MAX / 2, SIZE_MAX}) {
        void* pointer = &pointer;
        ErrorOutput output;
        EXPECT_EQ(Plugin().device_memory_allocate(device(), &pointer, size), C_SUCCESS);
        EXPECT_EQ(pointer, nullptr);
        const std::string words = output.Take();
        EXPECT_EQ(words.find("portacl for Paddle: device_memory_allocate: "), 0u) << words;
        EXPECT_NE(words.find(std::to_string(size)), std::string::npos) << words;
        EXPECT_NE(words.find("207001"), std::string::npos) << words;
        ErrorOutput again;
        EXPECT_EQ(Plugin().device_memory_allocate(device(), &pointer, size), C_SUCCESS);
        EXPECT_EQ(pointer, nullptr);
        EXPECT_EQ(again.Take(), "") << "one line for all tries";
    }
    // A successful request ends the retries.
    void* pointer = nullptr;
    EXPECT_EQ(Plugin().device_memory_allocate(device(), &pointer, 64), C_SUCCESS);
    EXPECT_EQ(Plugin().device_memory_deallocate(device(), pointer, 64), C_SUCCESS);
    ErrorOutput output;
    EXPECT_EQ(Plugin().device_memory_allocate(device(), &pointer, SIZE_MAX), C_SUCCESS);
    EXPECT_NE(output.Take(), "");
}

TEST_F(MemoryCallbacks, TensorsCostTheDeviceWhatTheyHave) {
    constexpr std::size_t kMiB = std::size_t{1} << 20;
    // The driver chooses its rounding.
    const char* backend = std::getenv("PORTACL_BACKEND");
    const bool driver = backend != nullptr && std::string(backend) == "cuda";
    const std::size_t page = driver ? 2 * kMiB : 4096;
    for (const std::size_t size : {kMiB, kMiB + 256, 4 * kMiB, 4 * kMiB + 256, 16 * kMiB}) {
        const std::size_t before = Free(device());
        std::vector<void*> pointers(4);
        for (void*& pointer : pointers) {
            ASSERT_EQ(Plugin().device_memory_allocate(device(), &pointer, size), C_SUCCESS);
        }
        EXPECT_LE(before - Free(device()), pointers.size() * (size + page)) << size;
        for (void* pointer : pointers) {
            EXPECT_EQ(Plugin().device_memory_deallocate(device(), pointer, size), C_SUCCESS);
        }
        EXPECT_EQ(Free(device()), before);
    }
}

struct MemoryFunctions {
    const char* name;
    decltype(Callbacks::device_memory_allocate) allocate;
    decltype(Callbacks::device_memory_deallocate) deallocate;
};

std::vector<MemoryFunctions> Kinds() {
    const Callbacks& plugin = Plugin();
    return {{"device", plugin.device_memory_allocate, plugin.device_memory_deallocate},
            {"host", plugin.host_memory_allocate, plugin.host_memory_deallocate},
            {"unified", plugin.unified_memory_allocate, plugin.unified_memory_deallocate}};
}

TEST_F(MemoryCallbacks, ArgumentsOfEveryKind) {
    for (const MemoryFunctions& kind : Kinds()) {
        SCOPED_TRACE(kind.name);
        void* pointer = &pointer;
        EXPECT_EQ(kind.allocate(device(), &pointer, 0), C_SUCCESS);
        EXPECT_EQ(pointer, nullptr) << "a request of 0 bytes returns no memory";
        EXPECT_EQ(kind.deallocate(device(), nullptr, 0), C_SUCCESS);
        C_Device_st wrong{DeviceCount()};
        ErrorOutput output;
        EXPECT_EQ(kind.allocate(nullptr, &pointer, 64), C_ERROR);
        EXPECT_EQ(kind.allocate(device(), nullptr, 64), C_ERROR);
        EXPECT_EQ(kind.deallocate(nullptr, nullptr, 0), C_ERROR);
        EXPECT_EQ(kind.allocate(&wrong, &pointer, 64), C_ERROR);
        int local = 0;
        EXPECT_EQ(kind.deallocate(device(), &local, sizeof local), C_ERROR) << "not ours";
        ASSERT_EQ(kind.allocate(device(), &pointer, 4096), C_SUCCESS);
        EXPECT_EQ(kind.deallocate(device(), static_cast<char*>(pointer) + 64, 4096), C_ERROR);
        EXPECT_EQ(kind.deallocate(device(), pointer, 4096), C_SUCCESS);
        EXPECT_EQ(kind.deallocate(device(), pointer, 4096), C_ERROR) << "freed before";
        EXPECT_NE(output.Take(), "");
    }
}

TEST_F(MemoryCallbacks, HostAndUnifiedMemoryAreTheHostsToo) {
    for (const MemoryFunctions& kind : Kinds()) {
        if (std::string(kind.name) == "device") continue;
        SCOPED_TRACE(kind.name);
        void* pointer = nullptr;
        ASSERT_EQ(kind.allocate(device(), &pointer, 1000), C_SUCCESS);
        std::memset(pointer, 0x5a, 1000);
        const Memory memory(0, 1000);
        EXPECT_EQ(Plugin().memory_copy_h2d(device(), memory.At(), pointer, 1000), C_SUCCESS);
        EXPECT_TRUE(memory.Holds(0x5a));
        EXPECT_EQ(kind.deallocate(device(), pointer, 1000), C_SUCCESS);
    }
}

TEST_F(MemoryCallbacks, FillsWhatIsAskedForAndNoMore) {
    const Memory memory(0, 300, 1);
    EXPECT_EQ(Plugin().device_memory_set(device(), memory.At(100), 0xff, 100), C_SUCCESS);
    const auto bytes = memory.Read();
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        EXPECT_EQ(bytes[at], at >= 100 && at < 200 ? 0xff : 1) << at;
    }
    EXPECT_EQ(Plugin().device_memory_set(device(), nullptr, 1, 0), C_SUCCESS);
    ErrorOutput output;
    EXPECT_EQ(Plugin().device_memory_set(nullptr, memory.At(), 1, 1), C_ERROR);
    EXPECT_EQ(Plugin().device_memory_set(device(), nullptr, 1, 1), C_ERROR);
    EXPECT_EQ(Plugin().device_memory_set(device(), memory.At(), 1, 1 << 20), C_ERROR);
    EXPECT_NE(output.Take().find("device_memory_set"), std::string::npos);
}

TEST_F(MemoryCallbacks, StatisticsRefuseNullAndUnknownDevices) {
    std::size_t total = 5;
    std::size_t free = 6;
    C_Device_st wrong{-1};
    ErrorOutput output;
    EXPECT_EQ(Plugin().device_memory_stats(nullptr, &total, &free), C_ERROR);
    EXPECT_EQ(Plugin().device_memory_stats(device(), nullptr, &free), C_ERROR);
    EXPECT_EQ(Plugin().device_memory_stats(device(), &total, nullptr), C_ERROR);
    EXPECT_EQ(Plugin().device_memory_stats(&wrong, &total, &free), C_ERROR);
    EXPECT_EQ(total, 5u);
    EXPECT_EQ(free, 6u);
}

TEST_F(MemoryCallbacks, SizesFitBothOfPaddlesAllocators) {
    std::size_t total = 0;
    std::size_t free = 0;
    ASSERT_EQ(Plugin().device_memory_stats(device(), &total, &free), C_SUCCESS);
    std::size_t smallest = 0;
    ASSERT_EQ(Plugin().device_min_chunk_size(device(), &smallest), C_SUCCESS);
    EXPECT_GT(smallest, 0u) << "Paddle divides by it";
    EXPECT_EQ(smallest & (smallest - 1), 0u) << "an alignment";
    for (const auto get :
         {Plugin().device_max_chunk_size, Plugin().device_init_alloc_size, Plugin().device_realloc_size}) {
        std::size_t chunk = 0;
        ASSERT_EQ(get(device(), &chunk), C_SUCCESS);
        EXPECT_GE(chunk, smallest);
        EXPECT_EQ(chunk % smallest, 0u);
        EXPECT_LE(chunk, total / 4) << "room for several";
        // The first thing that naive_best_fit does.
        void* pointer = nullptr;
        ASSERT_EQ(Plugin().device_memory_allocate(device(), &pointer, chunk), C_SUCCESS);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pointer) % smallest, 0u);
        EXPECT_EQ(Plugin().device_memory_deallocate(device(), pointer, chunk), C_SUCCESS);
    }
    std::size_t size = 77;
    EXPECT_EQ(Plugin().device_max_alloc_size(device(), &size), C_SUCCESS);
    EXPECT_EQ(size, total);
    EXPECT_EQ(Plugin().device_extra_padding_size(device(), &size), C_SUCCESS);
    EXPECT_EQ(size, 0u);
}

TEST_F(MemoryCallbacks, SizesRefuseNull) {
    std::size_t size = 0;
    ErrorOutput output;
    for (const auto get :
         {Plugin().device_min_chunk_size, Plugin().device_max_chunk_size, Plugin().device_max_alloc_size,
          Plugin().device_extra_padding_size, Plugin().device_init_alloc_size, Plugin().device_realloc_size}) {
        EXPECT_EQ(get(nullptr, &size), C_ERROR);
        EXPECT_EQ(get(device(), nullptr), C_ERROR);
    }
}

}  // namespace
