// What a program adds to traces: ranges, marks, operators and steps.

#include <acl/acl_prof.h>
#include <acl/acl_rt_memory_soma.h>

#include "support/gate.h"
#include "support/objects.h"
#include "support/profiling/profiling.h"
#include "support/says.h"
#include "support/threads.h"

using namespace portacl_test;

namespace {

constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;

TEST_F(Profiling, HasRangesAndMarksOfThreads) {
    void* outer = aclprofCreateStamp();
    void* inner = aclprofCreateStamp();
    void* nameless = aclprofCreateStamp();
    const std::string text = "epoch \"1\"\n\xff";
    ACL_OK(aclprofSetStampTraceMessage(outer, text.data(), text.size()));
    ACL_OK(aclprofSetStampTraceMessage(inner, "batch\0rest", 10));
    ACL_OK(aclprofPush(outer));  // Before the trace, so it has no end in it.
    ACL_OK(aclprofStart(config_));
    ACL_OK(aclprofPush(outer));
    ACL_OK(aclprofPush(inner));
    ACL_OK(aclprofMark(nameless));
    uint32_t first = 0, second = 0;
    ACL_OK(aclprofRangeStart(outer, &first));
    ACL_OK(aclprofRangeStart(inner, &second));
    EXPECT_NE(first, second);
    ACL_OK(aclprofPop());
    OnNewThread([&] { ACL_OK(aclprofRangeStop(first)); });
    ACL_OK(aclprofPop());
    ACL_OK(aclprofPop());
    ACL_OK(aclprofPush(inner));  // The trace ends before it does.
    for (void* stamp : {outer, inner, nameless}) aclprofDestroyStamp(stamp);
    const Trace trace = Finish();
    ACL_OK(aclprofPop());
    ACL_OK(aclprofRangeStop(second));

    std::string nesting;
    for (const TraceEvent& event : trace.Events()) {
        if (event.phase == 'B') nesting += "(" + event.name;
        if (event.phase == 'E') nesting += ")";
    }
    EXPECT_EQ(nesting, "(epoch \"1\"\n\xef\xbf\xbd(batch))(batch)");
    EXPECT_EQ(trace.Named('b', "batch").size(), 1u);
    EXPECT_EQ(trace.Where([](const TraceEvent& event) { return event.phase == 'e'; }).size(), 2u);
    ASSERT_EQ(trace.Named('i', "stamp").size(), 1u);
}

TEST_F(Profiling, HasTagsAndCallStacksOfStamps) {
    void* stamp = aclprofCreateStamp();
    ACL_OK(aclprofSetStampTraceMessage(stamp, "forward", 7));
    ACL_OK(aclprofSetStampTagName(stamp, "torch_op\0rest", 13));
    ACL_OK(aclprofSetStampCallStack(stamp, "main.py(3);train.py(7)", 22));
    ACL_OK(aclprofStart(config_));
    uint32_t id = 0;
    ACL_OK(aclprofPush(stamp));
    ACL_OK(aclprofMark(stamp));
    ACL_OK(aclprofRangeStart(stamp, &id));
    ACL_OK(aclprofRangeStop(id));
    ACL_OK(aclprofPop());
    const Trace trace = Finish();
    aclprofDestroyStamp(stamp);
    for (char phase : {'B', 'i', 'b'}) {
        const auto found = trace.Named(phase, "forward");
        ASSERT_EQ(found.size(), 1u) << phase;
        EXPECT_EQ(found[0].args.value("tag", ""), "torch_op") << phase;
        EXPECT_EQ(found[0].args.value("call stack", ""), "main.py(3);train.py(7)") << phase;
    }
}

TEST_F(Profiling, HasOperatorsWithTheirTensors) {
    const uint64_t name = aclprofStr2Id("MatMul_12"), type = aclprofStr2Id("MatMul");
    EXPECT_NE(name, 0u);
    EXPECT_NE(name, type);
    EXPECT_EQ(aclprofStr2Id("MatMul"), type);
    aclprofTensor tensors[2]{};
    tensors[0] = {0, 2, 1, 2, {3, 4}};
    tensors[1] = {1, 2, 0, 0, {}};
    aclprofTensorInfo info{};
    info.opNameId = name;
    info.opTypeId = type;
    info.tensorNum = 2;
    info.blockNums = 24;
    info.tensors = tensors;
    aclprofEventAttributes attributes{};
    attributes.version = ACL_PROF_EVENT_ATTR_VERSION;
    attributes.size = sizeof attributes;
    attributes.messageType = ACL_PROF_MESSAGE_TYPE_TENSOR_INFO;
    attributes.message.tensorInfo = &info;
    ACL_OK(aclprofRangePushEx(&attributes));  // Also while nothing is recorded.
    ACL_OK(aclprofRangePop());
    ACL_OK(aclprofStart(config_));
    ACL_OK(aclprofRangePushEx(&attributes));
    ACL_OK(aclprofRangePop());
    const Trace trace = Finish();
    const auto ranges = trace.Named('B', "MatMul_12");
    ASSERT_EQ(ranges.size(), 1u);
    EXPECT_EQ(ranges[0].args.at("type"), "MatMul");
    EXPECT_EQ(ranges[0].args.at("blocks"), "24");
    EXPECT_EQ(ranges[0].args.at("inputs"), "[3, 4] of type 1, format 2");
    EXPECT_EQ(ranges[0].args.at("outputs"), "[] of type 0, format 2");

    // Refused attributes, one field at a time.
    const auto refused = [&](aclError code, const std::string& words, auto change) {
        aclprofEventAttributes wrong = attributes;
        aclprofTensorInfo wrong_info = info;
        aclprofTensor wrong_tensors[2] = {tensors[0], tensors[1]};
        wrong_info.tensors = wrong_tensors;
        wrong.message.tensorInfo = &wrong_info;
        change(wrong, wrong_info, wrong_tensors);
        ACL_FAILS_SAYING(code, aclprofRangePushEx(&wrong), words);
    };
    using A = aclprofEventAttributes&;
    using I = aclprofTensorInfo&;
    using T = aclprofTensor*;
    refused(ACL_ERROR_INVALID_PARAM, "version is 2", [](A a, I, T) { a.version = 2; });
    refused(ACL_ERROR_INVALID_PARAM, "size is 15", [](A a, I, T) { a.size = 15; });
    refused(ACL_ERROR_INVALID_PARAM, "messageType is 1", [](A a, I, T) { a.messageType = 1; });
    refused(ACL_ERROR_INVALID_PARAM, "tensorInfo", [](A a, I, T) { a.message.tensorInfo = nullptr; });
    refused(ACL_ERROR_INVALID_PARAM, "tensorNum is 257", [](A, I i, T) { i.tensorNum = 257; });
    refused(ACL_ERROR_INVALID_PARAM, "tensors is null", [](A, I i, T) { i.tensors = nullptr; });
    refused(ACL_ERROR_INVALID_PARAM, "tensors[1].shapeDim is 9", [](A, I, T t) { t[1].shapeDim = 9; });
    refused(ACL_ERROR_INVALID_PARAM, "tensors[0].type is 2", [](A, I, T t) { t[0].type = 2; });
    refused(kDead, "opNameId is 0", [](A, I i, T) { i.opNameId = 0; });
    refused(kDead, "opTypeId is 18446744073709551615", [](A, I i, T) { i.opTypeId = UINT64_MAX; });
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofRangePushEx(nullptr), "attr is null");
    ACL_FAILS_SAYING(kDead, aclprofRangePop(), "no range of this thread is open");
    ACL_FAILS_SAYING(kDead, aclprofPop(), "no range of this thread is open");
}

