// Error texts and last errors: how long they are valid, which thread they belong to, what they
// contain.
#include "support/acl_test.h"
#include "support/base/device_ids.h"
#include "support/process/temporary_folder.h"
#include "support/says.h"
#include "support/threads.h"

#include <atomic>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

using namespace portacl_test;

namespace {

// A failed call whose text contains `number`.
void FailWith(int number) {
    EXPECT_EQ(aclrtSetDevice(number), ACL_ERROR_RT_INVALID_DEVICEID);
}

bool Says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// Whether this is UTF-8 without a truncated character.
bool IsUtf8(const std::string& text) {
    for (size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const size_t length = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
        if (length == 0 || i + length > text.size()) return false;
        for (size_t j = 1; j < length; ++j)
            if ((static_cast<unsigned char>(text[i + j]) & 0xC0) != 0x80) return false;
        i += length;
    }
    return true;
}

class Error : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        aclGetRecentErrMsg();
        aclrtGetLastError(ACL_RT_THREAD_LEVEL);
    }
};

using FailureText = Error;
using LastError = Error;

// With err_msg_mode 1: one text for all threads.
class SharedText : public testing::Test {
  protected:
    void SetUp() override {
        const TemporaryFolder folder;
        const std::string name = folder.At("settings.json");
        std::ofstream(name) << R"({"err_msg_mode": "1"})";
        ASSERT_EQ(aclInit(name.c_str()), ACL_SUCCESS);
        ACL_OK(aclrtSetDevice(0));
        aclGetRecentErrMsg();
    }
    void TearDown() override {
        aclFinalize();
        // The next session has per-thread texts again.
        ACL_OK(aclInit(nullptr));
        ACL_OK(aclFinalize());
    }
};

}  // namespace

TEST_F(FailureText, NoneWithoutAFailure) {
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
    ACL_OK(aclrtSynchronizeDevice());
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
    OnNewThread([] { EXPECT_EQ(aclGetRecentErrMsg(), nullptr); });
}

TEST_F(FailureText, FetchedOnce) {
    FailWith(-7);
    EXPECT_TRUE(Says(TakeText(), "-7"));
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

TEST_F(FailureText, SuccessfulCallsKeepIt) {
    FailWith(-7);
    void* memory = nullptr;
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    int32_t device = 0;
    ACL_OK(aclrtGetDevice(&device));
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclrtCreateEvent(&event));
    ACL_OK(aclrtMemsetAsync(memory, 64, 0, 64, stream));
    ACL_OK(aclrtRecordEvent(event, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclrtDestroyEvent(event));
    ACL_OK(aclrtDestroyStream(stream));
    ACL_OK(aclrtFree(memory));
    ACL_OK(aclrtResetDevice(0));
    const std::string text = TakeText();
    EXPECT_TRUE(Says(text, "aclrtSetDevice") && Says(text, "-7")) << text;
}

TEST_F(FailureText, TheLastFailureIsKept) {
    FailWith(-7);
    EXPECT_EQ(aclrtFree(nullptr), ACL_ERROR_INVALID_PARAM);
    const std::string text = TakeText();
    EXPECT_TRUE(Says(text, "aclrtFree") && Says(text, "devPtr is null")) << text;
    EXPECT_FALSE(Says(text, "-7")) << text;
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

TEST_F(FailureText, ValidUntilTheNextFetch) {
    FailWith(-7);
    const char* text = aclGetRecentErrMsg();
    ASSERT_NE(text, nullptr);
    const std::string copy = text;
    FailWith(-8);
    ACL_OK(aclrtSynchronizeDevice());
    EXPECT_EQ(aclrtFree(nullptr), ACL_ERROR_INVALID_PARAM);
    OnNewThread([] {
        FailWith(-9);
        aclGetRecentErrMsg();
    });
    ACL_OK(aclrtResetDevice(0));
    EXPECT_EQ(text, copy);
    EXPECT_TRUE(Says(TakeText(), "aclrtFree"));
}

TEST_F(FailureText, EachThreadHasItsOwn) {
    FailWith(-7);
    OnNewThread([] {
        EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
        FailWith(-8);
        EXPECT_TRUE(Says(TakeText(), "-8"));
        FailWith(-9);
    });
    EXPECT_TRUE(Says(TakeText(), "-7"));
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

TEST_F(FailureText, TextsOfThreadsAreSeparate) {
    OnThreads(8, [](int thread) {
        for (int i = 0; i < 500; ++i) {
            const int number = -(1 + thread * 1000 + i);
            FailWith(number);
            const std::string text = TakeText();
            ASSERT_TRUE(Says(text, "deviceId is " + std::to_string(number) + ";")) << text;
        }
    });
}

TEST_F(FailureText, SurvivesTheSession) {
    FailWith(-7);
    ACL_OK(aclFinalize());
    EXPECT_TRUE(Says(TakeText(), "-7"));
    ACL_OK(aclInit(nullptr));
}

TEST_F(FailureText, LongTextsAreCutAtACharacter) {
    for (const char* unit : {"x", "\u00fc", "\u20ac", "\U0001F600"}) {
        std::string path = "/";
        while (path.size() < 5000) path += unit;
        ACL_OK(aclFinalize());
        EXPECT_EQ(aclInit(path.c_str()), ACL_ERROR_INVALID_FILE);
        const std::string text = TakeText();
        EXPECT_EQ(text.rfind("aclInit: configPath", 0), 0u) << text;
        EXPECT_TRUE(IsUtf8(text)) << text;
        EXPECT_GT(text.size(), 500u);
        EXPECT_LT(text.size(), 5000u);
        ACL_OK(aclInit(nullptr));
    }
}

// Call, argument, value and bound, for errors of every kind.
TEST_F(FailureText, NamesTheInvalidArgument) {
    uint32_t count = 0;
    ACL_OK(aclrtGetDeviceCount(&count));
    const std::string devices = AllowedIds(count);
    ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(4711), "deviceId is 4711", devices);
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtMalloc(nullptr, 8, ACL_MEM_MALLOC_HUGE_FIRST), "devPtr is null");
    void* memory = nullptr;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtMalloc(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST), "size is 0");
    size_t free = 0, total = 0;
    ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    ACL_FAILS_SAYING(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&memory, total + 1, ACL_MEM_MALLOC_HUGE_FIRST),
                     std::to_string(total + 1), std::to_string(total));
    ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_MEMORY_TYPE, aclrtGetMemInfo(static_cast<aclrtMemAttr>(99), &free, &total),
                     "attr is 99", "17");
    char bytes[8];
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(bytes, 4, bytes, 8, ACL_MEMCPY_HOST_TO_HOST), "count 8",
                     "destMax 4");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(bytes, 8, bytes, 8, static_cast<aclrtMemcpyKind>(77)),
                     "kind is 77", "0 to 7");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStreamWithTimeout(nullptr, -2), "timeout is -2", "-1");
    void* garbage = reinterpret_cast<void*>(uintptr_t{0xabcd});
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream(garbage), "stream", "0xabcd");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyEvent(garbage), "event", "0xabcd");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(garbage), "devPtr", "0xabcd");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHost(garbage), "hostPtr", "0xabcd");
}

