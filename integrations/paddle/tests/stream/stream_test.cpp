#include <atomic>
#include <thread>

#include "plugin_under_test.h"

using namespace paddle_test;

namespace {

class StreamCallbacks : public WithTwoDevices {};

TEST_F(StreamCallbacks, QueryDistinguishesBusyFromIdle) {
    PluginStream stream(0);
    EXPECT_EQ(Plugin().query_stream(device(), stream), C_SUCCESS);
    Gate gate;
    ASSERT_EQ(gate.Close(device(), stream), C_SUCCESS);
    ErrorOutput output;
    EXPECT_EQ(Plugin().query_stream(device(), stream), C_FAILED);
    EXPECT_EQ(output.Take(), "") << "busy is an answer";
    gate.Open();
    EXPECT_EQ(stream.Synchronize(), C_SUCCESS);
    EXPECT_EQ(Plugin().query_stream(device(), stream), C_SUCCESS);
}

struct Seen {
    int device = -1;
    C_Stream stream = nullptr;
    std::thread::id thread;
    C_Status answer = C_SUCCESS;
    int calls = 0;
};

void Note(C_Device device, C_Stream stream, void* argument, C_Status* status) {
    auto* seen = static_cast<Seen*>(argument);
    seen->device = device->id;
    seen->stream = stream;
    seen->thread = std::this_thread::get_id();
    seen->calls += 1;
    *status = seen->answer;
}

TEST_F(StreamCallbacks, ACallbackIsCalledOnceWithWhatItWasAddedWith) {
    PluginStream stream(1);
    Seen seen;
    ASSERT_EQ(Plugin().stream_add_callback(other(), stream, Note, &seen), C_SUCCESS);
    ASSERT_EQ(stream.Synchronize(), C_SUCCESS);
    EXPECT_EQ(seen.calls, 1);
    EXPECT_EQ(seen.device, 1);
    EXPECT_EQ(seen.stream, static_cast<C_Stream>(stream));
    EXPECT_NE(seen.thread, std::this_thread::get_id());
}

TEST_F(StreamCallbacks, ACallbackThatFailsIsReported) {
    PluginStream stream(0);
    Seen seen;
    seen.answer = C_INTERNAL_ERROR;
    ErrorOutput output;
    ASSERT_EQ(Plugin().stream_add_callback(device(), stream, Note, &seen), C_SUCCESS);
    ASSERT_EQ(stream.Synchronize(), C_SUCCESS);
    EXPECT_NE(output.Take().find("status 4"), std::string::npos);
}

TEST_F(StreamCallbacks, CallbacksAndCopiesRunInOrder) {
    PluginStream stream(0);
    std::vector<int> order;
    struct Step {
        std::vector<int>* order;
        int number;
    };
    std::vector<Step> steps;
    for (int number = 0; number < 50; ++number) steps.push_back({&order, number});
    for (Step& step : steps) {
        ASSERT_EQ(Plugin().stream_add_callback(
                      device(), stream,
                      [](C_Device, C_Stream, void* argument, C_Status*) {
                          const auto* step = static_cast<Step*>(argument);
                          step->order->push_back(step->number);
                      },
                      &step),
                  C_SUCCESS);
    }
    ASSERT_EQ(stream.Synchronize(), C_SUCCESS);
    ASSERT_EQ(order.size(), steps.size());
    for (std::size_t at = 0; at < order.size(); ++at) EXPECT_EQ(order[at], static_cast<int>(at));
}

TEST_F(StreamCallbacks, WaitingForAnEventOrdersTwoStreams) {
    for (C_Device second : {device(), other()}) {
        const Memory memory(second->id, 64, 1);
        PluginStream first_stream(0);
        PluginStream second_stream(second->id);
        C_Event event = nullptr;
        ASSERT_EQ(Plugin().create_event(device(), &event), C_SUCCESS);
        Gate gate;
        ASSERT_EQ(gate.Close(device(), first_stream), C_SUCCESS);
        ASSERT_EQ(Plugin().record_event(device(), first_stream, event), C_SUCCESS);
        ASSERT_EQ(Plugin().stream_wait_event(second, second_stream, event), C_SUCCESS);
        EXPECT_EQ(Plugin().query_stream(second, second_stream), C_FAILED) << "it has to wait";
        gate.Open();
        EXPECT_EQ(second_stream.Synchronize(), C_SUCCESS);
        EXPECT_EQ(Plugin().query_event(device(), event), C_SUCCESS);
        EXPECT_EQ(Plugin().destroy_event(device(), event), C_SUCCESS);
    }
}

TEST_F(StreamCallbacks, AnyThreadSynchronizesAStreamOfAnyDevice) {
    PluginStream stream(1);
    Seen seen;
    ASSERT_EQ(Plugin().set_device(device()), C_SUCCESS);
    ASSERT_EQ(Plugin().stream_add_callback(other(), stream, Note, &seen), C_SUCCESS);
    const Memory memory(0, 64);  // another device is current now
    ErrorOutput output;
    EXPECT_EQ(stream.Synchronize(), C_SUCCESS);
    EXPECT_EQ(seen.calls, 1);
    std::thread([&] { EXPECT_EQ(stream.Synchronize(), C_SUCCESS) << "a thread that has no device"; }).join();
    EXPECT_EQ(output.Take(), "");
}

TEST_F(StreamCallbacks, DestroyingWaitsForWhatIsQueued) {
    C_Stream stream = nullptr;
    ASSERT_EQ(Plugin().create_stream(device(), &stream), C_SUCCESS);
    Gate gate;
    Seen seen;
    ASSERT_EQ(gate.Close(device(), stream), C_SUCCESS);
    ASSERT_EQ(Plugin().stream_add_callback(device(), stream, Note, &seen), C_SUCCESS);
    std::thread opener([&] { gate.Open(); });
    EXPECT_EQ(Plugin().destroy_stream(device(), stream), C_SUCCESS);
    EXPECT_EQ(seen.calls, 1);
    opener.join();
}

TEST_F(StreamCallbacks, TheDefaultStreamIsAStream) {
    Seen seen;
    EXPECT_EQ(Plugin().query_stream(device(), nullptr), C_SUCCESS);
    EXPECT_EQ(Plugin().stream_add_callback(device(), nullptr, Note, &seen), C_SUCCESS);
    EXPECT_EQ(Plugin().synchronize_stream(device(), nullptr), C_SUCCESS);
    EXPECT_EQ(seen.calls, 1);
    EXPECT_EQ(Plugin().destroy_stream(device(), nullptr), C_SUCCESS) << "it stays";
    EXPECT_EQ(Plugin().synchronize_stream(device(), nullptr), C_SUCCESS);
}

TEST_F(StreamCallbacks, BadArgumentsAreRefusedInWords) {
    C_Stream stream = nullptr;
    C_Event event = nullptr;
    ASSERT_EQ(Plugin().create_stream(device(), &stream), C_SUCCESS);
    ASSERT_EQ(Plugin().create_event(device(), &event), C_SUCCESS);
    ErrorOutput output;
    EXPECT_EQ(Plugin().create_stream(nullptr, &stream), C_ERROR);
    EXPECT_EQ(Plugin().create_stream(device(), nullptr), C_ERROR);
    EXPECT_EQ(Plugin().destroy_stream(nullptr, stream), C_ERROR);
    EXPECT_EQ(Plugin().query_stream(nullptr, stream), C_ERROR);
    EXPECT_EQ(Plugin().synchronize_stream(nullptr, stream), C_ERROR);
    EXPECT_EQ(Plugin().stream_add_callback(nullptr, stream, Note, nullptr), C_ERROR);
    EXPECT_EQ(Plugin().stream_add_callback(device(), stream, nullptr, nullptr), C_ERROR);
    EXPECT_EQ(Plugin().stream_wait_event(nullptr, stream, event), C_ERROR);
    EXPECT_EQ(Plugin().stream_wait_event(device(), stream, nullptr), C_ERROR);
    ASSERT_EQ(Plugin().destroy_stream(device(), stream), C_SUCCESS);
    Seen seen;
    int local = 0;
    for (const C_Stream dead : {stream, reinterpret_cast<C_Stream>(&local)}) {
        EXPECT_EQ(Plugin().query_stream(device(), dead), C_ERROR);
        EXPECT_EQ(Plugin().synchronize_stream(device(), dead), C_ERROR);
        EXPECT_EQ(Plugin().stream_add_callback(device(), dead, Note, &seen), C_ERROR);
        EXPECT_EQ(Plugin().stream_wait_event(device(), dead, event), C_ERROR);
        EXPECT_EQ(Plugin().record_event(device(), dead, event), C_ERROR);
        EXPECT_EQ(Plugin().destroy_stream(device(), dead), C_SUCCESS) << "Paddle does not survive a failure";
    }
    const std::string words = output.Take();
    EXPECT_NE(words.find("destroy_stream: "), std::string::npos) << words;
    EXPECT_EQ(seen.calls, 0);
    EXPECT_EQ(Plugin().destroy_event(device(), event), C_SUCCESS);
}

TEST_F(StreamCallbacks, WhereNoStreamCanBeMadeTheDefaultOneTakesItsPlace) {
    C_Device_st wrong{DeviceCount()};
    C_Stream stream = reinterpret_cast<C_Stream>(&wrong);
    ErrorOutput output;
    EXPECT_EQ(Plugin().create_stream(&wrong, &stream), C_SUCCESS);
    EXPECT_EQ(stream, nullptr);
    EXPECT_NE(output.Take().find("default stream"), std::string::npos);
}

}  // namespace
