// Races around waits that are submitted before what ends them.
#include <cstdlib>
#include <future>

#include "check/programs/notifies.h"

namespace {

// What ends the second stream's wait is itself behind a wait.
void WaitBehindAWait(World& world, bool is_fixed) {
    ExtraStream third;
    Notify outer, inner;
    outer.Wait(world.second);
    world.ToHost(world.second, world.device);
    inner.Wait(world.first);
    outer.Record(world.first);
    if (!is_fixed) inner.Record(third);
    world.Fill(world.device, third);
    if (is_fixed) inner.Record(third);
    OK(aclrtSynchronizeDevice());
}

// The first of two values does not end the wait.
void ValueTooSmall(World& world, bool is_fixed) {
    char* word = world.other;
    OK(aclrtMemset(word, 8, 0, 8));
    OK(aclrtValueWait(word, 2, ACL_STREAM_WAIT_VALUE_GEQ, world.second));
    world.ToHost(world.second, world.device);
    OK(aclrtValueWrite(word, 1, 0, world.first));
    if (!is_fixed) OK(aclrtValueWrite(word, 2, 0, world.first));
    world.Fill(world.device, world.first);
    if (is_fixed) OK(aclrtValueWrite(word, 2, 0, world.first));
}

// The reader sets the word back to 0, so that its second wait is for the second 1.
void ValueAgain(World& world, bool is_fixed) {
    char* word = world.other;
    OK(aclrtMemset(word, 8, 0, 8));
    OK(aclrtValueWrite(word, 1, 0, world.first));
    OK(aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_GEQ, world.second));
    OK(aclrtValueWrite(word, 0, 0, world.second));
    world.Order(world.second, world.first);
    OK(aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_GEQ, world.second));
    world.ToHost(world.second, world.device);
    if (!is_fixed) OK(aclrtValueWrite(word, 1, 0, world.first));
    world.Fill(world.device, world.first);
    if (is_fixed) OK(aclrtValueWrite(word, 1, 0, world.first));
}

// A copy writes the value. In the faulty program it is not behind the fill.
void ValueByACopy(World& world, bool is_fixed) {
    char* word = world.other;
    ExtraStream third;
    OK(aclrtMemset(word, 8, 0, 8));
    OK(aclrtMemset(world.scratch, 8, 1, 8));
    world.Fill(world.device, is_fixed ? world.first : third);
    OK(aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_GEQ, world.second));
    OK(aclrtMemcpyAsync(word, 8, world.scratch, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, world.first));
    world.ToHost(world.second, world.device);
    OK(aclrtSynchronizeDevice());
}

// A host function notifies the host. It is behind a wait that ends after the function was submitted.
void HostFunctionBehindAWait(World& world, bool is_fixed) {
    Notify notify;
    std::promise<void> reached;
    notify.Wait(world.second);
    const auto set = [](void* argument) { static_cast<std::promise<void>*>(argument)->set_value(); };
    OK(aclrtLaunchHostFunc(world.second, set, &reached));
    if (!is_fixed) notify.Record(world.first);
    world.Fill(world.device, world.first);
    if (is_fixed) notify.Record(world.first);
    reached.get_future().wait();
    OK(aclrtMemcpy(world.pageable.data(), world.kSize, world.device, world.kSize, ACL_MEMCPY_DEVICE_TO_HOST));
    OK(aclrtSynchronizeDevice());
}

// The host uploads what a stream reads that waits already.
void HostUploadsBeforeTheRecord(World& world, bool is_fixed) {
    Notify notify;
    notify.Wait(world.second);
    world.ToHost(world.second, world.device);
    if (!is_fixed) notify.Record(world.first);
    OK(aclrtMemcpy(world.device, world.kSize, world.pageable.data(), world.kSize, ACL_MEMCPY_HOST_TO_DEVICE));
    if (is_fixed) notify.Record(world.first);
    OK(aclrtSynchronizeDevice());
}

