// Compares all blocks of a kernel with oneTBB's parallel_for over the same function, alternating in one run. Threads of
// both stay awake for a while after a launch and would disturb the other, so before each turn they have time to go to
// sleep. The first launch of a turn, which wakes them, is reported separately. The kernel, blocks.so, is next to the
// program.
#include <dlfcn.h>
#include <portacl/kernel.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "acl_check.h"
#include "measure.h"

namespace {

constexpr std::uint32_t kBlocks = 10'000;

using KernelFunction = void (*)(const void*, const portaclBlock*);

struct Cost {
    const char* name;
    const char* kernel;
    std::uint64_t nanoseconds;
    int turns;
    // The number of launches in each turn, after the first one.
    int launches;
};

constexpr Cost kCosts[] = {{"nothing", "work", 0, 51, 8},
                           {"100 ns", "work", 100, 13, 8},
                           {"10 us", "work", 10'000, 3, 3},
                           {"100 ns, the last 100 of 10 us", "uneven", 100, 13, 8}};
constexpr auto kPause = std::chrono::milliseconds(2);

KernelFunction Find(const char* path, const char* name) {
    void* const library = dlopen(path, RTLD_NOW);
    const auto found = library ? reinterpret_cast<KernelFunction>(dlsym(library, name)) : nullptr;
    if (!found) {
        std::fprintf(stderr, "%s\n", dlerror());
        std::exit(1);
    }
    return found;
}

// Returns how many steps of a block take about a nanosecond.
double StepsPerNanosecond(KernelFunction kernel) {
    constexpr std::uint64_t kSteps = 1'000'000;
    const portaclBlock block{};
    const auto took = bench::Each(11, [&] { kernel(&kSteps, &block); });
    return kSteps / bench::Percentile(took, 0);
}

void Blocks(KernelFunction kernel, std::uint64_t steps) {
    tbb::parallel_for(tbb::blocked_range<std::uint32_t>(0, kBlocks),
                      [=](const tbb::blocked_range<std::uint32_t>& range) {
                          portaclBlock block{};
                          std::fill_n(block.count, 3, 1);
                          std::fill_n(block.threads, 3, 1);
                          block.count[0] = kBlocks;
                          for (std::uint32_t i = range.begin(); i != range.end(); i++) {
                              block.index[0] = i;
                              kernel(&steps, &block);
                          }
                      });
}

// The times of launches, in nanoseconds.
struct Times {
    std::vector<double> first, others;
};

template <typename Launch>
void Turn(const Cost& cost, Times& times, Launch launch) {
    std::this_thread::sleep_for(kPause);
    times.first.push_back(bench::PerCall(1, launch));
    for (int i = 0; i < cost.launches; i++) times.others.push_back(bench::PerCall(1, launch));
}

void Report(const char* whose, const Cost& cost, Times times) {
    const std::string name = std::string(whose) + "10000 blocks of " + cost.name;
    bench::Report(name.c_str(), bench::Median(std::move(times.others)), "ns");
    bench::Report((name + ", after a pause").c_str(), bench::Median(std::move(times.first)), "ns");
}

}  // namespace

int main() {
    const std::string path = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "blocks.so";
    const double rate = StepsPerNanosecond(Find(path.c_str(), "work"));
    ACL(aclInit(nullptr));
    ACL(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    aclrtBinHandle binary = nullptr;
    ACL(aclrtCreateStream(&stream));
    ACL(aclrtBinaryLoadFromFile(path.c_str(), nullptr, &binary));
    for (const Cost& cost : kCosts) {
        const KernelFunction kernel = Find(path.c_str(), cost.kernel);
        aclrtFuncHandle function = nullptr;
        ACL(aclrtBinaryGetFunction(binary, cost.kernel, &function));
        auto steps = static_cast<std::uint64_t>(rate * static_cast<double>(cost.nanoseconds));
        Times ours, theirs;
        for (int turn = -1; turn < cost.turns; turn++) {
            // The first launches start threads.
            if (turn == 0) ours = theirs = Times{};
            Turn(cost, ours, [&] {
                ACL(aclrtLaunchKernel(function, kBlocks, &steps, sizeof steps, stream));
                ACL(aclrtSynchronizeStream(stream));
            });
            Turn(cost, theirs, [&] { Blocks(kernel, steps); });
        }
        Report("", cost, std::move(ours));
        Report("oneTBB, ", cost, std::move(theirs));
    }
    ACL(aclrtBinaryUnLoad(binary));
    ACL(aclrtDestroyStream(stream));
    ACL(aclrtResetDevice(0));
    ACL(aclFinalize());
}
