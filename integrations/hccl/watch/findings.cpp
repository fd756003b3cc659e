#include "watch/findings.h"

namespace hccl {

FoundOperation Found(uint32_t rank, const Call& call) {
    return {call.Name(), "operation " + std::to_string(call.number) + " of rank " + std::to_string(rank), call.place};
}

FoundOperation Found(uint32_t rank, const GroupCall& call) {
    return {std::string(kCreateGroup) + ' ' + call.Name(), "by rank " + std::to_string(rank), call.place};
}

void Report(portaclFindingKind kind, const std::string& what, const std::string& about, const std::string& fix,
            const std::vector<FoundOperation>& operations) {
    std::vector<portaclFindingOperation> texts;
    for (const FoundOperation& operation : operations) {
        texts.push_back({operation.call.c_str(), operation.position.c_str(), operation.site.c_str()});
    }
    const std::string line = what + about;
    portaclFinding finding = {};
    finding.structSize = sizeof finding;
    finding.kind = kind;
    finding.what = line.c_str();
    finding.fix = fix.c_str();
    finding.operations = texts.data();
    finding.count = texts.size();
    // It fails only where the host has no memory, and the operation fails with its own text.
    portaclReportFinding(&finding);
}

void Report(const Mismatch& mismatch, const std::string& about) {
    std::vector<FoundOperation> operations;
    std::string ranks;
    std::string left;
    for (const Mismatch::Side& side : mismatch.sides) {
        const std::string name = "rank " + std::to_string(side.rank);
        if (!side.call) {
            left = name;
            continue;
        }
        ranks += (ranks.empty() ? "" : " and ") + name;
        operations.push_back(Found(side.rank, *side.call));
    }
    const std::string what = left.empty() ? "the calls of " + ranks + " do not match"
                                          : left + " has left the communicator, and " + ranks + " calls a collective";
    Report(PORTACL_FINDING_COLLECTIVES, what, about, "to mend it: " + mismatch.advice, operations);
}

}  // namespace hccl
