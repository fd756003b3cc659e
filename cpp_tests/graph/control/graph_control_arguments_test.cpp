// Invalid calls for control flow in graphs.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/acl_test.h"
#include "support/graph/build.h"
#include "support/graph/control.h"
#include "support/graph/graph.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/threads.h"

namespace {

using namespace portacl_test;

using GraphControlArguments = WithDevice;

// ---- what is refused ----

TEST_F(GraphControlArguments, EndlessGraphsAreRefused) {
    const Number zero;
    const Persistent stream, other;
    const Label again, nowhere, outside;
    const LabelList loop({again}), missing({nowhere}), foreign({outside});
    {
        const Built graph;
        graph.Bind(stream);
        ACL_OK(aclrtSetLabel(again, stream));
        ACL_OK(aclrtSwitchLabelByIndex(zero.At(), 1, loop, stream));
        ACL_OK(aclmdlRIEndTask(graph, stream));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIBuildEnd(graph, nullptr), "never end", Shown(stream));
    }
    {
        const Built graph;
        graph.Bind(stream);
        ACL_OK(aclrtSwitchLabelByIndex(zero.At(), 1, missing, stream));
        ACL_OK(aclmdlRIEndTask(graph, stream));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIBuildEnd(graph, nullptr), "aclrtSetLabel", Shown(nowhere));
    }
    {
        const Built graph;
        graph.Bind(stream);
        graph.Bind(other);
        ACL_OK(aclrtSetLabel(outside, other));
        ACL_OK(aclrtSwitchLabelByIndex(zero.At(), 1, foreign, stream));
        ACL_OK(aclmdlRIEndTask(graph, stream));
        ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclmdlRIBuildEnd(graph, nullptr), "aclrtActiveStream",
                         Shown(outside));
    }
    {
        const Built graph;
        graph.Bind(stream);
        graph.Bind(other, kDefault);
        ACL_OK(aclrtActiveStream(stream, stream));
        ACL_OK(aclmdlRIEndTask(graph, other));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIBuildEnd(graph, nullptr), "aclmdlRIEndTask");
    }
}

TEST_F(GraphControlArguments, GraphsWithControlFlowCannotBeNested) {
    const Persistent stream, outer;
    const Stream capturing;
    const Number count, one(1), limit(1);
    const Built graph, other;
    BuildLoop(graph, stream, count, one, limit);
    ACL_OK(aclmdlRICaptureBegin(capturing, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclmdlRIExecuteAsync(graph, capturing), "part of another graph");
    EndInvalid(capturing);
    other.Bind(outer);
    ACL_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclmdlRIExecuteAsync(graph, outer));
}

// ---- arguments ----

TEST_F(GraphControlArguments, BadLabels) {
    const Persistent stream, unbound;
    const Stream plain;
    const Built graph;
    graph.Bind(stream);
    Label label, ended;
    const aclrtLabel dead = ended.Release();
    ACL_OK(aclrtDestroyLabel(dead));
    LabelList ended_list({label});
    const aclrtLabelList dead_list = ended_list.Release();
    ACL_OK(aclrtDestroyLabelList(dead_list));
    int local = 0;
    auto list = Poison<aclrtLabelList>();
    aclrtLabel null_label[] = {label, nullptr};
    aclrtLabel good[] = {label};
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCreateLabel(nullptr));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtDestroyLabel(nullptr));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtSetLabel(nullptr, stream));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCreateLabelList(nullptr, 1, &list));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCreateLabelList(good, 1, nullptr));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCreateLabelList(good, 0, &list), "num");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCreateLabelList(null_label, 2, &list), "labels[1]");
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtDestroyLabelList(nullptr));
    for (aclrtLabel bad : {dead, static_cast<aclrtLabel>(static_cast<aclrtStream>(stream)), aclrtLabel{&local}}) {
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyLabel(bad), Shown(bad));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSetLabel(bad, stream), Shown(bad));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateLabelList(&bad, 1, &list), Shown(bad), "labels[0]");
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyLabelList(bad), Shown(bad));
    }
    EXPECT_TRUE(IsPoison(list));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyLabelList(dead_list));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSetLabel(label, aclrtStream{&local}));
    for (aclrtStream bad : {aclrtStream{nullptr}, static_cast<aclrtStream>(plain), static_cast<aclrtStream>(unbound)})
        ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_MODEL, aclrtSetLabel(label, bad), "aclmdlRIBindStream");
    ACL_OK(aclrtSetLabel(label, stream));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSetLabel(label, stream), "set", Shown(graph));
    graph.End(stream);
    const Label late;
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSetLabel(late, stream), "built");
}

