// Queries of graphs: names, ids, streams, tasks and their kinds.
#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "support/acl_test.h"
#include "support/graph/build.h"
#include "support/graph/graph.h"
#include "support/kernel/kernels.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/threads.h"

namespace {

using namespace portacl_test;

using GraphInspect = WithDevice;

std::string NameOf(aclmdlRI graph, uint32_t room = 1024) {
    std::vector<char> name(room + 1, '#');
    EXPECT_TRUE(Returned("aclmdlRIGetName", aclmdlRIGetName(graph, room, name.data()), 0));
    EXPECT_EQ(name[room], '#');
    return name.data();
}

uint32_t IdOf(aclmdlRI graph) {
    auto id = Poison<uint32_t>();
    EXPECT_TRUE(Returned("aclmdlRIGetId", aclmdlRIGetId(graph, &id), 0));
    return id;
}

std::vector<int> TypesOf(aclrtStream stream) {
    std::vector<int> types;
    for (aclmdlRITask task : TasksOf(stream)) {
        auto type = Poison<aclmdlRITaskType>();
        EXPECT_TRUE(Returned("aclmdlRITaskGetType", aclmdlRITaskGetType(task, &type), 0));
        types.push_back(static_cast<int>(type));
    }
    return types;
}

// `count` fills of 64 bytes.
Graph Fills(aclrtStream stream, const DeviceMemory& memory, size_t count) {
    return Capture(stream, [&] {
        for (size_t i = 0; i < count; ++i) ACL_OK(aclrtMemsetAsync(memory.At(), 64, static_cast<int>(i), 64, stream));
    });
}

// ---- names and ids ----

TEST_F(GraphInspect, NamesAreKept) {
    const Stream stream;
    const Graph graph = Capture(stream, [] {}), other = Capture(stream, [] {});
    EXPECT_EQ(NameOf(graph), "");
    std::string text = "decoder, batch 8";
    ACL_OK(aclmdlRISetName(graph, text.c_str()));
    text = "something else";
    EXPECT_EQ(NameOf(graph), "decoder, batch 8");
    EXPECT_EQ(NameOf(other), "");
    ACL_OK(aclmdlRISetName(graph, "encoder"));
    EXPECT_EQ(NameOf(graph), "encoder");
    ACL_OK(aclmdlRISetName(graph, ""));
    EXPECT_EQ(NameOf(graph), "");
}

TEST_F(GraphInspect, LongNamesAreTruncated) {
    const Stream stream;
    const Graph graph = Capture(stream, [] {});
    const std::string longest(512, 'x'), longer(513, 'y');
    ACL_OK(aclmdlRISetName(graph, longest.c_str()));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclmdlRISetName(graph, longer.c_str()), "513 bytes", "512");
    EXPECT_EQ(NameOf(graph, 513), longest);
    EXPECT_EQ(NameOf(graph, 512), longest.substr(1));
    EXPECT_EQ(NameOf(graph, 1), "");
    // Truncated between characters; invalid UTF-8 is replaced.
    ACL_OK(aclmdlRISetName(graph, "a\xc3\xa9"));
    EXPECT_EQ(NameOf(graph, 4), "a\xc3\xa9");
    EXPECT_EQ(NameOf(graph, 3), "a");
    ACL_OK(aclmdlRISetName(graph, "b\xff"));
    EXPECT_EQ(NameOf(graph), "b\xef\xbf\xbd");
}

TEST_F(GraphInspect, NumbersAreDifferent) {
    const Stream stream;
    std::set<uint32_t> ids;
    for (int i = 0; i < 4; ++i) ids.insert(IdOf(Capture(stream, [] {})));
    EXPECT_EQ(ids.size(), 4u);
}

TEST_F(GraphInspect, GraphsBeingCapturedHaveNameAndNumberOnly) {
    const Stream stream;
    const DeviceMemory memory(64);
    aclmdlRI early = nullptr;
    uint32_t id = 0;
    const Graph graph = Capture(stream, [&] {
        ACL_OK(aclrtMemsetAsync(memory.At(), 64, 1, 64, stream));
        ASSERT_EQ(StatusOf(stream, &early), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
        ACL_OK(aclmdlRISetName(early, "early"));
        id = IdOf(early);
        auto count = Poison<uint32_t>();
        ACL_FAILS_SAYING(ACL_ERROR_RT_MODEL_CAPTURED, aclmdlRIGetStreams(early, nullptr, &count), Shown(early),
                         "aclmdlRICaptureEnd");
        ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CAPTURED, aclmdlRIGetTasksByStream(stream, nullptr, &count), Shown(stream),
                         "aclmdlRICaptureEnd");
        EXPECT_TRUE(IsPoison(count));
    });
    EXPECT_EQ(early, static_cast<aclmdlRI>(graph));
    EXPECT_EQ(NameOf(graph), "early");
    EXPECT_EQ(IdOf(graph), id);
    EXPECT_EQ(StreamsOf(graph).size(), 1u);
}

