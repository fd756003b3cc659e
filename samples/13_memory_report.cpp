// Memory information as C++ data instead of text: statistics, live allocations, the tree of
// allocating functions, and leaks. The component portacl::cxx provides it; link it in addition to
// the library:
//
//   find_package(portacl CONFIG REQUIRED COMPONENTS cxx)
//   target_link_libraries(program PRIVATE portacl::cxx)
//
// Build with -g for files and lines; without it, but with -rdynamic, there are names only.

#include <portacl/cxx.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Weights = portacl::DeviceBuffer<float>;

[[gnu::noinline]] std::vector<Weights> LoadModel() {
    std::vector<Weights> layers;
    for (std::size_t size : {1 << 20, 1 << 18, 1 << 10}) layers.emplace_back(size);
    return layers;
}

[[gnu::noinline]] void Infer(portacl::MemPoolRef pool, portacl::StreamRef stream) {
    const portacl::AsyncBuffer<float> input(1 << 16, stream, pool), output(1 << 10, stream, pool);
    portacl::fill_bytes_async(input, 1, stream);
    portacl::fill_bytes_async(output, 2, stream);
}

void PrintStats(const char* what, const portacl::MemoryStats& stats) {
    std::printf("%-7s %9llu bytes in %llu now, %9llu at most, %llu allocations in all\n", what,
                static_cast<unsigned long long>(stats.current_bytes),
                static_cast<unsigned long long>(stats.current_count), static_cast<unsigned long long>(stats.peak_bytes),
                static_cast<unsigned long long>(stats.total_count));
}

// Follows the largest users from the root down.
void PrintHottestPath(const portacl::MemoryProfile& node, int depth) {
    std::printf("%*s%s %llu bytes in %llu\n", 2 * depth, "", node.function.c_str(),
                static_cast<unsigned long long>(node.malloc_bytes), static_cast<unsigned long long>(node.malloc_count));
    if (!node.below.empty()) PrintHottestPath(node.below.front(), depth + 1);
}

void Run() {
    const portacl::Runtime runtime;
    const portacl::Device device(0);
    const portacl::LineProfileHook profile;
    const std::vector<Weights> layers = LoadModel();
    const portacl::MemPool pool(device.id());
    const portacl::Stream stream;
    for (int request = 0; request < 10; ++request) Infer(pool, stream);
    stream.synchronize();

    PrintStats("device", portacl::memory_stats(device.id(), portacl::MemoryKind::device));
    PrintStats("pools", portacl::memory_stats(device.id(), portacl::MemoryKind::pool));

    std::size_t bytes = 0;
    const std::vector<portacl::MemoryAllocation> live = portacl::memory_snapshot();
    for (const portacl::MemoryAllocation& one : live) bytes += one.rounded_size;
    std::printf("%zu allocations of %zu bytes are live\n", live.size(), bytes);
    if (live.size() != layers.size()) throw std::runtime_error("the snapshot is wrong");

    std::puts("where most of it went:");
    PrintHottestPath(portacl::memory_profile(profile), 1);

    try {
        (void)portacl::memory_stats(12345, portacl::MemoryKind::device);
        throw std::logic_error("a device that does not exist was not refused");
    } catch (const portacl::Error& error) {
        std::printf("failures are exceptions here, too:\n  %s\n", error.what());
    }
}

}  // namespace

int main() {
    try {
        Run();
        // The objects above have released everything.
        if (!portacl::leak_report().allocations.empty()) throw std::runtime_error("a leak");
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
