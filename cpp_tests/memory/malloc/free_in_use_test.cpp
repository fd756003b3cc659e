// Memory that is freed while work still uses it.

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "memory/mem_info.h"
#include "support/gate.h"
#include "support/objects.h"

using namespace portacl_test;

namespace {

constexpr size_t kKiB = 1024, kMiB = 1024 * kKiB;

uintptr_t Number(const void* address) {
    return reinterpret_cast<uintptr_t>(address);
}

class FreeInUse : public WithDevice {};

TEST_F(FreeInUse, PendingCopiesStillReadTheData) {
    for (size_t size : {size_t{1000}, 3 * kMiB}) {
        SCOPED_TRACE(size);
        const MemInfo before = DeviceMemInfo();
        Stream stream;
        PinnedMemory seen(size, 0);
        const auto bytes = Pattern(size);
        DeviceMemory device(bytes);
        void* address = device.Release();
        std::vector<std::unique_ptr<DeviceMemory>> later;
        {
            Gate gate;
            ACL_OK(gate.Hold(stream));
            ACL_OK(aclrtMemcpyAsync(seen.At(), size, address, size, ACL_MEMCPY_DEVICE_TO_HOST, stream));
            ACL_OK(aclrtFree(address));
            // New calls reject the address at once.
            ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(address));
            ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(address, size, 1, size));
            auto reported = Poison<aclrtPtrAttributes>();
            ACL_OK(aclrtPointerGetAttributes(address, &reported));
            EXPECT_EQ(reported.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
            // The memory is not allocated again before the copy has read it.
            for (int i = 0; i < 20; ++i) {
                later.push_back(std::make_unique<DeviceMemory>(size));
                const uintptr_t first = Number(later.back()->At());
                EXPECT_TRUE(first + size <= Number(address) || Number(address) + size <= first);
                ACL_OK(aclrtMemset(later.back()->At(), size, 0xEE, size));
            }
        }
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_TRUE(seen.Copy() == bytes);
        later.clear();
        ExpectFreeAgain(DeviceMemInfo().free, before.free);
    }
}

TEST_F(FreeInUse, PendingWritesDoNotCorruptOtherMemory) {
    constexpr size_t kSize = 4096;
    Stream stream;
    PinnedMemory source(kSize, 0x77);
    void* address = DeviceMemory(kSize).Release();
    std::vector<std::unique_ptr<DeviceMemory>> later;
    {
        Gate gate;
        ACL_OK(gate.Hold(stream));
        ACL_OK(aclrtMemcpyAsync(address, kSize, source.At(), kSize, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        ACL_OK(aclrtMemsetAsync(address, kSize, 0x66, kSize, stream));
        ACL_OK(aclrtReduceAsync(address, address, kSize, ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX, ACL_INT8, stream, nullptr));
        ACL_OK(aclrtFree(address));
        for (int i = 0; i < 50; ++i) {
            later.push_back(std::make_unique<DeviceMemory>(kSize));
            ACL_OK(aclrtMemset(later.back()->At(), kSize, 0x11, kSize));
        }
    }
    ACL_OK(aclrtSynchronizeStream(stream));
    for (auto& memory : later) EXPECT_EQ(memory->Download(), std::vector<unsigned char>(kSize, 0x11));
}

TEST_F(FreeInUse, PendingCopiesStillReadPinnedMemory) {
    constexpr size_t kSize = 100000;
    Stream stream;
    DeviceMemory device(kSize);
    PinnedMemory source(kSize);
    const auto bytes = Pattern(kSize);
    std::memcpy(source.At(), bytes.data(), kSize);
    void* address = source.Release();
    std::vector<std::unique_ptr<PinnedMemory>> later;
    {
        Gate gate;
        ACL_OK(gate.Hold(stream));
        ACL_OK(aclrtMemcpyAsync(device.At(), kSize, address, kSize, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        ACL_OK(aclrtFreeHost(address));
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHost(address));
        for (int i = 0; i < 20; ++i) later.push_back(std::make_unique<PinnedMemory>(kSize, 0xEE));
    }
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(device.Download() == bytes);
}

TEST_F(FreeInUse, OnSeveralStreams) {
    NEEDS_QUEUES(2);
    constexpr size_t kSize = 50000;
    Stream first, second;
    PinnedMemory seen(2 * kSize, 0);
    const auto bytes = Pattern(kSize);
    void* address = DeviceMemory(bytes).Release();
    Gate gate;
    ACL_OK(gate.Hold(second));
    for (int i = 0; i < 2; ++i)
        ACL_OK(
            aclrtMemcpyAsync(seen.At(kSize * i), kSize, address, kSize, ACL_MEMCPY_DEVICE_TO_HOST, i ? second : first));
    ACL_OK(aclrtFree(address));
    // The memory is in use until both streams are done.
    ACL_OK(aclrtSynchronizeStream(first));
    for (int i = 0; i < 20; ++i) {
        DeviceMemory later(kSize);
        ACL_OK(aclrtMemset(later.At(), kSize, 0xEE, kSize));
    }
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(second));
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), seen.Bytes() + kSize * i));
}

