// Races by order that is missing, or does not reach far enough.
#include <future>

#include "check/programs/program.h"

namespace {

void Read(World& world) {
    OK(aclrtMemcpy(world.pageable.data(), world.kSize, world.device, world.kSize, ACL_MEMCPY_DEVICE_TO_HOST));
}

void HostDoesNotWait(World& world, bool is_fixed) {
    world.Fill(world.device, world.first);
    if (is_fixed) OK(aclrtSynchronizeStream(world.first));
    Read(world);
}

void HostWaitsForTheOtherStream(World& world, bool is_fixed) {
    world.Fill(world.device, world.first);
    OK(aclrtSynchronizeStream(is_fixed ? world.first : world.second));
    Read(world);
}

void HostWaitsBefore(World& world, bool is_fixed) {
    if (!is_fixed) OK(aclrtSynchronizeDevice());
    world.Fill(world.device, world.first);
    if (is_fixed) OK(aclrtSynchronizeDevice());
    Read(world);
}

void HostWrites(World& world, bool is_fixed) {
    world.ToHost(world.first, world.device);
    if (is_fixed) OK(aclrtSynchronizeStreamWithTimeout(world.first, -1));
    OK(aclrtMemset(world.device, world.kSize, 0, world.kSize));
}

void HostUploads(World& world, bool is_fixed) {
    world.ToHost(world.first, world.device);
    if (is_fixed) OK(aclrtSynchronizeStream(world.first));
    OK(aclrtMemcpy(world.device, world.kSize, world.pageable.data(), world.kSize, ACL_MEMCPY_HOST_TO_DEVICE));
}

// A copy to pageable memory is complete when it returns, but only in its own stream.
void PageableCopyOfTheOtherStream(World& world, bool is_fixed) {
    world.Fill(world.device, world.first);
    OK(aclrtMemcpyAsync(world.pageable.data(), world.kSize, is_fixed ? world.device : world.other, world.kSize,
                        ACL_MEMCPY_DEVICE_TO_HOST, is_fixed ? world.first : world.second));
    Read(world);
}

// An event that was recorded before the work, or behind it.
void EventTooEarly(World& world, bool is_fixed) {
    aclrtEvent event = nullptr;
    OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    if (!is_fixed) OK(aclrtRecordEvent(event, world.first));
    world.Fill(world.device, world.first);
    if (is_fixed) OK(aclrtRecordEvent(event, world.first));
    OK(aclrtStreamWaitEvent(world.second, event));
    world.ToHost(world.second, world.device);
    OK(aclrtDestroyEvent(event));
}

// A wait before the record waits for nothing.
void WaitTooEarly(World& world, bool is_fixed) {
    aclrtEvent event = nullptr;
    OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    world.Fill(world.device, world.first);
    if (!is_fixed) OK(aclrtStreamWaitEvent(world.second, event));
    OK(aclrtRecordEvent(event, world.first));
    if (is_fixed) OK(aclrtStreamWaitEvent(world.second, event));
    world.ToHost(world.second, world.device);
    OK(aclrtDestroyEvent(event));
}

// The host waits for an event that lies before the work.
void HostWaitsForAnEarlyEvent(World& world, bool is_fixed) {
    aclrtEvent event = nullptr;
    OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    OK(aclrtRecordEvent(event, world.first));
    world.Fill(world.device, world.first);
    if (is_fixed) OK(aclrtRecordEvent(event, world.first));
    OK(aclrtSynchronizeEvent(event));
    Read(world);
    OK(aclrtDestroyEvent(event));
}

// The host polls an event instead.
void HostPolls(World& world, bool is_fixed) {
    aclrtEvent event = nullptr;
    OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    if (!is_fixed) OK(aclrtRecordEvent(event, world.first));
    world.Fill(world.device, world.first);
    if (is_fixed) OK(aclrtRecordEvent(event, world.first));
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    while (status != ACL_EVENT_RECORDED_STATUS_COMPLETE) OK(aclrtQueryEventStatus(event, &status));
    Read(world);
    OK(aclrtDestroyEvent(event));
}

void HostQueriesTheStream(World& world, bool is_fixed) {
    world.Fill(world.device, world.first);
    aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
    const aclrtStream queried = is_fixed ? world.first : world.second;
    while (status != ACL_STREAM_STATUS_COMPLETE) OK(aclrtStreamQuery(queried, &status));
    Read(world);
}

// Three streams: the second does not wait for the first, so the third does not either.
void BrokenChain(World& world, bool is_fixed) {
    ExtraStream third;
    world.Fill(world.device, world.first);
    if (is_fixed) world.Order(world.first, world.second);
    world.Order(world.second, third);
    world.ToHost(third, world.device);
}

// The event is recorded in another stream before the wait.
void EventRecordedAgain(World& world, bool is_fixed) {
    aclrtEvent event = nullptr;
    OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    world.Fill(world.device, world.first);
    OK(aclrtRecordEvent(event, world.first));
    if (!is_fixed) OK(aclrtRecordEvent(event, world.second));
    OK(aclrtStreamWaitEvent(world.second, event));
    world.ToHost(world.second, world.device);
    OK(aclrtDestroyEvent(event));
}

// The default stream orders nothing in other streams.
void DefaultStream(World& world, bool is_fixed) {
    world.Fill(world.device, nullptr);
    if (is_fixed) world.Order(nullptr, world.second);
    world.ToHost(world.second, world.device);
}

void NotifyTooEarly(World& world, bool is_fixed) {
    aclrtNotify notify = nullptr;
    OK(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
    if (!is_fixed) OK(aclrtRecordNotify(notify, world.first));
    world.Fill(world.device, world.first);
    if (is_fixed) OK(aclrtRecordNotify(notify, world.first));
    OK(aclrtWaitAndResetNotify(notify, world.second, 0));
    world.ToHost(world.second, world.device);
    OK(aclrtSynchronizeDevice());
    OK(aclrtDestroyNotify(notify));
}

void Values(World& world, bool is_fixed) {
    char* word = world.other;
    OK(aclrtMemset(word, 8, 0, 8));
    world.Fill(world.device, world.first);
    OK(aclrtValueWrite(word, 1, 0, world.first));
    if (is_fixed) OK(aclrtValueWait(word, 1, 1, world.second));
    world.ToHost(world.second, world.device);
}

// The wait is enqueued before the record. In the faulty program the next fill does not wait for the reader.
void WaitsFirst(World& world, bool is_fixed) {
    aclrtNotify made = nullptr, read = nullptr;
    OK(aclrtCreateNotify(&made, ACL_NOTIFY_DEFAULT));
    OK(aclrtCreateNotify(&read, ACL_NOTIFY_DEFAULT));
    OK(aclrtWaitAndResetNotify(made, world.second, 0));
    world.ToHost(world.second, world.device);
    OK(aclrtRecordNotify(read, world.second));
    world.Fill(world.device, world.first);
    OK(aclrtRecordNotify(made, world.first));
    if (is_fixed) OK(aclrtWaitAndResetNotify(read, world.first, 0));
    world.Fill(world.device, world.first);
    OK(aclrtSynchronizeDevice());
    OK(aclrtDestroyNotify(made));
    OK(aclrtDestroyNotify(read));
}

// When a host function runs, everything before it is complete; it notifies the host.
void HostFunction(World& world, bool is_fixed) {
    std::promise<void> reached;
    const auto notify = [](void* argument) { static_cast<std::promise<void>*>(argument)->set_value(); };
    if (!is_fixed) OK(aclrtLaunchHostFunc(world.first, notify, &reached));
    world.Fill(world.device, world.first);
    if (is_fixed) OK(aclrtLaunchHostFunc(world.first, notify, &reached));
    reached.get_future().wait();
    Read(world);
}

}  // namespace

const std::vector<Program> kOrder = {
    {"host_does_not_wait", HostDoesNotWait, "race",
     "aclrtMemcpy reads memory that aclrtMemsetAsync writes, and nothing"},
    {"host_waits_for_other", HostWaitsForTheOtherStream, "race",
     "aclrtMemcpy reads memory that aclrtMemsetAsync writes, and nothing"},
    {"host_waits_before", HostWaitsBefore, "race",
     "aclrtMemcpy reads memory that aclrtMemsetAsync writes, and nothing"},
    {"host_writes", HostWrites, "race", "aclrtMemset writes memory that aclrtMemcpyAsync reads, and nothing"},
    {"host_uploads", HostUploads, "race", "aclrtMemcpy writes memory that aclrtMemcpyAsync reads, and nothing"},
    {"pageable_copy", PageableCopyOfTheOtherStream, "race",
     "aclrtMemcpy reads memory that aclrtMemsetAsync writes, and nothing"},
    {"event_too_early", EventTooEarly, "race",
     "aclrtMemcpyAsync reads memory that aclrtMemsetAsync writes, and nothing"},
    {"wait_too_early", WaitTooEarly, "race", "aclrtMemcpyAsync reads memory that aclrtMemsetAsync writes, and nothing"},
    {"host_waits_for_early_event", HostWaitsForAnEarlyEvent, "race",
     "aclrtMemcpy reads memory that aclrtMemsetAsync writes, and nothing"},
    {"host_polls", HostPolls, "race", "aclrtMemcpy reads memory that aclrtMemsetAsync writes, and nothing"},
    {"host_queries_stream", HostQueriesTheStream, "race",
     "aclrtMemcpy reads memory that aclrtMemsetAsync writes, and nothing"},
    {"broken_chain", BrokenChain, "race", "aclrtMemcpyAsync reads memory that aclrtMemsetAsync writes, and nothing"},
    {"event_recorded_again", EventRecordedAgain, "race",
     "aclrtMemcpyAsync reads memory that aclrtMemsetAsync writes, and nothing"},
    {"default_stream", DefaultStream, "race",
     "aclrtMemcpyAsync reads memory that aclrtMemsetAsync writes, and nothing"},
    {"notify_too_early", NotifyTooEarly, "race",
     "aclrtMemcpyAsync reads memory that aclrtMemsetAsync writes, and nothing"},
    {"waits_first", WaitsFirst, "race", "aclrtMemsetAsync writes memory that aclrtMemcpyAsync reads, and nothing", "",
     kQueues},
    {"values", Values, "race", "aclrtMemcpyAsync reads memory that aclrtMemsetAsync writes, and nothing"},
    {"host_function", HostFunction, "race", "aclrtMemcpy reads memory that aclrtMemsetAsync writes, and nothing"},
};
