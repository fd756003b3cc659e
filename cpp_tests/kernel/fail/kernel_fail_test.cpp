// What only kernels of the cpu backend do. Failures of their own (portaclKernelFail): the code and the text, and when a
// stream reports them. The release of what a launch owns (NAME_portacl_release): once for each, also for dropped ones,
// and behind the last graph that has it.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include "support/gate.h"
#include "support/graph/build.h"
#include "support/graph/graph.h"
#include "support/kernel/kernels.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr int32_t kKernelCode = 561'103;

class KernelFail : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        if (!OnCpu()) GTEST_SKIP() << "CUDA kernels have no portaclBlock";
        program_.emplace();
    }
    // Blocks from number `first` on fail.
    aclError Launch(aclrtStream stream, uint32_t blocks, uint32_t first, int32_t code = kKernelCode) {
        void* arguments[] = {&first, &code};
        return aclrtLaunchKernelWithArgsArray(program_->Kernel("fails"), blocks, stream, nullptr, arguments);
    }
    void TearDown() override {
        program_.reset();
        WithDevice::TearDown();
    }
    std::optional<Program> program_;
};

TEST_F(KernelFail, TheNextSynchronizeReturnsCodeAndText) {
    const Stream stream, other;
    ACL_OK(Launch(stream, 1, 0));
    ACL_OK(aclrtSynchronizeStream(other));
    ACL_FAILS_SAYING(kKernelCode, aclrtSynchronizeStream(stream), "an even block refuses");
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(Launch(stream, 8, 8));
    ACL_OK(aclrtSynchronizeStream(stream));
}

TEST_F(KernelFail, TheFirstOfManyFailuresCounts) {
    const Stream stream;
    for (const uint32_t first : {0u, 1u, 1000u}) {
        ACL_OK(Launch(stream, 1024, first));
        ACL_OK(Launch(stream, 1024, 0, kKernelCode + 7));
        ACL_FAILS(kKernelCode, aclrtSynchronizeStream(stream));
    }
}

TEST_F(KernelFail, WithoutACodeAndWithoutAText) {
    const Stream stream;
    ACL_OK(Launch(stream, 1, 0, 0));
    ACL_FAILS_SAYING(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream), "an even block refuses");
    ACL_OK(Launch(stream, 2, 1));
    ACL_FAILS_SAYING(kKernelCode, aclrtSynchronizeStream(stream), "a kernel failed");
}

TEST_F(KernelFail, TheStreamGoesOnOrStops) {
    const ZeroWords words(1);
    const Stream going, stopping;
    ACL_OK(aclrtSetStreamFailureMode(stopping, ACL_STOP_ON_FAILURE));
    ACL_OK(Launch(going, 1, 0));
    ACL_OK(Mark(program_->Kernel("mark"), words.At(), 3, 1, going));
    ACL_FAILS(kKernelCode, aclrtSynchronizeStream(going));
    EXPECT_EQ(words.Download<uint32_t>(), std::vector<uint32_t>{3});
    ACL_OK(Launch(stopping, 1, 0));
    for (int i = 0; i < 2; ++i)
        ACL_FAILS_SAYING(kKernelCode, aclrtSynchronizeStream(stopping), "was stopped", "an even block refuses");
    ACL_FAILS(kKernelCode, Launch(stopping, 1, 1));
}

TEST_F(KernelFail, EachRunOfAGraphFails) {
    const Stream stream;
    const Graph graph = Capture(stream, [&] { ACL_EXPECT_OK(Launch(stream, 1, 0)); });
    for (int i = 0; i < 2; ++i) {
        ACL_OK(aclmdlRIExecuteAsync(graph, stream));
        ACL_FAILS_SAYING(kKernelCode, aclrtSynchronizeStream(stream), "an even block refuses");
    }
}

