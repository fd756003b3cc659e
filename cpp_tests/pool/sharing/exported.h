// Pools and allocations as one process sends them to another.
#pragma once

#include "support/pool/shared_pool.h"

namespace portacl_test {

constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr aclrtMemHandleType kPosix = ACL_MEM_HANDLE_TYPE_POSIX;

// An allocation as it is sent to the other process.
struct Exported {
    ExportData data;
    size_t size;
    int value;
};

inline SharedPool ReceivePool(Connection& parent) {
    int descriptor = -1;
    parent.Receive<int>(&descriptor);
    return SharedPool::Import(descriptor);
}

inline void SendPool(Connection& peer, const SharedPool& pool) {
    const Descriptor descriptor(pool.Export());
    EXPECT_EQ(fcntl(descriptor, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    peer.Send(0, descriptor);
}

}  // namespace portacl_test
