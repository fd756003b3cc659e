// The rules that Paddle expects a runtime to keep and tells nobody, each found by a run that
// failed. For each of them the plug-in in broken.cpp breaks it, and this test has to notice.
#include <chrono>
#include <cstdlib>
#include <future>
#include <set>
#include <thread>

#include "paddle_double.h"

using namespace paddle_test;

namespace {

class Rules : public WithTwoDevices {};

TEST_F(Rules, Rule1CopiesOfSizeZeroComeWithNullPointersAndSucceed) {
    Stream stream(0);
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
        Stream stream(0);
        std::vector<unsigned char> host(size, 7);
        ASSERT_EQ(Plugin().async_memory_copy_h2d(device(), stream, memory.At(), host.data(), size),
                  C_SUCCESS);
        std::fill(host.begin(), host.end(), static_cast<unsigned char>(9));
        ASSERT_EQ(stream.Synchronize(), C_SUCCESS);
        EXPECT_TRUE(memory.Holds(7)) << size;
    }
}

TEST_F(Rules, Rule3AQueuedCopyToPageableMemoryIsCompleteWhenItReturns) {
    for (const std::size_t size : {std::size_t{64}, std::size_t{4} << 20}) {
        const Memory memory(0, size, 1);
        const Memory source(0, size, 7);
        Stream stream(0);
        // In order: what the stream was given before is seen.
        ASSERT_EQ(Plugin().async_memory_copy_d2d(device(), stream, memory.At(), source.At(), size),
                  C_SUCCESS);
        std::vector<unsigned char> host(size, 2);
        ASSERT_EQ(Plugin().async_memory_copy_d2h(device(), stream, host.data(), memory.At(), size),
                  C_SUCCESS);
        EXPECT_EQ(std::set<unsigned char>(host.begin(), host.end()), std::set<unsigned char>{7})
            << size;
        ASSERT_EQ(stream.Synchronize(), C_SUCCESS);
    }
}

TEST_F(Rules, Rule4ACopyBetweenDevicesComesAfterTheWorkOfTheSource) {
    constexpr std::size_t kSize = 4096;
    const Memory before(0, kSize, 1);
    const Memory after(0, kSize, 2);
    const Memory target(1, kSize, 0);
    Stream source_stream(0);
    Stream target_stream(1);
    Gate gate;
    ASSERT_EQ(gate.Close(device(), source_stream), C_SUCCESS);
    ASSERT_EQ(
        Plugin().async_memory_copy_d2d(device(), source_stream, before.At(), after.At(), kSize),
        C_SUCCESS);
    ASSERT_EQ(Plugin().async_memory_copy_p2p(other(), device(), target_stream, target.At(),
                                             before.At(), kSize),
              C_SUCCESS);
    EXPECT_EQ(Plugin().query_stream(other(), target_stream), C_FAILED) << "it did not wait";
    gate.Open();
    ASSERT_EQ(target_stream.Synchronize(), C_SUCCESS);
    EXPECT_TRUE(target.Holds(2)) << "it read before the source was written";
}

TEST_F(Rules, Rule4WhatTheSourceIsGivenNextComesAfterTheCopyBetweenDevices) {
    constexpr std::size_t kSize = 4096;
    const Memory source(0, kSize, 1);
    const Memory next(0, kSize, 2);
    const Memory target(1, kSize, 0);
    Stream source_stream(0);
    Stream target_stream(1);
    Gate gate;
    ASSERT_EQ(gate.Close(other(), target_stream), C_SUCCESS);
    ASSERT_EQ(Plugin().async_memory_copy_p2p(other(), device(), target_stream, target.At(),
                                             source.At(), kSize),
              C_SUCCESS);
    // As if Paddle had freed the source, and used its memory again.
    ASSERT_EQ(
        Plugin().async_memory_copy_d2d(device(), source_stream, source.At(), next.At(), kSize),
        C_SUCCESS);
    EXPECT_EQ(Plugin().query_stream(device(), source_stream), C_FAILED) << "it did not wait";
    gate.Open();
    ASSERT_EQ(target_stream.Synchronize(), C_SUCCESS);
    EXPECT_TRUE(target.Holds(1)) << "it read what was written after it";
    ASSERT_EQ(source_stream.Synchronize(), C_SUCCESS);
    EXPECT_TRUE(source.Holds(2));
}

