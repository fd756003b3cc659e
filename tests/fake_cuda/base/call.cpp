#include "base/call.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "base/config.h"
#include "base/fault.h"
#include "base/report.h"
#include "graph/capture.h"
#include "runtime/context.h"
#include "stream/stream.h"

namespace fake {
namespace {

thread_local bool inside_host_function = false;
std::atomic<bool> forked{false};

}  // namespace

State& state() {
    static State* const value = [] {
        // A forked child has none of the driver's threads: the driver counts as not initialized
        // there.
        pthread_atfork(nullptr, nullptr, [] { forked = true; });
        if (!set_faults(config().fail)) {
            fprintf(stderr, "fake_cuda: FAKE_CUDA_FAIL=\"%s\" is not name:nth:code[:late],...\n", config().fail);
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
            return true;
        default:
            return false;
    }
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
    const bool is_held =
        needs != Needs::kNothing && !inside_host_function && strncmp(name, "cuCheckpoint", strlen("cuCheckpoint")) != 0;
    if (is_held) {
        all.changed.wait(lock_, [&all] { return all.process == ProcessState::kRunning; });
    }
    refused_ = refuse(needs);
}

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
    if (needs == Needs::kContext) {
        context_ = current_context();
        if (context_ == nullptr) {
            return misuse(CUDA_ERROR_INVALID_CONTEXT, "no context is current in this thread");
        }
        if (!context_->active) {
            return misuse(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the current context, of device %d, was released or reset",
                          context_->ordinal);
        }
        if (context_->sticky != CUDA_SUCCESS) {
            return context_->sticky;
        }
    }
    if (const CUresult forbidden = disturb_captures(name_)) return forbidden;
    const Fault fault = next_fault(name_);
    if (fault.late) {
        late_ = fault.code;
        return CUDA_SUCCESS;
    }
    // A function without a context, such as a query of an event, restores the previous one.
    Context* const failed = context_ != nullptr ? context_ : current_context();
    if (failed != nullptr && failed->active && is_sticky(fault.code)) {
        failed->sticky = fault.code;
        wake_streams(*failed);
        all.changed.notify_all();
    }
    return fault.code;
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
