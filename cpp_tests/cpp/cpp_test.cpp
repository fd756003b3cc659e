// portacl.hpp: owners, errors, streams and events as C++ objects.

#include <portacl/portacl.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "support/acl_test.h"
#include "support/gate.h"
#include "support/threads.h"

using namespace portacl_test;
using namespace std::chrono_literals;
using portacl::Context;
using portacl::Device;
using portacl::DeviceBuffer;
using portacl::Error;
using portacl::Event;
using portacl::Runtime;
using portacl::Stream;
using portacl::StreamRef;
using portacl::Timing;

namespace {

template <typename T>
constexpr bool kMoveOnly =
    std::is_nothrow_move_constructible_v<T>&& std::is_nothrow_move_assignable_v<T> &&
    !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T> && std::is_nothrow_destructible_v<T>;
static_assert(kMoveOnly<Runtime> && kMoveOnly<Device> && kMoveOnly<Context> && kMoveOnly<Stream> && kMoveOnly<Event> &&
              kMoveOnly<DeviceBuffer<int>> && kMoveOnly<portacl::HostBuffer<int>>);
static_assert(std::is_trivially_copyable_v<StreamRef>);

class Cpp : public testing::Test {
  protected:
    Runtime runtime;
    Device device;
};

TEST(CppRuntime, NestsAndLeavesNoFailureBehind) {
    {
        Runtime outer;
        {
            Runtime inner;
            EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
        }
        // The outer one keeps the session open.
        Device device;
        EXPECT_EQ(device.id(), 0);
    }
    EXPECT_EQ(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
    aclGetRecentErrMsg();
}

TEST(CppRuntime, ReportsAnInvalidConfiguration) {
    try {
        Runtime runtime("/no/such/file.json");
        FAIL() << "no exception";
    } catch (const Error& error) {
        EXPECT_NE(error.code(), ACL_SUCCESS);
        EXPECT_NE(error.text().find("/no/such/file.json"), std::string::npos);
    }
    EXPECT_EQ(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
    aclGetRecentErrMsg();
}

TEST_F(Cpp, ErrorsHaveCodeNameTextAndThePlaceOfTheCall) {
    int line = 0;
    try {
        line = __LINE__ + 1;
        Device none(12345);
        FAIL() << "no exception";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ACL_ERROR_RT_INVALID_DEVICEID);
        EXPECT_STREQ(error.name(), "ACL_ERROR_RT_INVALID_DEVICEID");
        EXPECT_NE(error.text().find("aclrtSetDevice"), std::string::npos);
        EXPECT_NE(error.text().find("12345"), std::string::npos);
        EXPECT_STREQ(error.file(), __FILE__);
        EXPECT_EQ(error.line(), line);
        const std::string what = error.what();
        for (const std::string& part :
             {std::string(__FILE__), std::to_string(line), error.text(), std::string(error.name())})
            EXPECT_NE(what.find(part), std::string::npos) << what;
    }
    // The exception took the text: a later call finds none.
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
    EXPECT_THROW(portacl::check(424242), Error);
    EXPECT_NO_THROW(portacl::check(ACL_SUCCESS));
}

TEST_F(Cpp, DevicesHaveProperties) {
    EXPECT_EQ(Runtime::backend_name(), portaclBackendName());
    EXPECT_GE(Device::count(), 1);
    EXPECT_FALSE(device.name().empty());
    const portacl::MemoryInfo info = Device::memory_info();
    EXPECT_GT(info.total, 0u);
    EXPECT_LE(info.free, info.total);
    Device::synchronize();
}

TEST_F(Cpp, AContextCanBeMadeCurrent) {
    aclrtContext before = nullptr, now = nullptr;
    ACL_OK(aclrtGetCurrentContext(&before));
    Context context(0);
    ACL_OK(aclrtGetCurrentContext(&now));
    EXPECT_EQ(now, context.get());
    ACL_OK(aclrtSetCurrentContext(before));
    context.make_current();
    ACL_OK(aclrtGetCurrentContext(&now));
    EXPECT_EQ(now, context.get());
    context.reset();
    EXPECT_FALSE(context);
    EXPECT_THROW(context.make_current(), Error);
    ACL_OK(aclrtSetCurrentContext(before));
}

TEST_F(Cpp, OwnersMoveReleaseAndAdopt) {
    const uint64_t failures = portaclReleaseFailures();
    Stream first;
    const aclrtStream handle = first.get();
    ASSERT_NE(handle, nullptr);
    Stream second(std::move(first));
    EXPECT_FALSE(first);
    EXPECT_EQ(second.get(), handle);
    Stream third;
    const aclrtStream destroyed = third.get();
    third = std::move(second);
    EXPECT_EQ(third.get(), handle);
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream(destroyed));
    Stream& same = third;
    third = std::move(same);
    EXPECT_EQ(third.get(), handle);

    const aclrtStream released = third.release();
    EXPECT_FALSE(third);
    ACL_OK(aclrtSynchronizeStream(released));
    {
        Stream adopted = Stream::adopt(released);
        adopted.synchronize();
    }
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream(released));