// A stream that waits still uses memory that is freed.
void FreeBeforeTheRecord(World& world, bool is_fixed) {
    Notify notify;
    notify.Wait(world.second);
    world.ToHost(world.second, world.device);
    if (is_fixed) {
        notify.Record(world.first);
        OK(aclrtSynchronizeStream(world.second));
    }
    OK(aclrtFree(world.device));
    world.device = nullptr;
    if (!is_fixed) notify.Record(world.first);
    OK(aclrtSynchronizeDevice());
}

// The reset does not end the wait.
void ResetOfAnEvent(World& world, bool is_fixed) {
    aclrtEvent event = nullptr;
    OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_EXTERNAL));
    OK(aclrtStreamWaitEvent(world.second, event));
    world.ToHost(world.second, world.device);
    OK(aclrtResetEvent(event, world.first));
    if (!is_fixed) OK(aclrtRecordEvent(event, world.first));
    world.Fill(world.device, world.first);
    if (is_fixed) OK(aclrtRecordEvent(event, world.first));
    OK(aclrtSynchronizeDevice());
    OK(aclrtDestroyEvent(event));
}

// Nor does a count that is too small.
void CountTooSmall(World& world, bool is_fixed) {
    Counted notify;
    notify.Wait(world.second, 2);
    world.ToHost(world.second, world.device);
    notify.Reset(world.first);
    notify.Set(world.first, 1);
    if (!is_fixed) notify.Set(world.first, 2);
    world.Fill(world.device, world.first);
    if (is_fixed) notify.Set(world.first, 2);
    OK(aclrtSynchronizeDevice());
}

// The second stream waits for the third. The first one resets the count later: what is before the reset is not before
// the wait.
void ReadBesideAReset(World& world, bool is_fixed) {
    ExtraStream third;
    Counted counted;
    Notify notify;
    notify.Wait(world.first);
    world.Fill(world.device, world.first);
    counted.Reset(world.first);
    counted.Set(third, 1);
    counted.Wait(world.second, 1);
    if (!is_fixed) notify.Record(world.second);
    world.ToHost(world.second, world.device);
    if (is_fixed) notify.Record(world.second);
    OK(aclrtSynchronizeDevice());
}

// The record ends the wait of the second stream, because the other wait for it is over.
void AfterALostWait(World& world, bool is_fixed, Notify& notify) {
    if (is_fixed) world.Fill(world.device, world.first);
    notify.Record(world.first);
    notify.Wait(world.second);
    world.ToHost(world.second, world.device);
    if (!is_fixed) world.Fill(world.device, world.first);
    OK(aclrtSynchronizeDevice());
}

void AbortedWait(World& world, bool is_fixed) {
    aclrtStream third = nullptr;
    OK(aclrtCreateStream(&third));
    Notify notify;
    notify.Wait(third);
    OK(aclrtStreamAbort(third));
    AfterALostWait(world, is_fixed, notify);
    OK(aclrtDestroyStreamForce(third));
}

void TimedOutWait(World& world, bool is_fixed) {
    Notify notify;
    notify.Wait(world.second, 1);
    if (aclrtSynchronizeStream(world.second) == ACL_SUCCESS) std::abort();
    AfterALostWait(world, is_fixed, notify);
}

// The record is submitted after the read that is behind the wait, or never.
void RecordAfterTheRead(World& world, bool is_fixed) {
    ExtraStream third;
    Notify notify;
    world.Fill(world.device, world.first);
    notify.Wait(world.second);
    world.ToHost(world.second, world.device);
    if (std::getenv("CHECK_PROGRAM_EXITS")) std::exit(0);
    notify.Record(is_fixed ? world.first : third);
    OK(aclrtSynchronizeDevice());
}

// The host waits before it submits the record.
void HostWaitsBeforeTheRecord(World& world, bool is_fixed) {
    ExtraStream third;
    Notify notify;
    notify.Wait(world.second);
    world.Fill(world.device, world.first);
    world.ToHost(world.second, world.device);
    if (is_fixed) OK(aclrtSynchronizeStream(world.first));
    notify.Record(third);
    OK(aclrtSynchronizeDevice());
}

