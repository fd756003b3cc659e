// The built-in memory hooks, and enabling them with PORTACL_MEMORY_HOOK.

#include <portacl/portacl.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/memory/memory_hook.h"
#include "support/memory/memory_live.h"
#include "support/own_process.h"

using namespace portacl_test;

namespace {

// The lines that a built-in hook has written.
std::vector<std::string> Lines(const std::string& path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

class ReadyHook : public MemoryHook {
  protected:
    const TemporaryFolder folder;
    const std::string path = folder.At("hook");
};

TEST_F(ReadyHook, DebugPrintHasTheFormatOfCuPy) {
    uint64_t id = 0;
    ACL_OK(portaclMemoryHookRegisterDebugPrint(path.c_str(), PORTACL_MEMORY_HOOK_THREAD, &id));
    void* memory = nullptr;
    ACL_OK(aclrtMalloc(&memory, kLarge, ACL_MEM_MALLOC_HUGE_FIRST));
    const auto live = LiveMemory(PORTACL_MEMORY_DEVICE);
    ASSERT_EQ(live.size(), 1u);
    const size_t rounded = live[0].roundedSize;
    ACL_OK(aclrtFree(memory));
    ACL_OK(portaclMemoryHookUnregister(id));
    std::ostringstream size, address, hex;
    size << rounded;
    address << reinterpret_cast<uintptr_t>(memory);
    hex << "0x" << std::hex << reinterpret_cast<uintptr_t>(memory);
    const std::string tail = "\"mem_size\":" + size.str() + ",\"mem_ptr\":" + address.str();
    const std::string id_text = ",\"pmem_id\":\"" + hex.str() + "\"}";
    EXPECT_EQ(Lines(path),
              (Words{"{\"hook\":\"alloc\",\"device_id\":0," + tail + "}",
                     "{\"hook\":\"malloc\",\"device_id\":0,\"size\":" + std::to_string(kLarge) + "," + tail + id_text,
                     "{\"hook\":\"free\",\"device_id\":0," + tail + id_text}));
    ACL_FAILS(ACL_ERROR_INVALID_FILE,
              portaclMemoryHookRegisterDebugPrint("/no/such/folder/x", PORTACL_MEMORY_HOOK_THREAD, &id));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM,
              portaclMemoryHookRegisterDebugPrint(nullptr, static_cast<portaclMemoryHookScope>(7), nullptr));
}

TEST_F(ReadyHook, EventsBecomeJson) {
    portaclMemoryEvent event{};
    event.structSize = sizeof event;
    event.deviceId = 3;
    event.roundedSize = 512;
    char line[256] = "";
    EXPECT_EQ(portaclMemoryEventToJson(PORTACL_MEMORY_ALLOC, &event, line, sizeof line),
              std::string("{'hook':'alloc','device_id':3,'mem_size':512,'mem_ptr':0}").size());
    EXPECT_STREQ(line, "{\"hook\":\"alloc\",\"device_id\":3,\"mem_size\":512,\"mem_ptr\":0}");
    const size_t length = std::strlen(line);
    EXPECT_EQ(portaclMemoryEventToJson(PORTACL_MEMORY_ALLOC, &event, nullptr, 0), length);
    EXPECT_EQ(portaclMemoryEventToJson(PORTACL_MEMORY_ALLOC, &event, line, length + 1), length);
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
    EXPECT_EQ(portaclMemoryEventToJson(PORTACL_MEMORY_ALLOC, &event, line, length), 0u);
    EXPECT_TRUE(Says({"portaclMemoryEventToJson", "size"}));
    EXPECT_EQ(portaclMemoryEventToJson(PORTACL_MEMORY_ALLOC, nullptr, line, sizeof line), 0u);
    const auto no_moment = static_cast<portaclMemoryMoment>(3);
    EXPECT_EQ(portaclMemoryEventToJson(no_moment, &event, line, sizeof line), 0u);
    event.kind = static_cast<portaclMemoryKind>(PORTACL_MEMORY_GRAPH + 1);
    EXPECT_EQ(portaclMemoryEventToJson(PORTACL_MEMORY_FREE, &event, line, sizeof line), 0u);
    event.structSize = 8;
    EXPECT_EQ(portaclMemoryEventToJson(PORTACL_MEMORY_FREE, &event, line, sizeof line), 0u);
    aclGetRecentErrMsg();
}

TEST_F(ReadyHook, LoggingWritesTheReplayFormat) {
    uint64_t id = 0;
    ACL_OK(portaclMemoryHookRegisterLogging(path.c_str(), PORTACL_MEMORY_HOOK_PROCESS, &id));
    void* memory = nullptr;
    ACL_OK(aclrtMalloc(&memory, kLarge, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtFree(memory));
    const Words lines = Lines(path);
    ACL_OK(portaclMemoryHookUnregister(id));
    ASSERT_EQ(lines.size(), 3u);
    std::ostringstream pointer;
    pointer << "\"pointer\": \"0x" << std::hex << reinterpret_cast<uintptr_t>(memory) << "\"";
    for (const auto& [line, what] : {std::pair(lines[0], "alloc"), {lines[1], "malloc"}, {lines[2], "free"}}) {
        EXPECT_EQ(line.find("{\"event\": \"" + std::string(what) + "\", \"time\": "), 0u) << line;
        EXPECT_NE(line.find(pointer.str()), std::string::npos) << line;
        EXPECT_NE(line.find("\"stream\": \"0x0\""), std::string::npos) << line;
        EXPECT_NE(line.find("\"device\": 0"), std::string::npos) << line;
        EXPECT_NE(line.find("\"kind\": \"device\"}"), std::string::npos) << line;
    }
    EXPECT_NE(lines[1].find("\"size\": " + std::to_string(kLarge)), std::string::npos);
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, portaclMemoryHookRegisterLogging(nullptr, PORTACL_MEMORY_HOOK_PROCESS, nullptr));
}

TEST_F(ReadyHook, ALimitRefusesAllocationsAndCountsFrees) {
    uint64_t id = 0;
    ACL_OK(portaclMemoryHookRegisterLimit(12288, PORTACL_MEMORY_HOOK_PROCESS, &id));
    void *first = nullptr, *second = nullptr, *third = nullptr;
    ACL_OK(aclrtMallocHost(&first, 6500));
    ACL_FAILS_SAYING(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMallocHost(&second, 6500), "(pinned memory)",
                     "of the allowed 12288 bytes are in use");
    EXPECT_NE(aclrtMallocHost(&second, 6000), ACL_SUCCESS);
    EXPECT_TRUE(Says({"LimitHook", "12288", OnCpu() ? "8192" : "6528"}));
    ACL_OK(aclrtMalloc(&third, 3000, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtFreeHost(first));
    {
        // Allocations that another hook refuses, and failed frees, do not count.
        Recorder strict(call_log, "strict");
        strict.also = [](const std::string& what, const portaclMemoryEvent&) {
            return what.rfind("before", 0) == 0 ? ACL_ERROR_FAILURE : ACL_SUCCESS;
        };
        ACL_FAILS(ACL_ERROR_FAILURE, aclrtMallocHost(&second, 6500));
        ACL_FAILS(ACL_ERROR_FAILURE, aclrtFree(third));
    }
    ACL_OK(aclrtMallocHost(&second, 6500));
    ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMallocHost(&first, 3000));
    ACL_OK(aclrtFreeHost(second));
    ACL_OK(aclrtFree(third));
    ACL_OK(aclrtMallocHost(&first, 11900));
    ACL_OK(aclrtFreeHost(first));
    ACL_OK(portaclMemoryHookUnregister(id));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, portaclMemoryHookRegisterLimit(1, static_cast<portaclMemoryHookScope>(-1), &id));
    aclGetRecentErrMsg();
}

