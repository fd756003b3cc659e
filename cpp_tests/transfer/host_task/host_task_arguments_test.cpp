// The arguments of portaclLaunchTask, portaclTaskFail and portaclTaskGetState.

#include <atomic>
#include <limits>
#include <string>
#include <vector>

#include "support/says.h"
#include "support/threads.h"
#include "transfer/host_task/task.h"

using namespace portacl_test;

namespace {

class TaskArguments : public WithDevice {};

aclError Nothing(portaclTask, void* const*, void*) {
    return ACL_SUCCESS;
}

// Counts its calls.
void Count(void* data) {
    ++*static_cast<std::atomic<int>*>(data);
}

// A launch with these buffers.
aclError portaclLaunchTaskWith(std::vector<portaclTaskBuffer> buffers, aclrtStream stream = nullptr) {
    return portaclLaunchTask(stream, Nothing, nullptr, buffers.data(), buffers.size(), nullptr);
}
#define FAILS_WITH(code, buffers, ...) \
    EXPECT_TRUE(                       \
        FailedSaying("portaclLaunchTask", ACL_ON_PURPOSE(portaclLaunchTaskWith(buffers)), (code), {__VA_ARGS__}))

TEST_F(TaskArguments, Functions) {
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclLaunchTask(nullptr, nullptr, nullptr, nullptr, 0, nullptr),
                     "function is null");
}

TEST_F(TaskArguments, Counts) {
    DeviceMemory memory(std::vector<unsigned char>(4096, 1));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclLaunchTask(nullptr, Nothing, nullptr, nullptr, 1, nullptr),
                     "buffers is null, but count is 1");
    for (const size_t bad : {size_t{1025}, std::numeric_limits<size_t>::max()}) {
        const portaclTaskBuffer buffer = Reads(memory);
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclLaunchTask(nullptr, Nothing, nullptr, &buffer, bad, nullptr),
                         "count is " + std::to_string(bad), "at most 1024");
    }
    ACL_EXPECT_OK(portaclLaunchTaskWith(std::vector<portaclTaskBuffer>(1024, Reads(memory))));
    ACL_OK(aclrtSynchronizeStream(nullptr));
}

TEST_F(TaskArguments, Accesses) {
    DeviceMemory memory(std::vector<unsigned char>(4096, 1));
    for (const int bad : {0, 4, -1, std::numeric_limits<int>::max()}) {
        auto buffer = Reads(memory);
        std::memcpy(&buffer.access, &bad, sizeof bad);
        const std::vector<portaclTaskBuffer> second{Reads(memory), buffer};
        FAILS_WITH(ACL_ERROR_INVALID_PARAM, second, "buffers[1].access is " + std::to_string(bad),
                   "PORTACL_TASK_READ_WRITE 3");
        // Also for a buffer without bytes.
        buffer.size = 0;
        const std::vector<portaclTaskBuffer> empty{buffer};
        FAILS_WITH(ACL_ERROR_INVALID_PARAM, empty, "buffers[0].access is " + std::to_string(bad));
    }
}