// The counts outlive the test, as its streams may.
class KernelRelease : public KernelFail {
  protected:
    struct Counts {
        std::atomic<int> ran, released;
    };
    aclError Own(aclrtStream stream, uint32_t blocks = 1) {
        auto counts = reinterpret_cast<uintptr_t>(counts_);
        void* arguments[] = {&counts};
        return aclrtLaunchKernelWithArgsArray(program_->Kernel("owns"), blocks, stream, nullptr, arguments);
    }
    // A release may be later than the synchronize that waited for the launch.
    void ExpectCounts(int ran, int released) {
        const auto end = std::chrono::steady_clock::now() + kPatience;
        while (counts_->released < released && std::chrono::steady_clock::now() < end) std::this_thread::yield();
        EXPECT_EQ(ran, counts_->ran);
        EXPECT_EQ(released, counts_->released);
    }
    Counts* counts_ = MakeImmortal<Counts>();
};

TEST_F(KernelRelease, FollowsTheRun) {
    const Stream stream;
    for (int i = 0; i < 10; ++i) ACL_OK(Own(stream, 2));
    ACL_OK(aclrtSynchronizeStream(stream));
    ExpectCounts(20, 10);
}

TEST_F(KernelRelease, IsForDroppedLaunchesToo) {
    const Stream stream;
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ASSERT_TRUE(gate.AwaitArrival());
    for (int i = 0; i < 10; ++i) ACL_OK(Own(stream));
    EXPECT_EQ(0, counts_->released);
    ACL_OK(aclrtStreamAbort(stream));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    ExpectCounts(0, 10);
}