// Keeps a stream busy: it always has one more batch of work than this waits for.
class Busy {
  public:
    explicit Busy(aclrtStream stream) : stream_(stream), thread_([this] { Run(), started_ = true; }) {
        while (!started_) std::this_thread::yield();
    }
    ~Busy() {
        stop_ = true;
        thread_.join();
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

  private:
    void Run() {
        ACL_OK(aclrtSetDevice(0));
        {
            DeviceMemory target(kMiB);
            Event reached[2];
            for (int i = 0; !stop_; ++i) {
                for (int j = 0; j < 16; ++j) ACL_OK(aclrtMemsetAsync(target.At(), kMiB, j, kMiB, stream_));
                ACL_OK(aclrtRecordEvent(reached[i % 2], stream_));
                if (i > 0) {
                    ACL_OK(aclrtSynchronizeEvent(reached[(i + 1) % 2]));
                }
                started_ = true;
            }
            ACL_OK(aclrtSynchronizeStream(stream_));
        }
        ACL_OK(aclrtResetDevice(0));
    }

    aclrtStream stream_;
    std::atomic<bool> stop_{false}, started_{false};
    std::thread thread_;
};

// What a driver frees it may free after all running work only.
TEST_F(FreeInUse, ABusyStreamDoesNotKeepMemoryFromOtherLibraries) {
    constexpr size_t kSize = 32 * kMiB, kMost = 384 * kMiB;
    Stream stream, other;
    Event reached;
    const Busy busy(stream);
    const size_t before = DeviceMemInfo().free;
    for (int i = 0; i < 40; ++i) {
        {
            DeviceMemory memory(kSize);
            ACL_OK(aclrtMemsetAsync(memory.At(), kSize, i, kMiB, other));
            ACL_OK(aclrtSynchronizeStream(other));
        }
        // The busy stream has passed the free, and has more work.
        ACL_OK(aclrtRecordEvent(reached, stream));
        ACL_OK(aclrtSynchronizeEvent(reached));
        const size_t now = DeviceMemInfo().free;
        ASSERT_LE(now < before ? before - now : 0, kMost) << "after " << i << " frees";
    }
}

// Then a call that waits would wait for the program.
TEST_F(FreeInUse, ABlockedStreamKeepsMuchMemoryAndNoCallWaits) {
    constexpr size_t kSize = 32 * kMiB;
    Stream stream;
    const MemInfo before = DeviceMemInfo();
    {
        Gate gate;
        ACL_OK(gate.Hold(stream));
        for (int i = 0; i < 20; ++i) DeviceMemory memory(kSize);
    }
    ACL_OK(aclrtSynchronizeStream(stream));
    ExpectFreeAgain(DeviceMemInfo().free, before.free);
}

// A driver's queue for a stream holds some 56 records. Pages of 2 MiB are few on some machines.
TEST_F(FreeInUse, ABlockedStreamLetsAnyNumberOfFreesReturn) {
    struct AllocationKind {
        const char* name;
        std::function<aclError(void**)> allocate;
        std::function<aclError(void*)> free;
        size_t count;
    };
    const auto on_device = [](size_t size, aclrtMemMallocPolicy policy) {
        return [size, policy](void** address) { return aclrtMalloc(address, size, policy); };
    };
    const AllocationKind kinds[] = {
        {"device memory", on_device(512, ACL_MEM_MALLOC_NORMAL_ONLY), aclrtFree, 20'000},
        {"pages of 2 MiB", on_device(2 * kMiB, ACL_MEM_MALLOC_HUGE_ONLY), aclrtFree, 100},
        {"pinned memory", [](void** address) { return aclrtMallocHost(address, 64); }, aclrtFreeHost, 20'000},
    };
    Stream stream;
    const MemInfo before = DeviceMemInfo();
    for (const AllocationKind& kind : kinds) {
        SCOPED_TRACE(kind.name);
        std::vector<void*> blocks;
        void* address = nullptr;
        while (blocks.size() < kind.count && kind.allocate(&address) == ACL_SUCCESS) blocks.push_back(address);
        {
            Gate gate;
            ACL_OK(gate.Hold(stream));
            for (void* block : blocks) ACL_OK(kind.free(block));
        }
        ACL_OK(aclrtSynchronizeStream(stream));
        ExpectFreeAgain(DeviceMemInfo().free, before.free);
    }
}

}  // namespace
