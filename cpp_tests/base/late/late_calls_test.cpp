// Calls at the end of threads and of the process behave like early ones, with and without traces. late_hooks_test.cpp
// tests memory hooks and statistics.

#include <acl/acl.h>
#include <acl/acl_prof.h>
#include <portacl/portacl.h>
#include <portacl/portacl.hpp>

#include <cstring>
#include <fstream>
#include <memory_resource>
#include <sstream>
#include <string>

#include "base/late/late_memory.h"
#include "support/process/late.h"
#include "support/process/temporary_folder.h"

using namespace portacl_test;

namespace {

size_t Count(const std::string& text, const std::string& word) {
    size_t count = 0;
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
    return count;
}

struct MemoryWork : LateWork {
    MemoryOfEachKind before, during;
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
        MemoryOfEachKind memory;
        memory.Get();
        memory.Use();
        memory.Free();
    }
};

// A profile that begins early or late and ends late.
struct ProfileWork : LateWork {
    void Early() override { LATE_OK(aclrtSetDevice(0)); }
    void Late() override {
        const TemporaryFolder folder;
        LATE_OK(aclprofInit(folder.path().c_str(), folder.path().native().size()));
        uint32_t device = 0;
        aclprofConfig* config = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, nullptr, ACL_PROF_TASK_TIME);
        LATE(config != nullptr);
        LATE_OK(aclprofStart(config));
        MemoryOfEachKind memory;
        memory.Get();
        memory.Use();
        memory.Free();
        LATE_OK(aclprofStop(config));
        LATE_OK(aclprofDestroyConfig(config));
        LATE_OK(aclprofFinalize());
        LATE(!std::filesystem::is_empty(folder.path()));
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

LATE_TEST(Memory, MemoryWork)
LATE_TEST(MemoryWithDebugPrint, MemoryWork, {"PORTACL_MEMORY_HOOK", "debug"})
LATE_TEST(MemoryWithLeakCheck, MemoryWork, {"PORTACL_LEAK_CHECK", "abort"})
LATE_TEST(Streams, StreamWork)
LATE_TEST(Captures, CaptureWork)
LATE_TEST(Ranges, RangeWork)
LATE_TEST(Profiles, ProfileWork)
LATE_TEST(CppFace, CppWork)
LATE_TEST(CppFaceWithLeakCheck, CppWork, {"PORTACL_LEAK_CHECK", "abort"})

namespace {

// Runs a process that writes a file, and returns the text of the file.
std::string Written(void (*body)(), const std::string& variable, const std::string& prefix) {
    const TemporaryFolder folder;
    const std::string path = folder.At("written");
    RunInOwnProcess(body, {{variable, prefix + path}});
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
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
        MemoryOfEachKind memory;
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
