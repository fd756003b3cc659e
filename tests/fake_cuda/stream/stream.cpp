#include "stream/stream.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>

#include "base/config.h"
#include "graph/capture.h"
#include "memory/memory.h"
#include "pool/mem_pool.h"

namespace fake {
namespace {

constexpr size_t kThreadStack = size_t{256} << 10;

// Whether memory of an operation was unmapped before the operation was complete.
bool uses_unmapped(const Operation& operation) {
    return std::any_of(operation.blocks.begin(), operation.blocks.end(),
                       [](const auto& block) { return block->is_unmapped; });
}

void complete(Stream& stream, Operation& operation, CUresult code) {
    Context& context = *stream.context;
    if (code != CUDA_SUCCESS && context.sticky == CUDA_SUCCESS) {
        context.fail(code);
        wake_streams(context);
    }
    stream.places -= operation.takes_place;
    stream.hardware->places -= operation.takes_place;
    if (operation.always) {
        operation.always();
    }
    for (const auto& block : operation.blocks) {
        --block->uses;
    }
    ++stream.completed;
    HardwareQueue& hardware = *stream.hardware;
    ++hardware.completed;
    hardware.order.pop_front();
    if (!hardware.order.empty()) hardware.order.front()->more.notify_one();
    state().changed.notify_all();
}

// Assumption: The operations of a stream run in the order of their submission, and a non-blocking stream waits for no
// other one.
// Source: CUDA Driver API, Stream Management: cuStreamCreate; Programming Guide, Streams
// Test: StreamOrder.SomeWorkFitsBehindABlockedStream, NativeCuda.BothLibrariesSubmitInOneOrder

void serve(Stream& stream) {
    State& all = state();
    Context& context = *stream.context;
    Lock lock(all.mutex);
    for (;;) {
        stream.more.wait(
            lock, [&] { return stream.queue.empty() ? stream.finishing : stream.hardware->order.front() == &stream; });
        if (stream.queue.empty()) {
            return;
        }
        Operation operation = std::move(stream.queue.front());
        stream.queue.pop_front();
        if (config().delay_us != 0) {
            lock.unlock();
            usleep(config().delay_us);
            lock.lock();
        }
        all.changed.wait(lock, [&] { return !all.held; });
        CUresult code = CUDA_SUCCESS;
        if (operation.body && context.sticky == CUDA_SUCCESS) {
            lock.unlock();
            code = operation.body();
            lock.lock();
        }
        if (code == CUDA_SUCCESS && uses_unmapped(operation)) code = CUDA_ERROR_ILLEGAL_ADDRESS;
        complete(stream, operation, code);
    }
}

void* run_stream(void* argument) {
    pthread_setname_np(pthread_self(), "fake_cuda:strm");
    std::unique_ptr<std::shared_ptr<Stream>> owned(static_cast<std::shared_ptr<Stream>*>(argument));
    const std::shared_ptr<Stream> stream = std::move(*owned);
    serve(*stream);
    const Lock lock(state().mutex);
    stream->context->streams.erase(stream);
    // No later call can wait for this stream.
    merge(&state().observed, clock_of(*stream));
    state().changed.notify_all();
    return nullptr;
}

// Assumption: A hardware queue holds some 56 host functions and event records, and some 1,000 operations. A call that
// finds it full waits, also if it is full of other streams' work.
// Source: Not in a document of NVIDIA; reports of blocking calls, such as issue 516 of microsoft/mscclpp. The numbers
// are not known; the next run on a card asks by the test whether as much fits as the library needs
// Test: StreamOrder.SomeWorkFitsBehindABlockedStream, GraphAhead.HostFunctionsAndRecordsBehindATaskGroup,
// GraphAhead.FillsBehindControlFlow, GraphAhead.PoolMemoryBehindControlFlow

// Waits until the stream has room: the driver's queue for a stream is bounded, and a call that finds it full waits.
void wait_for_room(const Call& call, Stream& stream, bool takes_place) {
    constexpr unsigned long long kMostKernels = 1000;
    const unsigned limit = config().queue;
    if (limit == 0) return;
    call.block(*stream.context, [&stream, takes_place, limit] {
        const bool of_stream = config().bound_stream;
        const auto pending = of_stream ? stream.submitted - stream.completed : stream.hardware->order.size();
        const unsigned places = of_stream ? stream.places : stream.hardware->places;
        return pending < kMostKernels && (!takes_place || places < limit);
    });
}

// Assumption: The streams of a context share hardware queues, 8 for each priority or CUDA_DEVICE_MAX_CONNECTIONS. Work
// in a queue waits for all that was enqueued there before, also by other streams. To create a stream waits until the
// queue that it will share is free.
// Source: CUDA Programming Guide, Environment Variables: CUDA_DEVICE_MAX_CONNECTIONS; cuStreamCreate waited on an H200
// (docs/gpu, 2026-11-27). That each priority has queues of its own is not known; the next run on a card asks it by the
// tests and tests/interop/queue_probe.py
// Test: Memcpy.SynchronousCopiesDoNotWaitForAnyStream, GraphGroup.RunsEndBesideAnyNumberOfStreams,
// GraphCondition.RunsEndBesideAnyNumberOfStreams, GraphControl.RunsEndBesideAnyNumberOfStreams

// Returns the hardware queue of the next stream with this priority.
std::shared_ptr<HardwareQueue> next_queue(Context& context, int priority) {
    auto& queues = context.hardware_queues[priority];
    std::shared_ptr<HardwareQueue> next;
    if (queues.size() < config().connections) {
        next = std::make_shared<HardwareQueue>();
    } else {
        next = queues.front();
        queues.pop_front();
    }
    queues.push_back(next);
    return next;
}

CUresult create(const Call& call, CUstream* out, unsigned flags, int priority) {
    auto stream = make_stream(call.context(), flags, priority);
    if (config().connections != 0) {
        stream->hardware = next_queue(call.context(), priority);
        const HardwareQueue& shared = *stream->hardware;
        const auto until = shared.completed + shared.order.size();
        call.wait_inside([&shared, until] { return shared.completed >= until; });
    }
    stream->handle = state().streams.add(stream);
    *out = reinterpret_cast<CUstream>(stream->handle);
    return CUDA_SUCCESS;
}

bool start_thread(const std::shared_ptr<Stream>& stream) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kThreadStack);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    auto argument = std::make_unique<std::shared_ptr<Stream>>(stream);
    pthread_t thread;
    const bool started = pthread_create(&thread, &attributes, run_stream, argument.get()) == 0;
    if (started) {
        argument.release();
    }
    pthread_attr_destroy(&attributes);
    return started;
}

}  // namespace

