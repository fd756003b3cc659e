// Parameters of tasks in graphs: querying them, changing them, and when a change takes effect.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/acl_test.h"
#include "support/gate.h"
#include "support/graph/graph.h"
#include "support/kernel/kernels.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/threads.h"

namespace {

using namespace portacl_test;

using Words = std::vector<uint32_t>;

using GraphUpdate = WithDevice;

// Changes the number that a task with the kernel `mark` adds.
void SetNumber(aclmdlRITask task, void* words, uint32_t number) {
    auto params = ParamsOf(task);
    MarkArguments arguments{words, number};
    params.kernelTaskParams.args = &arguments;
    params.kernelTaskParams.argsSize = kMarkArgumentsSize;
    ExpectOk("aclmdlRITaskSetParams", aclmdlRITaskSetParams(task, &params));
}

// ---- queries ----

TEST_F(GraphUpdate, KernelParametersCanBeQueried) {
    const Program program;
    const Stream stream;
    const ZeroWords words(256 * 6);
    const aclrtFuncHandle mark = program.Kernel("mark");
    aclrtLaunchKernelAttr attributes[2] = {};
    attributes[0].id = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE;
    attributes[0].value.schemMode = 1;
    attributes[1].id = ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE;
    attributes[1].value.dynUBufSize = 64;
    aclrtLaunchKernelCfg cfg{attributes, 2};
    MarkArguments arguments{words.At(), 7};
    void* each[] = {&arguments.words, &arguments.number};
    const Graph graph = Capture(stream, [&] {
        ACL_OK(aclrtLaunchKernelV2(mark, 3, &arguments, kMarkArgumentsSize, &cfg, stream));
        ACL_OK(aclrtLaunchSIMTKernelWithArgsArray(mark, {2, 3, 1}, {1, 1, 1}, 0, stream, nullptr, each));
        ACL_OK(aclrtLaunchKernel(program.Kernel("nothing"), 1, nullptr, 0, stream));
    });
    const auto tasks = TasksOf(stream);
    ASSERT_EQ(tasks.size(), 3u);
    for (size_t i = 0; i < 2; ++i) {
        const auto params = ParamsOf(tasks[i]);
        const auto& kernel = params.kernelTaskParams;
        EXPECT_EQ(params.type, ACL_MODEL_RI_TASK_KERNEL);
        EXPECT_EQ(params.taskGrp, nullptr);
        EXPECT_EQ(params.opInfoPtr, nullptr);
        EXPECT_EQ(params.opInfoSize, 0u);
        EXPECT_EQ(kernel.funcHandle, mark);
        EXPECT_EQ(kernel.isHostArgs, 1u);
        EXPECT_EQ(kernel.numBlocks, i == 0 ? 3u : 6u);
        ASSERT_EQ(kernel.argsSize, kMarkArgumentsSize);
        EXPECT_EQ(std::memcmp(kernel.args, &arguments, kMarkArgumentsSize), 0);
    }
    const auto* reported = ParamsOf(tasks[0]).kernelTaskParams.cfg;
    ASSERT_NE(reported, nullptr);
    ASSERT_EQ(reported->numAttrs, 2u);
    EXPECT_EQ(reported->attrs[0].id, ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE);
    EXPECT_EQ(reported->attrs[0].value.schemMode, 1);
    EXPECT_EQ(reported->attrs[1].id, ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE);
    EXPECT_EQ(reported->attrs[1].value.dynUBufSize, 64u);
    EXPECT_EQ(ParamsOf(tasks[1]).kernelTaskParams.cfg, nullptr);
    const auto nothing = ParamsOf(tasks[2]).kernelTaskParams;
    EXPECT_EQ(nothing.args, nullptr);
    EXPECT_EQ(nothing.argsSize, 0u);

    auto value = Poison<aclrtLaunchKernelAttrValue>();
    const auto get = [&](aclmdlRITask task, int id) {
        return aclmdlRIKernelTaskGetAttribute(task, static_cast<aclrtLaunchKernelAttrId>(id), &value);
    };
    ACL_OK(get(tasks[0], ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE));
    EXPECT_EQ(value.schemMode, 1);
    ACL_OK(get(tasks[0], ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE));
    EXPECT_EQ(value.dynUBufSize, 64u);
    for (int id = 1; id <= 9; ++id) {
        value = Poison<aclrtLaunchKernelAttrValue>();
        ACL_OK(get(tasks[1], id));
        EXPECT_EQ(value.timeoutUs.timeoutLow, 0u) << id;
        EXPECT_EQ(value.timeoutUs.timeoutHigh, 0u) << id;
    }
}

// ---- changes ----

TEST_F(GraphUpdate, ChangesTakeEffectWithTheUpdate) {
    const Program program;
    const Stream stream;
    const ZeroWords words(4);
    const Graph graph = Capture(stream, [&] { ACL_OK(Mark(program.Kernel("mark"), words.At(), 1, 4, stream)); });
    const auto task = TasksOf(stream)[0];
    ACL_OK(aclmdlRIUpdate(graph));
    ACL_OK(aclmdlRIExecute(graph, -1));
    SetNumber(task, words.At(), 10);
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(words.Download<uint32_t>(), Words(4, 2));
    // A run that was submitted before the update is not changed.
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_OK(aclmdlRIUpdate(graph));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(words.Download<uint32_t>(), Words(4, 3));
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(words.Download<uint32_t>(), Words(4, 13));
}

TEST_F(GraphUpdate, AnotherKernelWithOtherBlocksRuns) {
    const Program program;
    const Stream stream;
    const ZeroWords words(8);
    MarkArguments arguments{words.At(), 5};
    void* each[] = {&arguments.words, &arguments.number};
    const Graph graph = Capture(stream, [&] {
        ACL_OK(
            aclrtLaunchSIMTKernelWithArgsArray(program.Kernel("mark"), {2, 2, 1}, {1, 1, 1}, 0, stream, nullptr, each));
    });
    const auto task = TasksOf(stream)[0];
    auto params = ParamsOf(task);
    EXPECT_EQ(params.kernelTaskParams.numBlocks, 4u);
    params.kernelTaskParams.numBlocks = 6;
    ACL_OK(aclmdlRITaskSetParams(task, &params));
    EXPECT_EQ(ParamsOf(task).kernelTaskParams.numBlocks, 6u);
    ACL_OK(aclmdlRIUpdate(graph));
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(words.Download<uint32_t>(), (Words{5, 5, 5, 5, 5, 5, 0, 0}));
    params = ParamsOf(task);
    params.kernelTaskParams.funcHandle = program.Kernel("nothing");
    params.kernelTaskParams.args = nullptr;
    params.kernelTaskParams.argsSize = 0;
    params.kernelTaskParams.isHostArgs = 0;
    ACL_OK(aclmdlRITaskSetParams(task, &params));
    ACL_OK(aclmdlRIUpdate(graph));
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(words.Download<uint32_t>(), (Words{5, 5, 5, 5, 5, 5, 0, 0}));
}

// Each run uses the number of the update before it, however many there are.
TEST_F(GraphUpdate, EachRunUsesThePrecedingUpdate) {
    const Program program;
    const Stream first, second;
    const ZeroWords words(2);
    const Graph graph = Capture(first, [&] { ACL_OK(Mark(program.Kernel("mark"), words.At(), 0, 2, first)); });
    const auto task = TasksOf(first)[0];
    uint32_t sum = 0;
    for (uint32_t number = 1; number <= 100; ++number) {
        SetNumber(task, words.At(), number);
        ACL_OK(aclmdlRIUpdate(graph));
        ACL_OK(aclmdlRIExecuteAsync(graph, number % 2 ? first : second));
        sum += number;
    }
    ACL_OK(aclrtSynchronizeDevice());
    EXPECT_EQ(words.Download<uint32_t>(), Words(2, sum));
}

TEST_F(GraphUpdate, DisabledTasksAreLeftOut) {
    const Program program;
    const Stream stream;
    const ZeroWords words(4);
    const DeviceMemory memory(64);
    const Graph graph = Capture(stream, [&] {
        ACL_OK(Mark(program.Kernel("mark"), words.At(), 1, 4, stream));
        ACL_OK(aclrtMemsetAsync(memory.At(), 64, 9, 64, stream));
        ACL_OK(Mark(program.Kernel("mark"), words.At(), 100, 4, stream));
    });
    ACL_OK(aclrtMemset(memory.At(), 64, 0, 64));
    const auto tasks = TasksOf(stream);
    ACL_OK(aclmdlRITaskDisable(tasks[0]));
    ACL_OK(aclmdlRITaskDisable(tasks[1]));
    ACL_OK(aclmdlRIUpdate(graph));
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(words.Download<uint32_t>(), Words(4, 100));
    EXPECT_EQ(memory.Download(), std::vector<unsigned char>(64, 0));
    auto type = Poison<aclmdlRITaskType>();
    ACL_OK(aclmdlRITaskGetType(tasks[0], &type));
    EXPECT_EQ(type, ACL_MODEL_RI_TASK_KERNEL);
    EXPECT_EQ(TasksOf(stream), tasks);
    // Setting parameters enables the task again.
    SetNumber(tasks[0], words.At(), 2);
    ACL_OK(aclmdlRIUpdate(graph));
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(words.Download<uint32_t>(), Words(4, 202));
    // Nesting keeps the task disabled.
    const Graph outer = Capture(stream, [&] { ACL_OK(aclmdlRIExecuteAsync(graph, stream)); });
    ACL_OK(aclmdlRIExecute(outer, -1));
    EXPECT_EQ(words.Download<uint32_t>(), Words(4, 304));
    EXPECT_EQ(memory.Download(), std::vector<unsigned char>(64, 0));
}

// Tasks before and after a disabled task keep their order.
TEST_F(GraphUpdate, DisabledTasksKeepTheOrder) {
    const Stream stream;
    const DeviceMemory memory(64);
    Log log;
    const Graph graph = Capture(stream, [&] {
        ACL_OK(log.Append(stream, 1));
        ACL_OK(aclrtMemsetAsync(memory.At(), 64, 1, 64, stream));
        ACL_OK(log.Append(stream, 2));
    });
    ACL_OK(aclmdlRITaskDisable(TasksOf(stream)[1]));
    ACL_OK(aclmdlRIUpdate(graph));
    for (int run = 0; run < 8; ++run) ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    std::vector<int> wanted;
    for (int run = 0; run < 8; ++run) wanted.insert(wanted.end(), {1, 2});
    EXPECT_EQ(log.Numbers(), wanted);
}

// A run after an update still waits for the previous run in another stream, also if the driver had
// to create a new graph.
TEST_F(GraphUpdate, RunsStayInOrderAcrossUpdates) {
    const Program program;
    const Stream first, second;
    const ZeroWords words(4);
    for (bool disables : {false, true}) {
        SCOPED_TRACE(disables ? "with a task less" : "with other arguments");
        Log log;
        Gate gate;
        const Graph graph = Capture(first, [&] {
            ACL_OK(log.Append(first, 1));
            ACL_OK(Mark(program.Kernel("mark"), words.At(), 1, 4, first));
        });
        const auto task = TasksOf(first)[1];
        ACL_OK(gate.Hold(first));
        ACL_OK(aclmdlRIExecuteAsync(graph, first));
        if (disables)
            ACL_OK(aclmdlRITaskDisable(task));
        else
            SetNumber(task, words.At(), 2);
        ACL_OK(aclmdlRIUpdate(graph));
        ACL_OK(aclmdlRIUpdate(graph));
        ACL_OK(aclmdlRIExecuteAsync(graph, second));
        ACL_OK(log.Append(second, 2));
        ACL_FAILS(ACL_ERROR_RT_MODEL_RUNNING, aclmdlRIDestroy(graph));
        ASSERT_TRUE(gate.AwaitArrival());
        EXPECT_EQ(log.Size(), 0u);
        gate.Open();
        ACL_OK(aclrtSynchronizeDevice());
        EXPECT_EQ(log.Numbers(), (std::vector<int>{1, 1, 2}));
    }
    EXPECT_EQ(words.Download<uint32_t>(), Words(4, 4));
}

// Memory that changed arguments no longer name may be freed; memory that they name must exist.
TEST_F(GraphUpdate, KernelsKeepTheirProgram) {
    const Stream stream;
    const ZeroWords words(4);
    Program program, second;
    const Graph graph = Capture(stream, [&] { ACL_OK(Mark(program.Kernel("mark"), words.At(), 1, 4, stream)); });
    const auto task = TasksOf(stream)[0];
    auto params = ParamsOf(task);
    const aclrtFuncHandle before = params.kernelTaskParams.funcHandle;
    params.kernelTaskParams.funcHandle = second.Kernel("mark");
    ACL_OK(aclmdlRITaskSetParams(task, &params));
    ACL_OK(aclmdlRIUpdate(graph));
    ACL_OK(aclrtBinaryUnLoad(program.Release()));
    ACL_OK(aclrtBinaryUnLoad(second.Release()));
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(words.Download<uint32_t>(), Words(4, 1));
    params.kernelTaskParams.funcHandle = before;
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRITaskSetParams(task, &params), "params->funcHandle",
                     Shown(before));
}

