// Random programs and long ones: a replay has the effects of the calls.

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "support/acl_test.h"
#include "support/graph/graph.h"
#include "support/objects.h"

namespace {

using namespace portacl_test;

using GraphRun = WithDevice;

// Random work of several streams. Events order any two tasks that use the same buffer, if one of
// them writes it, so every order that obeys the events has one result.
class RandomProgram {
  public:
    static constexpr size_t kStreams = 4, kBuffers = 5, kSize = 512, kTasks = 40;

    explicit RandomProgram(uint32_t seed) : random_(seed) {
        for (size_t i = 0; i < kTasks; ++i) {
            const auto kind = static_cast<unsigned>(random_() % 4);
            const size_t to = random_() % kBuffers;
            tasks_.push_back({kind, random_() % kStreams, to, (to + 1 + random_() % (kBuffers - 1)) % kBuffers,
                              static_cast<uint32_t>(random_())});
        }
    }

    // Submits everything to the streams; the first stream is ordered before and after all others.
    void Issue(const std::vector<std::unique_ptr<Stream>>& streams,
               const std::vector<std::unique_ptr<DeviceMemory>>& buffers, std::vector<std::unique_ptr<Event>>& events) {
        const auto record = [&](size_t stream) {
            events.push_back(std::make_unique<Event>(ACL_EVENT_SYNC));
            ACL_EXPECT_OK(aclrtRecordEvent(*events.back(), *streams[stream]));
            return events.size() - 1;
        };
        const auto wait = [&](size_t stream, size_t event) {
            ACL_EXPECT_OK(aclrtStreamWaitEvent(*streams[stream], *events[event]));
        };
        const size_t fork = record(0);
        for (size_t i = 1; i < kStreams; ++i) wait(i, fork);
        // For each buffer: after its last writer, and after the readers since.
        std::vector<std::vector<size_t>> written(kBuffers), read(kBuffers);
        for (const RandomTask& task : tasks_) {
            const size_t s = task.stream;
            const bool reads = task.kind >= 2;
            for (size_t event : written[task.to]) wait(s, event);
            for (size_t event : read[task.to]) wait(s, event);
            if (reads)
                for (size_t event : written[task.from]) wait(s, event);
            void* to = buffers[task.to]->At();
            void* from = buffers[task.from]->At();
            switch (task.kind) {
                case 0:
                    ACL_EXPECT_OK(aclrtMemsetAsync(buffers[task.to]->At(task.value % 256), 256,
                                                   static_cast<int>(task.value >> 8), 64, *streams[s]));
                    break;
                case 1:
                    ACL_EXPECT_OK(aclrtMemsetD32Async(to, kSize, task.value, 16, *streams[s]));
                    break;
                case 2:
                    ACL_EXPECT_OK(aclrtMemcpyAsync(buffers[task.to]->At(task.value % 256), 256, from, 256,
                                                   ACL_MEMCPY_DEVICE_TO_DEVICE, *streams[s]));
                    break;
                default:
                    ACL_EXPECT_OK(aclrtReduceAsync(to, from, kSize, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32,
                                                   *streams[s], nullptr));
            }
            const size_t done = record(s);
            written[task.to] = {done};
            read[task.to].clear();
            if (reads) read[task.from].push_back(done);
        }
        for (size_t i = 1; i < kStreams; ++i) wait(0, record(i));
    }

  private:
    struct RandomTask {
        unsigned kind;
        size_t stream, to, from;
        uint32_t value;
    };
    std::mt19937 random_;
    std::vector<RandomTask> tasks_;
};

TEST_F(GraphRun, AReplayMatchesTheCalls) {
    std::vector<std::unique_ptr<Stream>> streams;
    for (size_t i = 0; i < RandomProgram::kStreams; ++i) streams.push_back(std::make_unique<Stream>());
    const auto make_buffers = [] {
        std::vector<std::unique_ptr<DeviceMemory>> buffers;
        for (size_t i = 0; i < RandomProgram::kBuffers; ++i)
            buffers.push_back(std::make_unique<DeviceMemory>(Pattern(RandomProgram::kSize, static_cast<uint32_t>(i))));
        return buffers;
    };
    for (uint32_t seed = 1; seed <= 12; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomProgram program(seed);
        std::vector<std::unique_ptr<Event>> events;
        const auto direct = make_buffers(), replayed = make_buffers();
        const Graph graph = Capture(*streams[0], [&] { program.Issue(streams, replayed, events); });
        for (int run = 0; run < 3; ++run) {
            program.Issue(streams, direct, events);
            ACL_OK(aclmdlRIExecuteAsync(graph, *streams[static_cast<size_t>(run)]));
            ACL_OK(aclrtSynchronizeDevice());
            for (size_t i = 0; i < RandomProgram::kBuffers; ++i)
                ASSERT_EQ(replayed[i]->Download(), direct[i]->Download()) << "run " << run << ", buffer " << i;
        }
    }
}

// A replay of many tasks computes the same as submitting them.
TEST_F(GraphRun, LongGraphsRun) {
    const Stream stream;
    constexpr size_t kTasks = 1000;
    const DeviceMemory memory(kTasks * 4);
    const Graph graph = Capture(stream, [&] {
        for (size_t i = 0; i < kTasks; ++i)
            ACL_OK(aclrtMemsetD32Async(memory.At(i * 4), 4, static_cast<uint32_t>(i), 1, stream));
    });
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    const auto words = memory.Download<uint32_t>();
    for (size_t i = 0; i < kTasks; ++i) ASSERT_EQ(words[i], i);
}

}  // namespace
