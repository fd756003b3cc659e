// Shared memory of processes that exit, are killed or stopped, or free in the wrong order: other
// processes are not affected, and nothing leaks.

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "support/memory/hostile.h"
#include "support/memory/ipc.h"
#include "support/own_process.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr size_t kSize = (3 << 20) + 100;
constexpr int kValue = 0x42;

struct MemoryExport {
    KeyText key;
    pid_t process;
};

// Exports memory, continues when the peer says so, and exits in steps.
void Exporter(Connection& parent) {
    {
        const Session session;
        void* ptr = nullptr;
        ACL_OK(aclrtMalloc(&ptr, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
        Set(ptr, kSize, kValue);
        parent.Send(MemoryExport{ExportKey(ptr, kSize), getpid()});
        // Or it is killed.
        parent.Await(1);
        ACL_OK(aclrtFree(ptr));
        parent.Signal(2);
        parent.Await(3);
    }
    parent.Signal(4);
    parent.Await(5);
}

}  // namespace

TWO_PROCESS_TEST(IpcEnd, ExporterKilledBeforeTheImport, Exporter) {
    const Session session;
    Peer peer;
    const auto offer = peer.Receive<MemoryExport>();
    EXPECT_TRUE(HasSocket(offer.process));
    peer.Kill();
    EXPECT_FALSE(HasSocket(offer.process)) << "the socket is closed";
    ExpectImportFails(offer.key, "has ended");
}

namespace {

// Exports on a thread that stays when the first one has ended, without an end of the process.
void ExporterWhoseFirstThreadEnds(Connection& parent) {
    std::thread([&parent] {
        ExpectOk("aclrtSetDevice", aclrtSetDevice(0));
        void* ptr = nullptr;
        ExpectOk("aclrtMalloc", aclrtMalloc(&ptr, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
        Set(ptr, kSize, kValue);
        parent.Send(ExportKey(ptr, kSize));
        parent.Await(1);
        const bool is_well = !testing::Test::HasFailure();
        if (is_well) parent.Signal(kWell);
        std::_Exit(is_well ? 0 : 1);
    }).detach();
    syscall(SYS_exit, 0);
}

}  // namespace

void ImportFromOneWhoseFirstThreadEnds() {
    const Session session;
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: drivers of GPUs have handles of their own";
    Peer peer;
    const auto key = peer.Receive<KeyText>();
    void* const ptr = ImportKey(key);
    EXPECT_TRUE(Holds(ptr, kSize, kValue));
    CloseKey(key);
    peer.Signal(1);
    peer.Join();
}

TWO_PROCESS_TEST(IpcEnd, FirstThreadOfTheExporterEnds, ExporterWhoseFirstThreadEnds) {
    ImportFromOneWhoseFirstThreadEnds();
}

// The kernel lets only root read the descriptors of a thread that has ended.
TEST(IpcEnd, FirstThreadOfAnExporterWithoutPrivilegesEnds) {
    if (Peer::IsHere()) return RunAsPeer(ExporterWhoseFirstThreadEnds);
    RunInOwnProcess([] {
        if (geteuid() == 0) {
            const std::string why = BecomeAnotherUser();
            if (!why.empty()) GTEST_SKIP() << why;
            if (access(ProgramDirectory().c_str(), R_OK | X_OK) != 0)
                GTEST_SKIP() << "needs a folder that other users may enter";
            // A process that changes its user loses this, and so shows no descriptors.
            ASSERT_EQ(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), 0);
        }
        ImportFromOneWhoseFirstThreadEnds();
    });
}

TWO_PROCESS_TEST(IpcEnd, ExporterKilledWhileItsMemoryIsImported, Exporter) {
    const Session session;
    Peer peer;
    const auto offer = peer.Receive<MemoryExport>();
    void* const ptr = ImportKey(offer.key);
    peer.Kill();
    if (!OnGpu()) {
        EXPECT_TRUE(Holds(ptr, kSize, kValue));
        Set(ptr, kSize, kValue + 1);
        EXPECT_TRUE(Holds(ptr, kSize, kValue + 1));
    }
    // A process that has it open may open it again.
    EXPECT_EQ(ImportKey(offer.key), ptr);
    CloseKey(offer.key);
    CloseKey(offer.key);
    ExpectImportFails(offer.key, "has ended");
}

TWO_PROCESS_TEST(IpcEnd, ExporterEndsStepByStep, Exporter) {
    const Session session;
    Peer peer;
    const auto offer = peer.Receive<MemoryExport>();
    void* const ptr = ImportKey(offer.key);
    peer.Signal(1);
    peer.Await(2);
    // Freed: its contents are undefined, but it is mapped.
    const DeviceMemory copy(kSize);
    const auto read = [&] {
        if (!OnGpu()) {
            ACL_EXPECT_OK(aclrtMemcpy(copy.At(), kSize, ptr, kSize, ACL_MEMCPY_DEVICE_TO_DEVICE));
        }
    };
    read();
    peer.Signal(3);
    peer.Await(4);
    // Finalized.
    read();
    CloseKey(offer.key);
    ExpectImportFails(offer.key, "has finalized");
    EXPECT_FALSE(HasSocket(offer.process));
    peer.Signal(5);
    peer.Join();
    ExpectImportFails(offer.key, "has ended");
}

TWO_PROCESS_TEST(IpcEnd, FreedMemoryIsNotImported, Exporter) {
    const Session session;
    Peer peer;
    const auto offer = peer.Receive<MemoryExport>();
    peer.Signal(1);
    peer.Await(2);
    ExpectImportFails(offer.key, "has no export with this key");
    peer.Signal(3);
    peer.Await(4);
    peer.Signal(5);
    peer.Join();
}

TWO_PROCESS_TEST(IpcEnd, AStoppedExporterIsNotWaitedForLong, Exporter) {
    const Session session;
    Peer peer;
    const auto offer = peer.Receive<MemoryExport>();
    peer.Stop();
    const auto before = std::chrono::steady_clock::now();
    ExpectImportFails(offer.key, "does not answer");
    EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(30));
    peer.Continue();
    EXPECT_TRUE(Holds(ImportKey(offer.key), kSize, kValue));
    CloseKey(offer.key);
    peer.Kill();
}

namespace {

// Imports, and executes steps until it is killed.
void Importer(Connection& parent) {
    const Session session;
    const auto key = parent.Receive<KeyText>();
    void* const ptr = ImportKey(key);
    Set(ptr, kSize, kValue + 1);
    parent.Signal(1);
    parent.Await(2);
}

}  // namespace

TWO_PROCESS_TEST(IpcEnd, ImportersAreKilled, Importer) {
    const Session session;
    const DeviceMemory memory(kSize);
    const KeyText key = ExportKey(memory.At(), kSize);
    const auto before = Belongings();
    for (int i = 0; i < 3; ++i) {
        Peer peer;
        peer.Send(key);
        if (i == 1) {
            // At any moment.
            peer.Kill();
            continue;
        }
        peer.Await(1);
        peer.Kill();
        EXPECT_TRUE(Holds(memory.At(), kSize, kValue + 1));
        Set(memory.At(), kSize, kValue);
    }
    // The broker closes the descriptor of a process that has exited, at the latest when the next
    // one connects.
    Peer last;
    last.Send(key);
    last.Await(1);
    last.Signal(2);
    last.Join();
    EXPECT_EQ(Belongings(), before);
    CloseKey(key);
}