// The code is part of the text, because logs often contain nothing else.
TEST_F(FailureText, ContainsTheCode) {
    FailWith(-7);
    EXPECT_TRUE(Says(TakeText(), "107001"));
    EXPECT_EQ(aclrtFree(nullptr), ACL_ERROR_INVALID_PARAM);
    EXPECT_TRUE(Says(TakeText(), "100000"));
}

TEST_F(LastError, ZeroWithoutAFailure) {
    EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
    OnNewThread([] { EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS); });
}

TEST_F(LastError, PeekKeepsGetClears) {
    FailWith(-7);
    EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
    EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
    EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
}

TEST_F(LastError, SuccessfulCallsKeepIt) {
    FailWith(-7);
    ACL_OK(aclrtSynchronizeDevice());
    ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
    ACL_OK(aclrtResetDevice(0));
}

TEST_F(LastError, TheLastOneIsKept) {
    FailWith(-7);
    EXPECT_EQ(aclrtFree(nullptr), ACL_ERROR_INVALID_PARAM);
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_INVALID_PARAM);
}

TEST_F(LastError, IsIndependentOfTheText) {
    FailWith(-7);
    EXPECT_NE(aclGetRecentErrMsg(), nullptr);
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
    FailWith(-8);
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
    EXPECT_TRUE(Says(TakeText(), "-8"));
}

TEST_F(LastError, EachThreadHasItsOwn) {
    FailWith(-7);
    OnNewThread([] {
        EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
        EXPECT_EQ(aclrtFree(nullptr), ACL_ERROR_INVALID_PARAM);
        EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_INVALID_PARAM);
    });
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
}

TEST_F(LastError, OnlyTheThreadLevelExists) {
    for (const int level : {1, -1, 1000}) {
        const std::string value = "level is " + std::to_string(level);
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetLastError(static_cast<aclrtLastErrLevel>(level)), value,
                         "ACL_RT_THREAD_LEVEL");
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtPeekAtLastError(static_cast<aclrtLastErrLevel>(level)), value,
                         "ACL_RT_THREAD_LEVEL");
    }
}

TEST_F(SharedText, AnyThreadFetchesIt) {
    OnNewThread([] { FailWith(-7); });
    EXPECT_TRUE(Says(TakeText(), "-7"));
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
    FailWith(-8);
    OnNewThread([] { EXPECT_TRUE(Says(TakeText(), "-8")); });
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

TEST_F(SharedText, TheLastFailureOfAnyThreadIsKept) {
    FailWith(-7);
    OnNewThread([] { FailWith(-8); });
    EXPECT_TRUE(Says(TakeText(), "-8"));
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

TEST_F(SharedText, ValidUntilTheSameThreadFetchesAgain) {
    FailWith(-7);
    const char* text = aclGetRecentErrMsg();
    ASSERT_NE(text, nullptr);
    const std::string copy = text;
    OnThreads(4, [](int) {
        for (int i = 0; i < 100; ++i) {
            FailWith(-8);
            aclGetRecentErrMsg();
        }
    });
    EXPECT_EQ(text, copy);
}

TEST_F(SharedText, LastErrorsArePerThread) {
    FailWith(-7);
    OnNewThread([] { EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS); });
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
}

// A thread that fetches gets a complete text, and each error at most once.
TEST_F(SharedText, IsAlwaysComplete) {
    constexpr int kThreads = 8, kRounds = 500;
    std::atomic<int> fetched{0};
    OnThreads(kThreads, [&fetched](int thread) {
        for (int i = 0; i < kRounds; ++i) {
            FailWith(-(1 + thread));
            const std::string text = TakeText();
            if (text.empty()) continue;
            ++fetched;
            ASSERT_EQ(text.rfind("aclrtSetDevice: deviceId is -", 0), 0u) << text;
            ASSERT_TRUE(Says(text, "(error 107001)")) << text;
        }
    });
    EXPECT_GT(fetched, 0);
    EXPECT_LE(fetched, kThreads * kRounds);
}
