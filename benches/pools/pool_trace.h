// Sequences of allocations and frees, generated before the measurement, so that every pool does the
// same.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bench {

// An allocation into a slot, or with size 0 the free of the slot.
struct Step {
    std::uint64_t size;
    std::uint32_t slot;
    std::uint32_t stream;
};

struct Trace {
    std::vector<Step> steps;
    std::size_t slots = 0;
    // Steps before this one warm the pool up and are not timed.
    std::size_t timed_from = 0;
    std::uint32_t streams = 1;
};

// splitmix64: the same numbers with every standard library.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t Next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    // 0 to bound - 1; the bias of the remainder does not matter at these bounds.
    std::uint64_t Below(std::uint64_t bound) { return Next() % bound; }
    double Share() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

  private:
    std::uint64_t state_;
};

// The workload of RMM's benchmark random_allocations: 2n steps; 73 of 100 allocate 1 to `largest`
// bytes, the others free a random live block. Allocations take the streams in turns; a block is
// freed on its own stream.
inline Trace RandomAllocations(std::size_t n, std::uint64_t largest, std::uint32_t streams = 1,
                               std::uint64_t seed = 1) {
    constexpr std::uint64_t kAllocations = 73;
    struct Live {
        std::uint32_t slot, stream;
    };
    Random random(seed);
    Trace trace;
    trace.streams = streams;
    std::vector<Live> live;
    std::vector<std::uint32_t> vacant;
    std::uint32_t turn = 0;
    for (std::size_t step = 0; step < 2 * n; step++) {
        const std::uint64_t size = 1 + random.Below(largest);
        const bool allocates = random.Below(100) < kAllocations && live.size() < n;
        if (live.empty() || allocates) {
            Live block{static_cast<std::uint32_t>(trace.slots), turn++ % streams};
            if (vacant.empty()) {
                trace.slots++;
            } else {
                block.slot = vacant.back();
                vacant.pop_back();
            }
            live.push_back(block);
            trace.steps.push_back({size, block.slot, block.stream});
        } else {
            std::swap(live[random.Below(live.size())], live.back());
            trace.steps.push_back({0, live.back().slot, live.back().stream});
            vacant.push_back(live.back().slot);
            live.pop_back();
        }
    }
    return trace;
}

// Generates a steady state: a random one of `live` blocks of 256 B to 8 MiB (log-uniform) is freed, on its stream, and
// replaced on a random one.
inline Trace Steady(std::size_t live, std::size_t replacements, std::uint32_t streams) {
    constexpr double kSmallest = 256, kLargest = 8 << 20;
    Random random(2);
    Trace trace;
    trace.streams = streams;
    trace.slots = live;
    std::vector<std::uint32_t> stream_of(live);
    const auto fill = [&](std::uint32_t slot) {
        const double size = kSmallest * std::pow(kLargest / kSmallest, random.Share());
        stream_of[slot] = static_cast<std::uint32_t>(random.Below(streams));
        trace.steps.push_back({static_cast<std::uint64_t>(size), slot, stream_of[slot]});
    };
    const auto replace = [&](std::size_t times) {
        for (std::size_t i = 0; i < times; i++) {
            const auto slot = static_cast<std::uint32_t>(random.Below(live));
            trace.steps.push_back({0, slot, stream_of[slot]});
            fill(slot);
        }
    };
    for (std::uint32_t slot = 0; slot < live; slot++) fill(slot);
    replace(10 * live);
    trace.timed_from = trace.steps.size();
    replace(replacements);
    return trace;
}

// Returns the maximum of the bytes that are requested and live at one time.
inline std::uint64_t PeakRequested(const Trace& trace) {
    std::vector<std::uint64_t> held(trace.slots);
    std::uint64_t now = 0, peak = 0;
    for (const Step& step : trace.steps) {
        now += step.size - held[step.slot];
        held[step.slot] = step.size;
        if (now > peak) peak = now;
    }
    return peak;
}

}  // namespace bench
