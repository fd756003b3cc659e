// Memory that late calls use, and tests of late work.
#pragma once

#include <acl/acl.h>
#include <acl/acl_prof.h>
#include <portacl/portacl.h>

#include <cstring>

#include "support/process/late.h"

namespace portacl_test {

constexpr size_t kSize = 4096;

// Whether the last error text contains this word. Reading a text clears it.
inline bool LastTextHas(const char* word) {
    const char* text = aclGetRecentErrMsg();
    return text && std::strstr(text, word);
}

// Memory of all families.
struct MemoryOfEachKind {
    void *device = nullptr, *host = nullptr, *managed = nullptr, *pool = nullptr;

    void Get() {
        LATE_OK(aclrtMalloc(&device, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
        LATE_OK(aclrtMallocHost(&host, kSize));
        LATE_OK(aclrtMemAllocManaged(&managed, kSize, ACL_RT_MEM_ATTACH_GLOBAL));
        LATE_OK(portaclMallocAsync(&pool, kSize, nullptr));
    }
    void Use() {
        std::memset(host, 7, kSize);
        LATE_OK(aclrtMemcpy(device, kSize, host, kSize, ACL_MEMCPY_HOST_TO_DEVICE));
        LATE_OK(aclrtMemsetAsync(pool, kSize, 1, kSize, nullptr));
        LATE_OK(aclrtMemcpyAsync(host, kSize, device, kSize, ACL_MEMCPY_DEVICE_TO_HOST, nullptr));
        LATE_OK(aclrtSynchronizeStream(nullptr));
        LATE(static_cast<char*>(host)[kSize - 1] == 7);
    }
    void Free() {
        LATE_OK(aclrtFree(device));
        LATE_OK(aclrtFreeHost(host));
        LATE_OK(aclrtFree(managed));
        LATE_OK(portaclFreeAsync(pool, nullptr));
        LATE_OK(aclrtSynchronizeStream(nullptr));
    }
};

}  // namespace portacl_test

// Runs the work early and late in a process of its own.
#define LATE_TEST(name, Work, ...)                   \
    OWN_PROCESS_TEST(LateCalls, name, __VA_ARGS__) { \
        LateInProcess<Work>();                       \
    }
