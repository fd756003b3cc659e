// portaclLaunchTask: host code in stream order, with access to device memory, that may fail its stream.

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "support/says.h"
#include "transfer/host_task/task.h"

using namespace portacl_test;

namespace {

class LaunchTask : public WithDevice {};

// Sizes below, at and above what streams run in other ways.
constexpr size_t kSizes[] = {1, 255, 4096, (64 << 10) + 1, (3 << 20) + 7};

TEST_F(LaunchTask, ReadsAndWritesDeviceMemory) {
    Stream stream;
    for (const size_t size : kSizes) {
        const auto bytes = Pattern(size, static_cast<uint32_t>(size));
        DeviceMemory from(size), to(size);
        PinnedMemory source(size), result(size, 0);
        std::memcpy(source.Bytes(), bytes.data(), size);
        Task task([size](portaclTask, void* const* buffers) {
            const auto* in = static_cast<const unsigned char*>(buffers[0]);
            auto* out = static_cast<unsigned char*>(buffers[1]);
            for (size_t i = 0; i < size; ++i) out[i] = static_cast<unsigned char>(in[i] + 1);
            return ACL_SUCCESS;
        });
        ACL_OK(aclrtMemcpyAsync(from.At(), size, source.At(), size, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        ACL_OK(task.Launch(stream, {Reads(from), Writes(to)}));
        ACL_OK(aclrtMemcpyAsync(result.At(), size, to.At(), size, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        ACL_OK(aclrtSynchronizeStream(stream));
        size_t wrong = 0;
        for (size_t i = 0; i < size; ++i) wrong += result.Bytes()[i] != static_cast<unsigned char>(bytes[i] + 1);
        EXPECT_EQ(wrong, 0u) << size << " bytes";
        EXPECT_EQ(from.Download(), bytes);
        EXPECT_TRUE(task.AwaitReleased());
        EXPECT_EQ(task.Runs(), 1);
        EXPECT_EQ(task.Released(), 1);
        EXPECT_TRUE(task.Stops().empty());
    }
}

TEST_F(LaunchTask, ChangesAPartOfABufferAndNothingBesideIt) {
    Stream stream;
    constexpr size_t kSize = 10000, kFrom = 301, kLength = 5001;
    auto bytes = Pattern(kSize);
    DeviceMemory memory(bytes);
    Task task([](portaclTask, void* const* buffers) {
        auto* all = static_cast<unsigned char*>(buffers[0]);
        all[0] ^= 1;
        all[kLength - 1] ^= 2;
        return ACL_SUCCESS;
    });
    ACL_OK(task.Launch(stream, {Buffer(memory.At(kFrom), kLength, PORTACL_TASK_READ_WRITE)}));
    ACL_OK(aclrtSynchronizeStream(stream));
    bytes[kFrom] ^= 1;
    bytes[kFrom + kLength - 1] ^= 2;
    EXPECT_EQ(memory.Download(), bytes);
}

TEST_F(LaunchTask, UsesPinnedAndManagedMemory) {
    Stream stream;
    PinnedMemory pinned(4096, 3);
    void* managed = nullptr;
    ACL_OK(aclrtMemAllocManaged(&managed, 4096, ACL_RT_MEM_ATTACH_GLOBAL));
    ACL_OK(aclrtMemset(managed, 4096, 4, 4096));
    Task task([](portaclTask, void* const* buffers) {
        auto* first = static_cast<unsigned char*>(buffers[0]);
        auto* second = static_cast<unsigned char*>(buffers[1]);
        for (size_t i = 0; i < 4096; ++i) {
            const auto sum = static_cast<unsigned char>(first[i] + second[i]);
            first[i] = sum;
            second[i] = static_cast<unsigned char>(sum + 1);
        }
        return ACL_SUCCESS;
    });
    ACL_OK(task.Launch(
        stream, {Buffer(pinned.At(), 4096, PORTACL_TASK_READ_WRITE), Buffer(managed, 4096, PORTACL_TASK_READ_WRITE)}));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(pinned.Copy(), std::vector<unsigned char>(4096, 7));
    std::vector<unsigned char> result(4096);
    ACL_OK(aclrtMemcpy(result.data(), 4096, managed, 4096, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT_EQ(result, std::vector<unsigned char>(4096, 8));
    ACL_OK(aclrtFree(managed));
}

TEST_F(LaunchTask, BuffersWithoutBytesHaveNoAddress) {
    DeviceMemory memory(std::vector<unsigned char>(64, 9));
    std::atomic<int> right{0};
    Task task([&right](portaclTask, void* const* buffers) {
        right = buffers[0] == nullptr && buffers[2] == nullptr && *static_cast<unsigned char*>(buffers[1]) == 9;
        return ACL_SUCCESS;
    });
    int local = 0;
    // The address of a buffer without bytes is ignored.
    ACL_OK(task.Launch(nullptr,
                       {Buffer(nullptr, 0, PORTACL_TASK_WRITE), Reads(memory), Buffer(&local, 0, PORTACL_TASK_READ)}));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(right, 1);
    // Neither buffers nor options are needed.
    static std::atomic<int> calls;
    calls = 0;
    const auto count = [](portaclTask, void* const*, void* data) -> aclError {
        ++*static_cast<std::atomic<int>*>(data);
        return ACL_SUCCESS;
    };
    ACL_OK(portaclLaunchTask(nullptr, count, &calls, nullptr, 0, nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(calls, 1);
}

TEST_F(LaunchTask, BuffersThatAreReadMayBeTheSame) {
    const auto bytes = Pattern(100000);
    DeviceMemory memory(bytes);
    std::atomic<int> equal{0};
    Task task([&](portaclTask, void* const* buffers) {
        equal = std::memcmp(buffers[0], bytes.data(), bytes.size()) == 0 &&
                std::memcmp(buffers[1], bytes.data(), bytes.size()) == 0 &&
                std::memcmp(buffers[2], bytes.data() + 500, 1000) == 0;
        return ACL_SUCCESS;
    });
    ACL_OK(task.Launch(nullptr, {Reads(memory), Reads(memory), Buffer(memory.At(500), 1000, PORTACL_TASK_READ)}));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(equal, 1);
}

TEST_F(LaunchTask, GetsDeviceAddressesIfItAsksForThem) {
    DeviceMemory memory(4096);
    std::atomic<void*> address{nullptr};
    Task task([&address](portaclTask, void* const* buffers) {
        address = buffers[0];
        return ACL_SUCCESS;
    });
    ACL_OK(task.Launch(nullptr, {Buffer(memory.At(64), 128, PORTACL_TASK_WRITE)}, PORTACL_TASK_DEVICE_ADDRESSES));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(address, memory.At(64));
}

TEST_F(LaunchTask, RunsInStreamOrderAndOtherStreamsGoOn) {
    NEEDS_QUEUES(2);
    Stream stream, other;
    Event after;
    Log log;
    Task* self = nullptr;
    Task task([&self](portaclTask, void* const*) {
        self->Block();
        return ACL_SUCCESS;
    });
    self = &task;
    ACL_OK(log.Append(stream, 1));
    ACL_OK(task.Launch(stream));
    ACL_OK(aclrtRecordEvent(after, stream));
    ACL_OK(log.Append(stream, 2));
    ASSERT_TRUE(task.AwaitBlocked());
    ACL_OK(log.Append(other, 3));
    ACL_OK(aclrtSynchronizeStream(other));
    EXPECT_EQ(log.Numbers(), (std::vector<int>{1, 3}));
    EXPECT_FALSE(IsComplete(after));
    EXPECT_FALSE(IsIdle(stream));
    ExpectStuck(stream);
    task.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(log.Numbers(), (std::vector<int>{1, 3, 2}));
    EXPECT_TRUE(IsComplete(after));
}

// Launches a task that fails, and returns what the next wait returns, with its text.
std::string Failure(aclrtStream stream, Task::Body body, aclError* code) {
    Task task(std::move(body));
    ExpectOk("portaclLaunchTask", task.Launch(stream, {}, 0, "ring"));
    *code = ACL_ON_PURPOSE(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(task.AwaitReleased());
    return TakeText();
}

TEST_F(LaunchTask, FailsItsStreamWithItsCodeAndText) {
    Stream stream;
    aclError code = 0;
    const Task::Body explained = [](portaclTask task, void* const*) {
        ACL_EXPECT_OK(portaclTaskFail(task, 4711, "rank 3 is gone"));
        // Only the first one counts.
        ACL_EXPECT_OK(portaclTaskFail(task, 4712, "another reason"));
        return ACL_SUCCESS;
    };
    std::string text = Failure(stream, explained, &code);
    EXPECT_EQ(code, 4711);
    EXPECT_NE(text.find("aclrtSynchronizeStream: rank 3 is gone (error 4711)"), std::string::npos) << text;
    // It is reported once, and the stream goes on.
    text = Failure(
        stream, [](portaclTask, void* const*) { return 17; }, &code);
    EXPECT_EQ(code, 17);
    EXPECT_NE(text.find("task ring has failed: its function returned 17"), std::string::npos) << text;
    const Task::Body without_text = [](portaclTask task, void* const*) {
        ACL_EXPECT_OK(portaclTaskFail(task, -5, nullptr));
        return 18;
    };
    text = Failure(stream, without_text, &code);
    EXPECT_EQ(code, -5);
    EXPECT_NE(text.find("task ring has failed with code -5"), std::string::npos) << text;
}

TEST_F(LaunchTask, ATaskThatFailsAtOnceFailsItsStream) {
    for (int i = 1; i <= 200; ++i) {
        Stream stream;
        Task task([i](portaclTask, void* const*) { return i; });
        ACL_OK(task.Launch(stream));
        ACL_FAILS(i, aclrtSynchronizeStream(stream));
    }
}

TEST_F(LaunchTask, TheStreamGoesOnAfterAFailure) {
    Stream stream;
    Log log;
    Task fails([](portaclTask, void* const*) { return 19; });
    ACL_OK(fails.Launch(stream));
    ACL_OK(log.Append(stream, 1));
    ACL_FAILS(19, aclrtSynchronizeStream(stream));
    EXPECT_EQ(log.Size(), 1u);
}

TEST_F(LaunchTask, AFailureStopsAContextThatWantsThat) {
    aclrtContext context = nullptr;
    ACL_OK(aclrtCreateContext(&context, 0));
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
    Log log;
    Gate gate;
    Task fails([](portaclTask task, void* const*) { return portaclTaskFail(task, 4711, "stop here"); });
    ACL_OK(gate.Hold(stream));
    ACL_OK(fails.Launch(stream));
    ACL_OK(log.Append(stream, 1));
    gate.Open();
    ACL_FAILS(4711, aclrtSynchronizeStream(stream));
    EXPECT_EQ(log.Size(), 0u);
    ACL_FAILS_SAYING(4711,
                     aclrtLaunchHostFunc(
                         stream, [](void*) {}, nullptr),
                     "stop here");
    ACL_OK(aclrtDestroyStreamForce(stream));
    ACL_OK(aclrtDestroyContext(context));
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(LaunchTask, AnExceptionCallbackGetsTheCode) {
    static std::atomic<int> code, calls;
    code = calls = 0;
    ACL_OK(aclrtSetExceptionInfoCallback([](aclrtExceptionInfo* info) {
        code = static_cast<int>(aclrtGetErrorCodeFromExceptionInfo(info));
        ++calls;
    }));
    Stream stream;
    Task task([](portaclTask, void* const*) { return 4711; });
    ACL_OK(task.Launch(stream));
    ACL_FAILS(4711, aclrtSynchronizeStream(stream));
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(code, 4711);
    ACL_OK(aclrtSetExceptionInfoCallback(nullptr));
}

TEST_F(LaunchTask, CallsInsideThatWorkWithTheDeviceAreRefused) {
    std::atomic<aclError> codes[3]{};
    Task task([&codes](portaclTask, void* const*) {
        void* memory = nullptr;
        codes[0] = ACL_ON_PURPOSE(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
        codes[1] = ACL_ON_PURPOSE(aclrtSynchronizeDevice());
        codes[2] = ACL_ON_PURPOSE(aclFinalize());
        return ACL_SUCCESS;
    });
    ACL_OK(task.Launch(nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    for (const auto& code : codes) EXPECT_EQ(code, ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(LaunchTask, FreedMemoryIsKeptForPendingTasks) {
    Stream stream;
    const auto bytes = Pattern(100000);
    auto memory = std::make_unique<DeviceMemory>(bytes);
    std::atomic<int> equal{0};
    Task task([&](portaclTask, void* const* buffers) {
        equal = std::memcmp(buffers[0], bytes.data(), bytes.size()) == 0;
        return ACL_SUCCESS;
    });
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(task.Launch(stream, {Reads(*memory)}));
    memory.reset();
    DeviceMemory next(std::vector<unsigned char>(100000, 0));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(equal, 1);
}

TEST_F(LaunchTask, ManyRunInOrderOnSeveralStreams) {
    constexpr int kStreams = 3, kTasks = 100;
    struct TaskChain {
        Stream stream;
        DeviceMemory counter{std::vector<int>(1, 0)};
    };
    std::vector<std::unique_ptr<TaskChain>> rows;
    for (int i = 0; i < kStreams; ++i) rows.push_back(std::make_unique<TaskChain>());
    // Each task checks the number that the previous one has left.
    const auto next = [](portaclTask, void* const* buffers, void* data) -> aclError {
        int* counter = static_cast<int*>(buffers[0]);
        if (*counter != static_cast<int>(reinterpret_cast<intptr_t>(data))) return 1;
        *counter += 1;
        return ACL_SUCCESS;
    };
    for (int i = 0; i < kTasks; ++i) {
        for (auto& row : rows) {
            const portaclTaskBuffer buffer = Changes(row->counter);
            ACL_OK(portaclLaunchTask(row->stream, next, reinterpret_cast<void*>(intptr_t{i}), &buffer, 1, nullptr));
        }
    }
    for (auto& row : rows) {
        ACL_OK(aclrtSynchronizeStream(row->stream));
        EXPECT_EQ(row->counter.Download<int>()[0], kTasks);
    }
}

}  // namespace
