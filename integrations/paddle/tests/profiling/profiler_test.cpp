#include <unistd.h>

#include <chrono>
#include <ctime>
#include <thread>

#include "paddle_double.h"

using namespace paddle_test;

namespace {

int nothing;
const C_Profiler kProfiler = reinterpret_cast<C_Profiler>(&nothing);

class Profiler : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        RuntimeEvents().clear();
        DeviceEvents().clear();
        ASSERT_EQ(Plugin().profiler_initialize(kProfiler, &data_), C_SUCCESS);
        ASSERT_EQ(Plugin().profiler_prepare_tracing(kProfiler, data_), C_SUCCESS);
    }
    void TearDown() override { EXPECT_EQ(Plugin().profiler_finalize(kProfiler, data_), C_SUCCESS); }
    void Start() { ASSERT_EQ(Plugin().profiler_start_tracing(kProfiler, data_), C_SUCCESS); }
    void StopAndCollect(std::uint64_t since = 0) {
        ASSERT_EQ(Plugin().profiler_stop_tracing(kProfiler, data_), C_SUCCESS);
        ASSERT_EQ(Plugin().profiler_collect_trace_data(kProfiler, since, data_), C_SUCCESS);
    }
    static std::uint64_t TimeOfDay() {
        timespec now{};
        clock_gettime(CLOCK_REALTIME, &now);
        return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
    }

  private:
    void* data_ = nullptr;
};

TEST_F(Profiler, ReportsCallsAndTheWorkThatTheyEnqueue) {
    const Memory memory(0, 4096);
    std::vector<unsigned char> host(4096, 3);
    PluginStream stream(0);
    const std::uint64_t before = TimeOfDay();
    Start();
    EXPECT_EQ(Plugin().async_memory_copy_h2d(device(), stream, memory.At(), host.data(), 4096), C_SUCCESS);
    EXPECT_EQ(stream.Synchronize(), C_SUCCESS);
    EXPECT_EQ(Plugin().memory_copy_d2h(device(), host.data(), memory.At(), 100), C_SUCCESS);
    EXPECT_EQ(Plugin().device_memory_set(device(), memory.At(), 0, 7), C_SUCCESS);
    StopAndCollect();
    const std::uint64_t after = TimeOfDay();

    ASSERT_EQ(RuntimeEvents().size(), 4u);
    EXPECT_EQ(RuntimeEvents()[0].name, "async_memory_copy_h2d");
    EXPECT_EQ(RuntimeEvents()[1].name, "synchronize_stream");
    ASSERT_EQ(DeviceEvents().size(), 3u);
    const auto& copy = DeviceEvents()[0];
    EXPECT_EQ(copy.name, "MEMCPY_HtoD");
    EXPECT_EQ(copy.type, portacl_paddle::TraceType::kMemcpy);
    EXPECT_EQ(copy.copy.bytes, 4096u);
    EXPECT_STREQ(copy.copy.kind, "HtoD");
    EXPECT_STREQ(copy.copy.source, "Host");
    EXPECT_STREQ(copy.copy.destination, "Device");
    EXPECT_EQ(copy.correlation_id, RuntimeEvents()[0].correlation_id);
    EXPECT_NE(copy.stream_id, 0u) << "the default stream's number";
    EXPECT_EQ(DeviceEvents()[1].name, "MEMCPY_DtoH");
    EXPECT_EQ(DeviceEvents()[1].copy.bytes, 100u);
    EXPECT_EQ(DeviceEvents()[2].name, "MEMSET");
    EXPECT_EQ(DeviceEvents()[2].type, portacl_paddle::TraceType::kMemset);
    EXPECT_EQ(DeviceEvents()[2].fill.bytes, 7u);
    // The stream's clock counts microseconds.
    constexpr std::uint64_t kTick = 100000000;
    for (const auto& event : DeviceEvents()) {
        EXPECT_LT(event.start_ns, event.end_ns);
        EXPECT_GE(event.start_ns + kTick, before);
        EXPECT_LE(event.end_ns, after + kTick);
    }
    for (const auto& event : RuntimeEvents()) {
        EXPECT_LE(event.start_ns, event.end_ns);
        EXPECT_GE(event.start_ns, before);
        EXPECT_LE(event.end_ns, after);
        EXPECT_EQ(event.thread_id, static_cast<std::uint64_t>(getpid()));
    }
}

TEST_F(Profiler, AQueuedCopyHasTheTimeInWhichItRan) {
    const Memory memory(0, 4096);
    void* pinned = nullptr;
    ASSERT_EQ(Plugin().host_memory_allocate(device(), &pinned, 4096), C_SUCCESS);
    PluginStream stream(0);
    Gate gate;
    ASSERT_EQ(gate.Close(device(), stream), C_SUCCESS);
    Start();
    ASSERT_EQ(Plugin().async_memory_copy_h2d(device(), stream, memory.At(), pinned, 4096), C_SUCCESS);
    constexpr std::uint64_t kHeld = 30000000;
    std::this_thread::sleep_for(std::chrono::nanoseconds(kHeld));
    gate.Open();
    StopAndCollect();
    ASSERT_EQ(DeviceEvents().size(), 1u);
    EXPECT_GE(DeviceEvents()[0].start_ns, RuntimeEvents()[0].end_ns) << "it ran after the call had returned";
    EXPECT_EQ(stream.Synchronize(), C_SUCCESS);
    EXPECT_EQ(Plugin().host_memory_deallocate(device(), pinned, 4096), C_SUCCESS);
}

TEST_F(Profiler, ReportsNothingFromOutsideATrace) {
    const Memory memory(0, 64, 1);
    Start();
    StopAndCollect();
    EXPECT_TRUE(memory.Holds(1));
    EXPECT_EQ(RuntimeEvents().size(), 0u);
    Start();
    EXPECT_TRUE(memory.Holds(1));
    StopAndCollect(TimeOfDay());
    EXPECT_EQ(RuntimeEvents().size(), 0u) << "it was before the time that was asked for";
    Start();
    EXPECT_TRUE(memory.Holds(1));
    EXPECT_EQ(Plugin().profiler_prepare_tracing(kProfiler, nullptr), C_SUCCESS);
    StopAndCollect();
    EXPECT_EQ(DeviceEvents().size(), 0u) << "preparing begins again";
}

TEST_F(Profiler, CollectingWithoutAProfilerIsRefused) {
    ErrorOutput output;
    EXPECT_EQ(Plugin().profiler_collect_trace_data(nullptr, 0, nullptr), C_ERROR);
    EXPECT_NE(output.Take().find("profiler_collect_trace_data"), std::string::npos);
    EXPECT_EQ(Plugin().profiler_initialize(kProfiler, nullptr), C_SUCCESS);
}

}  // namespace
