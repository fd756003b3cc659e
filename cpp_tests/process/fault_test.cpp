// PORTACL_FAULT: failures that hardware does not produce on demand, as a program sees them.

#include "support/fault.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/acl_test.h"
#include "support/objects.h"
#include "support/process/temporary_folder.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr size_t kSize = 4096;

// A session in which calls fail.
class FaultSession {
  public:
    explicit FaultSession(const char* calls) : fault_(calls) {
        ACL_EXPECT_OK(aclInit(nullptr));
        ACL_EXPECT_OK(aclrtSetDevice(0));
    }
    ~FaultSession() {
        if (!ended_) {
            ACL_EXPECT_OK(aclFinalize());
        }
    }

    // The test finalizes.
    void End() { ended_ = true; }

  private:
    Fault fault_;
    bool ended_ = false;
};

void* Malloc() {
    void* address = nullptr;
    ACL_EXPECT_OK(aclrtMalloc(&address, kSize, ACL_MEM_MALLOC_NORMAL_ONLY));
    return address;
}

TEST(Fault, ThirdAllocationIsRefusedAndTheFourthIsNot) {
    const FaultSession session("device.alloc:3");
    Malloc();
    Malloc();
    void* address = Poison<void*>();
    ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&address, kSize, ACL_MEM_MALLOC_NORMAL_ONLY));
    EXPECT_TRUE(IsPoison(address));
    Malloc();
}

TEST(Fault, TextNamesTheSite) {
    const FaultSession session("device.alloc:1,driver.alloc_host:1,device.create_stream:2,device.create_event:1");
    void* address = nullptr;
    ACL_FAILS_SAYING(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&address, kSize, ACL_MEM_MALLOC_NORMAL_ONLY),
                     "PORTACL_FAULT", "call 1 of device.alloc");
    ACL_FAILS_SAYING(ACL_ERROR_BAD_ALLOC, aclrtMallocHost(&address, kSize), "PORTACL_FAULT",
                     "call 1 of driver.alloc_host");
    // The first stream is the default stream.
    aclrtStream stream = nullptr;
    ACL_FAILS_SAYING(ACL_ERROR_RT_NO_STREAM_RESOURCE, aclrtCreateStream(&stream), "PORTACL_FAULT",
                     "call 2 of device.create_stream");
    aclrtEvent event = nullptr;
    ACL_FAILS_SAYING(ACL_ERROR_RT_NO_EVENT_RESOURCE, aclrtCreateEvent(&event), "PORTACL_FAULT",
                     "call 1 of device.create_event");
}

TEST(Fault, EnqueuedOperationFailsWhenItRuns) {
    const FaultSession session("stream.fill:2:later");
    {
        const Stream stream;
        const Event event;
        void* memory = Malloc();
        ACL_EXPECT_OK(aclrtMemsetAsync(memory, kSize, 1, kSize, stream));
        ACL_EXPECT_OK(aclrtMemsetAsync(memory, kSize, 2, kSize, stream));
        ACL_EXPECT_OK(aclrtRecordEvent(event, stream));
        ACL_FAILS_SAYING(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeEvent(event), "call 2 of stream.fill");
        ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
        std::vector<char> read(kSize);
        ACL_EXPECT_OK(aclrtMemcpy(read.data(), kSize, memory, kSize, ACL_MEMCPY_DEVICE_TO_HOST));
        EXPECT_EQ(read, std::vector<char>(kSize, 1)) << "the second fill did nothing";
    }
}

TEST(Fault, UnreportedFailureIsReturnedByDestroyStream) {
    const FaultSession session("stream.fill:1:later");
    aclrtStream stream = nullptr;
    ACL_EXPECT_OK(aclrtCreateStream(&stream));
    void* memory = Malloc();
    ACL_EXPECT_OK(aclrtMemsetAsync(memory, kSize, 1, kSize, stream));
    ACL_FAILS_SAYING(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtDestroyStream(stream), "call 1 of stream.fill",
                     "is destroyed");
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyStream(stream));
}

TEST(Fault, UnreportedFailureIsReturnedByDestroyContextResetAndFinalize) {
    FaultSession session("stream.fill:1:later,stream.fill:2:later,stream.fill:3:later");
    void* memory = Malloc();
    aclrtContext context = nullptr;
    ACL_EXPECT_OK(aclrtCreateContext(&context, 0));
    ACL_EXPECT_OK(aclrtMemsetAsync(memory, kSize, 1, kSize, nullptr));
    ACL_FAILS_SAYING(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtDestroyContext(context), "call 1 of stream.fill",
                     "is destroyed");

    ACL_EXPECT_OK(aclrtSetDevice(0));
    ACL_EXPECT_OK(aclrtMemsetAsync(memory, kSize, 1, kSize, nullptr));
    ACL_FAILS_SAYING(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtResetDeviceForce(0), "call 2 of stream.fill",
                     "device 0 is reset");
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtResetDeviceForce(0));

    ACL_EXPECT_OK(aclrtSetDevice(0));
    ACL_EXPECT_OK(aclrtMemsetAsync(Malloc(), kSize, 1, kSize, nullptr));
    session.End();
    ACL_FAILS_SAYING(ACL_ERROR_RT_AICORE_EXCEPTION, aclFinalize(), "call 3 of stream.fill", "finalized");
    ACL_FAILS(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
}

TEST(Fault, FailedReleaseIsReturnedAndTheRestIsFreed) {
    FaultSession session("device.free:1,device.close:1,driver.free_host:1");
    void* memory = Malloc();
    ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtFree(memory), "call 1 of device.free");
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(memory));
    ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtResetDevice(0), "call 1 of device.close",
                     "device 0 is reset");
    void* pinned = nullptr;
    ACL_EXPECT_OK(aclrtSetDevice(0));
    ACL_EXPECT_OK(aclrtMallocHost(&pinned, kSize));
    session.End();
    ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclFinalize(), "call 1 of driver.free_host", "finalized");
}

TEST(Fault, MistakeInTheListIsAnErrorThatNamesTheSites) {
    setenv("PORTACL_FAULT", "device.aloc:1", 1);
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclInit(nullptr), "PORTACL_FAULT", "device.aloc:1", "device.alloc,",
                     "(error 100000)");
    // The text lists similar names, not all sites.
    setenv("PORTACL_FAULT", "malloc:1", 1);
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclInit(nullptr), "\"malloc:1\"", "docs/fault_injection.md",
                     "device, driver,", "(error 100000)");
    unsetenv("PORTACL_FAULT");
    ACL_EXPECT_OK(aclInit(nullptr));
    ACL_EXPECT_OK(aclFinalize());
}

TEST(Fault, CountsAreWrittenToTheConfiguredFile) {
    const TemporaryFolder folder;
    const std::string path = folder.At("counts");
    setenv("PORTACL_FAULT_COUNT", path.c_str(), 1);
    {
        const FaultSession session("device.free:2");
        unsetenv("PORTACL_FAULT_COUNT");
        ACL_EXPECT_OK(aclrtFree(Malloc()));
        EXPECT_EQ(aclrtFree(Malloc()), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
        Malloc();
    }
    std::stringstream report;
    report << std::ifstream(path).rdbuf();
    for (const char* line : {" ended\n", "failed 1\n", "calls device.alloc 3\n", "calls device.free 3\n",
                             "calls stream.copy 0\n", "objects device-block made 3 released 2 kept 1\n"})
        EXPECT_NE(report.str().find(line), std::string::npos) << line << " in\n" << report.str();
}

}  // namespace
