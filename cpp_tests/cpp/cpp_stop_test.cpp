// portacl.hpp in C++20: tasks that take a std::stop_token.

#include <portacl/portacl.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "cpp/with_device.h"

using namespace portacl_test;
using namespace std::chrono_literals;
using portacl::DeviceBuffer;
using portacl::launch_task;
using portacl::Span;
using portacl::Stream;

namespace {

class CppStop : public CppDevice {
  protected:
    // Waits until a stop is requested, as a thread that waits for data does: nothing but the token wakes it.
    bool Block(const std::stop_token& stop) {
        std::unique_lock<std::mutex> lock(mutex_);
        ++begun;
        changed_.wait_for(lock, stop, 30s, [] { return false; });
        return stop.stop_requested();
    }

    void AwaitBegin(int count) {
        while (begun < count) std::this_thread::yield();
    }

    Stream stream;
    std::atomic<int> begun{0};
    std::atomic<int> stopped{0};

  private:
    std::mutex mutex_;
    std::condition_variable_any changed_;
};

TEST_F(CppStop, AnAbortRequestsAStop) {
    const DeviceBuffer<int> memory(4);
    portacl::fill(memory, 8);
    std::atomic<int> seen{0};
    launch_task(
        stream, "receive",
        [&](std::stop_token stop, Span<const int> span) {
            seen = span[3];
            stopped += Block(stop);
        },
        portacl::reads(memory));
    AwaitBegin(1);
    ACL_OK(aclrtStreamAbort(stream.get()));
    stream.synchronize();
    EXPECT_EQ(stopped, 1);
    EXPECT_EQ(seen, 8);
}

TEST_F(CppStop, TheEndOfTheStreamRequestsAStopOfAllItsTasks) {
    for (int i = 0; i < 3; ++i) launch_task(stream, [&](std::stop_token stop) { stopped += Block(stop); });
    AwaitBegin(1);
    stream.reset();
    EXPECT_EQ(begun, 3);
    EXPECT_EQ(stopped, 3);
}

TEST_F(CppStop, NoStopIsRequestedWhileTheStreamGoesOn) {
    auto shared = std::make_shared<int>(0);
    launch_task(stream, [shared](std::stop_token stop) { *shared = stop.stop_possible() && !stop.stop_requested(); });
    stream.synchronize();
    EXPECT_EQ(*shared, 1);
    for (int i = 0; i < 30000 && shared.use_count() != 1; ++i) std::this_thread::sleep_for(1ms);
    EXPECT_EQ(shared.use_count(), 1);

    // Generic functions and functions that take a Task get the Task, as in C++17.
    std::atomic<int> runs{0};
    launch_task(stream, [&](auto task) { runs += task.state() == portacl::TaskState::runs; });
    launch_task(stream, [&](portacl::Task task) { runs += task.state() == portacl::TaskState::runs; });
    launch_task(stream, [&] { ++runs; });
    // For other libraries: addresses on the device.
    const DeviceBuffer<int> memory(1);
    portacl::fill_async(memory, 0, stream);
    launch_task(
        stream, [&](std::stop_token, portacl::DeviceSpan<const int> span) { runs += span.data() == memory.data(); },
        portacl::reads(memory));
    stream.synchronize();
    EXPECT_EQ(runs, 4);
}

// A task of a graph runs again after a launch that was aborted, with a token of its own.
TEST_F(CppStop, EachLaunchOfAGraphHasItsToken) {
    std::atomic<bool> blocks{true};
    const portacl::Graph graph = portacl::capture(stream, [&] {
        launch_task(stream, [&](std::stop_token stop) { stopped += blocks ? Block(stop) : stop.stop_requested(); });
    });
    graph.launch(stream);
    AwaitBegin(1);
    ACL_OK(aclrtStreamAbort(stream.get()));
    stream.synchronize();
    EXPECT_EQ(stopped, 1);
    blocks = false;
    graph.launch(stream);
    stream.synchronize();
    EXPECT_EQ(stopped, 1);
}

TEST_F(CppStop, AnExceptionFailsTheStream) {
    launch_task(stream, [](std::stop_token) { throw portacl::Error(4711, "no peer", {}); });
    ExpectError(4711, [&] { stream.synchronize(); }, {"no peer"});
}

}  // namespace
