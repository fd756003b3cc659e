// Memory pools of processes that exit, are killed, or free in the wrong order: other processes are
// not affected, and nothing leaks.

#include "support/gate.h"
#include "support/pool/shared_pool.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr size_t kSize = (3 << 20) + 100;
constexpr int kValue = 0x42;

// Exports a pool and an allocation, continues when the peer says so, and exits in order.
void Exporter(Connection& parent) {
    const Session session;
    SharedPool pool;
    void* const ptr = pool.Malloc(kSize);
    Set(ptr, kSize, kValue);
    const ExportData data = ExportPointer(ptr);
    const int descriptor = pool.Export();
    parent.Send(data, descriptor);
    close(descriptor);
    // Or it is killed.
    parent.Await(1);
    FreeAndWait(ptr);
    pool.Destroy();
}

// What an exporter has sent.
class Offer {
  public:
    explicit Offer(Connection& peer) { data_ = peer.Receive<ExportData>(&descriptor_); }
    ~Offer() { close(descriptor_); }
    Offer(const Offer&) = delete;

    SharedPool Import() const { return SharedPool::Import(dup(descriptor_)); }
    int Descriptor() const { return descriptor_; }
    const ExportData& Data() const { return data_; }

  private:
    int descriptor_ = -1;
    ExportData data_;
};

// A destroyed pool cannot be imported.
void ExpectDestroyed(const Offer& offer) {
    if (OnGpu()) return;
    aclrtMemPool pool = Poison<aclrtMemPool>();
    ACL_FAILS(kDead,
              portaclMemPoolImportFromShareableHandle(&pool, Handle(offer.Descriptor()), ACL_MEM_HANDLE_TYPE_POSIX, 0));
    EXPECT_TRUE(IsPoison(pool));
}

void ExpectDestroyed(aclrtMemPool pool, const ExportData& data) {
    if (OnGpu()) return;
    void* ptr = Poison<void*>();
    ACL_FAILS(kDead, portaclMemPoolImportPointer(&ptr, pool, &data));
    EXPECT_TRUE(IsPoison(ptr));
}

}  // namespace

TWO_PROCESS_TEST(MemPoolSharingEnd, ExporterKilledBeforeItsPoolIsImported, Exporter) {
    const Session session;
    Peer peer;
    const Offer offer(peer);
    peer.Kill();
    ExpectDestroyed(offer);
}

TWO_PROCESS_TEST(MemPoolSharingEnd, ExporterKilledBeforeItsPointerIsImported, Exporter) {
    const Session session;
    Peer peer;
    const Offer offer(peer);
    SharedPool pool = offer.Import();
    peer.Kill();
    ExpectDestroyed(pool, offer.Data());
    ExpectDestroyed(offer);
    pool.Destroy();
}

TWO_PROCESS_TEST(MemPoolSharingEnd, ExporterKilledWhileItsMemoryIsImported, Exporter) {
    const Session session;
    Peer peer;
    const auto before = Belongings();
    {
        const Offer offer(peer);
        SharedPool pool = offer.Import();
        void* const ptr = ImportPointer(pool, offer.Data());
        peer.Kill();
        EXPECT_TRUE(Holds(ptr, kSize, kValue));
        Set(ptr, kSize, kValue + 1);
        EXPECT_TRUE(Holds(ptr, kSize, kValue + 1));
        ExpectDestroyed(pool, offer.Data());
        FreeAndWait(ptr);
        ACL_FAILS(kDead, aclrtMemset(ptr, 1, 0, 1));
    }
    ACL_OK(aclrtSynchronizeDevice());
    // Descriptors that the other process had open must not be open here.
    peer.Close();
    std::vector<std::string> after = Belongings();
    EXPECT_EQ(after.size(), before.size() - 1) << "the socket's end apart";
}

