// Memory hooks and statistics at the end of threads and of the process.

#include <acl/acl.h>
#include <portacl/portacl.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/late/late_memory.h"
#include "support/process/late.h"
#include "support/process/temporary_folder.h"

using namespace portacl_test;

namespace {

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

// Hooks that were registered early, for one thread and for all, are called late.
template <portaclMemoryHookScope kScope>
struct HookWork : LateWork {
    Hook hook;
    MemoryOfEachKind memory;
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
        const TemporaryFolder folder;
        uint64_t ids[4]{};
        constexpr auto kThread = PORTACL_MEMORY_HOOK_THREAD;
        LATE_OK(portaclMemoryHookRegisterDebugPrint(folder.At("debug").c_str(), kThread, &ids[0]));
        LATE_OK(portaclMemoryHookRegisterLogging(folder.At("log").c_str(), kThread, &ids[1]));
        LATE_OK(portaclMemoryHookRegisterLimit(size_t{1} << 30, kThread, &ids[2]));
        LATE_OK(portaclMemoryHookRegisterLineProfile(0, kThread, &ids[3]));
        Hook hook;
        hook.Register(kThread);
        MemoryOfEachKind memory;
        memory.Get();
        memory.Use();
        memory.Free();
        LATE(hook.mallocs == 4 && hook.frees == 4);
        char report[1 << 14];
        size_t length = 0;
        LATE_OK(portaclMemoryHookReport(ids[3], report, sizeof report, &length));
        LATE(std::strstr(report, "_root (16.") || std::strstr(report, "_root ("));
        for (const char* end : {"debug", "log"}) {
            std::ifstream file(folder.At(end));
            std::string line;
            LATE(static_cast<bool>(std::getline(file, line)));
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
            found.second += line.find("allocated by thread") != std::string::npos;
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

}  // namespace

LATE_TEST(HooksOfOneThread, HookWork<PORTACL_MEMORY_HOOK_THREAD>)
LATE_TEST(HooksOfAllThreads, HookWork<PORTACL_MEMORY_HOOK_PROCESS>)
LATE_TEST(HooksOfAllThreadsWithLeakCheck, HookWork<PORTACL_MEMORY_HOOK_PROCESS>, {"PORTACL_LEAK_CHECK", "abort"})
LATE_TEST(HooksRegisteredLate, LateHookWork)
LATE_TEST(Statistics, StatisticsWork)
