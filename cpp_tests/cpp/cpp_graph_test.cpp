// portacl.hpp: graphs, and captures as scopes.

#include <portacl/portacl.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cpp/with_device.h"
#include "support/gate.h"
#include "support/process/temporary_folder.h"
#include "support/threads.h"

using namespace portacl_test;
using namespace std::chrono_literals;
using portacl::Capture;
using portacl::CaptureMode;
using portacl::DeviceBuffer;
using portacl::Event;
using portacl::Graph;
using portacl::HostBuffer;
using portacl::Stream;

namespace {

static_assert(kMoveOnly<Graph>);
static_assert(!std::is_copy_constructible_v<Capture> && !std::is_move_constructible_v<Capture>);
static_assert(std::is_nothrow_destructible_v<Capture>);

class CppGraph : public CppDevice {
  protected:
    // Whether the stream runs what it gets.
    bool Runs(const Stream& to) {
        std::atomic<bool> ran{false};
        to.launch([&ran] { ran = true; });
        to.synchronize();
        return ran;
    }

    Stream stream;
};

TEST_F(CppGraph, ACaptureBecomesAGraph) {
    const HostBuffer<int> input(4), output(4);
    const DeviceBuffer<int> sum(4), one(4);
    const Stream other;
    const Event fork, join;
    Graph graph;
    EXPECT_FALSE(graph);
    {
        Capture capture(stream);
        EXPECT_TRUE(capture.is_active());
        stream.record(fork);
        other.wait(fork);
        portacl::copy_async(sum, input, stream);
        portacl::fill_async(one, 1, other);
        other.record(join);
        stream.wait(join);
        portacl::reduce_async(sum, one, portacl::Reduction::sum, stream);
        portacl::copy_async(output, sum, stream);
        graph = capture.end();
        EXPECT_FALSE(capture.is_active());
    }
    ASSERT_TRUE(graph);
    for (int run = 0; run < 3; ++run) {
        for (std::size_t i = 0; i < 4; ++i) input[i] = 10 * run + static_cast<int>(i);
        graph.launch(stream);
        stream.synchronize();
        for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(output[i], input[i] + 1);
    }
    EXPECT_EQ(graph.name(), "");
    graph.set_name("input + 1");
    EXPECT_EQ(graph.name(), "input + 1");
    ExpectError(ACL_ERROR_INVALID_PARAM, [&] { graph.set_name(std::string(513, 'x')); }, {"aclmdlRISetName"});

    // As a part of another graph.
    const Graph twice = portacl::capture(stream, [&] {
        graph.launch(stream);
        graph.launch(stream);
    });
    graph.reset();
    input[0] = 77;
    twice.launch(stream);
    stream.synchronize();
    EXPECT_EQ(output[0], 78);
}

TEST_F(CppGraph, PrintsItself) {
    const DeviceBuffer<int> memory(4);
    const Graph graph = portacl::capture(stream, [&] { portacl::fill_async(memory, 1, stream); });
    const portacl_test::TemporaryFolder folder;
    const std::string path = folder.At("graph.dot");
    graph.print_dot(path);
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    EXPECT_NE(text.str().find("digraph"), std::string::npos);
    ExpectError(ACL_ERROR_INVALID_FILE, [&] { graph.print_dot("/no/such/folder/graph.dot"); }, {"/no/such/folder"});
}

// ---- scopes that are left early ----

TEST_F(CppGraph, AnExceptionEndsTheCapture) {
    const DeviceBuffer<int> memory(4);
    portacl::fill(memory, 5);
    try {
        Capture capture(stream);
        portacl::fill_async(memory, 6, stream);
        throw std::runtime_error("the program changes its mind");
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "the program changes its mind");
    }
    EXPECT_TRUE(Runs(stream));
    std::vector<int> values(4);
    portacl::copy(values, memory);
    EXPECT_EQ(values[0], 5);
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);

    // The same from the function, and with a scope that is left without end().
    EXPECT_THROW((void)portacl::capture(stream, [] { throw std::logic_error("no"); }), std::logic_error);
    EXPECT_TRUE(Runs(stream));
    {
        const Capture capture(stream);
        portacl::fill_async(memory, 6, stream);
    }
    EXPECT_TRUE(Runs(stream));
}

