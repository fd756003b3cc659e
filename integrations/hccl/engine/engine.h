// What moves the data of a communicator. One object is one rank's end.
#pragma once

#include <acl/acl.h>

#include <chrono>
#include <memory>
#include <string>

#include "base/failure.h"
#include "base/operation.h"
#include "watch/groups.h"
#include "watch/socket.h"

namespace hccl {

class Engine {
  public:
    virtual ~Engine() = default;
    // Enqueues the operation on the stream, and returns at once. Operations are enqueued in the same order by all
    // ranks.
    virtual void Enqueue(Operation operation, aclrtStream stream) = 0;
    // Returns this rank's end of a group within the communicator if its members need no connections, else null.
    virtual std::shared_ptr<Engine> NewGroup(uint32_t rank, uint32_t size) = 0;
    // Waits until all members of a group call this, and returns what the root passes. Throws a Failure.
    virtual std::string Share(GroupCall call, Clock::time_point) { return call.info; }
    // Ends operations that run, and those that are enqueued, with this failure.
    virtual void Destroy(const Failure&) noexcept {}
    // Why an operation has failed on a stream, or HCCL_SUCCESS.
    virtual HcclResult failure() const { return HCCL_SUCCESS; }
};

// A world of one rank: copies on the stream.
std::unique_ptr<Engine> NewAloneEngine();
// One rank of a world whose other ranks do not exist: every rank has this rank's data (PORTACL_HCCL).
std::unique_ptr<Engine> NewFakeEngine(uint32_t rank, uint32_t size);

}  // namespace hccl