// ---- streams and tasks ----

TEST_F(GraphInspect, EachStreamHasItsTasks) {
    const Program program;
    const Stream stream, other;
    const Event fork(ACL_EVENT_SYNC), join(ACL_EVENT_SYNC);
    aclrtEvent again = nullptr;
    ACL_OK(aclrtCreateEventWithFlag(&again, ACL_EVENT_SYNC));
    const DeviceMemory memory(128);
    const ZeroWords words(4);
    const Graph graph = Capture(stream, [&] {
        ACL_OK(Mark(program.Kernel("mark"), words.At(), 1, 4, stream));
        ACL_OK(aclrtRecordEvent(fork, stream));
        ACL_OK(aclrtStreamWaitEvent(other, fork));
        ACL_OK(aclrtMemsetAsync(memory.At(), 64, 1, 64, other));
        ACL_OK(aclrtMemcpyAsync(memory.At(64), 64, memory.At(), 64, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        ACL_OK(aclrtRecordEvent(again, stream));
        ACL_OK(aclrtResetEvent(again, stream));
        ACL_OK(aclrtLaunchHostFunc(
            stream, [](void*) {}, nullptr));
        ACL_OK(aclrtRecordEvent(join, other));
        ACL_OK(aclrtStreamWaitEvent(stream, join));
    });
    const auto streams = StreamsOf(graph);
    ASSERT_EQ(streams.size(), 2u);
    EXPECT_EQ(TypesOf(streams[0]), (std::vector<int>{1, 2, 0, 2, 4, 0, 3}));
    EXPECT_EQ(TypesOf(streams[1]), (std::vector<int>{3, 0, 2}));
    std::set<aclmdlRITask> all;
    for (aclrtStream part : streams) {
        uint32_t next = 0;
        for (aclmdlRITask task : TasksOf(part)) {
            auto id = Poison<uint32_t>();
            ACL_OK(aclmdlRITaskGetSeqId(task, &id));
            EXPECT_EQ(id, next++);
            all.insert(task);
        }
    }
    EXPECT_EQ(all.size(), 10u);
    // The same handles each time, also after a run.
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(StreamsOf(graph), streams);
    EXPECT_EQ(TasksOf(streams[0]), TasksOf(stream));
    EXPECT_EQ(TasksOf(streams[1]), TasksOf(other));
    EXPECT_EQ(all.count(TasksOf(streams[1])[2]), 1u);
    ACL_OK(aclrtDestroyEvent(again));
}

TEST_F(GraphInspect, EmptyGraphsHaveNoStreams) {
    const Stream stream;
    const Graph graph = Capture(stream, [] {});
    EXPECT_TRUE(StreamsOf(graph).empty());
    auto count = Poison<uint32_t>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIGetTasksByStream(stream, nullptr, &count), Shown(stream),
                     "aclmdlRIGetStreams");
    EXPECT_TRUE(IsPoison(count));
}

TEST_F(GraphInspect, CountsAreReturned) {
    const Stream stream;
    const DeviceMemory memory(64);
    const Graph graph = Fills(stream, memory, 3);
    auto count = Poison<uint32_t>();
    ACL_OK(aclmdlRIGetStreams(graph, nullptr, &count));
    EXPECT_EQ(count, 1u);
    std::array<aclrtStream, 2> streams;
    streams.fill(Poison<aclrtStream>());
    count = 0;
    ACL_FAILS_SAYING(ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY, aclmdlRIGetStreams(graph, streams.data(), &count),
                     "numStreams is 0", "needs 1 element.");
    EXPECT_EQ(count, 1u);
    EXPECT_TRUE(IsPoison(streams[0]));
    count = 2;
    ACL_OK(aclmdlRIGetStreams(graph, streams.data(), &count));
    EXPECT_EQ(count, 1u);
    EXPECT_TRUE(IsPoison(streams[1]));

    std::array<aclmdlRITask, 4> tasks;
    tasks.fill(Poison<aclmdlRITask>());
    count = 2;
    ACL_FAILS_SAYING(ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY, aclmdlRIGetTasksByStream(streams[0], tasks.data(), &count),
                     "numTasks is 2", "needs 3 elements.");
    EXPECT_EQ(count, 3u);
    for (aclmdlRITask task : tasks) EXPECT_TRUE(IsPoison(task));
    ACL_OK(aclmdlRIGetTasksByStream(streams[0], tasks.data(), &count));
    EXPECT_EQ(count, 3u);
    EXPECT_FALSE(IsPoison(tasks[2]));
    EXPECT_TRUE(IsPoison(tasks[3]));
    count = 0;
    ACL_OK(aclmdlRIGetTasksByStream(streams[0], nullptr, &count));
    EXPECT_EQ(count, 3u);
}

// A stream of the program stands for its latest capture; streams of graphs outlive that.
TEST_F(GraphInspect, StreamsBelongToTheGraph) {
    Stream stream;
    const DeviceMemory memory(64);
    const Graph first = Fills(stream, memory, 1);
    const auto tasks = TasksOf(stream);
    {
        const Graph second = Fills(stream, memory, 2);
        EXPECT_EQ(TasksOf(stream).size(), 2u);
        EXPECT_NE(StreamsOf(first), StreamsOf(second));
        EXPECT_EQ(TasksOf(StreamsOf(first)[0]), tasks);
    }
    EXPECT_EQ(TasksOf(stream), tasks);
    aclrtStream gone = stream.Release();
    ACL_OK(aclrtDestroyStream(gone));
    uint32_t count = 0;
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIGetTasksByStream(gone, nullptr, &count), Shown(gone),
                     "destroyed");
    EXPECT_EQ(TasksOf(StreamsOf(first)[0]), tasks);
}