// A forbidden call makes the capture invalid; its error is the one that the program sees.
TEST_F(CppGraph, ARefusedCallEndsTheCapture) {
    const DeviceBuffer<int> memory(4);
    std::vector<int> values(4);
    bool was_active = true;
    const auto work = [&] {
        Capture capture(stream);
        try {
            portacl::copy(values, memory);
        } catch (...) {
            was_active = capture.is_active();
            throw;
        }
    };
    ExpectError(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, work, {"aclrtMemcpy"});
    EXPECT_FALSE(was_active);
    EXPECT_TRUE(Runs(stream));
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);

    // end() reports it, once.
    Capture capture(stream);
    EXPECT_THROW(portacl::copy(values, memory), portacl::Error);
    ExpectError(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, [&] { (void)capture.end(); }, {"aclmdlRICaptureEnd"});
    EXPECT_TRUE(Runs(stream));
}

TEST_F(CppGraph, AJoinedStreamThatIsNotWaitedForEndsTheCapture) {
    const Stream other;
    const Event fork;
    const DeviceBuffer<int> memory(4);
    const auto work = [&] {
        stream.record(fork);
        other.wait(fork);
        portacl::fill_async(memory, 1, other);
    };
    ExpectError(ACL_ERROR_RT_STREAM_UNJOINED, [&] { (void)portacl::capture(stream, work); }, {"aclmdlRICaptureEnd"});
    EXPECT_TRUE(Runs(stream) && Runs(other));
    {
        const Capture capture(stream);
        work();
    }
    EXPECT_TRUE(Runs(stream) && Runs(other));
}

TEST_F(CppGraph, AScopeThatCannotEndIsCounted) {
    const uint64_t failures = portaclReleaseFailures();
    OnNewThread([&] {
        const portacl::Device mine(0);
        auto* const capture = new Capture(stream);
        ExpectError(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD,
                    [&] {
                        aclError code = ACL_SUCCESS;
                        std::string text;
                        // Still open after that: the thread that began it ends it.
                        OnNewThread([&] {
                            const portacl::Device third(0);
                            try {
                                (void)capture->end();
                            } catch (const portacl::Error& error) {
                                code = error.code();
                                text = error.text();
                            }
                        });
                        throw portacl::Error(code, text, portacl::SourceLocation::current());
                    },
                    {"aclmdlRICaptureEnd"});
        EXPECT_TRUE(capture->is_active());
        delete capture;
    });
    EXPECT_EQ(portaclReleaseFailures(), failures);
    EXPECT_TRUE(Runs(stream));

    // The only way not to end it: the stream is gone.
    aclrtStream gone = nullptr;
    ACL_OK(aclrtCreateStream(&gone));
    {
        const Capture capture(gone, CaptureMode::relaxed);
        ACL_OK(aclrtDestroyStreamForce(gone));
    }
    EXPECT_EQ(portaclReleaseFailures(), failures + 1);
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
    ExpectFailures(1);
}

TEST_F(CppGraph, BeginningIsRefusedWithTheLine) {
    ExpectError(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, [] { const Capture capture(nullptr); }, {"default stream"});
    const Capture first(stream);
    ExpectError(ACL_ERROR_RT_STREAM_CAPTURED, [&] { const Capture second(stream); }, {"aclmdlRICaptureBegin"});
    EXPECT_TRUE(first.is_active());
}

TEST_F(CppGraph, CaptureModesAreScopesToo) {
    const DeviceBuffer<int> memory(4);
    std::vector<int> values(4);
    portacl::fill(memory, 3);
    Capture capture(stream);
    {
        const portacl::ScopedCaptureMode relaxed(CaptureMode::relaxed);
        portacl::copy(values, memory);
    }
    EXPECT_EQ(values[3], 3);
    EXPECT_TRUE(capture.is_active());
    EXPECT_THROW(portacl::copy(values, memory), portacl::Error);
    EXPECT_FALSE(capture.is_active());
}

// ---- owners ----

TEST_F(CppGraph, TheDestructorWaitsForLaunches) {
    Gate gate;
    std::atomic<bool> done{false};
    std::thread opener;
    {
        const Graph graph = portacl::capture(stream, [&] { stream.launch([&done] { done = true; }); });
        ACL_OK(gate.Hold(stream.get()));
        graph.launch(stream);
        opener = std::thread([&gate] {
            std::this_thread::sleep_for(50ms);
            gate.Open();
        });
    }
    EXPECT_TRUE(done);
    opener.join();
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
    stream.synchronize();
}

TEST_F(CppGraph, OwnersMoveReleaseAndAdopt) {
    Graph first = portacl::capture(stream, [&] { stream.launch([] {}); });
    const aclmdlRI handle = first.get();
    Graph second(std::move(first));
    EXPECT_FALSE(first);
    EXPECT_THROW(first.launch(stream), portacl::Error);
    {
        const Graph adopted = Graph::adopt(second.release());
        EXPECT_EQ(adopted.get(), handle);
        adopted.launch(stream);
        stream.synchronize();
    }
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIExecuteAsync(handle, stream.get()));
}

}  // namespace
