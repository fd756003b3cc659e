// Waits of streams for a word in memory, and writes of one.

#include <unistd.h>

#include <algorithm>

#include "memory/memory.h"
#include "stream/stream.h"

// Assumption: A stream waits for a word in pinned or device memory and writes one; drivers refuse managed memory.
// Source: CUDA Driver API, Stream Memory Operations: cuStreamWaitValue32, cuStreamWriteValue64, which do not name
// managed memory: there the library lets the host wait
// Test: StreamValue.OfManagedMemory, StreamValuePending.AResetEndsPendingWaits

namespace fake {
namespace {

// A wait polls less often the longer it lasts: each poll takes the lock of the whole driver, and hundreds of streams
// may wait at once.
constexpr unsigned kFirstPollMicroseconds = 20;
constexpr unsigned kLastPollMicroseconds = 2000;

enum Comparison : unsigned { kGreaterOrEqual = 0, kEqual = 1, kAnd = 2, kNor = 3 };
// Remote writes are visible at once here, so the flush does nothing.
constexpr unsigned kFlush = 1u << 30;
constexpr unsigned kNoMemoryBarrier = 1;

template <typename T>
bool holds(unsigned comparison, T word, T value) {
    switch (comparison) {
        case kGreaterOrEqual:
            // The comparison is cyclic, so that counters may wrap.
            return static_cast<std::make_signed_t<T>>(word - value) >= 0;
        case kEqual:
            return word == value;
        case kAnd:
            return (word & value) != 0;
        default:
            return static_cast<T>(~(word | value)) != 0;
    }
}

// Returns the stream, and in `word` the memory of the word at `address`.
template <typename T>
std::shared_ptr<Stream> prepare(const Call& call, CUstream handle, uint64_t address, Operand* word, CUresult* code) {
    *code = call.refused();
    if (*code != CUDA_SUCCESS) return nullptr;
    auto stream = find_stream_to_submit(call, handle, code);
    if (stream == nullptr) return nullptr;
    if (address % sizeof(T) != 0) {
        *code = call.misuse(CUDA_ERROR_INVALID_VALUE, "addr 0x%llx is not aligned to %zu bytes",
                            static_cast<unsigned long long>(address), sizeof(T));
        return nullptr;
    }
    *code = resolve(call, "addr", address, sizeof(T), *stream->context, word);
    if (*code == CUDA_SUCCESS && word->pageable()) {
        *code = call.misuse(CUDA_ERROR_INVALID_VALUE, "addr 0x%llx is pageable host memory",
                            static_cast<unsigned long long>(address));
    }
    if (*code == CUDA_SUCCESS && word->managed()) {
        *code = call.misuse(CUDA_ERROR_INVALID_VALUE, "addr 0x%llx is managed memory",
                            static_cast<unsigned long long>(address));
    }
    return *code == CUDA_SUCCESS ? stream : nullptr;
}

template <typename T>
CUresult wait_value(Call& call, CUstream handle, uint64_t address, T value, unsigned flags) {
    Operand word;
    CUresult code = CUDA_SUCCESS;
    const auto stream = prepare<T>(call, handle, address, &word, &code);
    if (stream == nullptr) return code;
    const unsigned comparison = flags & ~kFlush;
    if (comparison > kNor) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "unknown flags 0x%x", flags);
    }
    Operation operation;
    operation.blocks.push_back(word.block);
    operation.body = [at = reinterpret_cast<const T*>(word.bytes), value, comparison, context = stream->context] {
        unsigned pause = kFirstPollMicroseconds;
        while (!holds<T>(comparison, __atomic_load_n(at, __ATOMIC_ACQUIRE), value)) {
            usleep(pause);
            pause = std::min(2 * pause, kLastPollMicroseconds);
            // The waits of a failed context end.
            const Lock lock(state().mutex);
            ++state().polls;
            if (context->sticky != CUDA_SUCCESS) break;
        }
        return CUDA_SUCCESS;
    };
    return submit(call, *stream, std::move(operation));
}

template <typename T>
CUresult write_value(Call& call, CUstream handle, uint64_t address, T value, unsigned flags) {
    Operand word;
    CUresult code = CUDA_SUCCESS;
    const auto stream = prepare<T>(call, handle, address, &word, &code);
    if (stream == nullptr) return code;
    if ((flags & ~kNoMemoryBarrier) != 0) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "unknown flags 0x%x", flags);
    }
    Operation operation;
    operation.blocks.push_back(word.block);
    operation.body = [at = reinterpret_cast<T*>(word.bytes), value] {
        __atomic_store_n(at, value, __ATOMIC_RELEASE);
        return CUDA_SUCCESS;
    };
    return submit(call, *stream, std::move(operation));
}

// Refuses the first version of these functions, which only works with an option of the kernel module.
CUresult refuse(const Call& call) {
    return call.refused() ? call.refused() : CUDA_ERROR_NOT_SUPPORTED;
}

}  // namespace
}  // namespace fake

using namespace fake;

FAKE_CUDA_EXPORT CUresult cuStreamWaitValue32(CUstream, CUdeviceptr, uint32_t, unsigned) {
    return refuse(Call(__func__, Needs::kContext));
}

FAKE_CUDA_EXPORT CUresult cuStreamWaitValue64(CUstream, CUdeviceptr, uint64_t, unsigned) {
    return refuse(Call(__func__, Needs::kContext));
}

FAKE_CUDA_EXPORT CUresult cuStreamWriteValue32(CUstream, CUdeviceptr, uint32_t, unsigned) {
    return refuse(Call(__func__, Needs::kContext));
}

FAKE_CUDA_EXPORT CUresult cuStreamWriteValue64(CUstream, CUdeviceptr, uint64_t, unsigned) {
    return refuse(Call(__func__, Needs::kContext));
}

FAKE_CUDA_EXPORT CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, uint32_t value, unsigned flags) {
    Call call(__func__, Needs::kContext);
    return wait_value(call, stream, address, value, flags);
}

FAKE_CUDA_EXPORT CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr address, uint64_t value, unsigned flags) {
    Call call(__func__, Needs::kContext);
    return wait_value(call, stream, address, value, flags);
}

FAKE_CUDA_EXPORT CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, uint32_t value,
                                                  unsigned flags) {
    Call call(__func__, Needs::kContext);
    return write_value(call, stream, address, value, flags);
}

FAKE_CUDA_EXPORT CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address, uint64_t value,
                                                  unsigned flags) {
    Call call(__func__, Needs::kContext);
    return write_value(call, stream, address, value, flags);
}
