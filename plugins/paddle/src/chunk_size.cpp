// Sizes that Paddle's two allocators plan with.
//
// `auto_growth` (the default) rounds each request up to the smallest chunk and asks for what it has
// not got. `naive_best_fit` takes chunks of the largest size, cuts them up, and asks the device
// directly for what is larger; it adds up to 256 bytes to each request. Where Paddle was built for
// it, the first of these chunks has the initial size, and the later ones that of a reallocation.
// All three are one number here. A chunk loses what is left behind its last tensor, and a larger
// request loses next to nothing: so it is a little more than 1 MiB, into which tensors of any power
// of two up to 1 MiB fit almost without rest.
#include <algorithm>

#include "callbacks.h"
#include "report.h"

namespace portacl_paddle {
namespace {

// What an allocation is aligned to on a GPU, and four cache lines on a CPU. Never 0: Paddle divides
// by it.
constexpr std::size_t kMinChunk = 256;
constexpr std::size_t kMaxChunk = (std::size_t{1} << 20) + (std::size_t{32} << 10);

C_Status Write(const char* callback, C_Device device, std::size_t* out, std::size_t value) {
    if (device == nullptr) return Refuse(callback, "device is null");
    if (out == nullptr) return Refuse(callback, "size is null");
    *out = value;
    return C_SUCCESS;
}

// At most an eighth of the device.
C_Status WriteChunk(const char* callback, C_Device device, std::size_t* out) {
    if (device == nullptr) return Refuse(callback, "device is null");
    std::size_t total = 0;
    std::size_t free = 0;
    if (device_memory_stats(device, &total, &free) != C_SUCCESS) total = 0;
    const std::size_t share = std::min(kMaxChunk, total / 8);
    return Write(callback, device, out, std::max(share - share % kMinChunk, kMinChunk));
}

}  // namespace

C_Status device_min_chunk_size(C_Device device, std::size_t* size) {
    return Write("device_min_chunk_size", device, size, kMinChunk);
}

C_Status device_max_chunk_size(C_Device device, std::size_t* size) {
    return WriteChunk("device_max_chunk_size", device, size);
}

C_Status device_init_alloc_size(C_Device device, std::size_t* size) {
    return WriteChunk("device_init_alloc_size", device, size);
}

C_Status device_realloc_size(C_Device device, std::size_t* size) {
    return WriteChunk("device_realloc_size", device, size);
}

// There is no bound but the device's memory.
C_Status device_max_alloc_size(C_Device device, std::size_t* size) {
    if (device == nullptr) return Refuse("device_max_alloc_size", "device is null");
    if (size == nullptr) return Refuse("device_max_alloc_size", "size is null");
    std::size_t free = 0;
    return device_memory_stats(device, size, &free);
}

// The library has room of its own behind each allocation.
C_Status device_extra_padding_size(C_Device device, std::size_t* size) {
    return Write("device_extra_padding_size", device, size, 0);
}

}  // namespace portacl_paddle
