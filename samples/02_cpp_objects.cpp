// A pipeline in C++, without a call of the C API: blocks of numbers go to the device, a kernel adds a
// bias to each, a reduction keeps the largest numbers of all blocks, and a task of the host checks the
// results, while the next block is on its way. Nothing is freed by hand, sizes are elements,
// directions and types follow from the arguments, and an error is an exception with the line and the
// call.
//
// The work of a block is captured once for each of two slots of memory, and then launched as a graph.
// A notify passes a finished block to the second stream, and the host waits for an event before it
// fills a slot again. A block that is wrong would be an exception in the task: it would fail the stream, and
// leave the wait at the end.
//
// usage: 02_cpp_objects [ELEMENTS [BINARY]]     default: 1048576 floats in each block, and the binary
// with the kernel of 05_kernel next to this program

#include <portacl/portacl.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace {

constexpr std::size_t kSlots = 2;
constexpr int kBlocks = 8;
constexpr float kBias = 0.5f;

// The parameters of the kernel; a different list would be refused when the kernel is loaded.
using VectorAdd = void(float* out, const float* a, const float* b, std::uint64_t count);

// The memory of a block, and the graph of its work.
struct Slot {
    explicit Slot(std::size_t count) : host(count), in(count), out(count) {}

    portacl::HostBuffer<float> host;  // page-locked, so that copies are asynchronous
    portacl::DeviceBuffer<float> in, out;
    portacl::Graph work;
    portacl::Notify ready;
    portacl::Event checked;
};

float Input(int block, std::size_t i) {
    return static_cast<float>(block) + static_cast<float>(i % 1000);
}

// Captured: nothing of this runs yet.
portacl::Graph WorkOf(const Slot& slot, const portacl::Kernel<VectorAdd>& add, portacl::DeviceSpan<const float> bias,
                      portacl::DeviceSpan<float> largest, portacl::StreamRef stream) {
    return portacl::capture(stream, [&] {
        portacl::copy_async(slot.in, slot.host, stream);
        add.launch(stream, 64, slot.out, slot.in, bias, bias.size());
        portacl::reduce_async(largest, slot.out, portacl::Reduction::max, stream);
    });
}

void Run(std::size_t count, const std::string& binary_path) {
    const portacl::Runtime runtime;
    const portacl::Device device(0);
    std::printf("%s\n%d blocks of %zu floats\n", device.name().c_str(), kBlocks, count);

    const auto binary = portacl::Binary::from_file(binary_path);
    const auto add = binary.kernel<VectorAdd>("vector_add");
    const portacl::DeviceBuffer<float> bias(count), largest(count);
    std::array<Slot, kSlots> slots{Slot(count), Slot(count)};
    std::size_t checked = 0;
    // Declared after everything that their work uses: they are destroyed first, also by an exception, and then wait for
    // their work.
    const portacl::Stream compute, output;
    portacl::fill_async(bias, kBias, compute);
    portacl::fill_async(largest, -1, compute);
    for (Slot& slot : slots) slot.work = WorkOf(slot, add, bias, largest, compute);

    const portacl::Event begin(portacl::Timing::on), end(portacl::Timing::on);
    compute.record(begin);
    for (int block = 0; block < kBlocks; ++block) {
        const Slot& slot = slots[static_cast<std::size_t>(block) % kSlots];
        // The slot is free when its previous block was checked.
        if (block >= static_cast<int>(kSlots)) slot.checked.synchronize();
        for (std::size_t i = 0; i < count; ++i) slot.host[i] = Input(block, i);
        slot.work.launch(compute);
        slot.ready.record(compute);
        // A record that fails gives no signal: the wait ends anyway, and the stream fails.
        slot.ready.wait_for(output, std::chrono::seconds(5));
        // Runs in stream order, on a thread of its own, with an address at which the host can read the block.
        portacl::launch_task(
            output, "check a block",
            [block, &checked](portacl::Span<const float> result) {
                for (std::size_t i = 0; i < result.size(); ++i) {
                    if (result[i] != Input(block, i) + kBias)
                        throw std::runtime_error("element " + std::to_string(i) + " of block " + std::to_string(block) +
                                                 " is " + std::to_string(result[i]));
                }
                checked += result.size();
            },
            portacl::reads(slot.out));
        output.record(slot.checked);
    }
    output.record(end);
    output.synchronize();
    std::printf("%zu elements are right, after %.3f ms\n", checked, static_cast<double>(end.since(begin).count()));

    // A corner of the result as rows of 100: two rows of three elements.
    std::array<float, 6> corner{};
    portacl::copy_2d(portacl::view_2d(corner, 3, 2), portacl::view_2d(largest, 100, count / 100).subspan(97, 0, 3, 2));
    for (std::size_t i = 0; i < corner.size(); ++i) {
        if (corner[i] != Input(kBlocks - 1, 97 + i % 3 + 100 * (i / 3)) + kBias)
            throw std::runtime_error("the maximum is wrong");
    }
    std::printf("the largest numbers end their first two rows with %g and %g\n", static_cast<double>(corner[2]),
                static_cast<double>(corner[5]));

    // A destination that is too small: the exception contains the sizes.
    try {
        portacl::copy(bias.span().subspan(0, 1), slots[0].host);
        throw std::logic_error("a copy past the end was not refused");
    } catch (const portacl::Error& error) {
        std::printf("\na copy past the end is refused, as %s:\n  %s\n", error.name(), error.what());
    }
}

// The binary for the current backend.
std::string BinaryBesideThisProgram() {
    const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    return folder / (portacl::Runtime::backend_name() == "cuda" ? "vector_add.ptx" : "vector_add.so");
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : std::size_t{1} << 20;
    if (count < 200) {
        std::fprintf(stderr, "usage: %s [ELEMENTS [BINARY]], at least 200 elements\n", argv[0]);
        return EXIT_FAILURE;
    }
    try {
        Run(count, argc > 2 ? argv[2] : BinaryBesideThisProgram());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