std::shared_ptr<Stream> make_stream(Context& context, unsigned flags, int priority) {
    auto stream = std::make_shared<Stream>();
    stream->context = &context;
    stream->flags = flags;
    stream->priority = priority;
    stream->hardware = std::make_shared<HardwareQueue>();
    return stream;
}

std::shared_ptr<Stream> find_stream(const Call& call, CUstream handle, CUresult* code) {
    const uint64_t number = number_of(handle);
    if (number <= 2) {
        *code = call.misuse(CUDA_ERROR_INVALID_HANDLE,
                            "stream %llu is a default stream, which waits for other streams; use "
                            "a stream made with CU_STREAM_NON_BLOCKING",
                            static_cast<unsigned long long>(number));
        return nullptr;
    }
    auto stream = state().streams.find(number);
    if (stream == nullptr) {
        *code = call.refuse_handle(state().streams, "stream", number);
    } else if (stream->context->sticky != CUDA_SUCCESS) {
        *code = stream->context->sticky;
        return nullptr;
    }
    return stream;
}

std::shared_ptr<Stream> find_stream_to_submit(const Call& call, CUstream handle, CUresult* code) {
    auto stream = find_stream(call, handle, code);
    if (stream != nullptr && stream->context != &call.context()) {
        *code = call.misuse(CUDA_ERROR_INVALID_CONTEXT,
                            "the stream belongs to device %d, current is the context of device %d",
                            stream->context->ordinal, call.context().ordinal);
        return nullptr;
    }
    return stream;
}

