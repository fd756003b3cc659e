// Order of streams: within one stream always, between streams only by events.

#include <algorithm>
#include <array>
#include <memory>
#include <random>

#include "support/gate.h"
#include "support/objects.h"

using namespace portacl_test;

namespace {

class StreamOrder : public WithDevice {
  protected:
    static std::vector<std::unique_ptr<Stream>> Streams(int count) {
        std::vector<std::unique_ptr<Stream>> streams;
        for (int i = 0; i < count; ++i) streams.push_back(std::make_unique<Stream>());
        return streams;
    }

    static aclError Add(void* sum, void* number, size_t bytes, aclrtStream stream) {
        return aclrtReduceAsync(sum, number, bytes, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, stream, nullptr);
    }
};

TEST_F(StreamOrder, OneStreamRunsInTheOrderOfCalls) {
    constexpr size_t kSize = 3000;
    constexpr int kRounds = 200;
    for (bool default_stream : {false, true}) {
        Stream own;
        const aclrtStream stream = default_stream ? aclrtStream{nullptr} : own;
        DeviceMemory device(kSize);
        PinnedMemory results(kSize * kRounds, 0);
        for (int round = 0; round < kRounds; ++round) {
            ACL_OK(aclrtMemsetAsync(device.At(), kSize, round, kSize, stream));
            ACL_OK(aclrtMemcpyAsync(results.At(kSize * round), kSize, device.At(), kSize, ACL_MEMCPY_DEVICE_TO_HOST,
                                    stream));
        }
        ACL_OK(aclrtSynchronizeStream(stream));
        for (int round = 0; round < kRounds; ++round) {
            const unsigned char* first = results.Bytes() + kSize * round;
            EXPECT_EQ(std::count(first, first + kSize, static_cast<unsigned char>(round)), std::ptrdiff_t(kSize))
                << "round " << round;
        }
    }
}

TEST_F(StreamOrder, ABlockedStreamBlocksNoOther) {
    NEEDS_QUEUES(8);
    Stream blocked;
    const size_t count = SharesQueues() ? 5 : 20;
    auto others = Streams(count);
    DeviceMemory device(4096);
    PinnedMemory pinned(4096, 0);
    Gate gate;
    Log log;
    ACL_OK(gate.Hold(blocked));
    ACL_OK(log.Append(blocked, 0));
    for (auto& other : others) {
        ACL_OK(aclrtMemsetAsync(device.At(), 4096, 3, 4096, *other));
        ACL_OK(aclrtMemcpyAsync(pinned.At(), 4096, device.At(), 4096, ACL_MEMCPY_DEVICE_TO_HOST, *other));
        ACL_OK(log.Append(*other, 1));
        ACL_OK(aclrtSynchronizeStream(*other));
    }
    EXPECT_EQ(log.Numbers(), std::vector<int>(count, 1));
    EXPECT_EQ(pinned.Copy(), std::vector<unsigned char>(4096, 3));
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    ACL_OK(aclrtStreamQuery(blocked, &status));
    EXPECT_EQ(status, ACL_STREAM_STATUS_NOT_READY);
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(blocked));
}

// The default stream is an ordinary stream: it waits for no other, and no other waits for it.
TEST_F(StreamOrder, TheDefaultStreamIsIndependent) {
    NEEDS_QUEUES(2);
    Stream own;
    Log log;
    {
        Gate gate;
        ACL_OK(gate.Hold(nullptr));
        ACL_OK(log.Append(own, 1));
        ACL_OK(aclrtSynchronizeStream(own));
        gate.Open();
        ACL_OK(aclrtSynchronizeStream(nullptr));
    }
    Gate gate;
    ACL_OK(gate.Hold(own));
    ACL_OK(log.Append(nullptr, 2));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(log.Numbers(), (std::vector<int>{1, 2}));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(own));
}

TEST_F(StreamOrder, SynchronizeDeviceWaitsForAllStreams) {
    auto streams = Streams(10);
    Gate gate;
    Log log;
    for (auto& stream : streams) {
        ACL_OK(gate.Hold(*stream));
        ACL_OK(log.Append(*stream, 1));
    }
    ACL_OK(log.Append(nullptr, 1));
    Opener opener(gate);
    ACL_OK(aclrtSynchronizeDevice());
    EXPECT_EQ(log.Size(), 11u);
}

