// Many copies in one call.

#include <cstring>
#include <vector>

#include "graph/capture.h"
#include "runtime/context.h"
#include "transfer/memcpy.h"

namespace fake {
namespace {

// Where a copy of a batch goes from and to.
struct BatchCopy {
    Operand dst;
    Operand src;
    size_t size = 0;
    // The bytes of a source that was read during the call.
    std::shared_ptr<std::vector<uint8_t>> staged;

    void run() const { memmove(dst.bytes, staged != nullptr ? staged->data() : src.bytes, size); }
};

// Checks that a list of indexes begins with 0, ascends, and stays below `count`.
bool is_list_of_firsts(const size_t* firsts, size_t length, size_t count) {
    if (length == 0 || length > count || firsts[0] != 0) return false;
    for (size_t i = 1; i < length; ++i) {
        if (firsts[i] <= firsts[i - 1] || firsts[i] >= count) return false;
    }
    return true;
}

// Assumption: A batch of copies is one operation of the stream, and has no order in it. Sources are read in the order
// of the stream, or during the call, as their attribute says; no copy of pageable memory is staged or waited for. An
// invalid copy is named by its index. The legacy stream is refused, and so is a captured one.
// Source: CUDA Driver API, Memory Management: cuMemcpyBatchAsync; documentation of cuda.core, utils.copy_batch: about
// captured streams. The status for these, and what a size of 0 does, are not known; the library passes
// neither
// Test: MemcpyBatchAsync.WithPinnedMemoryReturnsAtOnceAndRunsInOrder,
// MemcpyBatchAsync.PageableMemoryIsFreeToReuseOnReturn, JoinedCapture.ABatchIsCapturedCopyByCopy

CUresult read_batch(const Call& call, const Stream& stream, CUdeviceptr* dsts, CUdeviceptr* srcs, size_t* sizes,
                    size_t count, const CUmemcpyAttributes* attributes, const size_t* firsts, size_t attribute_count,
                    size_t* failed, std::vector<BatchCopy>* copies) {
    size_t attribute = 0;
    for (size_t i = 0; i < count; ++i) {
        *failed = i;
        if (attribute + 1 < attribute_count && firsts[attribute + 1] == i) ++attribute;
        BatchCopy copy;
        copy.size = sizes[i];
        if (copy.size == 0) return call.misuse(CUDA_ERROR_INVALID_VALUE, "sizes[%zu] is 0", i);
        if (CUresult code = resolve(call, "dsts", dsts[i], copy.size, *stream.context, &copy.dst)) return code;
        if (CUresult code = resolve(call, "srcs", srcs[i], copy.size, *stream.context, &copy.src)) return code;
        if (attributes[attribute].srcAccessOrder == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL) {
            if (copy.src.only_on_device()) {
                return call.misuse(CUDA_ERROR_INVALID_VALUE, "srcs[%zu] is device memory, read during the call", i);
            }
            copy.staged = std::make_shared<std::vector<uint8_t>>(copy.src.bytes, copy.src.bytes + copy.size);
        }
        copies->push_back(std::move(copy));
    }
    *failed = SIZE_MAX;
    return CUDA_SUCCESS;
}

}  // namespace
}  // namespace fake

using namespace fake;

FAKE_CUDA_EXPORT CUresult cuMemcpyBatchAsync(CUdeviceptr* dsts, CUdeviceptr* srcs, size_t* sizes, size_t count,
                                             CUmemcpyAttributes* attributes, size_t* firsts, size_t attribute_count,
                                             size_t* failed, CUstream handle) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (dsts == nullptr || srcs == nullptr || sizes == nullptr || count == 0 || attributes == nullptr ||
        firsts == nullptr || failed == nullptr || !is_list_of_firsts(firsts, attribute_count, count)) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "a list is null or empty, or attrsIdxs do not ascend from 0");
    }
    *failed = SIZE_MAX;
    for (size_t i = 0; i < attribute_count; ++i) {
        const CUmemcpyAttributes& one = attributes[i];
        if (one.srcAccessOrder < CU_MEMCPY_SRC_ACCESS_ORDER_STREAM ||
            one.srcAccessOrder > CU_MEMCPY_SRC_ACCESS_ORDER_ANY || one.flags > CU_MEMCPY_FLAG_PREFER_OVERLAP) {
            return call.misuse(CUDA_ERROR_INVALID_VALUE, "attrs[%zu]: order %d or flags 0x%x unknown", i,
                               one.srcAccessOrder, one.flags);
        }
    }
    CUresult code = CUDA_SUCCESS;
    const auto stream = find_stream_to_submit(call, handle, &code);
    if (stream == nullptr) return code;
    if (CUresult captured = disturb_capture_of(handle, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)) return captured;
    std::vector<BatchCopy> copies;
    code = read_batch(call, *stream, dsts, srcs, sizes, count, attributes, firsts, attribute_count, failed, &copies);
    if (code != CUDA_SUCCESS) return code;
    Operation operation;
    for (const BatchCopy& copy : copies) {
        copy.dst.keep_in(operation.blocks);
        copy.src.keep_in(operation.blocks);
    }
    operation.body = [copies = std::move(copies)] {
        // The last one first, so that nothing relies on their order.
        for (auto copy = copies.rbegin(); copy != copies.rend(); ++copy) copy->run();
        return CUDA_SUCCESS;
    };
    return submit(call, *stream, std::move(operation));
}
