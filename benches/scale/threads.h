// The parts of bench_scale that measure calls of many threads.
#pragma once

#include <portacl/portacl.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "../acl_check.h"
#include "report.h"

namespace {

// Lets each of several threads make its share of the calls.
template <typename Work>
void Threads(const std::string& name, Work work) {
    constexpr std::size_t kTotal = 640'000;
    for (std::size_t n = 1; n <= 64; n *= 2) {
        std::vector<double> busy;
        for (int round = 0; round < kRounds; round++) {
            std::atomic<std::size_t> ready{0};
            std::atomic<bool> go{false};
            std::vector<std::thread> threads;
            for (std::size_t i = 0; i < n; i++) {
                threads.emplace_back([&] {
                    ACL(aclrtSetDevice(0));
                    aclrtStream stream;
                    ACL(aclrtCreateStream(&stream));
                    ready++;
                    while (!go) std::this_thread::yield();
                    work(kTotal / n, stream);
                    ACL(aclrtDestroyStream(stream));
                });
            }
            while (ready != n) std::this_thread::yield();
            busy.push_back(Took(kTotal, [&] {
                go = true;
                for (std::thread& thread : threads) thread.join();
            }));
        }
        Report("threads: " + name, n, bench::Median(busy), "ns");
    }
}

void AllThreads() {
    Threads("aclrtMalloc + aclrtFree", [](std::size_t calls, aclrtStream) {
        for (std::size_t i = 0; i < calls; i++) {
            void* memory;
            ACL(aclrtMalloc(&memory, 1024, ACL_MEM_MALLOC_HUGE_FIRST));
            ACL(aclrtFree(memory));
        }
    });
    Threads("portaclMallocAsync + FreeAsync", [](std::size_t calls, aclrtStream stream) {
        for (std::size_t i = 0; i < calls; i++) {
            void* memory;
            ACL(portaclMallocAsync(&memory, 1024, stream));
            ACL(portaclFreeAsync(memory, stream));
        }
    });
    Threads("aclrtRecordEvent + aclrtSynchronizeStream", [](std::size_t calls, aclrtStream stream) {
        aclrtEvent event;
        ACL(aclrtCreateEvent(&event));
        for (std::size_t i = 0; i < calls; i++) {
            ACL(aclrtRecordEvent(event, stream));
            ACL(aclrtSynchronizeStream(stream));
        }
        ACL(aclrtDestroyEvent(event));
    });
}

// Lets many threads each destroy an object at once. The objects and the threads exist before.
void DestroyAtOnce(const std::string& name, std::size_t n, const std::function<void*()>& create,
                   const std::function<void(void*)>& destroy) {
    std::atomic<std::size_t> ready{0}, done{0};
    std::mutex gate;
    std::condition_variable opened;
    int phase = 0;
    const auto wait_for = [&](int wanted) {
        std::unique_lock<std::mutex> lock(gate);
        opened.wait(lock, [&] { return phase >= wanted; });
    };
    const auto open = [&](int next) {
        std::lock_guard<std::mutex> lock(gate);
        phase = next;
        opened.notify_all();
    };
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < n; i++) {
        threads.emplace_back([&] {
            ACL(aclrtSetDevice(0));
            void* const object = create();
            ready++;
            wait_for(1);
            destroy(object);
            done++;
            // The end of a thread is not measured.
            wait_for(2);
        });
    }
    while (ready != n) std::this_thread::yield();
    const double took = Took(n, [&] {
        open(1);
        while (done != n) std::this_thread::sleep_for(std::chrono::microseconds(100));
    });
    open(2);
    for (std::thread& thread : threads) thread.join();
    Report("threads that destroy: " + name, n, took, "ns");
}

void AllDestroyAtOnce() {
    struct Destroyed {
        const char* name;
        std::function<void*()> create;
        std::function<void(void*)> destroy;
    };
    const Destroyed kinds[] = {
        {"stream",
         [] {
             aclrtStream stream;
             ACL(aclrtCreateStream(&stream));
             return stream;
         },
         [](void* stream) { ACL(aclrtDestroyStream(stream)); }},
        {"event",
         [] {
             aclrtEvent event;
             ACL(aclrtCreateEvent(&event));
             return event;
         },
         [](void* event) { ACL(aclrtDestroyEvent(event)); }},
        {"context",
         [] {
             aclrtContext context;
             ACL(aclrtCreateContext(&context, 0));
             return context;
         },
         [](void* context) { ACL(aclrtDestroyContext(context)); }},
        {"graph",
         [] {
             aclrtStream stream;
             aclmdlRI graph;
             ACL(aclrtCreateStream(&stream));
             ACL(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
             ACL(aclmdlRICaptureEnd(stream, &graph));
             return graph;
         },
         [](void* graph) { ACL(aclmdlRIDestroy(graph)); }},
        {"memory pool",
         [] {
             aclrtMemPoolProps props{};
             props.handleType = ACL_MEM_HANDLE_TYPE_NONE;
             props.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
             aclrtMemPool pool;
             ACL(aclrtMemPoolCreate(&pool, &props));
             return pool;
         },
         [](void* pool) { ACL(aclrtMemPoolDestroy(pool)); }},
    };
    for (const Destroyed& kind : kinds) {
        for (const std::size_t n : {100, 1'000, 3'000}) {
            if (n <= most) DestroyAtOnce(kind.name, n, kind.create, kind.destroy);
        }
    }
}

}  // namespace
