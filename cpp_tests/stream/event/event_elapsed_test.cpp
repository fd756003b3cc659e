// aclrtEventElapsedTime: the time between two records.

#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

using Clock = std::chrono::steady_clock;

class EventElapsed : public WithDevice {
  protected:
    // Keeps a stream busy for a measurable time, and returns how long it was.
    static aclError Spin(aclrtStream stream, double* took_ms) {
        return aclrtLaunchHostFunc(
            stream,
            [](void* took) {
                const auto start = Clock::now();
                double ms = 0;
                while (ms < 5) {
                    ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
                }
                *static_cast<double*>(took) = ms;
            },
            took_ms);
    }
};

TEST_F(EventElapsed, MeasuresMilliseconds) {
    Stream stream;
    Event start, end;
    double spun = 0;
    const auto before = Clock::now();
    ACL_OK(aclrtRecordEvent(start, stream));
    ACL_OK(Spin(stream, &spun));
    ACL_OK(aclrtRecordEvent(end, stream));
    ACL_OK(aclrtSynchronizeEvent(end));
    const double around = std::chrono::duration<double, std::milli>(Clock::now() - before).count();
    auto ms = Poison<float>();
    ACL_OK(aclrtEventElapsedTime(&ms, start, end));
    // The clocks of device and host may differ by a little.
    EXPECT_GE(ms, 0.9 * spun);
    EXPECT_LE(ms, 1.1 * around + 1);
    ACL_OK(aclrtEventElapsedTime(&ms, start, start));
    EXPECT_EQ(ms, 0.0f);
    auto untouched = Poison<float>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL, aclrtEventElapsedTime(&untouched, end, start), "endEvent",
                     "startEvent");
    EXPECT_TRUE(IsPoison(untouched));
}

TEST_F(EventElapsed, UsesTheLatestRecords) {
    Stream stream;
    Event start, end;
    double first = 0, second = 0;
    ACL_OK(aclrtRecordEvent(start, stream));
    ACL_OK(Spin(stream, &first));
    ACL_OK(aclrtRecordEvent(end, stream));
    ACL_OK(aclrtRecordEvent(start, stream));
    ACL_OK(Spin(stream, &second));
    ACL_OK(aclrtRecordEvent(end, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    float ms = -1;
    ACL_OK(aclrtEventElapsedTime(&ms, start, end));
    EXPECT_GE(ms, 0.9 * second);
    // Now the start event is the later one.
    ACL_OK(aclrtRecordEvent(start, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclrtEventElapsedTime(&ms, end, start));
    EXPECT_GE(ms, 0.0f);
}

TEST_F(EventElapsed, OfPlainEvents) {
    aclrtEvent start = nullptr, end = nullptr;
    ACL_OK(aclrtCreateEvent(&start));
    ACL_OK(aclrtCreateEvent(&end));
    ACL_OK(aclrtRecordEvent(start, nullptr));
    ACL_OK(aclrtRecordEvent(end, nullptr));
    ACL_OK(aclrtSynchronizeEvent(end));
    float ms = -1;
    ACL_OK(aclrtEventElapsedTime(&ms, start, end));
    EXPECT_GE(ms, 0.0f);
    ACL_OK(aclrtDestroyEvent(start));
    ACL_OK(aclrtDestroyEvent(end));
}

TEST_F(EventElapsed, EventsWithoutATime) {
    Stream stream;
    Event timed, untimed(ACL_EVENT_SYNC), fresh;
    ACL_OK(aclrtRecordEvent(timed, stream));
    ACL_OK(aclrtRecordEvent(untimed, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    auto ms = Poison<float>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtEventElapsedTime(nullptr, timed, timed), "ms", "null");
    ACL_FAILS_SAYING(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, aclrtEventElapsedTime(&ms, untimed, timed), "startEvent",
                     "ACL_EVENT_TIME_LINE");
    ACL_FAILS_SAYING(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, aclrtEventElapsedTime(&ms, timed, untimed), "endEvent",
                     "ACL_EVENT_TIME_LINE");
    ACL_FAILS_SAYING(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, aclrtEventElapsedTime(&ms, fresh, timed), "startEvent",
                     "never recorded");
    ACL_FAILS_SAYING(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, aclrtEventElapsedTime(&ms, timed, fresh), "endEvent",
                     "never recorded");
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtRecordEvent(fresh, stream));
    ACL_FAILS_SAYING(ACL_ERROR_RT_EVENT_NOT_COMPLETE, aclrtEventElapsedTime(&ms, timed, fresh), "endEvent",
                     "aclrtSynchronizeEvent");
    EXPECT_TRUE(IsPoison(ms));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclrtEventElapsedTime(&ms, timed, fresh));
}

TEST_F(EventElapsed, OnDifferentDevices) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    Event near;
    ACL_OK(aclrtRecordEvent(near, nullptr));
    ACL_OK(aclrtSynchronizeEvent(near));
    ACL_OK(aclrtSetDevice(1));
    Event far;
    ACL_OK(aclrtRecordEvent(far, nullptr));
    ACL_OK(aclrtSynchronizeEvent(far));
    auto ms = Poison<float>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtEventElapsedTime(&ms, near, far), "device 0", "device 1");
    EXPECT_TRUE(IsPoison(ms));
    ACL_OK(aclrtSetDevice(0));
}

}  // namespace
