#include "runtime/context.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/call.h"
#include "graph/capture.h"
#include "graph/graph.h"
#include "kernel/module.h"
#include "memory/memory.h"
#include "memory/shared_file.h"
#include "pool/mem_pool.h"
#include "runtime/context_cost.h"
#include "stream/event.h"
#include "stream/stream.h"

namespace fake {
namespace {

constexpr int kLeastPriority = 0;
constexpr int kGreatestPriority = -5;

// The calling thread's contexts. The stack has no destructor, so it is valid as long as the thread
// runs: a program may call the driver from its thread-local and static destructors.
class Stack {
  public:
    bool empty() const { return size_ == 0; }
    Context*& back() { return items_[size_ - 1]; }
    void pop_back() { --size_; }
    // Adds a context. Returns false if the stack is full.
    bool push_back(Context* context) {
        if (size_ == kCapacity) return false;
        items_[size_++] = context;
        return true;
    }

  private:
    static constexpr size_t kCapacity = 64;
    Context* items_[kCapacity];
    size_t size_;
};

Stack& stack() {
    static thread_local Stack value;
    return value;
}

void orphan(const char* what, uint64_t handle, const Context& context) {
    char text[120];
    snprintf(text, sizeof text, "%s 0x%llx of device %d, destroyed with its context", what,
             static_cast<unsigned long long>(handle), context.ordinal);
    state().orphans.push_back(text);
}

// Removes from `registry` what belongs to `context`.
template <typename T>
void clear(Registry<T>& registry, const char* what, const Context& context, bool is_leak) {
    std::vector<uint64_t> mine;
    for (const auto& [handle, object] : registry.live()) {
        if (object->context == &context) {
            mine.push_back(handle);
        }
    }
    for (const uint64_t handle : mine) {
        if (is_leak && what != nullptr) {
            orphan(what, handle, context);
        }
        registry.remove(handle);
    }
}

// Waits for all pending work, then destroys what belongs to the context. Remaining objects are
// leaks, unless the context is reset or has failed: then the program could not free them.
void tear_down(const Call& call, Context& context, bool is_leak) {
    State& all = state();
    is_leak = is_leak && context.sticky == CUDA_SUCCESS;
    context.active = false;
    context.draining = true;
    for (const auto& [handle, stream] : all.streams.live()) {
        if (stream->context == &context) {
            finish(*stream);
        }
    }
    clear(all.streams, "stream", context, is_leak);
    if (context.internal != nullptr) {
        finish(*context.internal);
        context.internal = nullptr;
        context.hardware_queues.clear();
    }
    call.wait_inside([&] { return context.streams.empty(); });
    clear(all.events, "event", context, is_leak);
    clear(all.functions, nullptr, context, is_leak);
    clear(all.graphs, "graph", context, is_leak);
    clear(all.graph_execs, "graph exec", context, is_leak);
    clear(all.modules, "module", context, is_leak);
    // Pinned memory belongs to the context that allocated it, as in the driver.
    for (auto entry = all.blocks.begin(); entry != all.blocks.end();) {
        const Block& block = *entry->second;
        const bool of_host_pool = block.pool != nullptr && block.pool->on_host() && !block.pool->managed();
        if (block.context == &context && block.kind != BlockKind::kMapped && !of_host_pool) {
            if (is_leak && !block.is_variable) {
                orphan(name_of(block.kind), entry->first, context);
            }
            entry = all.blocks.erase(entry);
        } else {
            ++entry;
        }
    }
    drop_pools(context, is_leak);
    context.peers.clear();
    context.sticky = CUDA_SUCCESS;
    context.draining = false;
    all.changed.notify_all();
}

}  // namespace

// There are more addresses than memory, so that allocations never fail because of fragmentation, and freed addresses
// are not reused for a while.
Device::Device(size_t memory) : total(memory), arena(memory * 4, true) {}

Context::Context(const Context& primary) : ordinal(primary.ordinal), device(primary.device) {}

Context::Context(int ordinal_, size_t memory) : ordinal(ordinal_), device(std::make_shared<Device>(memory)) {
    device->file = SharedFile::create(*this);
    if (device->file == nullptr || !device->file->back(*this, device->arena.base(), device->arena.size())) {
        perror("fake_cuda: no file for the memory of a device");
        exit(96);
    }
}

Context* current_context() {
    return stack().empty() ? nullptr : stack().back();
}

Context* device(CUdevice ordinal) {
    const auto& contexts = state().contexts;
    const bool known = ordinal >= 0 && static_cast<size_t>(ordinal) < contexts.size();
    return known ? contexts[static_cast<size_t>(ordinal)].get() : nullptr;
}

void name_context(Context& context) {
    constexpr uint64_t kBase = (uint64_t{0x5AFE} << 48) | (static_cast<uint64_t>(HandleKind::kContext) << 40);
    const uint64_t handle = kBase + 16 * (state().contexts_by_handle.size() + 1);
    context.handle = reinterpret_cast<CUcontext>(handle);
    state().contexts_by_handle.emplace(handle, &context);
}

CUresult check_device(const Call& call, CUdevice ordinal) {
    if (device(ordinal) == nullptr) {
        return call.misuse(CUDA_ERROR_INVALID_DEVICE, "no device %d, there are %zu", ordinal, state().contexts.size());
    }
    return CUDA_SUCCESS;
}

Context* find_context(CUcontext handle) {
    const auto& known = state().contexts_by_handle;
    const auto found = known.find(number_of(handle));
    return found == known.end() ? nullptr : found->second;
}

}  // namespace fake

