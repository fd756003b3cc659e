// Callbacks for the opening and closing of devices and the creation and destruction of streams.
#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "support/objects.h"
#include "support/says.h"
#include "support/threads.h"

using namespace portacl_test;

namespace {

// The reported changes in order, as texts: "0 set pre", "stream created".
class Reports {
  public:
    void Device(int32_t id, aclrtDeviceState state) {
        static const char* const kNames[] = {"set pre", "set post", "reset pre", "reset post"};
        Add(std::to_string(id) + " " + kNames[state]);
        if (on_device) on_device(id, state);
    }
    void Stream(aclrtStream stream, aclrtStreamState state) {
        Add(state == ACL_RT_STREAM_STATE_CREATE_POST ? "stream created" : "stream ends");
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            (state == ACL_RT_STREAM_STATE_CREATE_POST ? created_ : ended_)[stream] += 1;
        }
        if (on_stream) on_stream(stream, state);
    }
    std::vector<std::string> Take() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return std::exchange(texts_, {});
    }
    // How often each stream was reported.
    std::map<aclrtStream, int> Created() { return Locked(created_); }
    std::map<aclrtStream, int> Ended() { return Locked(ended_); }

    std::function<void(int32_t, aclrtDeviceState)> on_device;
    std::function<void(aclrtStream, aclrtStreamState)> on_stream;

  private:
    void Add(std::string text) {
        const std::lock_guard<std::mutex> lock(mutex_);
        texts_.push_back(std::move(text));
    }
    std::map<aclrtStream, int> Locked(const std::map<aclrtStream, int>& streams) {
        const std::lock_guard<std::mutex> lock(mutex_);
        return streams;
    }
    std::mutex mutex_;
    std::vector<std::string> texts_;
    std::map<aclrtStream, int> created_, ended_;
};

void OnDevice(int32_t id, aclrtDeviceState state, void* reports) {
    static_cast<Reports*>(reports)->Device(id, state);
}
void OnStream(aclrtStream stream, aclrtStreamState state, void* reports) {
    static_cast<Reports*>(reports)->Stream(stream, state);
}

using Texts = std::vector<std::string>;

class StateCallback : public Initialized {
  protected:
    void WatchDevices() { ACL_EXPECT_OK(aclrtRegDeviceStateCallback("test", OnDevice, &reports_)); }
    void WatchStreams() { ACL_EXPECT_OK(aclrtRegStreamStateCallback("test", OnStream, &reports_)); }
    void TearDown() override {
        reports_.on_device = nullptr;
        reports_.on_stream = nullptr;
        aclInit(nullptr);
        aclFinalize();
        aclrtRegDeviceStateCallback("test", nullptr, nullptr);
        aclrtRegStreamStateCallback("test", nullptr, nullptr);
        aclGetRecentErrMsg();
    }
    Reports reports_;
};

bool IsActive(int32_t device) {
    auto active = Poison<int32_t>();
    ExpectOk("aclrtGetPrimaryCtxState", aclrtGetPrimaryCtxState(device, nullptr, &active));
    return active == 1;
}

bool IsAlive(aclrtStream stream) {
    int32_t id = 0;
    const bool alive = aclrtStreamGetId(stream, &id) == ACL_SUCCESS;
    aclGetRecentErrMsg();
    return alive;
}

}  // namespace

TEST_F(StateCallback, ADeviceIsReportedWhenItOpensAndCloses) {
    WatchDevices();
    ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(reports_.Take(), (Texts{"0 set pre", "0 set post"}));
    // The set only counts.
    ACL_OK(aclrtSetDevice(0));
    OnNewThread([] { ACL_OK(aclrtSetDevice(0)); });
    ACL_OK(aclrtResetDevice(0));
    ACL_OK(aclrtResetDevice(0));
    EXPECT_EQ(reports_.Take(), Texts{});
    ACL_OK(aclrtResetDevice(0));
    EXPECT_EQ(reports_.Take(), (Texts{"0 reset pre", "0 reset post"}));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtResetDevice(0));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtResetDeviceForce(0));
    ACL_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(-1));
    ACL_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtResetDevice(1000));
    EXPECT_EQ(reports_.Take(), Texts{});
}

