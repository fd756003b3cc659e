// One collective or point-to-point operation. The calls have checked it; engines run it.
#pragma once

#include <hccl/hccl_types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hccl {

enum class Kind {
    kAllReduce,
    kReduce,
    kReduceScatter,
    kAllGather,
    kBroadcast,
    kScatter,
    kAllToAll,
    kSend,
    kRecv,
    kBatch,
    kBarrier,
};

// Memory that goes to a rank or comes from one.
struct Part {
    void* memory;
    size_t bytes;
};

// A transfer of a batch.
struct Transfer {
    bool is_send;
    void* buffer;
    size_t bytes;
    uint32_t peer;
};

struct Operation {
    Operation(Kind kind, const char* call) : kind(kind), call(call) {}

    Kind kind;
    // The public function.
    const char* call;
    // The source line of the call, for PORTACL_CHECK=collectives; else empty.
    std::string place;
    // Null if the operation has none. Broadcast has its buffer in both.
    const void* send = nullptr;
    void* recv = nullptr;
    // The bytes that the operation reads and writes there.
    size_t send_bytes = 0;
    size_t recv_bytes = 0;
    // The elements of this rank's part.
    uint64_t count = 0;
    HcclDataType type = HCCL_DATA_TYPE_INT8;
    HcclReduceOp reduction = HCCL_REDUCE_SUM;
    // The root, or the other rank of a send or receive.
    uint32_t root = 0;
    // For each rank, instead of buffers: both for AllToAll, the destination for an AllGather in place.
    std::vector<Part> sent;
    std::vector<Part> received;
    std::vector<Transfer> batch;
};

}  // namespace hccl