TEST_F(StreamOrder, ManyThreadsOnOneStream) {
    constexpr int kThreads = 16, kEach = 200;
    constexpr size_t kCount = 500, kBytes = kCount * 4;
    Stream stream;
    DeviceMemory sum(std::vector<int32_t>(kCount, 0)), one(std::vector<int32_t>(kCount, 1));
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
        threads.emplace_back([&] {
            ACL_EXPECT_OK(aclrtSetDevice(0));
            for (int j = 0; j < kEach; ++j) {
                ACL_EXPECT_OK(Add(sum.At(), one.At(), kBytes, stream));
                if (j % 50 != 0) continue;
                ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
            }
        });
    for (std::thread& thread : threads) thread.join();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(sum.Download<int32_t>(), std::vector<int32_t>(kCount, kThreads * kEach));
}

// Each stream adds its number after the previous one has; the sum of a prefix would show a missing
// wait.
TEST_F(StreamOrder, TwoThousandStreamsInAChain) {
    NEEDS_QUEUES(8);
    // Queues that streams share have less room.
    const int kStreams = SharesQueues() ? 300 : 2000;
    auto streams = Streams(kStreams);
    DeviceMemory value(std::vector<int32_t>{1}), two(std::vector<int32_t>{2});
    PinnedMemory seen(4 * kStreams, 0);
    Gate gate;
    ACL_OK(gate.Hold(*streams[0]));
    Event done;
    for (int i = 0; i < kStreams; ++i) {
        // The event is unrecorded in the first round, so the wait does not block.
        ACL_OK(aclrtStreamWaitEvent(*streams[i], done));
        ACL_OK(Add(value.At(), two.At(), 4, *streams[i]));
        ACL_OK(aclrtMemcpyAsync(seen.At(4 * i), 4, value.At(), 4, ACL_MEMCPY_DEVICE_TO_HOST, *streams[i]));
        ACL_OK(aclrtRecordEvent(done, *streams[i]));
    }
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(*streams.back()));
    std::vector<int32_t> got(kStreams), wanted(kStreams);
    std::memcpy(got.data(), seen.At(), 4 * kStreams);
    for (int i = 0; i < kStreams; ++i) wanted[i] = 3 + 2 * i;
    EXPECT_EQ(got, wanted);
    ACL_OK(aclrtSynchronizeDevice());
}

// That many streams, all waiting for one event.
TEST_F(StreamOrder, TwoThousandStreamsWaitForOne) {
    NEEDS_QUEUES(8);
    constexpr int kStreams = 2000;
    Stream first;
    auto streams = Streams(kStreams);
    DeviceMemory flag(std::vector<int32_t>{0}), one(std::vector<int32_t>{1});
    PinnedMemory seen(4 * kStreams, 0);
    Event done;
    Gate gate;
    ACL_OK(gate.Hold(first));
    ACL_OK(Add(flag.At(), one.At(), 4, first));
    ACL_OK(aclrtRecordEvent(done, first));
    for (int i = 0; i < kStreams; ++i) {
        ACL_OK(aclrtStreamWaitEvent(*streams[i], done));
        ACL_OK(aclrtMemcpyAsync(seen.At(4 * i), 4, flag.At(), 4, ACL_MEMCPY_DEVICE_TO_HOST, *streams[i]));
    }
    gate.Open();
    ACL_OK(aclrtSynchronizeDevice());
    std::vector<int32_t> got(kStreams);
    std::memcpy(got.data(), seen.At(), 4 * kStreams);
    EXPECT_EQ(got, std::vector<int32_t>(kStreams, 1));
}

// A random program over many streams, ordered by only the events that it needs, compared with the
// same program on one thread. A missing or broken wait changes the numbers.
class RandomProgram {
  public:
    static constexpr int kStreams = 24, kBuffers = 40;
    static constexpr size_t kCount = 700, kBytes = kCount * 4;

    explicit RandomProgram(uint32_t seed) : random_(seed) {
        for (int i = 0; i < kStreams; ++i) streams_.push_back(std::make_unique<Stream>());
        for (int i = 0; i < kBuffers; ++i) {
            model_.push_back(std::vector<int32_t>(kCount, i));
            buffers_.push_back(std::make_unique<DeviceMemory>(model_.back()));
            events_.push_back(std::make_unique<Event>(ACL_EVENT_SYNC));
        }
        user_.assign(kBuffers, -1);
    }

