// The same work for every runtime that has queues. A runtime is a class with
//
//   static constexpr bool kHasEvents, kHasHostFunctions, kHasMemory, kHasHops
//   static constexpr int kQueues = 2: queues are numbers
//   void Mark(int queue)              enqueues the record of an event (or an empty operation)
//   void Finish(int queue)            waits for everything enqueued there
//   bool Query()                      queries a complete event
//   void Call(int queue, void (*)(void*), void*)    enqueues user code
//   void Hop(int from, int to)        later operations of `to` wait for `from`
//   void Hold(int queue); Release()   nothing in the queue runs until Release
//   void Prepare(size_t), Copy(int queue, size_t)   enqueues a copy to the device
//
// tools/bench_report.py has the names of the results and their goals.
#pragma once

#include <cstddef>

#include "measure.h"

namespace bench {

constexpr int kOperations = 20'000;
constexpr int kRounds = 7;
constexpr int kHops = 1'000;

// Returns the sizes of copies: 64 B to 256 MiB.
inline std::vector<std::size_t> Sizes() {
    std::vector<std::size_t> sizes;
    for (std::size_t size = 64; size <= (256u << 20); size *= 4) sizes.push_back(size);
    sizes.push_back(256u << 20);
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

// Returns how often to copy `size` bytes: enough for a median, and never more than seconds.
inline int RoundsFor(std::size_t size) {
    return static_cast<int>(std::clamp<std::size_t>((512u << 20) / size, 9, 2'000));
}

template <typename Runtime>
void Throughput(Runtime& runtime, const char* total, const char* call) {
    std::vector<double> totals, calls;
    for (int round = 0; round < kRounds; round++) {
        const auto start = Clock::now();
        for (int i = 0; i < kOperations; i++) runtime.Mark(0);
        calls.push_back(NanosecondsSince(start) / kOperations);
        runtime.Finish(0);
        totals.push_back(NanosecondsSince(start) / kOperations);
    }
    Report(total, Median(totals), "ns");
    Report(call, Median(calls), "ns");
}

template <typename Runtime>
void HopTimes(Runtime& runtime) {
    std::vector<double> before, included;
    for (int round = 0; round < kRounds; round++) {
        runtime.Hold(0);
        for (int hop = 0; hop < kHops; hop++) runtime.Hop(hop & 1, (hop + 1) & 1);
        auto start = Clock::now();
        runtime.Release();
        runtime.Finish(kHops & 1);
        before.push_back(NanosecondsSince(start) / kHops);
        runtime.Finish(0);
        runtime.Finish(1);

        start = Clock::now();
        for (int hop = 0; hop < kHops; hop++) runtime.Hop(hop & 1, (hop + 1) & 1);
        runtime.Finish(kHops & 1);
        included.push_back(NanosecondsSince(start) / kHops);
        runtime.Finish(0);
        runtime.Finish(1);
    }
    Report("hop, enqueued before", Median(before), "ns");
    Report("hop, enqueue included", Median(included), "ns");
}

template <typename Runtime>
void RunAll(Runtime& runtime) {
    runtime.Mark(0);
    runtime.Finish(0);

    Throughput(runtime, "record x 20000 + synchronise, each", "record, the call");

    const auto one = Each(5'000, [&] {
        runtime.Mark(0);
        runtime.Finish(0);
    });
    Report("record + synchronise, p50", Percentile(one, 0.5), "ns");
    Report("record + synchronise, p99", Percentile(one, 0.99), "ns");

    if constexpr (Runtime::kHasEvents) {
        std::vector<double> queries;
        for (int round = 0; round < kRounds; round++) queries.push_back(PerCall(100'000, [&] { runtime.Query(); }));
        Report("event query", Median(queries), "ns");
    }
    if constexpr (Runtime::kHasHostFunctions) {
        const auto host = Each(2'000, [&] {
            runtime.Call(
                0, [](void*) {}, nullptr);
            runtime.Finish(0);
        });
        Report("host function + synchronise, p50", Percentile(host, 0.5), "ns");
    }
    if constexpr (Runtime::kHasHops) HopTimes(runtime);
    if constexpr (Runtime::kHasMemory) {
        runtime.Prepare(Sizes().back());
        for (const std::size_t size : Sizes()) {
            const auto copy = [&] {
                runtime.Copy(0, size);
                runtime.Finish(0);
            };
            copy();
            ReportAt("copy + synchronise", size, Median(Each(RoundsFor(size), copy)), "ns");
        }
    }
}

}  // namespace bench
