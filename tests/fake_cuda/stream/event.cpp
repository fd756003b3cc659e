#include "stream/event.h"

#include <utility>

#include "graph/capture.h"
#include "pool/mem_pool.h"
#include "stream/stream.h"

namespace fake {
namespace {

// Invalidates a capture, because a call queries whether a captured event is complete, also after the capture has ended.
CUresult disturb_capture_by(const Event& event) {
    if (event.latest == nullptr || event.latest->captured == 0) return CUDA_SUCCESS;
    if (Capture* const capture = capture_with(event.latest->captured)) capture->valid = false;
    return CUDA_ERROR_CAPTURED_EVENT;
}

// Assumption: The time between two events is known once both are complete, and only if both were created with timing.
// Source: CUDA Driver API, Event Management: cuEventElapsedTime
// Test: EventElapsed.MeasuresMilliseconds

CUresult elapsed(const Call& call, float* out, CUevent start_handle, CUevent end_handle) {
    CUresult code = CUDA_SUCCESS;
    const auto start = find_event(call, start_handle, &code);
    if (start == nullptr) return code;
    const auto end = find_event(call, end_handle, &code);
    if (end == nullptr) return code;
    if (out == nullptr) return call.misuse(CUDA_ERROR_INVALID_VALUE, "pMilliseconds is null");
    if (!start->timing || !end->timing) {
        return call.misuse(CUDA_ERROR_INVALID_HANDLE, "an event was made without timing");
    }
    if (start->context != end->context) {
        return call.misuse(CUDA_ERROR_INVALID_HANDLE, "the events belong to devices %d and %d", start->context->ordinal,
                           end->context->ordinal);
    }
    if (start->latest == nullptr || end->latest == nullptr) {
        return call.misuse(CUDA_ERROR_INVALID_HANDLE, "an event was never recorded");
    }
    if (const CUresult captured = disturb_capture_by(*start)) return captured;
    if (const CUresult captured = disturb_capture_by(*end)) return captured;
    if (!start->latest->done || !end->latest->done) {
        return CUDA_ERROR_NOT_READY;
    }
    *out = std::chrono::duration<float, std::milli>(end->latest->when - start->latest->when).count();
    return CUDA_SUCCESS;
}

}  // namespace

std::shared_ptr<Event> find_event(const Call& call, CUevent handle, CUresult* code) {
    auto event = state().events.find(number_of(handle));
    if (event == nullptr) {
        *code = call.refuse_handle(state().events, "event", number_of(handle));
    } else if (event->context->sticky != CUDA_SUCCESS) {
        *code = event->context->sticky;
        return nullptr;
    }
    return event;
}

CUresult queue_record(const Call& call, Stream& stream, std::shared_ptr<Record>* out) {
    auto record = std::make_shared<Record>();
    const auto handle = reinterpret_cast<CUstream>(stream.handle);
    if (const Capture* const capture = stream.handle != 0 ? capture_of(handle) : nullptr) {
        if (!capture->valid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
        record->captured = capture->id;
        record->point = capture->streams.at(handle);
        *out = std::move(record);
        return CUDA_SUCCESS;
    }
    record->clock = clock_of(stream);
    Operation operation;
    operation.takes_place = true;
    operation.always = [record] {
        record->when = std::chrono::steady_clock::now();
        record->done = true;
        for (const auto& waiter : std::exchange(record->waiters, {})) {
            waiter->more.notify_all();
        }
    };
    const CUresult code = submit(call, stream, std::move(operation));
    if (code == CUDA_SUCCESS) {
        *out = std::move(record);
    }
    return code;
}

CUresult record_event(const Call& call, CUevent handle, Stream& stream) {
    CUresult code = CUDA_SUCCESS;
    const auto event = find_event(call, handle, &code);
    if (event == nullptr) return code;
    if (event->context != stream.context) {
        return call.misuse(CUDA_ERROR_INVALID_HANDLE, "the event belongs to device %d, the stream to device %d",
                           event->context->ordinal, stream.context->ordinal);
    }
    return queue_record(call, stream, &event->latest);
}

// Assumption: A wait for an event waits for the record that was the latest when the wait was enqueued.
// Source: CUDA Driver API, Stream Management: cuStreamWaitEvent; Event Management: cuEventRecord
// Test: EventWait.KeepsTheRecordThatItSaw

CUresult queue_wait(const Call& call, const std::shared_ptr<Stream>& stream, const std::shared_ptr<Record>& record) {
    const auto handle = reinterpret_cast<CUstream>(stream->handle);
    if (record != nullptr && record->captured != 0) return join_capture(record->captured, record->point, handle);
    if (Capture* const capture = record != nullptr ? capture_of(handle) : nullptr) {
        return invalidate(*capture, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    }
    Operation operation;
    // This runs on the stream's thread, which keeps the stream alive.
    operation.body = [record, waiter = stream.get()] {
        Lock lock(state().mutex);
        waiter->more.wait(lock,
                          [&] { return record == nullptr || record->done || waiter->context->sticky != CUDA_SUCCESS; });
        return CUDA_SUCCESS;
    };
    const CUresult code = submit(call, *stream, std::move(operation));
    if (code != CUDA_SUCCESS || record == nullptr) return code;
    merge(&stream->known, record->clock);
    if (!record->done) record->waiters.push_back(stream);
    return code;
}

}  // namespace fake

using namespace fake;

FAKE_CUDA_EXPORT CUresult cuEventCreate(CUevent* out, unsigned flags) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (out == nullptr) return call.misuse(CUDA_ERROR_INVALID_VALUE, "phEvent is null");
    const bool interprocess = (flags & CU_EVENT_INTERPROCESS) != 0;
    const bool timing = (flags & CU_EVENT_DISABLE_TIMING) == 0;
    if (flags > 7 || (interprocess && timing)) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "flags 0x%x are unknown, or interprocess with timing", flags);
    }
    auto event = std::make_shared<Event>();
    event->context = &call.context();
    event->timing = timing;
    *out = reinterpret_cast<CUevent>(state().events.add(std::move(event)));
    return CUDA_SUCCESS;
}