using namespace fake;

// Assumption: A device has one primary context, which all libraries of a process share, until the last one releases it.
// Source: CUDA Driver API, Primary Context Management: cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRelease
// Test: NativeCuda.DeviceAndContextAreThoseOfTheDriver, NativeCuda.AWrappedStreamOutlivesTheReset

FAKE_CUDA_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext* out, CUdevice ordinal) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    if (CUresult code = check_device(call, ordinal)) return code;
    if (out == nullptr) return call.misuse(CUDA_ERROR_INVALID_VALUE, "pctx is null");
    Context& context = *device(ordinal);
    call.wait_inside([&] { return !context.draining; });
    if (context.sticky != CUDA_SUCCESS) return context.sticky;
    if (const CUresult lost = context.device->lost) return lost;
    if (!context.active) {
        pay_for_context();
        context.active = true;
        context.internal = make_stream(context, CU_STREAM_DEFAULT, kLeastPriority);
    }
    ++context.references;
    *out = context.handle;
    return CUDA_SUCCESS;
}

// Assumption: A failed primary context returns its failure from every call, also from its release, until the last
// holder has released it. No other context can be created on the device until the process ends.
// Source: CUDA Driver API, Data types: CUDA_ERROR_ILLEGAL_ADDRESS and others: "the process must be terminated and
// relaunched"; run on an H200 (docs/gpu, 2026-11-27)
// Test: KernelTrap.FailsTheDevice

FAKE_CUDA_EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice ordinal) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    if (CUresult code = check_device(call, ordinal)) return code;
    Context& context = *device(ordinal);
    if (context.references == 0) {
        return call.misuse(CUDA_ERROR_INVALID_CONTEXT, "the primary context of device %d is not retained", ordinal);
    }
    // "May also return error codes from previous, asynchronous launches": the reference is released
    // anyway.
    const CUresult earlier = context.sticky;
    if (--context.references == 0 && context.active) {
        tear_down(call, context, true);
    }
    return earlier;
}

FAKE_CUDA_EXPORT CUresult cuDevicePrimaryCtxRelease(CUdevice ordinal) {
    return cuDevicePrimaryCtxRelease_v2(ordinal);
}

FAKE_CUDA_EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice ordinal) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    if (CUresult code = check_device(call, ordinal)) return code;
    Context& context = *device(ordinal);
    if (context.active) {
        tear_down(call, context, false);
    }
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuDevicePrimaryCtxReset(CUdevice ordinal) {
    return cuDevicePrimaryCtxReset_v2(ordinal);
}

FAKE_CUDA_EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice ordinal, unsigned* flags, int* active) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    if (CUresult code = check_device(call, ordinal)) return code;
    if (flags == nullptr || active == nullptr) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "flags or active is null");
    }
    *flags = 0;
    *active = device(ordinal)->active ? 1 : 0;
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice ordinal, unsigned flags) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    if (CUresult code = check_device(call, ordinal)) return code;
    // How the driver waits (spin, yield, block) makes no difference here.
    return flags < 0x100 ? CUDA_SUCCESS : call.misuse(CUDA_ERROR_INVALID_VALUE, "unknown flags 0x%x", flags);
}

