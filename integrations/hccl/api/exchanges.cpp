// Operations between pairs of ranks, and exchanges of all with all.
#include <hccl/hccl.h>

#include <deque>

#include "api/checks.h"

using hccl::BytesOfAll;
using hccl::Failure;
using hccl::Find;
using hccl::Guard;
using hccl::Handle;
using hccl::Kind;
using hccl::Operation;
using hccl::Part;

namespace {

// What a task may have as buffers.
constexpr uint32_t kMostTransfers = 1024;

Part PartAt(const void* buffer, size_t offset, size_t bytes) {
    return {static_cast<char*>(const_cast<void*>(buffer)) + offset, bytes};
}

// Parts of the same size, one for each rank.
std::vector<Part> EqualParts(const void* buffer, uint32_t ranks, size_t bytes) {
    std::vector<Part> parts;
    for (uint32_t rank = 0; rank < ranks; rank++) parts.push_back(PartAt(buffer, rank * bytes, bytes));
    return parts;
}

// The parts that arrays of counts and of displacements describe, which are elements.
std::vector<Part> ReadParts(const void* buffer, const char* name, uint32_t ranks, const void* counts,
                            const void* displacements, size_t element) {
    const std::string prefix = name;
    const std::string displacement = prefix == "send" ? "sdispls" : "rdispls";
    hccl::RequirePointer(counts, (prefix + "Counts").c_str());
    hccl::RequirePointer(displacements, displacement.c_str());
    std::vector<Part> parts;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        const uint64_t count = static_cast<const uint64_t*>(counts)[rank];
        const uint64_t first = static_cast<const uint64_t*>(displacements)[rank];
        const std::string which = "[" + std::to_string(rank) + "]";
        const size_t bytes = BytesOfAll(count, (prefix + "Counts" + which).c_str(), element, 1);
        const size_t offset = BytesOfAll(first, (displacement + which).c_str(), element, 1);
        hccl::RequireBuffer(buffer, (prefix + "Buf").c_str(), bytes);
        parts.push_back(PartAt(buffer, offset, bytes));
    }
    return parts;
}

// Transfers with the own rank are pairs: the n-th receive gets the n-th send.
void RequirePairs(const std::vector<hccl::Transfer>& batch, uint32_t own) {
    std::deque<size_t> sends;
    for (const hccl::Transfer& transfer : batch) {
        if (transfer.is_send && transfer.peer == own) sends.push_back(transfer.bytes);
    }
    for (const hccl::Transfer& transfer : batch) {
        if (transfer.is_send || transfer.peer != own) continue;
        if (sends.empty() || sends.front() != transfer.bytes) {
            throw Failure(HCCL_E_PARA,
                          "sendRecvInfo has a receive of rank " + std::to_string(own) +
                              " from itself (bytes: " + std::to_string(transfer.bytes) +
                              ") without a send of the same size: the n-th receive of a rank from itself gets "
                              "the n-th send to itself, so list both in the same order with the same sizes");
        }
        sends.pop_front();
    }
    if (!sends.empty()) {
        throw Failure(HCCL_E_PARA, "sendRecvInfo has a send of rank " + std::to_string(own) +
                                       " to itself (bytes: " + std::to_string(sends.front()) +
                                       ") without a receive; add the receive to sendRecvInfo");
    }
}

void RequireSameType(HcclDataType send, HcclDataType recv) {
    if (send == recv) return;
    throw Failure(HCCL_E_PARA, "sendType is " + std::to_string(send) + " and recvType is " + std::to_string(recv) +
                                   "; pass the same type for both");
}

}  // namespace

HcclResult HcclAlltoAll(const void* sendBuf, uint64_t sendCount, HcclDataType sendType, const void* recvBuf,
                        uint64_t recvCount, HcclDataType recvType, HcclComm comm, aclrtStream stream) {
    return Guard(__func__, [&] {
        const Handle communicator = Find(comm);
        const uint32_t ranks = communicator->size();
        Operation operation(Kind::kAllToAll, "HcclAlltoAll");
        const size_t element = hccl::RequireType(sendType, "sendType");
        hccl::RequireType(recvType, "recvType");
        RequireSameType(sendType, recvType);
        const size_t bytes = BytesOfAll(sendCount, "sendCount", element, ranks);
        BytesOfAll(recvCount, "recvCount", element, ranks);
        if (sendCount != recvCount) {
            throw Failure(HCCL_E_PARA, "sendCount is " + std::to_string(sendCount) + " and recvCount is " +
                                           std::to_string(recvCount) + "; pass equal counts, or use HcclAlltoAllV");
        }
        hccl::RequireBuffer(sendBuf, "sendBuf", bytes);
        hccl::RequireBuffer(recvBuf, "recvBuf", bytes);
        operation.count = sendCount;
        operation.type = sendType;
        operation.sent = EqualParts(sendBuf, ranks, bytes / ranks);
        operation.received = EqualParts(recvBuf, ranks, bytes / ranks);
        communicator->Enqueue(std::move(operation), stream);
    });
}

