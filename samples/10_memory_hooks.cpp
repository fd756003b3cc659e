// Hooks for a program's allocations: how much is allocated, and a budget that refuses.
//
// The function below represents any code that uses device memory. It does not contain hooks: they
// are registered around it. The first hook counts, a built-in hook prints, another one enforces a
// budget. For a program that cannot be changed there is PORTACL_MEMORY_HOOK=debug, log:FILE or
// profile:FILE.
//
// usage: 10_memory_hooks

#include <portacl/portacl.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <vector>

namespace {

// The work of one layer: permanent weights, a scratch buffer for each step, and a small
// stream-ordered result.
void Work(int steps) {
    const portacl::Stream stream;
    const portacl::DeviceBuffer<float> weights(1 << 20);
    for (int step = 0; step < steps; ++step) {
        const portacl::DeviceBuffer<float> scratch(1 << 16);
        portacl::fill_bytes(scratch, 0);
        const portacl::AsyncBuffer<float> result(750, stream);
        portacl::fill_bytes_async(result, 0, stream);
    }
    stream.synchronize();
}

// Current and peak bytes.
class Counter : public portacl::MemoryHook {
  public:
    const char* name() const noexcept override { return "Counter"; }
    void after_malloc(const portacl::MemoryEvent& event) override {
        if (event.failed) return;
        ++mallocs;
        used += event.roundedSize;
        peak = std::max(peak, used);
    }
    void after_alloc(const portacl::MemoryEvent& event) override {
        if (!event.failed) ++allocs;
    }
    void after_free(const portacl::MemoryEvent& event) override {
        if (event.failed) return;
        // A free reports the same size as its malloc: this is never negative.
        if (event.roundedSize > used) underflow = true;
        used -= event.roundedSize;
    }

    int mallocs = 0, allocs = 0;
    bool underflow = false;
    std::size_t used = 0, peak = 0;
};

void Run() {
    const portacl::Runtime runtime;
    const portacl::Device device(0);

    Counter counter;
    {
        const portacl::ScopedMemoryHook guard(counter);
        Work(10);
    }
    std::printf("10 steps: %d allocations, %d of them from the device, at most %zu KiB at a time\n", counter.mallocs,
                counter.allocs, counter.peak >> 10);
    if (counter.mallocs != 21) throw std::runtime_error("not every allocation was counted");
    if (counter.underflow) throw std::runtime_error("more was freed than allocated");
    if (counter.used != 0) throw std::runtime_error("less was freed than allocated");

    std::printf("\none step, in the format of CuPy's DebugPrintHook:\n");
    std::fflush(stdout);
    portacl::DebugPrintHook printer(std::cout);
    {
        const portacl::ScopedMemoryHook guard(printer);
        Work(1);
    }

    std::printf("\nwith a budget of 1 MiB:\n");
    try {
        const portacl::LimitHook limit(std::size_t{1} << 20);
        Work(1);
        throw std::logic_error("the budget was not kept");
    } catch (const portacl::Error& error) {
        std::printf("  %s\n", error.text().c_str());
    }
}

}  // namespace

int main() {
    try {
        Run();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