// Two functions that allocate, found by name.
[[gnu::noinline]] void* AllocateSmall() {
    void* memory = nullptr;
    ACL_EXPECT_OK(aclrtMallocHost(&memory, 1000));
    return memory;
}
[[gnu::noinline]] void* AllocateLarge() {
    void* memory = nullptr;
    ACL_EXPECT_OK(aclrtMallocHost(&memory, 102400));
    return memory;
}

std::string Report(uint64_t id) {
    size_t length = 0;
    EXPECT_EQ(portaclMemoryHookReport(id, nullptr, 0, &length), ACL_SUCCESS);
    std::string text(length + 1, '#');
    EXPECT_EQ(portaclMemoryHookReport(id, text.data(), text.size(), nullptr), ACL_SUCCESS);
    EXPECT_EQ(text.back(), '\0');
    text.pop_back();
    return text;
}

TEST_F(ReadyHook, AProfileNamesTheLinesThatAllocate) {
    uint64_t id = 0;
    ACL_OK(portaclMemoryHookRegisterLineProfile(0, PORTACL_MEMORY_HOOK_PROCESS, &id));
    for (int i = 0; i < 3; ++i) ACL_OK(aclrtFreeHost(AllocateSmall()));
    ACL_OK(aclrtFreeHost(AllocateLarge()));
    const std::string report = Report(id);
    std::istringstream lines(report);
    std::string heading, root;
    std::getline(lines, heading);
    std::getline(lines, root);
    // 3 x 1024 and 102400 bytes.
    EXPECT_EQ(root, "_root (103.00 KiB in 4, 103.00 KiB in 4)") << report;
    const size_t large = report.find("AllocateLarge"), small = report.find("AllocateSmall");
    ASSERT_NE(large, std::string::npos) << report;
    ASSERT_NE(small, std::string::npos) << report;
    EXPECT_LT(large, small) << report;
    const std::string line = report.substr(small, report.find('\n', small) - small);
    EXPECT_NE(line.find("(3.00 KiB in 3, 3.00 KiB in 3)"), std::string::npos) << line;
    EXPECT_NE(report.rfind("memory_hook_ready_test.cpp:", small), std::string::npos) << report;
    // No frames of the library.
    EXPECT_EQ(report.find("aclrtMallocHost"), std::string::npos) << report;
    EXPECT_EQ(report.find("core::"), std::string::npos) << report;
    ACL_OK(portaclMemoryHookUnregister(id));

    ACL_OK(portaclMemoryHookRegisterLineProfile(1, PORTACL_MEMORY_HOOK_THREAD, &id));
    ACL_OK(aclrtFreeHost(AllocateSmall()));
    const std::string flat = Report(id);
    EXPECT_EQ(std::count(flat.begin(), flat.end(), '\n'), 3) << flat;
    char cut[5] = "####";
    size_t length = 0;
    ACL_OK(portaclMemoryHookReport(id, cut, 3, &length));
    EXPECT_EQ(std::string(cut, 5), std::string("fi\0#\0", 5));
    EXPECT_EQ(length, flat.size());
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, portaclMemoryHookReport(id, cut, 0, nullptr));
    ACL_OK(portaclMemoryHookUnregister(id));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, portaclMemoryHookReport(id, cut, 3, nullptr));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM,
              portaclMemoryHookRegisterLineProfile(0, static_cast<portaclMemoryHookScope>(2), &id));
    Recorder silent(call_log, "silent");
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, portaclMemoryHookReport(silent.id, cut, 3, nullptr));
    aclGetRecentErrMsg();
}

