// Callbacks that aclInit and aclFinalize run.
#include <atomic>
#include <climits>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "support/objects.h"
#include "support/own_process.h"
#include "support/says.h"
#include "support/threads.h"

using namespace portacl_test;

namespace {

constexpr auto kType = ACL_REG_TYPE_OTHER;

// Records each call with this as its argument, and may run a function.
struct Calls {
    struct Init {
        std::string text;
        size_t length;
    };
    std::vector<Init> inits;
    int finalizes = 0;
    std::function<aclError()> on_init = [] { return 0; };
    std::function<aclError()> on_finalize = [] { return 0; };
};

aclError OnInit(const char* text, size_t length, void* argument) {
    auto* calls = static_cast<Calls*>(argument);
    calls->inits.push_back({text, length});
    return calls->on_init();
}

aclError OnFinalize(void* argument) {
    auto* calls = static_cast<Calls*>(argument);
    calls->finalizes += 1;
    return calls->on_finalize();
}

// Several different functions, for the order of calls.
std::vector<int>* order = nullptr;
template <int kNumber>
aclError InOrderInit(const char*, size_t, void*) {
    order->push_back(kNumber);
    return 0;
}
template <int kNumber>
aclError InOrderFinalize(void*) {
    order->push_back(kNumber);
    return 0;
}

// Each test begins and ends with nothing registered and no session.
class LifeCallback : public testing::Test {
  protected:
    void RegisterInit() { ACL_EXPECT_OK(aclInitCallbackRegister(kType, OnInit, &calls_)); }
    void RegisterFinalize() { ACL_EXPECT_OK(aclFinalizeCallbackRegister(kType, OnFinalize, &calls_)); }
    void TearDown() override {
        calls_.on_init = calls_.on_finalize = [] { return 0; };
        aclInitCallbackUnRegister(kType, OnInit);
        aclFinalizeCallbackUnRegister(kType, OnFinalize);
        aclInit(nullptr);
        aclFinalize();
        aclGetRecentErrMsg();
    }
    Calls calls_;
};

}  // namespace

TEST_F(LifeCallback, EveryStartAndEndRunsThem) {
    RegisterInit();
    RegisterFinalize();
    EXPECT_TRUE(calls_.inits.empty());
    for (int session = 1; session <= 3; ++session) {
        ACL_OK(aclInit(nullptr));
        ASSERT_EQ(calls_.inits.size(), static_cast<size_t>(session));
        ACL_FAILS(ACL_ERROR_REPEAT_INITIALIZE, aclInit(nullptr));
        EXPECT_EQ(calls_.inits.size(), static_cast<size_t>(session)) << "a repeated aclInit";
        EXPECT_EQ(calls_.finalizes, session - 1);
        ACL_OK(aclFinalize());
        EXPECT_EQ(calls_.finalizes, session);
        ACL_FAILS(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
        EXPECT_EQ(calls_.finalizes, session) << "a repeated aclFinalize";
    }
}

TEST_F(LifeCallback, OnlyTheLastReferenceEnds) {
    RegisterFinalize();
    ACL_OK(aclInit(nullptr));
    ACL_FAILS(ACL_ERROR_REPEAT_INITIALIZE, aclInit(nullptr));
    ACL_OK(aclFinalizeReference(nullptr));
    EXPECT_EQ(calls_.finalizes, 0);
    ACL_OK(aclFinalizeReference(nullptr));
    EXPECT_EQ(calls_.finalizes, 1);
}

TEST_F(LifeCallback, TheTextIsThatOfTheConfiguration) {
    RegisterInit();
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclFinalize());
    ACL_OK(aclInit(""));
    ACL_OK(aclFinalize());
    const std::string text = " {\"err_msg_mode\": \"0\", \"mine\": [\"a\\\"b\", 1]}\n";
    const TemporaryFolder folder;
    const std::string path = folder.At("settings.json");
    std::ofstream(path) << text;
    ACL_EXPECT_OK(aclInit(path.c_str()));
    ASSERT_EQ(calls_.inits.size(), 3u);
    EXPECT_EQ(calls_.inits[0].text, "{}");
    EXPECT_EQ(calls_.inits[0].length, 2u);
    EXPECT_EQ(calls_.inits[1].text, "{}");
    EXPECT_EQ(calls_.inits[2].text, text);
    EXPECT_EQ(calls_.inits[2].length, text.size());
}

