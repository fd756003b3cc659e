#include "profiling/profiler.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <vector>

#include "base/callbacks.h"
#include "base/paddle_symbols.h"
#include "base/report.h"
#include "profiling/trace_event.h"
#include "runtime/device.h"

namespace portacl_paddle {

std::atomic<bool> tracing{false};

namespace {

// A call, with its work if it has any. The times of enqueued work are in events until they are
// collected.
struct Record {
    const char* name;
    Work work;
    int device;
    std::size_t bytes;
    aclrtStream stream;
    std::uint64_t start_ns;
    std::uint64_t end_ns;
    std::uint64_t thread;
    aclrtEvent before;
    aclrtEvent after;
};

std::mutex records_lock;
std::vector<Record> records;

std::uint64_t ReadClock(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
}

// The clock of the library's events, and so of the records; Paddle's timeline uses the time of day.
std::uint64_t Now() {
    return ReadClock(CLOCK_MONOTONIC);
}
// The clocks are read one after the other; the shortest of some tries is one that nothing interrupted.
std::int64_t TimeOfDayLess() {
    std::uint64_t shortest = ~std::uint64_t{0};
    std::int64_t offset = 0;
    for (int tries = 0; tries < 5; ++tries) {
        const std::uint64_t before = Now();
        const std::uint64_t time_of_day = ReadClock(CLOCK_REALTIME);
        const std::uint64_t took = Now() - before;
        if (took >= shortest) continue;
        shortest = took;
        offset = static_cast<std::int64_t>(time_of_day - before);
    }
    return offset;
}

aclrtEvent RecordTime(aclrtStream stream) {
    aclrtEvent event = nullptr;
    if (aclrtCreateEventExWithFlag(&event, ACL_EVENT_TIME_LINE) != ACL_SUCCESS) return nullptr;
    if (aclrtRecordEvent(event, stream) == ACL_SUCCESS) return event;
    aclrtDestroyEvent(event);
    return nullptr;
}

void Release(const Record& record) {
    for (const aclrtEvent event : {record.before, record.after}) {
        if (event != nullptr) aclrtDestroyEvent(event);
    }
}

void ReleaseAll() {
    std::vector<Record> mine;
    {
        const std::lock_guard<std::mutex> held(records_lock);
        mine.swap(records);
    }
    for (const Record& record : mine) Release(record);
}

// Returns when enqueued work ran. False if unknown, because the device was reset since.
bool TimesOf(const Record& record, std::uint64_t* start_ns, std::uint64_t* end_ns) {
    std::uint64_t start_us = 0;
    std::uint64_t end_us = 0;
    if (record.before == nullptr || record.after == nullptr || aclrtSynchronizeEvent(record.after) != ACL_SUCCESS ||
        aclrtEventGetTimestamp(record.before, &start_us) != ACL_SUCCESS ||
        aclrtEventGetTimestamp(record.after, &end_us) != ACL_SUCCESS) {
        return false;
    }
    *start_ns = start_us * 1000;
    *end_ns = std::max(end_us * 1000, *start_ns + 1);
    return true;
}

struct WorkNames {
    const char* name;
    const char* copy;
    const char* source;
    const char* destination;
};

WorkNames NamesOf(Work work) {
    switch (work) {
        case Work::kHostToDevice:
            return {"MEMCPY_HtoD", "HtoD", "Host", "Device"};
        case Work::kDeviceToHost:
            return {"MEMCPY_DtoH", "DtoH", "Device", "Host"};
        case Work::kDeviceToDevice:
            return {"MEMCPY_DtoD", "DtoD", "Device", "Device"};
        case Work::kFill:
        case Work::kNone:
            break;
    }
    return {"MEMSET", "", "", "Device"};
}

template <std::size_t N>
void CopyText(char (&to)[N], const char* text) {
    std::snprintf(to, N, "%s", text);
}

std::uint64_t StreamNumber(aclrtStream stream) {
    std::int32_t id = 0;
    return stream != nullptr && aclrtStreamGetId(stream, &id) == ACL_SUCCESS ? static_cast<std::uint64_t>(id) : 0;
}

DeviceEvent Describe(const Record& record) {
    const WorkNames names = NamesOf(record.work);
    DeviceEvent event;
    event.name = names.name;
    event.device_id = static_cast<std::uint64_t>(record.device);
    event.stream_id = StreamNumber(record.stream);
    if (record.work == Work::kFill) {
        event.type = TraceType::kMemset;
        event.fill = FillDetail{};
        event.fill.bytes = record.bytes;
        CopyText(event.fill.memory, names.destination);
    } else {
        event.copy.bytes = record.bytes;
        CopyText(event.copy.kind, names.copy);
        CopyText(event.copy.source, names.source);
        CopyText(event.copy.destination, names.destination);
    }
    return event;
}

using Add = void (*)(C_Profiler, void*);

}  // namespace

void Traced::Begin(const char* name, Work work, int device, std::size_t bytes, aclrtStream stream, bool queued) {
    name_ = name;
    work_ = work;
    device_ = device;
    bytes_ = bytes;
    stream_ = stream;
    queued_ = queued;
    start_ns_ = Now();
    if (queued_) before_ = RecordTime(stream_);
}

void Traced::End() {
    const aclrtEvent after = queued_ ? RecordTime(stream_) : nullptr;
    const Record record{name_,   work_,     device_, bytes_,
                        stream_, start_ns_, Now(),   static_cast<std::uint64_t>(syscall(SYS_gettid)),
                        before_, after};
    const std::lock_guard<std::mutex> held(records_lock);
    records.push_back(record);
}

C_Status profiler_initialize(C_Profiler, void** user_data) {
    if (user_data != nullptr) *user_data = nullptr;
    return C_SUCCESS;
}

C_Status profiler_finalize(C_Profiler, void*) {
    tracing.store(false, std::memory_order_relaxed);
    ReleaseAll();
    return C_SUCCESS;
}

C_Status profiler_prepare_tracing(C_Profiler, void*) {
    ReleaseAll();
    return C_SUCCESS;
}

C_Status profiler_start_tracing(C_Profiler, void*) {
    tracing.store(true, std::memory_order_relaxed);
    return C_SUCCESS;
}

C_Status profiler_stop_tracing(C_Profiler, void*) {
    tracing.store(false, std::memory_order_relaxed);
    return C_SUCCESS;
}

C_Status profiler_collect_trace_data(C_Profiler profiler, std::uint64_t start_ns, void*) {
    const auto add_runtime = reinterpret_cast<Add>(FindInPaddle("profiler_add_runtime_trace_event"));
    const auto add_device = reinterpret_cast<Add>(FindInPaddle("profiler_add_device_trace_event"));
    if (profiler == nullptr || add_runtime == nullptr || add_device == nullptr) {
        ReleaseAll();
        return Refuse("profiler_collect_trace_data",
                      "Paddle passed no profiler, or has no functions that collect the events, so the events are "
                      "dropped");
    }
    std::vector<Record> mine;
    {
        const std::lock_guard<std::mutex> held(records_lock);
        mine.swap(records);
    }
    const std::int64_t to_time_of_day = TimeOfDayLess();
    const auto shown = [&](std::uint64_t at) { return at + static_cast<std::uint64_t>(to_time_of_day); };
    std::uint32_t correlation = 0;
    for (const Record& record : mine) {
        ++correlation;
        std::uint64_t start = record.start_ns;
        std::uint64_t end = record.end_ns;
        bool timed = record.work != Work::kNone;
        if (timed && record.before != nullptr) timed = TimesOf(record, &start, &end);
        if (shown(record.start_ns) >= start_ns) {
            RuntimeEvent call;
            call.name = record.name;
            call.start_ns = shown(record.start_ns);
            call.end_ns = shown(record.end_ns);
            call.process_id = static_cast<std::uint64_t>(getpid());
            call.thread_id = record.thread;
            call.correlation_id = correlation;
            add_runtime(profiler, &call);
            if (timed) {
                DeviceEvent work = Describe(record);
                work.start_ns = shown(start);
                work.end_ns = shown(end);
                work.correlation_id = correlation;
                add_device(profiler, &work);
            }
        }
        Release(record);
    }
    return C_SUCCESS;
}

}  // namespace portacl_paddle
