// Starts each kind of library thread, and lists them as the kernel shows them.
#pragma once

#include <acl/acl.h>

#include <sys/types.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/acl_test.h"
#include "support/gate.h"
#include "support/graph/condition.h"
#include "support/memory/ipc.h"
#include "support/objects.h"
#include "support/stream/notify.h"

namespace portacl_test {

// The names of the library's running threads, with their kernel ids.
inline std::map<std::string, pid_t> ThreadsOfTheLibrary() {
    std::map<std::string, pid_t> found;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream file(thread.path() / "comm");
        std::string name;
        if (file >> name && name.rfind("portacl-", 0) == 0)
            found[name] = static_cast<pid_t>(std::stol(thread.path().filename()));
    }
    return found;
}

// While it exists each kind of thread runs, in a session with PORTACL_TRACE: threads that run user
// code, the watcher, the graph driver, the broker, and the trace writer. The calling thread starts
// all but the last.
class EachThreadOfTheLibrary {
  public:
    EachThreadOfTheLibrary() { Start(); }
    ~EachThreadOfTheLibrary() {
        CloseKey(key_);
        gate_.Open();
        ACL_EXPECT_OK(aclrtRecordNotify(notify_, held_));
        ACL_EXPECT_OK(aclrtSynchronizeDevice());
    }

    static std::vector<std::string> Names() {
        return {OnCpu() ? "portacl-cpu-1" : "portacl-host-fn", "portacl-watcher", "portacl-graph", "portacl-broker",
                "portacl-trace"};
    }

  private:
    void Start() {
        ACL_OK(gate_.Hold(held_));
        ASSERT_TRUE(gate_.AwaitArrival());
        ACL_OK(aclrtRecordEvent(event_, held_));
        ACL_OK(aclrtStreamWaitEventWithTimeout(limited_, event_, 3600));
        ACL_OK(aclrtWaitAndResetNotify(notify_, watching_, 0));
        key_ = ExportKey(memory_.At(), memory_.Size());
        std::vector<aclmdlRI> bodies;
        graph_.emplace(Capture(stream_, [&] {
            const Condition never(GraphOf(stream_));
            bodies = AddTask(never, kIf, 1, stream_);
        }));
        CaptureBody(bodies[0], stream_, [&] { ACL_OK(aclrtMemsetAsync(memory_.At(), 64, 0, 64, stream_)); });
        ACL_OK(aclmdlRIExecuteAsync(*graph_, stream_));
        ACL_OK(aclrtSynchronizeStream(stream_));
    }

    Stream held_, limited_, watching_, stream_;
    Event event_;
    Notify notify_;
    const DeviceMemory memory_{1 << 20};
    KeyText key_;
    std::optional<Graph> graph_;
    // Last member: its destructor opens it before the streams are destroyed.
    Gate gate_;
};

}  // namespace portacl_test