// Assumption: An event may be destroyed while its record is pending and while streams wait for that.
// Source: CUDA Driver API, Event Management: cuEventDestroy
// Test: EventWait.OutlivesTheEvent, EventWait.OutlivesTheStreamThatRecorded

FAKE_CUDA_EXPORT CUresult cuEventDestroy_v2(CUevent handle) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    if (find_event(call, handle, &code) == nullptr) return code;
    state().events.remove(number_of(handle));
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuEventDestroy(CUevent handle) {
    return cuEventDestroy_v2(handle);
}

FAKE_CUDA_EXPORT CUresult cuEventRecord(CUevent event, CUstream stream_handle) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    if (find_event(call, event, &code) == nullptr) return code;
    const auto stream = find_stream_to_submit(call, stream_handle, &code);
    if (stream == nullptr) return code;
    return record_event(call, event, *stream);
}

FAKE_CUDA_EXPORT CUresult cuEventQuery(CUevent handle) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    const auto event = find_event(call, handle, &code);
    if (event == nullptr) return code;
    if (const CUresult captured = disturb_capture_by(*event)) return captured;
    const bool done = event->latest == nullptr || event->latest->done;
    return done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

FAKE_CUDA_EXPORT CUresult cuEventSynchronize(CUevent handle) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    const auto event = find_event(call, handle, &code);
    if (event == nullptr) return code;
    if (const CUresult captured = disturb_capture_by(*event)) return captured;
    if (const auto record = event->latest) {
        call.wait_inside([&] { return record->done; });
        observe(record->clock);
    }
    return event->context->sticky;
}

FAKE_CUDA_EXPORT CUresult cuStreamWaitEvent(CUstream stream_handle, CUevent event_handle, unsigned flags) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    const auto stream = find_stream(call, stream_handle, &code);
    if (stream == nullptr) return code;
    const auto event = find_event(call, event_handle, &code);
    if (event == nullptr) return code;
    if (flags > 1) return call.misuse(CUDA_ERROR_INVALID_VALUE, "unknown flags 0x%x", flags);
    return queue_wait(call, stream, event->latest);
}

FAKE_CUDA_EXPORT CUresult cuEventElapsedTime(float* out, CUevent start, CUevent end) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    return elapsed(call, out, start, end);
}

FAKE_CUDA_EXPORT CUresult cuEventElapsedTime_v2(float* out, CUevent start, CUevent end) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    return elapsed(call, out, start, end);
}
