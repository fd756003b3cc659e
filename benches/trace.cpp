// Measures the cost of a trace per call: profiling is stopped and started alternately in one run.
#include <acl/acl_prof.h>

#include <unistd.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "acl_check.h"
#include "measure.h"

namespace {

constexpr int kRounds = 41;
// The number of calls in a burst. It fits into the trace's buffers, so it measures the call and not the disk.
constexpr int kCalls = 2000;
constexpr std::size_t kSmall = 64, kSize = 4096;

struct TracedObjects {
    aclrtStream stream = nullptr;
    void* device = nullptr;
    void* other = nullptr;
    aclrtEvent event = nullptr;
    void* stamp = nullptr;
    char host[kSmall] = "";
};

struct Row {
    const char* name;
    // The number of calls of the API in one round.
    int calls;
    int (*call)(TracedObjects&);
    std::vector<double> off = {}, on = {};
};

double Burst(const Row& row, TracedObjects& mine) {
    const double took = bench::PerCall(kCalls, [&] { CheckAcl(row.call(mine), row.name); }) / row.calls;
    CheckAcl(aclrtSynchronizeStream(mine.stream), "aclrtSynchronizeStream");
    return took;
}

}  // namespace

int main() {
    const std::string folder =
        (std::filesystem::temp_directory_path() / ("portacl_bench_" + std::to_string(getpid()))).string();
    uint32_t devices[] = {0};
    TracedObjects mine;
    CheckAcl(aclInit(nullptr), "aclInit");
    CheckAcl(aclrtSetDevice(0), "aclrtSetDevice");
    CheckAcl(aclrtCreateStream(&mine.stream), "aclrtCreateStream");
    CheckAcl(aclrtCreateEventExWithFlag(&mine.event, ACL_EVENT_SYNC), "aclrtCreateEventExWithFlag");
    CheckAcl(aclrtMalloc(&mine.device, kSize, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    CheckAcl(aclrtMalloc(&mine.other, kSize, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    mine.stamp = aclprofCreateStamp();
    CheckAcl(aclprofInit(folder.c_str(), folder.size()), "aclprofInit");
    aclprofConfig* config = aclprofCreateConfig(devices, 1, ACL_AICORE_NONE, nullptr, ACL_PROF_TASK_TIME);
    if (!config) CheckAcl(ACL_ERROR_FAILURE, "aclprofCreateConfig");

    Row rows[] = {
        {"aclrtMemsetAsync 64 B", 1,
         [](TracedObjects& o) { return aclrtMemsetAsync(o.device, kSize, 1, kSmall, o.stream); }},
        {"aclrtMemcpyAsync 4 KiB", 1,
         [](TracedObjects& o) {
             return aclrtMemcpyAsync(o.device, kSize, o.other, kSize, ACL_MEMCPY_DEVICE_TO_DEVICE, o.stream);
         }},
        {"aclrtMemcpy 64 B", 1,
         [](TracedObjects& o) { return aclrtMemcpy(o.device, kSize, o.host, kSmall, ACL_MEMCPY_HOST_TO_DEVICE); }},
        {"aclrtRecordEvent", 1, [](TracedObjects& o) { return aclrtRecordEvent(o.event, o.stream); }},
        {"aclprofPush, aclprofPop", 2,
         [](TracedObjects& o) {
             const int pushed = aclprofPush(o.stamp);
             return pushed ? pushed : aclprofPop();
         }},
    };
    for (int round = 0; round < kRounds; ++round) {
        for (Row& row : rows) {
            row.off.push_back(Burst(row, mine));
            CheckAcl(aclprofStart(config), "aclprofStart");
            row.on.push_back(Burst(row, mine));
            // This writes what was recorded.
            CheckAcl(aclprofStop(config), "aclprofStop");
        }
    }
    for (const Row& row : rows) {
        const double off = bench::Median(row.off), on = bench::Median(row.on);
        bench::Report(("off: " + std::string(row.name)).c_str(), off, "ns");
        bench::Report(("on: " + std::string(row.name)).c_str(), on, "ns");
        bench::Report(("added: " + std::string(row.name)).c_str(), on - off, "ns");
    }
    CheckAcl(aclprofFinalize(), "aclprofFinalize");
    CheckAcl(aclprofDestroyConfig(config), "aclprofDestroyConfig");
    CheckAcl(aclFinalize(), "aclFinalize");
    std::filesystem::remove_all(folder);
}
