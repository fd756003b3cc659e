// Parameters of tasks in graphs: what is refused.
#include <cstdint>
#include <string>
#include <vector>

#include "support/acl_test.h"
#include "support/graph/graph.h"
#include "support/kernel/kernels.h"
#include "support/objects.h"
#include "support/says.h"

namespace {

using namespace portacl_test;

using Words = std::vector<uint32_t>;
using GraphUpdate = WithDevice;

constexpr aclError kInvalid = ACL_ERROR_INVALID_PARAM, kWrong = ACL_ERROR_RT_PARAM_INVALID;
constexpr aclError kUnsupported = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;

TEST_F(GraphUpdate, KernelParametersAreChecked) {
    const Program program;
    const Stream stream;
    const ZeroWords words(4);
    const Graph graph = Capture(stream, [&] { ACL_OK(Mark(program.Kernel("mark"), words.At(), 1, 4, stream)); });
    const auto task = TasksOf(stream)[0];
    const auto good = ParamsOf(task);
    aclmdlRITaskParams params;
    int local = 0;
    using Kernel = aclmdlRIKernelTaskParams;
    const auto refused = [&](aclError code, std::initializer_list<std::string> words, auto change) {
        params = good;
        change(params.kernelTaskParams);
        EXPECT_TRUE(FailedSaying("aclmdlRITaskSetParams", aclmdlRITaskSetParams(task, &params), code, words));
    };
    refused(kInvalid, {"params->funcHandle is null"}, [](Kernel& kernel) { kernel.funcHandle = nullptr; });
    refused(kWrong, {"params->funcHandle", Shown(&local)}, [&](Kernel& kernel) { kernel.funcHandle = &local; });
    refused(kWrong, {"of kind stream"}, [&](Kernel& kernel) { kernel.funcHandle = aclrtStream(stream); });
    refused(kInvalid, {"0"}, [](Kernel& kernel) { kernel.numBlocks = 0; });
    refused(kInvalid, {"4294967295"}, [](Kernel& kernel) { kernel.numBlocks = UINT32_MAX; });
    refused(kInvalid, {"args is null"}, [](Kernel& kernel) { kernel.args = nullptr; });
    refused(kWrong, {"4 bytes"}, [](Kernel& kernel) { kernel.argsSize = 4; });
    refused(kInvalid, {"isHostArgs is 2"}, [](Kernel& kernel) { kernel.isHostArgs = 2; });
    refused(kUnsupported, {"isHostArgs is 0"}, [](Kernel& kernel) { kernel.isHostArgs = 0; });
    aclrtLaunchKernelAttr attribute = {};
    aclrtLaunchKernelCfg cfg{&attribute, 1};
    refused(kInvalid, {"cfg->attrs[0].id is 0"}, [&](Kernel& kernel) { kernel.cfg = &cfg; });
    attribute.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT;
    attribute.value.timeout = 3;
    refused(kUnsupported, {"TIMEOUT"}, [&](Kernel& kernel) { kernel.cfg = &cfg; });
    if (OnCpu()) {
        // Here the program's description says which arguments are pointers.
        MarkArguments gone{nullptr, 1};
        {
            const DeviceMemory memory(64);
            gone.words = memory.At();
        }
        refused(kWrong, {Shown(gone.words)}, [&](Kernel& kernel) { kernel.args = &gone; });
    }
    params = good;
    params.type = ACL_MODEL_RI_TASK_EVENT_RECORD;
    ACL_FAILS_SAYING(kWrong, aclmdlRITaskSetParams(task, &params), "params->type is 2", "has type 1");
    params.type = static_cast<aclmdlRITaskType>(77);
    ACL_FAILS_SAYING(kWrong, aclmdlRITaskSetParams(task, &params), "params->type is 77");
    // None of these calls has changed anything.
    ACL_OK(aclmdlRIUpdate(graph));
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(words.Download<uint32_t>(), Words(4, 1));
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDevice(1));
    {
        const Program outside;
        params = good;
        params.kernelTaskParams.funcHandle = outside.Kernel("mark");
        ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CONTEXT, aclmdlRITaskSetParams(task, &params), "device 1");
    }
    ACL_OK(aclrtResetDevice(1));
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(GraphUpdate, OtherParametersAreChecked) {
    const Stream stream;
    const DeviceMemory memory(64);
    const Event event(ACL_EVENT_SYNC), other(ACL_EVENT_SYNC), timed;
    const Graph graph = Capture(stream, [&] {
        ACL_OK(aclrtRecordEvent(event, stream));
        ACL_OK(aclrtStreamWaitEvent(stream, event));
        ACL_OK(aclrtMemsetAsync(memory.At(), 64, 1, 64, stream));
    });
    const auto tasks = TasksOf(stream);
    constexpr aclError kNone = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    auto params = ParamsOf(tasks[0]);
    params.eventRecordTaskParams.event = nullptr;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclmdlRITaskSetParams(tasks[0], &params), "params->event is null");
    params.eventRecordTaskParams.event = aclrtStream(stream);
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRITaskSetParams(tasks[0], &params), "of kind stream");
    params = ParamsOf(tasks[0]);
    params.eventRecordTaskParams.recordFlag = 1;
    ACL_FAILS_SAYING(kNone, aclmdlRITaskSetParams(tasks[0], &params), "recordFlag is 0x1");
    params = ParamsOf(tasks[0]);
    params.eventRecordTaskParams.event = timed;
    ACL_FAILS_SAYING(kNone, aclmdlRITaskSetParams(tasks[0], &params), "ACL_EVENT_TIME_LINE");
    params = ParamsOf(tasks[1]);
    params.eventWaitTaskParams.event = other;
    ACL_FAILS_SAYING(kNone, aclmdlRITaskSetParams(tasks[1], &params), "not the event of the recorded wait");
    params.eventWaitTaskParams.event = event;
    params.eventWaitTaskParams.waitFlag = 2;
    ACL_FAILS_SAYING(kNone, aclmdlRITaskSetParams(tasks[1], &params), "waitFlag is 0x2");
    params = ParamsOf(tasks[2]);
    params.rsv2[100] = 1;
    ACL_FAILS_SAYING(kNone, aclmdlRITaskSetParams(tasks[2], &params), "type 0 (fill)", "aclmdlRICaptureTaskGrpBegin");
    auto value = Poison<aclrtLaunchKernelAttrValue>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID,
                     aclmdlRIKernelTaskGetAttribute(tasks[2], ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, &value),
                     "only kernels");
    EXPECT_TRUE(IsPoison(value));
}

