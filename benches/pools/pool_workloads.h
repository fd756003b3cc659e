// The workloads for pools, alternating between the pools; tools/pool_report.py has the names of the
// results and their goals.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "pool_replay.h"

namespace bench {

constexpr std::uint64_t kMiB = 1u << 20;
constexpr std::uint32_t kManyStreams = 8;

// The numbers of steps of RMM's workload, evenly spaced on a logarithmic scale.
inline const std::size_t kCurve[] = {1'000, 2'154, 4'642, 10'000, 21'544, 46'416, 100'000};

struct Contestant {
    std::string name;
    // The most steps of a workload. Longer workloads would take minutes.
    std::size_t longest;
    std::function<Run(const Trace&)> once;
    std::function<double(const std::vector<Trace>&)> threads;
    std::function<std::vector<double>(const Trace&)> steps;
};

template <typename Pool>
Contestant Pooled(const char* name, std::size_t longest = SIZE_MAX) {
    return {name, longest, RunOnce<Pool>, RunThreads<Pool>, StepTimes<Pool>};
}

// Prints the medians of some rounds, alternating. Slow pools have fewer rounds.
template <typename Round>
std::vector<double> InTurns(std::size_t contestants, Round round) {
    constexpr int kRounds = 7;
    constexpr double kEnough = 1e9;
    std::vector<std::vector<double>> results(contestants);
    std::vector<double> spent(contestants);
    for (int i = 0; i < kRounds; i++) {
        for (std::size_t who = 0; who < contestants; who++) {
            if (spent[who] > kEnough) continue;
            const auto start = Clock::now();
            results[who].push_back(round(who));
            spent[who] += NanosecondsSince(start);
        }
    }
    std::vector<double> medians;
    for (auto& one : results) medians.push_back(Median(std::move(one)));
    return medians;
}

inline void Compare(const std::vector<Contestant>& contestants, const char* name, std::size_t at, const Trace& trace) {
    std::vector<std::uint64_t> reserved(contestants.size());
    const auto each = InTurns(contestants.size(), [&](std::size_t who) {
        const Run run = contestants[who].once(trace);
        reserved[who] = run.peak_reserved;
        return run.each;
    });
    const auto used = static_cast<double>(PeakRequested(trace));
    for (std::size_t who = 0; who < contestants.size(); who++) {
        const std::string result = contestants[who].name + ": " + name;
        ReportAt(result.c_str(), at, each[who], "ns");
        if (reserved[who] == 0) continue;
        ReportAt((result + ", reserved over used").c_str(), at, static_cast<double>(reserved[who]) / used, "");
    }
}

// Reading the clock for each step costs time, and the kernel may interrupt between two steps, hence
// the median of some runs.
inline void SlowSteps(const Contestant& contestant, std::size_t n, const Trace& trace) {
    std::vector<double> slow;
    for (int run = 0; run < 3; run++) slow.push_back(Percentile(contestant.steps(trace), 0.999));
    ReportAt((contestant.name + ": random to 1 MiB, p99.9").c_str(), n, Median(slow), "ns");
}

inline void RunPools(const std::vector<Contestant>& contestants) {
    for (const std::size_t n : kCurve) {
        std::vector<Contestant> able;
        for (const Contestant& one : contestants)
            if (n <= one.longest) able.push_back(one);
        const Trace trace = RandomAllocations(n, kMiB);
        Compare(able, "random to 1 MiB", n, trace);
        for (const Contestant& one : able)
            if (one.longest == SIZE_MAX) SlowSteps(one, n, trace);
    }
    Compare(contestants, "random to 64 MiB", 10'000, RandomAllocations(10'000, 64 * kMiB));
    Compare(contestants, "random to 1 MiB, 8 streams", 10'000, RandomAllocations(10'000, kMiB, kManyStreams));
    Compare(contestants, "steady, 1 stream", 1'000, Steady(1'000, 50'000, 1));
    Compare(contestants, "steady, 8 streams", 1'000, Steady(1'000, 50'000, kManyStreams));

    const std::vector<Trace> pair = {RandomAllocations(10'000, kMiB, 1, 1), RandomAllocations(10'000, kMiB, 1, 2)};
    const auto each = InTurns(contestants.size(), [&](std::size_t who) { return contestants[who].threads(pair); });
    for (std::size_t who = 0; who < contestants.size(); who++)
        ReportAt((contestants[who].name + ": random to 1 MiB, 2 threads").c_str(), 10'000, each[who], "ns");
}

}  // namespace bench
