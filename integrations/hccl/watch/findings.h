// PORTACL_CHECK=collectives: what it finds, for the reports of the runtime.
#pragma once

#include <portacl/portacl.h>

#include <string>
#include <vector>

#include "watch/calls.h"
#include "watch/groups.h"

namespace hccl {

// An operation of a report.
struct FoundOperation {
    std::string call;
    // Its place among the operations of its rank.
    std::string position;
    // The source line, or an empty text.
    std::string site;
};

FoundOperation Found(uint32_t rank, const Call& call);
FoundOperation Found(uint32_t rank, const GroupCall& call);

// Reports a finding. `about`: which ranks they are, if the communicator is a group.
void Report(portaclFindingKind kind, const std::string& what, const std::string& about, const std::string& fix,
            const std::vector<FoundOperation>& operations);
// Reports calls that do not match.
void Report(const Mismatch& mismatch, const std::string& about);

}  // namespace hccl
