// Loads and stores of the program to pinned memory that pending work uses.
#include <cstring>
#include <future>

#include "check/programs/program.h"

namespace {

// Keeps the loads.
volatile char seen;

void Load(const char* at) {
    seen = *const_cast<const volatile char*>(at);
}

void Store(char* at) {
    *const_cast<volatile char*>(at) = 1;
}

struct SyncEvent {
    SyncEvent() { OK(aclrtCreateEventExWithFlag(&handle, ACL_EVENT_SYNC)); }
    ~SyncEvent() { OK(aclrtDestroyEvent(handle)); }
    void Record(aclrtStream stream) { OK(aclrtRecordEvent(handle, stream)); }
    aclrtEvent handle = nullptr;
};

void ReadEarly(World& world, bool is_fixed) {
    world.ToHost(world.first, world.device);
    if (is_fixed) OK(aclrtSynchronizeStream(world.first));
    Load(world.pinned + 100);
    world.Drain();
}

void WriteEarly(World& world, bool is_fixed) {
    world.ToHost(world.first, world.device);
    if (is_fixed) OK(aclrtSynchronizeDevice());
    Store(world.pinned + world.kSize - 1);
    world.Drain();
}

// The wait is for another stream's event.
void OtherEvent(World& world, bool is_fixed) {
    SyncEvent event;
    world.ToHost(world.first, world.device);
    world.Fill(world.other, world.second);
    event.Record(is_fixed ? world.first : world.second);
    OK(aclrtSynchronizeEvent(event.handle));
    Load(world.pinned);
    world.Drain();
}

// Polls until the query of an event or a stream returns this status.
template <typename Status, typename Object>
void LoadWhenComplete(World& world, Status complete, aclError (*query)(Object, Status*), Object object) {
    Status status;
    do OK(query(object, &status));
    while (status != complete);
    Load(world.pinned);
    world.Drain();
}

// The event is recorded before the copy.
void EventBefore(World& world, bool is_fixed) {
    SyncEvent event;
    if (!is_fixed) event.Record(world.first);
    world.ToHost(world.first, world.device);
    if (is_fixed) event.Record(world.first);
    LoadWhenComplete(world, ACL_EVENT_RECORDED_STATUS_COMPLETE, aclrtQueryEventStatus, event.handle);
}

// A stream that waits for the other one is complete after it.
void ThroughAnotherStream(World& world, bool is_fixed) {
    world.ToHost(world.first, world.device);
    if (is_fixed) world.Order();
    world.Fill(world.scratch, world.second, 64);
    LoadWhenComplete(world, ACL_STREAM_STATUS_COMPLETE, aclrtStreamQuery, world.second);
}

// A fill writes the memory, by the stream.
void FilledEarly(World& world, bool is_fixed) {
    world.Fill(world.pinned, world.first);
    if (is_fixed) OK(aclrtSynchronizeStreamWithTimeout(world.first, 10000));
    Load(world.pinned + 5000);
    world.Drain();
}

// The buffer of an upload is reused too early. To read it is no fault.
void ReusedEarly(World& world, bool is_fixed) {
    OK(aclrtMemcpyAsync(world.device, world.kSize, world.pinned, world.kSize, ACL_MEMCPY_HOST_TO_DEVICE, world.first));
    Load(world.pinned);
    if (is_fixed) OK(aclrtSynchronizeStream(world.first));
    std::memset(world.pinned, 2, world.kSize);
    world.Drain();
}

// Functions of a stream run when the copy before them is complete: they may load, and notify the program. That is no
// wait for the copy in the other stream.
void HostFunction(World& world, bool is_fixed) {
    const size_t half = world.kSize / 2;
    std::promise<void> copied;
    world.ToHost(world.first, world.device, half);
    OK(aclrtLaunchHostFunc(
        world.first, [](void* memory) { Load(static_cast<char*>(memory)); }, world.pinned));
    const auto end = [](void* argument) { static_cast<std::promise<void>*>(argument)->set_value(); };
    OK(aclrtLaunchHostFunc(world.first, end, &copied));
    OK(aclrtMemcpyAsync(world.pinned + half, half, world.other, half, ACL_MEMCPY_DEVICE_TO_HOST, world.second));
    copied.get_future().wait();
    Load(world.pinned);
    if (is_fixed) OK(aclrtSynchronizeStream(world.second));
    Load(world.pinned + half);
    world.Drain();
}

// Another thread of the program waits.
void OtherThread(World& world, bool is_fixed) {
    world.ToHost(world.first, world.device);
    world.Fill(world.other, world.second);
    std::async(std::launch::async, [&] {
        OK(aclrtSetDevice(0));
        OK(aclrtSynchronizeStream(is_fixed ? world.first : world.second));
        OK(aclrtResetDevice(0));
    }).get();
    Load(world.pinned);
    world.Drain();
}

// The copy leaves a part of its last page out. The program may use that part.
void Tail(World& world, bool is_fixed) {
    constexpr size_t kPage = 4096;
    world.ToHost(world.first, world.device, 2 * kPage + 100);
    Store(world.pinned + 2 * kPage + 100);
    if (!is_fixed) Load(world.pinned + kPage);
    world.Drain();
}

// A buffer for each of two copies: the program waits for one only.
void TwoBuffers(World& world, bool is_fixed) {
    const size_t half = world.kSize / 2;
    SyncEvent event;
    OK(aclrtMemcpyAsync(world.pinned, half, world.device, half, ACL_MEMCPY_DEVICE_TO_HOST, world.first));
    event.Record(world.first);
    OK(aclrtMemcpyAsync(world.pinned + half, half, world.other, half, ACL_MEMCPY_DEVICE_TO_HOST, world.first));
    OK(aclrtSynchronizeEvent(event.handle));
    Load(world.pinned + (is_fixed ? 0 : half));
    world.Drain();
}

constexpr char kRead[] = "the program reads memory that aclrtMemcpyAsync writes, without waiting for it";
constexpr char kWrite[] = "the program writes memory that aclrtMemcpyAsync writes, without waiting for it";
constexpr char kWait[] = "to wait for it: call aclrtSynchronizeStream for stream";

}  // namespace

const std::vector<Program> kEarly = {
    {"read_early", ReadEarly, "missing_wait", kRead, kWait, kCpu},
    {"write_early", WriteEarly, "missing_wait", kWrite, kWait, kCpu},
    {"other_event", OtherEvent, "missing_wait", kRead, kWait, kCpu},
    {"event_before", EventBefore, "missing_wait", kRead, kWait, kCpu},
    {"through_another_stream", ThroughAnotherStream, "missing_wait", kRead, kWait, kCpu},
    {"filled_early", FilledEarly, "missing_wait", "the program reads memory that aclrtMemsetAsync writes", kWait, kCpu},
    {"reused_early", ReusedEarly, "missing_wait", "the program writes memory that aclrtMemcpyAsync reads", kWait, kCpu},
    {"after_a_host_function", HostFunction, "missing_wait", kRead, kWait, kCpu},
    {"other_thread_waits", OtherThread, "missing_wait", kRead, kWait, kCpu},
    {"tail_of_a_page", Tail, "missing_wait", kRead, kWait, kCpu},
    {"two_buffers", TwoBuffers, "missing_wait", kRead, kWait, kCpu},
};
