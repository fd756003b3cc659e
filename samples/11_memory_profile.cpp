// A memory profile of a small training-like loop: how much each line allocates, and how much of it
// comes from the device because no cached memory serves it.
//
// Build with -g for files and lines; without it, and with -rdynamic, the report has names only.
//
// usage: 11_memory_profile [STEPS]     default: 5

#include <portacl/portacl.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace {

using Tensor = portacl::DeviceBuffer<float>;

constexpr std::size_t kBatch = 64;
constexpr std::size_t kWidth = 1024;
constexpr int kLayers = 3;

// The outputs of the layers, kept for the backward pass.
[[gnu::noinline]] std::vector<Tensor> Forward(portacl::StreamRef stream) {
    std::vector<Tensor> activations;
    for (int layer = 0; layer < kLayers; ++layer) {
        activations.emplace_back(kBatch * kWidth);
        portacl::fill_bytes_async(activations.back(), 1, stream);
    }
    return activations;
}

[[gnu::noinline]] void Backward(std::vector<Tensor> activations, portacl::StreamRef stream) {
    while (!activations.empty()) {
        const Tensor gradient(kBatch * kWidth), weight_gradient(kWidth * kWidth);
        portacl::fill_bytes_async(gradient, 2, stream);
        portacl::fill_bytes_async(weight_gradient, 3, stream);
        // Memory is freed at once: the stream must not use it any more.
        stream.synchronize();
        activations.pop_back();
    }
}

[[gnu::noinline]] void Train(int steps) {
    const portacl::Stream stream;
    std::vector<Tensor> weights;
    for (int layer = 0; layer < kLayers; ++layer) weights.emplace_back(kWidth * kWidth);
    for (int step = 0; step < steps; ++step) Backward(Forward(stream), stream);
}

void Run(int steps) {
    const portacl::Runtime runtime;
    const portacl::Device device(0);
    std::string report;
    {
        const portacl::LineProfileHook profile;
        Train(steps);
        report = profile.report();
    }
    std::cout << steps << " steps:\n" << report;
    if (report.find("_root (") == std::string::npos) throw std::runtime_error("there is no report");
}

}  // namespace

int main(int argc, char** argv) {
    const int steps = argc > 1 ? std::atoi(argv[1]) : 5;
    if (steps < 1) {
        std::fprintf(stderr, "usage: %s [STEPS], at least 1\n", argv[0]);
        return EXIT_FAILURE;
    }
    try {
        Run(steps);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