TEST_F(Rules, Rule5AnEventMayBeDestroyedWhileQueuedWaitsNeedIt) {
    constexpr std::size_t kSize = 4096;
    const Memory shared(0, kSize, 1);
    const Memory written(0, kSize, 2);
    const Memory read(0, kSize, 0);
    Stream writer(0);
    Stream reader(0);
    Gate gate;
    ASSERT_EQ(gate.Close(device(), writer), C_SUCCESS);
    ASSERT_EQ(Plugin().async_memory_copy_d2d(device(), writer, shared.At(), written.At(), kSize),
              C_SUCCESS);
    // stream.wait_stream()
    C_Event event = nullptr;
    ASSERT_EQ(Plugin().create_event(device(), &event), C_SUCCESS);
    ASSERT_EQ(Plugin().record_event(device(), writer, event), C_SUCCESS);
    ASSERT_EQ(Plugin().stream_wait_event(device(), reader, event), C_SUCCESS);
    ASSERT_EQ(Plugin().destroy_event(device(), event), C_SUCCESS);
    ASSERT_EQ(Plugin().async_memory_copy_d2d(device(), reader, read.At(), shared.At(), kSize),
              C_SUCCESS);
    EXPECT_EQ(Plugin().query_stream(device(), reader), C_FAILED) << "it did not wait";
    gate.Open();
    ASSERT_EQ(reader.Synchronize(), C_SUCCESS);
    EXPECT_TRUE(read.Holds(2));
}

TEST_F(Rules, Rule5AnEventThatWasNeverRecordedIsComplete) {
    C_Event event = nullptr;
    Stream stream(0);
    ASSERT_EQ(Plugin().create_event(device(), &event), C_SUCCESS);
    EXPECT_EQ(Plugin().query_event(device(), event), C_SUCCESS);
    EXPECT_EQ(Plugin().synchronize_event(device(), event), C_SUCCESS);
    EXPECT_EQ(Plugin().stream_wait_event(device(), stream, event), C_SUCCESS);
    EXPECT_EQ(stream.Synchronize(), C_SUCCESS);
    EXPECT_EQ(Plugin().destroy_event(device(), event), C_SUCCESS);
}

TEST_F(Rules, Rule6SettingAndAskingForADeviceWaitForNothing) {
    Stream stream(0);
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
    EXPECT_EQ(done.wait_for(std::chrono::seconds(5)), std::future_status::ready)
        << "they wait for the device's work";
    gate.Open();
    done.get();
    EXPECT_EQ(stream.Synchronize(), C_SUCCESS);
}

// In a process of its own: the C library keeps a shared object as long as threads live that have
// used it.
TEST(Unload, Rule6AfterFinalizeNoThreadIsLeftAndTheLibraryIsGone) {
    const std::string command = "'" + Program() + "' --plugin='" + Path() + "' --unload";
    EXPECT_EQ(std::system(command.c_str()), 0);
}

// On backends whose memory the host cannot reach, what Paddle's CPU kernel does to it ends the
// process.
TEST_F(Rules, Rule7ClearingGradientsDoesNotTouchDeviceMemoryFromTheHost) {
    Plugin();
    const auto found = Kernels().find({"full", FLOAT32});
    ASSERT_NE(found, Kernels().end()) << "Paddle falls back to its CPU kernel";
    const Memory gradient(0, 4096, 3);
    Stream stream(0);
    Context context{stream};
    Scalar zero{0};
    Tensor tensor{gradient.At(), 1024, false};
    found->second.run_directly(&context, nullptr, &zero, 0, &tensor);
    ASSERT_EQ(stream.Synchronize(), C_SUCCESS);
    EXPECT_TRUE(gradient.Holds(0));
}

}  // namespace