TWO_PROCESS_TEST(MemPoolSharingEnd, ExporterKilledWhileStreamsUseItsMemory, Exporter) {
    const Session session;
    Peer peer;
    const Offer offer(peer);
    SharedPool pool = offer.Import();
    void* const ptr = ImportPointer(pool, offer.Data());
    const DeviceMemory copy(kSize);
    const Stream stream;
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ASSERT_TRUE(gate.AwaitArrival());
    ACL_OK(aclrtMemcpyAsync(copy.At(), kSize, ptr, kSize, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    ACL_OK(aclrtMemPoolFreeAsync(ptr, stream));
    pool.Destroy();
    peer.Kill();
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(Holds(copy.At(), kSize, kValue));
}

TWO_PROCESS_TEST(MemPoolSharingEnd, ExporterEndsInOrderBeforeItsImporter, Exporter) {
    const Session session;
    Peer peer;
    const Offer offer(peer);
    SharedPool pool = offer.Import();
    void* const ptr = ImportPointer(pool, offer.Data());
    peer.Signal(1);
    peer.Join();
    // The contents depend on the exporter; this checks that the memory can be read and written.
    std::vector<unsigned char> bytes(kSize);
    ACL_OK(aclrtMemcpy(bytes.data(), kSize, ptr, kSize, ACL_MEMCPY_DEVICE_TO_HOST));
    Set(ptr, kSize, 1);
    EXPECT_TRUE(Holds(ptr, kSize, 1));
    ExpectDestroyed(pool, offer.Data());
    ExpectDestroyed(offer);
    FreeAndWait(ptr);
}

namespace {

constexpr int kSteps = 5;

// Imports and uses memory in steps; after any step it waits for the peer, or is killed.
void Importer(Connection& parent) {
    int step = 0;
    const auto done = [&] {
        parent.Signal(step);
        parent.Await(step++);
    };
    const Session session;
    int descriptor = -1;
    const auto data = parent.Receive<ExportData>(&descriptor);
    done();
    SharedPool pool = SharedPool::Import(descriptor);
    done();
    void* const ptr = ImportPointer(pool, data);
    done();
    const Stream stream;
    Gate gate;
    EXPECT_EQ(gate.Hold(stream), 0);
    EXPECT_TRUE(gate.AwaitArrival());
    ACL_EXPECT_OK(aclrtMemsetAsync(ptr, kSize, 1, kSize, stream));
    done();
    gate.Open();
    FreeAndWait(ptr, stream);
    done();
    pool.Destroy();
}

size_t FreeBytes() {
    size_t free = 0, total = 0;
    ExpectOk("aclrtGetMemInfo", aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    return free;
}

}  // namespace

TWO_PROCESS_TEST(MemPoolSharingEnd, ImporterKilledAfterEachStep, Importer) {
    const Session session;
    const size_t free = FreeBytes();
    const auto before = Belongings();
    {
        SharedPool pool;
        void* const ptr = pool.Malloc(kSize);
        Set(ptr, kSize, kValue);
        const auto offer = [&](Peer& importer) {
            const int descriptor = pool.Export();
            importer.Send(ExportPointer(ptr), descriptor);
            close(descriptor);
        };
        for (int last = 0; last < kSteps; ++last) {
            SCOPED_TRACE(last);
            Peer importer;
            offer(importer);
            for (int step = 0; step < last; ++step) {
                importer.Await(step);
                importer.Signal(step);
            }
            importer.Await(last);
            importer.Kill();
            // Written memory has the new bytes. The writes behind the gate had not begun.
            EXPECT_TRUE(Holds(ptr, kSize, last < 4 ? kValue : 1));
        }
        Peer well;
        offer(well);
        for (int step = 0; step < kSteps; ++step) {
            well.Await(step);
            well.Signal(step);
        }
        well.Join();
        FreeAndWait(ptr);
        ACL_OK(aclrtMemPoolTrimTo(pool, 0));
    }
    ExpectFreeAgain(FreeBytes(), free);
    EXPECT_EQ(Belongings(), before);
}

TWO_PROCESS_TEST(MemPoolSharingEnd, FreedMemoryLeavesNothingBehind, Importer) {
    const Session session;
    Peer peer;
    const auto before = Belongings();
    const size_t free = FreeBytes();
    {
        SharedPool pool;
        void* const ptr = pool.Malloc(kSize);
        const int descriptor = pool.Export();
        peer.Send(ExportPointer(ptr), descriptor);
        close(descriptor);
        for (int step = 0; step < kSteps; ++step) {
            peer.Await(step);
            peer.Signal(step);
        }
        FreeAndWait(ptr);
    }
    ExpectFreeAgain(FreeBytes(), free);
    EXPECT_EQ(Belongings(), before);
    peer.Join();
}
