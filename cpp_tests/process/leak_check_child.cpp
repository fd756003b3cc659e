// A program that creates one object of each kind, keeps the kinds named in its arguments, and ends
// in the way named there. It prints what it keeps. It is linked with the shared library, and a
// second time with the static one.
//
// usage: leak_check_child KERNELS ENDING KIND...
// KERNELS: a file to load, or - for none. ENDING: see End. KIND: the name of one, or all. With
// LEAK_CHECK_CHILD_OF_LIBRARY the objects are those of a library that is built on this one.
#include <acl/acl.h>
#include <acl/acl_prof.h>
#include <acl/acl_rt_allocator.h>
#include <acl/acl_rt_memory_soma.h>
#include <portacl/portacl.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "support/ok.h"

namespace {

constexpr size_t kSize = 1000;
alignas(4096) char registered[8192];
char data[64];
const char* kernels = nullptr;
aclrtStream own_stream = nullptr;
aclrtMemPool own_pool = nullptr;

aclrtMemPoolProps PoolProps(aclrtMemLocationType type) {
    aclrtMemPoolProps props;
    std::memset(&props, 0, sizeof props);
    props.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    props.location.type = type;
    return props;
}

aclrtPhysicalMemProp PhysicalProps() {
    aclrtPhysicalMemProp props;
    std::memset(&props, 0, sizeof props);
    props.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    props.memAttr = ACL_HBM_MEM_HUGE;
    props.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    return props;
}

// How to create an object and how to destroy it.
struct ObjectKind {
    const char* name;
    // What destroys it if the program does not: device, session or process.
    const char* ends_with;
    std::function<void*()> make;
    std::function<void(void*)> release;
};

// Creates it with a call whose first parameter is the result.
template <typename Handle, typename Call>
std::function<void*()> Made(Call call) {
    return [call] {
        Handle handle = nullptr;
        OK(call(&handle));
        return const_cast<void*>(static_cast<const void*>(handle));
    };
}

template <typename Handle>
std::function<void(void*)> With(aclError (*call)(Handle)) {
    return [call](void* handle) { OK(call(static_cast<Handle>(handle))); };
}

namespace model {
// C++ names that need a demangler.
template <typename Size>
[[gnu::noinline]] void* Load(Size size) {
    void* memory = nullptr;
    OK(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST));
    return memory;
}
}  // namespace model

