// Waits that nothing ends, and waits for nothing.
#include <future>

#include "check/programs/notifies.h"

namespace {

constexpr int kLong = 500;

// Waits for a stream, with a timeout.
void Await(aclrtStream stream) {
    static_cast<void>(aclrtSynchronizeStreamWithTimeout(stream, kLong));
}

void NoRecord(World& world, bool is_fixed) {
    Notify notify;
    notify.Wait(world.second);
    if (is_fixed) notify.Record(world.first);
    Await(world.second);
    if (!is_fixed) notify.Record(world.first);
    world.Drain();
}

// Each stream waits for the other one.
void Cycle(World& world, bool is_fixed) {
    Notify one, two;
    one.Wait(world.first);
    two.Record(world.first);
    if (is_fixed) one.Record(world.second);
    two.Wait(world.second);
    if (!is_fixed) one.Record(world.second);
    Await(world.first);
    if (!is_fixed) {
        one.Record(nullptr);
        OK(aclrtSynchronizeStream(world.first));
    }
    world.Drain();
}

// A stream waits for what it does itself, later.
void Own(World& world, bool is_fixed) {
    Notify notify;
    if (is_fixed) notify.Record(world.first);
    notify.Wait(world.first);
    if (!is_fixed) notify.Record(world.first);
    Await(world.first);
    if (!is_fixed) notify.Record(world.second);
    world.Drain();
}

void NoWrite(World& world, bool is_fixed) {
    OK(aclrtValueWait(world.other, 1, 0, world.second));
    if (is_fixed) OK(aclrtValueWrite(world.other, 1, 0, world.first));
    Await(world.second);
    if (!is_fixed) OK(aclrtValueWrite(world.other, 1, 0, world.first));
    world.Drain();
}

// What the other stream is about to write does not end the wait.
void WrongValue(World& world, bool is_fixed) {
    Notify notify;
    constexpr uint64_t kAwaited = 5;
    OK(aclrtValueWait(world.other, kAwaited, ACL_STREAM_WAIT_VALUE_EQ, world.second));
    notify.Wait(world.first);
    OK(aclrtValueWrite(world.other, is_fixed ? kAwaited : kAwaited + 1, 0, world.first));
    if (is_fixed) notify.Record(nullptr);
    Await(world.second);
    if (!is_fixed) {
        notify.Record(nullptr);
        OK(aclrtValueWrite(world.other, kAwaited, 0, world.first));
    }
    world.Drain();
}

// What the other stream is about to do to the count does not end the wait.
void ResetOnly(World& world, bool is_fixed) {
    Notify notify;
    Counted counted;
    counted.Wait(world.second, 1);
    notify.Wait(world.first);
    counted.Reset(world.first);
    if (is_fixed) counted.Set(world.first, 1);
    if (is_fixed) notify.Record(nullptr);
    Await(world.second);
    if (!is_fixed) {
        notify.Record(nullptr);
        counted.Set(world.first, 1);
    }
    world.Drain();
}

// What ends the wait has run, before the stream reaches the wait.
void Busy(World& world, bool is_fixed) {
    constexpr size_t kLarge = 64 << 20;
    Notify notify;
    char* large = nullptr;
    OK(aclrtMalloc(reinterpret_cast<void**>(&large), kLarge, ACL_MEM_MALLOC_HUGE_FIRST));
    for (int times = is_fixed ? 80 : 1; times > 0; --times) world.Fill(large, world.first, kLarge);
    notify.Wait(world.first);
    if (is_fixed) {
        notify.Record(world.second);
        OK(aclrtSynchronizeStream(world.second));
    }
    Await(world.first);
    if (!is_fixed) notify.Record(world.second);
    world.Drain();
    OK(aclrtFree(large));
}

// The stream waits for an event in a stream that waits for a notify.
void Behind(World& world, bool is_fixed) {
    Notify notify;
    notify.Wait(world.first);
    world.Order();
    if (is_fixed) notify.Record(nullptr);
    Await(world.second);
    if (!is_fixed) notify.Record(nullptr);
    world.Drain();
}

// As above, and the host waits for the event.
void HostBehind(World& world, bool is_fixed) {
    Notify notify;
    aclrtEvent event = nullptr;
    OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    notify.Wait(world.first);
    OK(aclrtRecordEvent(event, world.first));
    if (is_fixed) notify.Record(world.second);
    static_cast<void>(aclrtSynchronizeEventWithTimeout(event, kLong));
    if (!is_fixed) notify.Record(world.second);
    world.Drain();
    OK(aclrtDestroyEvent(event));
}

// The host function waits for a thread that waits for its stream.
void HostFunction(World& world, bool is_fixed) {
    std::promise<void> go;
    const auto wait = [](void* argument) { static_cast<std::promise<void>*>(argument)->get_future().wait(); };
    OK(aclrtLaunchHostFunc(world.first, wait, &go));
    if (is_fixed) go.set_value();
    Await(world.first);
    if (!is_fixed) go.set_value();
    world.Drain();
}

void Twice(World& world, bool is_fixed) {
    world.Fill(world.device, world.first);
    OK(aclrtSynchronizeStream(world.first));
    if (!is_fixed) OK(aclrtSynchronizeStream(world.first));
}

void OtherStream(World& world, bool is_fixed) {
    world.Fill(world.device, world.first);
    if (!is_fixed) OK(aclrtSynchronizeStream(world.second));
    OK(aclrtSynchronizeStream(world.first));
}

void DeviceAfterStream(World& world, bool is_fixed) {
    for (int step = 0; step < 4; ++step) {
        world.Fill(world.device, world.first);
        OK(aclrtSynchronizeStream(world.first));
        if (!is_fixed) OK(aclrtSynchronizeDevice());
    }
}

void EventAfterStream(World& world, bool is_fixed) {
    aclrtEvent event = nullptr;
    OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    world.Fill(world.device, world.first);
    OK(aclrtRecordEvent(event, world.first));
    OK(aclrtSynchronizeStream(world.first));
    if (!is_fixed) OK(aclrtSynchronizeEvent(event));
    OK(aclrtDestroyEvent(event));
}

constexpr char kStream[] = "aclrtSynchronizeStreamWithTimeout has waited for 200ms, and nothing that was submitted";

}  // namespace

