#include "engine/call_of.h"

#include "base/types.h"

namespace hccl {

namespace {

// Each rank of an AlltoAllV has counts of its own.
bool HasCount(const Operation& operation) {
    return operation.kind != Kind::kAllToAll || operation.count > 0;
}

bool HasReduction(Kind kind) {
    return kind == Kind::kAllReduce || kind == Kind::kReduce || kind == Kind::kReduceScatter;
}

bool HasRoot(Kind kind) {
    return kind == Kind::kReduce || kind == Kind::kBroadcast || kind == Kind::kScatter;
}

}  // namespace

Call CallOf(const Operation& operation) {
    Call call;
    call.function = operation.call;
    call.place = operation.place;
    switch (operation.kind) {
        case Kind::kBatch:
            call.form = Call::kBatch;
            return call;
        case Kind::kSend:
            call.form = Call::kSend;
            break;
        case Kind::kRecv:
            call.form = Call::kRecv;
            break;
        default:
            break;
    }
    if (call.form != Call::kAll) call.peer = operation.root;
    if (operation.kind == Kind::kBarrier) return call;
    call.elements = NameOf(operation.type);
    if (HasCount(operation)) call.elements += ' ' + std::to_string(operation.count);
    if (HasReduction(operation.kind)) call.elements += std::string(" ") + NameOf(operation.reduction);
    if (HasRoot(operation.kind)) call.elements += " root " + std::to_string(operation.root);
    return call;
}

}  // namespace hccl
