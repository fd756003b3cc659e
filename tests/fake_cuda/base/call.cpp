#include "base/call.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/config.h"
#include "base/fault.h"
#include "base/report.h"
#include "graph/capture.h"
#include "runtime/context.h"
#include "stream/stream.h"

namespace fake {
namespace {

// The time of a slow call: longer than what a test lets happen meanwhile.
constexpr useconds_t kSlowUs = 200'000;

thread_local bool inside_host_function = false;
std::atomic<bool> forked{false};

// A reserve of host memory for when the system has none, in blocks that malloc can merge.
class HostReserve {
  public:
    explicit HostReserve(size_t bytes) : blocks_(bytes / kBlock) {
        if (!blocks_.empty()) {
            refill();
            std::set_new_handler([] { host_reserve().release_one(); });
        }
    }

    // Whether more than half of it is in use. Refills it first, as far as there is memory.
    bool is_low() {
        const std::lock_guard<std::mutex> lock(mutex_);
        refill();
        return count_ < blocks_.size() / 2;
    }

  private:
    static constexpr size_t kBlock = size_t{16} << 10;

    void release_one() {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (count_ == 0) {
            throw std::bad_alloc();
        }
        free(blocks_[--count_]);
    }

    void refill() {
        while (count_ < blocks_.size()) {
            void* block = malloc(kBlock);
            if (block == nullptr) {
                return;
            }
            blocks_[count_++] = block;
        }
    }

    static HostReserve& host_reserve();

    std::mutex mutex_;
    std::vector<void*> blocks_;
    size_t count_ = 0;

