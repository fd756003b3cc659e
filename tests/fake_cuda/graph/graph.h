// Graphs, and their executable instances.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/call.h"
#include "base/state.h"

namespace fake {

struct Record;

struct Node {
    // Enqueues the node's work on the stream of a launch.
    using Queue = std::function<CUresult(Call& call, Stream& stream)>;
    Queue queue;
    // The node's kind: a driver only changes a node to another one of the same kind.
    const char* kind = "";
    std::vector<size_t> after;
};

struct Graph {
    Context* context = nullptr;
    std::vector<Node> nodes;
    // The index of a node, by its handle.
    std::map<uint64_t, size_t> places;
};

struct GraphExec {
    Context* context = nullptr;
    std::vector<Node> nodes;
    unsigned long long launches = 0;
    // The record that completes with the latest launch.
    std::shared_ptr<Record> latest;
};

}  // namespace fake
