// The life of communicators, and what is known of one.
#include <hccl/hccl.h>

#include <cstring>

#include "api/checks.h"
#include "communicator/create.h"

using hccl::Failure;
using hccl::Find;
using hccl::Guard;
using hccl::Handle;
using hccl::RequirePointer;

HcclResult HcclGetRootInfo(HcclRootInfo* rootInfo) {
    return Guard(__func__, [&] {
        RequirePointer(rootInfo, "rootInfo");
        hccl::Invite(rootInfo);
    });
}

HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank, HcclComm* comm) {
    return Guard(__func__, [&] {
        RequirePointer(rootInfo, "rootInfo");
        RequirePointer(comm, "comm");
        *comm = hccl::Add(hccl::Join(nRanks, *rootInfo, rank));
    });
}

HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank,
                                      const HcclCommConfig*, HcclComm* comm) {
    return Guard(__func__, [&] {
        RequirePointer(rootInfo, "rootInfo");
        RequirePointer(comm, "comm");
        *comm = hccl::Add(hccl::Join(nRanks, *rootInfo, rank));
    });
}

HcclResult HcclCreateSubCommConfig(const HcclComm* comm, uint32_t nRanks, const uint32_t* ranks, uint64_t id,
                                   uint32_t rank, const HcclCommConfig*, HcclComm* subComm) {
    return Guard(__func__, [&] {
        RequirePointer(comm, "comm");
        RequirePointer(ranks, "ranks");
        RequirePointer(subComm, "subComm");
        const Handle parent = Find(*comm);
        hccl::GroupCall call;
        call.id = id;
        call.ranks = hccl::RequireMembers(*parent, nRanks, ranks, rank);
        *subComm = hccl::Add(hccl::Divide(*parent, std::move(call), rank));
    });
}

HcclResult HcclCommInitAll(uint32_t ndev, int32_t* devices, HcclComm* comms) {
    return Guard(__func__, [&] {
        RequirePointer(devices, "devices");
        RequirePointer(comms, "comms");
        uint32_t known = 0;
        hccl::Succeed("aclrtGetDeviceCount", aclrtGetDeviceCount(&known));
        hccl::CheckSize("ndev", ndev);
        for (uint32_t index = 0; index < ndev; index++) {
            const int32_t device = devices[index];
            if (device < 0 || static_cast<uint32_t>(device) >= known) {
                throw Failure(HCCL_E_PARA, "devices[" + std::to_string(index) + "] is " + std::to_string(device) +
                                               "; allowed: 0 to " + std::to_string(known - 1));
            }
        }
        const std::vector<Handle> handles = hccl::JoinAll(ndev);
        for (uint32_t rank = 0; rank < ndev; rank++) comms[rank] = hccl::Add(handles[rank]);
    });
}

HcclResult HcclCommDestroy(HcclComm comm) {
    return Guard(__func__, [&] { hccl::Remove(comm)->Destroy(); });
}

HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rankSize) {
    return Guard(__func__, [&] {
        RequirePointer(rankSize, "rankSize");
        *rankSize = Find(comm)->size();
    });
}

HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank) {
    return Guard(__func__, [&] {
        RequirePointer(rank, "rank");
        *rank = Find(comm)->rank();
    });
}

HcclResult HcclGetCommName(HcclComm comm, char* commName) {
    return Guard(__func__, [&] {
        RequirePointer(commName, "commName");
        const std::string& name = Find(comm)->name();
        std::memcpy(commName, name.c_str(), name.size() + 1);
    });
}

HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult* asyncError) {
    return Guard(__func__, [&] {
        RequirePointer(asyncError, "asyncError");
        *asyncError = Find(comm)->failure();
    });
}

const char* HcclGetErrorString(HcclResult code) {
    switch (code) {
        case HCCL_SUCCESS:
            return "success";
        case HCCL_E_PARA:
            return "a wrong argument";
        case HCCL_E_PTR:
            return "a null pointer";
        case HCCL_E_MEMORY:
            return "no memory";
        case HCCL_E_INTERNAL:
            return "an error of the library";
        case HCCL_E_NOT_SUPPORT:
            return "not supported";
        case HCCL_E_REMOTE:
            return "another rank has failed, has ended or does not answer";
    }
    return "unknown";
}
