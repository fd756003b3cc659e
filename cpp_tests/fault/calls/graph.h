// The part of the fault sweep's program that captures graphs and runs them.
#pragma once

#include <portacl/portacl.h>

#include <cstdint>

#include "../did.h"
#include "random.h"

// Sets the parameters of the first kernel and the first event of a graph to what they are, disables
// the first task, and applies each change.
inline void UpdateGraph(aclmdlRI graph) {
    aclrtStream streams[4];
    aclmdlRITask tasks[32];
    uint32_t count = 4;
    if (!DID(aclmdlRIGetStreams(graph, streams, &count)) || count == 0) return;
    uint32_t task_count = 32;
    if (!DID(aclmdlRIGetTasksByStream(streams[0], tasks, &task_count))) return;
    for (uint32_t i = 0; i < task_count; ++i) {
        aclmdlRITaskParams params;
        if (!DID(aclmdlRITaskGetParams(tasks[i], &params))) continue;
        const bool is_kernel = params.type == ACL_MODEL_RI_TASK_KERNEL;
        if (!is_kernel && params.type != ACL_MODEL_RI_TASK_EVENT_RECORD) continue;
        DID(aclmdlRITaskSetParams(tasks[i], &params));
        DID(aclmdlRIUpdate(graph));
        break;
    }
    DID(aclmdlRITaskDisable(tasks[0]));
    DID(aclmdlRIUpdate(graph));
}

// Runs a graph twice, in two ways, changes it, runs it again, and destroys it.
inline void RunAndDestroy(aclmdlRI graph, aclrtStream stream) {
    DID(aclmdlRIExecuteAsync(graph, stream));
    DID(aclrtSynchronizeStream(stream));
    DID(aclmdlRIExecute(graph, 10000));
    UpdateGraph(graph);
    DID(aclmdlRIExecute(graph, 10000));
    DID(aclmdlRIAbort(graph));
    DID(aclmdlRIDestroy(graph));
}

