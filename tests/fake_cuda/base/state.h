// The state of the test double, behind one lock. It is never destroyed, because stream threads may still run while the
// process exits.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/abi.h"
#include "base/arena.h"
#include "base/registry.h"
#include "stream/order.h"

namespace fake {

struct Stream;
struct HardwareQueue;
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

// The memory of a device, which its contexts share.
struct Device {
    explicit Device(size_t memory);

    const size_t total;
    size_t used = 0;
    // The failure that makes the device unusable until the process ends.
    CUresult lost = CUDA_SUCCESS;
    Arena arena;
    // The file of its memory, shared with other processes.
    std::shared_ptr<SharedFile> file;
    // The default memory pool, once a call has used it, and the current pool if another one was
    // set.
    std::shared_ptr<Pool> default_pool;
    std::shared_ptr<Pool> current_pool;
};

// The primary context of a device, or one of cuCtxCreate.
struct Context {
    // Creates the primary context, with its device.
    Context(int ordinal_, size_t memory);
    // Creates a further context on the device of a primary one.
    explicit Context(const Context& primary);

    const int ordinal;
    const std::shared_ptr<Device> device;
    CUcontext handle = nullptr;
    // The number of references to a primary context.
    unsigned references = 0;
    bool active = false;
    // Whether it is being torn down. It can be retained again afterwards.
    bool draining = false;
    // Fails the context, and for some failures all later ones of the device.
    void fail(CUresult code);

    // A failure on the device; every call returns it until the context is reset.
    CUresult sticky = CUDA_SUCCESS;
    // Whether a call waits inside the driver and holds the lock that other calls in this context need.
    bool blocked = false;
    // Streams that have work or may get some, including destroyed ones that have pending work.
    std::set<std::shared_ptr<Stream>> streams;
    // For each priority, the hardware queues that its streams share. The next stream gets the first one.
    std::map<int, std::deque<std::shared_ptr<HardwareQueue>>> hardware_queues;
    // The stream that runs the work of synchronous calls and memsets.
    std::shared_ptr<Stream> internal;
    // Ordinals of the devices whose memory kernels of this device may access.
    std::set<int> peers;
};

// The checkpoint state of the process.
enum class ProcessState { kRunning, kLocked, kCheckpointed };

// A point in a capture: for each of its streams, the number of captured operations before it.
using CapturedPoint = std::map<CUstream, uint64_t>;

// The capture of a stream, and of those that have joined it.
struct Capture {
    uint64_t id;
    CUstream origin;
    std::thread::id thread;
    unsigned mode;
    bool valid;
    // For each stream, what its next operation is ordered after.
    std::map<CUstream, CapturedPoint> streams;
};

struct State {
    std::mutex mutex;
    // Notified after every completed operation and every change that a thread may wait for.
    std::condition_variable changed;

    bool initialised = false;
    bool held = false;
    // Calls that wait inside the driver.
    unsigned blocked_calls = 0;
    // How often streams have read a word without the awaited value.
    unsigned long long polls = 0;
    // Locked: all calls wait, except those of checkpoints.
    ProcessState process = ProcessState::kRunning;
    // Primary contexts, by the ordinals of their devices.
    std::vector<std::unique_ptr<Context>> contexts;
    // The contexts of cuCtxCreate, also destroyed ones, which may be current on threads.
    std::vector<std::unique_ptr<Context>> created;
    std::map<uint64_t, Context*> contexts_by_handle;

    Registry<Stream> streams{HandleKind::kStream};
    Registry<Event> events{HandleKind::kEvent};
    Registry<Module> modules{HandleKind::kModule};
    Registry<Function> functions{HandleKind::kFunction};
    Registry<Physical> physical{HandleKind::kPhysical};
    Registry<Pool> pools{HandleKind::kPool};
    // Destroyed pools whose memory was still in use, or whose frees were pending.
    std::vector<std::shared_ptr<Pool>> ended_pools;
    Registry<Graph> graphs{HandleKind::kGraph};
    Registry<GraphExec> graph_execs{HandleKind::kGraphExec};
    std::vector<Capture> captures;
    // The number of captures ever begun.
    uint64_t captures_begun = 0;
    // The number of graph nodes ever created.
    uint64_t graph_nodes = 0;
    // The pool operations that the host has waited for.
    Clock observed;

    // Live memory by its first address: device memory, pinned host memory, mapped ranges.
    std::map<uint64_t, std::shared_ptr<Block>> blocks;
    // Address ranges reserved for mapping.
    std::map<uint64_t, std::shared_ptr<Reservation>> reservations;
    // Addresses of pinned host memory and reservations.
    std::unique_ptr<Arena> pinned_arena;
    std::unique_ptr<Arena> mapped_arena;

    // Objects that were alive when their context's last reference was released.
    std::vector<std::string> orphans;
    std::map<std::string, unsigned long long> calls;
    std::map<std::string, unsigned long long> launches;
    unsigned long long misuses = 0;
    // The number of calls and operations that were made to fail.
    unsigned long long faults = 0;
};

State& state();

using Lock = std::unique_lock<std::mutex>;

}  // namespace fake