TEST_F(GraphInspect, TasksOfNestedGraphsAreListed) {
    const Stream stream, outer;
    const DeviceMemory memory(64);
    const Graph inner = Fills(stream, memory, 3);
    const Graph graph = Capture(outer, [&] {
        ACL_OK(aclmdlRIExecuteAsync(inner, outer));
        ACL_OK(aclrtMemsetAsync(memory.At(), 64, 1, 64, outer));
    });
    ASSERT_EQ(StreamsOf(graph).size(), 1u);
    EXPECT_EQ(TasksOf(outer).size(), 4u);
    EXPECT_EQ(TasksOf(stream).size(), 3u);
}

TEST_F(GraphInspect, AllThreadsGetTheSameHandles) {
    const Stream stream;
    const DeviceMemory memory(64);
    const Graph graph = Fills(stream, memory, 100);
    std::array<std::vector<aclmdlRITask>, 4> found;
    OnThreads(4, [&](int index) {
        // No context is needed.
        const auto streams = StreamsOf(graph);
        ASSERT_EQ(streams.size(), 1u);
        found[static_cast<size_t>(index)] = TasksOf(streams[0]);
    });
    EXPECT_EQ(found[0].size(), 100u);
    for (const auto& tasks : found) EXPECT_EQ(tasks, found[0]);
}

// ---- handles ----

// Calls with handles that are no longer valid: `word` is in each error text.
void ExpectInvalid(aclmdlRI graph, aclrtStream part, aclmdlRITask task, const char* word) {
    constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
    char name[8] = "#";
    auto number = Poison<uint32_t>();
    auto type = Poison<aclmdlRITaskType>();
    ACL_FAILS_SAYING(kDead, aclmdlRISetName(graph, "name"), Shown(graph), word);
    ACL_FAILS_SAYING(kDead, aclmdlRIGetName(graph, 8, name), Shown(graph), word);
    ACL_FAILS_SAYING(kDead, aclmdlRIGetId(graph, &number), Shown(graph), word);
    ACL_FAILS_SAYING(kDead, aclmdlRIGetStreams(graph, nullptr, &number), Shown(graph), word);
    ACL_FAILS_SAYING(kDead, aclmdlRIGetTasksByStream(part, nullptr, &number), Shown(part), word);
    ACL_FAILS_SAYING(kDead, aclmdlRITaskGetType(task, &type), Shown(task), word);
    ACL_FAILS_SAYING(kDead, aclmdlRITaskGetSeqId(task, &number), Shown(task), word);
    EXPECT_STREQ(name, "#");
    EXPECT_TRUE(IsPoison(number) && IsPoison(type));
}

TEST_F(GraphInspect, HandlesEndWithTheirGraph) {
    const Stream stream;
    const DeviceMemory memory(64);
    Graph graph = Fills(stream, memory, 2);
    const auto parts = StreamsOf(graph);
    const auto tasks = TasksOf(parts[0]);
    aclmdlRI dead = graph.Release();
    ACL_OK(aclmdlRIDestroy(dead));
    ExpectInvalid(dead, parts[0], tasks[1], "destroyed");
}