TEST_F(GraphControlArguments, BadJumps) {
    constexpr uint32_t kMost = std::numeric_limits<uint32_t>::max();
    const Persistent stream;
    const Built graph;
    graph.Bind(stream);
    const Label label;
    const LabelList list({label, label});
    DeviceMemory memory(64), ended(64);
    void* freed = ended.Release();
    ACL_OK(aclrtFree(freed));
    int local = 0;
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtSwitchLabelByIndex(nullptr, 2, list, stream));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtSwitchLabelByIndex(memory.At(), 2, nullptr, stream));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtSwitchLabelByIndex(memory.At(), 0, list, stream), "maxValue");
    for (uint32_t most : {3u, kMost})
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSwitchLabelByIndex(memory.At(), most, list, stream),
                         "maxValue", "allowed: 1 to 2");
    ACL_FAILS(ACL_ERROR_RT_ADDR_UNALIGNED, aclrtSwitchLabelByIndex(memory.At(2), 2, list, stream));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSwitchLabelByIndex(&local, 2, list, stream), "ptr");
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSwitchLabelByIndex(freed, 2, list, stream));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID,
              aclrtSwitchLabelByIndex(memory.At(), 2, static_cast<aclrtLabelList>(label), stream));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSwitchLabelByIndex(memory.At(), 2, list, aclrtStream{&local}));
    ACL_FAILS(ACL_ERROR_RT_STREAM_MODEL, aclrtSwitchLabelByIndex(memory.At(), 2, list, nullptr));
}

TEST_F(GraphControlArguments, BadSwitches) {
    const Persistent stream, other, outside, unbound;
    const Built graph, second;
    graph.Bind(stream);
    graph.Bind(other, kDefault);
    second.Bind(outside);
    const DeviceMemory memory(64);
    int local = 0;
    const auto call = [&](void* left, int cond, void* right, int type, aclrtStream then, aclrtStream if_false,
                          aclrtStream on) {
        return aclrtSwitchStream(left, static_cast<aclrtCondition>(cond), right,
                                 static_cast<aclrtCompareDataType>(type), then, if_false, on);
    };
    void *const a = memory.At(), *const b = memory.At(8);
    ACL_FAILS(ACL_ERROR_INVALID_PARAM,
              aclrtSwitchStream(nullptr, ACL_RT_EQUAL, b, ACL_RT_SWITCH_INT64, other, nullptr, stream));
    EXPECT_EQ(call(a, 0, nullptr, 1, other, nullptr, stream), ACL_ERROR_INVALID_PARAM);
    EXPECT_EQ(call(a, 0, b, 1, nullptr, nullptr, stream), ACL_ERROR_INVALID_PARAM);
    for (int bad : {-1, 6, 0x7fffffff}) {
        EXPECT_EQ(call(a, bad, b, 1, other, nullptr, stream), ACL_ERROR_INVALID_PARAM);
        EXPECT_EQ(call(a, 0, b, bad == 6 ? 2 : bad, other, nullptr, stream), ACL_ERROR_INVALID_PARAM);
    }
    EXPECT_EQ(call(memory.At(4), 0, b, 1, other, nullptr, stream), ACL_ERROR_RT_ADDR_UNALIGNED);
    EXPECT_EQ(call(a, 0, memory.At(2), 0, other, nullptr, stream), ACL_ERROR_RT_ADDR_UNALIGNED);
    EXPECT_EQ(call(&local, 0, b, 0, other, nullptr, stream), ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(call(a, 0, b, 1, other, nullptr, nullptr), ACL_ERROR_RT_STREAM_MODEL);
    for (aclrtStream bad : {static_cast<aclrtStream>(outside), static_cast<aclrtStream>(unbound)}) {
        EXPECT_EQ(call(a, 0, b, 1, bad, nullptr, stream), ACL_ERROR_RT_STREAM_MODEL);
        EXPECT_EQ(call(a, 0, b, 1, other, bad, stream), ACL_ERROR_RT_STREAM_MODEL);
        ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_MODEL, aclrtActiveStream(bad, stream), "activeStream", Shown(bad));
    }
    EXPECT_EQ(call(a, 0, b, 1, other, nullptr, unbound), ACL_ERROR_RT_STREAM_MODEL);
    EXPECT_EQ(call(a, 0, b, 1, aclrtStream{&local}, nullptr, stream), ACL_ERROR_RT_PARAM_INVALID);
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtActiveStream(nullptr, stream));
    ACL_FAILS(ACL_ERROR_RT_STREAM_MODEL, aclrtActiveStream(other, nullptr));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtActiveStream(aclrtStream{&local}, stream));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtActiveStream(other, aclrtStream{&local}));
}