// The host itself writes the value.
void HostWritesTheValue(World& world, bool is_fixed) {
    char* word = world.other;
    const uint64_t one = 1;
    world.Fill(world.device, world.first);
    OK(aclrtValueWait(word, one, ACL_STREAM_WAIT_VALUE_EQ, world.second));
    world.ToHost(world.second, world.device);
    if (is_fixed) OK(aclrtSynchronizeStream(world.first));
    OK(aclrtMemcpy(word, sizeof one, &one, sizeof one, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtSynchronizeDevice());
}

// The read behind the wait is dropped.
void DroppedBehindAWait(World& world, bool is_fixed) {
    aclrtStream third = nullptr;
    OK(aclrtCreateStream(&third));
    Notify notify;
    world.Fill(world.device, world.first);
    notify.Wait(third);
    world.ToHost(third, world.device);
    if (is_fixed) OK(aclrtStreamAbort(third));
    notify.Record(world.second);
    OK(aclrtSynchronizeDevice());
    OK(aclrtDestroyStreamForce(third));
}

}  // namespace

const std::vector<Program> kWaits = {
    {"wait_behind_a_wait", WaitBehindAWait, "race",
     "aclrtMemsetAsync writes memory that aclrtMemcpyAsync reads, and nothing", "", kQueues},
    {"value_too_small", ValueTooSmall, "race",
     "aclrtMemsetAsync writes memory that aclrtMemcpyAsync reads, and nothing", "", kQueues},
    {"value_again", ValueAgain, "race", "aclrtMemsetAsync writes memory that aclrtMemcpyAsync reads, and nothing", "",
     kQueues},
    {"value_by_a_copy", ValueByACopy, "race", "aclrtMemcpyAsync reads memory that aclrtMemsetAsync writes, and nothing",
     "", kQueues},
    {"host_function_behind_a_wait", HostFunctionBehindAWait, "race",
     "aclrtMemcpy reads memory that aclrtMemsetAsync writes, and nothing", "", kQueues},
    {"host_uploads_before_the_record", HostUploadsBeforeTheRecord, "race",
     "aclrtMemcpy writes memory that aclrtMemcpyAsync reads, and nothing", "", kQueues},
    {"free_before_the_record", FreeBeforeTheRecord, "race",
     "aclrtFree frees memory that aclrtMemcpyAsync reads, and nothing", "", kQueues},
    {"reset_of_an_event", ResetOfAnEvent, "race",
     "aclrtMemsetAsync writes memory that aclrtMemcpyAsync reads, and nothing", "", kQueues},
    {"count_too_small", CountTooSmall, "race",
     "aclrtMemsetAsync writes memory that aclrtMemcpyAsync reads, and nothing", "", kQueues},
    {"read_beside_a_reset", ReadBesideAReset, "race",
     "aclrtMemcpyAsync reads memory that aclrtMemsetAsync writes, and nothing", "", kQueues},
    {"aborted_wait", AbortedWait, "race", "aclrtMemsetAsync writes memory that aclrtMemcpyAsync reads, and nothing"},
    {"record_after_the_read", RecordAfterTheRead, "race",
     "aclrtMemcpyAsync reads memory that aclrtMemsetAsync writes, and nothing", "", kQueues},
    {"host_waits_before_the_record", HostWaitsBeforeTheRecord, "race",
     "aclrtMemcpyAsync reads memory that aclrtMemsetAsync writes, and nothing", "", kQueues},
    {"host_writes_the_value", HostWritesTheValue, "race",
     "aclrtMemcpyAsync reads memory that aclrtMemsetAsync writes, and nothing"},
    {"dropped_behind_a_wait", DroppedBehindAWait, "race",
     "aclrtMemcpyAsync reads memory that aclrtMemsetAsync writes, and nothing", "", kQueues},
    {"timed_out_wait", TimedOutWait, "race", "aclrtMemsetAsync writes memory that aclrtMemcpyAsync reads, and nothing"},
};
