// A communicator: one rank's end of a group of ranks. `HcclComm` is its handle.
#pragma once

#include <acl/acl.h>

#include <memory>
#include <string>

#include "engine/engine.h"

namespace hccl {

class Communicator {
  public:
    Communicator(std::string name, uint32_t rank, uint32_t size, std::shared_ptr<Engine> engine)
        : name_(std::move(name)), rank_(rank), size_(size), engine_(std::move(engine)) {}

    const std::string& name() const { return name_; }
    uint32_t rank() const { return rank_; }
    uint32_t size() const { return size_; }
    // Why an operation has failed on a stream, or HCCL_SUCCESS.
    HcclResult failure() const { return engine_->failure(); }

    Engine& engine() const { return *engine_; }
    void Enqueue(Operation operation, aclrtStream stream) { engine_->Enqueue(std::move(operation), stream); }
    // Ends the operations that run.
    void Destroy();

  private:
    const std::string name_;
    const uint32_t rank_;
    const uint32_t size_;
    const std::shared_ptr<Engine> engine_;
};

using Handle = std::shared_ptr<Communicator>;

// Adds a communicator, and returns its handle.
HcclComm Add(Handle communicator);
// Returns the communicator of a handle. Throws a Failure if there is none.
Handle Find(HcclComm handle);
// Removes the handle. Throws a Failure if there is none.
Handle Remove(HcclComm handle);

}  // namespace hccl
