// Statistics of memory in tests.
#pragma once

#include <portacl/portacl.h>

#include "support/objects.h"

namespace portacl_test {

inline portaclMemoryStats Stats(int32_t device, portaclMemoryKind kind) {
    portaclMemoryStats stats{};
    stats.structSize = sizeof stats;
    ExpectOk("portaclMemoryGetStats", portaclMemoryGetStats(device, kind, &stats));
    return stats;
}

}  // namespace portacl_test