HcclResult HcclAlltoAllV(const void* sendBuf, const void* sendCounts, const void* sdispls, HcclDataType sendType,
                         const void* recvBuf, const void* recvCounts, const void* rdispls, HcclDataType recvType,
                         HcclComm comm, aclrtStream stream) {
    return Guard(__func__, [&] {
        const Handle communicator = Find(comm);
        const uint32_t ranks = communicator->size();
        Operation operation(Kind::kAllToAll, "HcclAlltoAllV");
        const size_t element = hccl::RequireType(sendType, "sendType");
        hccl::RequireType(recvType, "recvType");
        RequireSameType(sendType, recvType);
        operation.sent = ReadParts(sendBuf, "send", ranks, sendCounts, sdispls, element);
        operation.received = ReadParts(recvBuf, "recv", ranks, recvCounts, rdispls, element);
        const uint32_t own = communicator->rank();
        if (operation.sent[own].bytes != operation.received[own].bytes) {
            throw Failure(HCCL_E_PARA,
                          "sendCounts[" + std::to_string(own) + "] is " +
                              std::to_string(operation.sent[own].bytes / element) + " and recvCounts[" +
                              std::to_string(own) + "] is " + std::to_string(operation.received[own].bytes / element) +
                              ", but both are for the caller, rank " + std::to_string(own) + "; pass the same number");
        }
        operation.type = sendType;
        communicator->Enqueue(std::move(operation), stream);
    });
}

HcclResult HcclSend(void* sendBuf, uint64_t count, HcclDataType dataType, uint32_t destRank, HcclComm comm,
                    aclrtStream stream) {
    return Guard(__func__, [&] {
        const Handle communicator = Find(comm);
        Operation operation(Kind::kSend, "HcclSend");
        operation.send_bytes = BytesOfAll(count, "count", hccl::RequireType(dataType, "dataType"), 1);
        hccl::RequireBuffer(sendBuf, "sendBuf", operation.send_bytes);
        hccl::RequirePeer(*communicator, destRank, "destRank");
        operation.count = count;
        operation.type = dataType;
        operation.send = sendBuf;
        operation.root = destRank;
        communicator->Enqueue(std::move(operation), stream);
    });
}

HcclResult HcclRecv(void* recvBuf, uint64_t count, HcclDataType dataType, uint32_t srcRank, HcclComm comm,
                    aclrtStream stream) {
    return Guard(__func__, [&] {
        const Handle communicator = Find(comm);
        Operation operation(Kind::kRecv, "HcclRecv");
        operation.recv_bytes = BytesOfAll(count, "count", hccl::RequireType(dataType, "dataType"), 1);
        hccl::RequireBuffer(recvBuf, "recvBuf", operation.recv_bytes);
        hccl::RequirePeer(*communicator, srcRank, "srcRank");
        operation.count = count;
        operation.type = dataType;
        operation.recv = recvBuf;
        operation.root = srcRank;
        communicator->Enqueue(std::move(operation), stream);
    });
}

HcclResult HcclBatchSendRecv(HcclSendRecvItem* sendRecvInfo, uint32_t itemNum, HcclComm comm, aclrtStream stream) {
    return Guard(__func__, [&] {
        const Handle communicator = Find(comm);
        if (itemNum == 0 || itemNum > kMostTransfers) {
            throw Failure(HCCL_E_PARA, "itemNum is " + std::to_string(itemNum) + "; allowed: 1 to " +
                                           std::to_string(kMostTransfers) + "; split a longer list into several calls");
        }
        hccl::RequirePointer(sendRecvInfo, "sendRecvInfo");
        Operation operation(Kind::kBatch, "HcclBatchSendRecv");
        for (uint32_t index = 0; index < itemNum; index++) {
            const HcclSendRecvItem& item = sendRecvInfo[index];
            const std::string name = "sendRecvInfo[" + std::to_string(index) + "].";
            const auto kind = static_cast<unsigned>(item.sendRecvType);
            if (kind > HCCL_RECV) {
                throw Failure(HCCL_E_PARA,
                              name + "sendRecvType is " + std::to_string(kind) + "; allowed: 0 (send), 1 (receive)");
            }
            const size_t element = hccl::RequireType(item.dataType, (name + "dataType").c_str());
            const size_t bytes = BytesOfAll(item.count, (name + "count").c_str(), element, 1);
            hccl::RequireBuffer(item.buf, (name + "buf").c_str(), bytes);
            hccl::RequireRank(*communicator, item.remoteRank, (name + "remoteRank").c_str());
            operation.batch.push_back({item.sendRecvType == HCCL_SEND, item.buf, bytes, item.remoteRank});
        }
        RequirePairs(operation.batch, communicator->rank());
        communicator->Enqueue(std::move(operation), stream);
    });
}
