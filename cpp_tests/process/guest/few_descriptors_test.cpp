// Calls that open descriptors, in a process that has few or none left: they fail with the code of exhausted resources
// and a text that names the limit, and succeed once there are enough.
#include <sys/resource.h>
#include <unistd.h>

#include <functional>

#include "stream/event/ipc_event.h"
#include "support/says.h"
#include "support/stream/notify.h"

using namespace portacl_test;

namespace {

constexpr size_t kRoom = 65;

// What one process offers to the other.
struct Offers {
    EventHandle event;
    char notify[kRoom];
    char memory[kRoom];
};

// The process has only this number of free descriptors.
class FewDescriptors {
  public:
    explicit FewDescriptors(size_t free) {
        constexpr rlim_t kLimit = 64;
        EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
        const rlimit lower = {kLimit, before_.rlim_max};
        EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &lower), 0);
        for (int one = dup(STDERR_FILENO); one >= 0; one = dup(STDERR_FILENO)) taken_.push_back(one);
        for (; free > 0 && !taken_.empty(); --free) Release();
    }
    ~FewDescriptors() {
        while (!taken_.empty()) Release();
        EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before_), 0);
    }
    FewDescriptors(const FewDescriptors&) = delete;
    FewDescriptors& operator=(const FewDescriptors&) = delete;

  private:
    void Release() {
        close(taken_.back());
        taken_.pop_back();
    }

    rlimit before_{};
    std::vector<int> taken_;
};

// Makes a call with more and more free descriptors, until it succeeds.
void ExpectRefusalsFirst(const char* call, const std::function<aclError()>& make) {
    constexpr size_t kMost = 16;
    for (size_t free = 0; free < kMost; ++free) {
        aclError code = ACL_SUCCESS;
        {
            const FewDescriptors few(free);
            code = make();
        }
        if (code == ACL_SUCCESS) {
            EXPECT_GT(free, 0u) << call << " needs no descriptor";
            return;
        }
        const std::string text = TakeText();
        EXPECT_TRUE(code == ACL_ERROR_RT_NO_STREAM_RESOURCE || code == ACL_ERROR_BAD_ALLOC)
            << call << " with " << free << " free descriptors: " << code << ", " << text;
        EXPECT_NE(text.find("ulimit -n"), std::string::npos) << call << ": " << text;
    }
    ADD_FAILURE() << call << " fails with " << kMost << " free descriptors";
}

#define EXPECT_REFUSALS_FIRST(call) ExpectRefusalsFirst(#call, [&] { return call; })

// A notify and an event are imported with the same code; memory by the driver of a GPU.
void Import(Connection& parent) {
    const Session session;
    const auto offers = parent.Receive<Offers>();
    aclrtEvent event = nullptr;
    aclrtNotify notify = nullptr;
    EXPECT_REFUSALS_FIRST(aclrtIpcOpenEventHandle(offers.event, &event));
    EXPECT_REFUSALS_FIRST(aclrtNotifyImportByKey(&notify, offers.notify, ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT));
    ACL_EXPECT_OK(aclrtDestroyEvent(event));
    ACL_EXPECT_OK(aclrtDestroyNotify(notify));
    if (!OnCpu()) return;
    void* memory = nullptr;
    EXPECT_REFUSALS_FIRST(aclrtIpcMemImportByKey(&memory, offers.memory, ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT));
    ACL_EXPECT_OK(aclrtIpcMemClose(offers.memory));
}

}  // namespace

TWO_PROCESS_TEST(FewDescriptors, ImportsAreRefusedWithTheLimit, Import) {
    const Session session;
    const Event event(ACL_EVENT_IPC);
    const Notify notify;
    const DeviceMemory memory(4096);
    Offers offers{};
    offers.event = Export(event);
    ACL_EXPECT_OK(
        aclrtNotifyGetExportKey(notify, offers.notify, kRoom, ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION));
    ACL_EXPECT_OK(aclrtIpcMemGetExportKey(memory.At(), 4096, offers.memory, kRoom,
                                          ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION));
    Peer peer;
    peer.Send(offers);
    peer.Join();
}

namespace {

void ExportAll(Connection&) {
    const Session session;
    const Event event(ACL_EVENT_IPC);
    const Notify notify;
    auto handle = Poison<EventHandle>();
    char key[kRoom];
    EXPECT_REFUSALS_FIRST(aclrtIpcGetEventHandle(event, &handle));
    EXPECT_REFUSALS_FIRST(
        aclrtNotifyGetExportKey(notify, key, kRoom, ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION));
    if (!OnCpu()) return;
    const DeviceMemory memory(4096);
    EXPECT_REFUSALS_FIRST(
        aclrtIpcMemGetExportKey(memory.At(), 4096, key, kRoom, ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION));
}

}  // namespace

TWO_PROCESS_TEST(FewDescriptors, ExportsAreRefusedWithTheLimit, ExportAll) {
    Peer peer;
    peer.Join();
}
