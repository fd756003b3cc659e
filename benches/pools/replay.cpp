// Replays an allocation log (docs/allocation_log.md) on portacl's pool and on the peers':
// bench_replay LOG [DEVICE].
#include <cstdlib>

#include "../peers/caching_allocator.h"
#include "../peers/coalescing_pool.h"
#include "allocation_log.h"
#include "pool_workloads.h"
#include "portacl_pool.h"

namespace {

// The minimum number of points of a curve, if there are as many steps.
constexpr std::size_t kPoints = 400;

// The reserved bytes of a pool over time. Peaks between two points are kept: each point is the
// maximum of its interval.
template <typename Pool>
void Curve(const char* pool_name, const bench::AllocationLog& log) {
    const bench::Trace& trace = log.trace;
    Pool pool(trace.streams);
    bench::Slots slots(trace.slots);
    const std::size_t stretch = std::max<std::size_t>(trace.steps.size() / kPoints, 1);
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < trace.steps.size(); i++) {
        bench::Do(pool, trace.steps[i], slots);
        most = std::max(most, pool.Reserved());
        if ((i + 1) % stretch != 0 && i + 1 != trace.steps.size()) continue;
        const std::string name = std::string(pool_name) + ": replay, reserved";
        bench::ReportAt(name.c_str(), log.times[i], static_cast<double>(most), "bytes");
        most = 0;
    }
}

// The requested bytes of the program: a pool without overhead.
class Requested {
  public:
    static constexpr bool kEndsWhole = true;

    explicit Requested(std::uint32_t) {}
    void* Allocate(std::size_t bytes, std::uint32_t) {
        now_ += bytes;
        peak_ = std::max(peak_, now_);
        return reinterpret_cast<void*>(bytes);
    }
    void Free(void* memory, std::uint32_t) { now_ -= reinterpret_cast<std::uint64_t>(memory); }
    std::uint64_t Reserved() const { return now_; }
    std::uint64_t PeakReserved() const { return peak_; }
    void EnterThread() const {}

  private:
    std::uint64_t now_ = 0, peak_ = 0;
};

void Replay(const bench::AllocationLog& log) {
    bench::Report("replay, steps", static_cast<double>(log.trace.steps.size()), "");
    bench::Report("replay, streams", log.trace.streams, "");
    bench::Report("replay, unknown frees", static_cast<double>(log.unknown_frees), "");
    bench::Report("requested: replay, peak", static_cast<double>(bench::PeakRequested(log.trace)), "bytes");
    const std::vector<bench::Contestant> contestants = {
        bench::Pooled<PortaclPool>("portacl"),
        bench::Pooled<peers::CachingAllocator>("caching"),
        bench::Pooled<peers::CoalescingPool>("coalescing"),
    };
    std::vector<std::uint64_t> peak(contestants.size());
    const auto each = bench::InTurns(contestants.size(), [&](std::size_t who) {
        const bench::Run run = contestants[who].once(log.trace);
        peak[who] = run.peak_reserved;
        return run.each;
    });
    for (std::size_t who = 0; who < contestants.size(); who++) {
        const std::string name = contestants[who].name + ": replay";
        bench::Report(name.c_str(), each[who], "ns");
        bench::Report((name + ", peak").c_str(), static_cast<double>(peak[who]), "bytes");
    }
    Curve<Requested>("requested", log);
    Curve<PortaclPool>("portacl", log);
    Curve<peers::CachingAllocator>("caching", log);
    Curve<peers::CoalescingPool>("coalescing", log);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2 || argc > 3) {
        std::fprintf(stderr, "usage: %s LOG [DEVICE]\n", argv[0]);
        return 2;
    }
    try {
        const auto log = bench::ReadAllocationLog(argv[1], argc == 3 ? std::atoi(argv[2]) : 0);
        if (log.trace.steps.empty()) throw std::runtime_error("the log has nothing of this device");
        ACL(aclInit(nullptr));
        Replay(log);
        ACL(aclFinalize());
    } catch (const std::runtime_error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
