// Leak reports, and the functions that only the test double exports.

#include "base/report.h"

#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "base/call.h"
#include "base/config.h"
#include "base/fault.h"
#include "fake_cuda.h"
#include "graph/graph.h"
#include "kernel/module.h"
#include "memory/memory.h"
#include "memory/virtual_memory.h"
#include "pool/mem_pool.h"

namespace fake {
namespace {

constexpr int kMisuseStatus = 97;
constexpr int kLeakStatus = 98;

using ull = unsigned long long;

int exit_status = 0;
pid_t loaded_by = 0;

// Returns one line for each live object. The lock is held.
std::vector<std::string> leaks() {
    const State& all = state();
    std::vector<std::string> lines = all.orphans;
    const auto add = [&lines](const char* format, auto... values) {
        char text[160];
        snprintf(text, sizeof text, format, values...);
        lines.push_back(text);
    };
    for (const auto& [address, block] : all.blocks) {
        if (block->is_variable) continue;
        add("%s 0x%llx of %zu bytes, device %d", name_of(block->kind), ull{address}, block->size,
            block->context->ordinal);
    }
    for (const auto& [address, reservation] : all.reservations) {
        add("reservation 0x%llx of %zu bytes", ull{address}, reservation->size);
    }
    for (const auto& [handle, physical] : all.physical.live()) {
        add("memory handle 0x%llx of %zu bytes, device %d", ull{handle}, physical->size, physical->context->ordinal);
    }
    for (const auto& [handle, pool] : all.pools.live()) {
        if (!pool->is_default) {
            add("memory pool 0x%llx of %zu bytes, device %d", ull{handle}, static_cast<size_t>(pool->reserved),
                pool->context->ordinal);
        }
    }
    for (const auto& entry : all.streams.live()) {
        add("stream 0x%llx", ull{entry.first});
    }
    for (const auto& entry : all.events.live()) {
        add("event 0x%llx", ull{entry.first});
    }
    for (const auto& entry : all.modules.live()) {
        add("module 0x%llx", ull{entry.first});
    }
    for (const auto& entry : all.graphs.live()) {
        add("graph 0x%llx", ull{entry.first});
    }
    for (const auto& entry : all.graph_execs.live()) {
        add("graph exec 0x%llx", ull{entry.first});
    }
    for (const auto& context : all.contexts) {
        for (unsigned i = 0; i < context->references; ++i) {
            add("primary context of device %d, retained", context->ordinal);
        }
    }
    for (const auto& context : all.created) {
        if (context->active) add("context of cuCtxCreate on device %d", context->ordinal);
    }
    return lines;
}

// Writes how often each function was called, and how many of the calls were made to fail. The lock is held.
void write_counts(const char* path) {
    FILE* const file = fopen(path, "w");
    if (file == nullptr) {
        fprintf(stderr, "fake_cuda: FAKE_CUDA_COUNT=\"%s\" cannot be written\n", path);
        return;
    }
    fprintf(file, "failed %llu\n", state().faults);
    for (const auto& [name, count] : state().calls) {
        fprintf(file, "calls %s %llu\n", name.c_str(), count);
    }
    fclose(file);
}

__attribute__((constructor)) void on_load() {
    loaded_by = getpid();
}

// Runs after the exit handlers of all users of this library.
__attribute__((destructor)) void on_unload() {
    const bool wanted = config().strict || config().leak_check || config().count != nullptr;
    if (getpid() != loaded_by || !wanted) {
        return;
    }
    // A thread of an exiting process may hold the lock forever; then there is no report.
    Lock lock(state().mutex, std::defer_lock);
    for (int attempt = 0; attempt < 1000 && !lock.try_lock(); ++attempt) {
        usleep(1000);
    }
    if (!lock.owns_lock()) {
        return;
    }
    if (config().count != nullptr) {
        write_counts(config().count);
    }
    int status = 0;
    if (config().leak_check) {
        const auto lines = leaks();
        for (const std::string& line : lines) {
            fprintf(stderr, "fake_cuda: leak: %s\n", line.c_str());
        }
        status = lines.empty() ? status : kLeakStatus;
    }
    if (config().strict && state().misuses != 0) {
        fprintf(stderr, "fake_cuda: %llu misuses in all\n", state().misuses);
        status = kMisuseStatus;
    }
    if (status != 0 && exit_status == 0) {
        fflush(nullptr);
        _exit(status);
    }
}

}  // namespace

void remember_exit_status() {
    // The destructor above does not receive the exit status. This is registered late, so that it runs before the
    // destructor even in a program that is linked with this library.
    on_exit([](int status, void*) { exit_status = status; }, nullptr);
}

}  // namespace fake

using namespace fake;

FAKE_CUDA_EXPORT int fakeCudaLeaks(char* text, size_t len) {
    const Lock lock(state().mutex);
    const auto lines = leaks();
    if (text != nullptr && len != 0) {
        std::string all;
        for (const std::string& line : lines) {
            all += line + '\n';
        }
        const size_t length = all.copy(text, len - 1);
        text[length] = '\0';
    }
    return static_cast<int>(lines.size());
}

FAKE_CUDA_EXPORT ull fakeCudaCalls(const char* name) {
    const Lock lock(state().mutex);
    ull sum = 0;
    for (const auto& [function, count] : state().calls) {
        sum += name == nullptr || *name == '\0' || function == name ? count : 0;
    }
    return sum;
}

FAKE_CUDA_EXPORT ull fakeCudaLaunchCount(const char* kernel) {
    const Lock lock(state().mutex);
    ull sum = 0;
    for (const auto& [name, count] : state().launches) {
        sum += kernel == nullptr || name == kernel ? count : 0;
    }
    return sum;
}

FAKE_CUDA_EXPORT ull fakeCudaMisuses() {
    const Lock lock(state().mutex);
    return state().misuses;
}

FAKE_CUDA_EXPORT int fakeCudaFail(const char* spec) {
    const Lock lock(state().mutex);
    // Stands for another process.
    for (const auto& context : state().contexts) context->device->lost = CUDA_SUCCESS;
    return set_faults(spec) ? 0 : 1;
}

FAKE_CUDA_EXPORT unsigned fakeCudaBlockedCalls() {
    const Lock lock(state().mutex);
    return state().blocked_calls;
}

FAKE_CUDA_EXPORT ull fakeCudaPolls() {
    const Lock lock(state().mutex);
    return state().polls;
}

FAKE_CUDA_EXPORT void fakeCudaHold() {
    const Lock lock(state().mutex);
    state().held = true;
}

FAKE_CUDA_EXPORT void fakeCudaRelease() {
    const Lock lock(state().mutex);
    state().held = false;
    state().changed.notify_all();
}
