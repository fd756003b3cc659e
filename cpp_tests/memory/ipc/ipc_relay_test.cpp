// A process of this user that has a key passes it on as its own, and changes the place that the exporter names: the
// importing library trusts neither number.

#include <signal.h>

#include <vector>

#include "support/memory/hostile.h"

using namespace portacl_test;

namespace {

constexpr size_t kSize = 64 << 10;

void Export(Connection& parent, aclrtMemMallocPolicy policy) {
    const Session session;
    void* memory = nullptr;
    ACL_EXPECT_OK(aclrtMalloc(&memory, kSize, policy));
    Fill(memory, kSize, 1);
    const KeyText key = ExportKey(memory, kSize);
    parent.Send(key);
    parent.Await(1);
    CloseKey(key);
    ACL_EXPECT_OK(aclrtFree(memory));
}

void Exporter(Connection& parent) {
    Export(parent, ACL_MEM_MALLOC_HUGE_FIRST);
}

// On CUDA this memory is exported in another way.
void ExporterOfHugePages(Connection& parent) {
    Export(parent, ACL_MEM_MALLOC_HUGE_ONLY);
}

// The place of an export in its allocation. An answer ends with it.
struct ExportRange {
    uint64_t offset, size;
};

// Passes one request on to the exporter, and its answer back, with another place if `forged` says one.
void PassOn(int listener, const std::string& path, const ExportRange* forged) {
    const int importer = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    const int exporter = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (!ConnectTo(exporter, path)) _exit(3);
    char bytes[512];
    int file = -1;
    ssize_t got = ReceiveMessage(importer, bytes, sizeof bytes, &file);
    if (got <= 0 || send(exporter, bytes, static_cast<size_t>(got), MSG_NOSIGNAL) != got) _exit(4);
    got = ReceiveMessage(exporter, bytes, sizeof bytes, &file);
    if (got < static_cast<ssize_t>(sizeof(ExportRange))) _exit(5);
    if (forged) std::memcpy(bytes + got - sizeof(ExportRange), forged, sizeof(ExportRange));
    if (SendMessage(importer, bytes, static_cast<size_t>(got), file) != got) _exit(6);
    // What the exporter keeps for this connection, it keeps until the importer has ended its own.
    if (!forged) return;
    close(importer);
    close(exporter);
    if (file >= 0) close(file);
}

// A forked process with a socket of its own, which serves one request per place, and then one without a change.
class Relay {
  public:
    Relay(const KeyText& key, const std::vector<ExportRange>& places) {
        const KeyParts parts = KeyParts::Of(key);
        const std::string exporter = parts.Socket();
        int ready[2];
        EXPECT_EQ(pipe(ready), 0);
        process_ = fork();
        if (process_ == 0) Serve(parts.Name(), exporter, places, ready[1]);
        close(ready[1]);
        unsigned long long start = 0;
        EXPECT_EQ(read(ready[0], &start, sizeof start), static_cast<ssize_t>(sizeof start));
        close(ready[0]);
        char text[32];
        std::snprintf(text, sizeof text, "%x", static_cast<unsigned>(process_));
        key_ = WithPart(key, 0, text);
        std::snprintf(text, sizeof text, "%llx", start);
        key_ = WithPart(key_.c_str(), 1, text);
    }
    ~Relay() {
        kill(process_, SIGKILL);
        EXPECT_EQ(waitpid(process_, nullptr, 0), process_);
    }
    const char* Key() const { return key_.c_str(); }

  private:
    [[noreturn]] static void Serve(const std::string& name, const std::string& exporter,
                                   const std::vector<ExportRange>& places, int ready) {
        const int listener = ListenAs(name);
        const unsigned long long start = StartOf(getpid());
        if (listener < 0 || write(ready, &start, sizeof start) < 0) _exit(2);
        for (const ExportRange& place : places) PassOn(listener, exporter, &place);
        PassOn(listener, exporter, nullptr);
        for (;;) pause();
    }

    pid_t process_ = -1;
    std::string key_;
};

}  // namespace

namespace {

void ExpectRefusedPlaces() {
    Peer peer;
    const auto key = peer.Receive<KeyText>();
    constexpr uint64_t kPage = 4096, kMost = UINT64_MAX;
    const std::vector<ExportRange> places = {
        {0, 0},
        {0, uint64_t{1} << 40},
        {0, kMost},
        {uint64_t{1} << 40, kPage},
        {kMost & ~(kPage - 1), kPage},      // ends at 0
        {kMost & ~(kPage - 1), 2 * kPage},  // wraps to a page that is there
        {uint64_t{1} << 63, uint64_t{1} << 63},
    };
    const Relay relay(key, places);
    const Session session;
    for (const ExportRange& place : places) {
        SCOPED_TRACE(place.offset);
        SCOPED_TRACE(place.size);
        ExpectImportFails(relay.Key(), "the export of the other process is damaged");
    }
    void* const ptr = ImportKey(relay.Key());
    EXPECT_TRUE(Holds(ptr, 1, 1)) << "nothing is changed in this answer";
    CloseKey(relay.Key());
    peer.Signal(1);
    peer.Join();
}

}  // namespace

TWO_PROCESS_TEST(IpcRelay, APlaceOutsideOfTheAllocationIsRefused, Exporter) {
    ExpectRefusedPlaces();
}

TWO_PROCESS_TEST(IpcRelay, APlaceOutsideOfHugePagesIsRefused, ExporterOfHugePages) {
    {
        const Session session;
        NEEDS_HUGE_PAGES(kSize);
    }
    ExpectRefusedPlaces();
}
