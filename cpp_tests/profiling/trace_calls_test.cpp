// What a trace has of the calls of threads: bars, and arrows to the operations that they enqueued.
#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "support/gate.h"
#include "support/objects.h"
#include "support/profiling/with_trace.h"
#include "support/threads.h"

using namespace portacl_test;

namespace {

constexpr size_t kSize = 1 << 20;

void DoCalls() {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    {
        Stream first, second;
        Event event;
        DeviceMemory memory(kSize);
        PinnedMemory pinned(kSize, 7);
        Gate gate;
        ACL_OK(gate.Hold(first));
        ACL_OK(aclrtMemcpyAsync(memory.At(), kSize, pinned.At(), kSize, ACL_MEMCPY_HOST_TO_DEVICE, first));
        ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 3, 8192, first));
        ACL_OK(aclrtRecordEvent(event, first));
        ACL_OK(aclrtStreamWaitEvent(second, event));
        OnNewThread([&] {
            ACL_OK(aclrtSetDevice(0));
            ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 4, 512, second));
        });
        // A stream that is idle already is not waited for.
        std::thread opener([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            gate.Open();
        });
        ACL_OK(aclrtSynchronizeStream(second));
        opener.join();
        ACL_OK(aclrtMemset(memory.At(), kSize, 1, 4096));
    }
    ACL_OK(aclFinalize());
}

// The arrows from calls to operations: the call, the operation, and its bytes.
std::vector<std::tuple<std::string, std::string, int64_t>> Enqueued(const Trace& trace) {
    std::map<int64_t, TraceEvent> ends;
    for (const TraceEvent& end : trace.Named('f', "enqueue")) ends[end.id] = end;
    std::vector<std::tuple<std::string, std::string, int64_t>> found;
    for (const TraceEvent& begin : trace.Named('s', "enqueue")) {
        const TraceEvent* call = trace.BarAt(begin.track, begin.begin);
        const TraceEvent* work = trace.BarAt(ends[begin.id].track, ends[begin.id].begin);
        EXPECT_EQ(begin.category, "submission");
        EXPECT_FALSE(trace.IsOfDevice(begin));
        EXPECT_TRUE(trace.IsOfDevice(ends[begin.id]));
        EXPECT_LE(begin.begin, ends[begin.id].begin);
        if (!call || !work) continue;
        EXPECT_EQ(call->category, "call") << call->name;
        EXPECT_LE(call->begin, work->begin) << work->name;
        EXPECT_EQ(work->args.at("thread"), call->track.second);
        found.emplace_back(call->name, work->name, work->Bytes());
    }
    std::sort(found.begin(), found.end());
    return found;
}

void CheckCalls(const Trace& trace) {
    const std::vector<std::tuple<std::string, std::string, int64_t>> enqueued = {
        {"aclrtLaunchHostFunc", "host function", 0},
        {"aclrtMemcpyAsync", "copy host to device", kSize},
        {"aclrtMemsetAsync", "fill", 512},
        {"aclrtMemsetAsync", "fill", 8192},
        {"aclrtStreamWaitEvent", "wait for event", 0}};
    EXPECT_EQ(Enqueued(trace), enqueued);

    // The calls of a thread follow each other, and each takes time.
    std::map<TrackKey, std::vector<TraceEvent>> rows;
    for (const TraceEvent& call : trace.Bars("call")) rows[call.track].push_back(call);
    ASSERT_EQ(rows.size(), 2u);
    std::vector<std::vector<std::string>> names;
    for (auto& [track, calls] : rows) {
        std::sort(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
        names.emplace_back();
        for (size_t i = 0; i < calls.size(); ++i) {
            EXPECT_LT(calls[i].begin, calls[i].end) << calls[i].name;
            if (i > 0) {
                EXPECT_LE(calls[i - 1].end, calls[i].begin) << calls[i].name;
            }
            names.back().push_back(calls[i].name);
        }
    }
    std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
    EXPECT_EQ(names[0], std::vector<std::string>{"aclrtMemsetAsync"});
    // The test's objects copy before and after.
    const std::vector<std::string> calls = {"aclrtLaunchHostFunc", "aclrtMemcpyAsync",     "aclrtMemsetAsync",
                                            "aclrtRecordEvent",    "aclrtStreamWaitEvent", "aclrtSynchronizeStream",
                                            "aclrtMemset"};
    EXPECT_NE(std::search(names[1].begin(), names[1].end(), calls.begin(), calls.end()), names[1].end())
        << testing::PrintToString(names[1]);

    // Behind the gate the operations begin after their calls have ended; the synchronize lasts until they are over.
    const auto bar = [&](char phase, const std::string& name) { return trace.Named(phase, name).at(0); };
    const TraceEvent copy = bar('X', "copy host to device"), wait = bar('X', "aclrtSynchronizeStream");
    EXPECT_GE(copy.begin + (OnCpu() ? 0 : 1000), bar('X', "aclrtMemcpyAsync").end);
    EXPECT_GE(wait.end + (OnCpu() ? 0 : 1000), trace.Bars("wait").at(0).end);
    // A synchronous operation is inside of its call.
    const auto fills = trace.Where([&](const TraceEvent& event) {
        return event.phase == 'X' && event.name == "fill" && !trace.IsOfDevice(event) && event.Bytes() == 4096;
    });
    ASSERT_EQ(fills.size(), 1u);
    const TraceEvent memset = bar('X', "aclrtMemset");
    EXPECT_EQ(memset.track, fills[0].track);
    EXPECT_LE(memset.begin, fills[0].begin);
    EXPECT_GE(memset.end, fills[0].end);
    for (const TraceEvent& call : trace.Bars("call")) EXPECT_EQ(call.args.count("python"), 0u);
}

TEST(Trace, HasTheCallsOfThreads) {
    WithTrace("calls", DoCalls, CheckCalls);
}

}  // namespace