TEST_F(LifeCallback, LateRegistrationsAreCalledAtOnce) {
    ACL_OK(aclInit(nullptr));
    RegisterInit();
    ASSERT_EQ(calls_.inits.size(), 1u);
    EXPECT_EQ(calls_.inits[0].text, "{}");
    RegisterFinalize();
    EXPECT_EQ(calls_.finalizes, 0);
    ACL_OK(aclFinalize());
    ACL_OK(aclInit(nullptr));
    EXPECT_EQ(calls_.inits.size(), 2u);
}

OWN_PROCESS_TEST(LifeCallbacks, UseWithoutInitRunsNoStart) {
    static Calls calls;
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclInitCallbackRegister(kType, OnInit, &calls));
    EXPECT_TRUE(calls.inits.empty());
    ACL_OK(aclInit(nullptr));
    EXPECT_EQ(calls.inits.size(), 1u);
    ACL_OK(aclFinalize());
    ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(calls.inits.size(), 1u);
    ACL_OK(aclInit(nullptr));
    EXPECT_EQ(calls.inits.size(), 2u);
    ACL_OK(aclFinalize());
}

TEST_F(LifeCallback, StartsRunInOrderAndEndsInReverse) {
    std::vector<int> numbers;
    order = &numbers;
    ACL_OK(aclInitCallbackRegister(ACL_REG_TYPE_ACL_MODEL, InOrderInit<1>, nullptr));
    ACL_OK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, InOrderInit<2>, nullptr));
    ACL_OK(aclInitCallbackRegister(ACL_REG_TYPE_ACL_DVPP, InOrderInit<3>, nullptr));
    ACL_OK(aclFinalizeCallbackRegister(ACL_REG_TYPE_ACL_MODEL, InOrderFinalize<1>, nullptr));
    ACL_OK(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, InOrderFinalize<2>, nullptr));
    ACL_OK(aclFinalizeCallbackRegister(ACL_REG_TYPE_ACL_DVPP, InOrderFinalize<3>, nullptr));
    ACL_OK(aclInit(nullptr));
    EXPECT_EQ(numbers, (std::vector<int>{1, 2, 3}));
    ACL_OK(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, InOrderInit<2>));
    ACL_OK(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, InOrderFinalize<2>));
    ACL_OK(aclFinalize());
    EXPECT_EQ(numbers, (std::vector<int>{1, 2, 3, 3, 1}));
    ACL_OK(aclInit(nullptr));
    EXPECT_EQ(numbers, (std::vector<int>{1, 2, 3, 3, 1, 1, 3}));
    ACL_OK(aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_MODEL, InOrderInit<1>));
    ACL_OK(aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_DVPP, InOrderInit<3>));
    ACL_OK(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_ACL_MODEL, InOrderFinalize<1>));
    ACL_OK(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_ACL_DVPP, InOrderFinalize<3>));
}

TEST_F(LifeCallback, AFailureAtTheStartEndsTheSession) {
    RegisterInit();
    RegisterFinalize();
    calls_.on_init = [] { return 77; };
    ACL_FAILS_SAYING(ACL_ERROR_FAILURE, aclInit(nullptr), "returned 77", "type 65535");
    EXPECT_EQ(calls_.finalizes, 1);
    ACL_FAILS(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
    calls_.on_init = [] { return 0; };
    ACL_OK(aclInit(nullptr));
    EXPECT_EQ(calls_.inits.size(), 2u);
    ACL_OK(aclFinalize());
}

TEST_F(LifeCallback, AFailingLateCallbackIsNotRegistered) {
    ACL_OK(aclInit(nullptr));
    calls_.on_init = [] { return -5; };
    ACL_FAILS_SAYING(ACL_ERROR_FAILURE, aclInitCallbackRegister(kType, OnInit, &calls_), "returned -5");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclInitCallbackUnRegister(kType, OnInit), "not registered");
    ACL_FAILS(ACL_ERROR_REPEAT_INITIALIZE, aclInit(nullptr));
    EXPECT_EQ(calls_.inits.size(), 1u);
}

