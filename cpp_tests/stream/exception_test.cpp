// Exception callbacks: which ones run when enqueued work fails, on which thread, with what
// information.

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "support/fault.h"
#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr size_t kSize = 256;
constexpr uint32_t kUnknown = 0xFFFFFFFF;

struct ExceptionReport {
    int who;
    aclrtExceptionInfo* info;
    uint32_t task, stream, thread, device, code;
    std::thread::id on;
};

// Recorded by the callbacks, which have no user argument.
class Calls {
  public:
    void Note(int who, aclrtExceptionInfo* info) {
        const ExceptionReport call{who,
                                   info,
                                   aclrtGetTaskIdFromExceptionInfo(info),
                                   aclrtGetStreamIdFromExceptionInfo(info),
                                   aclrtGetThreadIdFromExceptionInfo(info),
                                   aclrtGetDeviceIdFromExceptionInfo(info),
                                   aclrtGetErrorCodeFromExceptionInfo(info),
                                   std::this_thread::get_id()};
        const std::lock_guard<std::mutex> lock(mutex_);
        calls_.push_back(call);
    }
    std::vector<ExceptionReport> Take() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return std::exchange(calls_, {});
    }
    std::vector<int> Ids() {
        std::vector<int> who;
        for (const ExceptionReport& call : Take()) who.push_back(call.who);
        return who;
    }

  private:
    std::mutex mutex_;
    std::vector<ExceptionReport> calls_;
};

Calls& Noted() {
    static Calls calls;
    return calls;
}

void First(aclrtExceptionInfo* info) {
    Noted().Note(1, info);
}
void Second(aclrtExceptionInfo* info) {
    Noted().Note(2, info);
}
void Third(aclrtExceptionInfo* info) {
    Noted().Note(3, info);
}

// Sessions in which every fill fails when it runs.
class ExceptionCallback : public testing::Test {
  protected:
    void SetUp() override {
        Noted().Take();
        ACL_OK(aclInit(nullptr));
        ACL_OK(aclrtSetDevice(0));
        memory_.emplace(kSize);
    }
    void TearDown() override {
        memory_.reset();
        ACL_EXPECT_OK(aclFinalize());
    }
    aclError Fill(aclrtStream stream) { return aclrtMemsetAsync(memory_->At(), kSize, 1, kSize, stream); }
    // Submits a fill that fails and waits for it, which runs the callbacks.
    void Fail(aclrtStream stream) {
        ACL_EXPECT_OK(Fill(stream));
        ACL_FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream));
    }

    const Fault fault_{
        "stream.fill:1:later,stream.fill:2:later,stream.fill:3:later,stream.fill:4:later,"
        "stream.fill:5:later,stream.fill:6:later"};
    std::optional<DeviceMemory> memory_;
};

TEST_F(ExceptionCallback, IsCalledBeforeTheFailureIsSeenOnAThreadOfTheLibrary) {
    Stream stream;
    int32_t id = -1;
    ACL_OK(aclrtStreamGetId(stream, &id));
    ACL_OK(aclrtSetExceptionInfoCallback(First));
    Log log;
    ACL_OK(log.Append(stream, 1));
    ACL_OK(Fill(stream));
    uint32_t task = 0;
    ACL_OK(aclrtGetThreadLastTaskId(&task));
    ACL_FAILS_SAYING(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream), "stream.fill");
    const std::vector<ExceptionReport> calls = Noted().Take();
    ASSERT_EQ(calls.size(), 1u);
    EXPECT_EQ(calls[0].task, task);
    EXPECT_EQ(calls[0].stream, static_cast<uint32_t>(id));
    EXPECT_EQ(calls[0].thread, static_cast<uint32_t>(syscall(SYS_gettid)));
    EXPECT_EQ(calls[0].device, 0u);
    EXPECT_EQ(calls[0].code, static_cast<uint32_t>(ACL_ERROR_RT_AICORE_EXCEPTION));
    EXPECT_NE(calls[0].on, std::this_thread::get_id());
}

TEST_F(ExceptionCallback, TheThreadIsTheOneThatSubmitted) {
    Stream stream;
    ACL_OK(aclrtExceptionInfoCallbackRegister(First));
    uint32_t submitter = 0, task = 0;
    OnNewThread([&] {
        ACL_OK(aclrtSetDevice(0));
        ACL_OK(Fill(stream));
        ACL_OK(aclrtGetThreadLastTaskId(&task));
        submitter = static_cast<uint32_t>(syscall(SYS_gettid));
    });
    // The last error of the thread that synchronizes, and of no other.
    ACL_FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream));
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_AICORE_EXCEPTION);
    const std::vector<ExceptionReport> calls = Noted().Take();
    ASSERT_EQ(calls.size(), 1u);
    EXPECT_EQ(calls[0].thread, submitter);
    EXPECT_EQ(calls[0].task, task);
}