TEST_F(StateCallback, AForcedResetClosesTheDeviceAtOnce) {
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtSetDevice(0));
    WatchDevices();
    ACL_OK(aclrtResetDeviceForce(0));
    EXPECT_EQ(reports_.Take(), (Texts{"0 reset pre", "0 reset post"}));
}

TEST_F(StateCallback, AContextOpensItsDevice) {
    WatchDevices();
    aclrtContext context = nullptr;
    ACL_OK(aclrtCreateContext(&context, 0));
    EXPECT_EQ(reports_.Take(), (Texts{"0 set pre", "0 set post"}));
    ACL_OK(aclrtDestroyContext(context));
    EXPECT_EQ(reports_.Take(), Texts{});
}

TEST_F(StateCallback, FinalizeClosesAllDevices) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtSetDevice(1));
    WatchDevices();
    ACL_OK(aclFinalize());
    EXPECT_EQ(reports_.Take(), (Texts{"0 reset pre", "1 reset pre", "0 reset post", "1 reset post"}));
    // The registration is kept.
    ACL_OK(aclrtSetDevice(1));
    EXPECT_EQ(reports_.Take(), (Texts{"1 set pre", "1 set post"}));
}

TEST_F(StateCallback, TheDeviceIsInTheReportedState) {
    std::map<aclrtDeviceState, bool> active;
    reports_.on_device = [&](int32_t id, aclrtDeviceState state) {
        active[state] = IsActive(id);
        if (state == ACL_RT_DEVICE_STATE_SET_POST || state == ACL_RT_DEVICE_STATE_RESET_PRE) {
            DeviceMemory memory(Pattern(1000));
            EXPECT_TRUE(memory.Download() == Pattern(1000));
        }
    };
    WatchDevices();
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtResetDevice(0));
    EXPECT_EQ(active, (std::map<aclrtDeviceState, bool>{{ACL_RT_DEVICE_STATE_SET_PRE, false},
                                                        {ACL_RT_DEVICE_STATE_SET_POST, true},
                                                        {ACL_RT_DEVICE_STATE_RESET_PRE, true},
                                                        {ACL_RT_DEVICE_STATE_RESET_POST, false}}));
}

TEST_F(StateCallback, StreamsAreReportedWithTheirDevice) {
    WatchDevices();
    WatchStreams();
    ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(reports_.Take(), (Texts{"0 set pre", "stream created", "0 set post"}));
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclrtDestroyStream(stream));
    ACL_OK(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_FAST_SYNC));
    ACL_OK(aclrtDestroyStreamForce(stream));
    ACL_OK(aclrtCreateStream(&stream));
    EXPECT_EQ(reports_.Take(),
              (Texts{"stream created", "stream ends", "stream created", "stream ends", "stream created"}));
    ACL_OK(aclrtResetDevice(0));
    EXPECT_EQ(reports_.Take(), (Texts{"0 reset pre", "stream ends", "stream ends", "0 reset post"}));
    EXPECT_EQ(reports_.Created(), reports_.Ended());
    EXPECT_EQ(reports_.Created().size(), 4u);
}

TEST_F(StateCallback, TheDefaultStreamIsReportedByItsHandle) {
    WatchStreams();
    ACL_OK(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCtxGetCurrentDefaultStream(&stream));
    EXPECT_EQ(reports_.Created(), (std::map<aclrtStream, int>{{stream, 1}}));
    ACL_OK(aclFinalize());
    EXPECT_EQ(reports_.Ended(), (std::map<aclrtStream, int>{{stream, 1}}));
}

