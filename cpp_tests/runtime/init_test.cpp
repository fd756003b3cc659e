// aclInit, aclFinalize, aclFinalizeReference: repeated, in any order, from many threads.
#include "support/acl_test.h"
#include "support/says.h"
#include "support/threads.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

using namespace portacl_test;

namespace {

// Finalizes what a test leaves open, so that each test begins without a session.
class Init : public testing::Test {
  protected:
    void TearDown() override {
        aclInit(nullptr);
        aclFinalize();
        aclGetRecentErrMsg();
    }
};

constexpr int kThreads = 16;

}  // namespace

TEST_F(Init, NullPathMeansDefaults) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclFinalize());
}

TEST_F(Init, EmptyPathMeansDefaults) {
    ACL_OK(aclInit(""));
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclFinalize());
}

TEST_F(Init, RepeatedInitIsRefusedAndCounted) {
    ACL_OK(aclInit(nullptr));
    ACL_FAILS_SAYING(ACL_ERROR_REPEAT_INITIALIZE, aclInit(nullptr), "initialized already", "2");
    ACL_FAILS_SAYING(ACL_ERROR_REPEAT_INITIALIZE, aclInit(""), "initialized already", "3");

    auto left = Poison<uint64_t>();
    ACL_OK(aclFinalizeReference(&left));
    EXPECT_EQ(left, 2u);
    ACL_OK(aclFinalizeReference(&left));
    EXPECT_EQ(left, 1u);
    ACL_OK(aclFinalizeReference(&left));
    EXPECT_EQ(left, 0u);
}

TEST_F(Init, RepeatedInitDoesNotReadItsFile) {
    ACL_OK(aclInit(nullptr));
    ACL_FAILS(ACL_ERROR_REPEAT_INITIALIZE, aclInit("/nonexistent/portacl.json"));
    uint64_t left = 0;
    ACL_OK(aclFinalizeReference(&left));
    EXPECT_EQ(left, 1u);
}

TEST_F(Init, FailedInitCountsNothing) {
    ACL_FAILS(ACL_ERROR_INVALID_FILE, aclInit("/nonexistent/portacl.json"));
    ACL_FAILS(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
    ACL_OK(aclInit(nullptr));
}

TEST_F(Init, FinalizeIgnoresTheCount) {
    ACL_OK(aclInit(nullptr));
    ACL_FAILS(ACL_ERROR_REPEAT_INITIALIZE, aclInit(nullptr));
    ACL_FAILS(ACL_ERROR_REPEAT_INITIALIZE, aclInit(nullptr));
    ACL_OK(aclFinalize());
    ACL_FAILS_SAYING(ACL_ERROR_REPEAT_FINALIZE, aclFinalize(), "nothing to finalize", "aclInit");
    auto left = Poison<uint64_t>();
    ACL_FAILS(ACL_ERROR_REPEAT_FINALIZE, aclFinalizeReference(&left));
    EXPECT_EQ(left, 0u);
}

TEST_F(Init, FinalizeWithoutInitIsRefused) {
    ACL_FAILS(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
    ACL_FAILS(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
}

// The count explains the failure, so it is written although the call fails.
TEST_F(Init, FinalizeReferenceAtZeroReturnsZero) {
    auto left = Poison<uint64_t>();
    ACL_FAILS_SAYING(ACL_ERROR_REPEAT_FINALIZE, aclFinalizeReference(&left), "nothing to finalize");
    EXPECT_EQ(left, 0u);
    ACL_FAILS(ACL_ERROR_REPEAT_FINALIZE, aclFinalizeReference(nullptr));
}

TEST_F(Init, FinalizeReferenceAcceptsNull) {
    ACL_OK(aclInit(nullptr));
    ACL_FAILS(ACL_ERROR_REPEAT_INITIALIZE, aclInit(nullptr));
    ACL_OK(aclFinalizeReference(nullptr));
    ACL_OK(aclFinalizeReference(nullptr));
    ACL_FAILS(ACL_ERROR_REPEAT_FINALIZE, aclFinalizeReference(nullptr));
}

TEST_F(Init, FinalizeReferenceEndsOnlyTheLast) {
    ACL_OK(aclInit(nullptr));
    ACL_FAILS(ACL_ERROR_REPEAT_INITIALIZE, aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));

    ACL_OK(aclFinalizeReference(nullptr));
    ACL_OK(aclrtSynchronizeStream(stream));
    int32_t device = -1;
    ACL_OK(aclrtGetDevice(&device));

    ACL_OK(aclFinalizeReference(nullptr));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream(stream));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&device));
}