TEST_F(ExceptionCallback, SetLastWinsAndRegisteredAddUp) {
    Stream stream;
    Fail(stream);
    EXPECT_EQ(Noted().Ids(), std::vector<int>{});
    ACL_OK(aclrtSetExceptionInfoCallback(First));
    ACL_OK(aclrtSetExceptionInfoCallback(Second));
    Fail(stream);
    EXPECT_EQ(Noted().Ids(), std::vector<int>{2});
    for (auto callback : {Third, First, Third, Second}) ACL_OK(aclrtExceptionInfoCallbackRegister(callback));
    Fail(stream);
    EXPECT_EQ(Noted().Ids(), (std::vector<int>{2, 3, 1, 2})) << "one in both ways is called twice";
    ACL_OK(aclrtExceptionInfoCallbackUnregister(Third));
    ACL_OK(aclrtExceptionInfoCallbackUnregister(Third));
    ACL_OK(aclrtSetExceptionInfoCallback(nullptr));
    Fail(stream);
    EXPECT_EQ(Noted().Ids(), (std::vector<int>{1, 2}));
    ACL_OK(aclrtExceptionInfoCallbackUnregister(First));
    ACL_OK(aclrtExceptionInfoCallbackUnregister(Second));
    Fail(stream);
    EXPECT_EQ(Noted().Ids(), std::vector<int>{});
}

TEST_F(ExceptionCallback, InformationLivesAsLongAsTheCall) {
    Stream stream;
    ACL_OK(aclrtSetExceptionInfoCallback(First));
    Fail(stream);
    const std::vector<ExceptionReport> calls = Noted().Take();
    ASSERT_EQ(calls.size(), 1u);
    aclrtExceptionInfo* stale = calls[0].info;
    EXPECT_EQ(aclrtGetTaskIdFromExceptionInfo(stale), kUnknown);
    EXPECT_NE(TakeText().find("running exception callback"), std::string::npos);
    EXPECT_EQ(aclrtGetStreamIdFromExceptionInfo(stale), kUnknown);
    EXPECT_EQ(aclrtGetThreadIdFromExceptionInfo(stale), kUnknown);
    EXPECT_EQ(aclrtGetDeviceIdFromExceptionInfo(stale), kUnknown);
    EXPECT_EQ(aclrtGetErrorCodeFromExceptionInfo(stale), kUnknown);
}

std::atomic<aclError> refused{0};

TEST_F(ExceptionCallback, MayNotWaitOrSubmit) {
    Stream stream;
    ACL_OK(aclrtSetExceptionInfoCallback([](aclrtExceptionInfo*) { refused = aclrtSynchronizeDevice(); }));
    Fail(stream);
    EXPECT_EQ(refused, ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(ExceptionCallback, ThatBlocksStallsItsStreamOnly) {
    NEEDS_QUEUES(2);
    Stream stream, other;
    Event event;
    static std::atomic<bool> entered, leave;
    entered = leave = false;
    ACL_OK(aclrtSetExceptionInfoCallback([](aclrtExceptionInfo*) {
        entered = true;
        while (!leave) std::this_thread::yield();
    }));
    ACL_OK(Fill(stream));
    ACL_OK(aclrtRecordEvent(event, stream));
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!entered && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    EXPECT_TRUE(entered) << "no synchronize was needed";
    Log log;
    ACL_OK(log.Append(other, 1));
    ACL_OK(aclrtSynchronizeStream(other));
    EXPECT_FALSE(IsIdle(stream));
    EXPECT_FALSE(IsComplete(event));
    leave = true;
    ACL_FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeEvent(event));
    ACL_OK(aclrtSynchronizeStream(stream));
}

TEST_F(ExceptionCallback, ThatUnregistersItselfIsNotCalledAgain) {
    Stream stream;
    static std::atomic<int> count;
    count = 0;
    struct Once {
        static void ExceptionReport(aclrtExceptionInfo*) {
            ++count;
            ACL_EXPECT_OK(aclrtExceptionInfoCallbackUnregister(ExceptionReport));
        }
    };
    ACL_OK(aclrtExceptionInfoCallbackRegister(Once::ExceptionReport));
    Fail(stream);
    Fail(stream);
    EXPECT_EQ(count, 1);
}

TEST_F(ExceptionCallback, EndsWithFinalize) {
    ACL_OK(aclrtSetExceptionInfoCallback(First));
    ACL_OK(aclrtExceptionInfoCallbackRegister(Second));
    memory_->Release();
    ACL_OK(aclFinalize());
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    memory_.emplace(kSize);
    Stream stream;
    Fail(stream);
    EXPECT_EQ(Noted().Ids(), std::vector<int>{});
}

TEST_F(ExceptionCallback, WorksForTheDefaultStreamAndUnderStop) {
    int32_t id = -1;
    ACL_OK(aclrtStreamGetId(nullptr, &id));
    ACL_OK(aclrtSetStreamFailureMode(nullptr, ACL_STOP_ON_FAILURE));
    ACL_OK(aclrtSetExceptionInfoCallback(First));
    Fail(nullptr);
    const std::vector<ExceptionReport> calls = Noted().Take();
    ASSERT_EQ(calls.size(), 1u);
    EXPECT_EQ(calls[0].stream, static_cast<uint32_t>(id));
}

// An event reports failures of work before it, and not of work after it.
TEST_F(ExceptionCallback, EventsReportEarlierFailures) {
    Stream stream;
    Event before, behind;
    ACL_OK(aclrtRecordEvent(before, stream));
    ACL_OK(Fill(stream));
    ACL_OK(aclrtRecordEvent(behind, stream));
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!IsComplete(behind) && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    ACL_OK(aclrtSynchronizeEvent(before));
    ACL_FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeEvent(behind));
    ACL_OK(aclrtSynchronizeStream(stream));
}