TEST_F(StateCallback, DestroyingAContextReportsItsStreams) {
    reports_.on_stream = [](aclrtStream stream, aclrtStreamState) { EXPECT_TRUE(IsAlive(stream)); };
    ACL_OK(aclrtSetDevice(0));
    WatchStreams();
    aclrtContext context = nullptr;
    ACL_OK(aclrtCreateContext(&context, 0));
    EXPECT_EQ(reports_.Take(), Texts{"stream created"});
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclrtDestroyContext(context));
    EXPECT_EQ(reports_.Take(), (Texts{"stream created", "stream ends", "stream ends"}));
    EXPECT_EQ(reports_.Created(), reports_.Ended());
}

TEST_F(StateCallback, TheStreamCanBeUsed) {
    int used = 0;
    reports_.on_stream = [&](aclrtStream stream, aclrtStreamState) {
        EXPECT_TRUE(IsAlive(stream));
        std::atomic<int> ran{0};
        ACL_EXPECT_OK(aclrtLaunchHostFunc(
            stream, [](void* ran) { ++*static_cast<std::atomic<int>*>(ran); }, &ran));
        ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
        EXPECT_EQ(ran, 1);
        ++used;
    };
    ACL_OK(aclrtSetDevice(0));
    WatchStreams();
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclrtDestroyStream(stream));
    EXPECT_EQ(used, 2);
    ACL_OK(aclrtResetDevice(0));
    EXPECT_EQ(used, 3) << "the default stream, made before the registration";
}

TEST_F(StateCallback, FailedCallsAreNotReported) {
    ACL_OK(aclrtSetDevice(0));
    WatchStreams();
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCreateStream(nullptr));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtDestroyStream(nullptr));
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCtxGetCurrentDefaultStream(&stream));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyStream(stream));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyStream(&stream));
    EXPECT_EQ(reports_.Take(), Texts{});
}

TEST_F(StateCallback, CallsOfTheCallbacksAreNotReported) {
    reports_.on_device = [&](int32_t, aclrtDeviceState state) {
        if (state != ACL_RT_DEVICE_STATE_RESET_PRE) return;
        { Stream stream; }
        if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
        ACL_EXPECT_OK(aclrtSetDevice(1));
        ACL_EXPECT_OK(aclrtResetDevice(1));
        ACL_EXPECT_OK(aclrtSetDevice(0));
        ACL_EXPECT_OK(aclrtResetDevice(0));
    };
    reports_.on_stream = [&](aclrtStream, aclrtStreamState) { Stream stream; };
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtSetDevice(0));
    WatchDevices();
    WatchStreams();
    { Stream stream; }
    EXPECT_EQ(reports_.Take(), (Texts{"stream created", "stream ends"}));
    ACL_OK(aclrtResetDeviceForce(0));
    EXPECT_EQ(reports_.Take(), (Texts{"0 reset pre", "stream ends", "0 reset post"}));
}

TEST_F(StateCallback, TheyMayUnregisterThemselves) {
    reports_.on_device = [&](int32_t, aclrtDeviceState) {
        ACL_EXPECT_OK(aclrtRegDeviceStateCallback("test", nullptr, nullptr));
        ACL_EXPECT_OK(aclrtRegDeviceStateCallback("other", OnDevice, &reports_));
        ACL_EXPECT_OK(aclrtRegDeviceStateCallback("other", nullptr, nullptr));
    };
    WatchDevices();
    ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(reports_.Take(), Texts{"0 set pre"});
}

// A callback may wait for other threads that use the same device: no lock is held.
TEST_F(StateCallback, OtherThreadsAreNotBlocked) {
    std::atomic<int> depth{0};
    reports_.on_device = [&](int32_t id, aclrtDeviceState state) {
        if (depth++ == 0) {
            OnNewThread([&] {
                ACL_EXPECT_OK(aclrtSetDevice(id));
                { Stream stream; }
                ACL_EXPECT_OK(aclrtResetDevice(id));
                ACL_FAILS(ACL_ERROR_REPEAT_INITIALIZE, aclInit(nullptr));
                if (state == ACL_RT_DEVICE_STATE_SET_PRE) {
                    EXPECT_FALSE(IsActive(id));
                }
            });
        }
        --depth;
    };
    WatchDevices();
    ACL_OK(aclrtSetDevice(0));
    EXPECT_TRUE(IsActive(0));
    ACL_OK(aclrtResetDeviceForce(0));
    EXPECT_FALSE(IsActive(0));
}

