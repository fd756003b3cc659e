// What PORTACL_CHECK keeps is bounded: races keeps at most 10 percent of the device memory in use, init at most 13.
#include <acl/acl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "support/acl_test.h"
#include "support/own_process.h"

using namespace portacl_test;

namespace {

// The process's own memory that is present, in bytes. In guard mode device memory is not among it.
size_t ResidentBytes() {
    size_t kib = 0;
    std::FILE* status = std::fopen("/proc/self/status", "r");
    char line[256];
    while (status && std::fgets(line, sizeof line, status))
        if (std::strncmp(line, "RssAnon:", 8) == 0) kib = std::strtoull(line + 8, nullptr, 10);
    if (status) std::fclose(status);
    return kib * 1024;
}

// Writes every second piece of device memory, one operation each. The host waits for none of them. Returns the most
// memory that this takes beyond what the process has before, in percent of the device memory.
double Percent(size_t bytes, size_t piece) {
    aclrtStream stream = nullptr;
    char* memory = nullptr;
    ACL_EXPECT_OK(aclInit(nullptr));
    ACL_EXPECT_OK(aclrtSetDevice(0));
    ACL_EXPECT_OK(aclrtCreateStream(&stream));
    ACL_EXPECT_OK(aclrtMalloc(reinterpret_cast<void**>(&memory), bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_EXPECT_OK(aclrtMemsetAsync(memory, piece, 1, piece, stream));
    const size_t before = ResidentBytes();
    size_t most = before, failed = 0, writes = 0;
    for (size_t at = 0; at + piece <= bytes; at += 2 * piece) {
        failed += aclrtMemsetAsync(memory + at, piece, 1, piece, stream) != ACL_SUCCESS;
        if (++writes % 4096 == 0) most = std::max(most, ResidentBytes());
    }
    EXPECT_EQ(failed, 0);
    most = std::max(most, ResidentBytes());
    ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
    ACL_EXPECT_OK(aclrtFree(memory));
    ACL_EXPECT_OK(aclrtDestroyStream(stream));
    ACL_EXPECT_OK(aclrtResetDevice(0));
    ACL_EXPECT_OK(aclFinalize());
    return 100.0 * static_cast<double>(most - before) / static_cast<double>(bytes);
}

constexpr size_t kMiB = 1 << 20;
constexpr char kGuard[] = "PORTACL_CPU_GUARD", kCheck[] = "PORTACL_CHECK";

// Each write is a range of its own: together they are more than may be kept.
OWN_PROCESS_TEST(CheckMemory, RacesKeepsATenth, {"PORTACL_BACKEND", "cpu"}, {kGuard, "1"}, {kCheck, "races"}) {
    const double percent = Percent(256 * kMiB, 512);
    EXPECT_LE(percent, 10);
    EXPECT_GE(percent, 1) << "nothing was kept";
}

OWN_PROCESS_TEST(CheckMemory, InitKeepsAnEighth, {"PORTACL_BACKEND", "cpu"}, {kGuard, "1"}, {kCheck, "init"}) {
    const double percent = Percent(64 * kMiB, 128);
    EXPECT_LE(percent, 13);
    EXPECT_GE(percent, 1) << "nothing was kept";
}

OWN_PROCESS_TEST(CheckMemory, WithoutChecksNothingIsKept, {"PORTACL_BACKEND", "cpu"}, {kGuard, "1"}, {kCheck, "0"}) {
    EXPECT_LT(Percent(256 * kMiB, 512), 1);
}

}  // namespace