TEST_F(KernelRelease, IsForLaunchesBehindAFailureToo) {
    const Stream stream;
    ACL_OK(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(Launch(stream, 1, 0));
    for (int i = 0; i < 10; ++i) ACL_OK(Own(stream));
    gate.Open();
    ACL_FAILS(kKernelCode, aclrtSynchronizeStream(stream));
    ExpectCounts(0, 10);
    // A refused launch stays the caller's.
    EXPECT_EQ(kKernelCode, Own(stream));
    ExpectCounts(0, 10);
}

TEST_F(KernelRelease, IsForLaunchesOfAStreamThatIsDestroyedToo) {
    Stream stream;
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ASSERT_TRUE(gate.AwaitArrival());
    for (int i = 0; i < 10; ++i) ACL_OK(Own(stream));
    ACL_OK(aclrtDestroyStreamForce(stream.Release()));
    gate.Open();
    ExpectCounts(0, 10);
}

TEST_F(KernelRelease, OfAGraphFollowsItsEnd) {
    const Stream stream;
    {
        const Graph graph = Capture(stream, [&] { ACL_EXPECT_OK(Own(stream)); });
        for (int i = 0; i < 3; ++i) ACL_OK(aclmdlRIExecuteAsync(graph, stream));
        ACL_OK(aclrtSynchronizeStream(stream));
        // The release of a launch behind them: one of the graph would be earlier.
        ACL_OK(Own(stream));
        ACL_OK(aclrtSynchronizeStream(stream));
        ExpectCounts(4, 1);
    }
    ExpectCounts(4, 2);
}

TEST_F(KernelRelease, OfAGraphInsideAnotherOneFollowsTheLastOfThem) {
    const Stream stream;
    {
        std::optional<Graph> inner(Capture(stream, [&] { ACL_EXPECT_OK(Own(stream)); }));
        const Graph outer = Capture(stream, [&] { ACL_EXPECT_OK(aclmdlRIExecuteAsync(*inner, stream)); });
        inner.reset();
        ACL_OK(aclmdlRIExecute(outer, -1));
        ExpectCounts(1, 0);
    }
    ExpectCounts(1, 1);
}

TEST_F(KernelRelease, OfAnInvalidCaptureFollowsItsEnd) {
    const Stream stream;
    ACL_OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    ACL_OK(Own(stream));
    ACL_OK(aclrtStreamAbort(stream));
    EndInvalid(stream);
    ExpectCounts(0, 1);
}

TEST_F(KernelRelease, OfABuiltGraphFollowsItsEnd) {
    const Persistent stream;
    {
        const Built graph;
        graph.Bind(stream);
        ACL_OK(Own(stream));
        graph.End(stream);
        for (int i = 0; i < 2; ++i) ACL_OK(aclmdlRIExecute(graph, -1));
        ExpectCounts(2, 0);
    }
    ExpectCounts(2, 1);
}

TEST_F(KernelRelease, OfAGraphThatIsStillBuiltFollowsItsEnd) {
    const Persistent stream;
    {
        const Built graph;
        graph.Bind(stream);
        for (int i = 0; i < 3; ++i) ACL_OK(Own(stream));
        ExpectCounts(0, 0);
    }
    ExpectCounts(0, 3);
}

TEST_F(KernelRelease, OfAGraphFollowsItsEndAlsoBehindParametersThatNoUpdateApplied) {
    const Stream stream;
    {
        const Graph graph = Capture(stream, [&] { ACL_EXPECT_OK(Own(stream)); });
        auto params = ParamsOf(TasksOf(stream).at(0));
        ACL_OK(aclmdlRITaskSetParams(TasksOf(stream).at(0), &params));
        ExpectCounts(0, 0);
    }
    ExpectCounts(0, 1);
}

// Other arguments may refer to what the recorded launch owns.
TEST_F(KernelRelease, OfAGraphWaitsForItsEndAlsoBehindOtherParameters) {
    const Stream stream;
    {
        const Graph graph = Capture(stream, [&] { ACL_EXPECT_OK(Own(stream)); });
        for (int i = 0; i < 3; ++i) {
            auto params = ParamsOf(TasksOf(stream).at(0));
            ACL_OK(aclmdlRITaskSetParams(TasksOf(stream).at(0), &params));
            ACL_OK(aclmdlRIUpdate(graph));
            ACL_OK(aclmdlRIExecute(graph, -1));
        }
        ExpectCounts(3, 0);
    }
    ExpectCounts(3, 1);
}

TEST_F(KernelRelease, OfATaskGroupFollowsTheEndOfItsGraph) {
    const Stream stream;
    {
        aclrtTaskGrp group = nullptr;
        const Graph graph = Capture(stream, [&] {
            ACL_EXPECT_OK(aclmdlRICaptureTaskGrpBegin(stream));
            ACL_EXPECT_OK(Own(stream));
            ACL_EXPECT_OK(aclmdlRICaptureTaskGrpEnd(stream, &group));
        });
        ACL_OK(aclmdlRICaptureTaskUpdateBegin(stream, group));
        ACL_OK(Own(stream));
        ACL_OK(aclmdlRICaptureTaskUpdateEnd(stream));
        ACL_OK(aclmdlRIExecute(graph, -1));
    }
    ExpectCounts(1, 2);
}

TEST_F(KernelRelease, OfAnUpdateFollowsTheEndOfItsGraph) {
    const Stream stream;
    Gate gate;
    {
        aclrtTaskGrp group = nullptr;
        const Graph graph = Capture(stream, [&] {
            ACL_EXPECT_OK(aclmdlRICaptureTaskGrpBegin(stream));
            ACL_EXPECT_OK(Own(stream));
            ACL_EXPECT_OK(aclmdlRICaptureTaskGrpEnd(stream, &group));
        });
        ACL_OK(gate.Hold(stream));
        ACL_OK(aclmdlRICaptureTaskUpdateBegin(stream, group));
        ACL_OK(Own(stream));
        ACL_OK(aclmdlRICaptureTaskUpdateEnd(stream));
    }
    ExpectCounts(0, 1);
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    ExpectCounts(0, 2);
}

TEST_F(KernelRelease, RefusedArgumentsStayTheCallers) {
    const Stream stream;
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID,
              aclrtLaunchKernelWithArgsArray(program_->Kernel("owns"), 1, stream, nullptr, nullptr));
    ExpectCounts(0, 0);
}

}  // namespace
