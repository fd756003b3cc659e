// The module for processes without torch: the system's libgloo.
#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/reduce.h>
#include <gloo/scatter.h>

#include <cstring>
#include <vector>

#include "base/types.h"
#include "engine/gloo_mover.h"
#include "libgloo/mesh.h"
#include "libgloo/reduction.h"

namespace hccl {

namespace {

using Bytes = std::unique_ptr<gloo::transport::UnboundBuffer>;

// What point-to-point operations use. Those of collectives have a prefix.
constexpr uint64_t kSlot = 0;

// Calls the function with a number that has the size of the elements.
template <typename Function>
void WithWord(HcclDataType type, const Function& function) {
    switch (BytesOf(type)) {
        case 1:
            return function(uint8_t{});
        case 2:
            return function(uint16_t{});
        case 4:
            return function(uint32_t{});
        default:
            return function(uint64_t{});
    }
}

// Whether each part begins at the end of the previous one.
bool AreContiguous(const std::vector<Part>& parts) {
    for (size_t index = 1; index < parts.size(); index++) {
        const Part& before = parts[index - 1];
        if (parts[index].memory != static_cast<uint8_t*>(before.memory) + before.bytes) return false;
    }
    return true;
}

class Gloo : public GlooMover {
  public:
    explicit Gloo(const Seat& seat) : Gloo(seat, std::make_shared<Mesh>(seat)) {}

    void Close() noexcept override { mesh_->Interrupt(); }

  private:
    Gloo(const Seat& seat, std::shared_ptr<Mesh> mesh)
        : GlooMover(seat.rank, seat.size, mesh->getTimeout()), mesh_(std::move(mesh)) {}

    // Gloo begins with its source line.
    std::string TextOf(const std::string& text) const override {
        const size_t end = text.rfind('[', 0) == 0 ? text.find("] ") : std::string::npos;
        return end == std::string::npos ? text : text.substr(end + 2);
    }

    // Options of a collective, with the timeout of the mesh. Ranks match them by their number.
    template <typename Options>
    Options New() {
        Options options(mesh_);
        options.setTag(next_tag_++);
        return options;
    }

    void AllReduce(const Operation& operation) override {
        if (operation.recv != operation.send) std::memcpy(operation.recv, operation.send, operation.send_bytes);
        auto options = New<gloo::AllreduceOptions>();
        WithWord(operation.type,
                 [&](auto word) { options.setOutput(static_cast<decltype(word)*>(operation.recv), operation.count); });
        options.setReduceFunction(ReductionOf(operation.type, operation.reduction));
        gloo::allreduce(options);
    }

    void Reduce(const Operation& operation) override {
        // Gloo overwrites the output on every rank.
        std::vector<uint8_t> own;
        void* output = operation.recv;
        if (operation.root != rank_) {
            own.resize(operation.send_bytes);
            output = own.data();
        }
        if (output != operation.send) std::memcpy(output, operation.send, operation.send_bytes);
        auto options = New<gloo::ReduceOptions>();
        WithWord(operation.type,
                 [&](auto word) { options.setOutput(static_cast<decltype(word)*>(output), operation.count); });
        options.setReduceFunction(ReductionOf(operation.type, operation.reduction));
        options.setRoot(static_cast<int>(operation.root));
        gloo::reduce(options);
    }

    // Each rank gets its part from all, and reduces them itself, in the order of the ranks.
    void ReduceScatter(const Operation& operation) override {
        const size_t bytes = operation.recv_bytes;
        const auto part_of = [&](uint8_t* parts, uint32_t rank) { return parts + rank * bytes; };
        std::vector<uint8_t> received(bytes * size_);
        std::vector<Transfer> batch;
        for (uint32_t rank = 0; rank < size_; rank++) {
            batch.push_back({false, part_of(received.data(), rank), bytes, rank});
            batch.push_back({true, part_of(Mutable(operation.send), rank), bytes, rank});
        }
        Exchange(batch);
        const Reduction reduce = ReductionOf(operation.type, operation.reduction);
        for (uint32_t rank = 1; rank < size_; rank++) {
            reduce(received.data(), received.data(), part_of(received.data(), rank), operation.count);
        }
        std::memcpy(operation.recv, received.data(), bytes);
    }