TEST_F(GraphControlArguments, OtherThreadsAndDevices) {
    const Persistent stream;
    const Built graph;
    const Label label;
    const LabelList list({label});
    const Number number;
    graph.Bind(stream);
    aclrtLabel labels[] = {label};
    OnNewThread([&] {
        auto made = Poison<aclrtLabel>();
        auto made_list = Poison<aclrtLabelList>();
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateLabel(&made));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateLabelList(labels, 1, &made_list));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtSetLabel(label, stream));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtSwitchLabelByIndex(number.At(), 1, list, stream));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtActiveStream(stream, stream));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, Switch(number, ACL_RT_LESS, number, stream, nullptr, stream));
        EXPECT_TRUE(IsPoison(made) && IsPoison(made_list));
    });
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDevice(1));
    {
        const Label there;
        const LabelList list_there({there});
        auto made = Poison<aclrtLabelList>();
        ACL_FAILS_SAYING(ACL_ERROR_RT_LABEL_CONTEXT, aclrtCreateLabelList(labels, 1, &made),
                         "labels[0] belongs to another device than the current context");
        ACL_FAILS(ACL_ERROR_RT_STREAM_CONTEXT, aclrtSetLabel(there, stream));
        ACL_OK(aclrtSetDevice(0));
        ACL_FAILS_SAYING(ACL_ERROR_RT_LABEL_CONTEXT, aclrtSetLabel(there, stream), "another device than the stream");
        ACL_FAILS(ACL_ERROR_RT_LABEL_CONTEXT, aclrtSwitchLabelByIndex(number.At(), 1, list_there, stream));
        ACL_OK(aclrtSetDevice(1));
    }
    ACL_OK(aclrtResetDevice(1));
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(GraphControlArguments, RefusedInsideAHostFunction) {
    struct LabelCalls {
        aclrtLabel label;
        aclrtLabelList list;
        aclrtStream stream;
        void* address;
        aclError codes[8];
    };
    const Stream running;
    const Persistent stream;
    const Built graph;
    graph.Bind(stream);
    const Label label;
    const LabelList list({label});
    const Number number;
    LabelCalls state{label, list, stream, number.At(), {}};
    ACL_OK(aclrtLaunchHostFunc(
        running,
        [](void* argument) {
            auto* s = static_cast<LabelCalls*>(argument);
            aclrtLabel made = nullptr;
            aclrtLabelList made_list = nullptr;
            s->codes[0] = aclrtCreateLabel(&made);
            s->codes[1] = aclrtDestroyLabel(s->label);
            s->codes[2] = aclrtSetLabel(s->label, s->stream);
            s->codes[3] = aclrtCreateLabelList(&s->label, 1, &made_list);
            s->codes[4] = aclrtDestroyLabelList(s->list);
            s->codes[5] = aclrtSwitchLabelByIndex(s->address, 1, s->list, s->stream);
            s->codes[6] = aclrtActiveStream(s->stream, s->stream);
            s->codes[7] = aclrtSwitchStream(s->address, ACL_RT_EQUAL, s->address, ACL_RT_SWITCH_INT32, s->stream,
                                            nullptr, s->stream);
        },
        &state));
    ACL_OK(aclrtSynchronizeStream(running));
    for (aclError code : state.codes) EXPECT_EQ(code, ACL_ERROR_RT_PARAM_INVALID);
}

TEST(GraphControlArgumentsTeardown, LabelsEndWithTheirDevice) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    const aclrtLabel label = Label().Release();
    const aclrtLabelList list = LabelList({label}).Release();
    ACL_OK(aclrtResetDevice(0));
    ACL_OK(aclrtSetDevice(0));
    auto again = Poison<aclrtLabelList>();
    aclrtLabel gone = label;
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateLabelList(&gone, 1, &again), "released with its device");
    ACL_OK(aclFinalize());
    auto made = Poison<aclrtLabel>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateLabel(&made));
    EXPECT_TRUE(IsPoison(made));
    ACL_DESTROYS_LATE(aclrtDestroyLabel(label));
    ACL_DESTROYS_LATE(aclrtDestroyLabelList(list));
}

}  // namespace
