// The beginning of every exported function.
#pragma once

#include <chrono>
#include <functional>

#include "base/state.h"

namespace fake {

// The state that a function requires.
enum class Needs {
    kNothing,  // also allowed before cuInit and inside a host function
    kDriver,   // cuInit
    kStream,   // cuInit; if a context is current it must exist, also if it is not that of the objects
    kContext,  // cuInit and a current context that is valid
};

// One call of an exported function: counts it, takes the lock for its duration, refuses invalid
// calls, and injects the faults that a test has configured. `name` is the exported name.
class Call {
  public:
    Call(const char* name, Needs needs);

    // If not CUDA_SUCCESS, the function must return it at once.
    CUresult refused() const { return refused_; }

    // Returns the calling thread's current context. Only with Needs::kContext.
    Context& context() const { return *context_; }

    // Returns the failure with which the operation that this call enqueues must fail when it runs, if any.
    CUresult late() const { return late_; }

    // Waits for `done` inside the call. Other calls in the context wait as well, because a driver holds a lock.
    void block(Context& context, const std::function<bool()>& done) const;

    // Waits for `done` inside the call, while other calls in the context continue. If the process is locked then, the
    // call goes on when it is unlocked.
    void wait_inside(const std::function<bool()>& done) const;

    // Waits in the same way for at most this time, 0: for any. Returns whether `done`.
    bool wait_inside(const std::function<bool()>& done, std::chrono::milliseconds limit) const;

    // Reports a definite bug of the caller, and returns `code`.
    CUresult misuse(CUresult code, const char* format, ...) const __attribute__((format(printf, 3, 4)));

    // Reports that `handle` names no object of the registry, and returns `code`. What a driver does with the handle of
    // a destroyed object is undefined: with FAKE_CUDA_STRICT the process is aborted.
    template <typename T>
    CUresult refuse_handle(const Registry<T>& registry, const char* what, uint64_t handle,
                           CUresult code = CUDA_ERROR_INVALID_HANDLE) const {
        return refuse_handle(what, handle, registry.why_not(handle), registry.was_destroyed(handle), code);
    }

  private:
    CUresult refuse(Needs needs);
    CUresult refuse_handle(const char* what, uint64_t handle, const char* why, bool was_destroyed, CUresult code) const;
    const char* name_;
    // Holds the lock for the whole call, except while it waits inside.
    mutable Lock lock_;
    // Whether it goes on while the process is locked, as the functions of checkpoints do.
    bool passes_locks_ = false;
    Context* context_ = nullptr;
    CUresult refused_ = CUDA_SUCCESS;
    CUresult late_ = CUDA_SUCCESS;
};

// Reports a misuse found outside a call. The lock is held.
void report_misuse(const char* where, const char* text);

// Notes that from here on calls of this thread come from inside a host function.
void enter_host_function_thread();

// Whether a context is unusable after this code, until it is reset.
bool is_sticky(CUresult code);

}  // namespace fake
