// Races with an operation that was behind a wait already when the other one was submitted. What ends the wait decides
// which of the two is the first one, if any.
#include <cstdlib>

#include "check/programs/notifies.h"

namespace {

// The first stream fills what the second one reads, which waits. In the corrected program the read comes after that.
void FillBesideAWaitingRead(World& world, bool is_fixed) {
    ExtraStream third;
    Notify notify;
    notify.Wait(world.second);
    world.ToHost(world.second, world.device);
    world.Fill(world.device, world.first);
    if (std::getenv("CHECK_PROGRAM_EXITS")) std::exit(0);
    notify.Record(is_fixed ? world.first : third);
    OK(aclrtSynchronizeDevice());
}

// Both wait. In the corrected program the fill comes after the read.
void BothWait(World& world, bool is_fixed) {
    ExtraStream third;
    Notify of_read, of_fill;
    of_read.Wait(world.second);
    world.ToHost(world.second, world.device);
    of_fill.Wait(world.first);
    world.Fill(world.device, world.first);
    of_read.Record(third);
    of_fill.Record(is_fixed ? world.second : third);
    OK(aclrtSynchronizeDevice());
}

// The read waits twice, and only the second wait is for the stream of the fill.
void TwoWaits(World& world, bool is_fixed) {
    ExtraStream third;
    Notify one, other;
    one.Wait(world.second);
    other.Wait(world.second);
    world.ToHost(world.second, world.device);
    world.Fill(world.device, world.first);
    one.Record(third);
    other.Record(is_fixed ? world.first : third);
    OK(aclrtSynchronizeDevice());
}

// What waits is a stream before that of the read.
void ReadBehindAnotherStream(World& world, bool is_fixed) {
    ExtraStream third, fourth;
    Notify notify;
    notify.Wait(third);
    world.Order(third, world.second);
    world.ToHost(world.second, world.device);
    world.Fill(world.device, world.first);
    notify.Record(is_fixed ? world.first : fourth);
    OK(aclrtSynchronizeDevice());
}

// The first value does not end the wait.
void ValueThatIsEnough(World& world, bool is_fixed) {
    ExtraStream third;
    char* word = world.other;
    OK(aclrtMemset(word, 8, 0, 8));
    OK(aclrtValueWait(word, 2, ACL_STREAM_WAIT_VALUE_GEQ, world.second));
    world.ToHost(world.second, world.device);
    OK(aclrtValueWrite(word, 1, 0, world.first));
    // Without this order the word may end as 1, and the wait never.
    world.Order(world.first, third);
    world.Fill(world.device, world.first);
    OK(aclrtValueWrite(word, 2, 0, is_fixed ? world.first : third));
    OK(aclrtSynchronizeDevice());
}

// A copy writes the value.
void CopyEndsTheWait(World& world, bool is_fixed) {
    ExtraStream third;
    char* word = world.other;
    OK(aclrtMemset(word, 8, 0, 8));
    OK(aclrtMemset(world.scratch, 8, 1, 8));
    OK(aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_GEQ, world.second));
    world.ToHost(world.second, world.device);
    world.Fill(world.device, world.first);
    OK(aclrtMemcpyAsync(word, 8, world.scratch, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, is_fixed ? world.first : third));
    OK(aclrtSynchronizeDevice());
}

// Another stream resets the count in between.
void CountAgain(World& world, bool is_fixed) {
    ExtraStream third;
    Counted notify;
    notify.Wait(world.second, 2);
    world.ToHost(world.second, world.device);
    notify.Set(third, 1);
    notify.Reset(third);
    world.Fill(world.device, world.first);
    // A reset after the count of 2 would leave the wait without an end.
    if (is_fixed) OK(aclrtSynchronizeStream(third));
    notify.Set(is_fixed ? world.first : third, 2);
    OK(aclrtSynchronizeDevice());
}

// The host waits for the fill before it submits what ends the wait.
void HostWaitsForTheFill(World& world, bool is_fixed) {
    ExtraStream third;
    Notify notify;
    notify.Wait(world.second);
    world.ToHost(world.second, world.device);
    world.Fill(world.device, world.first);
    if (is_fixed) OK(aclrtSynchronizeStream(world.first));
    notify.Record(third);
    OK(aclrtSynchronizeDevice());
}

// The abort drops the read.
void AbortedRead(World& world, bool is_fixed) {
    aclrtStream third = nullptr;
    OK(aclrtCreateStream(&third));
    Notify notify;
    notify.Wait(third);
    world.ToHost(third, world.device);
    world.Fill(world.device, world.first);
    if (is_fixed) OK(aclrtStreamAbort(third));
    notify.Record(world.second);
    OK(aclrtSynchronizeDevice());
    OK(aclrtDestroyStreamForce(third));
}

