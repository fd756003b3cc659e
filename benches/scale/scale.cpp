// Time per call and host memory per object over the number of objects that are alive, and over the number of threads.
// tools/scale_report.py writes the section of docs/benchmarks.md. Usage: bench_scale [MOST [PART]]; MOST limits the
// number of objects, PART picks one part of the list at the end. Each part has a process of its own.
#include <portacl/portacl.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "../acl_check.h"
#include "report.h"
#include "threads.h"

namespace {

// A kind of objects that are created, used and destroyed in large numbers.
struct ObjectKind {
    std::string name;
    std::size_t first, last;
    std::function<void*(std::size_t)> create;
    std::function<void(void*)> destroy;
    // The call that uses an object. It is empty if there is no such call.
    std::function<void(void*)> use;
};

constexpr std::size_t kCalls = 20'000;

// Measures objects that live as long as others: a random one is replaced.
double Replace(const ObjectKind& kind, std::vector<void*>& live, std::minstd_rand& random) {
    return Took(kCalls, [&] {
        for (std::size_t i = 0; i < kCalls; i++) {
            void*& one = live[random() % live.size()];
            kind.destroy(one);
            one = kind.create(i);
        }
    });
}

double Use(const ObjectKind& kind, const std::vector<void*>& live, std::minstd_rand& random) {
    return Took(kCalls, [&] {
        for (std::size_t i = 0; i < kCalls; i++) kind.use(live[random() % live.size()]);
    });
}

void Grow(const ObjectKind& kind) {
    std::minstd_rand random(1);
    std::vector<void*> live;
    live.reserve(std::min(kind.last, most));
    const std::size_t empty = ResidentBytes();
    for (std::size_t n = kind.first; n <= std::min(kind.last, most); n *= 10) {
        const std::size_t added = n - live.size();
        const double create = Took(added, [&] {
            while (live.size() < n) live.push_back(kind.create(live.size()));
        });
        Report(kind.name + ": create", n, create, "ns");
        const auto bytes = static_cast<double>(ResidentBytes()) - static_cast<double>(empty);
        Report(kind.name + ": host memory", n, bytes / static_cast<double>(n), "bytes");
        std::vector<double> replace, use;
        for (int round = 0; round < kRounds; round++) {
            replace.push_back(Replace(kind, live, random));
            if (kind.use) use.push_back(Use(kind, live, random));
        }
        Report(kind.name + ": replace", n, bench::Median(replace), "ns");
        if (kind.use) Report(kind.name + ": use", n, bench::Median(use), "ns");
    }
    std::shuffle(live.begin(), live.end(), random);
    Report(kind.name + ": destroy", live.size(),
           Took(live.size(),
                [&] {
                    for (void* one : live) kind.destroy(one);
                }),
           "ns");
}

std::size_t Bytes(std::size_t i) {
    return 512 + i * 2654435761u % (4096 - 512 + 1);
}

void Streams() {
    const auto create = [](std::size_t) {
        aclrtStream stream;
        ACL(aclrtCreateStream(&stream));
        return stream;
    };
    Grow({"stream", 10, 10'000, create, [](void* stream) { ACL(aclrtDestroyStream(stream)); },
          [](void* stream) { ACL(aclrtSynchronizeStream(stream)); }});
}

void Events() {
    const auto create = [](std::size_t) {
        aclrtEvent event;
        ACL(aclrtCreateEvent(&event));
        return event;
    };
    const auto query = [](void* event) {
        aclrtEventRecordedStatus status;
        ACL(aclrtQueryEventStatus(event, &status));
    };
    Grow({"event", 10, 100'000, create, [](void* event) { ACL(aclrtDestroyEvent(event)); }, query});
}

void Contexts() {
    const auto create = [](std::size_t) {
        aclrtContext context;
        ACL(aclrtCreateContext(&context, 0));
        return context;
    };
    Grow({"context", 10, 10'000, create, [](void* context) { ACL(aclrtDestroyContext(context)); },
          [](void* context) { ACL(aclrtSetCurrentContext(context)); }});
    ACL(aclrtSetDevice(0));
}

// Looks the memory up. A copy would touch it, and count the kernel's time for new pages.
void Find(void* memory) {
    aclrtPtrAttributes attributes;
    ACL(aclrtPointerGetAttributes(memory, &attributes));
}

void Allocations() {
    const auto allocate = [](std::size_t i) {
        void* memory;
        ACL(aclrtMalloc(&memory, Bytes(i), ACL_MEM_MALLOC_HUGE_FIRST));
        return memory;
    };
    Grow({"aclrtMalloc", 100, 1'000'000, allocate, [](void* memory) { ACL(aclrtFree(memory)); }, Find});
}

void PoolAllocations() {
    aclrtStream stream;
    ACL(aclrtCreateStream(&stream));
    const auto allocate = [=](std::size_t i) {
        void* memory;
        ACL(portaclMallocAsync(&memory, Bytes(i), stream));
        return memory;
    };
    const auto free = [=](void* memory) { ACL(portaclFreeAsync(memory, stream)); };
    Grow({"portaclMallocAsync", 100, 1'000'000, allocate, free, Find});
    ACL(aclrtDestroyStream(stream));
}

// Measures the peer: allocations of the C library, in the same order.
void HostAllocations() {
    Grow({"malloc", 100, 1'000'000, [](std::size_t i) { return std::malloc(Bytes(i)); }, std::free, nullptr});
}

void Registrations() {
    constexpr std::size_t kPage = 4096, kMost = 100'000;
    // The test uses every second page, so that no two registrations touch.
    char* memory = static_cast<char*>(
        mmap(nullptr, 2 * kPage * kMost, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (memory == MAP_FAILED) std::abort();
    std::vector<char*> free;
    for (std::size_t i = kMost; i > 0; i--) free.push_back(memory + 2 * kPage * (i - 1));
    const auto create = [&](std::size_t) {
        char* page = free.back();
        free.pop_back();
        void* device;
        ACL(aclrtHostRegister(page, kPage, ACL_HOST_REGISTER_MAPPED, &device));
        return page;
    };
    const auto destroy = [&](void* page) {
        ACL(aclrtHostUnregister(page));
        free.push_back(static_cast<char*>(page));
    };
    Grow({"host registration", 10, kMost, create, destroy, nullptr});
    munmap(memory, 2 * kPage * kMost);
}

// Measures pending work: a chain through all streams, or all streams behind one event.
void Waits(bool chain) {
    const std::string name = chain ? "chain of streams" : "streams behind one event";
    for (std::size_t n = 10; n <= std::min<std::size_t>(most, 10'000); n *= 10) {
        std::vector<aclrtStream> streams(n);
        std::vector<aclrtEvent> events(n);
        for (aclrtStream& stream : streams) ACL(aclrtCreateStream(&stream));
        for (aclrtEvent& event : events) ACL(aclrtCreateEvent(&event));
        const std::size_t rounds = std::max<std::size_t>(kRounds, 1'000 / n);
        std::vector<double> enqueue, complete, idle;
        for (std::size_t round = 0; round < rounds; round++) {
            std::atomic<bool> open{false};
            const auto gate = [](void* flag) {
                while (!*static_cast<std::atomic<bool>*>(flag))
                    std::this_thread::sleep_for(std::chrono::microseconds(100));
            };
            ACL(aclrtLaunchHostFunc(streams[0], gate, &open));
            ACL(aclrtRecordEvent(events[0], streams[0]));
            enqueue.push_back(Took(n, [&] {
                for (std::size_t i = 1; i < n; i++) {
                    ACL(aclrtStreamWaitEvent(streams[i], events[chain ? i - 1 : 0]));
                    ACL(aclrtRecordEvent(events[i], streams[i]));
                }
            }));
            complete.push_back(Took(n, [&] {
                open = true;
                ACL(aclrtSynchronizeDevice());
            }));
            idle.push_back(Took(n, [] { ACL(aclrtSynchronizeDevice()); }));
        }
        Report(name + ": wait + record", n, bench::Median(enqueue), "ns");
        Report(name + ": complete", n, bench::Median(complete), "ns");
        if (chain) Report("aclrtSynchronizeDevice: each idle stream", n, bench::Median(idle), "ns");
        for (aclrtEvent event : events) ACL(aclrtDestroyEvent(event));
        for (aclrtStream stream : streams) ACL(aclrtDestroyStream(stream));
    }
}

// Measures how long a device's reset, or the library's finalize, takes while many objects are alive.
void Endings() {
    for (const bool finalize : {false, true}) {
        for (std::size_t n = 10; n <= std::min<std::size_t>(most, 10'000); n *= 10) {
            std::vector<double> took, listed;
            for (std::size_t round = 0; round < std::max<std::size_t>(kRounds, 1'000 / n); round++) {
                ACL(aclrtSetDevice(1));
                aclrtStream stream = nullptr;
                for (std::size_t i = 0; i < n; i++) {
                    aclrtEvent event;
                    void* memory;
                    ACL(aclrtCreateStream(&stream));
                    ACL(aclrtCreateEvent(&event));
                    ACL(aclrtMalloc(&memory, Bytes(i), ACL_MEM_MALLOC_HUGE_FIRST));
                    ACL(portaclMallocAsync(&memory, Bytes(i), stream));
                }
                std::vector<portaclMemoryAllocation> all(4 * n + 10);
                all[0].structSize = sizeof all[0];
                std::size_t count = 0;
                listed.push_back(Took(2 * n, [&] { ACL(portaclMemorySnapshot(all.data(), all.size(), &count)); }));
                took.push_back(Took(4 * n, [=] { ACL(finalize ? aclFinalize() : aclrtResetDevice(1)); }));
                if (finalize) ACL(aclInit(nullptr));
            }
            Report(finalize ? "aclFinalize: each object" : "aclrtResetDevice: each object", n, bench::Median(took),
                   "ns");
            if (!finalize) Report("portaclMemorySnapshot: each allocation", n, bench::Median(listed), "ns");
        }
    }
    ACL(aclrtSetDevice(0));
}

struct Measurement {
    std::string name;
    void (*run)();
};

const Measurement kParts[] = {{"aclrtMalloc", Allocations},
                              {"portaclMallocAsync", PoolAllocations},
                              {"malloc", HostAllocations},
                              {"stream", Streams},
                              {"event", Events},
                              {"context", Contexts},
                              {"host registration", Registrations},
                              {"chain", [] { Waits(true); }},
                              {"fan", [] { Waits(false); }},
                              {"ending", Endings},
                              {"threads", AllThreads},
                              {"destroy", AllDestroyAtOnce}};

// Runs a part in a separate process: the next part would reuse host memory of this one.
void Run(const Measurement& part) {
    const pid_t child = fork();
    if (child == 0) {
        ACL(aclInit(nullptr));
        ACL(aclrtSetDevice(0));
        part.run();
        ACL(aclrtResetDevice(0));
        ACL(aclFinalize());
        std::exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        std::fprintf(stderr, "part %s failed\n", part.name.c_str());
        std::exit(1);
    }
}

}  // namespace

int main(int count, char** arguments) {
    if (count > 1) most = std::strtoull(arguments[1], nullptr, 10);
    for (const Measurement& part : kParts) {
        if (count <= 2 || part.name == arguments[2]) Run(part);
    }
}
