// Streams: in-order queues, each with a thread of its own that is late on purpose.
#pragma once

#include <deque>
#include <functional>

#include "call.h"
#include "state.h"

namespace fake {

// Something that a stream does later.
struct Operation {
    // Runs on the stream's thread without the lock. What it returns, if not CUDA_SUCCESS, becomes
    // the context's sticky failure. Not called once the context has failed.
    std::function<CUresult()> body;
    // Runs after `body` with the lock held, in any case: completes events and the like.
    std::function<void()> always;
    // Memory that the operation uses, to be kept until it is done.
    std::vector<std::shared_ptr<Block>> blocks;
};

struct Stream {
    Context* context = nullptr;
    uint64_t handle = 0;
    unsigned flags = 0;
    int priority = 0;

    std::deque<Operation> queue;
    // Work was queued, or what the stream's thread waits for has happened.
    std::condition_variable more;
    unsigned long long submitted = 0;
    unsigned long long completed = 0;
    // What all that it was given so far comes after, and how many pool operations are its own.
    Clock known;
    uint64_t pool_operations = 0;
    bool has_thread = false;
    bool finishing = false;
};

// A stream that the registry does not know yet.
std::shared_ptr<Stream> make_stream(Context& context, unsigned flags, int priority);

// The live stream with this handle, or null after reporting why not.
std::shared_ptr<Stream> find_stream(const Call& call, CUstream handle, CUresult* code);

// The same for a call that queues work, which wants the stream's own context to be current.
std::shared_ptr<Stream> find_stream_to_submit(const Call& call, CUstream handle, CUresult* code);

// Queues an operation. A failure that a test injected for later takes the place of the body.
CUresult submit(const Call& call, Stream& stream, Operation operation);

// Waits for everything submitted so far; returns the context's failure, if it has one.
CUresult wait_for(Lock& lock, Stream& stream);
// The same as a program does it, which is when memory pools shrink.
CUresult synchronize(Lock& lock, Stream& stream);
CUresult wait_for_device(Lock& lock, Context& context);

// Ends the waits of the context's streams: it has failed.
void wake_streams(const Context& context);

// Takes no more work; the thread ends after what is queued.
void finish(Stream& stream);

}  // namespace fake
