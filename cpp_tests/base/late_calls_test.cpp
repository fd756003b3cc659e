// Calls at the end of threads and of the process behave like early ones, with and without hooks and
// traces.
#include <acl/acl.h>
#include <acl/acl_prof.h>
#include <portacl/portacl.h>
#include <portacl/portacl.hpp>

#include <cstring>
#include <fstream>
#include <memory_resource>
#include <sstream>
#include <string>
#include <vector>

#include "support/process/late.h"
#include "support/process/proc.h"

using namespace portacl_test;

namespace {

constexpr size_t kSize = 4096;

size_t Count(const std::string& text, const std::string& word) {
    size_t count = 0;
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
    return count;
}

// Whether the last error text contains this word. Reading a text clears it.
bool LastTextHas(const char* word) {
    const char* text = aclGetRecentErrMsg();
    return text && std::strstr(text, word);
}

// Counts calls of a hook; options make it refuse, fail or allocate.
struct Hook {
    uint64_t id = 0;
    int frees = 0, mallocs = 0;
    bool refuses = false, fails = false, allocates = false;

    void Register(portaclMemoryHookScope scope) {
        // Names are unique among registered hooks, and all owners of the process exist at the same
        // time.
        static std::atomic<int> number{0};
        const std::string name = "hook " + std::to_string(++number);
        portaclMemoryHook hook{};
        hook.structSize = sizeof hook;
        hook.name = name.c_str();
        hook.userData = this;
        hook.beforeMalloc = [](void* self, const portaclMemoryEvent*) {
            return static_cast<Hook*>(self)->BeforeMalloc();
        };
        hook.afterFree = [](void* self, const portaclMemoryEvent*) { static_cast<Hook*>(self)->AfterFree(); };
        LATE_OK(portaclMemoryHookRegister(&hook, scope, &id));
    }

    aclError BeforeMalloc() {
        ++mallocs;
        if (allocates) {
            void* memory = nullptr;
            LATE_OK(aclrtMallocHost(&memory, kSize));
            LATE_OK(aclrtFreeHost(memory));
        }
        if (!refuses) return ACL_SUCCESS;
        LATE_OK(portaclMemoryHookGiveReason("it is late"));
        return ACL_ERROR_BAD_ALLOC;
    }

    void AfterFree() {
        ++frees;
        if (fails) LATE_OK(portaclMemoryHookNoteFailure("noted late"));
    }