TEST_F(GraphUpdate, ThreadsChangeAndRunAtOnce) {
    const Program program;
    const Stream stream;
    const ZeroWords words(1);
    const Graph graph = Capture(stream, [&] { ACL_OK(Mark(program.Kernel("mark"), words.At(), 1, 1, stream)); });
    const auto task = TasksOf(stream)[0];
    constexpr int kRuns = 50;
    OnThreads(4, [&](int index) {
        ACL_OK(aclrtSetDevice(0));
        for (int i = 0; i < kRuns; ++i) {
            if (index % 2) {
                ACL_OK(aclmdlRIExecuteAsync(graph, stream));
            } else {
                SetNumber(task, words.At(), 1);
                ACL_OK(aclmdlRIUpdate(graph));
            }
        }
        ACL_OK(aclrtResetDevice(0));
    });
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(words.Download<uint32_t>(), Words(1, 2 * kRuns));
}

TEST_F(GraphUpdate, ValuesAreChanged) {
    const Stream stream;
    const DeviceMemory memory(std::vector<uint64_t>(4));
    const Graph graph = Capture(stream, [&] {
        ACL_OK(aclrtValueWait(memory.At(), 5, ACL_STREAM_WAIT_VALUE_EQ, stream));
        ACL_OK(aclrtValueWrite(memory.At(8), 7, 0, stream));
    });
    const auto tasks = TasksOf(stream);
    auto wait = ParamsOf(tasks[0]), write = ParamsOf(tasks[1]);
    EXPECT_EQ(wait.type, ACL_MODEL_RI_TASK_VALUE_WAIT);
    EXPECT_EQ(wait.valueWaitTaskParams.devAddr, memory.At());
    EXPECT_EQ(wait.valueWaitTaskParams.value, 5u);
    EXPECT_EQ(wait.valueWaitTaskParams.flag, uint32_t{ACL_STREAM_WAIT_VALUE_EQ});
    EXPECT_EQ(write.type, ACL_MODEL_RI_TASK_VALUE_WRITE);
    EXPECT_EQ(write.valueWriteTaskParams.devAddr, memory.At(8));
    EXPECT_EQ(write.valueWriteTaskParams.value, 7u);
    wait.valueWaitTaskParams.value = 0;
    write.valueWriteTaskParams.devAddr = memory.At(16);
    ACL_OK(aclmdlRITaskSetParams(tasks[0], &wait));
    ACL_OK(aclmdlRITaskSetParams(tasks[1], &write));
    ACL_OK(aclmdlRIUpdate(graph));
    ACL_OK(aclmdlRIExecute(graph, 30000));
    EXPECT_EQ(memory.Download<uint64_t>(), (std::vector<uint64_t>{0, 0, 7, 0}));
    ACL_OK(aclmdlRITaskDisable(tasks[1]));
    wait.valueWaitTaskParams.flag = ACL_STREAM_WAIT_VALUE_GEQ;
    wait.valueWaitTaskParams.devAddr = memory.At(16);
    wait.valueWaitTaskParams.value = 7;
    ACL_OK(aclmdlRITaskSetParams(tasks[0], &wait));
    ACL_OK(aclmdlRIUpdate(graph));
    ACL_OK(aclmdlRIExecute(graph, 30000));
    EXPECT_EQ(memory.Download<uint64_t>(), (std::vector<uint64_t>{0, 0, 7, 0}));

    wait.valueWaitTaskParams.flag = 4;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclmdlRITaskSetParams(tasks[0], &wait), "flag is 0x4");
    write.valueWriteTaskParams.devAddr = nullptr;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclmdlRITaskSetParams(tasks[1], &write), "devAddr is null");
    write.valueWriteTaskParams.devAddr = memory.At(4);
    ACL_FAILS_SAYING(ACL_ERROR_RT_ADDR_UNALIGNED, aclmdlRITaskSetParams(tasks[1], &write), Shown(memory.At(4)));
    alignas(8) uint64_t local = 0;
    write.valueWriteTaskParams.devAddr = &local;
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRITaskSetParams(tasks[1], &write), Shown(&local));
}

