#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "plugin_under_test.h"

using namespace paddle_test;

namespace {

class Device : public WithTwoDevices {};

TEST_F(Device, StartingAgainIsNoFailure) {
    ErrorOutput output;
    EXPECT_EQ(Plugin().initialize(), C_SUCCESS);
    EXPECT_EQ(output.Take(), "");
}

TEST_F(Device, ListNamesAsManyAsThereAre) {
    std::size_t count = 0;
    ASSERT_EQ(Plugin().get_device_count(&count), C_SUCCESS);
    ASSERT_GE(count, 2u);
    std::vector<std::size_t> ids(count + 1, 77);
    ASSERT_EQ(Plugin().get_device_list(ids.data()), C_SUCCESS);
    for (std::size_t at = 0; at < count; ++at) EXPECT_EQ(ids[at], at);
    EXPECT_EQ(ids[count], 77u);
}

TEST_F(Device, NullIsRefused) {
    ErrorOutput output;
    EXPECT_EQ(Plugin().init_device(nullptr), C_ERROR);
    EXPECT_EQ(Plugin().deinit_device(nullptr), C_ERROR);
    EXPECT_EQ(Plugin().set_device(nullptr), C_ERROR);
    EXPECT_EQ(Plugin().get_device(nullptr), C_ERROR);
    EXPECT_EQ(Plugin().synchronize_device(nullptr), C_ERROR);
    EXPECT_EQ(Plugin().get_device_count(nullptr), C_ERROR);
    EXPECT_EQ(Plugin().get_device_list(nullptr), C_ERROR);
    EXPECT_NE(output.Take().find("set_device: device is null"), std::string::npos);
}

TEST_F(Device, ADeviceThatIsNotThereIsRefusedAndChangesNothing) {
    ASSERT_EQ(Plugin().set_device(other()), C_SUCCESS);
    for (const int id : {-1, DeviceCount(), 1 << 20}) {
        C_Device_st wrong{id};
        ErrorOutput output;
        EXPECT_EQ(Plugin().init_device(&wrong), C_ERROR) << id;
        EXPECT_EQ(Plugin().set_device(&wrong), C_ERROR) << id;
        EXPECT_EQ(Plugin().synchronize_device(&wrong), C_ERROR) << id;
        EXPECT_NE(output.Take().find(std::to_string(id)), std::string::npos) << id;
        EXPECT_EQ(Plugin().deinit_device(&wrong), C_SUCCESS) << "Paddle does not survive a failure";
    }
    C_Device_st now{-1};
    EXPECT_EQ(Plugin().get_device(&now), C_SUCCESS);
    EXPECT_EQ(now.id, 1);
}

TEST_F(Device, EachThreadHasItsOwnAndBeginsWithDevice0) {
    ASSERT_EQ(Plugin().set_device(other()), C_SUCCESS);
    C_Device_st in_thread{-1};
    std::thread([&] { EXPECT_EQ(Plugin().get_device(&in_thread), C_SUCCESS); }).join();
    EXPECT_EQ(in_thread.id, 0);
    C_Device_st here{-1};
    ASSERT_EQ(Plugin().get_device(&here), C_SUCCESS);
    EXPECT_EQ(here.id, 1);
}

TEST_F(Device, WorkOnAnotherDeviceDoesNotChangeTheThreadsOwn) {
    ASSERT_EQ(Plugin().set_device(device()), C_SUCCESS);
    const Memory memory(1, 64, 3);
    PluginStream stream(1);
    EXPECT_TRUE(memory.Holds(3));
    C_Device_st now{-1};
    ASSERT_EQ(Plugin().get_device(&now), C_SUCCESS);
    EXPECT_EQ(now.id, 0);
}

TEST_F(Device, SynchronizeWaitsForEveryStreamOfTheDevice) {
    PluginStream first(0);
    PluginStream second(0);
    Gate gate;
    std::atomic<bool> ran{false};
    ASSERT_EQ(gate.Close(device(), first), C_SUCCESS);
    ASSERT_EQ(Plugin().stream_add_callback(
                  device(), first,
                  [](C_Device, C_Stream, void* flag, C_Status*) { static_cast<std::atomic<bool>*>(flag)->store(true); },
                  &ran),
              C_SUCCESS);
    std::thread opener([&] { gate.Open(); });
    EXPECT_EQ(Plugin().synchronize_device(device()), C_SUCCESS);
    EXPECT_TRUE(ran.load());
    opener.join();
}

TEST_F(Device, MemoryGoesWithItsDeviceWhichMayComeBack) {
    C_Device_st last{DeviceCount() - 1};
    ASSERT_EQ(Plugin().init_device(&last), C_SUCCESS);
    void* pointer = nullptr;
    ASSERT_EQ(Plugin().device_memory_allocate(&last, &pointer, 1 << 20), C_SUCCESS);
    C_Stream stream = nullptr;
    C_Event event = nullptr;
    ASSERT_EQ(Plugin().create_stream(&last, &stream), C_SUCCESS);
    ASSERT_EQ(Plugin().create_event(&last, &event), C_SUCCESS);
    ErrorOutput output;
    EXPECT_EQ(Plugin().deinit_device(&last), C_SUCCESS);
    EXPECT_EQ(Plugin().deinit_device(&last), C_SUCCESS) << "it is closed already";
    // Paddle's destructors run late, after the objects were released with their device.
    EXPECT_EQ(Plugin().device_memory_deallocate(&last, pointer, 1 << 20), C_SUCCESS);
    EXPECT_EQ(Plugin().destroy_stream(&last, stream), C_SUCCESS);
    EXPECT_EQ(Plugin().destroy_event(&last, event), C_SUCCESS);
    EXPECT_EQ(output.Take(), "");
    ASSERT_EQ(Plugin().init_device(&last), C_SUCCESS);
    const Memory memory(last.id, 4096, 9);
    EXPECT_TRUE(memory.Holds(9));
}

// Runs the calls of Paddle's destructors in a child; the exit status identifies the failed one.
int ReleaseInChild(C_Device device, void* memory, void* pinned, void* unified, C_Stream stream, C_Event event) {
    const Callbacks& p = Plugin();
    if (p.set_device(device) != C_SUCCESS) return 1;
    if (p.synchronize_device(device) != C_SUCCESS) return 9;
    if (p.synchronize_stream(device, stream) != C_SUCCESS) return 10;
    if (p.synchronize_event(device, event) != C_SUCCESS) return 11;
    if (p.device_memory_deallocate(device, memory, 64) != C_SUCCESS) return 2;
    if (p.host_memory_deallocate(device, pinned, 64) != C_SUCCESS) return 3;
    if (p.unified_memory_deallocate(device, unified, 64) != C_SUCCESS) return 4;
    if (p.destroy_event(device, event) != C_SUCCESS) return 5;
    if (p.destroy_stream(device, stream) != C_SUCCESS) return 6;
    if (p.deinit_device(device) != C_SUCCESS) return 7;
    if (p.finalize() != C_SUCCESS) return 8;
    return 0;
}

TEST_F(Device, AForkedChildReleasesSilentlyAndTheParentKeepsAll) {
    const Memory memory(0, 64, 3);
    PluginStream stream(0);
    void* pinned = nullptr;
    void* unified = nullptr;
    C_Event event = nullptr;
    ASSERT_EQ(Plugin().host_memory_allocate(device(), &pinned, 64), C_SUCCESS);
    ASSERT_EQ(Plugin().unified_memory_allocate(device(), &unified, 64), C_SUCCESS);
    ASSERT_EQ(Plugin().create_event(device(), &event), C_SUCCESS);
    ErrorOutput output;
    const pid_t child = fork();
    if (child == 0) {
        _exit(ReleaseInChild(device(), memory.At(), pinned, unified, stream, event));
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_EQ(output.Take(), "");
    EXPECT_TRUE(memory.Holds(3));
    EXPECT_EQ(stream.Synchronize(), C_SUCCESS);
    EXPECT_EQ(Plugin().destroy_event(device(), event), C_SUCCESS);
    EXPECT_EQ(Plugin().host_memory_deallocate(device(), pinned, 64), C_SUCCESS);
    EXPECT_EQ(Plugin().unified_memory_deallocate(device(), unified, 64), C_SUCCESS);
}

}  // namespace
