#include "api/checks.h"

#include "base/types.h"

namespace hccl {

size_t RequireType(HcclDataType type, const char* argument) {
    const size_t bytes = BytesOf(type);
    if (bytes == 0) {
        throw Failure(HCCL_E_PARA, std::string(argument) + " is " + std::to_string(static_cast<unsigned>(type)) +
                                       "; allowed: 0 to " + std::to_string(HCCL_DATA_TYPE_INT128) + " (HcclDataType)");
    }
    return bytes;
}

void RequireReduction(HcclReduceOp reduction, HcclDataType type) {
    if (NameOf(reduction) == nullptr) {
        throw Failure(HCCL_E_PARA, "op is " + std::to_string(static_cast<unsigned>(reduction)) + "; allowed: 0 to " +
                                       std::to_string(HCCL_REDUCE_MIN) + " (HcclReduceOp)");
    }
    if (type == HCCL_DATA_TYPE_INT128) {
        throw Failure(HCCL_E_NOT_SUPPORT, "dataType is " + std::to_string(type) +
                                              " (int128), which has no reductions; pass int64, or use "
                                              "HcclAllGather and reduce on the host");
    }
}

void RequireRank(const Communicator& communicator, uint32_t rank, const char* argument) {
    if (rank < communicator.size()) return;
    throw Failure(HCCL_E_PARA, std::string(argument) + " is " + std::to_string(rank) + "; allowed: 0 to " +
                                   std::to_string(communicator.size() - 1) + ", the ranks of the communicator");
}

void RequirePeer(const Communicator& communicator, uint32_t rank, const char* argument) {
    RequireRank(communicator, rank, argument);
    if (rank == communicator.rank() && communicator.size() > 1) {
        throw Failure(HCCL_E_PARA, std::string(argument) + " is " + std::to_string(rank) +
                                       ", the rank of the caller; pass another rank, or use aclrtMemcpyAsync to copy");
    }
}

size_t BytesOfAll(uint64_t count, const char* argument, size_t element, uint32_t ranks) {
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, element, &bytes) || __builtin_mul_overflow(bytes, ranks, &bytes) ||
        bytes > static_cast<size_t>(PTRDIFF_MAX)) {
        throw Failure(HCCL_E_PARA, std::string(argument) + " is " + std::to_string(count) + "; allowed: at most " +
                                       std::to_string(static_cast<size_t>(PTRDIFF_MAX) / element / ranks) +
                                       " elements of this type");
    }
    return bytes;
}

}  // namespace hccl
