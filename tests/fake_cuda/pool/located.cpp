// The default and the current pools of devices and other locations.

#include <vector>

#include "base/config.h"
#include "pool/mem_pool.h"
#include "runtime/context.h"

namespace fake {
namespace {

CUresult check_device(const Call& call, const void* out, CUdevice ordinal) {
    if (CUresult code = check_supported(call)) return code;
    if (device(ordinal) == nullptr) {
        return call.misuse(CUDA_ERROR_INVALID_DEVICE, "no device %d", ordinal);
    }
    if (out == nullptr) return call.misuse(CUDA_ERROR_INVALID_VALUE, "pool is null");
    return CUDA_SUCCESS;
}

// The pools of a location that is not a device's own memory.
struct Located {
    int type;
    CUmemLocation location;
    std::shared_ptr<Pool> default_pool;
    std::shared_ptr<Pool> current;
};

// Never freed: the state that its pools use is not, either.
std::vector<Located>& all_located() {
    static auto* const all = new std::vector<Located>;
    return *all;
}

// Returns the pools of a location, which is valid.
Located& located(const CUmemLocation& location, int type) {
    CUmemLocation wanted = location;
    if (wanted.type == CU_MEM_LOCATION_TYPE_HOST || wanted.type == CU_MEM_LOCATION_TYPE_NONE) wanted.id = 0;
    for (Located& one : all_located()) {
        if (one.type == type && one.location.type == wanted.type && one.location.id == wanted.id) return one;
    }
    all_located().push_back({type, wanted, nullptr, nullptr});
    return all_located().back();
}

// Whether a location and a type name the memory that cuDeviceGetMemPool is about.
bool is_of_device(const CUmemLocation& location, int type) {
    return location.type == CU_MEM_LOCATION_TYPE_DEVICE && type == CU_MEM_ALLOCATION_TYPE_PINNED;
}

// Returns the default pool of a location, which is valid.
std::shared_ptr<Pool> default_pool_at(const CUmemLocation& location, int type) {
    if (is_of_device(location, type)) return default_pool(*device(location.id));
    Located& pools = located(location, type);
    if (pools.default_pool == nullptr) {
        CUmemPoolProps props{};
        props.allocType = type;
        props.location = pools.location;
        Context& context =
            *(location.type == CU_MEM_LOCATION_TYPE_DEVICE ? device(location.id) : state().contexts[0].get());
        pools.default_pool = std::make_shared<Pool>(context, props);
        pools.default_pool->is_default = true;
        pools.default_pool->handle = state().pools.add(pools.default_pool);
    }
    return pools.default_pool;
}

// Assumption: Each location has a default and a current pool for each allocation type. Those of a device and pinned
// memory are those of cuDeviceGetDefaultMemPool and cuDeviceSetMemPool. A pool becomes current only for the location
// and the type that it was created with.
// Source: CUDA Driver API, Stream Ordered Memory Allocator: cuMemGetDefaultMemPool, cuMemGetMemPool, cuMemSetMemPool
// Test: LocatedMemPool.TheDriverKeepsItsPools

CUresult check_named(const Call& call, const void* pool, const CUmemLocation* location, int type) {
    if (CUresult code = check_supported(call)) return code;
    if (pool == nullptr || location == nullptr ||
        (type != CU_MEM_ALLOCATION_TYPE_PINNED && type != CU_MEM_ALLOCATION_TYPE_MANAGED)) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "pool or location is null, or type %d is unknown", type);
    }
    CUmemPoolProps props{};
    props.allocType = type;
    props.location = *location;
    if (type == CU_MEM_ALLOCATION_TYPE_MANAGED && config().vgpu) return CUDA_ERROR_NOT_SUPPORTED;
    return check_location(call, props);
}

}  // namespace

