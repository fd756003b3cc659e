// What processes of other users, of other containers, and without a key can get from a process that shares memory. The
// hostile ones do not use the library, so only the exporting process can refuse them.

#include <signal.h>

#include <algorithm>
#include <memory>

#include "support/memory/hostile.h"
#include "support/memory/virtual_memory.h"

using namespace portacl_test;

namespace {

constexpr size_t kSize = 64 << 10;

// What a process exports, and what it does not.
struct Offer {
    KeyText memory, notify;
    uint64_t number;
    pid_t process;
};

// Exports memory, memory without an address, and a notify, each beside others that it does not export. Exports when the
// parent says so, and until it says so.
void Exporter(Connection& parent) {
    const Session session;
    parent.Send(getpid());
    parent.Await(1);
    {
        const DeviceMemory before(kSize), memory(kSize), after(kSize);
        const PhysicalMemory physical, other;
        const Range range(2 * kPiece);
        const Mapping first(range.At(), physical), second(range.At(kPiece), other);
        Fill(before.At(), kSize, kSecret);
        Fill(after.At(), kSize, kSecret);
        Fill(range.At(kPiece), kPiece, kSecret);
        Fill(memory.At(), kSize, 1);
        Fill(range.At(), kPiece, 2);
        Offer offer{};
        offer.process = getpid();
        offer.memory = ExportKey(memory.At(), kSize);
        ACL_EXPECT_OK(aclrtMemExportToShareableHandle(physical, ACL_MEM_HANDLE_TYPE_NONE, 1, &offer.number));
        aclrtNotify notify = nullptr;
        ACL_EXPECT_OK(aclrtCreateNotify(&notify, 0));
        ACL_EXPECT_OK(aclrtNotifyGetExportKey(notify, offer.notify.text, sizeof offer.notify.text, 2));
        parent.Send(offer);
        parent.Await(2);
        ACL_EXPECT_OK(aclrtDestroyNotify(notify));
        EXPECT_TRUE(Holds(memory.At(), 1, 1));
        CloseKey(offer.memory);
    }
}

Offer Begin(Peer& peer) {
    peer.Receive<pid_t>();
    peer.Signal(1);
    return peer.Receive<Offer>();
}

void End(Peer& peer) {
    peer.Signal(2);
    peer.Join();
}

void ExpectNothing(const Answer& answer, const char* says = "") {
    EXPECT_TRUE(answer.kind == Answer::kNothing || answer.kind == Answer::kRefused);
    EXPECT_FALSE(answer.file);
    EXPECT_NE(answer.text.find(says), std::string::npos) << answer.text;
}

}  // namespace

// The kernel keeps other users from the socket, so they reach neither its queue nor the thread behind it.
TWO_PROCESS_TEST(IpcHostile, AnotherUserGetsNothing, Exporter) {
    Peer peer;
    const Offer offer = Begin(peer);
    const KeyParts parts = KeyParts::Of(offer.memory);
    const std::string socket = parts.Socket();
    HOSTILE_PROCESS(BecomeAnotherUser, [&] {
        const Answer answer = Ask(socket, OfferKind::kMemory, parts.Short(), &parts.secret);
        EXPECT_EQ(answer.kind, Answer::kNoConnection);
        EXPECT_EQ(answer.error, EACCES);
        EXPECT_TRUE(NumbersIn(socket.substr(0, socket.rfind('/'))).empty()) << "it sees no descriptor of the exporter";
    });
    EXPECT_EQ(AskWithKey(offer.memory, OfferKind::kMemory).kind, Answer::kGranted) << "this user gets it";
    End(peer);
}

// Another user cannot connect by a name, either: the socket's file has none, and the abstract namespace does not have
// it.
TWO_PROCESS_TEST(IpcHostile, TheSocketHasNoName, Exporter) {
    Peer peer;
    const Offer offer = Begin(peer);
    const std::string file = std::filesystem::read_symlink(KeyParts::Of(offer.memory).Socket());
    const std::string path = file.substr(0, file.find(" (deleted)"));
    EXPECT_FALSE(std::filesystem::exists(path)) << path;
    EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(path).parent_path())) << path;
    const std::string name = KeyParts::Of(offer.memory).Name();
    std::ifstream sockets("/proc/net/unix");
    for (std::string line; std::getline(sockets, line);)
        if (const size_t at = line.find('@'); at != std::string::npos) {
            EXPECT_EQ(line.find(name.substr(name.find('-')), at), std::string::npos) << line;
        }
    End(peer);
}

