// Small programs with one planted fault each, and their corrected twins: what PORTACL_CHECK has to report, and what
// not.
#pragma once

#include <acl/acl.h>
#include <acl/acl_rt_memory_soma.h>
#include <portacl/portacl.h>

#include <cstdint>
#include <vector>

#include "support/ok.h"

// Device 0 with two streams, two blocks of device memory, which have contents, and one of pinned memory, idle.
struct World {
    static constexpr size_t kSize = 1 << 16;
    aclrtStream first = nullptr, second = nullptr;
    char *device = nullptr, *other = nullptr, *scratch = nullptr, *pinned = nullptr;
    std::vector<char> pageable = std::vector<char>(kSize);
    // A file with kernels, or null.
    const char* kernels = nullptr;

    World() {
        OK(aclInit(nullptr));
        OK(aclrtSetDevice(0));
        OK(aclrtCreateStream(&first));
        OK(aclrtCreateStream(&second));
        OK(aclrtMalloc(reinterpret_cast<void**>(&device), kSize, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtMalloc(reinterpret_cast<void**>(&other), kSize, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtMallocHost(reinterpret_cast<void**>(&pinned), kSize));
        OK(aclrtMalloc(reinterpret_cast<void**>(&scratch), 64, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtMemset(device, kSize, 0, kSize));
        OK(aclrtMemset(other, kSize, 0, kSize));
    }

    // Waits for everything, and there is something to wait for.
    void Drain() {
        Fill(scratch, first, 64);
        OK(aclrtSynchronizeDevice());
    }

    // Waits for everything: what comes later is no fault.
    void End() {
        Drain();
        OK(aclrtFree(scratch));
        if (device) OK(aclrtFree(device));
        if (other) OK(aclrtFree(other));
        if (pinned) OK(aclrtFreeHost(pinned));
        OK(aclrtDestroyStream(first));
        OK(aclrtDestroyStream(second));
        OK(aclrtResetDevice(0));
        OK(aclFinalize());
    }

    void Fill(char* at, aclrtStream stream, size_t size = kSize) { OK(aclrtMemsetAsync(at, size, 1, size, stream)); }

    void ToHost(aclrtStream stream, const char* from, size_t size = kSize) {
        OK(aclrtMemcpyAsync(pinned, size, from, size, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    }

    // The second stream continues after everything that the first one has.
    void Order() { Order(first, second); }

    void Order(aclrtStream before, aclrtStream after) {
        aclrtEvent event = nullptr;
        OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
        OK(aclrtRecordEvent(event, before));
        OK(aclrtStreamWaitEvent(after, event));
        OK(aclrtDestroyEvent(event));
    }
};

// One more stream, which is destroyed with its owner.
struct ExtraStream {
    ExtraStream() { OK(aclrtCreateStream(&handle)); }
    ~ExtraStream() { OK(aclrtDestroyStream(handle)); }
    ExtraStream(const ExtraStream&) = delete;
    ExtraStream& operator=(const ExtraStream&) = delete;
    operator aclrtStream() const { return handle; }
    aclrtStream handle = nullptr;
};

// What the report about a program needs.
enum Needs {
    kNothing,
    // Kernels whose descriptions say what they do to memory: those of CPUs.
    kDescriptions,
    // CPUs: on other devices the program ends in another way.
    kCpu,
    // Several hardware queues: a stream waits for what another one gets later.
    kQueues,
};

struct Program {
    const char* name;
    void (*run)(World& world, bool is_fixed);
    // The kind of its fault, as reports name it, and what its report begins with.
    const char *kind, *report;
    // A later part of the report.
    const char* detail = "";
    Needs needs = kNothing;
};

extern const std::vector<Program> kCopies, kOrder, kWaits, kBehindWaits, kMemory, kInit, kSync, kEarly, kAdopted,
    kKernels, kPlaces, kTasks;

// What another process does: it exports memory, prints two keys, and frees the memory at the end of its input.
void ExportUntilEndOfInput();
