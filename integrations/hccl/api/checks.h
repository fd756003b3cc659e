// Checks of arguments. A failure names the argument, its value and its bound.
#pragma once

#include <string>
#include <vector>

#include "base/failure.h"
#include "base/operation.h"
#include "communicator/communicator.h"

namespace hccl {

inline void RequirePointer(const void* pointer, const char* argument) {
    if (pointer == nullptr) throw Failure(HCCL_E_PTR, std::string(argument) + " is null");
}

// A buffer may be null if nothing is there.
inline void RequireBuffer(const void* buffer, const char* argument, size_t bytes) {
    if (bytes > 0) RequirePointer(buffer, argument);
}

// Checks a type, and returns the bytes of its elements.
size_t RequireType(HcclDataType type, const char* argument);
// Checks a reduction of elements of a type.
void RequireReduction(HcclReduceOp reduction, HcclDataType type);
void RequireRank(const Communicator& communicator, uint32_t rank, const char* argument);
// As RequireRank. A rank of a connected world does not send to itself.
void RequirePeer(const Communicator& communicator, uint32_t rank, const char* argument);
// Checks the members of a group within a communicator, and returns them. `place`: that of the caller.
std::vector<uint32_t> RequireMembers(const Communicator& communicator, uint32_t count, const uint32_t* ranks,
                                     uint32_t place);
// Returns the bytes of `count` elements for each of `ranks` ranks. Throws if they do not fit an address space.
size_t BytesOfAll(uint64_t count, const char* argument, size_t element, uint32_t ranks);

}  // namespace hccl
