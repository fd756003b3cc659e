// The undocumented rules that Paddle expects a runtime to keep, each found by a failed run. The
// plug-in in broken.cpp breaks each of them, and this test must detect it.
#include <chrono>
#include <cstdlib>
#include <future>
#include <set>
#include <thread>

#include "paddle_double.h"

using namespace paddle_test;

namespace {

class Rules : public WithTwoDevices {
  protected:
    static constexpr std::size_t kSize = 4096;

    // Memory of a device filled with 1 and with 2, and memory of the same or of another device
    // filled with 0; a stream for each side, and a gate for one of them.
    struct Scene {
        explicit Scene(int where) : there(where, kSize, 0), stream_there(where) {}
        const Memory ones{0, kSize, 1};
        const Memory twos{0, kSize, 2};
        const Memory there;
        PluginStream stream{0};
        PluginStream stream_there;
        Gate gate;
    };

    // Copies all of it in a stream: on the first device, and from there to the second.
    C_Status CopyWithin(C_Stream stream, const Memory& to, const Memory& from) {
        return Plugin().async_memory_copy_d2d(device(), stream, to.At(), from.At(), kSize);
    }
    C_Status CopyAcross(C_Stream stream, const Memory& to, const Memory& from) {
        return Plugin().async_memory_copy_p2p(other(), device(), stream, to.At(), from.At(), kSize);
    }
    void ExpectWaiting(C_Device device, C_Stream stream) {
        EXPECT_EQ(Plugin().query_stream(device, stream), C_FAILED) << "it did not wait";
    }
};

TEST_F(Rules, Rule1CopiesOfSizeZeroComeWithNullPointersAndSucceed) {
    PluginStream stream(0);
    const Callbacks& p = Plugin();
    EXPECT_EQ(p.memory_copy_h2d(device(), nullptr, nullptr, 0), C_SUCCESS);
    EXPECT_EQ(p.memory_copy_d2h(device(), nullptr, nullptr, 0), C_SUCCESS);
    EXPECT_EQ(p.memory_copy_d2d(device(), nullptr, nullptr, 0), C_SUCCESS);
    EXPECT_EQ(p.memory_copy_p2p(device(), other(), nullptr, nullptr, 0), C_SUCCESS);
    EXPECT_EQ(p.async_memory_copy_h2d(device(), stream, nullptr, nullptr, 0), C_SUCCESS);
    EXPECT_EQ(p.async_memory_copy_d2h(device(), stream, nullptr, nullptr, 0), C_SUCCESS);
    EXPECT_EQ(p.async_memory_copy_d2d(device(), stream, nullptr, nullptr, 0), C_SUCCESS);
    EXPECT_EQ(p.async_memory_copy_p2p(device(), other(), stream, nullptr, nullptr, 0), C_SUCCESS);
    EXPECT_EQ(p.device_memory_set(device(), nullptr, 1, 0), C_SUCCESS);
}

TEST_F(Rules, Rule2AQueuedCopyFromPageableMemoryHasReadItWhenItReturns) {
    for (const std::size_t size : {std::size_t{64}, std::size_t{4} << 20}) {
        const Memory memory(0, size);
        PluginStream stream(0);
        std::vector<unsigned char> host(size, 7);
        ASSERT_EQ(Plugin().async_memory_copy_h2d(device(), stream, memory.At(), host.data(), size), C_SUCCESS);
        std::fill(host.begin(), host.end(), static_cast<unsigned char>(9));
        ASSERT_EQ(stream.Synchronize(), C_SUCCESS);
        EXPECT_TRUE(memory.Holds(7)) << size;
    }
}

TEST_F(Rules, Rule3AQueuedCopyToPageableMemoryIsCompleteWhenItReturns) {
    for (const std::size_t size : {std::size_t{64}, std::size_t{4} << 20}) {
        const Memory memory(0, size, 1);
        const Memory source(0, size, 7);
        PluginStream stream(0);
        // In order: the earlier operations of the stream are visible.
        ASSERT_EQ(Plugin().async_memory_copy_d2d(device(), stream, memory.At(), source.At(), size), C_SUCCESS);
        std::vector<unsigned char> host(size, 2);
        ASSERT_EQ(Plugin().async_memory_copy_d2h(device(), stream, host.data(), memory.At(), size), C_SUCCESS);
        EXPECT_EQ(std::set<unsigned char>(host.begin(), host.end()), std::set<unsigned char>{7}) << size;
        ASSERT_EQ(stream.Synchronize(), C_SUCCESS);
    }
}

TEST_F(Rules, Rule4ACopyBetweenDevicesComesAfterTheWorkOfTheSource) {
    Scene s(1);
    ASSERT_EQ(s.gate.Close(device(), s.stream), C_SUCCESS);
    ASSERT_EQ(CopyWithin(s.stream, s.ones, s.twos), C_SUCCESS);
    ASSERT_EQ(CopyAcross(s.stream_there, s.there, s.ones), C_SUCCESS);
    ExpectWaiting(other(), s.stream_there);
    s.gate.Open();
    ASSERT_EQ(s.stream_there.Synchronize(), C_SUCCESS);
    EXPECT_TRUE(s.there.Holds(2)) << "it read before the source was written";
}

TEST_F(Rules, Rule4LaterWorkOnTheSourceIsOrderedAfterTheCopyBetweenDevices) {
    Scene s(1);
    ASSERT_EQ(s.gate.Close(other(), s.stream_there), C_SUCCESS);
    ASSERT_EQ(CopyAcross(s.stream_there, s.there, s.ones), C_SUCCESS);
    // Simulates that Paddle freed the source and reused its memory.
    ASSERT_EQ(CopyWithin(s.stream, s.ones, s.twos), C_SUCCESS);
    ExpectWaiting(device(), s.stream);
    s.gate.Open();
    ASSERT_EQ(s.stream_there.Synchronize(), C_SUCCESS);
    EXPECT_TRUE(s.there.Holds(1)) << "it read what was written after it";
    ASSERT_EQ(s.stream.Synchronize(), C_SUCCESS);
    EXPECT_TRUE(s.ones.Holds(2));
}

TEST_F(Rules, Rule5AnEventMayBeDestroyedWhileQueuedWaitsNeedIt) {
    Scene s(0);
    ASSERT_EQ(s.gate.Close(device(), s.stream), C_SUCCESS);
    ASSERT_EQ(CopyWithin(s.stream, s.ones, s.twos), C_SUCCESS);
    // stream.wait_stream()
    C_Event event = nullptr;
    ASSERT_EQ(Plugin().create_event(device(), &event), C_SUCCESS);
    ASSERT_EQ(Plugin().record_event(device(), s.stream, event), C_SUCCESS);
    ASSERT_EQ(Plugin().stream_wait_event(device(), s.stream_there, event), C_SUCCESS);
    ASSERT_EQ(Plugin().destroy_event(device(), event), C_SUCCESS);
    ASSERT_EQ(CopyWithin(s.stream_there, s.there, s.ones), C_SUCCESS);
    ExpectWaiting(device(), s.stream_there);
    s.gate.Open();
    ASSERT_EQ(s.stream_there.Synchronize(), C_SUCCESS);
    EXPECT_TRUE(s.there.Holds(2));
}

TEST_F(Rules, Rule5AnEventThatWasNeverRecordedIsComplete) {
    C_Event event = nullptr;
    PluginStream stream(0);
    ASSERT_EQ(Plugin().create_event(device(), &event), C_SUCCESS);
    EXPECT_EQ(Plugin().query_event(device(), event), C_SUCCESS);
    EXPECT_EQ(Plugin().synchronize_event(device(), event), C_SUCCESS);
    EXPECT_EQ(Plugin().stream_wait_event(device(), stream, event), C_SUCCESS);
    EXPECT_EQ(stream.Synchronize(), C_SUCCESS);
    EXPECT_EQ(Plugin().destroy_event(device(), event), C_SUCCESS);
}

TEST_F(Rules, Rule6SettingAndAskingForADeviceWaitForNothing) {
    PluginStream stream(0);
    Gate gate;
    ASSERT_EQ(gate.Close(device(), stream), C_SUCCESS);
    auto done = std::async(std::launch::async, [&] {
        C_Device_st asked{-1};
        for (int round = 0; round < 1000; ++round) {
            EXPECT_EQ(Plugin().set_device(round % 2 == 0 ? device() : other()), C_SUCCESS);
            EXPECT_EQ(Plugin().get_device(&asked), C_SUCCESS);
            EXPECT_EQ(asked.id, round % 2);
        }
    });
    EXPECT_EQ(done.wait_for(std::chrono::seconds(5)), std::future_status::ready) << "they wait for the device's work";
    gate.Open();
    done.get();
    EXPECT_EQ(stream.Synchronize(), C_SUCCESS);
}

// In a separate process: the C library keeps a shared object loaded as long as threads live that
// have used it.
TEST(Unload, Rule6AfterFinalizeNoThreadIsLeftAndTheLibraryIsGone) {
    // The library's tables of handles are never freed, and unloading the library loses the pointers
    // to them.
    const std::string command = "LSAN_OPTIONS=detect_leaks=0 '" + Program() + "' --plugin='" + Path() + "' --unload";
    EXPECT_EQ(std::system(command.c_str()), 0);
}

// On backends whose memory the host cannot access, Paddle's CPU kernel ends the process.
TEST_F(Rules, Rule7ClearingGradientsDoesNotTouchDeviceMemoryFromTheHost) {
    Plugin();
    const auto found = Kernels().find({"full", FLOAT32});
    ASSERT_NE(found, Kernels().end()) << "Paddle falls back to its CPU kernel";
    const Memory gradient(0, 4096, 3);
    PluginStream stream(0);
    Context context{stream};
    Scalar zero{0};
    Tensor tensor{gradient.At(), 1024, false};
    found->second.run_directly(&context, nullptr, &zero, 0, &tensor);
    ASSERT_EQ(stream.Synchronize(), C_SUCCESS);
    EXPECT_TRUE(gradient.Holds(0));
}

}  // namespace