    // The ranks use one algorithm, whether their own gather is in place or not.
    void AllGather(const Operation& operation) override {
        const std::vector<Part>& parts = operation.received;
        const size_t bytes = operation.send_bytes;
        auto* output = static_cast<uint8_t*>(parts.empty() ? operation.recv : parts[0].memory);
        // Parts that a GPU has copied to the host one by one have gaps.
        std::vector<uint8_t> gathered;
        if (!AreContiguous(parts)) {
            gathered.resize(bytes * size_);
            output = gathered.data();
        }
        // The source can lie in the destination.
        std::memmove(output + rank_ * bytes, operation.send, bytes);
        auto options = New<gloo::AllgatherOptions>();
        options.setOutput(output, bytes * size_);
        gloo::allgather(options);
        for (uint32_t rank = 0; !gathered.empty() && rank < size_; rank++) {
            if (rank != rank_) std::memcpy(parts[rank].memory, output + rank * bytes, bytes);
        }
    }

    void Broadcast(const Operation& operation) override {
        void* const buffer = operation.root == rank_ ? Mutable(operation.send) : operation.recv;
        auto options = New<gloo::BroadcastOptions>();
        options.setOutput(static_cast<uint8_t*>(buffer), operation.send_bytes + operation.recv_bytes);
        options.setRoot(static_cast<int>(operation.root));
        gloo::broadcast(options);
    }

    void Scatter(const Operation& operation) override {
        auto options = New<gloo::ScatterOptions>();
        std::vector<uint8_t*> parts;
        for (uint32_t rank = 0; operation.root == rank_ && rank < size_; rank++) {
            parts.push_back(Mutable(operation.send) + rank * operation.recv_bytes);
        }
        options.setInputs(parts, operation.recv_bytes);
        options.setOutput(static_cast<uint8_t*>(operation.recv), operation.recv_bytes);
        options.setRoot(static_cast<int>(operation.root));
        gloo::scatter(options);
    }

    void AllToAll(const Operation& operation) override {
        std::vector<Transfer> batch;
        for (uint32_t rank = 0; rank < size_; rank++) {
            const Part& from = operation.received[rank];
            const Part& to = operation.sent[rank];
            batch.push_back({false, from.memory, from.bytes, rank});
            batch.push_back({true, to.memory, to.bytes, rank});
        }
        Exchange(batch);
    }

    void Barrier() override {
        auto options = New<gloo::BarrierOptions>();
        gloo::barrier(options);
    }

    void Exchange(const std::vector<Transfer>& batch) override {
        std::vector<Bytes> sends;
        std::vector<Bytes> receives;
        for (const Transfer& transfer : batch) {
            if (transfer.peer == rank_) continue;
            const auto peer = static_cast<int>(transfer.peer);
            std::vector<Bytes>& buffers = transfer.is_send ? sends : receives;
            buffers.push_back(mesh_->createUnboundBuffer(transfer.buffer, transfer.bytes));
            if (transfer.is_send) {
                buffers.back()->send(peer, kSlot, 0, transfer.bytes);
            } else {
                buffers.back()->recv(peer, kSlot, 0, transfer.bytes);
            }
        }
        CopyOwn(batch);
        for (const Bytes& buffer : receives) buffer->waitRecv(patience_);
        for (const Bytes& buffer : sends) buffer->waitSend(patience_);
    }

    const std::shared_ptr<Mesh> mesh_;
    uint32_t next_tag_ = 0;
};

// The ranks meet at the hub alone.
std::string Meet(const std::string&) {
    return "";
}

std::unique_ptr<Mover> Join(const Seat& seat) {
    try {
        return std::make_unique<Gloo>(seat);
    } catch (const Failure&) {
        throw;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        throw Failure(HCCL_E_REMOTE, error.what());
    }
}

}  // namespace

}  // namespace hccl

extern "C" __attribute__((visibility("default"))) const hccl::MoverModule* portacl_hccl_mover() {
    static const hccl::MoverModule module = {"gloo", hccl::Meet, hccl::Join};
    return &module;
}