TEST_F(GraphUpdate, ArgumentsAreChecked) {
    const Program program;
    const Stream stream;
    const ZeroWords words(4);
    Graph graph = Capture(stream, [&] { ACL_OK(Mark(program.Kernel("mark"), words.At(), 1, 4, stream)); });
    const auto task = TasksOf(stream)[0];
    auto params = Poison<aclmdlRITaskParams>();
    auto value = Poison<aclrtLaunchKernelAttrValue>();
    auto good = ParamsOf(task);
    constexpr auto kMode = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE;
    constexpr aclError kInvalid = ACL_ERROR_INVALID_PARAM, kDead = ACL_ERROR_RT_PARAM_INVALID;
    ACL_FAILS_SAYING(kInvalid, aclmdlRITaskGetParams(nullptr, &params), "task is null");
    ACL_FAILS_SAYING(kInvalid, aclmdlRITaskGetParams(task, nullptr), "params is null");
    ACL_FAILS_SAYING(kInvalid, aclmdlRITaskSetParams(nullptr, &good), "task is null");
    ACL_FAILS_SAYING(kInvalid, aclmdlRITaskSetParams(task, nullptr), "params is null");
    ACL_FAILS_SAYING(kInvalid, aclmdlRITaskDisable(nullptr), "task is null");
    ACL_FAILS_SAYING(kInvalid, aclmdlRIUpdate(nullptr), "modelRI is null");
    ACL_FAILS_SAYING(kInvalid, aclmdlRIKernelTaskGetAttribute(nullptr, kMode, &value), "task is null");
    ACL_FAILS_SAYING(kInvalid, aclmdlRIKernelTaskGetAttribute(task, kMode, nullptr), "attrValue is null");
    for (int id : {0, 10, -1})
        ACL_FAILS_SAYING(kInvalid,
                         aclmdlRIKernelTaskGetAttribute(task, static_cast<aclrtLaunchKernelAttrId>(id), &value),
                         "attrId is " + std::to_string(id));
    const auto expect_dead = [&](void* bad, const char* word) {
        ACL_FAILS_SAYING(kDead, aclmdlRITaskGetParams(bad, &params), Shown(bad), word);
        ACL_FAILS_SAYING(kDead, aclmdlRITaskSetParams(bad, &good), Shown(bad), word);
        ACL_FAILS_SAYING(kDead, aclmdlRITaskDisable(bad), Shown(bad), word);
        ACL_FAILS_SAYING(kDead, aclmdlRIKernelTaskGetAttribute(bad, kMode, &value), Shown(bad), word);
        EXPECT_TRUE(IsPoison(params) && IsPoison(value));
    };
    int local = 0;
    expect_dead(&local, "not a handle");
    expect_dead(graph, "of kind graph");
    ACL_FAILS_SAYING(kDead, aclmdlRIUpdate(&local), Shown(&local));
    ACL_FAILS_SAYING(kDead, aclmdlRIUpdate(task), "of kind task");
    aclmdlRI handle = graph.Release();
    ACL_OK(aclmdlRIDestroy(handle));
    good.kernelTaskParams.args = nullptr;
    good.kernelTaskParams.argsSize = 0;
    expect_dead(task, "destroyed");
    ACL_FAILS_SAYING(kDead, aclmdlRIUpdate(handle), Shown(handle), "destroyed");
}

TEST_F(GraphUpdate, GraphsBeingCapturedAreNotUpdated) {
    const Stream stream;
    const Graph graph = Capture(stream, [&] {
        aclmdlRI early = nullptr;
        StatusOf(stream, &early);
        ACL_FAILS_SAYING(ACL_ERROR_RT_MODEL_CAPTURED, aclmdlRIUpdate(early), Shown(early));
    });
    struct UpdateCall {
        aclmdlRI graph;
        aclError code;
    } state{graph, 0};
    ACL_OK(aclrtLaunchHostFunc(
        stream,
        [](void* argument) {
            auto* s = static_cast<UpdateCall*>(argument);
            s->code = aclmdlRIUpdate(s->graph);
        },
        &state));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(state.code, ACL_ERROR_RT_PARAM_INVALID);
}

}  // namespace