// A program that does not know hooks.
void AllocateAndFree() {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    void* memory = nullptr;
    ACL_OK(aclrtMalloc(&memory, 100, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtFree(memory));
    ACL_OK(aclFinalize());
    // Another session: the hook is still registered, once.
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtMallocHost(&memory, 7));
    ACL_OK(aclrtFreeHost(memory));
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(MemoryHookVariable, DebugPrintsForAnyProgram, {"PORTACL_MEMORY_HOOK", "debug"}) {
    testing::internal::CaptureStdout();
    AllocateAndFree();
    const std::string output = testing::internal::GetCapturedStdout();
    EXPECT_NE(output.find("{\"hook\":\"malloc\",\"device_id\":0,\"size\":100,"), std::string::npos) << output;
    const std::string host = "{\"hook\":\"malloc\",\"device_id\":-1,\"size\":7,";
    const size_t found = output.find(host);
    EXPECT_NE(found, std::string::npos) << output;
    EXPECT_EQ(output.find(host, found + 1), std::string::npos) << output;
}

OWN_PROCESS_TEST(MemoryHookVariable, LogsForAnyProgram, {"PORTACL_MEMORY_HOOK", "log:/proc/self/fd/2"}) {
    testing::internal::CaptureStderr();
    AllocateAndFree();
    const std::string output = testing::internal::GetCapturedStderr();
    EXPECT_NE(output.find("{\"event\": \"malloc\""), std::string::npos) << output;
    EXPECT_NE(output.find("\"kind\": \"pinned\"}"), std::string::npos) << output;
}

OWN_PROCESS_TEST(MemoryHookVariable, AFullDiskIsReportedOnce, {"PORTACL_MEMORY_HOOK", "log:/dev/full"}) {
    testing::internal::CaptureStderr();
    AllocateAndFree();
    const std::string output = testing::internal::GetCapturedStderr();
    const std::string reported = "portacl: the allocation log of PORTACL_MEMORY_HOOK is incomplete";
    const size_t found = output.find(reported);
    EXPECT_NE(found, std::string::npos) << output;
    EXPECT_EQ(output.find(reported, found + 1), std::string::npos) << output;
}

OWN_PROCESS_TEST(MemoryHookVariable, ProfilesAnyProgramThatFinalizes,
                 {"PORTACL_MEMORY_HOOK", "profile:/proc/self/fd/2"}) {
    testing::internal::CaptureStderr();
    AllocateAndFree();
    const std::string output = testing::internal::GetCapturedStderr();
    EXPECT_NE(output.find("_root ("), std::string::npos) << output;
    EXPECT_NE(output.find("AllocateAndFree"), std::string::npos) << output;
}

void AllocateAndExit() {
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtFreeHost(AllocateSmall()));
}

TEST(MemoryHookVariable, ProfilesAProgramThatEndsWithoutFinalize) {
    const TemporaryFolder folder;
    const std::string path = folder.At("profile");
    RunInOwnProcess(AllocateAndExit, {{"PORTACL_MEMORY_HOOK", "profile:" + path}, {"FAKE_CUDA_LEAK_CHECK", "0"}});
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    // The test's process has no file yet.
    if (!std::getenv("PORTACL_TEST_OWN_PROCESS")) {
        EXPECT_NE(text.str().find("AllocateSmall"), std::string::npos) << text.str();
    }
}

OWN_PROCESS_TEST(MemoryHookVariable, RefusesUnknownHooks, {"PORTACL_MEMORY_HOOK", "loud"}) {
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclInit(nullptr), "PORTACL_MEMORY_HOOK", "loud", "debug", "log:FILE",
                     "profile:FILE");
}

OWN_PROCESS_TEST(MemoryHookVariable, RefusesAFileThatCannotBeWritten,
                 {"PORTACL_MEMORY_HOOK", "log:/no/such/folder/x"}) {
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_FILE, aclInit(nullptr), "PORTACL_MEMORY_HOOK", "/no/such/folder/x");
}

}  // namespace
