// Graphs: nodes are enqueued on the stream of a launch, each time in another order that obeys the
// edges. Memory is looked up when a graph is launched.

#include "graph/graph.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "base/call.h"
#include "base/config.h"
#include "graph/capture.h"
#include "kernel/module.h"
#include "memory/memory.h"
#include "stream/event.h"
#include "stream/host_fn.h"
#include "stream/stream.h"
#include "transfer/memcpy.h"

// Assumption: A run of a graph with nodes waits for the previous run of it. Its nodes run in any order that their edges
// allow. The pageable source of a copy is read when the graph is launched.
// Source: CUDA Driver API, Graph Management: cuGraphLaunch; CUDA C++ Programming Guide, CUDA Graphs: Graph Structure.
// The pageable source: run on an H200 (docs/gpu, 2026-11-27)
// Test: GraphRun.ARunWaitsForThePreviousOne, GraphRun.RunsInSeveralStreamsAreSerialized, GraphStep.RunsDoNotOverlap,
// GraphControl.LabelsMakeLoops

namespace fake {
namespace {

std::shared_ptr<Graph> find_graph(const Call& call, CUgraph handle, CUresult* code) {
    auto graph = state().graphs.find(number_of(handle));
    if (graph == nullptr) {
        *code = call.refuse_handle(state().graphs, "graph", number_of(handle));
    }
    return graph;
}

std::shared_ptr<GraphExec> find_exec(const Call& call, CUgraphExec handle, CUresult* code) {
    auto exec = state().graph_execs.find(number_of(handle));
    if (exec == nullptr) {
        *code = call.refuse_handle(state().graph_execs, "graph exec", number_of(handle));
    }
    return exec;
}

// Adds a node with dependencies in the same graph.
CUresult add(Call& call, CUgraphNode* out, CUgraph handle, const CUgraphNode* after, size_t count, const char* kind,
             Node::Queue queue) {
    CUresult code = CUDA_SUCCESS;
    const auto graph = find_graph(call, handle, &code);
    if (graph == nullptr) return code;
    if (out == nullptr || (after == nullptr && count != 0)) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "phGraphNode or dependencies is null");
    }
    Node node;
    node.queue = std::move(queue);
    node.kind = kind;
    for (size_t i = 0; i < count; ++i) {
        const auto found = graph->places.find(number_of(after[i]));
        if (found == graph->places.end()) {
            return call.misuse(CUDA_ERROR_INVALID_VALUE, "dependencies[%zu] is no node of the graph", i);
        }
        for (size_t j = 0; j < i; ++j) {
            if (after[i] == after[j]) {
                return call.misuse(CUDA_ERROR_INVALID_VALUE, "dependencies[%zu] is there twice", i);
            }
        }
        node.after.push_back(found->second);
    }
    const uint64_t name = (uint64_t{0x5AFF} << 48) | ++state().graph_nodes * 16;
    graph->places.emplace(name, graph->nodes.size());
    graph->nodes.push_back(std::move(node));
    *out = reinterpret_cast<CUgraphNode>(name);
    return CUDA_SUCCESS;
}

bool is_current(const Call& call, CUcontext context) {
    return context == call.context().handle;
}

// Resolves one end of a copy. Returns null if it is not of the kind that its type names.
bool resolve_end(Call& call, const char* argument, unsigned type, const void* host, CUdeviceptr device, size_t pitch,
                 size_t width, size_t height, Rows* out) {
    const uint64_t address = type == CU_MEMORYTYPE_HOST ? reinterpret_cast<uint64_t>(host) : device;
    if (height > 1 && (pitch < width || pitch > 0x7fffffff)) {
        call.misuse(CUDA_ERROR_INVALID_VALUE, "%sPitch is %zu for rows of %zu bytes", argument, pitch, width);
        return false;
    }
    const size_t size = (height - 1) * pitch + width;
    if (resolve(call, argument, address, size, call.context(), &out->memory) != CUDA_SUCCESS) {
        return false;
    }
    out->pitch = pitch;
    const Operand& memory = out->memory;
    const bool fits = type == CU_MEMORYTYPE_HOST     ? !memory.only_on_device()
                      : type == CU_MEMORYTYPE_DEVICE ? memory.on_device()
                                                     : !memory.pageable();
    if (!fits) {
        call.misuse(CUDA_ERROR_INVALID_VALUE, "%sMemoryType is %u, which 0x%llx is not of", argument, type,
                    static_cast<unsigned long long>(address));
    }
    return fits;
}

