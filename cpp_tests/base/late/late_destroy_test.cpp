// Objects that a program destroys after their device, context or session took them: the first destroy succeeds, and all
// others fail. docs/failures.md has the same table.

#include <portacl/portacl.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "support/kernel/kernels.h"
#include "support/memory/virtual_memory.h"
#include "support/objects.h"
#include "support/own_process.h"
#include "support/pool/mem_pool.h"
#include "support/threads.h"

namespace {

constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;

// The owner that takes the objects of a kind.
enum class Owner { kContext, kDevice, kSession };

// A kind of objects that programs destroy.
struct ObjectKind {
    const char* name;
    Owner owner;
    void* (*create)();
    aclError (*destroy)(void*);
    // A call that uses an object.
    aclError (*use)(void*);
};

// Returns the handle that `create` writes.
void* Created(const char* call, const std::function<aclError(void**)>& create) {
    void* handle = nullptr;
    const aclError code = create(&handle);
    // A backend may lack a kind.
    EXPECT_TRUE(code == ACL_ERROR_RT_FEATURE_NOT_SUPPORT || portacl_test::Returned(call, code, ACL_SUCCESS));
    return handle;
}

void* CreateEvent(uint32_t flags) {
    return Created("aclrtCreateEventExWithFlag",
                   [=](void** event) { return aclrtCreateEventExWithFlag(event, flags); });
}

aclError UseEvent(void* event) {
    return aclrtSynchronizeEvent(event);
}

template <aclError (*call)(void*, uint32_t*)>
aclError UseNumber(void* handle) {
    uint32_t number = 0;
    return call(handle, &number);
}

void* CaptureGraph() {
    void* const stream = Created("aclrtCreateStream", aclrtCreateStream);
    void* graph = nullptr;
    ACL_EXPECT_OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    ACL_EXPECT_OK(aclmdlRICaptureEnd(stream, &graph));
    ACL_EXPECT_OK(aclrtDestroyStream(stream));
    return graph;
}

void* CreatePool(const aclrtMemPoolProps& props) {
    return Created("aclrtMemPoolCreate", [&](void** pool) { return aclrtMemPoolCreate(pool, &props); });
}

aclError UsePool(void* pool) {
    return aclrtMemPoolTrimTo(pool, 0);
}

void* CreatePhysical(const aclrtPhysicalMemProp& props) {
    return Created("aclrtMallocPhysical",
                   [&](void** memory) { return aclrtMallocPhysical(memory, 2 * portacl_test::kMiB, &props, 0); });
}

aclError UsePhysical(void* memory) {
    aclrtPhysicalMemProp props{};
    return aclrtMemGetAllocationPropertiesFromHandle(memory, &props);
}

const ObjectKind kKinds[] = {
    {"stream", Owner::kContext, [] { return Created("aclrtCreateStream", aclrtCreateStream); }, aclrtDestroyStream,
     aclrtSynchronizeStream},
    {"stream, destroyed with force", Owner::kContext, [] { return Created("aclrtCreateStream", aclrtCreateStream); },
     aclrtDestroyStreamForce, aclrtSynchronizeStream},
    {"context", Owner::kDevice,
     [] { return Created("aclrtCreateContext", [](void** context) { return aclrtCreateContext(context, 0); }); },
     aclrtDestroyContext, aclrtSetCurrentContext},
    {"event of aclrtCreateEvent", Owner::kDevice, [] { return Created("aclrtCreateEvent", aclrtCreateEvent); },
     aclrtDestroyEvent, UseEvent},
    {"event of aclrtCreateEventExWithFlag", Owner::kDevice, [] { return CreateEvent(ACL_EVENT_SYNC); },
     aclrtDestroyEvent, UseEvent},
    {"event for other processes", Owner::kDevice, [] { return CreateEvent(ACL_EVENT_IPC); }, aclrtDestroyEvent,
     UseEvent},
    {"notify", Owner::kDevice,
     [] { return Created("aclrtCreateNotify", [](void** notify) { return aclrtCreateNotify(notify, 0); }); },
     aclrtDestroyNotify, UseNumber<aclrtGetNotifyId>},
    {"counted notify", Owner::kDevice,
     [] { return Created("aclrtCntNotifyCreate", [](void** notify) { return aclrtCntNotifyCreate(notify, 0); }); },
     aclrtCntNotifyDestroy, UseNumber<aclrtCntNotifyGetId>},
    {"label", Owner::kDevice, [] { return Created("aclrtCreateLabel", aclrtCreateLabel); }, aclrtDestroyLabel, nullptr},
    {"list of labels", Owner::kDevice,
     [] {
         void* label = Created("aclrtCreateLabel", aclrtCreateLabel);
         return Created("aclrtCreateLabelList", [&](void** list) { return aclrtCreateLabelList(&label, 1, list); });
     },
     aclrtDestroyLabelList, nullptr},
    {"binary", Owner::kDevice,
     [] {
         return Created("aclrtBinaryLoadFromFile", [](void** binary) {
             return aclrtBinaryLoadFromFile(portacl_test::ProgramPath().c_str(), nullptr, binary);
         });
     },
     aclrtBinaryUnLoad,
     [](void* binary) {
         aclrtFuncHandle function = nullptr;
         return aclrtBinaryGetFunction(binary, "nothing", &function);
     }},
    {"graph", Owner::kDevice, CaptureGraph, aclmdlRIDestroy, aclmdlRIAbort},
    {"pool of device memory", Owner::kDevice, [] { return CreatePool(portacl_test::PoolProps()); }, aclrtMemPoolDestroy,
     UsePool},
    {"pool of host memory", Owner::kSession,
     [] {
         aclrtMemPoolProps props = portacl_test::PoolProps();
         props.location = {0, ACL_MEM_LOCATION_TYPE_HOST};
         return CreatePool(props);
     },
     aclrtMemPoolDestroy, UsePool},
    {"physical memory of a device", Owner::kDevice, [] { return CreatePhysical(portacl_test::PhysicalProps()); },
     aclrtFreePhysical, UsePhysical},
    {"physical host memory", Owner::kSession, [] { return CreatePhysical(portacl_test::HostProps()); },
     aclrtFreePhysical, UsePhysical},
    {"buffer", Owner::kSession,
     [] { return Created("aclrtAllocBuf", [](void** buffer) { return aclrtAllocBuf(buffer, 64); }); }, aclrtFreeBuf,
     [](void* buffer) {
         size_t size = 0;
         return aclrtGetBufDataLen(buffer, &size);
     }},
};

// The ends of owners, each of which ends those below it as well.
struct End {
    const char* name;
    Owner owner;
    std::function<aclError(aclrtContext)> call;
};

const End kEnds[] = {
    {"aclrtDestroyContext", Owner::kContext, aclrtDestroyContext},
    {"aclrtResetDevice", Owner::kDevice, [](aclrtContext) { return aclrtResetDevice(0); }},
    {"aclrtResetDeviceForce", Owner::kDevice, [](aclrtContext) { return aclrtResetDeviceForce(0); }},
    {"aclFinalize", Owner::kSession, [](aclrtContext) { return aclFinalize(); }},
};

// Begins a session with a device, and a context that is current.
aclrtContext Begin() {
    ACL_EXPECT_OK(aclInit(nullptr));
    ACL_EXPECT_OK(aclrtSetDevice(0));
    aclrtContext context = nullptr;
    ACL_EXPECT_OK(aclrtCreateContext(&context, 0));
    return context;
}

// Calls `check` with an object of each kind that an end has taken.
void AfterEachEnd(const std::function<void(const ObjectKind&, void*)>& check) {
    for (const End& end : kEnds) {
        const aclrtContext context = Begin();
        std::vector<std::pair<const ObjectKind*, void*>> objects;
        for (const ObjectKind& kind : kKinds) {
            if (kind.owner <= end.owner) objects.emplace_back(&kind, kind.create());
            // aclrtCreateContext makes another context current.
            ACL_EXPECT_OK(aclrtSetCurrentContext(context));
        }
        ACL_EXPECT_OK(end.call(context));
        for (const auto& [kind, object] : objects) {
            SCOPED_TRACE(std::string(kind->name) + " after " + end.name);
            if (object) check(*kind, object);
        }
        if (end.owner != Owner::kSession) {
            ACL_EXPECT_OK(aclFinalize());
        }
    }
}

// Destroys an object late, and again.
void DestroyTwice(const ObjectKind& kind, void* object) {
    EXPECT_TRUE(portacl_test::Returned(kind.name, kind.destroy(object), ACL_SUCCESS));
    EXPECT_TRUE(portacl_test::Returned(kind.name, kind.destroy(object), kDead));
    const std::string text = aclGetRecentErrMsg();
    EXPECT_NE(text.find("was destroyed"), std::string::npos) << text;
}

TEST(LateDestroy, SucceedsOnceForEveryKindAndOwner) {
    AfterEachEnd(DestroyTwice);
}

TEST(LateDestroy, WorksInTheNextSession) {
    std::vector<std::pair<const ObjectKind*, void*>> objects;
    AfterEachEnd([&](const ObjectKind& kind, void* object) { objects.emplace_back(&kind, object); });
    Begin();
    for (const auto& [kind, object] : objects) {
        SCOPED_TRACE(kind->name);
        DestroyTwice(*kind, object);
    }
    ACL_OK(aclFinalize());
}

TEST(LateDestroy, OtherUsesFailBeforeAndAfter) {
    AfterEachEnd([](const ObjectKind& kind, void* object) {
        if (!kind.use) return;
        const auto refused = [&](const char* state) {
            const aclError code = kind.use(object);
            const std::string text = aclGetRecentErrMsg();
            EXPECT_EQ(code, kDead) << text;
            EXPECT_NE(text.find(state), std::string::npos) << text;
        };
        refused("was released with its device, context or session");
        ACL_EXPECT_OK(kind.destroy(object));
        refused("was destroyed");
    });
}

TEST(LateDestroy, LeavesNoTextOfAFailure) {
    const aclrtContext context = Begin();
    void* const event = CreateEvent(ACL_EVENT_SYNC);
    ACL_OK(aclrtResetDeviceForce(0));
    (void)context;
    (void)aclGetRecentErrMsg();
    (void)aclrtGetLastError(ACL_RT_THREAD_LEVEL);
    ACL_OK(aclrtDestroyEvent(event));
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
    ACL_OK(aclFinalize());
}

// What programs never destroy is not destroyed late either.
TEST(LateDestroy, FailsForObjectsThatOnlyTheirOwnerDestroys) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    aclrtContext primary = nullptr;
    ACL_OK(aclrtGetCurrentContext(&primary));
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCtxGetCurrentDefaultStream(&stream));
    aclrtMemPool pool = nullptr;
    ACL_OK(portaclDeviceGetDefaultMemPool(&pool, 0));
    ACL_OK(aclrtResetDeviceForce(0));
    ACL_FAILS(kDead, aclrtDestroyContext(primary));
    ACL_FAILS(kDead, aclrtDestroyStream(stream));
    ACL_FAILS(kDead, aclrtMemPoolDestroy(pool));
    ACL_OK(aclFinalize());
}

