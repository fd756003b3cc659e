#include "base/types.h"
#include "engine/copy.h"
#include "engine/engine.h"

namespace hccl {

namespace {

// Ranks that do not exist send what this rank would send in their place. So every buffer is written that a collective
// writes, and its values are of the size that training needs. A sum is that of one rank.
class FakeEngine : public Engine {
  public:
    FakeEngine(uint32_t rank, uint32_t size) : rank_(rank), size_(size) {}

    void Enqueue(Operation operation, aclrtStream stream) override {
        const size_t part = operation.count * BytesOf(operation.type);
        switch (operation.kind) {
            case Kind::kAllReduce:
            case Kind::kReduce:
                return Copy(operation.recv, operation.send, operation.recv_bytes, stream);
            case Kind::kReduceScatter:
                return Copy(operation.recv, At(operation.send, rank_ * part), part, stream);
            case Kind::kScatter:
                if (operation.root == rank_)
                    return Copy(operation.recv, At(operation.send, rank_ * part), part, stream);
                return Clear(operation.recv, part, stream);
            case Kind::kAllGather:
                for (uint32_t rank = 0; rank < size_; rank++) {
                    Copy(At(operation.recv, rank * part), operation.send, part, stream);
                }
                return;
            case Kind::kAllToAll:
                return Exchange(operation, stream);
            case Kind::kRecv:
                return Clear(operation.recv, operation.recv_bytes, stream);
            case Kind::kBatch:
                for (const Transfer& transfer : operation.batch) {
                    if (!transfer.is_send) Clear(transfer.buffer, transfer.bytes, stream);
                }
                return;
            case Kind::kBroadcast:
            case Kind::kSend:
            case Kind::kBarrier:
                return;
        }
    }

    std::shared_ptr<Engine> NewGroup(uint32_t rank, uint32_t size) override { return NewFakeEngine(rank, size); }

  private:
    static void Clear(void* buffer, size_t bytes, aclrtStream stream) {
        if (bytes == 0) return;
        Succeed("aclrtMemsetAsync", aclrtMemsetAsync(buffer, bytes, 0, bytes, stream));
    }

    void Exchange(const Operation& operation, aclrtStream stream) const {
        for (uint32_t rank = 0; rank < size_; rank++) {
            const Part from = operation.sent[rank];
            const Part to = operation.received[rank];
            const size_t bytes = from.bytes < to.bytes ? from.bytes : to.bytes;
            Copy(to.memory, from.memory, bytes, stream);
            Clear(At(to.memory, bytes), to.bytes - bytes, stream);
        }
    }

    uint32_t rank_;
    uint32_t size_;
};

}  // namespace

std::unique_ptr<Engine> NewFakeEngine(uint32_t rank, uint32_t size) {
    return std::make_unique<FakeEngine>(rank, size);
}

}  // namespace hccl
