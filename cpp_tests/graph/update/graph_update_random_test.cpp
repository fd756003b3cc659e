// Random updates of tasks in random graphs: a replay has the effects of the calls.
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "support/acl_test.h"
#include "support/graph/graph.h"
#include "support/kernel/kernels.h"
#include "support/objects.h"

namespace {

using namespace portacl_test;

using GraphUpdateRandom = WithDevice;

// Rounds of tasks on several streams; all streams end a round before the next one begins. In each
// round each stream uses another block of memory alone. So every order that keeps the rounds and
// the tasks of each stream in order has one result.
class RandomTasks {
  public:
    static constexpr size_t kStreams = 3, kRounds = 4, kTasks = 5;
    // Sizes of each block, in bytes and words.
    static constexpr size_t kBytes = 256, kWords = kBytes / 4;

    RandomTasks(uint32_t seed, const Program& program)
        : random_(seed), mark_(program.Kernel("mark")), nothing_(program.Kernel("nothing")) {
        for (size_t round = 0; round < kRounds; ++round)
            for (size_t stream = 0; stream < kStreams; ++stream)
                for (size_t i = 0; i < kTasks; ++i) {
                    RandomTask task{};
                    task.kind = static_cast<TaskKind>(random_() % 3);
                    task.stream = stream;
                    task.piece = (stream + round) % kStreams * kBytes;
                    Fill(task);
                    tasks_.push_back(task);
                }
    }

    // Submits everything to the streams; the first stream is ordered before and after all others.
    void Issue(const Stream* streams, const DeviceMemory& memory) {
        auto task = tasks_.begin();
        for (size_t round = 0; round < kRounds; ++round) {
            for (size_t i = 0; i < kStreams; ++i) {
                if (i > 0) After(streams[i], streams[0]);
                for (size_t left = kTasks; left > 0; --left) Submit(*task++, streams[i], memory);
            }
            for (size_t i = 1; i < kStreams; ++i) After(streams[0], streams[i]);
        }
    }

    // Changes some tasks of a graph that was captured from them, and what Issue submits to streams.
    void Change(const Stream* streams, const DeviceMemory& memory) {
        for (size_t i = 0; i < kStreams; ++i) {
            const auto handles = HandlesOf(streams[i]);
            size_t index = 0;
            for (RandomTask& task : tasks_) {
                if (task.stream != i) continue;
                ASSERT_LT(index, handles.size());
                const aclmdlRITask handle = handles[index++];
                const auto what = random_() % 4;
                if (what == 0) {
                    task.is_disabled = true;
                    ACL_OK(aclmdlRITaskDisable(handle));
                } else if (what == 1) {
                    task.is_disabled = false;
                    if (task.kind != TaskKind::kFill) Fill(task);
                    Set(handle, task, memory);
                }
            }
            EXPECT_EQ(index, handles.size());
        }
    }

  private:
    enum class TaskKind { kKernel, kValue, kFill };
    struct RandomTask {
        TaskKind kind;
        size_t stream, piece;
        bool is_disabled;
        // What it writes, and to how much of its block: words, or a value at `first`.
        uint32_t number;
        uint32_t first, count;
        bool is_nothing;
    };

    void Fill(RandomTask& task) {
        task.number = static_cast<uint32_t>(random_());
        task.first = static_cast<uint32_t>(random_() % (kWords / 2)) & ~1u;
        task.count = 1 + static_cast<uint32_t>(random_() % (kWords / 2));
        task.is_nothing = random_() % 8 == 0;
    }

    void* At(const RandomTask& task, const DeviceMemory& memory) const {
        return memory.At(task.piece + task.first * 4);
    }

    void Submit(const RandomTask& task, aclrtStream stream, const DeviceMemory& memory) const {
        if (task.is_disabled) return;
        void* at = At(task, memory);
        switch (task.kind) {
            case TaskKind::kKernel:
                // Both with one thread per block, which an update cannot change.
                if (task.is_nothing)
                    ACL_EXPECT_OK(aclrtLaunchSIMTKernelWithArgsArray(nothing_, {task.count, 1, 1}, {1, 1, 1}, 0, stream,
                                                                     nullptr, nullptr));
                else
                    ACL_EXPECT_OK(Mark(mark_, at, task.number, task.count, stream));
                break;
            case TaskKind::kValue:
                ACL_EXPECT_OK(aclrtValueWrite(at, task.number, 0, stream));
                break;
            case TaskKind::kFill:
                ACL_EXPECT_OK(aclrtMemsetD32Async(at, task.count * 4, task.number, task.count, stream));
        }
    }

    void Set(aclmdlRITask handle, const RandomTask& task, const DeviceMemory& memory) const {
        auto params = ParamsOf(handle);
        MarkArguments arguments{At(task, memory), task.number};
        if (task.kind == TaskKind::kKernel) {
            auto& kernel = params.kernelTaskParams;
            kernel.funcHandle = task.is_nothing ? nothing_ : mark_;
            kernel.args = task.is_nothing ? nullptr : &arguments;
            kernel.argsSize = task.is_nothing ? 0 : kMarkArgumentsSize;
            kernel.numBlocks = task.count;
        } else if (task.kind == TaskKind::kValue) {
            params.valueWriteTaskParams = {arguments.words, task.number};
        }
        ACL_EXPECT_OK(aclmdlRITaskSetParams(handle, &params));
    }

    // The tasks of a stream, without those that only order.
    static std::vector<aclmdlRITask> HandlesOf(aclrtStream stream) {
        std::vector<aclmdlRITask> handles;
        for (aclmdlRITask task : TasksOf(stream)) {
            const auto type = ParamsOf(task).type;
            if (type != ACL_MODEL_RI_TASK_EVENT_RECORD && type != ACL_MODEL_RI_TASK_EVENT_WAIT) handles.push_back(task);
        }
        return handles;
    }

    void After(aclrtStream later, aclrtStream earlier) {
        events_.push_back(std::make_unique<Event>(ACL_EVENT_SYNC));
        ACL_EXPECT_OK(aclrtRecordEvent(*events_.back(), earlier));
        ACL_EXPECT_OK(aclrtStreamWaitEvent(later, *events_.back()));
    }

    std::mt19937 random_;
    aclrtFuncHandle mark_, nothing_;
    std::vector<RandomTask> tasks_;
    std::vector<std::unique_ptr<Event>> events_;
};

TEST_F(GraphUpdateRandom, AReplayMatchesTheChangedCalls) {
    const Program program;
    const Stream streams[RandomTasks::kStreams];
    constexpr size_t kAll = RandomTasks::kStreams * RandomTasks::kBytes;
    for (uint32_t seed = 1; seed <= 8; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomTasks tasks(seed, program);
        const DeviceMemory direct(Pattern(kAll, seed)), replayed(Pattern(kAll, seed));
        const Graph graph = Capture(streams[0], [&] { tasks.Issue(streams, replayed); });
        for (size_t run = 0; run < 5; ++run) {
            if (run > 0) tasks.Change(streams, replayed);
            ACL_OK(aclmdlRIUpdate(graph));
            ACL_OK(aclmdlRIExecuteAsync(graph, streams[run % RandomTasks::kStreams]));
            tasks.Issue(streams, direct);
            ACL_OK(aclrtSynchronizeDevice());
            ASSERT_EQ(replayed.Download(), direct.Download()) << "run " << run;
        }
    }
}

}  // namespace
