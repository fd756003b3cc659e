// Counting notifies: aclrtCntNotify*.

#include <set>

#include "support/gate.h"
#include "support/says.h"
#include "support/stream/notify.h"

using namespace portacl_test;

namespace {

constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr int kSet = ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, kAdd = ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE,
              kOr = ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE, kAnd = ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE;
constexpr int kLess = ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE, kEqual = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE,
              kBigger = ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE, kAtLeast = ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE,
              kBits = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE;
constexpr uint32_t kMost = 0xFFFFFFFF;

class CntNotifyTest : public WithDevice {
  protected:
    // The count has this value when all work of `stream` is complete.
    static void ExpectCount(aclrtCntNotify notify, uint32_t count, aclrtStream stream) {
        ACL_EXPECT_OK(Wait(notify, stream, kEqual, count));
        ACL_EXPECT_OK(aclrtSynchronizeStreamWithTimeout(stream, 20000));
    }
};

TEST_F(CntNotifyTest, RecordsChangeTheCount) {
    Stream stream;
    CntNotify notify;
    ExpectCount(notify, 0, stream);
    struct CountChange {
        int mode;
        uint32_t value, after;
    };
    for (const CountChange& step : {CountChange{kSet, 5, 5},
                                    {kAdd, 7, 12},
                                    {kOr, 3, 15},
                                    {kAnd, 9, 9},
                                    {kAdd, kMost, 8},
                                    {kSet, kMost, kMost},
                                    {kAdd, 1, 0},
                                    {kOr, 0, 0}}) {
        SCOPED_TRACE(step.after);
        ACL_OK(Record(notify, stream, step.mode, step.value));
        ExpectCount(notify, step.after, stream);
    }
    ACL_OK(Record(notify, stream, kSet, 3));
    ACL_OK(aclrtCntNotifyReset(notify, stream));
    ExpectCount(notify, 0, stream);
}

TEST_F(CntNotifyTest, EachCondition) {
    NEEDS_QUEUES(2);
    struct CountCondition {
        int mode;
        uint32_t value;
        std::vector<uint32_t> too_little, enough;
    };
    const std::vector<CountCondition> cases = {
        {kLess, 5, {5, 6, kMost}, {0, 4}},       {kEqual, 5, {0, 4, 6}, {5}},
        {kBigger, 5, {0, 5}, {6, kMost}},        {kAtLeast, 5, {0, 4}, {5, 6, kMost}},
        {kBits, 6, {0, 2, 4, 9}, {6, 7, kMost}},
    };
    for (const CountCondition& wanted : cases) {
        for (uint32_t enough : wanted.enough) {
            for (uint8_t clear : {0, 1}) {
                SCOPED_TRACE(std::to_string(wanted.mode) + ": " + std::to_string(enough));
                CntNotify notify;
                Stream stream, writer;
                ACL_OK(Record(notify, writer, kSet, wanted.too_little[0]));
                ACL_OK(aclrtSynchronizeStream(writer));
                ACL_OK(Wait(notify, stream, wanted.mode, wanted.value, 0, clear));
                for (uint32_t too_little : wanted.too_little) {
                    ACL_OK(Record(notify, writer, kSet, too_little));
                    ACL_OK(aclrtSynchronizeStream(writer));
                    EXPECT_FALSE(IsIdle(stream)) << too_little;
                }
                ACL_OK(Record(notify, writer, kSet, enough));
                ACL_OK(aclrtSynchronizeStream(stream));
                ExpectCount(notify, clear ? 0 : enough, writer);
            }
        }
    }
}

// A barrier: each stream adds one, and all wait for the total.
TEST_F(CntNotifyTest, ABarrierOfManyStreams) {
    NEEDS_QUEUES(8);
    const uint32_t kStreams = SharesQueues() ? 5 : 20;
    CntNotify notify;
    std::vector<std::unique_ptr<Stream>> streams;
    Gate gate;
    Log log;
    for (uint32_t i = 0; i < kStreams; ++i) {
        streams.push_back(std::make_unique<Stream>());
        if (i == 0) {
            ACL_OK(gate.Hold(*streams[i]));
        }
        ACL_OK(Record(notify, *streams[i], kAdd, 1));
        ACL_OK(Wait(notify, *streams[i], kAtLeast, kStreams));
        ACL_OK(log.Append(*streams[i], int(i)));
    }
    ExpectStuck(*streams.back());
    EXPECT_EQ(log.Size(), 0u);
    gate.Open();
    for (const auto& stream : streams) ACL_OK(aclrtSynchronizeStream(*stream));
    EXPECT_EQ(log.Size(), kStreams);
}

// The stream that clears the count is the only one whose wait ends.
TEST_F(CntNotifyTest, ClearingIsAtomic) {
    NEEDS_QUEUES(8);
    constexpr uint32_t kWaiters = 6;
    CntNotify notify;
    std::vector<std::unique_ptr<Stream>> streams;
    for (uint32_t i = 0; i < kWaiters; ++i) {
        streams.push_back(std::make_unique<Stream>());
        ACL_OK(Wait(notify, *streams[i], kAtLeast, 1, 0, 1));
    }
    const auto ended = [&] {
        uint32_t count = 0;
        for (const auto& stream : streams) count += IsIdle(*stream);
        return count;
    };
    Stream writer;
    for (uint32_t round = 1; round <= kWaiters; ++round) {
        ACL_OK(Record(notify, writer, kSet, 100));
        ExpectCount(notify, 0, writer);
        // The count is cleared before the stream that cleared it is idle.
        const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (ended() < round && std::chrono::steady_clock::now() < patience)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        EXPECT_EQ(ended(), round);
    }
}

TEST_F(CntNotifyTest, AWaitTimesOut) {
    CntNotify notify;
    Stream stream;
    ACL_OK(Wait(notify, stream, kEqual, 1, 1, 1));
    ACL_FAILS_SAYING(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeStream(stream), "notify");
    ACL_OK(Record(notify, stream, kSet, 1));
    ExpectCount(notify, 1, stream);
}

TEST_F(CntNotifyTest, AnAbortEndsAWait) {
    CntNotify notify;
    Stream stream;
    ACL_OK(Wait(notify, stream, kEqual, 1));
    ACL_OK(Record(notify, stream, kSet, 7));
    ExpectStuck(stream);
    ACL_OK(aclrtStreamAbort(stream));
    ExpectCount(notify, 0, stream);
}

TEST_F(CntNotifyTest, IdsAndLimit) {
    constexpr size_t kLimit = 8192;
    std::set<uint32_t> numbers;
    std::vector<aclrtCntNotify> all(kLimit);
    for (aclrtCntNotify& notify : all) {
        ACL_OK(aclrtCntNotifyCreate(&notify, ACL_NOTIFY_DEVICE_USE_ONLY));
        uint32_t number = kMost;
        ACL_OK(aclrtCntNotifyGetId(notify, &number));
        EXPECT_LT(number, kLimit);
        numbers.insert(number);
    }
    EXPECT_EQ(numbers.size(), kLimit);
    auto none = Poison<aclrtCntNotify>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_NO_NOTIFY_RESOURCE, aclrtCntNotifyCreate(&none, 0), "8192");
    EXPECT_TRUE(IsPoison(none));
    // Other devices have separate limits.
    const Notify other;
    for (aclrtCntNotify notify : all) ACL_OK(aclrtCntNotifyDestroy(notify));
}