class ExceptionArguments : public testing::Test {};

TEST_F(ExceptionArguments, WorkBeforeInit) {
    ACL_OK(aclrtSetExceptionInfoCallback(First));
    ACL_OK(aclrtSetExceptionInfoCallback(nullptr));
    ACL_OK(aclrtSetExceptionInfoCallback(nullptr));
    ACL_OK(aclrtExceptionInfoCallbackRegister(First));
    ACL_OK(aclrtExceptionInfoCallbackUnregister(First));
}

TEST_F(ExceptionArguments, NullCallbacks) {
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtExceptionInfoCallbackRegister(nullptr), "callback", "null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtExceptionInfoCallbackUnregister(nullptr), "callback", "null");
}

TEST_F(ExceptionArguments, NullAndForeignInformation) {
    int own = 0;
    for (const void* bad : {static_cast<const void*>(nullptr), static_cast<const void*>(&own),
                            reinterpret_cast<const void*>(uintptr_t{42})}) {
        const auto* info = static_cast<const aclrtExceptionInfo*>(bad);
        EXPECT_EQ(aclrtGetTaskIdFromExceptionInfo(info), kUnknown);
        const std::string text = TakeText();
        EXPECT_NE(text.find("aclrtGetTaskIdFromExceptionInfo: info"), std::string::npos) << text;
        EXPECT_EQ(aclrtGetStreamIdFromExceptionInfo(info), kUnknown);
        EXPECT_EQ(aclrtGetThreadIdFromExceptionInfo(info), kUnknown);
        EXPECT_EQ(aclrtGetDeviceIdFromExceptionInfo(info), kUnknown);
        EXPECT_EQ(aclrtGetErrorCodeFromExceptionInfo(info), kUnknown);
    }
}

class LastTask : public WithDevice {};

TEST_F(LastTask, CountsWhatTheThreadSubmits) {
    OnNewThread([] {
        auto task = Poison<uint32_t>();
        ACL_OK(aclrtGetThreadLastTaskId(&task));
        EXPECT_EQ(task, 0u);
        ACL_OK(aclrtSetDevice(0));
        Stream stream, other;
        DeviceMemory memory(kSize);
        uint32_t before = 0;
        for (int i = 0; i < 10; ++i) {
            ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 1, kSize, stream));
            ACL_OK(aclrtGetThreadLastTaskId(&task));
            EXPECT_GT(task, before);
            before = task;
        }
        ACL_OK(aclrtSynchronizeStream(stream));
        ACL_OK(aclrtMemset(memory.At(), kSize, 1, kSize));
        ACL_OK(aclrtGetThreadLastTaskId(&task));
        EXPECT_EQ(task, before) << "nothing was submitted";
        ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 1, kSize, other));
        ACL_OK(aclrtGetThreadLastTaskId(&task));
        EXPECT_EQ(task, 1u) << "each stream counts for itself";
        ACL_OK(aclrtSynchronizeStream(other));
    });
}

TEST_F(LastTask, NullOutput) {
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetThreadLastTaskId(nullptr), "taskId", "null");
}

}  // namespace