// Two containers with one network, as those of a pod: the same user, the whole key, sibling process namespaces.
TWO_PROCESS_TEST(IpcHostile, AnotherContainerGetsNothing, Exporter) {
    NEEDS_WRAPPER(InOwnProcessNamespace());
    Peer peer({}, InOwnProcessNamespace());
    const Offer offer = Begin(peer);
    const KeyParts memory = KeyParts::Of(offer.memory), notify = KeyParts::Of(offer.notify);
    const std::string socket = memory.Socket();
    HOSTILE_PROCESS(LeaveProcessNamespace, [&] {
        const auto expect_nothing = [&](OfferKind kind, uint32_t number, const unsigned __int128* secret) {
            ExpectNothing(Ask(socket, kind, number, secret), "another process namespace");
        };
        expect_nothing(OfferKind::kMemory, memory.Short(), &memory.secret);
        expect_nothing(OfferKind::kNotify, notify.Short(), &notify.secret);
        expect_nothing(OfferKind::kPhysical, ShortOf(offer.number), nullptr);
    });
    // Nor does a process outside of both, which imports by the library.
    const Session session;
    void* ptr = Poison<void*>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtIpcMemImportByKey(&ptr, offer.memory, 0), "namespace");
    EXPECT_TRUE(IsPoison(ptr));
    End(peer);
}

// A process of a child namespace has a process id in the exporter's, but is in a container.
TWO_PROCESS_TEST(IpcHostile, AContainerOfThisUserGetsNothing, Exporter) {
    Peer peer;
    const Offer offer = Begin(peer);
    const KeyParts parts = KeyParts::Of(offer.memory);
    const std::string socket = parts.Socket();
    const auto ask = [&] { return Ask(socket, OfferKind::kMemory, parts.Short(), &parts.secret); };
    HOSTILE_PROCESS(LeaveProcessNamespace, [&] { ExpectNothing(ask(), "another process namespace"); });
    HOSTILE_PROCESS(LeaveNetworkNamespace, [&] { ExpectNothing(ask(), "another network namespace"); });
    std::string why;
    if (!InAnotherProcess(
            [] { return unshare(CLONE_NEWUSER) == 0 ? std::string() : std::string(std::strerror(errno)); },
            [&] { EXPECT_EQ(ask().error, EACCES) << "the kernel keeps it from the socket"; }, &why))
        GTEST_SKIP() << "needs another user namespace: " << why;
    End(peer);
}

// The number of an offer is not enough where the key is a text.
TWO_PROCESS_TEST(IpcHostile, APartOfAKeyIsNoKey, Exporter) {
    Peer peer;
    const Offer offer = Begin(peer);
    const KeyParts memory = KeyParts::Of(offer.memory), notify = KeyParts::Of(offer.notify);
    ExpectNothing(Ask(memory.Socket(), OfferKind::kMemory, memory.Short(), nullptr), "has no export with this key");
    ExpectNothing(Ask(notify.Socket(), OfferKind::kNotify, notify.Short(), nullptr), "has no export with this key");
    const unsigned __int128 wrong = memory.secret ^ (static_cast<unsigned __int128>(1) << 79);
    ExpectNothing(Ask(memory.Socket(), OfferKind::kMemory, memory.Short(), &wrong), "has no export with this key");
    EXPECT_EQ(Ask(memory.Socket(), OfferKind::kMemory, memory.Short(), &memory.secret).kind, Answer::kGranted);
    EXPECT_EQ(Ask(memory.Socket(), OfferKind::kPhysical, ShortOf(offer.number), nullptr).kind, Answer::kGranted);
    End(peer);
}

TWO_PROCESS_TEST(IpcHostile, GuessesAreDisconnected, Exporter) {
    Peer peer;
    const Offer offer = Begin(peer);
    const std::string socket = KeyParts::Of(offer.memory).Socket();
    int refused = 0;
    for (uint32_t guess = 1; guess <= 30; ++guess) {
        const Answer answer = Ask(socket, OfferKind::kPhysical, ShortOf(offer.number) ^ guess, nullptr);
        ExpectNothing(answer);
        refused += answer.kind == Answer::kRefused;
    }
    EXPECT_GT(refused, 0);
    EXPECT_LT(refused, 30) << "the exporter answers each guess";
    EXPECT_EQ(AskWithKey(offer.memory, OfferKind::kMemory).kind, Answer::kGranted) << "keys that are right still work";
    End(peer);
}