TEST_F(GraphInspect, HandlesEndWithTheirDevice) {
    aclrtStream stream = nullptr;
    void* memory = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_NORMAL_ONLY));
    aclmdlRI graph = Capture(stream, [&] { ACL_OK(aclrtMemsetAsync(memory, 64, 1, 64, stream)); }).Release();
    const auto parts = StreamsOf(graph);
    const auto tasks = TasksOf(parts[0]);
    ACL_OK(aclrtResetDevice(0));
    ExpectInvalid(graph, parts[0], tasks[0], "device");
    ACL_OK(aclFinalize());
    ExpectInvalid(graph, parts[0], tasks[0], "device");
    ACL_OK(aclInit(nullptr));
    ExpectInvalid(graph, parts[0], tasks[0], "device");
}

TEST_F(GraphInspect, HandlesOfOtherKindsAreRefused) {
    const Stream stream;
    const DeviceMemory memory(64);
    const Graph graph = Fills(stream, memory, 1);
    const auto part = StreamsOf(graph)[0];
    const auto task = TasksOf(part)[0];
    ExpectInvalid(part, graph, part, "of kind");
    ExpectInvalid(task, task, graph, "of kind");
    int local = 0;
    ExpectInvalid(&local, &local, &local, "not a handle");
    // A graph's stream cannot be submitted to either.
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtMemsetAsync(memory.At(), 64, 1, 64, part), Shown(part),
                     "stream of a graph");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream(part), Shown(part), "stream of a graph");
}

TEST_F(GraphInspect, NullIsRefused) {
    const Stream stream;
    const DeviceMemory memory(64);
    const Graph graph = Fills(stream, memory, 1);
    const auto part = StreamsOf(graph)[0];
    const auto task = TasksOf(part)[0];
    constexpr aclError kNull = ACL_ERROR_INVALID_PARAM;
    char name[4] = "#";
    auto number = Poison<uint32_t>();
    auto type = Poison<aclmdlRITaskType>();
    ACL_FAILS_SAYING(kNull, aclmdlRISetName(nullptr, "a"), "modelRI is null");
    ACL_FAILS_SAYING(kNull, aclmdlRISetName(graph, nullptr), "name is null");
    ACL_FAILS_SAYING(kNull, aclmdlRIGetName(nullptr, 4, name), "modelRI is null");
    ACL_FAILS_SAYING(kNull, aclmdlRIGetName(graph, 4, nullptr), "name is null");
    ACL_FAILS_SAYING(kNull, aclmdlRIGetName(graph, 0, name), "maxLen is 0");
    ACL_FAILS_SAYING(kNull, aclmdlRIGetId(nullptr, &number), "modelRI is null");
    ACL_FAILS_SAYING(kNull, aclmdlRIGetId(graph, nullptr), "modelRIId is null");
    ACL_FAILS_SAYING(kNull, aclmdlRIGetStreams(nullptr, nullptr, &number), "modelRI is null");
    ACL_FAILS_SAYING(kNull, aclmdlRIGetStreams(graph, nullptr, nullptr), "numStreams is null");
    ACL_FAILS_SAYING(kNull, aclmdlRIGetTasksByStream(nullptr, nullptr, &number), "stream is null");
    ACL_FAILS_SAYING(kNull, aclmdlRIGetTasksByStream(part, nullptr, nullptr), "numTasks is null");
    ACL_FAILS_SAYING(kNull, aclmdlRITaskGetType(nullptr, &type), "task is null");
    ACL_FAILS_SAYING(kNull, aclmdlRITaskGetType(task, nullptr), "type is null");
    ACL_FAILS_SAYING(kNull, aclmdlRITaskGetSeqId(nullptr, &number), "task is null");
    ACL_FAILS_SAYING(kNull, aclmdlRITaskGetSeqId(task, nullptr), "id is null");
    EXPECT_STREQ(name, "#");
    EXPECT_TRUE(IsPoison(number) && IsPoison(type));
}

TEST_F(GraphInspect, AStreamOfAGraphThatIsBuiltHasNoTasksYet) {
    const Persistent stream;
    const Built graph;
    graph.Bind(stream);
    auto number = Poison<uint32_t>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CAPTURED, aclmdlRIGetTasksByStream(stream, nullptr, &number), Shown(stream),
                     "bound to a graph that is being built", "call aclmdlRIBuildEnd first");
    EXPECT_TRUE(IsPoison(number));
    graph.End(stream);
}

}  // namespace