TEST_F(StateCallback, TheyMayFinalize) {
    ACL_OK(aclrtSetDevice(0));
    reports_.on_device = [](int32_t, aclrtDeviceState state) {
        if (state == ACL_RT_DEVICE_STATE_RESET_PRE) {
            ACL_EXPECT_OK(aclFinalize());
        }
    };
    WatchDevices();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtResetDevice(0));
    ACL_FAILS(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
}

// Threads create and destroy streams while another one resets the device: each stream is reported
// once as created and once as destroyed.
TEST_F(StateCallback, EveryStreamOnce) {
    WatchStreams();
    for (int round = 0; round < 5; ++round) {
        OnThreads(4, [&](int i) {
            for (int turn = 0; turn < 30; ++turn) {
                if (aclrtSetDevice(0) != ACL_SUCCESS) continue;
                aclrtStream streams[3] = {};
                for (auto& stream : streams) {
                    if (aclrtCreateStream(&stream) != ACL_SUCCESS) stream = nullptr;
                }
                if (streams[0]) aclrtDestroyStream(streams[0]);
                if (i == 0 && turn % 10 == 9) aclrtResetDeviceForce(0);
                if (streams[1]) aclrtDestroyStreamForce(streams[1]);
            }
            aclGetRecentErrMsg();
        });
        aclrtResetDeviceForce(0);
        aclGetRecentErrMsg();
    }
    const auto created = reports_.Created(), ended = reports_.Ended();
    EXPECT_EQ(created.size(), ended.size());
    EXPECT_TRUE(created == ended);
    EXPECT_TRUE(std::all_of(created.begin(), created.end(), [](const auto& stream) { return stream.second == 1; }));
    EXPECT_GT(created.size(), 100u);
}

TEST_F(StateCallback, SeveralAreCalledInOrder) {
    Reports other;
    WatchDevices();
    ACL_OK(aclrtRegDeviceStateCallback("another", OnDevice, &other));
    ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(reports_.Take(), (Texts{"0 set pre", "0 set post"}));
    EXPECT_EQ(other.Take(), (Texts{"0 set pre", "0 set post"}));
    ACL_OK(aclrtRegDeviceStateCallback("another", nullptr, nullptr));
    ACL_OK(aclrtResetDevice(0));
    EXPECT_EQ(reports_.Take(), (Texts{"0 reset pre", "0 reset post"}));
    EXPECT_EQ(other.Take(), Texts{});
}

TEST_F(StateCallback, NamesAreUnique) {
    WatchDevices();
    WatchStreams();
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtRegDeviceStateCallback("test", OnDevice, nullptr), "\"test\"",
                     "already");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtRegStreamStateCallback("test", OnStream, nullptr), "\"test\"",
                     "already");
    for (int i = 0; i < 2; ++i) {
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtRegDeviceStateCallback("unknown", nullptr, nullptr),
                         "\"unknown\"", "nothing is");
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtRegStreamStateCallback("unknown", nullptr, nullptr),
                         "\"unknown\"", "nothing is");
    }
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtRegDeviceStateCallback(nullptr, OnDevice, nullptr),
                     "regName is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtRegStreamStateCallback(nullptr, OnStream, nullptr),
                     "regName is null");
    // After unregistering, the name is free; the other registration keeps its name.
    ACL_OK(aclrtRegDeviceStateCallback("test", nullptr, nullptr));
    ACL_OK(aclrtRegDeviceStateCallback("test", OnDevice, &reports_));
    ACL_OK(aclrtRegStreamStateCallback("test", nullptr, nullptr));
    ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(reports_.Take(), (Texts{"0 set pre", "0 set post"}));
}

TEST_F(StateCallback, RegistrationWorksAfterFinalizeAndOnAnyThread) {
    ACL_OK(aclFinalize());
    OnNewThread([this] { WatchDevices(); });
    ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(reports_.Take(), (Texts{"0 set pre", "0 set post"}));
}
