// Reports to Paddle's profiler: each call of the runtime, and each copy and fill with the time in
// which it ran in its stream.
#pragma once

#include <acl/acl.h>

#include <atomic>
#include <cstdint>

#include "base/interface.h"

namespace portacl_paddle {

enum class Work { kNone, kHostToDevice, kDeviceToHost, kDeviceToDevice, kFill };

// On while the profiler traces; read by every call.
extern std::atomic<bool> tracing;

// Lives as long as its call. Costs one load while the profiler is off.
class Traced {
  public:
    // A call without work on memory.
    explicit Traced(const char* name) : Traced(name, Work::kNone, 0, 0) {}

    // A synchronous call.
    Traced(const char* name, Work work, int device, std::size_t bytes) : on_(tracing.load(std::memory_order_relaxed)) {
        if (on_) Begin(name, work, device, bytes, nullptr, false);
    }

    // A call that enqueues work on `stream`; the device must be current.
    Traced(const char* name, Work work, int device, std::size_t bytes, aclrtStream stream)
        : on_(tracing.load(std::memory_order_relaxed)) {
        if (on_) Begin(name, work, device, bytes, stream, true);
    }

    ~Traced() {
        if (on_) End();
    }
    Traced(const Traced&) = delete;
    Traced& operator=(const Traced&) = delete;

  private:
    void Begin(const char* name, Work work, int device, std::size_t bytes, aclrtStream stream, bool queued);
    void End();

    const bool on_;
    bool queued_ = false;
    const char* name_ = nullptr;
    Work work_ = Work::kNone;
    int device_ = 0;
    std::size_t bytes_ = 0;
    aclrtStream stream_ = nullptr;
    std::uint64_t start_ns_ = 0;
    aclrtEvent before_ = nullptr;
};

}  // namespace portacl_paddle
