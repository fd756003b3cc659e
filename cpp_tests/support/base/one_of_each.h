// One object of every kind, and the expected results of all calls once they are invalid.
#pragma once

#include "support/acl_test.h"

#include <sys/uio.h>
#include <unistd.h>

#include <array>

namespace portacl_test {

struct OneOfEach {
    static constexpr size_t kBytes = 4096;

    aclrtContext context = nullptr;
    aclrtStream stream = nullptr;  // in that context
    aclrtEvent event = nullptr;    // recorded
    aclrtEvent timer = nullptr;    // with timing, recorded
    void* memory = nullptr;
    void* host = nullptr;  // pinned

    // Creates them on `device`; the current context of the thread does not change.
    void Create(int32_t device) {
        aclrtContext before = nullptr;
        ACL_OK(aclrtGetCurrentContext(&before));
        ACL_OK(aclrtCreateContext(&context, device));
        ACL_OK(aclrtCreateStream(&stream));
        ACL_OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
        ACL_OK(aclrtCreateEvent(&timer));
        ACL_OK(aclrtMalloc(&memory, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
        ACL_OK(aclrtMallocHost(&host, kBytes));
        ACL_OK(aclrtMemset(host, kBytes, 3, kBytes));
        ACL_OK(aclrtMemcpyAsync(memory, kBytes, host, kBytes, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        ACL_OK(aclrtRecordEvent(event, stream));
        ACL_OK(aclrtRecordEvent(timer, stream));
        ACL_OK(aclrtSetCurrentContext(before));
    }

    // Uses all of them; the current context must belong to their device.
    void ExpectValid() const {
        ACL_EXPECT_OK(aclrtMemsetAsync(memory, kBytes, 7, kBytes, stream));
        ACL_EXPECT_OK(aclrtRecordEvent(event, stream));
        ACL_EXPECT_OK(aclrtMemcpyAsync(host, kBytes, memory, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
        const auto* bytes = static_cast<const unsigned char*>(host);
        EXPECT_EQ(bytes[0], 7);
        EXPECT_EQ(bytes[kBytes - 1], 7);
        aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
        ACL_EXPECT_OK(aclrtQueryEventStatus(event, &status));
        EXPECT_EQ(status, ACL_EVENT_RECORDED_STATUS_COMPLETE);
    }

    // Destroys and frees all of them.
    void Destroy() {
        ACL_EXPECT_OK(aclrtDestroyEvent(event));
        ACL_EXPECT_OK(aclrtDestroyEvent(timer));
        ACL_EXPECT_OK(aclrtFree(memory));
        ACL_EXPECT_OK(aclrtFreeHost(host));
        ACL_EXPECT_OK(aclrtDestroyStream(stream));
        ACL_EXPECT_OK(aclrtDestroyContext(context));
    }

    // Checks that the handles went with their owner: the first destroy of each succeeds.
    void ExpectLateDestroys() const {
        ExpectNoUse();
        ACL_EXPECT_OK(aclrtDestroyEvent(event));
        ACL_EXPECT_OK(aclrtDestroyEvent(timer));
        ACL_EXPECT_OK(aclrtDestroyStream(stream));
        ACL_EXPECT_OK(aclrtDestroyContext(context));
        ExpectInvalidHandles();
    }

    // Checks that all calls with the handles are refused with 107000 and a text, also those that destroy them.
    void ExpectInvalidHandles() const {
        constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
        ExpectNoUse();
        ACL_FAILS(kDead, aclrtDestroyContext(context));
        ACL_FAILS(kDead, aclrtDestroyStream(stream));
        ACL_FAILS(kDead, aclrtDestroyStreamForce(stream));
        ACL_FAILS(kDead, aclrtDestroyEvent(event));
        ACL_FAILS(kDead, aclrtDestroyEvent(timer));
    }

    // Checks that every use of the handles is refused with 107000 and a text, and writes nothing.
    void ExpectNoUse() const {
        constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
        ACL_FAILS(kDead, aclrtSetCurrentContext(context));

        ACL_FAILS(kDead, aclrtSynchronizeStream(stream));
        ACL_FAILS(kDead, aclrtSynchronizeStreamWithTimeout(stream, 1000));
        auto stream_status = Poison<aclrtStreamStatus>();
        ACL_FAILS(kDead, aclrtStreamQuery(stream, &stream_status));
        EXPECT_TRUE(IsPoison(stream_status));
        ACL_FAILS(kDead, aclrtStreamWaitEvent(stream, event));
        ACL_FAILS(kDead, aclrtLaunchHostFunc(
                             stream, [](void*) {}, nullptr));
        std::array<unsigned char, 8> bytes{};
        ACL_FAILS(kDead, aclrtMemcpyAsync(bytes.data(), bytes.size(), memory, bytes.size(), ACL_MEMCPY_DEVICE_TO_HOST,
                                          stream));
        ACL_FAILS(kDead, aclrtMemsetAsync(memory, kBytes, 1, kBytes, stream));

        ACL_FAILS(kDead, aclrtRecordEvent(event, stream));
        auto event_status = Poison<aclrtEventRecordedStatus>();
        ACL_FAILS(kDead, aclrtQueryEventStatus(event, &event_status));
        EXPECT_TRUE(IsPoison(event_status));
        ACL_FAILS(kDead, aclrtSynchronizeEvent(event));
        auto ms = Poison<float>();
        ACL_FAILS(kDead, aclrtEventElapsedTime(&ms, timer, timer));
        EXPECT_TRUE(IsPoison(ms));
    }

    // Checks that the device memory ended with its device: using and freeing it is refused with 107000.
    void ExpectInvalidDeviceMemory() const {
        constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
        ACL_FAILS(kDead, aclrtFree(memory));
        std::array<unsigned char, 8> bytes{};
        ACL_FAILS(kDead, aclrtMemcpy(bytes.data(), bytes.size(), memory, bytes.size(), ACL_MEMCPY_DEVICE_TO_HOST));
        ACL_FAILS(kDead, aclrtMemset(memory, kBytes, 1, kBytes));
        ExpectNoHostMemory(memory);
    }

    // Checks that the pinned memory was freed, too.
    void ExpectFreedHostMemory() const {
        constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
        ACL_FAILS(kDead, aclrtFreeHost(host));
        ACL_FAILS(kDead, aclrtMemset(host, kBytes, 1, kBytes));
        ExpectNoHostMemory(host);
    }

  private:
    // Whether the address is mapped: maybe the test has memory there by now.
    static bool IsReadable(void* address) {
        char byte = 0;
        iovec to{&byte, 1}, from{address, 1};
        return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1;
    }

    // Checks that, with a device, copies do not take freed memory for pageable memory.
    static void ExpectNoHostMemory(void* gone) {
        int32_t device = 0;
        if (aclrtGetDevice(&device) != ACL_SUCCESS || IsReadable(gone)) return;
        constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
        std::array<unsigned char, 8> bytes{};
        for (const auto kind : {ACL_MEMCPY_DEFAULT, ACL_MEMCPY_HOST_TO_HOST}) {
            ACL_FAILS(kDead, aclrtMemcpy(bytes.data(), bytes.size(), gone, bytes.size(), kind));
            ACL_FAILS(kDead, aclrtMemcpy(gone, bytes.size(), bytes.data(), bytes.size(), kind));
        }
    }
};

}  // namespace portacl_test
