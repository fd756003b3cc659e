// What an API entry costs above an empty call through a shared library. Both are measured in one
// run, in turns, so that a change of the machine's speed hits both. Prints JSON.
#include <acl/acl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

extern "C" int bench_empty_call(void* argument);

namespace {

constexpr int kRounds = 41;
constexpr int kCalls = 500'000;

template <typename Call>
double NanosecondsPerCall(Call call) {
    const auto start = std::chrono::steady_clock::now();
    int failures = 0;
    for (int i = 0; i < kCalls; i++) failures += call() != 0;
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    if (failures != 0) {
        const char* text = aclGetRecentErrMsg();
        std::fprintf(stderr, "%d calls failed: %s\n", failures, text ? text : "(no text)");
        std::exit(1);
    }
    return took.count() / kCalls;
}

double Median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
}

void Check(aclError code, const char* call) {
    if (code == 0) return;
    const char* text = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s: %d: %s\n", call, code, text ? text : "(no text)");
    std::exit(1);
}

struct Row {
    const char* name;
    int (*call)();
    std::vector<double> nanoseconds;
};

}  // namespace

int main() {
    Check(aclInit(nullptr), "aclInit");
    Check(aclrtSetDevice(0), "aclrtSetDevice");

    std::vector<Row> rows = {
        {"empty call", [] { return bench_empty_call(nullptr); }, {}},
        {"aclrtPeekAtLastError", [] { return aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL); }, {}},
        {"aclrtGetDevice",
         [] {
             int32_t device;
             return aclrtGetDevice(&device);
         },
         {}},
        {"aclrtSetDevice (the current one)", [] { return aclrtSetDevice(0); }, {}},
    };
    for (int round = 0; round < kRounds; round++)
        for (Row& row : rows) row.nanoseconds.push_back(NanosecondsPerCall(row.call));

    std::printf("[");
    for (const Row& row : rows)
        std::printf("%s\n  {\"name\": \"%s\", \"ns\": %.2f}", &row == &rows.front() ? "" : ",",
                    row.name, Median(row.nanoseconds));
    std::printf("\n]\n");

    Check(aclrtResetDevice(0), "aclrtResetDevice");
    Check(aclFinalize(), "aclFinalize");
}
