// Starts each kind of library thread.
#pragma once

#include <acl/acl.h>

#include <optional>
#include <string>
#include <vector>

#include "support/acl_test.h"
#include "support/gate.h"
#include "support/graph/condition.h"
#include "support/memory/ipc.h"
#include "support/objects.h"
#include "support/process/proc.h"
#include "support/stream/notify.h"

namespace portacl_test {

// While it exists each kind of thread runs, in a session with PORTACL_TRACE: threads that run user
// code, the watcher, the graph driver, the broker, the trace writer, and on GPUs the one that queries
// events. The calling thread starts all but the trace writer.
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
        std::vector<std::string> names{OnCpu() ? "portacl-cpu-1" : "portacl-host-fn", "portacl-watcher",
                                       "portacl-graph", "portacl-broker", "portacl-trace"};
        if (!OnCpu()) names.emplace_back("portacl-events");
        return names;
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
    // The last member: its destructor opens it before the streams are destroyed.
    Gate gate_;
};

}  // namespace portacl_test
