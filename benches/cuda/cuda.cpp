// Measures the API above the bare driver, alternating in one run: calls that enqueue work, copy
// rates, allocation, overlapping work. PORTACL_BACKEND=cuda. With a name and a number it only makes
// that number of API calls, for counting instructions: bench_cuda NAME CALLS. On the fake driver,
// whose streams it blocks, bench_cuda above measures the cost of calls above the same driver calls.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "../measure.h"
#include "../peers/staging.h"
#include "rows.h"

namespace {

constexpr int kRounds = 41;
// The number of calls between two waits: fewer than a driver enqueues before the caller has to wait.
constexpr int kBatch = 200;
constexpr std::size_t kLargest = std::size_t{1} << 30;

double Queue(void (*call)(DriverObjects&), DriverObjects& objects) {
    const double took = bench::PerCall(kBatch, [&] { call(objects); });
    objects.Finish();
    return took;
}

void Print(const char* name, double api, double raw, const char* unit, const char* goal, bool met) {
    std::fprintf(stderr, "%-44s %12.4g %12.4g %s   %s: %s\n", name, api, raw, unit, goal, met ? "met" : "missed");
    std::printf(
        "{\"name\": \"%s\", \"portacl\": %.4g, \"driver\": %.4g, \"unit\": \"%s\", "
        "\"goal\": \"%s\", \"met\": %s}\n",
        name, api, raw, unit, goal, met ? "true" : "false");
    // Lines of both streams stay whole in one file.
    std::fflush(stdout);
}

void Calls(DriverObjects& objects) {
    for (const ComparedCall& row : kRows) {
        std::vector<double> api, raw, above;
        for (int round = 0; round < kRounds; round++) {
            api.push_back(Queue(row.api, objects));
            raw.push_back(Queue(row.raw, objects));
            above.push_back(api.back() - raw.back());
        }
        const std::string goal = "at most " + std::to_string(static_cast<int>(row.limit)) + " ns above";
        Print(row.name, bench::Median(api), bench::Median(raw), "ns", goal.c_str(), bench::Median(above) <= row.limit);
    }
}

// Returns the gigabytes per second of `copy`, which waits for the data.
template <typename Copy>
double Rate(std::size_t bytes, Copy copy) {
    copy();
    const int rounds = bytes >= (64u << 20) ? 9 : 41;
    return static_cast<double>(bytes) / bench::Median(bench::Each(rounds, copy));
}

void Rates(DriverObjects& o, std::size_t largest) {
    std::vector<char> pageable(std::min<std::size_t>(largest, 64u << 20), 1);
    cuda::Staging staging(Raw());
    char name[80];
    for (std::size_t size = 64u << 10; size <= largest; size *= 4) {
        const auto row = [&](const char* what, double api, double raw, double limit) {
            std::snprintf(name, sizeof name, "%s, %zu KiB", what, size >> 10);
            char goal[48];
            std::snprintf(goal, sizeof goal, "at least %.2f of the driver's", limit);
            Print(name, api, raw, "GB/s", goal, api >= limit * raw);
        };
        row("pinned host to device",
            Rate(size,
                 [&] {
                     ACL(aclrtMemcpyAsync(o.device, size, o.pinned, size, ACL_MEMCPY_HOST_TO_DEVICE, o.stream));
                     ACL(aclrtSynchronizeStream(o.stream));
                 }),
            Rate(size,
                 [&] {
                     Raw().CopyIn(o.raw_device, o.raw_pinned, size, o.raw_stream);
                     Raw().StreamSynchronize(o.raw_stream);
                 }),
            0.99);
        row("device to pinned host",
            Rate(size,
                 [&] {
                     ACL(aclrtMemcpyAsync(o.pinned, size, o.device, size, ACL_MEMCPY_DEVICE_TO_HOST, o.stream));
                     ACL(aclrtSynchronizeStream(o.stream));
                 }),
            Rate(size,
                 [&] {
                     Raw().CopyOut(o.raw_pinned, o.raw_device, size, o.raw_stream);
                     Raw().StreamSynchronize(o.raw_stream);
                 }),
            0.99);
        if (size > pageable.size()) continue;
        // This is not cuMemcpyHtoD, which returns before the data has arrived.
        const double in = Rate(size, [&] {
            Raw().CopyIn(o.raw_device, pageable.data(), size, o.raw_stream);
            Raw().StreamSynchronize(o.raw_stream);
        });
        row("pageable host to device",
            Rate(size, [&] { ACL(aclrtMemcpy(o.device, size, pageable.data(), size, ACL_MEMCPY_HOST_TO_DEVICE)); }), in,
            1);
        const double out = Rate(size, [&] { Raw().CopyOutNow(pageable.data(), o.raw_device, size); });
        row("device to pageable host",
            Rate(size, [&] { ACL(aclrtMemcpy(pageable.data(), size, o.device, size, ACL_MEMCPY_DEVICE_TO_HOST)); }),
            out, 1);
        // The library passes such copies to the driver. If this goal is missed, it should not.
        const auto staged = [&](const char* what, double own, double raw) {
            std::snprintf(name, sizeof name, "%s by the bench's chunks, %zu KiB", what, size >> 10);
            Print(name, own, raw, "GB/s", "at most 1.10 of the driver's", own <= 1.1 * raw);
        };
        staged("pageable host to device",
               Rate(size, [&] { staging.In(o.raw_device, pageable.data(), size, o.raw_stream); }), in);
        staged("device to pageable host",
               Rate(size, [&] { staging.Out(pageable.data(), o.raw_device, size, o.raw_stream); }), out);
    }
}

void Allocation() {
    constexpr std::size_t kBytes = 1u << 20;
    const auto api = [] { MallocAndFree(kBytes); };
    const auto raw = [] {
        cuda::Address memory;
        Raw().MemAlloc(&memory, kBytes);
        Raw().MemFree(memory);
    };
    std::vector<double> ours, theirs;
    for (int round = 0; round < kRounds; round++) {
        ours.push_back(bench::PerCall(20, api));
        theirs.push_back(bench::PerCall(20, raw));
    }
    const double mine = bench::Median(ours), its = bench::Median(theirs);
    Print("aclrtMalloc + aclrtFree, 1 MiB", mine, its, "ns", "at most 1.1 of the driver's", mine <= 1.1 * its);
}

// Runs a copy in, a copy out of other memory and a kernel, each on a separate stream. The time for all three shows what
// the device can overlap.
void Overlap(DriverObjects& o, std::size_t largest) {
    constexpr int kEach = 21;
    constexpr unsigned kBlocks = 256;
    const std::size_t half = std::min<std::size_t>(largest, 128u << 20) / 2;
    aclrtStream streams[3];
    cuda::StreamHandle raw_streams[3];
    for (aclrtStream& stream : streams) ACL(aclrtCreateStream(&stream));
    for (cuda::StreamHandle& stream : raw_streams) Raw().StreamCreate(&stream, cuda::kNonBlocking);
    char* const device = static_cast<char*>(o.device);
    char* const pinned = static_cast<char*>(o.pinned);
    char* const raw_pinned = static_cast<char*>(o.raw_pinned);

    const auto copy_in = [&] { Raw().CopyIn(o.raw_device, raw_pinned, half, raw_streams[0]); };
    const auto copy_out = [&] { Raw().CopyOut(raw_pinned + half, o.raw_device + half, half, raw_streams[1]); };
    const auto run = [&] { RawLaunch(o, kBlocks, raw_streams[2]); };
    const auto raw_finish = [&] {
        for (const cuda::StreamHandle stream : raw_streams) Raw().StreamSynchronize(stream);
    };
    const auto alone = [&](const auto& work) {
        return bench::Median(bench::Each(kEach, [&] { work(), raw_finish(); }));
    };
    // A kernel that takes about as long as a copy. A device that does nothing would need an endless
    // number of steps.
    constexpr double kFew = 10'000, kMost = 1e8;
    const double copies[] = {alone(copy_in), alone(copy_out)};
    o.steps = static_cast<std::uint64_t>(kFew);
    run(), raw_finish();
    o.steps = static_cast<std::uint64_t>(std::min(kMost, kFew * copies[0] / alone(run)));
    const double kernel = alone(run);

    std::vector<double> ours, theirs;
    for (int round = 0; round < kEach; round++) {
        ours.push_back(bench::PerCall(1, [&] {
            ACL(aclrtMemcpyAsync(device, half, pinned, half, ACL_MEMCPY_HOST_TO_DEVICE, streams[0]));
            ACL(aclrtMemcpyAsync(pinned + half, half, device + half, half, ACL_MEMCPY_DEVICE_TO_HOST, streams[1]));
            ACL(aclrtLaunchKernelWithArgsArray(o.kernel, kBlocks, streams[2], nullptr, o.arguments));
            for (const aclrtStream stream : streams) ACL(aclrtSynchronizeStream(stream));
        }));
        theirs.push_back(bench::PerCall(1, [&] { copy_in(), copy_out(), run(), raw_finish(); }));
    }
    const double mine = bench::Median(ours), its = bench::Median(theirs);
    std::fprintf(stderr, "alone: %.4g ns in, %.4g ns out, %.4g ns kernel\n", copies[0], copies[1], kernel);
    char name[64];
    std::snprintf(name, sizeof name, "two copies of %zu KiB and a kernel", half >> 10);
    Print(name, mine, its, "ns", "at most 1.05 of the driver's", mine <= 1.05 * its);
    o.steps = 0;
    for (const aclrtStream stream : streams) ACL(aclrtDestroyStream(stream));
    for (const cuda::StreamHandle stream : raw_streams) Raw().StreamDestroy(stream);
}

// A short series of API calls, followed by a series of the same driver calls.
struct Timing {
    double api, raw;
};

// Writes the nanoseconds of an API call and of the same driver calls to `pairs`. The driver calls
// begin with a query of the current context where the API's do. No enqueued work runs in the
// meantime.
void Compare(const ComparedCall& row, DriverObjects& objects, std::vector<Timing>& pairs) {
    constexpr int kPairs = 10, kCalls = 20;
    static const auto hold = reinterpret_cast<void (*)()>(cuda::Symbol("fakeCudaHold"));
    static const auto release = reinterpret_cast<void (*)()>(cuda::Symbol("fakeCudaRelease"));
    const auto api = [&] { row.api(objects); };
    const auto raw = [&] {
        cuda::ContextHandle current;
        if (row.asks) Raw().GetCurrent(&current);
        row.raw(objects);
    };
    hold();
    api(), raw();
    for (int i = 0; i < kPairs; i++) {
        // The first series has cold caches.
        const double before = i % 2 ? bench::PerCall(kCalls, raw) : 0;
        const double ours = bench::PerCall(kCalls, api);
        pairs.push_back({ours, i % 2 ? before : bench::PerCall(kCalls, raw)});
    }
    release();
    objects.Finish();
}

// Returns the median difference of the quickest quarter of the pairs. Other activity of the machine adds to both.
double MedianAbove(std::vector<Timing> pairs) {
    const auto quicker = [](const Timing& a, const Timing& b) { return a.api + a.raw < b.api + b.raw; };
    std::sort(pairs.begin(), pairs.end(), quicker);
    pairs.resize(pairs.size() / 4);
    std::vector<double> above;
    for (const Timing& pair : pairs) above.push_back(pair.api - pair.raw);
    return bench::Median(above);
}

int Above() {
    constexpr int kRoundsOfAll = 200;
    DriverObjects objects(kSmall);
    std::vector<Timing> pairs[std::size(kRows)];
    for (int round = 0; round < kRoundsOfAll; round++)
        for (std::size_t i = 0; i < std::size(kRows); i++) Compare(kRows[i], objects, pairs[i]);
    for (std::size_t i = 0; i < std::size(kRows); i++)
        std::printf("{\"name\": \"%s\", \"at\": \"above\", \"value\": %.1f}\n", kRows[i].name, MedianAbove(pairs[i]));
    return 0;
}

int Count(const char* name, int calls) {
    DriverObjects objects(kSmall);
    if (std::strcmp(kBesideBusyStreams, name) == 0) {
        const BusyStreams streams;
        for (int done = 0; done < calls; done++) MallocAndFree(4096);
        return 0;
    }
    for (const ComparedCall& row : kRows) {
        if (std::strcmp(row.name, name) != 0) continue;
        for (int done = 0; done < calls; done += kBatch) {
            for (int i = 0; i < std::min(kBatch, calls - done); i++) row.api(objects);
            ACL(aclrtSynchronizeStream(objects.stream));
        }
        return 0;
    }
    std::fprintf(stderr, "no row is called %s\n", name);
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 3) return Count(argv[1], std::atoi(argv[2]));
    if (argc == 2 && std::strcmp(argv[1], "above") == 0) return Above();
    std::fprintf(stderr, "%-44s %12s %12s\n", "", "portacl", "driver");
    // A fake driver has no gigabytes to copy.
    const char* largest = std::getenv("BENCH_CUDA_LARGEST");
    const std::size_t bytes = largest ? std::strtoull(largest, nullptr, 10) : kLargest;
    DriverObjects objects(bytes);
    Calls(objects);
    Allocation();
    Rates(objects, bytes);
    Overlap(objects, bytes);
}
