// Runs traces on pools. A pool is a class that is constructed with a number of streams and has
//
//   void* Allocate(size_t bytes, uint32_t stream)
//   void Free(void*, uint32_t stream)
//   uint64_t PeakReserved()                most bytes taken from the device so far; 0: not known
//   uint64_t Reserved()                    the same now, for replaying logs
//   void EnterThread()                     what a thread needs before its first call
//   static constexpr bool kEndsWhole       its end takes what is live along; else that is freed
//   first
#pragma once

#include <time.h>

#include <atomic>
#include <thread>

#include "../measure.h"
#include "pool_trace.h"

namespace bench {

// The live blocks during a replay.
using Slots = std::vector<void*>;

template <typename Pool>
inline void Do(Pool& pool, const Step& step, Slots& slots) {
    if (step.size != 0) {
        slots[step.slot] = pool.Allocate(step.size, step.stream);
    } else {
        pool.Free(slots[step.slot], step.stream);
        slots[step.slot] = nullptr;
    }
}

template <typename Pool>
inline void End(Pool& pool, const Slots& slots) {
    if constexpr (!Pool::kEndsWhole) {
        for (void* memory : slots)
            if (memory) pool.Free(memory, 0);
    }
}

// The processor time of the calling thread: on a busy machine the kernel's time slices for other
// threads exceed a run, and no pool waits here.
inline double ThreadNanoseconds() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// The results of one run on a new pool.
struct Run {
    double each = 0;  // nanoseconds per timed step, of the thread's processor time
    std::uint64_t peak_reserved = 0;
};

template <typename Pool>
Run RunOnce(const Trace& trace) {
    Pool pool(trace.streams);
    Slots slots(trace.slots);
    const Step* step = trace.steps.data();
    const Step* const timed = step + trace.timed_from;
    const Step* const end = step + trace.steps.size();
    for (; step != timed; step++) Do(pool, *step, slots);
    const double start = ThreadNanoseconds();
    for (; step != end; step++) Do(pool, *step, slots);
    const double each = (ThreadNanoseconds() - start) / static_cast<double>(end - timed);
    const Run run{each, pool.PeakReserved()};
    End(pool, slots);
    return run;
}

// Returns the nanoseconds of every single step, including the reading of the clock.
template <typename Pool>
std::vector<double> StepTimes(const Trace& trace) {
    Pool pool(trace.streams);
    Slots slots(trace.slots);
    std::vector<double> took;
    took.reserve(trace.steps.size());
    for (const Step& step : trace.steps) {
        const auto start = Clock::now();
        Do(pool, step, slots);
        took.push_back(NanosecondsSince(start));
    }
    End(pool, slots);
    return took;
}

// Runs one pool with one thread per trace, each on a separate stream. Returns the nanoseconds per step of a thread.
template <typename Pool>
double RunThreads(const std::vector<Trace>& traces) {
    Pool pool(static_cast<std::uint32_t>(traces.size()));
    std::atomic<std::size_t> ready{0};
    std::vector<double> each(traces.size());
    std::vector<std::thread> threads;
    for (std::uint32_t mine = 0; mine < traces.size(); mine++) {
        threads.emplace_back([&, mine] {
            const Trace& trace = traces[mine];
            Slots slots(trace.slots);
            pool.EnterThread();
            ready++;
            while (ready < traces.size()) std::this_thread::yield();
            const auto start = Clock::now();
            for (Step step : trace.steps) {
                step.stream = mine;
                Do(pool, step, slots);
            }
            each[mine] = NanosecondsSince(start) / static_cast<double>(trace.steps.size());
            End(pool, slots);
        });
    }
    for (std::thread& thread : threads) thread.join();
    double sum = 0;
    for (const double one : each) sum += one;
    return sum / static_cast<double>(each.size());
}

}  // namespace bench
