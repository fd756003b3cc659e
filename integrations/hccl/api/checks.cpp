#include "api/checks.h"

#include <map>

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

std::vector<uint32_t> RequireMembers(const Communicator& communicator, uint32_t count, const uint32_t* ranks,
                                     uint32_t place) {
    if (count == 0 || count > communicator.size()) {
        throw Failure(HCCL_E_PARA, "nRanks is " + std::to_string(count) + "; allowed: 1 to " +
                                       std::to_string(communicator.size()) + ", the size of the communicator");
    }
    if (place >= count) {
        throw Failure(HCCL_E_PARA, "rank is " + std::to_string(place) + "; allowed: 0 to " + std::to_string(count - 1) +
                                       " (nRanks is " + std::to_string(count) + ")");
    }
    std::map<uint32_t, uint32_t> places;
    for (uint32_t index = 0; index < count; index++) {
        const std::string name = "ranks[" + std::to_string(index) + "]";
        RequireRank(communicator, ranks[index], name.c_str());
        const auto [first, is_new] = places.emplace(ranks[index], index);
        if (is_new) continue;
        throw Failure(HCCL_E_PARA, name + " is " + std::to_string(ranks[index]) + ", the same as ranks[" +
                                       std::to_string(first->second) + "]; list each rank once");
    }
    const uint32_t own = communicator.rank();
    const auto found = places.find(own);
    if (found == places.end()) {
        throw Failure(HCCL_E_PARA, "ranks does not contain " + std::to_string(own) +
                                       ", the rank of the caller; add it, or make this call only in ranks of the list");
    }
    if (found->second != place) {
        throw Failure(HCCL_E_PARA, "rank is " + std::to_string(place) + "; allowed: " + std::to_string(found->second) +
                                       ", the index of the caller's rank " + std::to_string(own) + " in ranks");
    }
    return std::vector<uint32_t>(ranks, ranks + count);
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
