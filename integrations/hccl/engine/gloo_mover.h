// What the movers over a Gloo share: the choice of the function for an operation, and the texts of failures.
#pragma once

#include "engine/mover.h"

namespace hccl {

class GlooMover : public Mover {
  public:
    void Run(const Operation& operation) final;

  protected:
    // `patience`: how long an operation may take, for texts.
    GlooMover(uint32_t rank, uint32_t size, std::chrono::milliseconds patience)
        : rank_(rank), size_(size), patience_(patience) {}

    // Operations of all ranks. They have elements.
    virtual void AllReduce(const Operation& operation) = 0;
    virtual void Reduce(const Operation& operation) = 0;
    virtual void ReduceScatter(const Operation& operation) = 0;
    virtual void AllGather(const Operation& operation) = 0;
    virtual void Broadcast(const Operation& operation) = 0;
    virtual void Scatter(const Operation& operation) = 0;
    virtual void AllToAll(const Operation& operation) = 0;
    virtual void Barrier() = 0;
    // The n-th receive from a rank gets its n-th send to this one.
    virtual void Exchange(const std::vector<Transfer>& batch) = 0;
    // Whether the error says that there is no memory.
    virtual bool IsNoMemory(const std::exception&) const { return false; }
    // What the error says, without the place in the source.
    virtual std::string TextOf(const std::string& text) const = 0;

    // Copies what this rank sends to itself. The call has checked that these are pairs.
    void CopyOwn(const std::vector<Transfer>& batch) const;
    // Sources are read only; Gloo has no buffers of constant memory.
    static uint8_t* Mutable(const void* memory) { return static_cast<uint8_t*>(const_cast<void*>(memory)); }

    const uint32_t rank_;
    const uint32_t size_;
    const std::chrono::milliseconds patience_;

  private:
    void Start(const Operation& operation);
    void Collect(const Operation& operation);
};

}  // namespace hccl
