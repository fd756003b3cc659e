// Prints a program's allocations as portacl::cxx returns them.
#include <portacl/cxx.hpp>

#include <cstdio>
#include <exception>

#ifdef WITH_NEIGHBOUR
extern "C" int neighbour_panics_and_recovers(int input);
#else
static int neighbour_panics_and_recovers(int input) {
    return input + 1;
}
#endif

static int report() {
    const portacl::Runtime runtime;
    const portacl::Device device;
    const portacl::LineProfileHook profile;
    const portacl::DeviceBuffer<float> buffer(1000);
    if (neighbour_panics_and_recovers(20) != 21) return 2;
    const auto all = portacl::memory_snapshot();
    if (all.size() != 1 || all[0].address != buffer.data()) return 3;
    if (portacl::memory_stats(device.id(), portacl::MemoryKind::device).current_count != 1) return 4;
    if (portacl::memory_profile(profile).malloc_count != 1) return 5;
    for (const std::string& line : portacl::leak_report().lines) std::puts(line.c_str());
    try {
        (void)portacl::memory_pools(12345);
        return 6;
    } catch (const portacl::Error& error) {
        std::puts(error.what());
        if (error.code() != ACL_ERROR_RT_INVALID_DEVICEID) return 7;
    }
    return neighbour_panics_and_recovers(41) == 42 ? 0 : 8;
}

int main() {
    try {
        return report();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
