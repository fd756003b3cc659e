// What an engine's module has: it moves data between host addresses of the ranks. Modules are built with this library
// and lie beside it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/failure.h"
#include "base/operation.h"

namespace hccl {

// The place of a rank in a new communicator.
struct Seat {
    // What `Meet` returned in the process of the root.
    std::string meeting;
    std::string name;
    // The address by which other ranks reach this one.
    std::string address;
    uint32_t rank;
    uint32_t size;
    std::chrono::steady_clock::time_point deadline;
    // How long an operation may take; 0: no limit.
    std::chrono::seconds patience;
    // Sends a text of one length to each rank, in their order, and returns theirs to this one. All ranks call it, at
    // most once. Throws a Failure.
    std::function<std::vector<std::string>(const std::vector<std::string>&)> exchange;
};

// One rank's connections to the others.
class Mover {
  public:
    virtual ~Mover() = default;
    // Runs an operation whose buffers are host memory, and returns when it is complete. Throws a Failure. One at a
    // time.
    virtual void Run(const Operation& operation) = 0;
    // Closes the connections, so that a running operation fails. From any thread.
    virtual void Close() noexcept = 0;
};

// What the module returns by its function `portacl_hccl_mover`.
struct MoverModule {
    const char* name;
    // Makes a place where the ranks meet, in the process of the root, at an address of this machine. Returns what
    // others need to find it.
    std::string (*meet)(const std::string& address);
    std::unique_ptr<Mover> (*join)(const Seat& seat);
    // The sizes for which the module was compiled.
    size_t seat_size = sizeof(Seat), operation_size = sizeof(Operation), failure_size = sizeof(Failure);

    // Whether the module and this library were compiled for each other.
    bool Fits() const {
        return seat_size == sizeof(Seat) && operation_size == sizeof(Operation) && failure_size == sizeof(Failure);
    }
};

using MoverFunction = const MoverModule*();

}  // namespace hccl
