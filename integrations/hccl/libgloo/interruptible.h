// A context of Gloo whose waits another thread can end. Gloo itself cannot interrupt an operation, and leaves one
// waiting whose connection breaks in the middle of a message.
#pragma once

#include <gloo/transport/context.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <set>

namespace hccl {

class InterruptibleContext : public gloo::transport::Context {
  public:
    explicit InterruptibleContext(std::shared_ptr<gloo::transport::Context> inner);

    std::unique_ptr<gloo::transport::Pair>& getPair(int rank) override { return inner_->getPair(rank); }
    std::unique_ptr<gloo::transport::Pair>& createPair(int rank) override { return inner_->createPair(rank); }
    // The buffer must not outlive the context.
    std::unique_ptr<gloo::transport::UnboundBuffer> createUnboundBuffer(void* memory, size_t bytes) override;

    // Running and later waits throw. From any thread.
    void Interrupt() noexcept;

  private:
    class Buffer;

    const std::shared_ptr<gloo::transport::Context> inner_;
    std::atomic<bool> is_interrupted_{false};
    std::mutex lock_;
    // The buffers that exist.
    std::set<gloo::transport::UnboundBuffer*> buffers_;
};

}  // namespace hccl
