// portacl.hpp: tasks with typed buffers.

#include <portacl/portacl.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cpp/with_device.h"
#include "support/threads.h"

using namespace portacl_test;
using portacl::copy;
using portacl::DeviceBuffer;
using portacl::DeviceSpan;
using portacl::HostBuffer;
using portacl::launch_task;
using portacl::reads;
using portacl::Span;
using portacl::Stream;
using portacl::Task;
using portacl::TaskState;
using portacl::updates;
using portacl::writes;

namespace {

static_assert(std::is_trivially_copyable_v<Task>);
static_assert(std::is_same_v<decltype(reads(std::declval<DeviceBuffer<int>&>())),
                             portacl::TaskBuffer<const int, PORTACL_TASK_READ>>);

class CppTask : public CppDevice {
  protected:
    Stream stream;
};

// The library releases a callable soon after its task, also after a wait for the stream.
bool IsReleased(const std::shared_ptr<int>& shared) {
    for (int i = 0; i < 30000 && shared.use_count() != 1; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return shared.use_count() == 1;
}

TEST_F(CppTask, ReadsWritesAndUpdatesDeviceMemory) {
    const DeviceBuffer<float> in(1000), out(1000);
    const DeviceBuffer<std::uint16_t> counts(3);
    const HostBuffer<int> pinned(1);
    std::vector<float> values(1000);
    std::iota(values.begin(), values.end(), 1.0f);
    const std::vector<std::uint16_t> three{5, 6, 7};
    copy(in, values);
    copy(counts, three);
    std::atomic<int> states{0};
    launch_task(
        stream, "square",
        [&states](Task task, Span<const float> from, Span<float> to, Span<std::uint16_t> some, Span<int> one) {
            states += task.state() == TaskState::runs ? 1 : 100;
            for (std::size_t i = 0; i < from.size(); ++i) to[i] = from[i] * from[i];
            some[1] = static_cast<std::uint16_t>(some[1] + 100);
            one[0] = static_cast<int>(from.size() * 10 + some.size());
        },
        reads(in), writes(out), updates(counts), writes(pinned));
    stream.synchronize();
    EXPECT_EQ(states, 1);
    copy(values, out);
    EXPECT_EQ(values[0], 1);
    EXPECT_EQ(values[999], 1e6f);
    std::vector<std::uint16_t> now(3);
    copy(now, counts);
    EXPECT_EQ(now, (std::vector<std::uint16_t>{5, 106, 7}));
    EXPECT_EQ(pinned[0], 10003);

    // Parts, and nothing at all.
    launch_task(
        stream, [](Span<float> part) { part[0] = 42; }, updates(out.span().subspan(500, 1)));
    launch_task(
        stream, [](Span<const float> none) { EXPECT_EQ(none.size(), 0u); }, reads(DeviceSpan<float>()));
    stream.synchronize();
    copy(values, out);
    EXPECT_EQ(values[500], 42);
}

TEST_F(CppTask, TakesEveryKindOfFunction) {
    std::atomic<int> sum{0};
    auto number = std::make_unique<int>(40);
    launch_task(stream, [number = std::move(number), &sum] { sum += *number; });
    struct Once {
        std::atomic<int>& sum;
        int left;
        void operator()(Task) { sum += left--; }
    };
    Once once{sum, 2};
    launch_task(stream, "once", once);
    // Generic functions get a Task, and addresses on the host.
    const DeviceBuffer<int> memory(2);
    portacl::fill_async(memory, 3, stream);
    launch_task(
        stream, [&sum](auto task, auto span) { sum += span[1] + static_cast<int>(task.state()); }, reads(memory));
    stream.synchronize();
    EXPECT_EQ(sum, 45);
    EXPECT_EQ(once.left, 2);

    // For other libraries: addresses on the device, as they were passed, in functions with and without a Task.
    std::atomic<const int*> address{nullptr};
    launch_task(
        stream, [&address](DeviceSpan<const int> span) { address = span.data() + span.size(); }, reads(memory));
    stream.synchronize();
    EXPECT_EQ(address, memory.data() + 2);
    launch_task(
        stream, [&address](Task, DeviceSpan<int> span) { address = span.data(); }, updates(memory));
    stream.synchronize();
    EXPECT_EQ(address, memory.data());
}

TEST_F(CppTask, TheFunctionIsDestroyedAfterItsTask) {
    auto shared = std::make_shared<int>(0);
    launch_task(stream, [shared] { ++*shared; });
    stream.synchronize();
    EXPECT_TRUE(IsReleased(shared));
    EXPECT_EQ(*shared, 1);

    // In a graph it runs in each launch, and stays until the graph is destroyed.
    portacl::Graph graph = portacl::capture(stream, [&] { launch_task(stream, [shared] { ++*shared; }); });
    for (int run = 0; run < 3; ++run) graph.launch(stream);
    stream.synchronize();
    EXPECT_EQ(*shared, 4);
    EXPECT_EQ(shared.use_count(), 2);
    graph.reset();
    EXPECT_TRUE(IsReleased(shared));

    // A refused launch destroys it at once.
    std::vector<int> pageable(3);
    ExpectError(ACL_ERROR_RT_PARAM_INVALID,
                [&] {
                    launch_task(
                        stream, [shared](Span<int>) { ++*shared; }, updates(pageable));
                },
                {"portaclLaunchTask"});
    EXPECT_EQ(shared.use_count(), 1);
    EXPECT_EQ(*shared, 4);
}

TEST_F(CppTask, ErrorsNameTheLineOfTheCall) {
    std::vector<int> pageable(3);
    int line = 0;
    try {
        line = __LINE__ + 1;
        launch_task(
            stream, [](Span<int>) {}, updates(pageable));
        ADD_FAILURE() << "no exception";
    } catch (const portacl::Error& error) {
        EXPECT_EQ(error.line(), line);
        EXPECT_STREQ(error.file(), __FILE__);
    }
}

// ---- failures ----

TEST_F(CppTask, AnExceptionFailsTheStream) {
    launch_task(stream, "reader", [] { throw std::runtime_error("the file ends early"); });
    ExpectError(ACL_ERROR_FAILURE, [&] { stream.synchronize(); }, {"aclrtSynchronizeStream", "the file ends early"});

    // An Error keeps its code.
    launch_task(stream, "lost", [] { throw portacl::Error(4711, "rank 3 is gone", {}); });
    ExpectError(4711, [&] { stream.synchronize(); }, {"rank 3 is gone"});
    launch_task(stream, [] { throw portacl::Error(ACL_SUCCESS, "no code", {}); });
    ExpectError(ACL_ERROR_FAILURE, [&] { stream.synchronize(); }, {"no code"});

    launch_task(stream, [] { throw 7; });
    ExpectError(ACL_ERROR_FAILURE, [&] { stream.synchronize(); }, {"an exception of an unknown type"});

    // Calls that tasks must not make are exceptions, too.
    launch_task(stream, [] { const DeviceBuffer<int> memory(4); });
    ExpectError(ACL_ERROR_RT_PARAM_INVALID, [&] { stream.synchronize(); }, {"aclrtMalloc"});

    // The stream goes on.
    std::atomic<bool> ran{false};
    launch_task(stream, [&ran] { ran = true; });
    stream.synchronize();
    EXPECT_TRUE(ran);
}

TEST_F(CppTask, ATaskFailsWithACodeAndAText) {
    launch_task(stream, "writer", [](Task task) {
        task.fail(28, "/var/out: no space left");
        task.fail(29, "the first one counts");
    });
    ExpectError(28, [&] { stream.synchronize(); }, {"/var/out: no space left"});

    // A wrong call inside it is an exception, which fails it.
    launch_task(stream, [](Task task) { task.fail(0, "no failure"); });
    ExpectError(ACL_ERROR_INVALID_PARAM, [&] { stream.synchronize(); }, {"portaclTaskFail", "code is 0"});
    std::atomic<portaclTask> handle{nullptr};
    launch_task(stream, [&handle](Task task) { handle = task.get(); });
    stream.synchronize();
    ExpectError(ACL_ERROR_RT_PARAM_INVALID, [&] { (void)Task(handle).state(); }, {"portaclTaskGetState"});
}

TEST_F(CppTask, AnAbortedTaskFindsOut) {
    std::atomic<bool> begun{false};
    std::atomic<TaskState> last{TaskState::runs};
    launch_task(stream, [&](Task task) {
        begun = true;
        while (task.state() == TaskState::runs) std::this_thread::yield();
        last = task.state();
    });
    while (!begun) std::this_thread::yield();
    ACL_OK(aclrtStreamAbort(stream.get()));
    stream.synchronize();
    EXPECT_EQ(last, TaskState::dropped);

    begun = false;
    launch_task(stream, [&](Task task) {
        begun = true;
        while (task.state() == TaskState::runs) std::this_thread::yield();
        last = task.state();
    });
    while (!begun) std::this_thread::yield();
    stream.reset();
    EXPECT_EQ(last, TaskState::stream_ends);
}

}  // namespace