CUresult submit(const Call& call, Stream& stream, Operation operation) {
    const auto handle = reinterpret_cast<CUstream>(stream.handle);
    if (Capture* const capture = stream.handle != 0 ? capture_of(handle) : nullptr) {
        return capture_work(*capture, handle);
    }
    if (!stream.has_thread) {
        const State& all = state();
        std::shared_ptr<Stream> owner = stream.handle != 0 ? all.streams.find(stream.handle) : stream.context->internal;
        if (!start_thread(owner)) {
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        stream.has_thread = true;
        stream.context->streams.insert(std::move(owner));
    }
    wait_for_room(call, stream, operation.takes_place);
    if (const CUresult late = call.late()) {
        operation.body = [late] { return late; };
    }
    for (const auto& block : operation.blocks) {
        check_order(call, stream, *block);
        ++block->uses;
    }
    stream.places += operation.takes_place;
    stream.hardware->places += operation.takes_place;
    stream.hardware->order.push_back(&stream);
    stream.queue.push_back(std::move(operation));
    ++stream.submitted;
    stream.more.notify_one();
    return CUDA_SUCCESS;
}

CUresult wait_for(const Call& call, Stream& stream) {
    const unsigned long long ticket = stream.submitted;
    const Context& context = *stream.context;
    call.wait_inside([&] { return stream.completed >= ticket; });
    return context.sticky;
}

CUresult synchronize(const Call& call, Stream& stream) {
    const Clock past = clock_of(stream);
    const CUresult code = wait_for(call, stream);
    observe(past);
    return code;
}

std::function<bool()> work_so_far(const Context& context) {
    // The pointers are copied: a stream may end, or be destroyed, while a call waits for another one.
    std::vector<std::pair<std::shared_ptr<Stream>, unsigned long long>> tickets;
    for (const auto& stream : context.streams) tickets.emplace_back(stream, stream->submitted);
    return [tickets] {
        return std::all_of(tickets.begin(), tickets.end(),
                           [](const auto& ticket) { return ticket.first->completed >= ticket.second; });
    };
}

CUresult wait_for_device(const Call& call) {
    const Context& context = call.context();
    Clock past;
    for (const auto& stream : context.streams) merge(&past, clock_of(*stream));
    call.wait_inside(work_so_far(context));
    observe(past);
    return context.sticky;
}

void wake_streams(const Context& context) {
    for (const auto& stream : context.streams) {
        stream->more.notify_all();
    }
}

void finish(Stream& stream) {
    stream.finishing = true;
    stream.more.notify_one();
}

}  // namespace fake

using namespace fake;

FAKE_CUDA_EXPORT CUresult cuStreamCreateWithPriority(CUstream* out, unsigned flags, int priority) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (out == nullptr || flags > CU_STREAM_NON_BLOCKING) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "phStream is null, or flags 0x%x unknown", flags);
    }
    return create(call, out, flags, std::clamp(priority, -5, 0));
}

FAKE_CUDA_EXPORT CUresult cuStreamCreate(CUstream* out, unsigned flags) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (out == nullptr || flags > CU_STREAM_NON_BLOCKING) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "phStream is null, or flags 0x%x unknown", flags);
    }
    return create(call, out, flags, 0);
}

// Assumption: A destroyed stream completes its pending work; the call returns at once.
// Source: CUDA Driver API, Stream Management: cuStreamDestroy
// Test: StreamDestroy.ForceDoesNotWait

FAKE_CUDA_EXPORT CUresult cuStreamDestroy_v2(CUstream handle) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    const auto stream = find_stream(call, handle, &code);
    if (stream == nullptr) return code;
    finish(*stream);
    state().streams.remove(stream->handle);
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuStreamDestroy(CUstream handle) {
    return cuStreamDestroy_v2(handle);
}

FAKE_CUDA_EXPORT CUresult cuStreamSynchronize(CUstream handle) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    const auto stream = find_stream(call, handle, &code);
    if (stream == nullptr) return code;
    if (const CUresult captured = disturb_capture_of(handle, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)) return captured;
    return synchronize(call, *stream);
}

FAKE_CUDA_EXPORT CUresult cuStreamQuery(CUstream handle) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    const auto stream = find_stream(call, handle, &code);
    if (stream == nullptr) return code;
    if (const CUresult captured = disturb_capture_of(handle, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)) return captured;
    return stream->completed == stream->submitted ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

FAKE_CUDA_EXPORT CUresult cuStreamGetFlags(CUstream handle, unsigned* out) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    const auto stream = find_stream(call, handle, &code);
    if (stream == nullptr) return code;
    if (out == nullptr) return call.misuse(CUDA_ERROR_INVALID_VALUE, "flags is null");
    *out = stream->flags;
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuStreamGetPriority(CUstream handle, int* out) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    const auto stream = find_stream(call, handle, &code);
    if (stream == nullptr) return code;
    if (out == nullptr) return call.misuse(CUDA_ERROR_INVALID_VALUE, "priority is null");
    *out = stream->priority;
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuStreamGetCtx(CUstream handle, CUcontext* out) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    const auto stream = find_stream(call, handle, &code);
    if (stream == nullptr) return code;
    if (out == nullptr) return call.misuse(CUDA_ERROR_INVALID_VALUE, "pctx is null");
    *out = stream->context->handle;
    return CUDA_SUCCESS;
}
