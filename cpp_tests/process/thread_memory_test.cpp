// Host memory ends while a call starts a thread of the library: at each allocation of the call and of the new thread.
// The process lives, and the call succeeds or reports a shortage.
#include "support/process/limited_heap.h"

#include <acl/acl_prof.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "support/gate.h"
#include "support/graph/condition.h"
#include "support/memory/ipc.h"
#include "support/own_process.h"
#include "support/process/exhausted.h"
#include "support/process/proc.h"
#include "support/profiling/profiling.h"
#include "support/stream/notify.h"

using namespace portacl_test;

namespace {

// How long a new thread may take for its first steps.
constexpr useconds_t kFirstSteps = 2'000;
// More bytes than any of the calls allocates.
constexpr long kMost = 8 << 20;

// Objects that a call needs. They are created and destroyed with memory.
struct Starter {
    virtual ~Starter() = default;
    // Makes the calls that start a thread. Returns the first code that is no success.
    virtual aclError Start() = 0;
    // Ends what has started.
    virtual void End(bool started) = 0;
};

// A thread that runs streams.
struct StreamThread : Starter {
    aclError Start() override {
        const aclError code = aclrtCreateStream(&stream_);
        return code != ACL_SUCCESS ? code : Enqueue();
    }
    void End(bool) override {
        if (!stream_) return;
        // The function is not called if a second thread could not be started.
        const aclError code = aclrtSynchronizeStream(stream_);
        EXPECT_TRUE(code == ACL_SUCCESS || IsShortage(code)) << code << " " << aclGetRecentErrMsg();
        const int before = runs_;
        EXPECT_LE(before, 1);
        ACL_OK(Enqueue());
        ACL_OK(aclrtSynchronizeStream(stream_));
        EXPECT_EQ(runs_, before + 1);
        ACL_OK(aclrtDestroyStream(stream_));
    }

  private:
    aclError Enqueue() {
        return aclrtLaunchHostFunc(
            stream_, [](void* runs) { ++*static_cast<std::atomic<int>*>(runs); }, &runs_);
    }

    aclrtStream stream_ = nullptr;
    std::atomic<int> runs_{0};
};

// The thread that watches waits.
struct Watch : Starter {
    aclError Start() override { return aclrtWaitAndResetNotify(notify_, stream_, 0); }
    void End(bool started) override {
        if (started) {
            ACL_OK(aclrtRecordNotify(notify_, other_));
        }
        ACL_OK(aclrtSynchronizeDevice());
    }

  private:
    const Stream stream_, other_;
    const Notify notify_;
};

// The thread that answers other processes.
struct Share : Starter {
    aclError Start() override {
        return aclrtIpcMemGetExportKey(memory_.At(), memory_.Size(), key_.text, sizeof key_.text, 0);
    }
    void End(bool started) override {
        if (started) {
            ACL_OK(aclrtIpcMemClose(key_));
        }
    }

  private:
    const DeviceMemory memory_{1 << 20};
    KeyText key_{};
};

// The thread that drives runs of graphs.
struct Run : Starter {
    Run() {
        std::vector<aclmdlRI> bodies;
        graph_.emplace(Capture(stream_, [&] {
            const Condition never(GraphOf(stream_));
            bodies = AddTask(never, kIf, 1, stream_);
        }));
        CaptureBody(bodies[0], stream_, [&] { ACL_OK(aclrtMemsetAsync(memory_.At(), 64, 0, 64, stream_)); });
    }
    aclError Start() override { return aclmdlRIExecuteAsync(*graph_, stream_); }
    void End(bool) override { ACL_OK(aclrtSynchronizeStream(stream_)); }

  private:
    const Stream stream_;
    const DeviceMemory memory_{64};
    std::optional<Graph> graph_;
};

// The thread that writes a trace.
struct Profile : Starter {
    Profile() { ACL_EXPECT_OK(InitIn(folder_)); }
    ~Profile() override {
        ACL_EXPECT_OK(aclprofDestroyConfig(config_));
        ACL_EXPECT_OK(aclprofFinalize());
    }
    aclError Start() override { return aclprofStart(config_); }
    void End(bool started) override {
        if (started) {
            ACL_OK(aclprofStop(config_));
        }
    }

  private:
    const TemporaryFolder temporary_;
    const std::string folder_ = temporary_.At("profile");
    aclprofConfig* const config_ = ConfigFor({0});
};

// Starts threads in new sessions, each with memory for one more allocation than the session before, until it suffices.
template <typename T>
void StartWithLessMemory(const char* thread) {
    bool started = false;
    const bool on_cpu = OnCpu();
    size_t refused = 0;
    long left = 0;
    for (long lack = 1; lack > 0 && left < kMost; left += lack) {
        ACL_OK(aclInit(nullptr));
        ACL_OK(aclrtSetDevice(0));
        std::optional<T> starter{std::in_place};
        LimitedHeap::Leave(left);
        const aclError code = starter->Start();
        usleep(kFirstSteps);
        lack = LimitedHeap::Return();
        if (code != ACL_SUCCESS) {
            ++refused;
            const char* text = aclGetRecentErrMsg();
            EXPECT_TRUE(IsShortage(code)) << left << " bytes left: " << code << " " << (text ? text : "");
            ASSERT_NE(text, nullptr) << left << " bytes left: " << code;
            EXPECT_NE(std::strstr(text, "memory"), nullptr) << text;
        }
        // A driver's thread may start it late. It does if nothing lacked.
        for (int looks = lack > 0 ? 1 : 1'000; looks > 0 && !started; --looks, usleep(lack > 0 ? 0 : 1'000)) {
            for (const auto& [name, id] : ThreadsOfTheLibrary()) started = started || name.rfind(thread, 0) == 0;
        }
        starter->End(code == ACL_SUCCESS);
        starter.reset();
        ACL_OK(aclrtResetDevice(0));
        ACL_OK(aclFinalize());
    }
    EXPECT_LT(left, kMost) << "the memory never sufficed";
    EXPECT_TRUE(started) << thread;
    // Without a thread of the library, a driver's thread calls host functions.
    if (on_cpu || !std::is_same_v<T, StreamThread>) {
        EXPECT_GT(refused, 0u) << thread;
    }
}

}  // namespace

OWN_PROCESS_TEST(ThreadMemory, OfStreams) {
    StartWithLessMemory<StreamThread>(OnCpu() ? "portacl-cpu-" : "portacl-host-fn");
}
OWN_PROCESS_TEST(ThreadMemory, OfTheWatcher) {
    NEEDS_QUEUES(2);
    StartWithLessMemory<Watch>("portacl-watcher");
}
OWN_PROCESS_TEST(ThreadMemory, OfTheBroker) {
    StartWithLessMemory<Share>("portacl-broker");
}
OWN_PROCESS_TEST(ThreadMemory, OfGraphs) {
    StartWithLessMemory<Run>("portacl-graph");
}
OWN_PROCESS_TEST(ThreadMemory, OfTraces) {
    StartWithLessMemory<Profile>("portacl-trace");
}