    portaclMemoryHookInfo Info() const {
        std::vector<portaclMemoryHookInfo> infos(64);
        infos[0].structSize = sizeof infos[0];
        size_t count = 0;
        LATE_OK(portaclMemoryHookList(infos.data(), infos.size(), &count));
        for (size_t i = 0; i < count; ++i)
            if (infos[i].id == id) return infos[i];
        LATE(!"the hook is listed");
        return {};
    }
};

// Memory of all families.
struct Memory {
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

struct MemoryWork : LateWork {
    Memory before, during;
    void Early() override {
        LATE_OK(aclrtSetDevice(0));
        before.Get();
    }
    void Late() override {
        before.Use();
        before.Free();
        during.Get();
        during.Use();
        during.Free();
        LATE(aclrtFree(nullptr) == ACL_ERROR_INVALID_PARAM);
        LATE(LastTextHas("aclrtFree"));
        LATE(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) == ACL_ERROR_INVALID_PARAM);
        LATE(aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_ERROR_INVALID_PARAM);
        LATE(aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_SUCCESS);
    }
};

// Hooks that were registered early, for one thread and for all, are called late.
template <portaclMemoryHookScope kScope>
struct HookWork : LateWork {
    Hook hook;
    Memory memory;
    void Early() override {
        LATE_OK(aclrtSetDevice(0));
        memory.Get();
        hook.Register(kScope);
    }
    void Late() override {
        memory.Free();
        LATE(hook.frees >= 4);
        hook.allocates = true;
        const int mallocs = hook.mallocs;
        memory.Get();
        LATE(hook.mallocs == mallocs + 4);
        hook.refuses = true;
        void* refused = nullptr;
        LATE(aclrtMalloc(&refused, kSize, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_ERROR_BAD_ALLOC);
        LATE(LastTextHas("it is late"));
        hook.fails = true;
        memory.Free();
        const portaclMemoryHookInfo info = hook.Info();
        LATE(info.failures == 4 && info.refusals == 1);
        LATE(std::strcmp(info.lastFailure, "noted late") == 0);
        LATE_OK(portaclMemoryHookUnregister(hook.id));
        LATE(portaclMemoryHookUnregister(hook.id) == ACL_ERROR_RT_PARAM_INVALID);
    }
};

// Hooks that are registered late, including the built-in ones.
struct LateHookWork : LateWork {
    void Early() override { LATE_OK(aclrtSetDevice(0)); }
    void Late() override {
        LATE_OK(portaclMemoryHookGiveReason("no hook runs"));
        LATE_OK(portaclMemoryHookNoteFailure("no hook runs"));
        LATE(portaclMemoryHookUnregister(0) == ACL_ERROR_RT_PARAM_INVALID);
        const std::string path = testing::TempDir() + "portacl_late_hook_" + std::to_string(getpid());
        uint64_t ids[4]{};
        constexpr auto kThread = PORTACL_MEMORY_HOOK_THREAD;
        LATE_OK(portaclMemoryHookRegisterDebugPrint((path + ".debug").c_str(), kThread, &ids[0]));
        LATE_OK(portaclMemoryHookRegisterLogging((path + ".log").c_str(), kThread, &ids[1]));
        LATE_OK(portaclMemoryHookRegisterLimit(size_t{1} << 30, kThread, &ids[2]));
        LATE_OK(portaclMemoryHookRegisterLineProfile(0, kThread, &ids[3]));
        Hook hook;
        hook.Register(kThread);
        Memory memory;
        memory.Get();
        memory.Use();
        memory.Free();
        LATE(hook.mallocs == 4 && hook.frees == 4);
        char report[1 << 14];
        size_t length = 0;
        LATE_OK(portaclMemoryHookReport(ids[3], report, sizeof report, &length));
        LATE(std::strstr(report, "_root (16.") || std::strstr(report, "_root ("));
        for (const char* end : {".debug", ".log"}) {
            std::ifstream file(path + end);
            std::string line;
            LATE(static_cast<bool>(std::getline(file, line)));
            LATE(std::remove((path + end).c_str()) == 0);
        }
        for (const uint64_t id : ids) LATE_OK(portaclMemoryHookUnregister(id));
        LATE_OK(portaclMemoryHookUnregister(hook.id));
    }
};

// Statistics, snapshots and reports.
struct StatisticsWork : LateWork {
    void* memory = nullptr;
    void Early() override {
        LATE_OK(portaclMemoryRecord());
        LATE_OK(aclrtSetDevice(0));
        LATE_OK(aclrtMalloc(&memory, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    static uint64_t Count() {
        portaclMemoryStats stats{};
        stats.structSize = sizeof stats;
        LATE_OK(portaclMemoryGetStats(0, PORTACL_MEMORY_DEVICE, &stats));
        return stats.currentCount;
    }
    // How often the report names the memory, and how often it names its call site.
    std::pair<int, int> Reported() const {
        std::ostringstream text;
        size_t count = 0;
        const auto write = [](void* to, const char* line) { *static_cast<std::ostringstream*>(to) << line << '\n'; };
        LATE_OK(portaclMemoryReportLeaksTo(write, &text, &count));
        std::ostringstream address;
        address << "0x" << std::hex << reinterpret_cast<uintptr_t>(memory);
        std::istringstream lines(text.str());
        std::pair<int, int> found;
        for (std::string line; std::getline(lines, line);) {
            if (line.find(address.str()) == std::string::npos) continue;
            ++found.first;
            found.second += line.find("asked for by thread") != std::string::npos;
        }
        return found;
    }
    void Late() override {
        LATE(Reported() == std::pair(1, 1));
        const uint64_t before = Count();
        LATE_OK(aclrtFree(memory));
        LATE(Count() == before - 1);
        LATE(Reported() == std::pair(0, 0));
        LATE_OK(aclrtMalloc(&memory, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
        LATE(Reported() == std::pair(1, 1));
        LATE_OK(portaclMemoryRecord());
        size_t free = 0, total = 0;
        LATE_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
        LATE_OK(aclrtFree(memory));
    }
};

// Streams, events and callbacks. State callbacks report late streams.
struct StreamWork : LateWork {
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    std::string name;
    std::atomic<int> reported{0}, called{0};
    static void Count(void* counter) { ++*static_cast<std::atomic<int>*>(counter); }
    void Early() override {
        static std::atomic<int> number{0};
        name = "late " + std::to_string(++number);
        LATE_OK(aclrtSetDevice(0));
        LATE_OK(aclrtRegStreamStateCallback(
            name.c_str(), [](aclrtStream, aclrtStreamState, void* reported) { Count(reported); }, &reported));
        LATE_OK(aclrtCreateStream(&stream));
        LATE_OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
    }
    void Late() override {
        // Owners that exist at the same time get callbacks for each other's streams.
        reported = 0;
        LATE_OK(aclrtLaunchHostFunc(stream, &Count, &called));
        LATE_OK(aclrtRecordEvent(event, stream));
        LATE_OK(aclrtSynchronizeEvent(event));
        LATE(called == 1);
        float ms = 0;
        LATE_OK(aclrtEventElapsedTime(&ms, event, event));
        const auto self = static_cast<uint64_t>(pthread_self());
        LATE_OK(aclrtSubscribeReport(self, stream));
        LATE_OK(aclrtLaunchCallback(&Count, &called, ACL_CALLBACK_BLOCK, stream));
        LATE_OK(aclrtProcessReport(10000));
        LATE(called == 2);
        LATE_OK(aclrtUnSubscribeReport(self, stream));
        LATE_OK(aclrtSynchronizeStreamWithTimeout(stream, 10000));
        LATE_OK(aclrtDestroyStream(stream));
        LATE(reported == 1);
        LATE_OK(aclrtCreateStream(&stream));
        LATE_OK(aclrtLaunchHostFunc(stream, &Count, &called));
        LATE_OK(aclrtSynchronizeDevice());
        LATE(called == 3);
        LATE_OK(aclrtDestroyStreamForce(stream));
        LATE(reported == 3);
        LATE_OK(aclrtDestroyEvent(event));
        LATE(aclrtSynchronizeStream(stream) == ACL_ERROR_RT_PARAM_INVALID);
        LATE_OK(aclrtRegStreamStateCallback(name.c_str(), nullptr, nullptr));
        aclrtContext context = nullptr;
        LATE_OK(aclrtCreateContext(&context, 0));
        LATE_OK(aclrtDestroyContext(context));
        LATE_OK(aclrtSetDevice(0));
    }
};

// Captures that begin early and end late, and graphs that run late.
struct CaptureWork : LateWork {
    aclrtStream stream = nullptr;
    void* memory = nullptr;
    int ended = 0;
    void Early() override {
        LATE_OK(aclrtSetDevice(0));
        LATE_OK(aclrtCreateStream(&stream));
        LATE_OK(aclrtMalloc(&memory, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
        LATE_OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    }
    void Late() override {
        LATE_OK(aclrtMemsetAsync(memory, kSize, 9, kSize, stream));
        auto mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
        LATE_OK(aclmdlRICaptureThreadExchangeMode(&mode));
        LATE_OK(aclmdlRICaptureThreadExchangeMode(&mode));
        aclmdlRI graph = nullptr;
        LATE_OK(aclmdlRICaptureEnd(stream, &graph));
        LATE_OK(aclmdlRIDestroyRegisterCallback(
            graph, [](void* ended) { ++*static_cast<int*>(ended); }, &ended));
        LATE_OK(aclmdlRIExecuteAsync(graph, stream));
        LATE_OK(aclrtSynchronizeStream(stream));
        char last = 0;
        LATE_OK(aclrtMemcpy(&last, 1, static_cast<char*>(memory) + kSize - 1, 1, ACL_MEMCPY_DEVICE_TO_HOST));
        LATE(last == 9);
        LATE_OK(aclmdlRIDestroy(graph));
        LATE(ended == 1);
        LATE_OK(aclrtFree(memory));
        LATE_OK(aclrtDestroyStream(stream));
    }
};

// Ranges, marks and traces.
struct RangeWork : LateWork {
    void* stamp = nullptr;
    void Early() override {
        LATE_OK(aclrtSetDevice(0));
        stamp = aclprofCreateStamp();
        LATE(stamp != nullptr);
        LATE_OK(aclprofSetStampTraceMessage(stamp, "early", 5));
        LATE_OK(aclprofPush(stamp));
    }
    void Late() override {
        LATE_OK(aclprofPop());
        LATE_OK(aclprofSetStampTraceMessage(stamp, "late", 4));
        LATE_OK(aclprofMark(stamp));
        LATE_OK(aclprofMarkEx("late", 4, nullptr));
        LATE_OK(aclprofPush(stamp));
        LATE_OK(aclprofPop());
        uint32_t range = 0;
        LATE_OK(aclprofRangeStart(stamp, &range));
        LATE_OK(aclprofRangeStop(range));
        aclprofDestroyStamp(stamp);
        LATE(aclprofMark(stamp) == ACL_ERROR_RT_PARAM_INVALID);
        Memory memory;
        memory.Get();
        memory.Use();
        memory.Free();
    }
};

// A profile that begins early or late and ends late.
struct ProfileWork : LateWork {
    void Early() override { LATE_OK(aclrtSetDevice(0)); }
    void Late() override {
        char folder[] = "/tmp/portacl_late_XXXXXX";
        LATE(mkdtemp(folder) != nullptr);
        LATE_OK(aclprofInit(folder, std::strlen(folder)));
        uint32_t device = 0;
        aclprofConfig* config = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, nullptr, ACL_PROF_TASK_TIME);
        LATE(config != nullptr);
        LATE_OK(aclprofStart(config));
        Memory memory;
        memory.Get();
        memory.Use();
        memory.Free();
        LATE_OK(aclprofStop(config));
        LATE_OK(aclprofDestroyConfig(config));
        LATE_OK(aclprofFinalize());
        LATE(std::filesystem::remove_all(folder) > 1);
    }
};

// The C++ wrappers.
struct CppWork : LateWork {
    class Counter : public portacl::MemoryHook {
      public:
        int frees = 0;
        const char* name() const noexcept override { return "Counter"; }
        void after_free(const portacl::MemoryEvent&) override { ++frees; }
    };
    struct Owners {
        portacl::DeviceBuffer<char> device{kSize};
        portacl::HostBuffer<char> host{kSize};
        portacl::Stream stream;
        portacl::MemPool pool{0};
        portacl::AsyncBuffer<char> async{kSize, stream, pool};
        portacl::Event event;
        std::pmr::vector<int> pinned{100, 7, portacl::pinned_memory_resource()};
    };
    std::unique_ptr<Owners> early;
    void Early() override {
        LATE_OK(aclrtSetDevice(0));
        early = std::make_unique<Owners>();
    }
    void Late() override {
        const uint64_t failures = portaclReleaseFailures();
        Counter counter;
        {
            const portacl::ScopedMemoryHook hook(counter);
            early.reset();
            LATE(counter.frees == 4);
            Owners late;
            late.stream.synchronize();
            const portacl::LimitHook limit(1000, portacl::HookScope::thread);
            try {
                const portacl::DeviceBuffer<char> refused(kSize);
                LATE(!"LimitHook refuses");
            } catch (const portacl::Error& error) {
                LATE(std::strstr(error.what(), "LimitHook") != nullptr);
            }
        }
        LATE(counter.frees == 8);
        LATE(portaclReleaseFailures() == failures);
    }
};

}  // namespace

#define LATE_TEST(name, Work, ...)                   \
    OWN_PROCESS_TEST(LateCalls, name, __VA_ARGS__) { \
        LateInProcess<Work>();                       \
    }

LATE_TEST(Memory, MemoryWork)
LATE_TEST(MemoryWithDebugPrint, MemoryWork, {"PORTACL_MEMORY_HOOK", "debug"})
LATE_TEST(MemoryWithLeakCheck, MemoryWork, {"PORTACL_LEAK_CHECK", "abort"})
LATE_TEST(HooksOfOneThread, HookWork<PORTACL_MEMORY_HOOK_THREAD>)
LATE_TEST(HooksOfAllThreads, HookWork<PORTACL_MEMORY_HOOK_PROCESS>)
LATE_TEST(HooksOfAllThreadsWithLeakCheck, HookWork<PORTACL_MEMORY_HOOK_PROCESS>, {"PORTACL_LEAK_CHECK", "abort"})
LATE_TEST(HooksRegisteredLate, LateHookWork)
LATE_TEST(Statistics, StatisticsWork)
LATE_TEST(Streams, StreamWork)
LATE_TEST(Captures, CaptureWork)
LATE_TEST(Ranges, RangeWork)
LATE_TEST(Profiles, ProfileWork)
LATE_TEST(CppFace, CppWork)
LATE_TEST(CppFaceWithLeakCheck, CppWork, {"PORTACL_LEAK_CHECK", "abort"})

namespace {

// Runs a process that writes a file, and returns the text of the file.
std::string Written(void (*body)(), const std::string& variable, const std::string& prefix) {
    const std::string path = testing::TempDir() + "portacl_late_" + std::to_string(getpid());
    RunInOwnProcess(body, {{variable, prefix + path}});
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    std::remove(path.c_str());
    return text.str();
}

bool IsChild() {
    return std::getenv("PORTACL_TEST_OWN_PROCESS") != nullptr;
}

}  // namespace

TEST(LateCalls, MemoryWithLog) {
    const std::string log = Written(&LateInProcess<MemoryWork>, "PORTACL_MEMORY_HOOK", "log:");
    if (IsChild()) return;
    // Each of the seven owners frees four blocks that it allocated early and four that it allocated
    // late.
    EXPECT_EQ(Count(log, "\"event\": \"malloc\""), 7u * 8);
    EXPECT_EQ(Count(log, "\"event\": \"free\""), 7u * 8);
}

TEST(LateCalls, MemoryWithProfile) {
    const std::string profile = Written(&LateInProcess<MemoryWork>, "PORTACL_MEMORY_HOOK", "profile:");
    if (IsChild()) return;
    EXPECT_EQ(profile.find("\n_root ("), profile.find('\n')) << profile;
    EXPECT_NE(profile.find(" in 56,"), std::string::npos) << profile.substr(0, 200);
}

TEST(LateCalls, MemoryWithTrace) {
    const std::string trace = Written(&LateInProcess<MemoryWork>, "PORTACL_TRACE", "");
    if (IsChild()) return;
    // The trace ends with the library's atexit function; two uses by each of five owners run before
    // it.
    EXPECT_GE(Count(trace, "\"name\":\"fill\""), 10u);
}

TEST(LateCalls, RangesWithTrace) {
    const std::string trace = Written(&LateInProcess<RangeWork>, "PORTACL_TRACE", "");
    if (IsChild()) return;
    EXPECT_NE(trace.find("\"early\""), std::string::npos);
    EXPECT_NE(trace.find("\"late\""), std::string::npos);
}

// The first call of a thread is a late one, and uses what a process starts on first use, such as
// service threads.
struct FirstWork : LateWork {
    void Early() override {}
    void Late() override {
        LATE_OK(aclInit(nullptr));
        LATE_OK(aclrtSetDevice(0));
        Memory memory;
        memory.Get();
        memory.Use();
        memory.Free();
        LATE_OK(aclFinalize());
    }
};

OWN_PROCESS_TEST(LateCalls, FirstOfAll) {
    LateInThreads<FirstWork>();
    static LateOwner owner;
    owner.Begin(new FirstWork);
}
