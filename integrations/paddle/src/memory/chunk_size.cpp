// Sizes for Paddle's two allocators.
//
// `auto_growth` (the default) rounds each request up to the minimum chunk size and allocates what
// it does not have. `naive_best_fit` allocates chunks of the maximum size and divides them, and
// allocates larger requests directly from the device; it adds up to 256 bytes to each request.
// Depending on how Paddle was built, the first of these chunks has the initial size, and the later
// ones the reallocation size. All three are one number here. A chunk wastes the space after its
// last tensor, and a larger request wastes nearly nothing: so the size is a little more than 1 MiB,
// which tensors of any power of two up to 1 MiB fill almost completely.
#include <algorithm>

#include "base/callbacks.h"
#include "base/report.h"

namespace portacl_paddle {
namespace {

// The alignment of allocations on a GPU, and four cache lines on a CPU. Never 0: Paddle divides by
// it.
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

// Only the device's memory limits allocations.
C_Status device_max_alloc_size(C_Device device, std::size_t* size) {
    if (device == nullptr) return Refuse("device_max_alloc_size", "device is null");
    if (size == nullptr) return Refuse("device_max_alloc_size", "size is null");
    std::size_t free = 0;
    return device_memory_stats(device, size, &free);
}

// The library adds its own padding after each allocation.
C_Status device_extra_padding_size(C_Device device, std::size_t* size) {
    return Write("device_extra_padding_size", device, size, 0);
}

}  // namespace portacl_paddle