// The second abort does not drop what ran after the first one.
void BetweenTwoAborts(World& world, bool is_fixed) {
    aclrtStream third = nullptr;
    OK(aclrtCreateStream(&third));
    Notify notify;
    notify.Wait(third);
    OK(aclrtStreamAbort(third));
    world.Fill(world.device, third);
    if (is_fixed) OK(aclrtSynchronizeStream(third));
    notify.Wait(third);
    OK(aclrtStreamAbort(third));
    world.ToHost(world.second, world.device);
    OK(aclrtSynchronizeDevice());
    OK(aclrtDestroyStreamForce(third));
}

// The run of a graph waits.
void WaitingGraph(World& world, bool is_fixed) {
    ExtraStream third;
    aclmdlRI graph = nullptr;
    OK(aclmdlRICaptureBegin(world.second, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
    world.ToHost(world.second, world.device);
    OK(aclmdlRICaptureEnd(world.second, &graph));
    Notify notify;
    notify.Wait(world.second);
    OK(aclmdlRIExecuteAsync(graph, world.second));
    world.Fill(world.device, world.first);
    notify.Record(is_fixed ? world.first : third);
    OK(aclrtSynchronizeDevice());
    OK(aclmdlRIDestroy(graph));
}

// The release has to come after the read, whatever ends the wait.
void PoolMemoryFreedBeforeTheRead(World& world, bool is_fixed) {
    Notify notify;
    void* block = nullptr;
    OK(portaclMallocAsync(&block, world.kSize, world.first));
    world.Fill(static_cast<char*>(block), world.first);
    world.Order();
    notify.Wait(world.second);
    world.ToHost(world.second, static_cast<char*>(block));
    if (is_fixed) notify.Record(world.first);
    if (is_fixed) world.Order(world.second, world.first);
    OK(portaclFreeAsync(block, world.first));
    if (!is_fixed) notify.Record(world.first);
    OK(aclrtSynchronizeDevice());
}

// The allocation waits, and has to come before the fill.
void UsedBeforeAWaitingAllocation(World& world, bool is_fixed) {
    ExtraStream third;
    Notify notify;
    void* block = nullptr;
    notify.Wait(world.second);
    OK(portaclMallocAsync(&block, world.kSize, world.second));
    if (is_fixed) world.Order(world.second, world.first);
    world.Fill(static_cast<char*>(block), world.first);
    notify.Record(is_fixed ? third : world.first);
    OK(aclrtSynchronizeDevice());
    OK(portaclFreeAsync(block, world.first));
}

constexpr const char* kFillOverRead = "aclrtMemsetAsync writes memory that aclrtMemcpyAsync reads, and nothing";

}  // namespace

const std::vector<Program> kBehindWaits = {
    {"fill_beside_a_waiting_read", FillBesideAWaitingRead, "race", kFillOverRead, "", kQueues},
    {"both_wait", BothWait, "race", kFillOverRead, "", kQueues},
    {"two_waits", TwoWaits, "race", kFillOverRead, "", kQueues},
    {"read_behind_another_stream", ReadBehindAnotherStream, "race", kFillOverRead, "", kQueues},
    {"value_that_is_enough", ValueThatIsEnough, "race", kFillOverRead, "", kQueues},
    {"copy_ends_the_wait", CopyEndsTheWait, "race", kFillOverRead, "", kQueues},
    {"count_again", CountAgain, "race", kFillOverRead, "", kQueues},
    {"host_waits_for_the_fill", HostWaitsForTheFill, "race", kFillOverRead, "", kQueues},
    {"aborted_read", AbortedRead, "race", kFillOverRead, "", kQueues},
    {"between_two_aborts", BetweenTwoAborts, "race",
     "aclrtMemcpyAsync reads memory that aclrtMemsetAsync writes, and nothing"},
    {"waiting_graph", WaitingGraph, "race",
     "aclrtMemsetAsync writes memory that aclmdlRIExecuteAsync reads, and nothing", "", kQueues},
    // On CUDA the driver gets wrong calls from these two.
    {"pool_freed_before_the_read", PoolMemoryFreedBeforeTheRead, "race",
     "portaclFreeAsync frees memory that aclrtMemcpyAsync reads, and nothing", "", kCpu},
    {"before_a_waiting_allocation", UsedBeforeAWaitingAllocation, "race",
     "aclrtMemsetAsync writes memory that portaclMallocAsync allocates, and nothing", "", kCpu},
};
