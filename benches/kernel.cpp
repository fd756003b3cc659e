// All blocks of a kernel beside oneTBB's parallel_for over the same function, in turns in one run.
// The kernel, blocks.so, is beside the program.
#include <dlfcn.h>
#include <portacl/kernel.h>
#include <tbb/parallel_for.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "acl_check.h"
#include "measure.h"

namespace {

constexpr std::uint32_t kBlocks = 10'000;

using Kernel = void (*)(const void*, const portaclBlock*);

struct Cost {
    const char* name;
    const char* kernel;
    std::uint64_t nanoseconds;
    int rounds;
};

constexpr Cost kCosts[] = {{"nothing", "work", 0, 401},
                           {"100 ns", "work", 100, 101},
                           {"10 us", "work", 10'000, 9},
                           {"100 ns, the last 100 of 10 us", "uneven", 100, 101}};

Kernel Find(const char* path, const char* name) {
    void* const library = dlopen(path, RTLD_NOW);
    const auto found = library ? reinterpret_cast<Kernel>(dlsym(library, name)) : nullptr;
    if (!found) {
        std::fprintf(stderr, "%s\n", dlerror());
        std::exit(1);
    }
    return found;
}

// Steps of a block that take about a nanosecond.
double StepsPerNanosecond(Kernel kernel) {
    constexpr std::uint64_t kSteps = 1'000'000;
    const portaclBlock block{};
    const auto took = bench::Each(11, [&] { kernel(&kSteps, &block); });
    return kSteps / bench::Percentile(took, 0);
}

void Blocks(Kernel kernel, std::uint64_t steps) {
    tbb::parallel_for(tbb::blocked_range<std::uint32_t>(0, kBlocks),
                      [=](const tbb::blocked_range<std::uint32_t>& range) {
                          portaclBlock block{{0, 0, 0}, {kBlocks, 1, 1}, {1, 1, 1}, 0, nullptr, 0};
                          for (std::uint32_t i = range.begin(); i != range.end(); i++) {
                              block.index[0] = i;
                              kernel(&steps, &block);
                          }
                      });
}

}  // namespace

int main() {
    const std::string path =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "blocks.so";
    const double rate = StepsPerNanosecond(Find(path.c_str(), "work"));
    ACL(aclInit(nullptr));
    ACL(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    aclrtBinHandle binary = nullptr;
    ACL(aclrtCreateStream(&stream));
    ACL(aclrtBinaryLoadFromFile(path.c_str(), nullptr, &binary));
    for (const Cost& cost : kCosts) {
        const Kernel kernel = Find(path.c_str(), cost.kernel);
        aclrtFuncHandle function = nullptr;
        ACL(aclrtBinaryGetFunction(binary, cost.kernel, &function));
        auto steps = static_cast<std::uint64_t>(rate * static_cast<double>(cost.nanoseconds));
        std::vector<double> ours, theirs;
        for (int round = -2; round < cost.rounds; round++) {
            const double mine = bench::PerCall(1, [&] {
                ACL(aclrtLaunchKernel(function, kBlocks, &steps, sizeof steps, stream));
                ACL(aclrtSynchronizeStream(stream));
            });
            const double its = bench::PerCall(1, [&] { Blocks(kernel, steps); });
            // The first ones start threads.
            if (round < 0) continue;
            ours.push_back(mine);
            theirs.push_back(its);
        }
        char name[64];
        std::snprintf(name, sizeof name, "10000 blocks of %s", cost.name);
        bench::Report(name, bench::Median(ours), "ns");
        std::snprintf(name, sizeof name, "oneTBB, 10000 blocks of %s", cost.name);
        bench::Report(name, bench::Median(theirs), "ns");
    }
    ACL(aclrtBinaryUnLoad(binary));
    ACL(aclrtDestroyStream(stream));
    ACL(aclrtResetDevice(0));
    ACL(aclFinalize());
}
