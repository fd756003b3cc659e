// Stream-ordered pools: portacl's through the C API, and the peers' bookkeeping over a device
// without memory, alternating in one process. PORTACL_BACKEND=cpu, and PORTACL_CPU_MEMORY=1T,
// because none of the memory is touched. jemalloc does the same in peers/jemalloc_pool.cpp. With a
// workload it only runs that on portacl's pool, for counting instructions: bench_mem_pool random N,
// steady STREAMS.
#include <cstdlib>
#include <cstring>

#include "../peers/caching_allocator.h"
#include "../peers/coalescing_pool.h"
#include "pool_workloads.h"
#include "portacl_pool.h"

namespace {

int Count(const char* workload, int number) {
    bench::Trace trace;
    if (std::strcmp(workload, "random") == 0) {
        trace = bench::RandomAllocations(number, bench::kMiB);
    } else if (std::strcmp(workload, "steady") == 0) {
        trace = bench::Steady(1'000, 50'000, number);
    } else {
        std::fprintf(stderr, "no workload is called %s\n", workload);
        return 1;
    }
    std::printf("%g ns\n", bench::RunOnce<PortaclPool>(trace).each);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    ACL(aclInit(nullptr));
    int code = 0;
    if (argc == 3) {
        code = Count(argv[1], std::atoi(argv[2]));
    } else {
        bench::RunPools({
            bench::Pooled<PortaclPool>("portacl"),
            bench::Pooled<peers::CachingAllocator>("caching"),
            bench::Pooled<peers::CoalescingPool>("coalescing", 25'000),
        });
    }
    ACL(aclFinalize());
    return code;
}