aclmdlRI Capture() {
    aclmdlRI graph = nullptr;
    OK(aclmdlRICaptureBegin(own_stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(aclmdlRICaptureEnd(own_stream, &graph));
    return graph;
}

aclrtContext MakeContext() {
    aclrtContext before = nullptr, context = nullptr;
    OK(aclrtGetCurrentContext(&before));
    OK(aclrtCreateContext(&context, 0));
    OK(aclrtSetCurrentContext(before));
    return context;
}

aclrtLabelList MakeLabelList() {
    static aclrtLabel label = nullptr;
    if (!label) OK(aclrtCreateLabel(&label));
    aclrtLabelList list = nullptr;
    OK(aclrtCreateLabelList(&label, 1, &list));
    OK(aclrtDestroyLabel(label));
    label = nullptr;
    return list;
}

std::vector<ObjectKind> MemoryKinds() {
    return {
        {"device memory", "device", [] { return model::Load(kSize); }, With<void*>(aclrtFree)},
        {"page-locked host memory", "session", Made<void*>([](void** to) { return aclrtMallocHost(to, kSize); }),
         With<void*>(aclrtFreeHost)},
        {"managed memory", "device",
         Made<void*>([](void** to) { return aclrtMemAllocManaged(to, kSize, ACL_RT_MEM_ATTACH_GLOBAL); }),
         With<void*>(aclrtFree)},
        {"with the handle", "device", Made<aclrtDrvMemHandle>([](aclrtDrvMemHandle* to) {
             const aclrtPhysicalMemProp props = PhysicalProps();
             return aclrtMallocPhysical(to, kSize, &props, 0);
         }),
         With<aclrtDrvMemHandle>(aclrtFreePhysical)},
        {"in pool", "device",
         Made<void*>([](void** to) { return aclrtMemPoolMallocAsync(to, kSize, own_pool, own_stream); }),
         [](void* memory) { OK(aclrtMemPoolFreeAsync(memory, own_stream)); }},
    };
}

std::vector<ObjectKind> DeviceKinds() {
    return {
        {"context", "device", MakeContext, With<aclrtContext>(aclrtDestroyContext)},
        {"stream", "device", Made<aclrtStream>(aclrtCreateStream), With<aclrtStream>(aclrtDestroyStream)},
        {"event", "device", Made<aclrtEvent>(aclrtCreateEvent), With<aclrtEvent>(aclrtDestroyEvent)},
        {"memory pool", "device", Made<aclrtMemPool>([](aclrtMemPool* to) {
             const aclrtMemPoolProps props = PoolProps(ACL_MEM_LOCATION_TYPE_DEVICE);
             return aclrtMemPoolCreate(to, &props);
         }),
         With<aclrtMemPool>(aclrtMemPoolDestroy)},
        {"binary", "device",
         Made<aclrtBinHandle>([](aclrtBinHandle* to) { return aclrtBinaryLoadFromFile(kernels, nullptr, to); }),
         With<aclrtBinHandle>(aclrtBinaryUnLoad)},
        {"graph", "device", Capture, With<aclmdlRI>(aclmdlRIDestroy)},
        {"graph", "device", Made<aclmdlRI>([](aclmdlRI* to) { return aclmdlRIBuildBegin(to, 0); }),
         With<aclmdlRI>(aclmdlRIDestroy)},
        {"notify", "device", Made<aclrtNotify>([](aclrtNotify* to) { return aclrtCreateNotify(to, 0); }),
         With<aclrtNotify>(aclrtDestroyNotify)},
        {"counted notify", "device",
         Made<aclrtCntNotify>([](aclrtCntNotify* to) { return aclrtCntNotifyCreate(to, 0); }),
         With<aclrtCntNotify>(aclrtCntNotifyDestroy)},
        {"label", "device", Made<aclrtLabel>(aclrtCreateLabel), With<aclrtLabel>(aclrtDestroyLabel)},
        {"list of labels", "device", MakeLabelList, With<aclrtLabelList>(aclrtDestroyLabelList)},
    };
}

std::vector<ObjectKind> OtherKinds() {
    return {
        {"range of addresses", "session",
         Made<void*>([](void** to) { return aclrtReserveMemAddress(to, 2 << 20, 0, nullptr, 1); }),
         With<void*>(aclrtReleaseMemAddress)},
        {"registration of host memory", "session",
         [] {
             void* device = nullptr;
             OK(aclrtHostRegister(registered, sizeof registered, ACL_HOST_REGISTER_MAPPED, &device));
             return static_cast<void*>(registered);
         },
         With<void*>(aclrtHostUnregister)},
        {"data buffer", "process", [] { return aclCreateDataBuffer(data, sizeof data); },
         [](void* it) { OK(aclDestroyDataBuffer(static_cast<aclDataBuffer*>(it))); }},
        {"binary description", "process", [] { return aclrtCreateBinary(data, sizeof data); },
         [](void* it) { OK(aclrtDestroyBinary(it)); }},
        {"allocator description", "process", [] { return aclrtAllocatorCreateDesc(); },
         [](void* it) { OK(aclrtAllocatorDestroyDesc(it)); }},
        {"profiling configuration", "process",
         [] {
             uint32_t device = 0;
             return static_cast<void*>(aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, nullptr, ACL_PROF_ACL_API));
         },
         [](void* it) { OK(aclprofDestroyConfig(static_cast<aclprofConfig*>(it))); }},
        {"stamp", "process", [] { return aclprofCreateStamp(); }, [](void* it) { aclprofDestroyStamp(it); }},
        {"step", "process", [] { return static_cast<void*>(aclprofCreateStepInfo()); },
         [](void* it) { aclprofDestroyStepInfo(static_cast<aclprofStepInfo*>(it)); }},
    };
}

// Frees memory when static objects are destroyed, possibly as the last thing of the program.
struct FreedAtExit {
    void* memory = nullptr;
    aclrtStream stream = nullptr;
    bool frees = false;
    ~FreedAtExit() {
        if (memory && frees) OK(aclrtFree(memory));
        if (stream && frees) OK(aclrtDestroyStream(stream));
    }
};
// Constructed before the first call, so destroyed after all later objects.
FreedAtExit owner;

void End(const std::string& teardown) {
    if (teardown == "reset") {
        OK(aclrtResetDevice(0));
        OK(aclFinalize());
    } else if (teardown == "force") {
        OK(aclrtResetDeviceForce(0));
        OK(aclFinalize());
    } else if (teardown == "finalize") {
        OK(aclFinalize());
    } else if (teardown == "reference") {
        uint64_t count = 0;
        OK(aclFinalizeReference(&count));
    } else if (teardown == "quick") {
        std::thread([] { std::exit(0); }).join();
    } else if (teardown == "static") {
        OK(aclrtMalloc(&owner.memory, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtCreateStream(&owner.stream));
        owner.frees = true;
    } else if (teardown == "fork") {
        // The child itself has no objects.
        void* memory = nullptr;
        OK(aclrtMalloc(&memory, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
        const pid_t child = fork();
        if (child == 0) std::exit(7);
        int status = 0;
        waitpid(child, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 7) std::_Exit(4);
        OK(aclrtFree(memory));
    }
}

bool IsKept(const ObjectKind& kind, int count, char** names) {
    for (int i = 0; i < count; ++i)
        if (std::strcmp(names[i], "all") == 0 || std::strcmp(names[i], kind.name) == 0) return true;
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    kernels = argv[1];
    const bool of_library = std::getenv("LEAK_CHECK_CHILD_OF_LIBRARY") != nullptr;
    OK(aclInit(nullptr));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&own_stream));
    const aclrtMemPoolProps props = PoolProps(ACL_MEM_LOCATION_TYPE_DEVICE);
    OK(aclrtMemPoolCreate(&own_pool, &props));
    // Objects that the library creates by itself are not the program's.
    void* memory = nullptr;
    OK(portaclMallocAsync(&memory, kSize, nullptr));
    OK(portaclFreeAsync(memory, nullptr));
    std::vector<ObjectKind> kinds = MemoryKinds();
    for (const auto& more : {DeviceKinds(), OtherKinds()}) kinds.insert(kinds.end(), more.begin(), more.end());
    for (const ObjectKind& kind : kinds) {
        if (std::strcmp(kernels, "-") == 0 && std::strcmp(kind.name, "binary") == 0) continue;
        // Two levels, as if one library used another.
        for (int level = 0; level < (of_library ? 2 : 0); ++level) OK(portaclLeakCheckPause());
        void* const made = kind.make();
        for (int level = 0; level < (of_library ? 2 : 0); ++level) OK(portaclLeakCheckResume());
        if (!made) {
            std::fprintf(stderr, "%s: %s\n", kind.name, aclGetRecentErrMsg());
            std::_Exit(3);
        }
        if (IsKept(kind, argc - 3, argv + 3))
            std::printf("kept %p %s: %s\n", made, kind.ends_with, kind.name);
        else
            kind.release(made);
    }
    OK(aclrtSynchronizeStream(own_stream));
    OK(aclrtMemPoolDestroy(own_pool));
    OK(aclrtDestroyStream(own_stream));
    std::fflush(stdout);
    End(argv[2]);
    return 0;
}
