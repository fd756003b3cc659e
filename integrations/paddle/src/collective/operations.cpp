// Operations of all ranks, and between two. All but a send wait for their end: Paddle's CPU kernels read results at
// once, without waiting, and only so can a failure reach the program. A send waits for no receive, as ranks may send
// first.
#include <string>
#include <vector>

#include "base/callbacks.h"
#include "base/report.h"
#include "collective/collective.h"
#include "profiling/profiler.h"
#include "stream/stream.h"

namespace portacl_paddle {
namespace {

std::optional<HcclReduceOp> ReductionOf(C_CCLReduceOp op) {
    switch (op) {
        case SUM:
        // A sum, and a division after it.
        case AVG:
            return HCCL_REDUCE_SUM;
        case MAX:
            return HCCL_REDUCE_MAX;
        case MIN:
            return HCCL_REDUCE_MIN;
        case PRODUCT:
            return HCCL_REDUCE_PROD;
    }
    return std::nullopt;
}

// Enqueues what `call` enqueues for the elements, on the stream's device.
template <typename Call>
C_Status Enqueue(const char* callback, C_DataType type, C_Stream stream, const Call& call) {
    const auto elements = ElementsOf(type);
    if (!elements)
        return Refuse(callback,
                      ("data_type is " + std::to_string(type) + "; allowed: BOOL (1) to COMPLEX128 (15)").c_str());
    const Traced traced(callback);
    const C_Status status = Answer(callback, EnterDeviceOf(stream));
    return status == C_SUCCESS ? AnswerOf(callback, call(*elements)) : status;
}

// As Enqueue, and waits for the result.
template <typename Call>
C_Status Complete(const char* callback, C_DataType type, C_Stream stream, const Call& call) {
    const C_Status status = Enqueue(callback, type, stream, call);
    return EndGroupAfter(status == C_SUCCESS ? Await(callback, stream) : status);
}

template <typename Call>
C_Status ReduceInGroup(const char* callback, void* recv, std::size_t count, C_DataType type, C_CCLReduceOp op,
                       C_CCLComm communicator, C_Stream stream, bool receives, const Call& call) {
    const auto reduction = ReductionOf(op);
    if (!reduction)
        return Refuse(callback, ("op is " + std::to_string(op) + "; allowed: SUM (0) to PRODUCT (4)").c_str());
    if (const auto elements = ElementsOf(type); elements && elements->numbers > 1 && *reduction != HCCL_REDUCE_SUM) {
        return Refuse(callback, ("op is " + std::to_string(op) + "; allowed for complex numbers: SUM and AVG").c_str());
    }
    std::uint32_t ranks = 1;
    C_Status status = Enqueue(callback, type, stream, [&](const Elements& elements) {
        const HcclResult result = HcclGetRankSize(Handle(communicator), &ranks);
        return result == HCCL_SUCCESS ? call(elements, *reduction) : result;
    });
    if (status == C_SUCCESS && op == AVG && receives) {
        const Elements elements = *ElementsOf(type);
        status = Answer(callback, Divide(recv, elements.Count(count), elements.type, ranks, Handle(stream)));
    }
    return status == C_SUCCESS ? Await(callback, stream) : status;
}

// As Complete, for a reduction whose result this rank gets in `recv` if it `receives`.
template <typename Call>
C_Status Reduce(const char* callback, void* recv, std::size_t count, C_DataType type, C_CCLReduceOp op,
                C_CCLComm communicator, C_Stream stream, bool receives, const Call& call) {
    return EndGroupAfter(ReduceInGroup(callback, recv, count, type, op, communicator, stream, receives, call));
}

}  // namespace

C_Status xccl_all_reduce(void* send, void* recv, std::size_t count, C_DataType type, C_CCLReduceOp op,
                         C_CCLComm communicator, C_Stream stream) {
    return Reduce(
        "xccl_all_reduce", recv, count, type, op, communicator, stream, true, [&](const Elements& of, HcclReduceOp by) {
            return HcclAllReduce(send, recv, of.Count(count), of.type, by, Handle(communicator), Handle(stream));
        });
}

C_Status xccl_reduce(void* send, void* recv, std::size_t count, C_DataType type, C_CCLReduceOp op, std::size_t root,
                     C_CCLComm communicator, C_Stream stream) {
    std::uint32_t rank = 0;
    const C_Status status = AnswerOf("xccl_reduce", HcclGetRankId(Handle(communicator), &rank));
    if (status != C_SUCCESS) return EndGroupAfter(status);
    return Reduce("xccl_reduce", recv, count, type, op, communicator, stream, rank == root,
                  [&](const Elements& of, HcclReduceOp by) {
                      return HcclReduce(send, recv, of.Count(count), of.type, by, RankOf(root), Handle(communicator),
                                        Handle(stream));
                  });
}

// `count`: the elements that this rank gets.
C_Status xccl_reduce_scatter(void* send, void* recv, std::size_t count, C_DataType type, C_CCLReduceOp op,
                             C_CCLComm communicator, C_Stream stream) {
    return Reduce("xccl_reduce_scatter", recv, count, type, op, communicator, stream, true,
                  [&](const Elements& of, HcclReduceOp by) {
                      return HcclReduceScatter(send, recv, of.Count(count), of.type, by, Handle(communicator),
                                               Handle(stream));
                  });
}

C_Status xccl_broadcast(void* buffer, std::size_t count, C_DataType type, std::size_t root, C_CCLComm communicator,
                        C_Stream stream) {
    return Complete("xccl_broadcast", type, stream, [&](const Elements& of) {
        return HcclBroadcast(buffer, of.Count(count), of.type, RankOf(root), Handle(communicator), Handle(stream));
    });
}

// `count`: the elements of this rank.
C_Status xccl_all_gather(void* send, void* recv, std::size_t count, C_DataType type, C_CCLComm communicator,
                         C_Stream stream) {
    return Complete("xccl_all_gather", type, stream, [&](const Elements& of) {
        return HcclAllGather(send, recv, of.Count(count), of.type, Handle(communicator), Handle(stream));
    });
}

C_Status xccl_send(void* send, std::size_t count, C_DataType type, std::size_t peer, C_CCLComm communicator,
                   C_Stream stream) {
    return EndGroupAfter(Enqueue("xccl_send", type, stream, [&](const Elements& of) {
        const auto rank = RankOf(peer);
        const HcclSendRecvItem transfer = {HCCL_SEND, send, of.Count(count), of.type, rank};
        if (AddToGroup(transfer, Handle(communicator), stream)) return HCCL_SUCCESS;
        return HcclSend(send, transfer.count, of.type, rank, Handle(communicator), Handle(stream));
    }));
}

C_Status xccl_recv(void* recv, std::size_t count, C_DataType type, std::size_t peer, C_CCLComm communicator,
                   C_Stream stream) {
    bool is_grouped = false;
    const C_Status status = Enqueue("xccl_recv", type, stream, [&](const Elements& of) {
        const HcclSendRecvItem transfer = {HCCL_RECV, recv, of.Count(count), of.type, RankOf(peer)};
        is_grouped = AddToGroup(transfer, Handle(communicator), stream);
        if (is_grouped) return HCCL_SUCCESS;
        return HcclRecv(recv, transfer.count, of.type, transfer.remoteRank, Handle(communicator), Handle(stream));
    });
    return EndGroupAfter(status == C_SUCCESS && !is_grouped ? Await("xccl_recv", stream) : status);
}

// Each array has an entry for each rank.
static C_Status AllToAll(const void** send, const std::size_t* send_count, const C_DataType* send_type, void** recv,
                         const std::size_t* recv_count, const C_DataType* recv_type, std::size_t ranks,
                         C_CCLComm communicator, C_Stream stream) {
    constexpr const char* kName = "xccl_all_to_all";
    std::vector<HcclSendRecvItem> transfers;
    for (std::size_t index = 0; index < ranks; ++index) {
        const auto peer = static_cast<std::uint32_t>(index);
        const auto sent = ElementsOf(send_type[index]), received = ElementsOf(recv_type[index]);
        if (!sent || !received)
            return Refuse(kName, ("send_type[" + std::to_string(index) + "] is " + std::to_string(send_type[index]) +
                                  " and recv_type[" + std::to_string(index) + "] is " +
                                  std::to_string(recv_type[index]) + "; allowed: BOOL (1) to COMPLEX128 (15)")
                                     .c_str());
        const std::uint64_t count = sent->Count(send_count[index]);
        transfers.push_back({HCCL_SEND, const_cast<void*>(send[index]), count, sent->type, peer});
        transfers.push_back({HCCL_RECV, recv[index], received->Count(recv_count[index]), received->type, peer});
    }
    const Traced traced(kName);
    C_Status status = Answer(kName, EnterDeviceOf(stream));
    if (status != C_SUCCESS) return status;
    const auto count = static_cast<std::uint32_t>(transfers.size());
    status = AnswerOf(kName, HcclBatchSendRecv(transfers.data(), count, Handle(communicator), Handle(stream)));
    return status == C_SUCCESS ? Await(kName, stream) : status;
}

C_Status xccl_all_to_all(const void** send, const std::size_t* send_count, const C_DataType* send_type, void** recv,
                         const std::size_t* recv_count, const C_DataType* recv_type, std::size_t, std::size_t ranks,
                         C_CCLComm communicator, C_Stream stream) {
    return EndGroupAfter(
        AllToAll(send, send_count, send_type, recv, recv_count, recv_type, ranks, communicator, stream));
}

}  // namespace portacl_paddle
