// The start of communicators.
#pragma once

#include "communicator/communicator.h"

namespace hccl {

// Fills the bytes by which the ranks of a communicator find each other.
void Invite(HcclRootInfo* info);
// Throws a Failure if a communicator cannot have this number of ranks, which is that of an argument.
void CheckSize(const char* argument, uint32_t size);
// Joins a communicator, and waits until all ranks have. Throws a Failure.
Handle Join(uint32_t size, const HcclRootInfo& info, uint32_t rank);
// Creates this rank's end of a group within a communicator, and waits until all members have. Throws a Failure.
Handle Divide(const Communicator& parent, GroupCall call, uint32_t rank);
// Creates all ranks of a communicator in this process.
std::vector<Handle> JoinAll(uint32_t size);

}  // namespace hccl
