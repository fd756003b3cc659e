// What the callbacks for collectives share. They run by libhccl, whose sources the plug-in contains.
#pragma once

#include <hccl/hccl.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/interface.h"

namespace portacl_paddle {

// Elements as libhccl knows them: `numbers` of them for each element of Paddle.
struct Elements {
    HcclDataType type;
    std::size_t numbers;

    // A product that is too large stays too large.
    std::uint64_t Count(std::size_t elements) const {
        return elements > SIZE_MAX / numbers ? SIZE_MAX : elements * numbers;
    }
};

// Returns nothing for a type of which libhccl has no elements.
std::optional<Elements> ElementsOf(C_DataType type);

inline HcclComm Handle(C_CCLComm communicator) {
    return reinterpret_cast<HcclComm>(communicator);
}

// A rank that is too large stays too large.
inline std::uint32_t RankOf(std::size_t rank) {
    return rank > UINT32_MAX ? UINT32_MAX : static_cast<std::uint32_t>(rank);
}

// Makes the stream's device current: Paddle passes no device to collectives.
aclError EnterDeviceOf(C_Stream stream);

// Converts the result of a call of libhccl to a status.
C_Status AnswerOf(const char* callback, HcclResult result);

// Waits for the stream, whose device is current.
C_Status Await(const char* callback, C_Stream stream);

// Adds transfers to the group of this thread. Returns false outside of a group.
bool AddToGroup(const HcclSendRecvItem& transfer, HcclComm communicator, C_Stream stream);

// Drops the group of this thread after a failure: Paddle throws then, and does not end the group. Returns the status.
C_Status EndGroupAfter(C_Status status);

// Divides the elements of device memory by a number, in the order of the stream.
aclError Divide(void* memory, std::size_t count, HcclDataType type, std::uint32_t by, aclrtStream stream);

}  // namespace portacl_paddle
