// Memory pools shared by processes: data goes both ways, and invalid uses are refused.

#include <thread>

#include "pool/sharing/exported.h"
#include "support/pool/shared_pool.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr size_t kSizes[] = {1, 100, 4096, 5000, 2 * kMiB, 3 * kMiB + 77};

// Imports all allocations, checks them, writes other data, and frees them.
void ImportAndAnswer(Connection& parent) {
    const Session session;
    SharedPool pool = ReceivePool(parent);
    int step = 0;
    for (size_t size : kSizes) {
        const auto exported = parent.Receive<Exported>();
        ASSERT_EQ(exported.size, size);
        void* const ptr = ImportPointer(pool, exported.data);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(ptr) % 256, 0u);
        EXPECT_TRUE(Holds(ptr, size, exported.value));

        aclrtPtrAttributes attributes{};
        ACL_EXPECT_OK(aclrtPointerGetAttributes(ptr, &attributes));
        EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
        EXPECT_EQ(attributes.location.id, 0u);
        void* base = nullptr;
        size_t length = 0;
        ACL_EXPECT_OK(aclrtMemGetAddressRange(ptr, &base, &length));
        EXPECT_EQ(base, ptr);
        EXPECT_GE(length, size);
        ACL_FAILS(kDead, aclrtMemset(ptr, length + 1, 0, length + 1));

        Set(ptr, size, exported.value + 100);
        // Both functions that free it.
        if (step++ % 2 == 0) {
            FreeAndWait(ptr);
        } else {
            ACL_EXPECT_OK(aclrtFree(ptr));
        }
        ACL_FAILS(kDead, aclrtMemset(ptr, 1, 0, 1));
        ACL_FAILS(kDead, aclrtMemPoolFreeAsync(ptr, nullptr));
    }
    pool.Destroy();
    parent.Signal(1);
}

}  // namespace

TWO_PROCESS_TEST(MemPoolSharing, EachProcessReadsTheOthersWrites, ImportAndAnswer) {
    const Session session;
    Peer peer, other;
    SharedPool pool;
    SendPool(peer, pool);
    SendPool(other, pool);
    std::vector<void*> all;
    int value = 0;
    for (size_t size : kSizes) {
        all.push_back(pool.Malloc(size));
        Set(all.back(), size, ++value);
        peer.Send(Exported{ExportPointer(all.back()), size, value});
    }
    peer.Await(1);
    value = 0;
    for (void* ptr : all) {
        const size_t size = kSizes[value++];
        EXPECT_TRUE(Holds(ptr, size, value + 100));
        Set(ptr, size, value + 50);
        other.Send(Exported{ExportPointer(ptr), size, value + 50});
    }
    other.Await(1);
    value = 0;
    for (void* ptr : all) {
        const size_t size = kSizes[value++];
        EXPECT_TRUE(Holds(ptr, size, value + 150));
        FreeAndWait(ptr);
    }
    peer.Join();
    other.Join();
}

namespace {

void UseInStreams(Connection& parent) {
    const Session session;
    SharedPool pool = ReceivePool(parent);
    const Exported exported = parent.Receive<Exported>();
    void* const ptr = ImportPointer(pool, exported.data);
    {
        const Stream stream;
        std::vector<unsigned char> bytes(exported.size);
        ACL_EXPECT_OK(
            aclrtMemcpyAsync(bytes.data(), bytes.size(), ptr, bytes.size(), ACL_MEMCPY_DEVICE_TO_HOST, stream));
        ACL_EXPECT_OK(aclrtMemsetAsync(ptr, exported.size, 9, exported.size, stream));
        // Pending work keeps the memory; the free does not wait.
        ACL_EXPECT_OK(aclrtMemPoolFreeAsync(ptr, stream));
        ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
        EXPECT_EQ(bytes, std::vector<unsigned char>(exported.size, 7));
    }
    parent.Signal(1);
}

}  // namespace

