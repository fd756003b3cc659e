// Modes of captures and of threads: which threads may make calls that cannot be recorded.
#include <string>
#include <vector>

#include "support/acl_test.h"
#include "support/graph/capture.h"
#include "support/graph/graph.h"
#include "support/threads.h"

namespace {

using namespace portacl_test;

using GraphCaptureMode = WithCapture;

TEST_F(GraphCaptureMode, ModesAreExchangedByThread) {
    EXPECT_EQ(Exchange(kRelaxed), kGlobal);
    EXPECT_EQ(Exchange(kThreadLocal), kRelaxed);
    OnNewThread([] { EXPECT_EQ(Exchange(kGlobal), kGlobal); });
    EXPECT_EQ(Exchange(kGlobal), kThreadLocal);
}

// Calls that a capture forbids, with their code.
struct Forbidden {
    const char* name;
    aclError (*call)(void* device, void* host);
    aclError code;
};

const std::vector<Forbidden>& AllForbidden() {
    static const std::vector<Forbidden> all = {
        {"aclrtMemcpy", [](void* d, void* h) { return aclrtMemcpy(d, 64, h, 64, ACL_MEMCPY_HOST_TO_DEVICE); },
         ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT},
        {"aclrtMemset", [](void* d, void*) { return aclrtMemset(d, 64, 1, 64); },
         ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT},
        {"aclrtMemcpy2d",
         [](void* d, void* h) { return aclrtMemcpy2d(d, 32, h, 32, 16, 2, ACL_MEMCPY_HOST_TO_DEVICE); },
         ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT},
        {"aclrtMemcpyAsync",
         [](void* d, void* h) { return aclrtMemcpyAsync(d, 64, h, 64, ACL_MEMCPY_HOST_TO_DEVICE, nullptr); },
         ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC},
        {"aclrtMemcpy2dAsync",
         [](void* d, void* h) { return aclrtMemcpy2dAsync(d, 32, h, 32, 16, 2, ACL_MEMCPY_HOST_TO_DEVICE, nullptr); },
         ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC},
    };
    return all;
}

TEST_F(GraphCaptureMode, ModesSelectTheThreadsThatAreRestricted) {
    char host[64] = {};
    const auto check = [&](const Forbidden& c, bool is_forbidden) {
        const aclError got = c.call(memory_, host);
        EXPECT_TRUE(is_forbidden ? Failed(c.name, got, c.code) : Returned(c.name, got, 0));
        return is_forbidden;
    };
    for (const Forbidden& c : AllForbidden()) {
        for (auto capture : {kGlobal, kThreadLocal, kRelaxed}) {
            for (auto own : {kGlobal, kThreadLocal, kRelaxed}) {
                SCOPED_TRACE(std::string(c.name) + ", capture " + std::to_string(capture) + ", thread " +
                             std::to_string(own));
                // The thread that captures.
                Begin(capture);
                bool spoilt = false;
                {
                    const ModeOfThread mode(own);
                    spoilt = check(c, capture != kRelaxed && own != kRelaxed);
                }
                aclmdlRI graph = nullptr;
                if (spoilt) {
                    EndInvalid(stream_);
                } else {
                    ACL_OK(aclmdlRICaptureEnd(stream_, &graph));
                    ACL_OK(aclmdlRIDestroy(graph));
                }
                // Another thread.
                Begin(capture);
                OnNewThread([&] {
                    ACL_OK(aclrtSetDevice(0));
                    const ModeOfThread mode(own);
                    spoilt = check(c, capture == kGlobal && own == kGlobal);
                    ACL_OK(aclrtResetDevice(0));
                });
                if (spoilt) {
                    EndInvalid(stream_);
                } else {
                    ACL_OK(aclmdlRICaptureEnd(stream_, &graph));
                    ACL_OK(aclmdlRIDestroy(graph));
                }
            }
        }
    }
    ACL_OK(aclrtSynchronizeDevice());
}

}  // namespace