TEST_F(Profiling, HasMarksAndStepsInStreamOrder) {
    Stream stream;
    Gate gate;
    aclprofStepInfo* step = aclprofCreateStepInfo();
    ASSERT_NE(step, nullptr);
    ACL_OK(aclprofStart(config_));
    ACL_OK(aclprofGetStepTimestamp(step, ACL_STEP_START, stream));
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclprofMarkEx("after the gate", 14, stream));
    char loss[] = "loss 0.5";
    ACL_OK(aclrtProfTrace(loss, sizeof loss, stream));
    unsigned char bytes[] = {1, 255};
    ACL_OK(aclrtProfTrace(bytes, 2, stream));
    ACL_OK(aclprofGetStepTimestamp(step, ACL_STEP_END, stream));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclprofGetStepTimestamp(step, ACL_STEP_START, nullptr));  // Again, and without an end.
    aclprofDestroyStepInfo(step);
    ACL_OK(aclrtSynchronizeStream(nullptr));
    const Trace trace = Finish();
    const auto gates = trace.Named('X', "host function");
    ASSERT_EQ(gates.size(), 1u);
    const auto steps = trace.Bars("step");
    ASSERT_EQ(steps.size(), 2u);
    // A driver rounds times. Host functions use the host's clock, which is read late on a busy
    // machine when it is compared with a driver's clock.
    const Nanoseconds rounding = OnCpu() ? 0 : 1000, clocks = OnCpu() ? 0 : 500'000'000;
    for (const char* name : {"after the gate", "loss 0.5", "data 01 ff"}) {
        const auto marks = trace.Named('i', name);
        ASSERT_EQ(marks.size(), 1u) << name;
        EXPECT_EQ(marks[0].track, gates[0].track);
        EXPECT_GE(marks[0].begin, gates[0].end - clocks);
        EXPECT_GE(marks[0].begin, steps[0].begin - rounding);
        EXPECT_LE(marks[0].begin, steps[0].end + rounding);
    }
    EXPECT_LE(steps[0].begin, gates[0].begin + clocks);
    EXPECT_GE(steps[0].end, gates[0].end - clocks);
    EXPECT_EQ(trace.NameOf(steps[0].track).substr(0, 8), "device 0");
    EXPECT_NE(trace.NameOf(steps[0].track).find("/ steps"), std::string::npos);
}

void MarkInside(void* stamp) {
    EXPECT_EQ(aclprofMark(stamp), 0);
    EXPECT_EQ(aclprofPush(stamp), 0);
    EXPECT_EQ(aclprofPop(), 0);
    EXPECT_EQ(aclprofMarkEx("x", 1, nullptr), kDead);
    EXPECT_EQ(aclprofInit("x", 1), kDead);
    EXPECT_EQ(aclprofFinalize(), kDead);
}

TEST_F(Profiling, MarksInsideHostFunctionsButDoesNotBeginOrEndThere) {
    Stream stream;
    void* stamp = aclprofCreateStamp();
    ACL_OK(aclprofStart(config_));
    ACL_OK(aclrtLaunchHostFunc(stream, &MarkInside, stamp));
    ACL_OK(aclrtSynchronizeStream(stream));
    aclprofDestroyStamp(stamp);
    const Trace trace = Finish();
    ASSERT_EQ(trace.Named('i', "stamp").size(), 1u);
    EXPECT_NE(trace.Named('i', "stamp")[0].track.second, getpid());
}

}  // namespace
