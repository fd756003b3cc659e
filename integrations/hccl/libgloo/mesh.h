// The connections of a rank to all others.
#pragma once

#include <gloo/context.h>

#include "engine/mover.h"
#include "libgloo/interruptible.h"

namespace hccl {

class Mesh : public gloo::Context {
  public:
    // Connects to all ranks, which do the same.
    explicit Mesh(const Seat& seat);

    // The running operation fails, and later ones. From any thread.
    void Interrupt() noexcept { interruptible_->Interrupt(); }

  private:
    std::shared_ptr<InterruptibleContext> interruptible_;
};

}  // namespace hccl