TEST_F(TaskArguments, Ranges) {
    DeviceMemory memory(std::vector<unsigned char>(4096, 1));
    const std::vector<portaclTaskBuffer> null{Buffer(nullptr, 5, PORTACL_TASK_READ)};
    FAILS_WITH(ACL_ERROR_INVALID_PARAM, null, "buffers[0].data is null, but buffers[0].size is 5");
    for (const size_t bad : {size_t{1} << 40, std::numeric_limits<size_t>::max()}) {
        const std::vector<portaclTaskBuffer> beyond{Buffer(memory.At(), bad, PORTACL_TASK_READ)};
        FAILS_WITH(ACL_ERROR_RT_PARAM_INVALID, beyond, "buffers[0].data " + Shown(memory.At()));
    }
    int local = 0;
    const std::vector<portaclTaskBuffer> host{Reads(memory), Buffer(&local, sizeof local, PORTACL_TASK_READ)};
    FAILS_WITH(ACL_ERROR_RT_PARAM_INVALID, host, "buffers[1].data " + Shown(&local),
               "pass the address of pageable host memory in userData");
    void* freed = nullptr;
    ACL_OK(aclrtMalloc(&freed, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtFree(freed));
    const std::vector<portaclTaskBuffer> dead{Buffer(freed, 16, PORTACL_TASK_WRITE)};
    FAILS_WITH(ACL_ERROR_RT_PARAM_INVALID, dead, "buffers[0].data " + Shown(freed));
}

TEST_F(TaskArguments, Overlaps) {
    DeviceMemory memory(std::vector<unsigned char>(4096, 1));
    const auto part = [&memory](size_t from, size_t size, portaclTaskAccess access) {
        return Buffer(memory.At(from), size, access);
    };
    using Buffers = std::vector<portaclTaskBuffer>;
    const Buffers bad[] = {
        {part(0, 100, PORTACL_TASK_READ), part(0, 100, PORTACL_TASK_WRITE)},
        {part(0, 100, PORTACL_TASK_WRITE), part(0, 100, PORTACL_TASK_WRITE)},
        {part(0, 100, PORTACL_TASK_READ_WRITE), part(99, 100, PORTACL_TASK_READ)},
        {part(99, 1, PORTACL_TASK_READ), part(0, 100, PORTACL_TASK_READ_WRITE)},
        {part(0, 100, PORTACL_TASK_READ), part(10, 10, PORTACL_TASK_READ), part(50, 10, PORTACL_TASK_WRITE)},
        {part(0, 100, PORTACL_TASK_WRITE), part(200, 10, PORTACL_TASK_READ), part(50, 10, PORTACL_TASK_READ)},
    };
    for (const Buffers& buffers : bad) {
        FAILS_WITH(ACL_ERROR_INVALID_PARAM, buffers, "overlaps buffers[", "PORTACL_TASK_READ_WRITE");
    }
    const std::vector<portaclTaskBuffer> third{part(0, 100, PORTACL_TASK_READ), part(200, 100, PORTACL_TASK_WRITE),
                                               part(250, 10, PORTACL_TASK_READ)};
    FAILS_WITH(ACL_ERROR_INVALID_PARAM, third, "buffers[2] overlaps buffers[1]");
    // Adjacent buffers share no byte, and neither do those without bytes.
    ACL_EXPECT_OK(portaclLaunchTaskWith({part(100, 100, PORTACL_TASK_WRITE), part(0, 100, PORTACL_TASK_READ_WRITE),
                                         part(200, 1, PORTACL_TASK_WRITE), part(50, 0, PORTACL_TASK_WRITE)}));
    ACL_OK(aclrtSynchronizeStream(nullptr));
}

TEST_F(TaskArguments, OptionsAreChecked) {
    auto options = Options();
    const auto launch = [&options] { return portaclLaunchTask(nullptr, Nothing, nullptr, nullptr, 0, &options); };
    const auto refused = [&](std::string_view word, std::string_view other = "") {
        EXPECT_TRUE(
            FailedSaying("portaclLaunchTask", ACL_ON_PURPOSE(launch()), ACL_ERROR_INVALID_PARAM, {word, other}));
    };
    for (const size_t bad : {size_t{0}, sizeof options - 1, sizeof options + 1}) {
        options.structSize = bad;
        refused("options->structSize is " + std::to_string(bad));
    }
    options = Options();
    options.flags = 2;
    refused("options->flags is 0x2", "PORTACL_TASK_DEVICE_ADDRESSES");
    options = Options();
    options.reserved = 1;
    refused("options->reserved is 1");
    options = Options();
    ACL_EXPECT_OK(launch());
    ACL_OK(aclrtSynchronizeStream(nullptr));
}

TEST_F(TaskArguments, MemoryOfAnotherDevice) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDevice(1));
    DeviceMemory there(std::vector<unsigned char>(4096, 1));
    aclrtStream other = nullptr;
    ACL_OK(aclrtCreateStream(&other));
    ACL_OK(aclrtSetDevice(0));
    const std::vector<portaclTaskBuffer> buffers{Reads(there)};
    EXPECT_TRUE(
        Failed("portaclLaunchTask", ACL_ON_PURPOSE(portaclLaunchTaskWith(buffers)), ACL_ERROR_RT_PARAM_INVALID));
    EXPECT_TRUE(
        Failed("portaclLaunchTask", ACL_ON_PURPOSE(portaclLaunchTaskWith({}, other)), ACL_ERROR_RT_STREAM_CONTEXT));
    ACL_OK(aclrtSetDevice(1));
    ACL_EXPECT_OK(portaclLaunchTaskWith(buffers, other));
    ACL_OK(aclrtSynchronizeStream(other));
    ACL_OK(aclrtDestroyStream(other));
}