TWO_PROCESS_TEST(MemPoolSharing, StreamsWorkWithItUntilItIsFreed, UseInStreams) {
    const Session session;
    Peer peer;
    SharedPool pool;
    SendPool(peer, pool);
    void* const ptr = pool.Malloc(4 * kMiB);
    Set(ptr, 4 * kMiB, 7);
    peer.Send(Exported{ExportPointer(ptr), 4 * kMiB, 7});
    peer.Await(1);
    EXPECT_TRUE(Holds(ptr, 4 * kMiB, 9));
    FreeAndWait(ptr);
    peer.Join();
}

namespace {

// Memory of another process does not belong to the device here, but a reset frees it.
void ImportAndReset(Connection& parent) {
    const Session session;
    const auto before = Belongings();
    const auto free_bytes = [] {
        size_t free = 0, total = 0;
        ACL_EXPECT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
        return free;
    };
    const size_t free = free_bytes();
    SharedPool pool = ReceivePool(parent);
    const Exported exported = parent.Receive<Exported>();
    void* const ptr = ImportPointer(pool, exported.data);
    EXPECT_EQ(free_bytes(), free);
    EXPECT_TRUE(Holds(ptr, exported.size, exported.value));
    ACL_EXPECT_OK(aclrtResetDevice(0));
    ACL_EXPECT_OK(aclrtSetDevice(0));
    ACL_FAILS(kDead, aclrtMemset(ptr, 1, 0, 1));
    ACL_FAILS(kDead, aclrtFree(ptr));
    ACL_EXPECT_OK(aclrtMemPoolDestroy(pool.Release()));
    EXPECT_EQ(Belongings(), before);
}

}  // namespace

TWO_PROCESS_TEST(MemPoolSharing, AResetFreesImportedMemory, ImportAndReset) {
    const Session session;
    Peer peer;
    SharedPool pool;
    SendPool(peer, pool);
    void* const ptr = pool.Malloc(8 * kMiB);
    Set(ptr, 8 * kMiB, 4);
    peer.Send(Exported{ExportPointer(ptr), 8 * kMiB, 4});
    peer.Join();
    EXPECT_TRUE(Holds(ptr, 8 * kMiB, 4));
    FreeAndWait(ptr);
}

namespace {

void ImportOnTheSecondDevice(Connection& parent) {
    const Session session;
    int number = -1;
    parent.Receive<int>(&number);
    ACL_EXPECT_OK(aclrtSetDevice(1));
    SharedPool pool = SharedPool::Import(number);
    const auto exported = parent.Receive<Exported>();
    void* const ptr = ImportPointer(pool, exported.data);
    aclrtPtrAttributes attributes{};
    ACL_EXPECT_OK(aclrtPointerGetAttributes(ptr, &attributes));
    EXPECT_EQ(attributes.location.id, 1u);
    EXPECT_TRUE(Holds(ptr, exported.size, exported.value));
    ACL_EXPECT_OK(aclrtSetDevice(0));
    FreeAndWait(ptr);
    pool.Destroy();
}

}  // namespace

TWO_PROCESS_TEST(MemPoolSharing, AnImportedPoolIsOnTheSameDevice, ImportOnTheSecondDevice) {
    const Session session;
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    Peer peer;
    ACL_OK(aclrtSetDevice(1));
    SharedPool pool(SharedProps(1));
    SendPool(peer, pool);
    void* const ptr = pool.Malloc(100);
    Set(ptr, 100, 5);
    peer.Send(Exported{ExportPointer(ptr), 100, 5});
    peer.Join();
    FreeAndWait(ptr);
}