TEST_F(LifeCallback, AFailureAtTheEndIsReturnedAfterwards) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    RegisterFinalize();
    calls_.on_finalize = [] { return 9; };
    ACL_FAILS_SAYING(ACL_ERROR_FAILURE, aclFinalize(), "returned 9", "finalize callback");
    int32_t device = 0;
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&device));
    ACL_FAILS(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
}

// The library is usable when the start callbacks run, and still usable in the end callbacks.
TEST_F(LifeCallback, TheyMayUseTheLibrary) {
    void* memory = nullptr;
    aclrtStream stream = nullptr;
    calls_.on_init = [&] {
        ACL_EXPECT_OK(aclrtSetDevice(0));
        ACL_EXPECT_OK(aclrtCreateStream(&stream));
        ACL_EXPECT_OK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
        ACL_FAILS(ACL_ERROR_REPEAT_INITIALIZE, aclInit(nullptr));
        return 0;
    };
    calls_.on_finalize = [&] {
        ACL_EXPECT_OK(aclrtMemsetAsync(memory, 4096, 1, 4096, stream));
        ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
        ACL_EXPECT_OK(aclrtDestroyStream(stream));
        ACL_EXPECT_OK(aclrtFree(memory));
        ACL_FAILS(ACL_ERROR_REPEAT_INITIALIZE, aclInit(nullptr));
        ACL_FAILS(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
        auto left = Poison<uint64_t>();
        ACL_FAILS(ACL_ERROR_REPEAT_FINALIZE, aclFinalizeReference(&left));
        EXPECT_EQ(left, 0u);
        return 0;
    };
    RegisterInit();
    RegisterFinalize();
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclFinalize());
    EXPECT_EQ(calls_.inits.size(), 1u);
    EXPECT_EQ(calls_.finalizes, 1);
    ACL_FAILS(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
}

TEST_F(LifeCallback, TheyMayRegisterAndUnregister) {
    std::vector<int> numbers;
    order = &numbers;
    calls_.on_init = [&] {
        // It is not in the list of this start any more, but the library has started: it is called
        // at once.
        ACL_EXPECT_OK(aclInitCallbackRegister(kType, InOrderInit<1>, nullptr));
        ACL_EXPECT_OK(aclInitCallbackUnRegister(kType, OnInit));
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclInitCallbackUnRegister(kType, OnInit));
        return 0;
    };
    calls_.on_finalize = [&] {
        ACL_EXPECT_OK(aclInitCallbackUnRegister(kType, InOrderInit<1>));
        ACL_EXPECT_OK(aclFinalizeCallbackRegister(kType, InOrderFinalize<2>, nullptr));
        ACL_EXPECT_OK(aclFinalizeCallbackUnRegister(kType, InOrderFinalize<2>));
        ACL_EXPECT_OK(aclFinalizeCallbackUnRegister(kType, OnFinalize));
        return 0;
    };
    RegisterInit();
    RegisterFinalize();
    ACL_OK(aclInit(nullptr));
    EXPECT_EQ(numbers, std::vector<int>{1});
    ACL_OK(aclFinalize());
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclFinalize());
    EXPECT_EQ(calls_.inits.size(), 1u);
    EXPECT_EQ(calls_.finalizes, 1);
    EXPECT_EQ(numbers, std::vector<int>{1});
}

