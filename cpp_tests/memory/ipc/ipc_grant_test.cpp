// What a process has of another one's memory with an import: the memory that was exported, and nothing of what the
// other process allocates later.

#include <algorithm>
#include <memory>

#include "support/memory/hostile.h"
#include "support/memory/virtual_memory.h"
#include "support/process/refused_call.h"

using namespace portacl_test;

namespace {

constexpr size_t kSize = 64 << 10;

// Exports memory where the kernel holds no writes back: first what nothing can write to, then what a thread may write.
void ExporterWithoutBarrier(Connection& parent) {
    const bool is_refused = RefuseCall(SYS_userfaultfd, EPERM);
    parent.Send(is_refused);
    if (!is_refused) return;
    const Session session;
    const PhysicalMemory physical, other;
    const Range range(2 * kPiece);
    uint64_t number = 0;
    ACL_EXPECT_OK(aclrtMemExportToShareableHandle(physical, ACL_MEM_HANDLE_TYPE_NONE, 1, &number));
    const Mapping first(range.At(), physical), second(range.At(kPiece), other);
    Fill(range.At(), kPiece, 2);
    Fill(range.At(kPiece), kPiece, kSecret);
    const DeviceMemory memory(kSize);
    Fill(memory.At(), kSize, 1);
    testing::internal::CaptureStderr();
    const KeyText keys[] = {ExportKey(memory.At(), kSize), ExportKey(memory.At(), kSize)};
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("all memory on the exporting device, because"), std::string::npos) << text;
    EXPECT_NE(text.find("userfaultfd"), std::string::npos) << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
    parent.Send(keys[0]);
    parent.Send(number);
    parent.Await(1);
    for (const KeyText& key : keys) CloseKey(key);
}

}  // namespace

// Memory that is exported before it is mapped moves to its own file on every kernel; of other memory the library says
// what an import grants.
TWO_PROCESS_TEST(IpcGrant, WithoutUserfaultfdUnmappedMemoryMovesAndALineSaysTheRest, ExporterWithoutBarrier) {
    Peer peer;
    if (!peer.Receive<bool>()) GTEST_SKIP() << "needs seccomp filters";
    const auto key = peer.Receive<KeyText>();
    const auto number = peer.Receive<uint64_t>();
    const Answer answer = Ask(KeyParts::Of(key).Socket(), OfferKind::kPhysical, ShortOf(number), nullptr, kSecret);
    EXPECT_EQ(answer.kind, Answer::kGranted);
    EXPECT_EQ(answer.stolen, 0u) << "in " << answer.bytes << " bytes";
    const Session session;
    aclrtDrvMemHandle imported = nullptr;
    ACL_EXPECT_OK(aclrtMemImportFromShareableHandle(number, 0, &imported));
    {
        const Range range(kPiece);
        const Mapping mapping(range.At(), imported);
        EXPECT_TRUE(Is(range.At(), 2)) << "the mapping that was made after the export shows the same memory";
    }
    ACL_EXPECT_OK(aclrtFreePhysical(imported));
    peer.Signal(1);
    peer.Join();
}

namespace {

// Exports physical memory, frees it when the other process has lost its connection, and allocates again.
void ExporterWhoseImporterIsCutOff(Connection& parent) {
    const Session session;
    uint64_t number = 0;
    {
        const PhysicalMemory physical;
        const Range range(kPiece);
        const Mapping mapping(range.At(), physical);
        Fill(range.At(), kPiece, 1);
        ACL_EXPECT_OK(aclrtMemExportToShareableHandle(physical, ACL_MEM_HANDLE_TYPE_NONE, 1, &number));
        parent.Send(number);
        parent.Await(1);
    }
    std::vector<std::unique_ptr<DeviceMemory>> next;
    for (int i = 0; i < 16; ++i) {
        next.push_back(std::make_unique<DeviceMemory>(kPiece));
        Fill(next.back()->At(), kPiece, kSecret);
    }
    parent.Signal(2);
    parent.Await(3);
    for (const auto& memory : next) EXPECT_TRUE(Is(memory->At(), kSecret));
}

// Closes the connections of the library: those with high numbers.
int CloseConnections() {
    int count = 0;
    for (int number = 100; number < 1024; ++number) {
        struct stat about {};
        if (number != kPeerSocket && fstat(number, &about) == 0 && S_ISSOCK(about.st_mode)) count += close(number) == 0;
    }
    return count;
}

}  // namespace

// The exporter takes an importer without its connection for one that has closed. Nothing that it allocates from then on
// is in the memory that the importer still has.
TWO_PROCESS_TEST(IpcGrant, AnImporterWithoutItsConnectionGetsNoLaterAllocation, ExporterWhoseImporterIsCutOff) {
    const Session session;
    if (!HoldsWritersBack()) GTEST_SKIP() << "needs userfaultfd with write protection";
    Peer peer;
    const auto number = peer.Receive<uint64_t>();
    aclrtDrvMemHandle imported = nullptr;
    ACL_EXPECT_OK(aclrtMemImportFromShareableHandle(number, 0, &imported));
    {
        const Range range(kPiece);
        const Mapping mapping(range.At(), imported);
        EXPECT_EQ(CloseConnections(), 1);
        peer.Signal(1);
        peer.Await(2);
        std::vector<uint64_t> words(kPiece / sizeof(uint64_t));
        ACL_EXPECT_OK(aclrtMemcpy(words.data(), kPiece, range.At(), kPiece, ACL_MEMCPY_DEVICE_TO_HOST));
        EXPECT_EQ(std::count(words.begin(), words.end(), kSecret), 0);
        Fill(range.At(), kPiece, 3);
        peer.Signal(3);
        peer.Join();
    }
    ACL_EXPECT_OK(aclrtFreePhysical(imported));
}
