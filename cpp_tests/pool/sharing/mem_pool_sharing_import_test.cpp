// What an imported pool can do, and which memory is not imported.

#include "pool/sharing/exported.h"
#include "support/pool/shared_pool.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

void ProbeImportedPool(Connection& parent) {
    const Session session;
    SharedPool pool = ReceivePool(parent);
    void* ptr = Poison<void*>();
    ACL_FAILS_SAYING(kDead, aclrtMemPoolMallocAsync(&ptr, 100, pool, nullptr), "imported");
    EXPECT_TRUE(IsPoison(ptr));
    ACL_FAILS_SAYING(kDead, portaclDeviceSetMemPool(0, pool), "imported");
    int descriptor = Poison<int>();
    ACL_FAILS_SAYING(kDead, portaclMemPoolExportToShareableHandle(&descriptor, pool, kPosix, 0), "imported");
    EXPECT_TRUE(IsPoison(descriptor));
    for (int attr = 1; attr <= 8; ++attr) {
        auto value = Poison<uint64_t>();
        ACL_FAILS_SAYING(kDead, aclrtMemPoolGetAttr(pool, static_cast<aclrtMemPoolAttr>(attr), &value), "imported");
        EXPECT_TRUE(IsPoison(value));
    }
    int off = 0;
    ACL_FAILS_SAYING(kDead, aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, &off), "imported");
    aclrtMemAccessDesc access{};
    access.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    for (auto flags : {ACL_RT_MEM_ACCESS_FLAGS_NONE, ACL_RT_MEM_ACCESS_FLAGS_READ}) {
        access.flags = flags;
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclMemPoolSetAccess(pool, &access, 1), "device 0", "READWRITE");
    }
    access.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
    ACL_EXPECT_OK(portaclMemPoolSetAccess(pool, &access, 1));
    auto flags = Poison<aclrtMemAccessFlags>();
    ACL_EXPECT_OK(portaclMemPoolGetAccess(&flags, pool, &access.location));
    EXPECT_EQ(flags, ACL_RT_MEM_ACCESS_FLAGS_READWRITE);

    const Exported exported = parent.Receive<Exported>();
    void* const imported = ImportPointer(pool, exported.data);
    ExportData data{};
    data.size = sizeof data;
    ACL_FAILS_SAYING(kDead, portaclMemPoolExportPointer(&data, imported), "imported");
    ACL_EXPECT_OK(aclrtMemPoolTrimTo(pool, 0));
    EXPECT_TRUE(Holds(imported, exported.size, 3));

    // The pool cannot be imported any more; imported memory stays until it is freed.
    const aclrtMemPool stale = pool;
    pool.Destroy();
    ACL_FAILS(kDead, portaclMemPoolImportPointer(&ptr, stale, &exported.data));
    EXPECT_TRUE(IsPoison(ptr));
    EXPECT_TRUE(Holds(imported, exported.size, 3));
    FreeAndWait(imported);
}

}  // namespace

TWO_PROCESS_TEST(MemPoolSharing, AnImportedPoolOnlyImports, ProbeImportedPool) {
    const Session session;
    Peer peer;
    SharedPool pool;
    SendPool(peer, pool);
    void* const ptr = pool.Malloc(1000);
    Set(ptr, 1000, 3);
    peer.Send(Exported{ExportPointer(ptr), 1000, 3});
    peer.Join();
    FreeAndWait(ptr);
}

namespace {

// Exported memory that is freed, and names that match no allocation of this pool.
void ImportFreed(Connection& parent) {
    const Session session;
    int again = -1;
    parent.Receive<int>(&again);
    const Descriptor descriptor(again);
    SharedPool pool = SharedPool::Import(dup(descriptor)), other = ReceivePool(parent);
    const auto imports = [&](aclrtMemPool from, const ExportData& data) {
        void* ptr = Poison<void*>();
        const aclError code = portaclMemPoolImportPointer(&ptr, from, &data);
        if (code != 0) {
            EXPECT_TRUE(IsPoison(ptr));
            EXPECT_NE(TakeText(), "");
        } else {
            FreeAndWait(ptr);
        }
        return code;
    };
    const auto live = parent.Receive<Exported>();
    EXPECT_EQ(imports(pool, live.data), 0);
    EXPECT_EQ(imports(other, live.data), kDead) << "it is of another pool";
    ExportData garbage{};
    garbage.size = sizeof garbage;
    EXPECT_EQ(imports(pool, garbage), kDead);
    std::memset(garbage.data, 0xff, sizeof garbage.data);
    EXPECT_EQ(imports(pool, garbage), kDead);
    parent.Signal(1);

    const auto next = parent.Receive<Exported>();
    EXPECT_EQ(imports(pool, live.data), kDead) << "it was freed";
    EXPECT_EQ(imports(pool, next.data), 0) << "it may be at the same place";
    parent.Signal(2);

    // Through the pool's handle, the CUDA driver's pool is destroyed only with its last memory.
    parent.Await(3);
    if (OnCpu()) {
        EXPECT_EQ(imports(pool, next.data), kDead) << "the pool was destroyed";
    }
    parent.Signal(4);

    parent.Await(5);
    EXPECT_EQ(imports(pool, next.data), kDead) << "it was freed, and the pool is destroyed";
    if (!OnGpu()) {
        aclrtMemPool refused = Poison<aclrtMemPool>();
        ACL_FAILS(kDead, portaclMemPoolImportFromShareableHandle(&refused, Handle(descriptor), kPosix, 0));
        EXPECT_TRUE(IsPoison(refused));
    }
    pool.Destroy();
    parent.Signal(6);
}

}  // namespace

TWO_PROCESS_TEST(MemPoolSharing, FreedMemoryIsNotImported, ImportFreed) {
    const Session session;
    Peer peer;
    SharedPool pool, other;
    SendPool(peer, pool);
    SendPool(peer, other);
    void* ptr = pool.Malloc(5000);
    peer.Send(Exported{ExportPointer(ptr), 5000, 0});
    peer.Await(1);
    FreeAndWait(ptr);
    ptr = pool.Malloc(5000);
    peer.Send(Exported{ExportPointer(ptr), 5000, 0});
    peer.Await(2);
    pool.Destroy();
    peer.Signal(3);
    peer.Await(4);
    Set(ptr, 5000, 1);
    FreeAndWait(ptr);
    peer.Signal(5);
    peer.Await(6);
    peer.Join();
}