CUresult check_supported(const Call& call) {
    if (call.refused()) return call.refused();
    free_ended_pools();
    return config().memory_pools ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult check_location(const Call& call, const CUmemPoolProps& props) {
    switch (props.location.type) {
        case CU_MEM_LOCATION_TYPE_DEVICE:
            if (device(props.location.id) == nullptr) {
                return call.misuse(CUDA_ERROR_INVALID_DEVICE, "no device %d", props.location.id);
            }
            return CUDA_SUCCESS;
        case CU_MEM_LOCATION_TYPE_HOST:
            return props.handleTypes == CU_MEM_HANDLE_TYPE_NONE ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
        case CU_MEM_LOCATION_TYPE_HOST_NUMA:
            // The machine has one NUMA node. This is no misuse, because the caller cannot know.
            if (props.location.id != 0) return CUDA_ERROR_INVALID_VALUE;
            // The files of shared pools contain device memory only.
            return props.handleTypes == CU_MEM_HANDLE_TYPE_NONE ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
        case CU_MEM_LOCATION_TYPE_NONE:
            return props.allocType == CU_MEM_ALLOCATION_TYPE_MANAGED ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
        default:
            return CUDA_ERROR_INVALID_VALUE;
    }
}

// Returns the device's default pool.
std::shared_ptr<Pool> default_pool(Context& context) {
    if (context.device->default_pool == nullptr) {
        CUmemPoolProps props{};
        props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
        props.location = {CU_MEM_LOCATION_TYPE_DEVICE, context.ordinal};
        context.device->default_pool = std::make_shared<Pool>(*device(context.ordinal), props);
        context.device->default_pool->is_default = true;
        context.device->default_pool->handle = state().pools.add(context.device->default_pool);
    }
    return context.device->default_pool;
}

std::shared_ptr<Pool> current_pool(Context& context) {
    return context.device->current_pool != nullptr ? context.device->current_pool : default_pool(context);
}

void forget_current(const Pool& pool) {
    if (pool.context->device->current_pool.get() == &pool) pool.context->device->current_pool = nullptr;
    for (Located& one : all_located()) {
        if (one.current.get() == &pool) one.current = nullptr;
    }
}

}  // namespace fake

using namespace fake;

FAKE_CUDA_EXPORT CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* out, CUdevice ordinal) {
    Call call(__func__, Needs::kStream);
    if (CUresult code = check_device(call, out, ordinal)) return code;
    *out = reinterpret_cast<CUmemoryPool>(default_pool(*device(ordinal))->handle);
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuDeviceGetMemPool(CUmemoryPool* out, CUdevice ordinal) {
    Call call(__func__, Needs::kStream);
    if (CUresult code = check_device(call, out, ordinal)) return code;
    *out = reinterpret_cast<CUmemoryPool>(current_pool(*device(ordinal))->handle);
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuDeviceSetMemPool(CUdevice ordinal, CUmemoryPool handle) {
    Call call(__func__, Needs::kStream);
    if (CUresult code = check_device(call, handle, ordinal)) return code;
    CUresult code = CUDA_SUCCESS;
    auto pool = find_pool(call, handle, &code);
    if (pool == nullptr) return code;
    if (pool->imported || pool->on_host() || pool->context != device(ordinal)) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "the pool is another process's, or not on device %d", ordinal);
    }
    device(ordinal)->device->current_pool = std::move(pool);
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuMemGetDefaultMemPool(CUmemoryPool* out, CUmemLocation* location, int type) {
    Call call(__func__, Needs::kStream);
    if (CUresult code = check_named(call, out, location, type)) return code;
    *out = reinterpret_cast<CUmemoryPool>(default_pool_at(*location, type)->handle);
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuMemGetMemPool(CUmemoryPool* out, CUmemLocation* location, int type) {
    Call call(__func__, Needs::kStream);
    if (CUresult code = check_named(call, out, location, type)) return code;
    auto current =
        is_of_device(*location, type) ? current_pool(*device(location->id)) : located(*location, type).current;
    if (current == nullptr) current = default_pool_at(*location, type);
    *out = reinterpret_cast<CUmemoryPool>(current->handle);
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuMemSetMemPool(CUmemLocation* location, int type, CUmemoryPool handle) {
    Call call(__func__, Needs::kStream);
    if (CUresult code = check_named(call, handle, location, type)) return code;
    CUresult code = CUDA_SUCCESS;
    auto pool = find_pool(call, handle, &code);
    if (pool == nullptr) return code;
    const CUmemLocation wanted = located(*location, type).location;
    const bool has_id = wanted.type != CU_MEM_LOCATION_TYPE_HOST && wanted.type != CU_MEM_LOCATION_TYPE_NONE;
    if (pool->imported || pool->type != type || pool->location.type != wanted.type ||
        (has_id && pool->location.id != wanted.id)) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "the pool is another process's, or of another location or type");
    }
    if (is_of_device(*location, type)) {
        device(location->id)->device->current_pool = std::move(pool);
    } else {
        located(*location, type).current = std::move(pool);
    }
    return CUDA_SUCCESS;
}