    aclrtEvent event = nullptr;
    ACL_OK(aclrtCreateEvent(&event));
    { const Event adopted = Event::adopt(event); }
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeEvent(event));
    EXPECT_EQ(portaclReleaseFailures(), failures);
}

TEST_F(Cpp, AFailureInADestructorIsCounted) {
    const uint64_t before = portaclReleaseFailures();
    {
        Stream stream;
        ACL_OK(aclrtDestroyStream(stream.get()));
    }
    EXPECT_EQ(portaclReleaseFailures(), before + 1);
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
    {
        DeviceBuffer<int> buffer(4);
        ACL_OK(aclrtFree(buffer.get()));
    }
    EXPECT_EQ(portaclReleaseFailures(), before + 2);
}

TEST_F(Cpp, EventsOrderStreamsAndMeasureTime) {
    Stream stream, other;
    Gate gate;
    const Event start(Timing::on), end(Timing::on), plain;
    EXPECT_TRUE(plain.is_complete());
    stream.record(start);
    ACL_OK(gate.Hold(stream.get()));
    stream.record(end);
    other.wait(end);
    other.wait_for(end, 1h);
    std::atomic<bool> ran{false};
    other.launch([&ran] { ran = true; });
    EXPECT_FALSE(end.is_complete());
    EXPECT_FALSE(end.synchronize_for(0s));
    EXPECT_FALSE(end.synchronize_for(1ms));
    EXPECT_FALSE(end.synchronize_for(1us));  // a timeout of one millisecond; neither endless nor an error
    EXPECT_FALSE(stream.is_idle());
    EXPECT_FALSE(stream.synchronize_for(-1s));
    EXPECT_FALSE(stream.synchronize_for(1ms));
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
    EXPECT_FALSE(ran);
    gate.Open();
    end.synchronize();
    EXPECT_TRUE(other.synchronize_for(std::chrono::hours::max()));
    EXPECT_TRUE(ran);
    EXPECT_TRUE(end.is_complete());
    EXPECT_GE(end.since(start).count(), 0.0f);
    EXPECT_THROW(plain.since(start), Error);
    EXPECT_THROW(other.wait_for(end, 0s), Error);
}

TEST_F(Cpp, TheDefaultStreamIsNull) {
    const StreamRef stream = nullptr;
    std::atomic<int> ran{0};
    stream.launch([&ran] { ++ran; });
    StreamRef().synchronize();
    EXPECT_EQ(ran, 1);
    EXPECT_TRUE(stream.is_idle());
}

TEST_F(Cpp, LaunchesCallables) {
    Stream stream;
    std::atomic<int> sum{0};
    // Owns something, and can only be moved.
    auto number = std::make_unique<int>(40);
    stream.launch([number = std::move(number), &sum] { sum += *number; });
    // By name, which copies it; and a callable that changes itself.
    struct Once {
        std::atomic<int>& sum;
        int left;
        void operator()() { sum += left--; }
    };
    Once once{sum, 2};
    stream.launch(once);
    stream.synchronize();
    EXPECT_EQ(sum, 42);
    EXPECT_EQ(once.left, 2);
    // Destroyed after the call.
    auto shared = std::make_shared<int>(0);
    stream.launch([shared] {});
    stream.synchronize();
    EXPECT_EQ(shared.use_count(), 1);
}

TEST_F(Cpp, ARefusedLaunchDestroysTheCallable) {
    Stream stream;
    ACL_OK(aclrtDestroyStream(stream.get()));
    auto shared = std::make_shared<int>(0);
    EXPECT_THROW(stream.launch([shared] { ++*shared; }), Error);
    EXPECT_EQ(shared.use_count(), 1);
    EXPECT_EQ(*shared, 0);
    (void)stream.release();
}

TEST_F(Cpp, AThreadWithoutADeviceGetsAnError) {
    Stream stream;
    OnNewThread([&] {
        try {
            stream.synchronize();
            FAIL() << "no exception";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ACL_ERROR_RT_CONTEXT_NULL);
        }
        const Device mine(0);
        stream.synchronize();
    });
}

}  // namespace