FAKE_CUDA_EXPORT CUresult cuDevicePrimaryCtxSetFlags(CUdevice ordinal, unsigned flags) {
    return cuDevicePrimaryCtxSetFlags_v2(ordinal, flags);
}

FAKE_CUDA_EXPORT CUresult cuCtxCreate_v2(CUcontext* out, unsigned flags, CUdevice ordinal) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    if (CUresult code = check_device(call, ordinal)) return code;
    if (out == nullptr || flags >= 0x100) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "pctx is null, or flags 0x%x are unknown", flags);
    }
    if (const CUresult lost = device(ordinal)->device->lost) return lost;
    auto created = std::make_unique<Context>(*device(ordinal));
    if (!stack().push_back(created.get())) {
        return call.misuse(CUDA_ERROR_OUT_OF_MEMORY, "too many contexts pushed in this thread");
    }
    pay_for_context();
    name_context(*created);
    created->active = true;
    created->internal = make_stream(*created, CU_STREAM_DEFAULT, kLeastPriority);
    *out = created->handle;
    state().created.push_back(std::move(created));
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuCtxDestroy_v2(CUcontext handle) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    Context* const context = find_context(handle);
    if (context == nullptr || context == device(context->ordinal) || !context->active) {
        return call.misuse(CUDA_ERROR_INVALID_CONTEXT, "%p is no live context of cuCtxCreate",
                           static_cast<void*>(handle));
    }
    const CUresult earlier = context->sticky;
    // On other threads it stays current.
    if (current_context() == context) stack().pop_back();
    tear_down(call, *context, false);
    return earlier;
}

FAKE_CUDA_EXPORT CUresult cuCtxGetCurrent(CUcontext* out) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    if (out == nullptr) return call.misuse(CUDA_ERROR_INVALID_VALUE, "pctx is null");
    const Context* context = current_context();
    *out = context == nullptr ? nullptr : context->handle;
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuCtxSetCurrent(CUcontext handle) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    if (handle == nullptr) {
        if (!stack().empty()) {
            stack().pop_back();
        }
        return CUDA_SUCCESS;
    }
    Context* context = find_context(handle);
    if (context == nullptr) {
        return call.misuse(CUDA_ERROR_INVALID_CONTEXT, "%p is not a context", static_cast<void*>(handle));
    }
    if (!context->active) {
        return call.misuse(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the context of device %d was released or reset",
                           context->ordinal);
    }
    if (stack().empty()) {
        stack().push_back(context);
    } else {
        stack().back() = context;
    }
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuCtxPushCurrent_v2(CUcontext handle) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    Context* context = find_context(handle);
    if (context == nullptr) {
        return call.misuse(CUDA_ERROR_INVALID_CONTEXT, "%p is not a context", static_cast<void*>(handle));
    }
    if (!context->active) {
        return call.misuse(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the context of device %d was released or reset",
                           context->ordinal);
    }
    if (!stack().push_back(context)) {
        return call.misuse(CUDA_ERROR_OUT_OF_MEMORY, "too many contexts pushed in this thread");
    }
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuCtxPushCurrent(CUcontext handle) {
    return cuCtxPushCurrent_v2(handle);
}

FAKE_CUDA_EXPORT CUresult cuCtxPopCurrent_v2(CUcontext* out) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    if (stack().empty()) {
        return call.misuse(CUDA_ERROR_INVALID_CONTEXT, "no context is current in this thread");
    }
    if (out != nullptr) {
        *out = stack().back()->handle;
    }
    stack().pop_back();
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuCtxPopCurrent(CUcontext* out) {
    return cuCtxPopCurrent_v2(out);
}

FAKE_CUDA_EXPORT CUresult cuCtxGetDevice(CUdevice* out) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (out == nullptr) return call.misuse(CUDA_ERROR_INVALID_VALUE, "device is null");
    *out = call.context().ordinal;
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuCtxSynchronize() {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (const CUresult captured = disturb_captures_in(call.context())) return captured;
    return wait_for_device(call);
}

// Assumption: Smaller numbers are higher priorities, and a stream gets the nearest one that exists.
// Source: CUDA Driver API, Stream Management: cuStreamCreateWithPriority; Context Management:
// cuCtxGetStreamPriorityRange
// Test: DeviceInfo.PriorityRange, StreamCreate.WithEveryFlagAndPriority

FAKE_CUDA_EXPORT CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (least != nullptr) *least = kLeastPriority;
    if (greatest != nullptr) *greatest = kGreatestPriority;
    return CUDA_SUCCESS;
}
