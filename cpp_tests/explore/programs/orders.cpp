// Small programs with one planted error in the order of their work each, and their corrected twins. Without a schedule
// the errors do not show: short work runs at once, and a thread that should wait sleeps instead.
//
//     explore_programs                      lists the programs with a planted error
//     explore_programs NAME faulty|fixed    status 0: the result is right, 1: it is wrong
#include <acl/acl.h>
#include <portacl/portacl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <thread>

#include "support/ok.h"

namespace {

constexpr size_t kSize = 256;

void Expect(bool is_right, const char* what) {
    if (is_right) return;
    std::printf("wrong: %s\n", what);
    std::fflush(stdout);
    std::_Exit(1);
}

struct Fixture {
    aclrtStream a = nullptr, b = nullptr, c = nullptr;
    char *x = nullptr, *y = nullptr, *z = nullptr, *pinned = nullptr, *other = nullptr;

    Fixture() {
        OK(aclInit(nullptr));
        OK(aclrtSetDevice(0));
        for (aclrtStream* stream : {&a, &b, &c}) OK(aclrtCreateStream(stream));
        for (char** block : {&x, &y, &z}) {
            OK(aclrtMalloc(reinterpret_cast<void**>(block), kSize, ACL_MEM_MALLOC_NORMAL_ONLY));
            OK(aclrtMemset(*block, kSize, 0, kSize));
        }
        for (char** block : {&pinned, &other}) {
            OK(aclrtMallocHost(reinterpret_cast<void**>(block), kSize));
            std::memset(*block, 0, kSize);
        }
    }