CUresult queue_copy(Call& call, Stream& stream, const CUDA_MEMCPY3D& job) {
    Rows dst;
    Rows src;
    if (!resolve_end(call, "dst", job.dstMemoryType, job.dstHost, job.dstDevice, job.dstPitch, job.WidthInBytes,
                     job.Height, &dst) ||
        !resolve_end(call, "src", job.srcMemoryType, job.srcHost, job.srcDevice, job.srcPitch, job.WidthInBytes,
                     job.Height, &src)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    Operation operation;
    dst.memory.keep_in(operation.blocks);
    src.memory.keep_in(operation.blocks);
    // A source in pageable memory is read now, a destination written when the node runs.
    std::shared_ptr<std::vector<uint8_t>> read;
    if (src.memory.pageable()) {
        const size_t size = (job.Height - 1) * src.pitch + job.WidthInBytes;
        read = std::make_shared<std::vector<uint8_t>>(src.memory.bytes, src.memory.bytes + size);
        src.memory.bytes = read->data();
    }
    operation.body = [read, to = dst.memory.bytes, to_pitch = dst.pitch, from = src.memory.bytes,
                      from_pitch = src.pitch, width = job.WidthInBytes, height = job.Height] {
        for (size_t row = 0; row < height; ++row) {
            memmove(to + row * to_pitch, from + row * from_pitch, width);
        }
        return CUDA_SUCCESS;
    };
    return submit(call, stream, std::move(operation));
}

// Returns a random order of the nodes that obeys the edges.
std::vector<size_t> any_order(const std::vector<Node>& nodes, unsigned long long seed) {
    std::minstd_rand random(static_cast<unsigned>(seed * 2654435761u + 1));
    std::vector<std::vector<size_t>> next(nodes.size());
    std::vector<size_t> missing;
    std::vector<size_t> ready;
    for (size_t i = 0; i < nodes.size(); ++i) {
        missing.push_back(nodes[i].after.size());
        for (const size_t before : nodes[i].after) next[before].push_back(i);
        if (missing[i] == 0) ready.push_back(i);
    }
    std::vector<size_t> order;
    while (!ready.empty()) {
        std::swap(ready[random() % ready.size()], ready.back());
        order.push_back(ready.back());
        ready.pop_back();
        for (const size_t later : next[order.back()]) {
            if (--missing[later] == 0) ready.push_back(later);
        }
    }
    return order;
}

}  // namespace
}  // namespace fake

using namespace fake;

FAKE_CUDA_EXPORT CUresult cuGraphCreate(CUgraph* out, unsigned flags) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (out == nullptr || flags != 0) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "phGraph is null, or flags 0x%x not 0", flags);
    }
    auto graph = std::make_shared<Graph>();
    graph->context = &call.context();
    *out = reinterpret_cast<CUgraph>(state().graphs.add(std::move(graph)));
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuGraphDestroy(CUgraph handle) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    if (find_graph(call, handle, &code) == nullptr) return code;
    state().graphs.remove(number_of(handle));
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuGraphAddMemcpyNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count,
                                               const CUDA_MEMCPY3D* job, CUcontext context) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    const bool is_layer = job != nullptr && job->Depth == 1 && job->srcXInBytes == 0 && job->srcY == 0 &&
                          job->srcZ == 0 && job->dstXInBytes == 0 && job->dstY == 0 && job->dstZ == 0;
    if (is_layer && std::max({job->srcPitch, job->dstPitch, job->WidthInBytes}) > config().max_pitch) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "a pitch of %zu or %zu is above %zu", job->srcPitch, job->dstPitch,
                           config().max_pitch);
    }
    if (!is_layer || job->WidthInBytes == 0 || job->Height == 0 || !is_current(call, context)) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE,
                           "copyParams is null, empty or more than one layer, or ctx not current");
    }
    return add(call, out, graph, after, count, "copy",
               [job = *job](Call& launch, Stream& stream) { return queue_copy(launch, stream, job); });
}

FAKE_CUDA_EXPORT CUresult cuGraphAddMemsetNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count,
                                               const CUDA_MEMSET_NODE_PARAMS* job, CUcontext context) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (job == nullptr || job->width == 0 || job->height != 1 || (job->elementSize != 1 && job->elementSize != 4) ||
        (job->elementSize == 1 && job->value > 255) || !is_current(call, context)) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE,
                           "memsetParams is null, empty or not of bytes or words, or ctx not current");
    }
    return add(call, out, graph, after, count, "fill", [job = *job](Call& launch, Stream& stream) {
        return queue_fill(launch, stream, job.dst, job.elementSize, job.value, job.width);
    });
}

