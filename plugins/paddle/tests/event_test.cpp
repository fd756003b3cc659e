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

TEST_F(EventCallbacks, HappensWhenItsStreamComesToIt) {
    Stream stream(0);
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
    Stream stream(0);
    for (int round = 0; round < 3; ++round) {
        Gate gate;
        ASSERT_EQ(gate.Close(device(), stream), C_SUCCESS);
        ASSERT_EQ(Plugin().record_event(device(), stream, event_), C_SUCCESS);
        EXPECT_EQ(Plugin().query_event(device(), event_), C_FAILED);
        gate.Open();
        EXPECT_EQ(Plugin().synchronize_event(device(), event_), C_SUCCESS);
    }
}

TEST_F(EventCallbacks, BadArgumentsAreRefusedInWords) {
    C_Device_st wrong{-1};
    Stream stream(0);
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
    for (const C_Event dead :
         {event_, reinterpret_cast<C_Event>(&local), static_cast<C_Event>(nullptr)}) {
        EXPECT_EQ(Plugin().record_event(device(), stream, dead), C_ERROR);
        EXPECT_EQ(Plugin().query_event(device(), dead), C_ERROR);
        EXPECT_EQ(Plugin().synchronize_event(device(), dead), C_ERROR);
        EXPECT_EQ(Plugin().destroy_event(device(), dead), C_SUCCESS)
            << "Paddle does not survive a failure";
    }
    EXPECT_NE(output.Take().find("destroy_event: "), std::string::npos);
    event_ = nullptr;
}

}  // namespace
