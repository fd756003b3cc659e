#include <thread>

#include "plugin_under_test.h"

using namespace paddle_test;

namespace {

class EventCallbacks : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        ASSERT_EQ(Plugin().create_event(device(), &event_), C_SUCCESS);
        ASSERT_NE(event_, nullptr);
    }
    void TearDown() override {
        if (event_ != nullptr) {
            EXPECT_EQ(Plugin().destroy_event(device(), event_), C_SUCCESS);
        }
    }
    C_Event event_ = nullptr;
};

TEST_F(EventCallbacks, IsCompleteWhenItsStreamReachesIt) {
    PluginStream stream(0);
    Gate gate;
    ASSERT_EQ(gate.Close(device(), stream), C_SUCCESS);
    ASSERT_EQ(Plugin().record_event(device(), stream, event_), C_SUCCESS);
    ErrorOutput output;
    EXPECT_EQ(Plugin().query_event(device(), event_), C_FAILED);
    EXPECT_EQ(output.Take(), "") << "not yet is an answer";
    std::thread opener([&] { gate.Open(); });
    EXPECT_EQ(Plugin().synchronize_event(device(), event_), C_SUCCESS);
    EXPECT_EQ(Plugin().query_event(device(), event_), C_SUCCESS);
    opener.join();
}

TEST_F(EventCallbacks, MayBeRecordedAgain) {
    PluginStream stream(0);
    for (int round = 0; round < 3; ++round) {
        Gate gate;
        ASSERT_EQ(gate.Close(device(), stream), C_SUCCESS);
        ASSERT_EQ(Plugin().record_event(device(), stream, event_), C_SUCCESS);
        EXPECT_EQ(Plugin().query_event(device(), event_), C_FAILED);
        gate.Open();
        EXPECT_EQ(Plugin().synchronize_event(device(), event_), C_SUCCESS);
    }
}

class EventOfTwo : public WithTwoDevices {};

// As Stream('portacl:1').record_event() does while device 0 is current.
TEST_F(EventOfTwo, AnEventBelongsToTheDeviceThatRecordsIt) {
    C_Event event = nullptr;
    ASSERT_EQ(Plugin().create_event(device(), &event), C_SUCCESS);
    const C_Device both[] = {other(), device(), other()};
    for (const C_Device recording : both) {
        PluginStream stream(recording->id);
        PluginStream waiting(device()->id);
        Gate gate;
        ASSERT_EQ(gate.Close(recording, stream), C_SUCCESS);
        ASSERT_EQ(Plugin().record_event(recording, stream, event), C_SUCCESS) << recording->id;
        for (const C_Device asking : both) {
            EXPECT_EQ(Plugin().query_event(asking, event), C_FAILED) << "not yet";
        }
        ASSERT_EQ(Plugin().stream_wait_event(device(), waiting, event), C_SUCCESS);
        EXPECT_EQ(Plugin().query_stream(device(), waiting), C_FAILED) << "it has to wait";
        gate.Open();
        EXPECT_EQ(Plugin().synchronize_event(device(), event), C_SUCCESS);
        EXPECT_EQ(Plugin().query_event(device(), event), C_SUCCESS);
        EXPECT_EQ(waiting.Synchronize(), C_SUCCESS);
    }
    EXPECT_EQ(Plugin().destroy_event(device(), event), C_SUCCESS);
}

TEST_F(EventOfTwo, AnEventMayBeDestroyedWithRecordsOnBothDevicesPending) {
    PluginStream streams[] = {PluginStream(0), PluginStream(1)};
    Gate gates[2];
    C_Event event = nullptr;
    ASSERT_EQ(Plugin().create_event(device(), &event), C_SUCCESS);
    PluginStream waiting(0);
    for (const C_Device recording : {device(), other()}) {
        PluginStream& stream = streams[recording->id];
        ASSERT_EQ(gates[recording->id].Close(recording, stream), C_SUCCESS);
        ASSERT_EQ(Plugin().record_event(recording, stream, event), C_SUCCESS);
        ASSERT_EQ(Plugin().stream_wait_event(device(), waiting, event), C_SUCCESS);
    }
    ASSERT_EQ(Plugin().destroy_event(device(), event), C_SUCCESS);
    gates[1].Open();
    EXPECT_EQ(streams[1].Synchronize(), C_SUCCESS);
    EXPECT_EQ(Plugin().query_stream(device(), waiting), C_FAILED) << "the first record is missing";
    gates[0].Open();
    EXPECT_EQ(waiting.Synchronize(), C_SUCCESS);
}

TEST_F(EventCallbacks, BadArgumentsAreRefusedInWords) {
    C_Device_st wrong{-1};
    PluginStream stream(0);
    C_Event made = nullptr;
    int local = 0;
    ErrorOutput output;
    EXPECT_EQ(Plugin().create_event(nullptr, &made), C_ERROR);
    EXPECT_EQ(Plugin().create_event(device(), nullptr), C_ERROR);
    EXPECT_EQ(Plugin().create_event(&wrong, &made), C_ERROR);
    EXPECT_EQ(made, nullptr);
    EXPECT_EQ(Plugin().record_event(nullptr, stream, event_), C_ERROR);
    EXPECT_EQ(Plugin().query_event(nullptr, event_), C_ERROR);
    EXPECT_EQ(Plugin().synchronize_event(nullptr, event_), C_ERROR);
    EXPECT_EQ(Plugin().destroy_event(nullptr, event_), C_ERROR);
    ASSERT_EQ(Plugin().destroy_event(device(), event_), C_SUCCESS);
    for (const C_Event dead : {event_, reinterpret_cast<C_Event>(&local), static_cast<C_Event>(nullptr)}) {
        EXPECT_EQ(Plugin().record_event(device(), stream, dead), C_ERROR);
        EXPECT_EQ(Plugin().query_event(device(), dead), C_ERROR);
        EXPECT_EQ(Plugin().synchronize_event(device(), dead), C_ERROR);
        EXPECT_EQ(Plugin().destroy_event(device(), dead), C_SUCCESS) << "Paddle does not survive a failure";
    }
    EXPECT_NE(output.Take().find("destroy_event: "), std::string::npos);
    event_ = nullptr;
}

}  // namespace
