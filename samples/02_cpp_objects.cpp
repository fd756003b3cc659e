// 01_device_memory in C++: the same out = A + B with owning objects. Nothing is freed by hand,
// sizes are elements, directions follow from the types, and an error is an exception with the line
// and the call. Functions that the C++ interface does not have (here the sum on the device) are
// called as in C: get() returns the handle.
//
// usage: 02_cpp_objects [ELEMENTS]     default: 4194304 floats, 16 MiB in each of three arrays

#include <portacl/portacl.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace {

void Run(std::size_t count) {
    const portacl::Runtime runtime;
    const portacl::Device device(0);
    std::printf("%s\n%zu floats in each array\n", device.name().c_str(), count);

    // Page-locked, so that the copies below are asynchronous.
    portacl::HostBuffer<float> host_a(count), host_b(count), host_out(count);
    for (std::size_t i = 0; i < count; ++i) {
        host_a[i] = static_cast<float>(i % 1000);
        host_b[i] = static_cast<float>(i % 777) * 0.25f;
    }

    const portacl::DeviceBuffer<float> b(count), out(count);
    float last = 0;
    // Declared after everything that its work uses: it is destroyed first, also by an exception,
    // and then waits for its work.
    const portacl::Stream stream;
    const portacl::Event begin(portacl::Timing::on), end(portacl::Timing::on);
    stream.record(begin);
    portacl::copy_async(out, host_a, stream);
    portacl::copy_async(b, host_b, stream);
    portacl::check(aclrtReduceAsync(out.data(), b.data(), b.size_bytes(), ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT,
                                    stream.get(), nullptr));
    portacl::copy_async(host_out, out, stream);
    stream.record(end);
    // Runs in stream order, on a thread of the library.
    stream.launch([&last, &host_out] { last = host_out[host_out.size() - 1]; });
    stream.synchronize();
    std::printf("copies and sum took %.3f ms, the last element is %g\n", static_cast<double>(end.since(begin).count()),
                static_cast<double>(last));

    for (std::size_t i = 0; i < count; ++i) {
        if (host_out[i] == host_a[i] + host_b[i]) continue;
        std::fprintf(stderr, "element %zu is %g, expected %g + %g\n", i, static_cast<double>(host_out[i]),
                     static_cast<double>(host_a[i]), static_cast<double>(host_b[i]));
        throw std::runtime_error("the sum is wrong");
    }
    std::printf("all %zu elements are right\n", count);

    // A destination that is too small: the exception contains the sizes.
    try {
        portacl::copy(b.span().subspan(0, 1), host_a);
        throw std::logic_error("a copy past the end was not refused");
    } catch (const portacl::Error& error) {
        std::printf("\na copy past the end is refused, as %s:\n  %s\n", error.name(), error.what());
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : std::size_t{4} << 20;
    if (count < 2) {
        std::fprintf(stderr, "usage: %s [ELEMENTS], at least 2\n", argv[0]);
        return EXIT_FAILURE;
    }
    try {
        Run(count);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
