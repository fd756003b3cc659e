// Everything that the test double knows, behind one lock. Never destroyed: stream threads may still
// run while the process exits.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "abi.h"
#include "arena.h"
#include "order.h"
#include "registry.h"

namespace fake {

struct Stream;
struct Event;
struct Module;
struct Graph;
struct GraphExec;
struct Function;
struct Block;
struct Physical;
struct Reservation;
struct Pool;
struct Window;
class SharedFile;

// A device and its primary context, which share their fate here.
struct Context {
    Context(int ordinal_, size_t memory);

    const int ordinal;
    const size_t total;
    size_t used = 0;
    Arena arena;
    CUcontext handle = nullptr;
    unsigned references = 0;
    bool active = false;
    // Where its memory is, for other processes as well.
    std::shared_ptr<SharedFile> file;
    // Being torn down; it can be retained again when that is over.
    bool draining = false;
    // A failure on the device; every call returns it until the context is reset.
    CUresult sticky = CUDA_SUCCESS;
    // Streams that have work or may get some, destroyed ones included until they have drained.
    std::set<std::shared_ptr<Stream>> streams;
    // Runs what synchronous calls and memsets do.
    std::shared_ptr<Stream> internal;
    // Ordinals of the devices whose memory kernels here may touch.
    std::set<int> peers;
    // The memory pool that there is from the beginning, once somebody has asked for it, and the one
    // that was made current instead.
    std::shared_ptr<Pool> default_pool;
    std::shared_ptr<Pool> current_pool;
};

// How far a checkpoint of the process is.
enum class ProcessState { kRunning, kLocked, kCheckpointed };

// A stream that is captured.
struct Capture {
    CUstream stream;
    std::thread::id thread;
    unsigned mode;
    bool valid;
};

struct State {
    std::mutex mutex;
    // Notified after every completed operation and every change that somebody may wait for.
    std::condition_variable changed;

    bool initialised = false;
    bool held = false;
    // Not running: all calls wait, but those of checkpoints.
    ProcessState process = ProcessState::kRunning;
    std::vector<std::unique_ptr<Context>> contexts;
    std::map<uint64_t, Context*> contexts_by_handle;

    Registry<Stream> streams{HandleKind::kStream};
    Registry<Event> events{HandleKind::kEvent};
    Registry<Module> modules{HandleKind::kModule};
    Registry<Function> functions{HandleKind::kFunction};
    Registry<Physical> physical{HandleKind::kPhysical};
    Registry<Pool> pools{HandleKind::kPool};
    Registry<Graph> graphs{HandleKind::kGraph};
    Registry<GraphExec> graph_execs{HandleKind::kGraphExec};
    std::vector<Capture> captures;
    // How many nodes graphs have had.
    uint64_t graph_nodes = 0;
    // The pool operations that somebody has waited for.
    Clock observed;

    // Live memory by its first address: device memory, pinned host memory, mapped ranges.
    std::map<uint64_t, std::shared_ptr<Block>> blocks;
    // Address ranges reserved for mapping.
    std::map<uint64_t, std::shared_ptr<Reservation>> reservations;
    // Where pinned host memory and reservations live.
    std::unique_ptr<Arena> pinned_arena;
    std::unique_ptr<Arena> mapped_arena;

    // What was still alive when its context's last reference went.
    std::vector<std::string> orphans;
    std::map<std::string, unsigned long long> calls;
    std::map<std::string, unsigned long long> launches;
    unsigned long long misuses = 0;
    // Calls and operations that were made to fail.
    unsigned long long faults = 0;
};

State& state();

using Lock = std::unique_lock<std::mutex>;

}  // namespace fake