    friend bool is_short_of_host_memory(const char* name);
};

HostReserve& HostReserve::host_reserve() {
    static HostReserve* const value = new HostReserve(config().host_memory);
    return *value;
}

// Whether this function fails because host memory is low: one that creates or enqueues something. A record of an
// event does not: drivers write it into memory that the stream has already.
bool is_short_of_host_memory(const char* name) {
    if (config().host_memory == 0 || !HostReserve::host_reserve().is_low()) {
        return false;
    }
    const auto creates = {"Add",         "Alloc",  "Create", "ExecUpdate", "Import",
                          "Instantiate", "Launch", "Memcpy", "Memset",     "Register"};
    return std::any_of(creates.begin(), creates.end(),
                       [name](const char* part) { return strstr(name, part) != nullptr; });
}

}  // namespace

State& state() {
    static State* const value = [] {
        // A forked child has none of the driver's threads: the driver counts as not initialized
        // there.
        pthread_atfork(nullptr, nullptr, [] { forked = true; });
        if (!set_faults(config().fail)) {
            fprintf(stderr, "fake_cuda: FAKE_CUDA_FAIL=\"%s\" is not name:nth:code[:late],... or name:nth:slow\n",
                    config().fail);
            _exit(96);
        }
        remember_exit_status();
        return new State;
    }();
    return *value;
}

void enter_host_function_thread() {
    inside_host_function = true;
}

bool is_sticky(CUresult code) {
    switch (code) {
        case CUDA_ERROR_ILLEGAL_ADDRESS:
        case CUDA_ERROR_LAUNCH_TIMEOUT:
        case CUDA_ERROR_ASSERT:
        case CUDA_ERROR_HARDWARE_STACK_ERROR:
        case CUDA_ERROR_ILLEGAL_INSTRUCTION:
        case CUDA_ERROR_MISALIGNED_ADDRESS:
        case CUDA_ERROR_INVALID_ADDRESS_SPACE:
        case CUDA_ERROR_INVALID_PC:
        case CUDA_ERROR_LAUNCH_FAILED:
        case CUDA_ERROR_MPS_CLIENT_TERMINATED:
        case CUDA_ERROR_EXTERNAL_DEVICE:
            return true;
        default:
            return false;
    }
}

void Context::fail(CUresult code) {
    sticky = code;
    if (is_sticky(code)) device->lost = code;
}

void report_misuse(const char* where, const char* text) {
    ++state().misuses;
    fprintf(stderr, "fake_cuda: misuse: %s: %s\n", where, text);
}

Call::Call(const char* name, Needs needs) : name_(name) {
    State& all = state();
    if (forked) {
        // The lock may be held by a thread that does not exist in the child.
        if (needs != Needs::kNothing) {
            refused_ = CUDA_ERROR_NOT_INITIALIZED;
        }
        return;
    }
    lock_ = Lock(all.mutex);
    ++all.calls[name];
    passes_locks_ =
        needs == Needs::kNothing || inside_host_function || strncmp(name, "cuCheckpoint", strlen("cuCheckpoint")) == 0;
    wait_inside([] { return true; });
    refused_ = refuse(needs);
}

// Assumption: A forked child has no driver: every call fails with 3.
// Source: Not in a document of NVIDIA; the notes of PyTorch on multiprocessing: a forked child cannot use CUDA. The
// library refuses such calls itself
// Test: Shutdown.ForkedChildEveryFunction

CUresult Call::refuse(Needs needs) {
    State& all = state();
    if (needs != Needs::kNothing) {
        if (inside_host_function) {
            return misuse(CUDA_ERROR_NOT_PERMITTED, "called from inside a host function");
        }
        if (!all.initialised) {
            return misuse(CUDA_ERROR_NOT_INITIALIZED, "called before cuInit succeeded");
        }
    }
    // Another library may have destroyed it, which is no misuse by the caller.
    if (needs == Needs::kStream && current_context() != nullptr && !current_context()->active) {
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    }
    if (needs == Needs::kStream && current_context() != nullptr && current_context()->sticky != CUDA_SUCCESS) {
        return current_context()->sticky;
    }
    if (needs == Needs::kContext) {
        context_ = current_context();
        if (context_ == nullptr) {
            return misuse(CUDA_ERROR_INVALID_CONTEXT, "no context is current in this thread");
        }
        wait_inside([this] { return !context_->blocked; });
        if (!context_->active) {
            return misuse(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the current context, of device %d, was released or reset",
                          context_->ordinal);
        }
        if (context_->sticky != CUDA_SUCCESS) {
            return context_->sticky;
        }
    }
    if (needs == Needs::kContext && is_short_of_host_memory(name_)) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (const CUresult forbidden = disturb_captures(name_)) return forbidden;
    const Fault fault = next_fault(name_);
    if (fault.slow) {
        lock_.unlock();
        usleep(kSlowUs);
        lock_.lock();
        // The process may have been locked meanwhile.
        wait_inside([] { return true; });
    }
    if (fault.late) {
        late_ = fault.code;
        return CUDA_SUCCESS;
    }
    // A function without a context, such as a query of an event, restores the previous one.
    Context* const failed = context_ != nullptr ? context_ : current_context();
    if (failed != nullptr && failed->active && is_sticky(fault.code)) {
        failed->fail(fault.code);
        wake_streams(*failed);
        all.changed.notify_all();
    }
    return fault.code;
}

// Assumption: A call that waits inside the driver holds up other calls in its context.
// Source: Not in a document of NVIDIA; reproduced in pull request 2334 of meta-pytorch/torchcomms. The tests show that
// the library does not depend on it
// Test: MemcpyAsync.AWaitingCopyBlocksNoOtherStream, Memcpy2dAsync.AWaitingCopyBlocksNoOtherStream,
// MemcpyBatchAsync.AWaitingCopyBlocksNoOtherStream, GraphAhead.ManyRunsWithControlFlow

void Call::block(Context& context, const std::function<bool()>& done) const {
    wait_inside([&] { return done() || !context.blocked; });
    if (done()) return;
    context.blocked = config().blocking;
    wait_inside(done);
    context.blocked = false;
    state().changed.notify_all();
}

void Call::wait_inside(const std::function<bool()>& done) const {
    wait_inside(done, std::chrono::milliseconds(0));
}

bool Call::wait_inside(const std::function<bool()>& done, std::chrono::milliseconds limit) const {
    State& all = state();
    // The process may have been locked since the call began, and work that the call submits then would find the memory
    // of a checkpoint.
    const auto goes_on = [&] { return done() && (passes_locks_ || all.process == ProcessState::kRunning); };
    bool is_done = true;
    ++all.blocked_calls;
    if (limit.count() == 0) {
        all.changed.wait(lock_, goes_on);
    } else {
        is_done = all.changed.wait_for(lock_, limit, goes_on);
    }
    --all.blocked_calls;
    return is_done;
}

// Assumption: What a driver does with the handle of a destroyed stream, event, module, graph, pool or memory is
// undefined: it may fail, crash, or mean another object.
// Source: CUDA Driver API, Stream Management: cuStreamDestroy; Event Management: cuEventDestroy; Module Management:
// cuModuleUnload; Graph Management: cuGraphDestroy
// Test: none: no test may do it; the suite runs with FAKE_CUDA_STRICT, and a use of such a handle aborts it

CUresult Call::refuse_handle(const char* what, uint64_t handle, const char* why, bool was_destroyed,
                             CUresult code) const {
    misuse(code, "%s 0x%llx %s", what, static_cast<unsigned long long>(handle), why);
    if (was_destroyed && config().strict) abort();
    return code;
}

CUresult Call::misuse(CUresult code, const char* format, ...) const {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    report_misuse(name_, text);
    return code;
}

}  // namespace fake