    void Fill(char* at, int value, aclrtStream stream) { OK(aclrtMemsetAsync(at, kSize, value, kSize, stream)); }
    void Copy(char* to, const char* from, aclrtStream stream, aclrtMemcpyKind kind = ACL_MEMCPY_DEVICE_TO_DEVICE) {
        OK(aclrtMemcpyAsync(to, kSize, from, kSize, kind, stream));
    }
    // Everything is complete: what the device has there.
    char Read(const char* at) {
        OK(aclrtSynchronizeDevice());
        char value = 0;
        OK(aclrtMemcpy(&value, 1, at, 1, ACL_MEMCPY_DEVICE_TO_HOST));
        return value;
    }
};

aclrtEvent NewEvent() {
    aclrtEvent event = nullptr;
    OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    return event;
}

void Order(aclrtStream before, aclrtStream after) {
    const aclrtEvent event = NewEvent();
    OK(aclrtRecordEvent(event, before));
    OK(aclrtStreamWaitEvent(after, event));
}

void SleepForMilliseconds(int count) {
    std::this_thread::sleep_for(std::chrono::milliseconds(count));
}

void ReadBeforeTheCopy(Fixture& world, bool is_fixed) {
    world.Fill(world.x, 1, world.a);
    world.Copy(world.pinned, world.x, world.a, ACL_MEMCPY_DEVICE_TO_HOST);
    if (is_fixed) OK(aclrtSynchronizeStream(world.a));
    Expect(world.pinned[0] == 1, "the host reads before the copy");
}

void MissingWait(Fixture& world, bool is_fixed) {
    world.Fill(world.x, 1, world.a);
    if (is_fixed) Order(world.a, world.b);
    world.Copy(world.y, world.x, world.b);
    Expect(world.Read(world.y) == 1, "the copy runs before the fill");
}

void StagingMemoryReused(Fixture& world, bool is_fixed) {
    world.pinned[0] = 1;
    world.Copy(world.x, world.pinned, world.a, ACL_MEMCPY_HOST_TO_DEVICE);
    if (is_fixed) OK(aclrtSynchronizeStream(world.a));
    world.pinned[0] = 2;
    world.Copy(world.y, world.pinned, world.a, ACL_MEMCPY_HOST_TO_DEVICE);
    Expect(world.Read(world.x) == 1, "the host overwrites what is still to be copied");
}

void SleepsInsteadOfWaiting(Fixture& world, bool is_fixed) {
    static std::atomic<int> result{0};
    const auto compute = [](void*) { result = 1; };
    OK(aclrtLaunchHostFunc(world.a, compute, nullptr));
    if (is_fixed)
        OK(aclrtSynchronizeStream(world.a));
    else
        SleepForMilliseconds(300);
    Expect(result == 1, "the host function has not run");
}

// A wait for an event that was never recorded waits for nothing.
void ConsumerFirst(Fixture& world, bool is_fixed) {
    const aclrtEvent made = NewEvent();
    std::thread producer([&] {
        OK(aclrtSetDevice(0));
        world.Fill(world.x, 1, world.a);
        OK(aclrtRecordEvent(made, world.a));
    });
    if (is_fixed) producer.join();
    std::thread consumer([&] {
        if (!is_fixed) SleepForMilliseconds(50);
        OK(aclrtSetDevice(0));
        OK(aclrtStreamWaitEvent(world.b, made));
        world.Copy(world.y, world.x, world.b);
    });
    if (!is_fixed) producer.join();
    consumer.join();
    Expect(world.Read(world.y) == 1, "the consumer waits before the producer records");
}

// Two buffers: the third round must not begin before the first one was read.
void ThirdRound(Fixture& world, bool is_fixed) {
    char* const buffers[] = {world.x, world.y};
    aclrtEvent read[3];
    for (int round = 0; round < 3; ++round) {
        read[round] = NewEvent();
        if (is_fixed && round >= 2) OK(aclrtStreamWaitEvent(world.a, read[round - 2]));
        world.Fill(buffers[round % 2], round + 1, world.a);
        Order(world.a, world.b);
        OK(aclrtMemcpyAsync(world.pinned + round, 1, buffers[round % 2], 1, ACL_MEMCPY_DEVICE_TO_HOST, world.b));
        OK(aclrtRecordEvent(read[round], world.b));
    }
    OK(aclrtSynchronizeDevice());
    Expect(world.pinned[0] == 1, "the first round was overwritten before it was read");
}

void EventRecordedAgain(Fixture& world, bool is_fixed) {
    const aclrtEvent made = NewEvent();
    world.Fill(world.x, 1, world.a);
    OK(aclrtRecordEvent(made, world.a));
    const aclrtEvent again = is_fixed ? NewEvent() : made;
    world.Fill(world.z, 1, world.c);
    OK(aclrtRecordEvent(again, world.c));
    OK(aclrtStreamWaitEvent(world.b, made));
    OK(aclrtStreamWaitEvent(world.b, again));
    world.Copy(world.y, world.x, world.b);
    Expect(world.Read(world.y) == 1, "the wait is for the other record of the event");
}

void PollsOneOfTwo(Fixture& world, bool is_fixed) {
    const aclrtEvent first = NewEvent(), second = NewEvent();
    world.Fill(world.x, 1, world.a);
    world.Copy(world.pinned, world.x, world.a, ACL_MEMCPY_DEVICE_TO_HOST);
    OK(aclrtRecordEvent(first, world.a));
    world.Fill(world.y, 1, world.b);
    world.Copy(world.other, world.y, world.b, ACL_MEMCPY_DEVICE_TO_HOST);
    OK(aclrtRecordEvent(second, world.b));
    for (const aclrtEvent event : {second, is_fixed ? first : second}) {
        aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
        while (status != ACL_EVENT_RECORDED_STATUS_COMPLETE) OK(aclrtQueryEventStatus(event, &status));
    }
    Expect(world.other[0] == 1 && world.pinned[0] == 1, "only the second stream is complete");
}

// The pool gives the block to the next allocation of the stream that has freed it.
void FreedInAnotherStream(Fixture& world, bool is_fixed) {
    void *block = nullptr, *next = nullptr;
    OK(portaclMallocAsync(&block, kSize, world.b));
    world.Fill(static_cast<char*>(block), 1, world.b);
    Order(world.b, world.a);
    world.Copy(world.y, static_cast<char*>(block), world.a);
    if (is_fixed) Order(world.a, world.b);
    OK(portaclFreeAsync(block, world.b));
    OK(portaclMallocAsync(&next, kSize, world.b));
    world.Fill(static_cast<char*>(next), 2, world.b);
    Expect(world.Read(world.y) == 1, "the block was reused before it was read");
    OK(portaclFreeAsync(next, world.b));
}

// Shows only if one reader is between the two fills and the other one behind both.
void BetweenTwoFills(Fixture& world, bool is_fixed) {
    world.Fill(world.x, 1, world.a);
    world.Fill(world.x, 2, world.a);
    if (is_fixed) Order(world.a, world.b);
    if (is_fixed) Order(world.a, world.c);
    world.Copy(world.y, world.x, world.b);
    world.Copy(world.z, world.x, world.c);
    const char read = world.Read(world.y);
    Expect(!(read == 1 && world.Read(world.z) == 2), "the two readers see different values");
}

struct RaceProgram {
    const char* name;
    void (*run)(Fixture& world, bool is_fixed);
};

const RaceProgram kPrograms[] = {
    {"read_before_the_copy", ReadBeforeTheCopy},
    {"missing_wait", MissingWait},
    {"staging_memory_reused", StagingMemoryReused},
    {"sleeps_instead_of_waiting", SleepsInsteadOfWaiting},
    {"consumer_first", ConsumerFirst},
    {"third_round", ThirdRound},
    {"event_recorded_again", EventRecordedAgain},
    {"polls_one_of_two", PollsOneOfTwo},
    {"freed_in_another_stream", FreedInAnotherStream},
    {"between_two_fills", BetweenTwoFills},
};

// Two threads, two streams, overlapping windows. Each waits for its own stream, so that a plain run reports a race only
// if both have submitted before one has waited.
void OverlappingWindows(Fixture& world, bool is_fixed) {
    const auto fill = [&world](size_t from, int value, aclrtStream stream) {
        OK(aclrtSetDevice(0));
        OK(aclrtMemsetAsync(world.x + from, kSize - 64, value, kSize - 64, stream));
        OK(aclrtSynchronizeStream(stream));
    };
    std::thread first(fill, 0, 1, world.a);
    if (is_fixed) first.join();
    std::thread second(fill, 64, 2, world.b);
    if (!is_fixed) first.join();
    second.join();
}

// The number of this run: each appends a byte to a file.
long Run() {
    std::FILE* file = std::fopen(std::getenv("PORTACL_TEST_RUNS"), "a");
    std::fputc('.', file);
    const long run = std::ftell(file);
    std::fclose(file);
    return run;
}

// Fails in every other plain run, and else has an error of order.
void FailsInEveryOtherPlainRun(Fixture& world, bool is_fixed) {
    if (!std::getenv("PORTACL_SCHEDULE")) Expect(Run() % 2 == 0, "an odd run");
    MissingWait(world, is_fixed);
}

// Fails in one run, the second, in whatever order that is.
void FailsOnce(Fixture& world, bool) {
    MissingWait(world, true);
    Expect(Run() != 2, "the second run");
}

// Does not end in one order, `lazy`; faulty: in none.
void DoesNotEnd(Fixture& world, bool is_fixed) {
    MissingWait(world, true);
    const char* schedule = std::getenv("PORTACL_SCHEDULE");
    while (schedule && (!is_fixed || std::strcmp(schedule, "lazy") == 0)) SleepForMilliseconds(10);
}

// Programs that are not in the list.
const RaceProgram kOthers[] = {
    {"overlapping_windows", OverlappingWindows},
    {"fails_in_every_other_plain_run", FailsInEveryOtherPlainRun},
    {"fails_once", FailsOnce},
    {"does_not_end", DoesNotEnd},
};

}  // namespace

int main(int count, char** arguments) {
    if (count < 3) {
        for (const RaceProgram& program : kPrograms) std::puts(program.name);
        return 0;
    }
    const auto is_named = [&](const RaceProgram& program) { return std::strcmp(arguments[1], program.name) == 0; };
    const RaceProgram* program = std::find_if(std::begin(kPrograms), std::end(kPrograms), is_named);
    if (program == std::end(kPrograms)) program = std::find_if(std::begin(kOthers), std::end(kOthers), is_named);
    if (program == std::end(kOthers)) return 4;
    Fixture world;
    program->run(world, std::strcmp(arguments[2], "fixed") == 0);
    OK(aclrtSynchronizeDevice());
    OK(aclFinalize());
    return 0;
}