const std::vector<Program> kSync = {
    {"no_record", NoRecord, "endless_wait", kStream, "waits for a notify or an event that nothing records", kQueues},
    {"cycle", Cycle, "endless_wait", kStream, "in one of the streams, submit the record (or the write) before the wait",
     kQueues},
    {"own_record", Own, "endless_wait", kStream,
     "in one of the streams, submit the record (or the write) before the wait", kQueues},
    {"no_write", NoWrite, "endless_wait", kStream, "waits for a value that nothing writes", kQueues},
    {"wrong_value", WrongValue, "endless_wait", kStream, "waits for a value that nothing writes", kQueues},
    {"reset_only", ResetOnly, "endless_wait", kStream,
     "(id 2, device 0), waits for a notify or an event that nothing records", kQueues},
    {"busy_stream", Busy, "endless_wait", kStream, "waits for a notify or an event that nothing records", kQueues},
    {"behind_a_notify", Behind, "endless_wait", kStream,
     "waits for an event whose record is enqueued after another operation of this list", kQueues},
    {"host_behind_a_notify", HostBehind, "endless_wait", "aclrtSynchronizeEventWithTimeout has waited for 200ms",
     "waits for a notify or an event that nothing records", kQueues},
    {"host_function_waits", HostFunction, "endless_wait", kStream, "which has not returned"},
    {"twice", Twice, "redundant_wait", "aclrtSynchronizeStream had nothing to wait for, 1 of 1 time"},
    {"other_stream", OtherStream, "redundant_wait", "aclrtSynchronizeStream had nothing to wait for, 1 of 1 time"},
    {"device_after_stream", DeviceAfterStream, "redundant_wait",
     "aclrtSynchronizeDevice had nothing to wait for, 4 of 4 times"},
    {"event_after_stream", EventAfterStream, "redundant_wait",
     "aclrtSynchronizeEvent had nothing to wait for, 1 of 1 time"},
};