// Builds a graph from two streams.
inline void BuildGraphs() {
    constexpr size_t kBytes = 4096;
    aclrtStream running = nullptr, head = nullptr, other = nullptr;
    aclrtEvent event = nullptr;
    void* memory = nullptr;
    aclmdlRI graph = nullptr;
    DID(aclrtCreateStream(&running));
    DID(aclrtCreateStreamWithConfig(&head, 0, ACL_STREAM_PERSISTENT));
    DID(aclrtCreateStreamWithConfig(&other, 0, ACL_STREAM_PERSISTENT));
    DID(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    DID(aclrtMalloc(&memory, kBytes, ACL_MEM_MALLOC_NORMAL_ONLY));
    const bool all = running && head && other && event && memory;
    if (all && DID(aclmdlRIBuildBegin(&graph, 0))) {
        DID(aclmdlRIBindStream(graph, head, 0));
        DID(aclmdlRIBindStream(graph, other, 0));
        DID(aclrtMemsetAsync(memory, kBytes, 1, kBytes, head));
        DID(aclrtRecordEvent(event, head));
        DID(aclrtStreamWaitEvent(other, event));
        DID(aclrtMemsetAsync(memory, kBytes, 2, kBytes, other));
        DID(aclmdlRIEndTask(graph, other));
        if (DID(aclmdlRIBuildEnd(graph, nullptr))) {
            DID(aclmdlRIUnbindStream(graph, head));
            RunAndDestroy(graph, running);
        } else {
            DID(aclmdlRIDestroy(graph));
        }
    }
    if (memory) DID(aclrtFree(memory));
    if (event) DID(aclrtDestroyEvent(event));
    if (other) DID(aclrtDestroyStream(other));
    if (head) DID(aclrtDestroyStream(head));
    if (running) DID(aclrtDestroyStream(running));
}

// A graph that waits for events of other streams, and whose task groups change between runs.
inline void ChangeGraphs() {
    constexpr size_t kBytes = 4096;
    aclrtStream stream = nullptr, other = nullptr;
    aclrtEvent go = nullptr, done = nullptr, shared = nullptr;
    void* memory = nullptr;
    DID(aclrtCreateStream(&stream));
    DID(aclrtCreateStream(&other));
    DID(aclrtCreateEventWithFlag(&go, ACL_EVENT_EXTERNAL));
    DID(aclrtCreateEventExWithFlag(&done, ACL_EVENT_SYNC));
    DID(aclrtCreateEventExWithFlag(&shared, ACL_EVENT_IPC));
    DID(aclrtMalloc(&memory, kBytes, ACL_MEM_MALLOC_NORMAL_ONLY));
    const bool all = stream && other && go && done && shared && memory;
    if (all && DID(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED))) {
        aclrtTaskGrp group = nullptr;
        DID(aclrtMemsetAsync(memory, kBytes, 1, kBytes, stream));
        DID(aclrtStreamWaitEvent(stream, go));
        DID(aclrtResetEvent(go, stream));
        // Twice: one of them may be made to fail.
        DID(aclrtValueWrite(memory, 1, 0, stream));
        DID(aclrtValueWrite(memory, 1, 0, stream));
        DID(aclrtValueWait(memory, 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
        DID(aclmdlRICaptureTaskGrpBegin(stream));
        DID(aclrtMemsetAsync(memory, kBytes, 2, kBytes, stream));
        DID(aclmdlRICaptureTaskGrpEnd(stream, &group));
        void* pooled = nullptr;
        if (DID(portaclMallocAsync(&pooled, kBytes, stream))) DID(portaclFreeAsync(pooled, stream));
        DID(aclrtRecordEventWithFlag(done, stream, ACL_EVENT_RECORD_EXTERNAL));
        DID(aclrtRecordEventWithFlag(shared, stream, ACL_EVENT_RECORD_EXTERNAL));
        DID(aclrtStreamWaitEventWithFlag(stream, shared, 0, ACL_EVENT_WAIT_EXTERNAL));
        aclmdlRI graph = nullptr;
        if (DID(aclmdlRICaptureEnd(stream, &graph))) {
            for (int run = 0; run < 2; ++run) {
                if (DID(aclmdlRICaptureTaskUpdateBegin(other, group))) {
                    DID(aclrtMemsetAsync(memory, kBytes, 3, kBytes, other));
                    DID(aclmdlRICaptureTaskUpdateEnd(other));
                }
                // Twice: one of them may be made to fail.
                DID(aclrtRecordEvent(go, other));
                DID(aclrtRecordEvent(go, other));
                DID(aclmdlRIExecuteAsync(graph, stream));
                DID(aclrtSynchronizeStreamWithTimeout(stream, 10000));
                DID(aclrtStreamAbort(stream));
            }
            uint64_t used = 0;
            DID(portaclDeviceGetGraphMemAttribute(0, PORTACL_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
            DID(aclmdlRIDestroy(graph));
            DID(portaclDeviceSetGraphMemAttribute(0, PORTACL_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, 0));
            DID(portaclDeviceGraphMemTrim(0));
        }
    }
    if (memory) DID(aclrtFree(memory));
    if (shared) DID(aclrtDestroyEvent(shared));
    if (done) DID(aclrtDestroyEvent(done));
    if (go) DID(aclrtDestroyEvent(go));
    if (other) DID(aclrtDestroyStreamForce(other));
    if (stream) DID(aclrtDestroyStreamForce(stream));
}

// A graph with a loop, a jump and a stream that another one starts.
inline void BuildProgram() {
    constexpr size_t kBytes = 4096;
    aclrtStream running = nullptr, head = nullptr, other = nullptr;
    aclrtLabel label = nullptr;
    aclrtLabelList list = nullptr;
    void* memory = nullptr;
    aclmdlRI graph = nullptr;
    DID(aclrtCreateStream(&running));
    DID(aclrtCreateStreamWithConfig(&head, 0, ACL_STREAM_PERSISTENT));
    DID(aclrtCreateStreamWithConfig(&other, 0, ACL_STREAM_PERSISTENT));
    DID(aclrtCreateLabel(&label));
    if (label) DID(aclrtCreateLabelList(&label, 1, &list));
    DID(aclrtMalloc(&memory, kBytes, ACL_MEM_MALLOC_NORMAL_ONLY));
    // Numbers: an index, and the operands of the comparison at 64 and 128.
    char* const at = static_cast<char*>(memory);
    const bool filled = memory && DID(aclrtMemset(memory, kBytes, 0, kBytes)) && DID(aclrtMemset(at + 128, 4, 1, 4));
    const bool all = running && head && other && list && filled;
    if (all && DID(aclmdlRIBuildBegin(&graph, 0))) {
        DID(aclmdlRIBindStream(graph, head, 0));
        DID(aclmdlRIBindStream(graph, other, 0x7FFFFFFF));
        DID(aclrtMemsetAsync(at + 64, 4, 0, 4, head));
        DID(aclrtSwitchLabelByIndex(memory, 1, list, head));
        DID(aclrtSetLabel(label, head));
        DID(aclrtActiveStream(other, head));
        DID(aclrtMemsetAsync(at + 64, 4, 1, 4, other));
        DID(aclrtSwitchStream(at + 64, ACL_RT_LESS, at + 128, ACL_RT_SWITCH_INT32, other, nullptr, other));
        DID(aclmdlRIEndTask(graph, other));
        if (DID(aclmdlRIBuildEnd(graph, nullptr))) {
            DID(aclmdlRIExecuteAsync(graph, running));
            DID(aclrtSynchronizeStream(running));
            DID(aclmdlRIExecute(graph, 10000));
            DID(aclmdlRIAbort(graph));
        }
        DID(aclmdlRIDestroy(graph));
    }
    if (memory) DID(aclrtFree(memory));
    if (list) DID(aclrtDestroyLabelList(list));
    if (label) DID(aclrtDestroyLabel(label));
    if (other) DID(aclrtDestroyStream(other));
    if (head) DID(aclrtDestroyStream(head));
    if (running) DID(aclrtDestroyStream(running));
}

// A graph with a loop over a value. The body has a choice and a second stream.
inline void CaptureConditions() {
    constexpr auto kMode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
    aclrtStream stream = nullptr, inner = nullptr, other = nullptr;
    aclrtEvent fork = nullptr, join = nullptr;
    void* memory = nullptr;
    DID(aclrtCreateStream(&stream));
    DID(aclrtCreateStream(&inner));
    DID(aclrtCreateStream(&other));
    DID(aclrtCreateEventExWithFlag(&fork, ACL_EVENT_SYNC));
    DID(aclrtCreateEventExWithFlag(&join, ACL_EVENT_SYNC));
    DID(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_NORMAL_ONLY));
    const bool all = stream && inner && other && fork && join && memory;
    // A step that fails leaves the next one out, because a loop has to end.
    aclmdlRI graph = nullptr, loop = nullptr, choice = nullptr;
    if (all && DID(aclmdlRICaptureBegin(stream, kMode))) {
        aclmdlRICaptureStatus status;
        aclmdlRICondHandle rounds = nullptr, taken = nullptr;
        uint64_t* value = nullptr;
        bool is_whole = DID(aclmdlRICaptureGetInfo(stream, &status, &graph)) &&
                        DID(aclmdlRICondHandleCreate(graph, 1, ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, &rounds)) &&
                        DID(aclmdlRICondHandleCreate(graph, 0, static_cast<aclmdlRICondHandleFlag>(0), &taken)) &&
                        DID(aclmdlRICondHandleGetCondPtr(rounds, &value)) &&
                        DID(aclmdlRIAddCondTask({rounds, ACL_MODEL_RI_COND_TYPE_WHILE, 1, &loop}, stream, 0));
        is_whole = is_whole && DID(aclmdlRICaptureToModelRIBegin(inner, loop, kMode)) &&
                   DID(aclrtMemsetAsync(value, 8, 0, 8, inner)) && DID(aclrtRecordEvent(fork, inner)) &&
                   DID(aclrtStreamWaitEvent(other, fork)) && DID(aclrtMemsetAsync(memory, 64, 1, 64, other)) &&
                   DID(aclrtRecordEvent(join, other)) && DID(aclrtStreamWaitEvent(inner, join)) &&
                   DID(aclmdlRIAddCondTask({taken, ACL_MODEL_RI_COND_TYPE_SWITCH, 1, &choice}, inner, 0)) &&
                   DID(aclmdlRICaptureEnd(inner, &loop));
        is_whole = is_whole && DID(aclmdlRICaptureToModelRIBegin(inner, choice, kMode)) &&
                   DID(aclrtMemsetAsync(memory, 64, 2, 64, inner)) && DID(aclmdlRICaptureEnd(inner, &choice));
        if (DID(aclmdlRICaptureEnd(stream, &graph))) {
            if (is_whole) {
                DID(aclmdlRIExecuteAsync(graph, stream));
                DID(aclrtSynchronizeStream(stream));
                DID(aclmdlRIExecute(graph, 10000));
                DID(aclmdlRIAbort(graph));
            }
            DID(aclmdlRIDestroy(graph));
        }
    }
    if (memory) DID(aclrtFree(memory));
    if (join) DID(aclrtDestroyEvent(join));
    if (fork) DID(aclrtDestroyEvent(fork));
    for (aclrtStream ended : {other, inner, stream})
        if (ended) DID(aclrtDestroyStreamForce(ended));
}

// A graph with every kind of work but kernels, on two streams.
inline void CaptureGraphs() {
    constexpr size_t kBytes = 4096;
    aclrtStream stream = nullptr, other = nullptr;
    aclrtEvent fork = nullptr, join = nullptr;
    void *memory = nullptr, *second = nullptr, *host = nullptr;
    DID(aclrtCreateStream(&stream));
    DID(aclrtCreateStream(&other));
    DID(aclrtCreateEventExWithFlag(&fork, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
    DID(aclrtCreateEventExWithFlag(&join, ACL_EVENT_SYNC));
    DID(aclrtMalloc(&memory, kBytes, ACL_MEM_MALLOC_NORMAL_ONLY));
    DID(aclrtMalloc(&second, kBytes, ACL_MEM_MALLOC_NORMAL_ONLY));
    DID(aclrtMallocHost(&host, kBytes));
    const bool all = stream && other && fork && join && memory && second && host;
    if (all && DID(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED))) {
        DID(aclrtMemcpyAsync(memory, kBytes, host, kBytes, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        DID(aclrtRecordEvent(fork, stream));
        DID(aclrtStreamWaitEvent(other, fork));
        DID(aclrtMemsetAsync(second, kBytes, 1, kBytes, other));
        DID(aclrtMemsetD32Async(second, kBytes, 1, 4, other));
        DID(aclrtRecordEvent(join, other));
        DID(aclrtMemcpy2dAsync(memory, 64, memory, 64, 32, 4, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        DID(aclrtLaunchHostFunc(
            stream, [](void*) {}, nullptr));
        DID(aclrtMemsetAsync(host, kBytes, 2, kBytes, stream));
        DID(aclrtStreamWaitEvent(stream, join));
        DID(aclrtReduceAsync(memory, second, kBytes, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, stream, nullptr));
        const auto numbers = UniformNumbers(memory, kBytes, second);
        DID(aclrtRandomNumAsync(&numbers, stream, nullptr));
        aclmdlRI graph = nullptr;
        if (DID(aclmdlRICaptureEnd(stream, &graph))) RunAndDestroy(graph, stream);
    }
    if (host) DID(aclrtFreeHost(host));
    if (second) DID(aclrtFree(second));
    if (memory) DID(aclrtFree(memory));
    if (join) DID(aclrtDestroyEvent(join));
    if (fork) DID(aclrtDestroyEvent(fork));
    // If the capture cannot be ended, destroying its streams ends it.
    if (other) DID(aclrtDestroyStreamForce(other));
    if (stream) DID(aclrtDestroyStreamForce(stream));
}