TEST_F(LifeCallback, AStartMayFinalize) {
    calls_.on_init = [] {
        ACL_EXPECT_OK(aclFinalize());
        return 0;
    };
    RegisterInit();
    RegisterFinalize();
    ACL_OK(aclInit(nullptr));
    EXPECT_EQ(calls_.finalizes, 1);
    ACL_FAILS(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
}

// A callback may wait for other threads that use the library: no lock is held.
TEST_F(LifeCallback, OtherThreadsAreNotBlocked) {
    const auto use = [] {
        OnNewThread([] {
            ACL_EXPECT_OK(aclrtSetDevice(0));
            ACL_FAILS(ACL_ERROR_REPEAT_INITIALIZE, aclInit(nullptr));
            ACL_EXPECT_OK(aclInitCallbackRegister(kType, InOrderInit<1>, nullptr));
            ACL_EXPECT_OK(aclInitCallbackUnRegister(kType, InOrderInit<1>));
            ACL_EXPECT_OK(aclFinalizeCallbackRegister(kType, InOrderFinalize<1>, nullptr));
            ACL_EXPECT_OK(aclFinalizeCallbackUnRegister(kType, InOrderFinalize<1>));
        });
        return 0;
    };
    std::vector<int> numbers;
    order = &numbers;
    calls_.on_init = use;
    calls_.on_finalize = [&] {
        OnNewThread([] { ACL_FAILS(ACL_ERROR_REPEAT_FINALIZE, aclFinalize()); });
        return use();
    };
    RegisterInit();
    RegisterFinalize();
    ACL_OK(aclInit(nullptr));
    EXPECT_EQ(numbers, std::vector<int>{1}) << "called at once, from another thread";
    ACL_OK(aclFinalize());
    EXPECT_EQ(numbers, std::vector<int>{1}) << "an end that has begun starts nothing";
    EXPECT_EQ(calls_.finalizes, 1);
}

// Before, during or after the start: each registration is called exactly once.
TEST_F(LifeCallback, EachIsCalledExactlyOnce) {
    static std::atomic<int> called;
    const aclInitCallbackFunc count = [](const char*, size_t, void*) {
        ++called;
        return 0;
    };
    for (int round = 0; round < 30; ++round) {
        called = 0;
        OnThreads(3, [&](int i) {
            if (i == 0) {
                ACL_EXPECT_OK(aclInit(nullptr));
            } else {
                const auto type = i == 1 ? ACL_REG_TYPE_ACL_MODEL : ACL_REG_TYPE_OTHER;
                ACL_EXPECT_OK(aclInitCallbackRegister(type, count, nullptr));
            }
        });
        EXPECT_EQ(called, 2);
        ACL_OK(aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_MODEL, count));
        ACL_OK(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, count));
        ACL_OK(aclFinalize());
    }
}

TEST_F(LifeCallback, ConcurrentFinalizesRunThemOnce) {
    RegisterFinalize();
    for (int round = 1; round <= 10; ++round) {
        ACL_OK(aclInit(nullptr));
        std::atomic<int> succeeded{0};
        OnThreads(4, [&](int) { succeeded += aclFinalize() == ACL_SUCCESS; });
        EXPECT_EQ(succeeded, 1);
        EXPECT_EQ(calls_.finalizes, round);
    }
}

TEST_F(LifeCallback, BadArguments) {
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclInitCallbackRegister(kType, nullptr, nullptr), "cbFunc is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclInitCallbackUnRegister(kType, nullptr), "cbFunc is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclFinalizeCallbackRegister(kType, nullptr, nullptr), "cbFunc is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclFinalizeCallbackUnRegister(kType, nullptr), "cbFunc is null");
    for (const int32_t number : {-1, 8, 65534, 65536, INT32_MIN, INT32_MAX}) {
        const auto type = static_cast<aclRegisterCallbackType>(number);
        const std::string said = "type is " + std::to_string(number);
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclInitCallbackRegister(type, OnInit, &calls_), said, "65535");
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclInitCallbackUnRegister(type, OnInit), said);
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclFinalizeCallbackRegister(type, OnFinalize, &calls_), said,
                         "65535");
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclFinalizeCallbackUnRegister(type, OnFinalize), said);
    }
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclFinalize());
    EXPECT_TRUE(calls_.inits.empty());
    EXPECT_EQ(calls_.finalizes, 0);
}

TEST_F(LifeCallback, RegistrationsAreIdentifiedByTypeAndFunction) {
    RegisterInit();
    RegisterFinalize();
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclInitCallbackRegister(kType, OnInit, nullptr), "registered already",
                     "65535");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclFinalizeCallbackRegister(kType, OnFinalize, nullptr),
                     "registered already", "65535");
    for (const auto type : {ACL_REG_TYPE_ACL_MODEL, ACL_REG_TYPE_ACL_RETR}) {
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclInitCallbackUnRegister(type, OnInit), "not registered");
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclFinalizeCallbackUnRegister(type, OnFinalize), "not registered");
        ACL_OK(aclInitCallbackRegister(type, OnInit, &calls_));
    }
    ACL_OK(aclInit(nullptr));
    EXPECT_EQ(calls_.inits.size(), 3u);
    for (const auto type : {ACL_REG_TYPE_ACL_MODEL, ACL_REG_TYPE_ACL_RETR})
        ACL_OK(aclInitCallbackUnRegister(type, OnInit));
}
