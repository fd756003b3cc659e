// Live allocations in tests: the list of them, and the report.
#pragma once

#include <portacl/portacl.h>

#include <string>
#include <vector>

#include "support/objects.h"

namespace portacl_test {

// Returns the live allocations of one kind.
inline std::vector<portaclMemoryAllocation> LiveMemory(portaclMemoryKind kind) {
    size_t count = 0;
    ExpectOk("portaclMemorySnapshot", portaclMemorySnapshot(nullptr, 0, &count));
    std::vector<portaclMemoryAllocation> all(count + 1), found;
    all[0].structSize = sizeof all[0];
    ExpectOk("portaclMemorySnapshot", portaclMemorySnapshot(all.data(), all.size(), &count));
    all.resize(count);
    for (const auto& one : all)
        if (one.kind == kind) found.push_back(one);
    return found;
}

// Returns the report's lines, and how many allocations it names.
inline std::string Leaks(size_t* count) {
    std::string text;
    ExpectOk("portaclMemoryReportLeaksTo",
             portaclMemoryReportLeaksTo(
                 [](void* to, const char* line) { *static_cast<std::string*>(to) += std::string(line) + "\n"; }, &text,
                 count));
    return text;
}

}  // namespace portacl_test
