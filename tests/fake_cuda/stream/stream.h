// Streams: in-order queues, each with a thread that is late on purpose.
#pragma once

#include <deque>
#include <functional>

#include "base/call.h"
#include "base/state.h"

namespace fake {

// An enqueued operation of a stream.
struct Operation {
    // Runs on the stream's thread without the lock. A result other than CUDA_SUCCESS becomes the context's sticky
    // failure. This is not called once the context has failed.
    std::function<CUresult()> body;
    // Runs after `body` with the lock held, in any case: completes events and the like.
    std::function<void()> always;
    // Whether it takes a place in the short queue of what the host or the front end of a device handles.
    bool takes_place = false;
    // The memory that the operation uses, which is kept until it is complete.
    std::vector<std::shared_ptr<Block>> blocks;
};

// What the device takes in the order of the calls, for all streams that share it.
struct HardwareQueue {
    // The streams of the pending operations. The first one runs its operation.
    std::deque<Stream*> order;
    unsigned long long completed = 0;
    // The number of pending operations that take a place.
    unsigned places = 0;
};

struct Stream {
    Context* context = nullptr;
    uint64_t handle = 0;
    unsigned flags = 0;
    int priority = 0;

    std::shared_ptr<HardwareQueue> hardware;
    std::deque<Operation> queue;
    // Signals new work, the stream's turn in its hardware queue, or the completion of what the stream's thread waits
    // for.
    std::condition_variable more;
    unsigned long long submitted = 0;
    unsigned long long completed = 0;
    // The number of pending operations that take a place.
    unsigned places = 0;
    // The order of its next work, and the number of its own pool operations.
    Clock known;
    uint64_t pool_operations = 0;
    bool has_thread = false;
    bool finishing = false;
};

// Creates a stream with a hardware queue of its own, which is not in the registry yet.
std::shared_ptr<Stream> make_stream(Context& context, unsigned flags, int priority);

// Returns the valid stream with this handle, or null after reporting the reason.
std::shared_ptr<Stream> find_stream(const Call& call, CUstream handle, CUresult* code);

// Returns the valid stream for a call that submits work, which requires the stream's context to be current.
std::shared_ptr<Stream> find_stream_to_submit(const Call& call, CUstream handle, CUresult* code);

// Enqueues an operation. A late failure that a test has injected replaces the body.
CUresult submit(const Call& call, Stream& stream, Operation operation);

// Waits for all work so far; returns the context's failure, if it has one.
CUresult wait_for(const Call& call, Stream& stream);
// Waits for all work so far, and trims memory pools: a call of a program.
CUresult synchronize(const Call& call, Stream& stream);
CUresult wait_for_device(const Call& call);

// Returns whether everything that the streams of a context have now is complete.
std::function<bool()> work_so_far(const Context& context);

// Ends the waits of the context's streams, because the context has failed.
void wake_streams(const Context& context);

// Makes the stream accept no more work; the thread ends after the pending work.
void finish(Stream& stream);

}  // namespace fake
