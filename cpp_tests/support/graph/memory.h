// Memory of the graphs of device 0.
#pragma once

#include <chrono>

#include "support/gate.h"
#include "support/pool/mem_pool.h"

namespace portacl_test {

inline uint64_t GraphAttribute(portaclGraphMemAttr attribute, int32_t device = 0) {
    auto value = Poison<uint64_t>();
    ExpectOk("portaclDeviceGetGraphMemAttribute", portaclDeviceGetGraphMemAttribute(device, attribute, &value));
    return value;
}

inline uint64_t GraphUsed() {
    return GraphAttribute(PORTACL_GRAPH_MEM_ATTR_USED_MEM_CURRENT);
}
inline uint64_t GraphUsedHigh() {
    return GraphAttribute(PORTACL_GRAPH_MEM_ATTR_USED_MEM_HIGH);
}
inline uint64_t GraphReserved() {
    return GraphAttribute(PORTACL_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT);
}
inline uint64_t GraphReservedHigh() {
    return GraphAttribute(PORTACL_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH);
}

// Returns the used bytes at last. A driver frees memory when the work of destroyed streams is complete and a call is
// made.
inline uint64_t GraphUsedAtLast() {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (GraphUsed() != 0 && std::chrono::steady_clock::now() < deadline) {
        const Stream other;
        ExpectOk("aclrtSynchronizeDevice", aclrtSynchronizeDevice());
    }
    return GraphUsed();
}

}  // namespace portacl_test
