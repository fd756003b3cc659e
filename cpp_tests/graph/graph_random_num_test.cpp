// Random numbers in graphs: each run generates what a call would generate then.
#include <cstdint>
#include <vector>

#include "support/acl_test.h"
#include "support/graph/graph.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/transfer/random_num.h"

namespace {

using namespace portacl_test;

using GraphRandomNum = WithDevice;
using Bytes = std::vector<unsigned char>;
using Words = std::vector<uint64_t>;

constexpr size_t kCount = 1001, kBytes = 8 * kCount;

// Results, and the counter, which starts at a number of two words.
struct RandomNumOutput {
    DeviceMemory result{Bytes(kBytes, 0)};
    DeviceMemory counter{Words{~uint64_t{0}, 5}};
};

// One of each kernel that a driver may need for them.
std::vector<aclrtRandomNumTaskInfo> Tasks(const RandomNumOutput& place) {
    void *result = place.result.At(), *counter = place.counter.At();
    return {RandomNumbers(kDropout, ACL_FLOAT, 0.3f, 0.0f, result, kCount, 1, counter),
            RandomNumbers(kUniform, ACL_INT32, -5, 100, result, kCount, 2, counter),
            RandomNumbers<uint64_t>(kUniform, ACL_UINT64, 7, 1u << 31, result, kCount, 3, counter),
            RandomNumbers(kNormal, ACL_FLOAT, 1.0f, 2.0f, result, kCount, 4, counter),
            RandomNumbers<uint16_t>(kTruncated, ACL_FLOAT16, 0, 0x3C00, result, kCount, 5, counter)};
}

TEST_F(GraphRandomNum, RunsAdvanceTheCounter) {
    const Stream stream;
    const RandomNumOutput replayed, direct;
    const auto tasks = Tasks(replayed), calls = Tasks(direct);
    for (size_t i = 0; i < tasks.size(); ++i) {
        SCOPED_TRACE(i);
        const Graph graph = Capture(stream, [&] { ACL_OK(aclrtRandomNumAsync(&tasks[i], stream, nullptr)); });
        Bytes before;
        for (int run = 0; run < 3; ++run) {
            ACL_OK(aclmdlRIExecuteAsync(graph, stream));
            ACL_OK(aclrtRandomNumAsync(&calls[i], stream, nullptr));
            ACL_OK(aclrtSynchronizeStream(stream));
            EXPECT_EQ(replayed.result.Download(), direct.result.Download());
            EXPECT_EQ(replayed.counter.Download(), direct.counter.Download());
            EXPECT_NE(replayed.result.Download(), before);
            before = replayed.result.Download();
        }
    }
}

// Without a counter, or with one that the program sets, runs generate the same numbers.
TEST_F(GraphRandomNum, RunsWithTheSameCounterMakeTheSameNumbers) {
    const Stream stream;
    const RandomNumOutput place;
    auto task = Tasks(place)[3];
    task.randomCounterAddr = nullptr;
    const Graph same = Capture(stream, [&] { ACL_OK(aclrtRandomNumAsync(&task, stream, nullptr)); });
    task.randomCounterAddr = place.counter.At();
    const Graph set = Capture(stream, [&] {
        ACL_OK(aclrtMemsetAsync(place.counter.At(), 16, 0, 16, stream));
        ACL_OK(aclrtRandomNumAsync(&task, stream, nullptr));
    });
    Bytes first;
    for (aclmdlRI graph : {aclmdlRI(same), aclmdlRI(set), aclmdlRI(same), aclmdlRI(set)}) {
        ACL_OK(aclrtMemset(place.result.At(), kBytes, 0, kBytes));
        ACL_OK(aclmdlRIExecute(graph, 30000));
        if (first.empty()) first = place.result.Download();
        EXPECT_NE(first, Bytes(kBytes, 0));
        EXPECT_EQ(place.result.Download(), first);
    }
    EXPECT_EQ(place.counter.Download<uint64_t>(), (Words{(kCount + 3) / 4, 0}));
}

// Each run reads numbers in memory again, after earlier work and before later work.
TEST_F(GraphRandomNum, NumbersInMemoryAreReadInEachRun) {
    const Stream stream, other;
    const RandomNumOutput place;
    const DeviceMemory seed(Words{0, 0}), copy(Bytes(kBytes, 0));
    PinnedMemory wanted(8);
    auto task = Tasks(place)[1];
    task.randomSeed = NumberAt(seed.At(), 8);
    const Event fork(ACL_EVENT_SYNC), join(ACL_EVENT_SYNC);
    const Graph graph = Capture(stream, [&] {
        ACL_OK(aclrtMemcpyAsync(seed.At(), 8, wanted.At(), 8, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        ACL_OK(aclrtMemsetAsync(place.counter.At(), 16, 0, 16, stream));
        ACL_OK(aclrtRecordEvent(fork, stream));
        ACL_OK(aclrtStreamWaitEvent(other, fork));
        ACL_OK(aclrtRandomNumAsync(&task, other, nullptr));
        ACL_OK(aclrtMemsetAsync(place.counter.At(), 16, 9, 16, other));
        ACL_OK(aclrtRecordEvent(join, other));
        ACL_OK(aclrtStreamWaitEvent(stream, join));
        ACL_OK(aclrtMemcpyAsync(copy.At(), kBytes, place.result.At(), kBytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    });
    for (uint64_t number = 1; number <= 3; ++number) {
        std::memcpy(wanted.At(), &number, 8);
        ACL_OK(aclmdlRIExecute(graph, 30000));
        const Bytes made = copy.Download();
        auto call = Tasks(place)[1];
        call.randomSeed = Number(number);
        call.randomCounterAddr = nullptr;
        ACL_OK(aclrtRandomNumAsync(&call, stream, nullptr));
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_EQ(place.result.Download(), made);
        EXPECT_EQ(place.counter.Download(), Bytes(16, 9));
    }
}

TEST_F(GraphRandomNum, TasksCanBeQueriedAndDisabled) {
    const Stream stream;
    const RandomNumOutput place;
    const auto task = Tasks(place)[2];
    const Graph graph = Capture(stream, [&] { ACL_OK(aclrtRandomNumAsync(&task, stream, nullptr)); });
    const auto handle = TasksOf(stream)[0];
    EXPECT_EQ(ParamsOf(handle).type, ACL_MODEL_RI_TASK_DEFAULT);
    auto params = ParamsOf(handle);
    params.rsv2[0] = 1;
    ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclmdlRITaskSetParams(handle, &params), "random_num",
                     "aclmdlRICaptureTaskGrpBegin");
    ACL_OK(aclmdlRITaskDisable(handle));
    ACL_OK(aclmdlRIUpdate(graph));
    ACL_OK(aclmdlRIExecute(graph, 30000));
    EXPECT_EQ(place.result.Download(), Bytes(kBytes, 0));
    EXPECT_EQ(place.counter.Download<uint64_t>(), (Words{~uint64_t{0}, 5}));
}

// A task group can change them for later runs.
TEST_F(GraphRandomNum, GroupsChangeTheNumbersOfLaterRuns) {
    const Stream stream, updates;
    const RandomNumOutput place;
    auto task = Tasks(place)[3];
    task.randomCounterAddr = nullptr;
    aclrtTaskGrp group = nullptr;
    const Graph graph = Capture(stream, [&] {
        ACL_OK(aclmdlRICaptureTaskGrpBegin(stream));
        ACL_OK(aclrtRandomNumAsync(&task, stream, nullptr));
        ACL_OK(aclmdlRICaptureTaskGrpEnd(stream, &group));
    });
    ACL_OK(aclmdlRIExecute(graph, 30000));
    const Bytes before = place.result.Download();
    task.randomSeed = Number(uint64_t{1000});
    ACL_OK(aclmdlRICaptureTaskUpdateBegin(updates, group));
    ACL_OK(aclrtRandomNumAsync(&task, updates, nullptr));
    ACL_OK(aclmdlRICaptureTaskUpdateEnd(updates));
    ACL_OK(aclrtSynchronizeStream(updates));
    ACL_OK(aclmdlRIExecute(graph, 30000));
    const Bytes after = place.result.Download();
    EXPECT_NE(after, before);
    ACL_OK(aclrtRandomNumAsync(&task, stream, nullptr));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(place.result.Download(), after);
}

TEST_F(GraphRandomNum, FreedMemoryIsDetected) {
    const Stream stream;
    for (int which = 0; which < 3; ++which) {
        SCOPED_TRACE(which);
        DeviceMemory result(kBytes), counter(Words{0, 0}), seed(Words{1, 0});
        auto task = RandomNumbers(kUniform, ACL_INT32, 0, 9, result.At(), kCount, 1, counter.At());
        task.randomSeed = NumberAt(seed.At(), 8);
        const Graph graph = Capture(stream, [&] { ACL_OK(aclrtRandomNumAsync(&task, stream, nullptr)); });
        ACL_OK(aclmdlRIExecute(graph, 30000));
        DeviceMemory& gone = which == 0 ? result : which == 1 ? counter : seed;
        void* address = gone.Release();
        ACL_OK(aclrtFree(address));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIExecute(graph, 30000), Shown(address));
    }
}

}  // namespace
