// The life of communicators, and groups of transfers.
#include <dlfcn.h>

#include <algorithm>
#include <vector>

#include "base/callbacks.h"
#include "base/report.h"
#include "collective/collective.h"
#include "profiling/profiler.h"

namespace portacl_paddle {
namespace {

// The transfers of a group that are one operation.
struct Batch {
    HcclComm communicator;
    C_Stream stream;
    std::vector<HcclSendRecvItem> transfers;
};

// Groups may be nested: the end of the outermost one enqueues the transfers.
struct Group {
    unsigned depth = 0;
    std::vector<Batch> batches;
};

thread_local Group group;

// Threads of libhccl wait for other ranks until the process ends, but Paddle unloads the plug-in before.
void KeepLoaded() {
    Dl_info self;
    if (dladdr(reinterpret_cast<void*>(&KeepLoaded), &self) == 0) return;
    static void* const kept = dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
    static_cast<void>(kept);
}

}  // namespace

C_Status xccl_get_comm_name(C_CCLComm communicator, char* name) {
    return AnswerOf("xccl_get_comm_name", HcclGetCommName(Handle(communicator), name));
}

C_Status xccl_get_unique_id_size(std::size_t* size) {
    if (size == nullptr) return Refuse("xccl_get_unique_id_size", "size is null");
    *size = sizeof(HcclRootInfo);
    return C_SUCCESS;
}

C_Status xccl_get_unique_id(C_CCLRootId* id) {
    if (id == nullptr || id->data == nullptr) return Refuse("xccl_get_unique_id", "unique_id or its data is null");
    if (id->sz < sizeof(HcclRootInfo))
        return Refuse("xccl_get_unique_id", "unique_id->sz is less than the result of xccl_get_unique_id_size");
    KeepLoaded();
    return AnswerOf("xccl_get_unique_id", HcclGetRootInfo(static_cast<HcclRootInfo*>(id->data)));
}

static C_Status Join(std::size_t ranks, C_CCLRootId* id, std::size_t rank, C_CCLComm* communicator) {
    constexpr const char* kName = "xccl_comm_init_rank";
    if (id == nullptr || id->data == nullptr) return Refuse(kName, "unique_id or its data is null");
    if (id->sz < sizeof(HcclRootInfo))
        return Refuse(kName, "unique_id->sz is less than the result of xccl_get_unique_id_size");
    if (communicator == nullptr) return Refuse(kName, "comm is null");
    KeepLoaded();
    HcclComm joined = nullptr;
    const HcclResult result =
        HcclCommInitRootInfo(RankOf(ranks), static_cast<HcclRootInfo*>(id->data), RankOf(rank), &joined);
    if (result == HCCL_SUCCESS) *communicator = reinterpret_cast<C_CCLComm>(joined);
    return AnswerOf(kName, result);
}

C_Status xccl_comm_init_rank(std::size_t ranks, C_CCLRootId* id, std::size_t rank, C_CCLComm* communicator) {
    return EndGroupAfter(Join(ranks, id, rank, communicator));
}

// Destructors of Paddle call it.
C_Status xccl_destroy_comm(C_CCLComm communicator) {
    if (!InForkedChild()) AnswerOf("xccl_destroy_comm", HcclCommDestroy(Handle(communicator)));
    return C_SUCCESS;
}

bool AddToGroup(const HcclSendRecvItem& transfer, HcclComm communicator, C_Stream stream) {
    if (group.depth == 0) return false;
    const auto fits = [&](const Batch& batch) { return batch.communicator == communicator && batch.stream == stream; };
    auto found = std::find_if(group.batches.begin(), group.batches.end(), fits);
    if (found == group.batches.end()) found = group.batches.insert(found, {communicator, stream, {}});
    found->transfers.push_back(transfer);
    return true;
}

C_Status EndGroupAfter(C_Status status) {
    if (status != C_SUCCESS) group = {};
    return status;
}

C_Status xccl_group_start() {
    ++group.depth;
    return C_SUCCESS;
}

C_Status xccl_group_end() {
    constexpr const char* kName = "xccl_group_end";
    if (group.depth == 0)
        return Refuse(kName,
                      "this thread has no group: xccl_group_start was not called, or a call in the group "
                      "failed");
    if (--group.depth > 0) return C_SUCCESS;
    std::vector<Batch> batches;
    batches.swap(group.batches);
    const Traced traced(kName);
    C_Status status = C_SUCCESS;
    for (Batch& batch : batches) {
        C_Status answer = Answer(kName, EnterDeviceOf(batch.stream));
        if (answer == C_SUCCESS) {
            const auto count = static_cast<std::uint32_t>(batch.transfers.size());
            const auto stream = reinterpret_cast<aclrtStream>(batch.stream);
            answer = AnswerOf(kName, HcclBatchSendRecv(batch.transfers.data(), count, batch.communicator, stream));
        }
        if (answer == C_SUCCESS) answer = Await(kName, batch.stream);
        if (status == C_SUCCESS) status = answer;
    }
    return status;
}

}  // namespace portacl_paddle