// Memory has addresses, and an address may be another allocation by then.
TEST(LateDestroy, FailsForMemory) {
    Begin();
    void *device = nullptr, *host = nullptr;
    ACL_OK(aclrtMalloc(&device, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtMallocHost(&host, 4096));
    ACL_OK(aclFinalize());
    ACL_FAILS(kDead, aclrtFree(device));
    ACL_FAILS(kDead, aclrtFreeHost(host));
}

// A subscription and a registration go with their stream. They end late until the stream is destroyed.
TEST(LateDestroy, SubscriptionsOfAStreamEndLate) {
    Begin();
    void* const stream = Created("aclrtCreateStream", aclrtCreateStream);
    const uint64_t thread = static_cast<uint64_t>(pthread_self());
    ACL_OK(aclrtSubscribeReport(thread, stream));
    ACL_OK(aclrtResetDeviceForce(0));
    ACL_EXPECT_OK(aclrtUnSubscribeReport(thread, stream));
    ACL_EXPECT_OK(aclrtUnSubscribeHostFunc(thread, stream));
    ACL_EXPECT_OK(aclrtAllocatorUnregister(stream));
    ACL_EXPECT_OK(aclrtDestroyStream(stream));
    ACL_FAILS(kDead, aclrtUnSubscribeReport(thread, stream));
    ACL_FAILS(kDead, aclrtUnSubscribeHostFunc(thread, stream));
    ACL_FAILS(kDead, aclrtAllocatorUnregister(stream));
    ACL_OK(aclFinalize());
}

TEST(LateDestroy, OneOfManyThreadsDestroysAnObject) {
    for (int round = 0; round < 50; ++round) {
        Begin();
        std::array<void*, 4> events{};
        for (void*& event : events) event = CreateEvent(ACL_EVENT_SYNC);
        ACL_OK(aclrtResetDeviceForce(0));
        std::array<std::atomic<int>, 4> destroyed{};
        std::vector<std::thread> threads;
        for (int turn = 0; turn < 4; ++turn) {
            threads.emplace_back([&] {
                for (size_t place = 0; place < events.size(); ++place) {
                    if (aclrtDestroyEvent(events[place]) == ACL_SUCCESS) ++destroyed[place];
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
        for (const auto& count : destroyed) EXPECT_EQ(count, 1);
        ACL_OK(aclFinalize());
    }
}

// New objects take the places of those that went last.
TEST(LateDestroy, IsRememberedWhileNewObjectsComeAndGo) {
    constexpr size_t kMost = 4096;
    Begin();
    std::vector<void*> old(kMost);
    for (void*& event : old) event = CreateEvent(ACL_EVENT_SYNC);
    ACL_OK(aclrtResetDeviceForce(0));
    ACL_OK(aclrtSetDevice(0));
    std::vector<void*> live(kMost);
    for (size_t round = 0; round < 3; ++round) {
        for (void*& event : live) event = CreateEvent(ACL_EVENT_SYNC);
        for (void* event : live) ACL_OK(aclrtDestroyEvent(event));
    }
    for (void* event : old) ACL_OK(aclrtDestroyEvent(event));
    for (void* event : old) EXPECT_EQ(aclrtDestroyEvent(event), kDead);
    ACL_OK(aclFinalize());
}

// An owner that a destructor of a static object ends after main, as interpreters do with what is alive at their end.
struct StaticOwner {
    void* event = nullptr;
    void* stream = nullptr;
    ~StaticOwner() {
        if (!event) return;
        if (aclrtDestroyEvent(event) != ACL_SUCCESS || aclrtDestroyStream(stream) != ACL_SUCCESS) _exit(7);
    }
};

OWN_PROCESS_TEST(LateDestroyAtExit, SucceedsInDestructorsOfStaticObjects) {
    static StaticOwner owner;
    Begin();
    owner.event = CreateEvent(ACL_EVENT_SYNC);
    owner.stream = Created("aclrtCreateStream", aclrtCreateStream);
    ACL_OK(aclrtResetDeviceForce(0));
    ACL_OK(aclFinalize());
}

}  // namespace
