// Standard containers in page-locked memory: a std::pmr::vector that a stream copies
// asynchronously.
//
// An asynchronous copy from pageable memory has read its source when the call returns: the caller
// waits. From page-locked memory it is only enqueued. The memory resource below provides such
// memory to any container of the standard library; a buffer resource in front makes many small
// allocations cheap.
//
// usage: 09_pinned_vector

#include <portacl/portacl.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory_resource>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

void Run() {
    const portacl::Runtime runtime;
    const portacl::Device device(0);
    const portacl::Stream stream;

    constexpr std::size_t kCount = std::size_t{1} << 20;
    std::pmr::vector<int> sent(kCount, portacl::pinned_memory_resource());
    std::pmr::vector<int> received(kCount, portacl::pinned_memory_resource());
    std::iota(sent.begin(), sent.end(), 0);

    const portacl::DeviceBuffer<int> buffer(kCount);
    portacl::copy_async(buffer, sent, stream);
    portacl::copy_async(received, buffer, stream);
    // Nothing has waited up to here; the vectors must not change until the stream is idle.
    stream.synchronize();
    if (received != sent) throw std::runtime_error("the vector came back changed");
    std::printf("%zu integers went to the device and came back\n", received.size());

    // Many small allocations, cut from a few large ones.
    std::pmr::monotonic_buffer_resource pool(portacl::pinned_memory_resource());
    std::pmr::unordered_map<int, std::pmr::string> names(&pool);
    for (int i = 0; i < 1000; ++i) names.emplace(i, "tensor number " + std::to_string(i));
    aclrtPtrAttributes where{};
    portacl::check(aclrtPointerGetAttributes(names.at(7).data(), &where));
    if (where.location.type != ACL_MEM_LOCATION_TYPE_HOST)
        throw std::runtime_error("the text is not in page-locked memory");
    std::printf("%zu names are in page-locked memory, too\n", names.size());
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
