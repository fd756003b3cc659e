// The context of Paddle's CPU that a kernel runs in.
#pragma once

#include <paddle/phi/backends/cpu/cpu_context.h>

#include <paddle/phi/core/dense_tensor.h>

#include <deque>
#include <memory>

#include "host_view.h"

namespace portacl_paddle {

// A context of its own while the object lives: contexts are reused, and a kernel may call others inside.
class Worker {
  public:
    explicit Worker(const DeviceOfCall& device);
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    phi::CPUContext& Context();
    // Tensors to use while the object lives; more of them may be added.
    std::deque<phi::DenseTensor>& Tensors();

  private:
    struct Kept;
    std::unique_ptr<Kept> kept_;
};

}  // namespace portacl_paddle
