// Captures and graphs for tests.
#pragma once

#include <acl/acl.h>

#include <utility>
#include <vector>

#include "support/acl_test.h"
#include "support/objects.h"

namespace portacl_test {

// A captured graph.
class Graph {
  public:
    explicit Graph(aclmdlRI handle) : handle_(handle) {}
    Graph(Graph&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    ~Graph() {
        if (handle_) ExpectOk("aclmdlRIDestroy", aclmdlRIDestroy(handle_));
    }

    operator aclmdlRI() const { return handle_; }

    // Gives the graph up: the test destroys it.
    aclmdlRI Release() { return std::exchange(handle_, nullptr); }

  private:
    aclmdlRI handle_;
};

// Captures what `work` submits to the stream.
template <typename Work>
Graph Capture(aclrtStream stream, Work work, aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL) {
    ExpectOk("aclmdlRICaptureBegin", aclmdlRICaptureBegin(stream, mode));
    work();
    aclmdlRI graph = nullptr;
    ExpectOk("aclmdlRICaptureEnd", aclmdlRICaptureEnd(stream, &graph));
    return Graph(graph);
}

// Returns the capture status of a stream from aclmdlRICaptureGetInfo, or -1 if that fails.
inline int StatusOf(aclrtStream stream, aclmdlRI* graph = nullptr) {
    auto status = Poison<aclmdlRICaptureStatus>();
    auto found = Poison<aclmdlRI>();
    const aclError code = aclmdlRICaptureGetInfo(stream, &status, &found);
    ExpectOk("aclmdlRICaptureGetInfo", code);
    if (graph) *graph = found;
    return code == 0 ? static_cast<int>(status) : -1;
}

// Returns the streams of a graph.
inline std::vector<aclrtStream> StreamsOf(aclmdlRI graph) {
    uint32_t count = 0;
    ExpectOk("aclmdlRIGetStreams", aclmdlRIGetStreams(graph, nullptr, &count));
    std::vector<aclrtStream> streams(count);
    if (count) ExpectOk("aclmdlRIGetStreams", aclmdlRIGetStreams(graph, streams.data(), &count));
    EXPECT_EQ(count, streams.size());
    return streams;
}

// Returns the tasks of one of its streams.
inline std::vector<aclmdlRITask> TasksOf(aclrtStream stream) {
    uint32_t count = 0;
    ExpectOk("aclmdlRIGetTasksByStream", aclmdlRIGetTasksByStream(stream, nullptr, &count));
    std::vector<aclmdlRITask> tasks(count);
    if (count) ExpectOk("aclmdlRIGetTasksByStream", aclmdlRIGetTasksByStream(stream, tasks.data(), &count));
    EXPECT_EQ(count, tasks.size());
    return tasks;
}

// Returns the parameters of a task.
inline aclmdlRITaskParams ParamsOf(aclmdlRITask task) {
    auto params = Poison<aclmdlRITaskParams>();
    ExpectOk("aclmdlRITaskGetParams", aclmdlRITaskGetParams(task, &params));
    return params;
}

// Ends an invalid capture.
inline void EndInvalid(aclrtStream stream) {
    EXPECT_EQ(StatusOf(stream), ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED);
    auto graph = Poison<aclmdlRI>();
    EXPECT_TRUE(
        Failed("aclmdlRICaptureEnd", aclmdlRICaptureEnd(stream, &graph), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED));
    EXPECT_TRUE(IsPoison(graph));
    EXPECT_EQ(StatusOf(stream), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
}

}  // namespace portacl_test
