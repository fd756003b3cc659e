#include <deque>

#include "engine/copy.h"
#include "engine/engine.h"

namespace hccl {

namespace {

class AloneEngine : public Engine {
  public:
    void Enqueue(Operation operation, aclrtStream stream) override {
        switch (operation.kind) {
            case Kind::kAllReduce:
            case Kind::kReduce:
            case Kind::kReduceScatter:
            case Kind::kAllGather:
            case Kind::kScatter:
                return Copy(operation.recv, operation.send, operation.recv_bytes, stream);
            case Kind::kAllToAll: {
                const Part from = operation.sent.front();
                const Part to = operation.received.front();
                return Copy(to.memory, from.memory, to.bytes, stream);
            }
            case Kind::kBatch:
                return Exchange(operation.batch, stream);
            case Kind::kSend:
            case Kind::kRecv:
                throw Failure(HCCL_E_NOT_SUPPORT,
                              "this rank is the only one of the communicator; pass both the send and the receive to "
                              "one HcclBatchSendRecv, or use aclrtMemcpyAsync to copy");
            case Kind::kBroadcast:
            case Kind::kBarrier:
                return;
        }
    }

    std::shared_ptr<Engine> NewGroup(uint32_t, uint32_t) override { return NewAloneEngine(); }

  private:
    // The n-th receive gets the n-th send. The call has checked that they are pairs.
    static void Exchange(const std::vector<Transfer>& batch, aclrtStream stream) {
        std::deque<const Transfer*> sends;
        for (const Transfer& transfer : batch) {
            if (transfer.is_send) sends.push_back(&transfer);
        }
        for (const Transfer& transfer : batch) {
            if (transfer.is_send) continue;
            Copy(transfer.buffer, sends.front()->buffer, transfer.bytes, stream);
            sends.pop_front();
        }
    }
};

}  // namespace

std::unique_ptr<Engine> NewAloneEngine() {
    return std::make_unique<AloneEngine>();
}

}  // namespace hccl
