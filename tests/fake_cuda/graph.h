// Graphs, and what was made ready of them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "call.h"
#include "state.h"

namespace fake {

struct Record;

struct Node {
    // Queues what the node does on the stream of a launch.
    using Queue = std::function<CUresult(Call& call, Stream& stream)>;
    Queue queue;
    // What it is: a driver changes a node to another of its kind only.
    const char* kind = "";
    std::vector<size_t> after;
};

struct Graph {
    Context* context = nullptr;
    std::vector<Node> nodes;
    // Where a node is, by its handle.
    std::map<uint64_t, size_t> places;
};

struct GraphExec {
    Context* context = nullptr;
    std::vector<Node> nodes;
    unsigned long long launches = 0;
    // Behind the latest launch.
    std::shared_ptr<Record> latest;
};

}  // namespace fake
