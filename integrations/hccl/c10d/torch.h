// The process group of torch that moves the data. Torch's header has it only with this macro.
#pragma once

#define USE_C10D_GLOO
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

namespace hccl {

class Group : public c10d::ProcessGroupGloo {
  public:
    using ProcessGroupGloo::ProcessGroupGloo;

    // Sets how long an operation may take. The options' timeout is for the start as well, and those of operations have
    // no effect.
    void SetTimeout(std::chrono::milliseconds timeout) {
        for (const auto& context : contexts_) context->setTimeout(timeout);
    }
};

}  // namespace hccl
