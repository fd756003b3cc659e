#include "libgloo/interruptible.h"

#include <stdexcept>
#include <utility>

namespace hccl {

namespace {

// The engine knows why.
[[noreturn]] void ThrowInterrupted() {
    throw std::runtime_error("the connections of this rank were closed");
}

}  // namespace

// Forwards to a buffer of the inner context.
class InterruptibleContext::Buffer : public gloo::transport::UnboundBuffer {
  public:
    using Milliseconds = std::chrono::milliseconds;

    Buffer(InterruptibleContext& owner, std::unique_ptr<UnboundBuffer> inner)
        : UnboundBuffer(inner->ptr, inner->size), owner_(owner), inner_(std::move(inner)) {
        const std::lock_guard<std::mutex> held(owner_.lock_);
        owner_.buffers_.insert(inner_.get());
    }
    ~Buffer() override {
        const std::lock_guard<std::mutex> held(owner_.lock_);
        owner_.buffers_.erase(inner_.get());
    }

    bool waitRecv(int* rank, Milliseconds timeout) override {
        if (owner_.is_interrupted_.load() || !inner_->waitRecv(rank, timeout)) ThrowInterrupted();
        return true;
    }
    bool waitSend(int* rank, Milliseconds timeout) override {
        if (owner_.is_interrupted_.load() || !inner_->waitSend(rank, timeout)) ThrowInterrupted();
        return true;
    }
    void abortWaitRecv() override { inner_->abortWaitRecv(); }
    void abortWaitSend() override { inner_->abortWaitSend(); }
    void send(int rank, uint64_t slot, size_t offset, size_t bytes) override {
        inner_->send(rank, slot, offset, bytes);
    }
    void recv(int rank, uint64_t slot, size_t offset, size_t bytes) override {
        inner_->recv(rank, slot, offset, bytes);
    }
    void recv(std::vector<int> ranks, uint64_t slot, size_t offset, size_t bytes) override {
        inner_->recv(std::move(ranks), slot, offset, bytes);
    }

  private:
    InterruptibleContext& owner_;
    const std::unique_ptr<UnboundBuffer> inner_;
};

InterruptibleContext::InterruptibleContext(std::shared_ptr<gloo::transport::Context> inner)
    : Context(inner->rank, inner->size), inner_(std::move(inner)) {}

std::unique_ptr<gloo::transport::UnboundBuffer> InterruptibleContext::createUnboundBuffer(void* memory, size_t bytes) {
    return std::make_unique<Buffer>(*this, inner_->createUnboundBuffer(memory, bytes));
}

void InterruptibleContext::Interrupt() noexcept {
    is_interrupted_.store(true);
    // A wait that begins now ends at once: the buffer keeps that it was aborted.
    const std::lock_guard<std::mutex> held(lock_);
    for (gloo::transport::UnboundBuffer* buffer : buffers_) {
        buffer->abortWaitRecv();
        buffer->abortWaitSend();
    }
}

}  // namespace hccl