    void Step() {
        const int stream = Pick(kStreams), to = Pick(kBuffers), from = Pick(kBuffers);
        aclrtStream on = *streams_[stream];
        void *dst = buffers_[to]->At(), *src = buffers_[from]->At();
        Claim(to, stream);
        switch (Pick(4)) {
            case 0: {
                const int value = Pick(256);
                ASSERT_EQ(aclrtMemsetAsync(dst, kBytes, value, kBytes, on), 0);
                std::fill(model_[to].begin(), model_[to].end(), int32_t(0x01010101u * value));
                break;
            }
            case 1:
                if (from == to) break;
                Claim(from, stream);
                ASSERT_EQ(aclrtMemcpyAsync(dst, kBytes, src, kBytes, ACL_MEMCPY_DEVICE_TO_DEVICE, on), 0);
                model_[to] = model_[from];
                break;
            case 2:
                if (from == to) break;
                Claim(from, stream);
                ASSERT_EQ(aclrtReduceAsync(dst, src, kBytes, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, on, nullptr),
                          0);
                for (size_t i = 0; i < kCount; ++i)
                    model_[to][i] = int32_t(uint32_t(model_[to][i]) + uint32_t(model_[from][i]));
                break;
            case 3: {
                // Pageable memory, reused at once.
                std::vector<int32_t> values(kCount, Pick(1000000));
                ASSERT_EQ(aclrtMemcpyAsync(dst, kBytes, values.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE, on), 0);
                model_[to] = values;
                std::fill(values.begin(), values.end(), -1);
                break;
            }
        }
    }

    void Check() {
        ACL_OK(aclrtSynchronizeDevice());
        for (int i = 0; i < kBuffers; ++i) EXPECT_EQ(buffers_[i]->Download<int32_t>(), model_[i]) << "buffer " << i;
    }

  private:
    int Pick(int below) { return int(random_() % uint32_t(below)); }

    // From here on `stream` may use the buffer: it waits for the previous user.
    void Claim(int buffer, int stream) {
        const int before = std::exchange(user_[buffer], stream);
        if (before < 0 || before == stream) return;
        ASSERT_EQ(aclrtRecordEvent(*events_[buffer], *streams_[before]), 0);
        ASSERT_EQ(aclrtStreamWaitEvent(*streams_[stream], *events_[buffer]), 0);
    }

    std::mt19937 random_;
    std::vector<std::unique_ptr<Stream>> streams_;
    std::vector<std::unique_ptr<DeviceMemory>> buffers_;
    std::vector<std::unique_ptr<Event>> events_;
    std::vector<std::vector<int32_t>> model_;
    std::vector<int> user_;
};

TEST_F(StreamOrder, RandomProgramsOverManyStreams) {
    for (uint32_t seed = 1; seed <= 5; ++seed) {
        SCOPED_TRACE(seed);
        RandomProgram program(seed);
        for (int step = 0; step < 1500 && !HasFailure(); ++step) program.Step();
        program.Check();
    }
}

// Streams are created and destroyed while others work.
TEST_F(StreamOrder, StreamsOfManyThreadsComeAndGo) {
    constexpr int kThreads = 8, kRounds = 40;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
        threads.emplace_back([i] {
            ACL_EXPECT_OK(aclrtSetDevice(0));
            for (int round = 0; round < kRounds; ++round) {
                Stream first, second;
                Event done(ACL_EVENT_SYNC);
                DeviceMemory device(2048);
                PinnedMemory pinned(2048, 0);
                const int value = (i * kRounds + round) % 251;
                ACL_EXPECT_OK(aclrtMemsetAsync(device.At(), 2048, value, 2048, first));
                ACL_EXPECT_OK(aclrtRecordEvent(done, first));
                ACL_EXPECT_OK(aclrtStreamWaitEvent(second, done));
                ACL_EXPECT_OK(
                    aclrtMemcpyAsync(pinned.At(), 2048, device.At(), 2048, ACL_MEMCPY_DEVICE_TO_HOST, second));
                ACL_EXPECT_OK(aclrtSynchronizeStream(second));
                EXPECT_EQ(pinned.Copy(), std::vector<unsigned char>(2048, value));
            }
        });
    for (std::thread& thread : threads) thread.join();
}

// As much as the queue of a driver holds. No other thread opens the gate.
TEST_F(StreamOrder, SomeWorkFitsBehindABlockedStream) {
    constexpr int kCalls = 24, kFills = 800;
    Stream stream;
    Event event(ACL_EVENT_SYNC);
    DeviceMemory device(64);
    Log log;
    Gate gate;
    ACL_OK(gate.Hold(stream));
    for (int i = 0; i < kCalls; ++i) {
        ACL_OK(log.Append(stream, i));
        ACL_OK(aclrtRecordEvent(event, stream));
    }
    for (int i = 0; i < kFills; ++i) ACL_OK(aclrtMemsetAsync(device.At(), 64, i % 251, 64, stream));
    EXPECT_EQ(log.Size(), 0u);
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(log.Size(), size_t{kCalls});
    EXPECT_EQ(device.Download(), std::vector<unsigned char>(64, (kFills - 1) % 251));
}

}  // namespace
