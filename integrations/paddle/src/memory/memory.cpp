#include <algorithm>
#include <cstdlib>

#include "base/callbacks.h"
#include "base/report.h"
#include "profiling/profiler.h"
#include "runtime/device.h"

namespace portacl_paddle {
namespace {

using Allocate = aclError (*)(void** pointer, std::size_t size);
using Deallocate = aclError (*)(void* pointer);

// Huge pages if rounding up to whole pages wastes nearly nothing. Other sizes, such as the chunks
// of naive_best_fit and the tensors that it does not cut out of chunks, use normal pages, which the
// device can place next to each other.
aclError AllocateUnpadded(void** pointer, size_t size) {
    constexpr size_t kLargePage = size_t{2} << 20;
    const size_t lost = (kLargePage - size % kLargePage) % kLargePage;
    const auto policy = lost <= size / 64 ? ACL_MEM_MALLOC_HUGE_FIRST : ACL_MEM_MALLOC_NORMAL_ONLY;
    return aclrtMallocAlign32(pointer, size, policy);
}

// Paddle's Tensor.numpy() copies a tensor with the padding behind it, which nothing writes. Where PORTACL_CHECK looks
// for reads of such memory, padding gets contents here, so that other reads are reported.
aclError AllocateChecked(void** pointer, size_t size) {
    static const bool is_checked = secure_getenv("PORTACL_CHECK") != nullptr;
    constexpr size_t kMostPadding = 255;
    aclError code = AllocateUnpadded(pointer, size);
    if (code != ACL_SUCCESS || !is_checked) return code;
    const size_t padding = std::min(size, kMostPadding);
    code = aclrtMemset(static_cast<char*>(*pointer) + size - padding, padding, 0, padding);
    if (code != ACL_SUCCESS) {
        aclrtFree(*pointer);
        *pointer = nullptr;
    }
    return code;
}

// The size of the thread's latest request that was refused for lack of memory; 0: none. Reports
// Paddle's retries of a request in one line.
thread_local std::size_t out_of_memory_for = 0;

// A request of size 0 returns a null pointer, as the copies of size 0 expect.
C_Status AllocateOn(const char* callback, C_Device device, void** pointer, std::size_t size, Allocate allocate) {
    if (device == nullptr) return Refuse(callback, "device is null");
    if (pointer == nullptr) return Refuse(callback, "ptr is null");
    *pointer = nullptr;
    if (size == 0) return C_SUCCESS;
    aclError code = Enter(device);
    if (code == ACL_SUCCESS) code = allocate(pointer, size);
    if (code != ACL_ERROR_RT_MEMORY_ALLOCATION) {
        out_of_memory_for = 0;
        return Answer(callback, code);
    }
    // For Paddle a null pointer means out of memory: it releases its caches, tries again, and
    // throws its own exception if that does not help. It throws other failures at once.
    if (out_of_memory_for != size) Answer(callback, code);
    out_of_memory_for = size;
    return C_SUCCESS;
}

// Paddle frees in destructors, also in forked children and after the device was closed.
C_Status DeallocateOn(const char* callback, C_Device device, void* pointer, Deallocate deallocate) {
    if (device == nullptr) return Refuse(callback, "device is null");
    if (pointer == nullptr) return C_SUCCESS;
    const aclError code = deallocate(pointer);
    if (code != ACL_SUCCESS && (InForkedChild() || !IsOpen(device->id))) return C_SUCCESS;
    return Answer(callback, code);
}

}  // namespace

C_Status device_memory_allocate(C_Device device, void** pointer, std::size_t size) {
    return AllocateOn("device_memory_allocate", device, pointer, size, AllocateChecked);
}

C_Status device_memory_deallocate(C_Device device, void* pointer, std::size_t) {
    return DeallocateOn("device_memory_deallocate", device, pointer, aclrtFree);
}

C_Status host_memory_allocate(C_Device device, void** pointer, std::size_t size) {
    return AllocateOn("host_memory_allocate", device, pointer, size, aclrtMallocHost);
}

C_Status host_memory_deallocate(C_Device device, void* pointer, std::size_t) {
    return DeallocateOn("host_memory_deallocate", device, pointer, aclrtFreeHost);
}

C_Status unified_memory_allocate(C_Device device, void** pointer, std::size_t size) {
    return AllocateOn("unified_memory_allocate", device, pointer, size, [](void** out, size_t wanted) {
        return aclrtMemAllocManaged(out, wanted, ACL_RT_MEM_ATTACH_GLOBAL);
    });
}

C_Status unified_memory_deallocate(C_Device device, void* pointer, std::size_t) {
    return DeallocateOn("unified_memory_deallocate", device, pointer, aclrtFree);
}

C_Status device_memory_set(C_Device device, void* pointer, unsigned char value, std::size_t size) {
    if (device == nullptr) return Refuse("device_memory_set", "device is null");
    if (size == 0) return C_SUCCESS;
    const Traced call("device_memory_set", Work::kFill, device->id, size);
    aclError code = Enter(device);
    if (code == ACL_SUCCESS) code = aclrtMemset(pointer, size, value, size);
    return Answer("device_memory_set", code);
}

C_Status device_memory_stats(C_Device device, std::size_t* total, std::size_t* free) {
    if (device == nullptr) return Refuse("device_memory_stats", "device is null");
    if (total == nullptr || free == nullptr) {
        return Refuse("device_memory_stats", "total_memory or free_memory is null");
    }
    std::size_t all = 0;
    std::size_t left = 0;
    aclError code = Enter(device);
    if (code == ACL_SUCCESS) code = aclrtGetMemInfo(ACL_HBM_MEM, &left, &all);
    if (code != ACL_SUCCESS) return Answer("device_memory_stats", code);
    *total = all;
    *free = left;
    return C_SUCCESS;
}

}  // namespace portacl_paddle