TEST_F(Init, EverySessionStartsWithZero) {
    for (int session = 0; session < 5; ++session) {
        ACL_OK(aclInit(nullptr));
        ACL_OK(aclrtSetDevice(0));
        void* memory = nullptr;
        ACL_OK(aclrtMalloc(&memory, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
        ACL_OK(aclrtMemset(memory, 1 << 20, session, 1 << 20));
        if (session % 2 == 0) {
            ACL_OK(aclFinalize());
        } else {
            ACL_OK(aclFinalizeReference(nullptr));
        }
    }
}

TEST_F(Init, ConcurrentInitsOneSucceeds) {
    for (int round = 0; round < 10; ++round) {
        std::vector<aclError> codes(kThreads);
        std::vector<char> set(kThreads);
        OnThreads(kThreads, [&](int i) {
            codes[i] = aclInit(nullptr);
            // A thread that gets 100002 can use the library.
            set[i] = aclrtSetDevice(0) == ACL_SUCCESS;
        });
        EXPECT_EQ(std::count(codes.begin(), codes.end(), ACL_SUCCESS), 1);
        EXPECT_EQ(std::count(codes.begin(), codes.end(), ACL_ERROR_REPEAT_INITIALIZE), kThreads - 1);
        EXPECT_EQ(std::count(set.begin(), set.end(), 1), kThreads);

        // Each call counts; each count is returned to exactly one caller.
        std::vector<uint64_t> left(kThreads, Poison<uint64_t>());
        OnThreads(kThreads, [&](int i) { codes[i] = aclFinalizeReference(&left[i]); });
        EXPECT_EQ(std::count(codes.begin(), codes.end(), ACL_SUCCESS), kThreads);
        std::sort(left.begin(), left.end());
        for (int i = 0; i < kThreads; ++i) EXPECT_EQ(left[i], static_cast<uint64_t>(i));
    }
}

TEST_F(Init, ConcurrentFinalizesOneSucceeds) {
    for (int round = 0; round < 10; ++round) {
        ACL_OK(aclInit(nullptr));
        ACL_OK(aclrtSetDevice(0));
        std::vector<aclError> codes(kThreads);
        OnThreads(kThreads, [&](int i) { codes[i] = aclFinalize(); });
        EXPECT_EQ(std::count(codes.begin(), codes.end(), ACL_SUCCESS), 1);
        EXPECT_EQ(std::count(codes.begin(), codes.end(), ACL_ERROR_REPEAT_FINALIZE), kThreads - 1);
    }
}

// Threads that use the library while another one finalizes it get errors; none crashes or hangs.
TEST_F(Init, FinalizeWhileOthersWork) {
    for (int round = 0; round < 5; ++round) {
        ACL_OK(aclInit(nullptr));
        std::atomic<bool> stop{false};
        std::atomic<int> working{0};
        std::vector<std::thread> workers;
        for (int i = 0; i < 4; ++i) {
            workers.emplace_back([&] {
                aclrtContext context = nullptr;
                aclrtStream stream = nullptr;
                ACL_EXPECT_OK(aclrtCreateContext(&context, 0));
                ACL_EXPECT_OK(aclrtCreateStream(&stream));
                ++working;
                while (!stop) {
                    void* memory = nullptr;
                    if (aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_NORMAL_ONLY) != 0) continue;
                    aclrtMemsetAsync(memory, 4096, 1, 4096, stream);
                    aclrtSynchronizeStream(stream);
                    aclrtFree(memory);
                }
                // The session is over, and all its objects went with it.
                ACL_DESTROYS_LATE(aclrtDestroyStream(stream));
                ACL_DESTROYS_LATE(aclrtDestroyContext(context));
            });
        }
        while (working < 4) std::this_thread::yield();
        ACL_EXPECT_OK(aclFinalize());
        stop = true;
        for (auto& worker : workers) worker.join();
    }
}