FAKE_CUDA_EXPORT CUresult cuGraphAddKernelNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count,
                                               const CUDA_KERNEL_NODE_PARAMS* job) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (job == nullptr) return call.misuse(CUDA_ERROR_INVALID_VALUE, "nodeParams is null");
    Launch launch;
    const Grid grid{{job->gridDimX, job->gridDimY, job->gridDimZ}, {job->blockDimX, job->blockDimY, job->blockDimZ}};
    if (CUresult code = make_launch(call, job->func, grid, job->sharedMemBytes, call.context(), job->kernelParams,
                                    job->extra, &launch)) {
        return code;
    }
    return add(call, out, graph, after, count, "kernel", [launch, function = job->func](Call& now, Stream& stream) {
        CUresult stale = CUDA_SUCCESS;
        return find_function(now, function, &stale) == nullptr ? stale : queue_launch(now, stream, launch);
    });
}

FAKE_CUDA_EXPORT CUresult cuGraphAddHostNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count,
                                             const CUDA_HOST_NODE_PARAMS* job) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (job == nullptr || job->fn == nullptr) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "nodeParams or fn is null");
    }
    return add(call, out, graph, after, count, "host function", [job = *job](Call& launch, Stream& stream) {
        return queue_host_function(launch, stream, job.fn, job.userData);
    });
}

FAKE_CUDA_EXPORT CUresult cuGraphAddEventRecordNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after,
                                                    size_t count, CUevent event) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    if (find_event(call, event, &code) == nullptr) return code;
    return add(call, out, graph, after, count, "event record",
               [event](Call& launch, Stream& stream) { return record_event(launch, event, stream); });
}

FAKE_CUDA_EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec* out, CUgraph handle, unsigned long long flags) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    const auto graph = find_graph(call, handle, &code);
    if (graph == nullptr) return code;
    if (out == nullptr || flags != 0) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "phGraphExec is null, or flags 0x%llx not 0", flags);
    }
    auto exec = std::make_shared<GraphExec>();
    exec->context = graph->context;
    exec->nodes = graph->nodes;
    *out = reinterpret_cast<CUgraphExec>(state().graph_execs.add(std::move(exec)));
    return CUDA_SUCCESS;
}

// Assumption: An update of an executable graph takes other arguments of the same nodes, and counts for the runs after
// it.
// Source: CUDA Driver API, Graph Management: cuGraphExecUpdate
// Test: GraphUpdate.EachRunUsesThePrecedingUpdate, GraphUpdate.ChangesTakeEffectWithTheUpdate

// As in the driver, the new graph must have the same nodes with the same edges. Pending launches are not affected.
FAKE_CUDA_EXPORT CUresult cuGraphExecUpdate_v2(CUgraphExec exec_handle, CUgraph handle,
                                               CUgraphExecUpdateResultInfo* result) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    const auto exec = find_exec(call, exec_handle, &code);
    if (exec == nullptr) return code;
    const auto graph = find_graph(call, handle, &code);
    if (graph == nullptr) return code;
    if (result == nullptr || exec->context != graph->context) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "resultInfo is null, or the graph of another device");
    }
    *result = {};
    const auto is_like = [](const Node& a, const Node& b) {
        return std::strcmp(a.kind, b.kind) == 0 && a.after == b.after;
    };
    if (!std::equal(exec->nodes.begin(), exec->nodes.end(), graph->nodes.begin(), graph->nodes.end(), is_like)) {
        result->result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
        return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    }
    exec->nodes = graph->nodes;
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream_handle) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    const auto exec = find_exec(call, handle, &code);
    if (exec == nullptr) return code;
    const auto stream = find_stream_to_submit(call, stream_handle, &code);
    if (stream == nullptr) return code;
    if (exec->context != stream->context) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "the graph belongs to device %d, the stream to %d",
                           exec->context->ordinal, stream->context->ordinal);
    }
    if (Capture* const capture = capture_of(stream_handle)) return capture_work(*capture, stream_handle);
    // Launches are serialized, whatever their streams, unless there is nothing to run.
    if (exec->nodes.empty()) return CUDA_SUCCESS;
    if (exec->latest != nullptr && !exec->latest->done) {
        if (CUresult failed = queue_wait(call, stream, exec->latest)) return failed;
    }
    for (const size_t place : any_order(exec->nodes, ++exec->launches)) {
        if (CUresult failed = exec->nodes[place].queue(call, *stream)) return failed;
    }
    return queue_record(call, *stream, &exec->latest);
}

FAKE_CUDA_EXPORT CUresult cuGraphExecDestroy(CUgraphExec handle) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    const auto exec = find_exec(call, handle, &code);
    if (exec == nullptr) return code;
    if (exec->latest != nullptr && !exec->latest->done && exec->context->sticky == CUDA_SUCCESS) {
        // Before CUDA 12 the documentation does not define what happens to a running launch.
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "the graph is running");
    }
    state().graph_execs.remove(number_of(handle));
    return CUDA_SUCCESS;
}