namespace {

// The ways in which a flood uses a connection.
enum class Flood { kSilent, kHalf, kWrong };

// Connects again and again until it is killed, and keeps the latest connections open.
[[noreturn]] void Connect(const std::string& path, Flood flood) {
    // The test is about places in the server's lists. On a busy machine a flood could also take all processor time.
    (void)!nice(19);
    const char half[20] = {'p', 'o', 'r', 't', 'a', 'c', 'l', '3'};
    char wrong[40] = {'p', 'o', 'r', 't', 'a', 'c', 'l', '3'};
    std::vector<int> open(200, -1);
    for (size_t next = 0;; next = (next + 1) % open.size()) {
        if (open[next] >= 0) close(open[next]);
        open[next] = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (!ConnectTo(open[next], path)) continue;
        wrong[12] = static_cast<char>(next);
        if (flood == Flood::kHalf) (void)!send(open[next], half, sizeof half, MSG_NOSIGNAL);
        if (flood == Flood::kWrong) (void)!send(open[next], wrong, sizeof wrong, MSG_NOSIGNAL);
    }
}

}  // namespace

// A process that connects again and again replaces its own connections, not the older one of an importer.
TWO_PROCESS_TEST(IpcHostile, AConnectionKeepsItsPlaceAmongMany, Exporter) {
    Peer peer;
    const Offer offer = Begin(peer);
    const KeyParts parts = KeyParts::Of(offer.memory);
    const std::string path = parts.Socket();
    const Answer answer = Ask(path, OfferKind::kMemory, parts.Short(), &parts.secret, 0, [&] {
        std::string reason;
        const bool ran = InAnotherProcess([] { return std::string(); },
                                          [&] {
                                              constexpr int kMany = 100, kAtMostKept = 32;
                                              std::vector<int> open;
                                              for (int i = 0; i < kMany; ++i) {
                                                  open.push_back(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
                                                  EXPECT_TRUE(ConnectTo(open.back(), path));
                                              }
                                              // The server has accepted the later ones when it has closed this one.
                                              char byte;
                                              EXPECT_EQ(recv(open[kMany - kAtMostKept - 2], &byte, 1, 0), 0);
                                          },
                                          &reason);
        EXPECT_TRUE(ran) << reason;
    });
    EXPECT_EQ(answer.kind, Answer::kGranted);
    End(peer);
}

// Importers of the same user compete with hostile processes, but each process has its part of the connections.
TWO_PROCESS_TEST(IpcHostile, AFloodOfConnectionsKeepsNobodyFromAnImport, Exporter) {
    Peer peer;
    const Offer offer = Begin(peer);
    const std::string socket = KeyParts::Of(offer.memory).Socket();
    std::vector<pid_t> floods;
    for (const Flood flood : {Flood::kSilent, Flood::kHalf, Flood::kWrong}) {
        floods.push_back(fork());
        if (floods.back() == 0) Connect(socket, flood);
    }
    {
        const Session session;
        for (int round = 0; round < 5 && !testing::Test::HasFailure(); ++round) {
            SCOPED_TRACE(round);
            void* const ptr = ImportKey(offer.memory);
            EXPECT_TRUE(Holds(ptr, 1, 1));
            CloseKey(offer.memory);
            aclrtDrvMemHandle memory = nullptr;
            ACL_EXPECT_OK(aclrtMemImportFromShareableHandle(offer.number, 0, &memory));
            ACL_EXPECT_OK(aclrtFreePhysical(memory));
        }
    }
    for (const pid_t flood : floods) {
        kill(flood, SIGKILL);
        EXPECT_EQ(waitpid(flood, nullptr, 0), flood);
    }
    End(peer);
}

// The descriptor of an export shows nothing of what is beside it.
TWO_PROCESS_TEST(IpcHostile, AnExportGrantsNoNeighbours, Exporter) {
    const Session session;
    if (OnCpu() && !HoldsWritersBack()) GTEST_SKIP() << "needs userfaultfd with write protection";
    Peer peer;
    const Offer offer = Begin(peer);
    const std::string socket = KeyParts::Of(offer.memory).Socket();
    const Answer answers[] = {AskWithKey(offer.memory, OfferKind::kMemory, kSecret),
                              Ask(socket, OfferKind::kPhysical, ShortOf(offer.number), nullptr, kSecret),
                              AskWithKey(offer.notify, OfferKind::kNotify, kSecret)};
    for (const Answer& answer : answers) {
        EXPECT_EQ(answer.kind, Answer::kGranted);
        EXPECT_EQ(answer.stolen, 0u) << "in " << answer.bytes << " bytes";
    }
    End(peer);
}

namespace {

// Exports memory, frees it while it is imported, and puts something else into new memory.
void ExporterThatFrees(Connection& parent) {
    const Session session;
    void* ptr = nullptr;
    ACL_EXPECT_OK(aclrtMalloc(&ptr, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
    Fill(ptr, kSize, 1);
    parent.Send(ExportKey(ptr, kSize));
    parent.Await(1);
    ACL_EXPECT_OK(aclrtFree(ptr));
    std::vector<std::unique_ptr<DeviceMemory>> next;
    for (int i = 0; i < 64; ++i) {
        next.push_back(std::make_unique<DeviceMemory>(kSize));
        Fill(next.back()->At(), kSize, kSecret);
    }
    parent.Signal(2);
    parent.Await(3);
}

}  // namespace

// An import keeps the memory that was exported, and not what the exporter allocates there later.
TWO_PROCESS_TEST(IpcHostile, AnImportGrantsNoLaterAllocation, ExporterThatFrees) {
    const Session session;
    if (OnCpu() && !HoldsWritersBack()) GTEST_SKIP() << "needs userfaultfd with write protection";
    Peer peer;
    const auto key = peer.Receive<KeyText>();
    void* const ptr = ImportKey(key);
    peer.Signal(1);
    peer.Await(2);
    std::vector<uint64_t> words(kSize / sizeof(uint64_t));
    // GPUs do not support the use of freed memory.
    if (!OnGpu()) {
        ACL_EXPECT_OK(aclrtMemcpy(words.data(), kSize, ptr, kSize, ACL_MEMCPY_DEVICE_TO_HOST));
    }
    EXPECT_EQ(std::count(words.begin(), words.end(), kSecret), 0);
    CloseKey(key);
    peer.Signal(3);
    peer.Join();
}

namespace {

// Exports with a umask that takes all rights from new files.
void ExporterWithUmask(Connection& parent) {
    umask(0777);
    Exporter(parent);
}

}  // namespace

TWO_PROCESS_TEST(IpcHostile, TheUmaskTakesNoRightFromImporters, ExporterWithUmask) {
    Peer peer;
    const Offer offer = Begin(peer);
    EXPECT_EQ(AskWithKey(offer.memory, OfferKind::kMemory).kind, Answer::kGranted);
    // Root passes without rights, too.
    const auto rights = std::filesystem::status(KeyParts::Of(offer.memory).Socket()).permissions();
    EXPECT_EQ(static_cast<unsigned>(rights), 0600u);
    End(peer);
}

namespace {

// Exports as a user without a number in its user namespace, whose process looks like those of other users.
void UserWithoutNumber(Connection& parent) {
    const Session session;
    const DeviceMemory memory(kSize);
    KeyText key = Poison<KeyText>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                     aclrtIpcMemGetExportKey(memory.At(), kSize, key.text, sizeof key.text, kAnyone),
                     "all users that the namespace does not map");
    EXPECT_TRUE(IsPoison(key));
    const auto other = parent.Receive<KeyText>();
    void* ptr = Poison<void*>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtIpcMemImportByKey(&ptr, other, 0),
                     "all users that the namespace does not map");
    EXPECT_TRUE(IsPoison(ptr));
}

}  // namespace

TWO_PROCESS_TEST(IpcHostile, UsersWithoutANumberShareNothing, UserWithoutNumber) {
    NEEDS_WRAPPER(InUserNamespaceWithoutUsers());
    const Session session;
    const DeviceMemory memory(kSize);
    const KeyText key = ExportKey(memory.At(), kSize);
    Peer peer({}, InUserNamespaceWithoutUsers());
    peer.Send(key);
    peer.Join();
    CloseKey(key);
}
