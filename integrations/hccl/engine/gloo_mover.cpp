#include "engine/gloo_mover.h"

#include <cstring>
#include <deque>

namespace hccl {

namespace {

Failure NoMemory() {
    return Failure(
        HCCL_E_MEMORY,
        "the host has no memory left for this operation; free memory or use fewer elements, and create another "
        "communicator");
}

}  // namespace

void GlooMover::Run(const Operation& operation) {
    try {
        Start(operation);
    } catch (const Failure&) {
        throw;
    } catch (const std::bad_alloc&) {
        throw NoMemory();
    } catch (const std::exception& error) {
        if (IsNoMemory(error)) throw NoMemory();
        const std::string text = TextOf(error.what());
        if (text.find("imed out") == std::string::npos) throw Failure(HCCL_E_REMOTE, text);
        throw Failure(HCCL_E_REMOTE,
                      "another rank did not answer within " + std::to_string(patience_.count() / 1000) +
                          " s; check that all ranks call the same operations in the same order, or set "
                          "HCCL_EXEC_TIMEOUT to more seconds (" +
                          text + ")",
                      true);
    }
}

void GlooMover::Start(const Operation& operation) {
    switch (operation.kind) {
        case Kind::kAllToAll:
            return AllToAll(operation);
        case Kind::kSend:
            return Exchange({{true, Mutable(operation.send), operation.send_bytes, operation.root}});
        case Kind::kRecv:
            return Exchange({{false, operation.recv, operation.recv_bytes, operation.root}});
        case Kind::kBatch:
            return Exchange(operation.batch);
        case Kind::kBarrier:
            return Barrier();
        default:
            // The same on all ranks.
            if (operation.count > 0) Collect(operation);
    }
}

void GlooMover::Collect(const Operation& operation) {
    switch (operation.kind) {
        case Kind::kAllReduce:
            return AllReduce(operation);
        case Kind::kReduce:
            return Reduce(operation);
        case Kind::kReduceScatter:
            return ReduceScatter(operation);
        case Kind::kAllGather:
            return AllGather(operation);
        case Kind::kBroadcast:
            return Broadcast(operation);
        default:
            return Scatter(operation);
    }
}

void GlooMover::CopyOwn(const std::vector<Transfer>& batch) const {
    std::deque<const Transfer*> sends;
    for (const Transfer& transfer : batch) {
        if (transfer.is_send && transfer.peer == rank_) sends.push_back(&transfer);
    }
    for (const Transfer& transfer : batch) {
        if (transfer.is_send || transfer.peer != rank_) continue;
        if (transfer.bytes > 0) std::memcpy(transfer.buffer, sends.front()->buffer, transfer.bytes);
        sends.pop_front();
    }
}

}  // namespace hccl
