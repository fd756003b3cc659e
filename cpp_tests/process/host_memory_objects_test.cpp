// The address space of the process is exhausted while the program creates objects of each kind. For memory, streams,
// events, contexts and what a program lets grow without limit, see host_memory_exhausted_test.cpp.
#include <acl/acl_prof.h>
#include <acl/acl_rt_allocator.h>

#include <string>
#include <vector>

#include "support/memory/managed_memory.h"
#include "support/memory/virtual_memory.h"
#include "support/own_process.h"
#include "support/pool/mem_pool.h"
#include "support/process/exhausted.h"

using namespace portacl_test;

namespace {

// For calls that return the object, and null if there is no memory.
template <typename T>
std::function<aclError(T**)> Made(std::function<T*()> make) {
    return [make](T** made) {
        *made = make();
        return *made ? aclError{ACL_SUCCESS} : aclError{ACL_ERROR_BAD_ALLOC};
    };
}

}  // namespace

OWN_PROCESS_TEST(HostMemoryObjects, OfDevices) {
    MakeMany<aclrtNotify>(
        "aclrtCreateNotify", 100, [](aclrtNotify* to) { return aclrtCreateNotify(to, 0); }, aclrtDestroyNotify);
    MakeMany<aclrtCntNotify>(
        "aclrtCntNotifyCreate", 100, [](aclrtCntNotify* to) { return aclrtCntNotifyCreate(to, 0); },
        aclrtCntNotifyDestroy);
    MakeMany<aclrtLabel>("aclrtCreateLabel", 10'000, aclrtCreateLabel, aclrtDestroyLabel);
    MakeMany<aclmdlRI>(
        "aclmdlRIBuildBegin", 2'000, [](aclmdlRI* to) { return aclmdlRIBuildBegin(to, 0); }, aclmdlRIDestroy);
    MakeMany<aclrtMemPool>(
        "aclrtMemPoolCreate", 300,
        [](aclrtMemPool* to) {
            const aclrtMemPoolProps props = PoolProps();
            return aclrtMemPoolCreate(to, &props);
        },
        aclrtMemPoolDestroy);
}

OWN_PROCESS_TEST(HostMemoryObjects, OfMemory) {
    MakeMany<void*>(
        "aclrtMemAllocManaged", 100,
        [](void** to) { return aclrtMemAllocManaged(to, kManagedGrain, ACL_RT_MEM_ATTACH_GLOBAL); }, aclrtFree);
    MakeMany<aclrtDrvMemHandle>(
        "aclrtMallocPhysical", 100,
        [](aclrtDrvMemHandle* to) {
            const aclrtPhysicalMemProp props = PhysicalProps();
            return aclrtMallocPhysical(to, kPiece, &props, 0);
        },
        aclrtFreePhysical);
    MakeMany<void*>(
        "aclrtReserveMemAddress", 100, [](void** to) { return aclrtReserveMemAddress(to, kPiece, 0, nullptr, 1); },
        aclrtReleaseMemAddress);
    std::vector<char> pages((1'000 + 1) * 4096);
    char* next = pages.data() + (4096 - reinterpret_cast<uintptr_t>(pages.data()) % 4096) % 4096;
    char* const first = next;
    MakeMany<char*>(
        "aclrtHostRegister", 900,
        [&](char** to) {
            void* device = nullptr;
            const aclError code = aclrtHostRegister(next, 4096, ACL_HOST_REGISTER_MAPPED, &device);
            if (code == ACL_SUCCESS) {
                *to = next;
                next += 4096;
            }
            return code;
        },
        [&](char* page) {
            next = first;
            return aclrtHostUnregister(page);
        });
}

OWN_PROCESS_TEST(HostMemoryObjects, OfTheProcess) {
    static char data[64];
    MakeMany<aclDataBuffer*>("aclCreateDataBuffer", 50'000,
                             Made<aclDataBuffer>([] { return aclCreateDataBuffer(data, sizeof data); }),
                             [](aclDataBuffer* it) { return aclDestroyDataBuffer(it); });
    MakeMany<void*>("aclprofCreateStamp", 50'000, Made<void>([] { return aclprofCreateStamp(); }), [](void* it) {
        aclprofDestroyStamp(it);
        return aclError{ACL_SUCCESS};
    });
    MakeMany<aclprofStepInfo*>("aclprofCreateStepInfo", 20'000,
                               Made<aclprofStepInfo>([] { return aclprofCreateStepInfo(); }), [](aclprofStepInfo* it) {
                                   aclprofDestroyStepInfo(it);
                                   return aclError{ACL_SUCCESS};
                               });
    MakeMany<aclprofConfig*>("aclprofCreateConfig", 20'000, Made<aclprofConfig>([] {
                                 uint32_t device = 0;
                                 return aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, nullptr, ACL_PROF_ACL_API);
                             }),
                             [](aclprofConfig* it) { return aclprofDestroyConfig(it); });
    MakeMany<void*>("aclrtAllocatorCreateDesc", 20'000, Made<void>([] { return aclrtAllocatorCreateDesc(); }),
                    [](void* it) { return aclrtAllocatorDestroyDesc(it); });
    MakeMany<aclrtMbuf>(
        "aclrtAllocBuf", 20'000, [](aclrtMbuf* to) { return aclrtAllocBuf(to, 4096); }, aclrtFreeBuf);
}

// Callbacks and hooks, each with a name of its own.
OWN_PROCESS_TEST(HostMemoryObjects, Callbacks) {
    std::vector<std::string> names;
    for (int i = 0; i < 2'001; ++i) names.push_back("callback number " + std::to_string(i));
    size_t next = 0;
    const auto forget = [&](const char*) { next = 0; };
    MakeMany<const char*>(
        "aclrtRegStreamStateCallback", 2'000,
        [&](const char** to) {
            const aclError code = aclrtRegStreamStateCallback(
                names[next].c_str(), [](aclrtStream, aclrtStreamState, void*) {}, nullptr);
            if (code == ACL_SUCCESS) *to = names[next++].c_str();
            return code;
        },
        [&](const char* name) {
            forget(name);
            return aclrtRegStreamStateCallback(name, nullptr, nullptr);
        });
    MakeMany<uint64_t>(
        "portaclMemoryHookRegister", 2'000,
        [&](uint64_t* id) {
            portaclMemoryHook hook{};
            hook.structSize = sizeof hook;
            hook.name = names[next].c_str();
            const aclError code = portaclMemoryHookRegister(&hook, PORTACL_MEMORY_HOOK_PROCESS, id);
            if (code == ACL_SUCCESS) ++next;
            return code;
        },
        [&](uint64_t id) {
            next = 0;
            return portaclMemoryHookUnregister(id);
        });
}