TEST_F(GraphUpdate, TasksOfGroupsAreChangedWithTheGroup) {
    const Program program;
    const Stream stream, updating;
    const ZeroWords words(4);
    const aclrtFuncHandle mark = program.Kernel("mark");
    aclrtTaskGrp group = nullptr;
    const Graph graph = Capture(stream, [&] {
        ACL_OK(aclmdlRICaptureTaskGrpBegin(stream));
        ACL_OK(Mark(mark, words.At(), 1, 4, stream));
        ACL_OK(aclmdlRICaptureTaskGrpEnd(stream, &group));
    });
    const auto task = TasksOf(stream)[0];
    auto params = ParamsOf(task);
    EXPECT_EQ(params.taskGrp, group);
    ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclmdlRITaskSetParams(task, &params),
                     "aclmdlRICaptureTaskUpdateBegin");
    ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclmdlRITaskDisable(task), "aclmdlRICaptureTaskUpdateBegin");
    ACL_OK(aclmdlRICaptureTaskUpdateBegin(updating, group));
    ACL_OK(Mark(mark, words.At(), 8, 4, updating));
    ACL_OK(aclmdlRICaptureTaskUpdateEnd(updating));
    ACL_OK(aclrtSynchronizeStream(updating));
    params = ParamsOf(task);
    uint32_t number = 0;
    std::memcpy(&number, static_cast<char*>(params.kernelTaskParams.args) + 8, 4);
    EXPECT_EQ(number, 8u);
    ACL_OK(aclmdlRIUpdate(graph));
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(words.Download<uint32_t>(), Words(4, 8));
}

}  // namespace
