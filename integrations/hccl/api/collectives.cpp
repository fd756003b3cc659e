// Operations of all ranks.
#include <hccl/hccl.h>

#include "api/checks.h"

using hccl::BytesOfAll;
using hccl::Find;
using hccl::Guard;
using hccl::Handle;
using hccl::Kind;
using hccl::Operation;
using hccl::RequireBuffer;

namespace {

Operation New(Kind kind, const char* call, uint64_t count, HcclDataType type) {
    Operation operation(kind, call);
    operation.count = count;
    operation.type = type;
    return operation;
}

// Sets both buffers after a check. They have `sends` and `recvs` times the elements of a part.
void SetBuffers(Operation& operation, const char* count_name, const void* send, uint32_t sends, void* recv,
                uint32_t recvs) {
    const size_t element = hccl::RequireType(operation.type, "dataType");
    operation.send_bytes = BytesOfAll(operation.count, count_name, element, sends);
    operation.recv_bytes = BytesOfAll(operation.count, count_name, element, recvs);
    RequireBuffer(send, "sendBuf", operation.send_bytes);
    RequireBuffer(recv, "recvBuf", operation.recv_bytes);
    operation.send = sends == 0 ? nullptr : send;
    operation.recv = recvs == 0 ? nullptr : recv;
}

void SetReduction(Operation& operation, HcclReduceOp reduction) {
    hccl::RequireReduction(reduction, operation.type);
    operation.reduction = reduction;
}

// Describes the destination as parts if the source lies there: the parts of other ranks are not read.
void SplitIfInPlace(Operation& operation, uint32_t ranks) {
    const auto source = reinterpret_cast<uintptr_t>(operation.send);
    const auto begin = reinterpret_cast<uintptr_t>(operation.recv);
    if (source < begin || source >= begin + operation.recv_bytes || ranks == 1) return;
    const size_t bytes = operation.recv_bytes / ranks;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        operation.received.push_back({static_cast<char*>(operation.recv) + rank * bytes, bytes});
    }
    operation.recv_bytes = 0;
}

}  // namespace

HcclResult HcclAllReduce(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
                         HcclComm comm, aclrtStream stream) {
    return Guard(__func__, [&] {
        const Handle communicator = Find(comm);
        Operation operation = New(Kind::kAllReduce, "HcclAllReduce", count, dataType);
        SetBuffers(operation, "count", sendBuf, 1, recvBuf, 1);
        SetReduction(operation, op);
        communicator->Enqueue(std::move(operation), stream);
    });
}

HcclResult HcclReduce(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
                      uint32_t root, HcclComm comm, aclrtStream stream) {
    return Guard(__func__, [&] {
        const Handle communicator = Find(comm);
        Operation operation = New(Kind::kReduce, "HcclReduce", count, dataType);
        hccl::RequireRank(*communicator, root, "root");
        operation.root = root;
        SetBuffers(operation, "count", sendBuf, 1, recvBuf, root == communicator->rank() ? 1 : 0);
        SetReduction(operation, op);
        communicator->Enqueue(std::move(operation), stream);
    });
}

HcclResult HcclReduceScatter(void* sendBuf, void* recvBuf, uint64_t recvCount, HcclDataType dataType, HcclReduceOp op,
                             HcclComm comm, aclrtStream stream) {
    return Guard(__func__, [&] {
        const Handle communicator = Find(comm);
        Operation operation = New(Kind::kReduceScatter, "HcclReduceScatter", recvCount, dataType);
        SetBuffers(operation, "recvCount", sendBuf, communicator->size(), recvBuf, 1);
        SetReduction(operation, op);
        communicator->Enqueue(std::move(operation), stream);
    });
}

HcclResult HcclAllGather(void* sendBuf, void* recvBuf, uint64_t sendCount, HcclDataType dataType, HcclComm comm,
                         aclrtStream stream) {
    return Guard(__func__, [&] {
        const Handle communicator = Find(comm);
        Operation operation = New(Kind::kAllGather, "HcclAllGather", sendCount, dataType);
        SetBuffers(operation, "sendCount", sendBuf, 1, recvBuf, communicator->size());
        SplitIfInPlace(operation, communicator->size());
        communicator->Enqueue(std::move(operation), stream);
    });
}

HcclResult HcclBroadcast(void* buf, uint64_t count, HcclDataType dataType, uint32_t root, HcclComm comm,
                         aclrtStream stream) {
    return Guard(__func__, [&] {
        const Handle communicator = Find(comm);
        Operation operation = New(Kind::kBroadcast, "HcclBroadcast", count, dataType);
        hccl::RequireRank(*communicator, root, "root");
        operation.root = root;
        const bool is_root = root == communicator->rank();
        const size_t bytes = BytesOfAll(count, "count", hccl::RequireType(dataType, "dataType"), 1);
        RequireBuffer(buf, "buf", bytes);
        (is_root ? operation.send_bytes : operation.recv_bytes) = bytes;
        if (is_root) {
            operation.send = buf;
        } else {
            operation.recv = buf;
        }
        communicator->Enqueue(std::move(operation), stream);
    });
}

HcclResult HcclScatter(void* sendBuf, void* recvBuf, uint64_t recvCount, HcclDataType dataType, uint32_t root,
                       HcclComm comm, aclrtStream stream) {
    return Guard(__func__, [&] {
        const Handle communicator = Find(comm);
        Operation operation = New(Kind::kScatter, "HcclScatter", recvCount, dataType);
        hccl::RequireRank(*communicator, root, "root");
        operation.root = root;
        SetBuffers(operation, "recvCount", sendBuf, root == communicator->rank() ? communicator->size() : 0, recvBuf,
                   1);
        communicator->Enqueue(std::move(operation), stream);
    });
}

HcclResult HcclBarrier(HcclComm comm, aclrtStream stream) {
    return Guard(__func__,
                 [&] { Find(comm)->Enqueue(New(Kind::kBarrier, "HcclBarrier", 0, HCCL_DATA_TYPE_INT8), stream); });
}