namespace {

void ImportHostMemory(Connection& parent) {
    const Session session;
    SharedPool pool = ReceivePool(parent);
    const auto exported = parent.Receive<Exported>();
    auto* const bytes = static_cast<unsigned char*>(ImportPointer(pool, exported.data));
    EXPECT_EQ(bytes[0], exported.value);
    EXPECT_EQ(bytes[exported.size - 1], exported.value);
    bytes[0] = 77;
    aclrtMemAccessDesc access{};
    access.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    access.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
    ACL_EXPECT_OK(portaclMemPoolSetAccess(pool, &access, 1));
    const DeviceMemory device(exported.size);
    ACL_EXPECT_OK(aclrtMemcpy(device.At(), exported.size, bytes, exported.size, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_TRUE(Holds(static_cast<char*>(device.At()) + 1, exported.size - 1, exported.value));
    EXPECT_TRUE(Holds(device.At(), 1, 77));
    FreeAndWait(bytes);
    pool.Destroy();
    parent.Signal(1);
}

}  // namespace

TWO_PROCESS_TEST(MemPoolSharing, HostMemoryOfANode, ImportHostMemory) {
    const Session session;
    aclrtMemPoolProps props = SharedProps();
    props.location.type = ACL_MEM_LOCATION_TYPE_HOST_NUMA;
    // Drivers do not report whether they support this, nor where an imported pool has its memory.
    if (!OnCpu()) {
        auto refused = Poison<aclrtMemPool>();
        if (aclrtMemPoolCreate(&refused, &props) == ACL_SUCCESS) {
            ACL_OK(aclrtMemPoolDestroy(refused));
            GTEST_SKIP() << "for CPUs only: this driver shares memory of NUMA nodes";
        }
        ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtMemPoolCreate(&refused, &props), "NUMA node 0",
                         "ACL_MEM_HANDLE_TYPE_NONE");
        EXPECT_TRUE(IsPoison(refused));
        return;
    }
    Peer peer;
    SharedPool pool(props);
    SendPool(peer, pool);
    const size_t size = 3 * kMiB + 5;
    auto* const bytes = static_cast<unsigned char*>(pool.Malloc(size));
    std::memset(bytes, 66, size);
    peer.Send(Exported{ExportPointer(bytes), size, 66});
    peer.Await(1);
    EXPECT_EQ(bytes[0], 77);
    EXPECT_EQ(bytes[1], 66);
    FreeAndWait(bytes);
    peer.Join();
}

namespace {

constexpr int kThreads = 8;
constexpr int kRounds = 20;
constexpr size_t kBlock = 100000;
struct ExportBatch {
    ExportData names[kThreads];
};

// Each thread imports a batch, of which the other process frees every second allocation meanwhile.
void ImportInManyThreads(Connection& parent) {
    const Session session;
    SharedPool pool = ReceivePool(parent);
    for (int round = 0; round < kRounds; ++round) {
        const ExportBatch batch = parent.Receive<ExportBatch>();
        parent.Signal(round);
        std::vector<std::thread> threads;
        for (int first = 0; first < kThreads; ++first)
            threads.emplace_back([&, first] {
                ACL_EXPECT_OK(aclrtSetDevice(0));
                for (int step = 0; step < kThreads; ++step) {
                    const int index = (first + step) % kThreads;
                    void* ptr = nullptr;
                    const aclError code = portaclMemPoolImportPointer(&ptr, pool, &batch.names[index]);
                    if (code != 0) {
                        EXPECT_EQ(code, kDead);
                        EXPECT_EQ(index % 2, 0) << TakeText();
                        continue;
                    }
                    if (index % 2 != 0) {
                        EXPECT_TRUE(Holds(ptr, kBlock, index + 1));
                    }
                    ACL_EXPECT_OK(aclrtFree(ptr));
                }
            });
        for (auto& thread : threads) thread.join();
        parent.Signal(round);
    }
}

}  // namespace

TWO_PROCESS_TEST(MemPoolSharing, ThreadsImportWhileOthersFree, ImportInManyThreads) {
    const Session session;
    Peer peer;
    SharedPool pool;
    SendPool(peer, pool);
    for (int round = 0; round < kRounds; ++round) {
        std::vector<void*> blocks;
        ExportBatch batch;
        for (int index = 0; index < kThreads; ++index) {
            blocks.push_back(pool.Malloc(kBlock));
            Set(blocks.back(), kBlock, index + 1);
            batch.names[index] = ExportPointer(blocks.back());
        }
        peer.Send(batch);
        peer.Await(round);
        for (int index = 0; index < kThreads; index += 2) FreeAndWait(blocks[index]);
        peer.Await(round);
        for (int index = 1; index < kThreads; index += 2) FreeAndWait(blocks[index]);
    }
    peer.Join();
}