TEST_F(CntNotifyTest, BadArguments) {
    auto handle = Poison<aclrtCntNotify>();
    auto number = Poison<uint32_t>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCntNotifyCreate(nullptr, 0), "cntNotify");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCntNotifyCreate(&handle, 2), "flag is 0x2");
    EXPECT_TRUE(IsPoison(handle));
    CntNotify notify;
    Stream stream;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCntNotifyGetId(notify, nullptr), "notifyId");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCntNotifyRecord(notify, stream, nullptr), "info is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCntNotifyWaitWithTimeout(notify, stream, nullptr), "info is null");
    for (int mode : {3, 5, -1, 1 << 30}) {
        aclrtCntNotifyRecordInfo info{static_cast<aclrtCntNotifyRecordMode>(mode), 1};
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCntNotifyRecord(notify, stream, &info),
                         "info->mode is " + std::to_string(mode));
    }
    aclrtCntNotifyWaitInfo wait{};
    for (int mode : {5, -1, 1 << 30}) {
        wait.mode = static_cast<aclrtCntNotifyWaitMode>(mode);
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCntNotifyWaitWithTimeout(notify, stream, &wait),
                         "info->mode is " + std::to_string(mode));
    }
    wait.mode = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE;
    wait.isClear = 2;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCntNotifyWaitWithTimeout(notify, stream, &wait),
                     "info->isClear is 2");
    // No count satisfies these conditions.
    wait.isClear = 0;
    wait.mode = ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCntNotifyWaitWithTimeout(notify, stream, &wait), "info->value is 0",
                     "less");
    wait.mode = ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE;
    wait.value = kMost;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCntNotifyWaitWithTimeout(notify, stream, &wait),
                     "info->value is 4294967295", "bigger");

    wait.mode = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE;
    aclrtCntNotifyRecordInfo record{ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 1};
    Notify plain;
    aclrtCntNotify dead = CntNotify().Release();
    ACL_OK(aclrtCntNotifyDestroy(dead));
    int local = 0;
    for (void* bad : {static_cast<void*>(nullptr), static_cast<void*>(&local), static_cast<void*>(stream),
                      static_cast<void*>(plain), dead}) {
        const aclError code = bad ? kDead : ACL_ERROR_INVALID_PARAM;
        SCOPED_TRACE(bad);
        ACL_FAILS_SAYING(code, aclrtCntNotifyDestroy(bad), "cntNotify");
        ACL_FAILS_SAYING(code, aclrtCntNotifyRecord(bad, stream, &record), "cntNotify");
        ACL_FAILS_SAYING(code, aclrtCntNotifyWaitWithTimeout(bad, stream, &wait), "cntNotify");
        ACL_FAILS_SAYING(code, aclrtCntNotifyReset(bad, stream), "cntNotify");
        ACL_FAILS_SAYING(code, aclrtCntNotifyGetId(bad, &number), "cntNotify");
    }
    aclrtStream gone = Stream().Release();
    ACL_OK(aclrtDestroyStream(gone));
    ACL_FAILS_SAYING(kDead, aclrtCntNotifyRecord(notify, gone, &record), "stream");
    ACL_FAILS_SAYING(kDead, aclrtCntNotifyWaitWithTimeout(notify, gone, &wait), "stream");
    ACL_FAILS_SAYING(kDead, aclrtCntNotifyReset(notify, gone), "stream");
    EXPECT_TRUE(IsPoison(number));
    ExpectCount(notify, 0, stream);
}

TEST_F(CntNotifyTest, WithoutAContext) {
    CntNotify notify;
    OnNewThread([&] {
        auto handle = Poison<aclrtCntNotify>();
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtCntNotifyCreate(&handle, 0));
        EXPECT_TRUE(IsPoison(handle));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtCntNotifyReset(notify, nullptr));
        aclrtCntNotifyRecordInfo record{ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 1};
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtCntNotifyRecord(notify, nullptr, &record));
        aclrtCntNotifyWaitInfo wait{};
        wait.mode = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE;
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtCntNotifyWaitWithTimeout(notify, nullptr, &wait));
    });
}

}  // namespace
