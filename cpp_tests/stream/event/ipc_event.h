// Exporting and opening events of other processes.
#pragma once

#include "support/gate.h"
#include "support/graph/graph.h"
#include "support/pool/shared_pool.h"

namespace portacl_test {

constexpr aclError kBad = ACL_ERROR_INVALID_PARAM;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr aclError kUnsupported = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;

using EventHandle = aclrtIpcEventHandle;

inline EventHandle Export(aclrtEvent event) {
    auto handle = Poison<EventHandle>();
    ExpectOk("aclrtIpcGetEventHandle", aclrtIpcGetEventHandle(event, &handle));
    return handle;
}

// An event of another process.
inline aclrtEvent Open(const EventHandle& handle) {
    aclrtEvent event = nullptr;
    ExpectOk("aclrtIpcOpenEventHandle", aclrtIpcOpenEventHandle(handle, &event));
    return event;
}

}  // namespace portacl_test