TEST_F(TaskArguments, ARefusedLaunchLeavesTheUserDataToItsCaller) {
    std::atomic<int> released{0};
    auto options = Options();
    options.release = Count;
    const portaclTaskBuffer bad = Buffer(nullptr, 5, PORTACL_TASK_READ);
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, portaclLaunchTask(nullptr, Nothing, &released, &bad, 1, &options));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, portaclLaunchTask(&released, Nothing, &released, nullptr, 0, &options));
    EXPECT_EQ(released, 0);
}

TEST_F(TaskArguments, States) {
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclrtDestroyStream(stream));
    EXPECT_TRUE(
        Failed("portaclLaunchTask", ACL_ON_PURPOSE(portaclLaunchTaskWith({}, stream)), ACL_ERROR_RT_PARAM_INVALID));
    std::atomic<aclError> inside{0};
    Task nested([&inside](portaclTask, void* const*) {
        inside = ACL_ON_PURPOSE(portaclLaunchTaskWith({}));
        return ACL_SUCCESS;
    });
    ACL_OK(nested.Launch(nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(inside, ACL_ERROR_RT_PARAM_INVALID);
    ACL_OK(aclrtResetDevice(0));
    OnNewThread([] {
        EXPECT_TRUE(Failed("portaclLaunchTask", ACL_ON_PURPOSE(portaclLaunchTaskWith({})), ACL_ERROR_RT_CONTEXT_NULL));
    });
    ACL_OK(aclFinalize());
    EXPECT_TRUE(Failed("portaclLaunchTask", ACL_ON_PURPOSE(portaclLaunchTaskWith({})), ACL_ERROR_RT_CONTEXT_NULL));
    ACL_OK(aclInit(nullptr));
}

TEST_F(TaskArguments, OfTheCallsAboutATask) {
    auto state = Poison<portaclTaskState>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclTaskFail(nullptr, 1, "text"), "task is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclTaskGetState(nullptr, &state), "task is null");
    Stream stream;
    const aclrtStream handle = stream;
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, portaclTaskFail(handle, 1, "text"), "kind stream, not of kind task");
    static std::atomic<portaclTask> over;
    Task task([](portaclTask own, void* const*) {
        over = own;
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclTaskFail(own, 0, "text"), "code is 0");
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclTaskGetState(own, nullptr), "state is null");
        EXPECT_EQ(StateOf(own), PORTACL_TASK_RUNS);
        // Another thread may make these calls for it.
        OnNewThread([own] { EXPECT_EQ(StateOf(own), PORTACL_TASK_RUNS); });
        return ACL_SUCCESS;
    });
    ACL_OK(task.Launch(stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, portaclTaskFail(over, 1, "text"));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, portaclTaskGetState(over, &state));
    EXPECT_TRUE(IsPoison(state));
}

}  // namespace
