// Calls in a process whose address space is exhausted.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "support/gate.h"
#include "support/objects.h"
#include "support/process/soft_limit.h"
#include "support/threads.h"

namespace portacl_test {

// The numbers of bytes that are left when a test begins: none, so that the first allocation fails; or some, so that an
// allocation in the middle of a call fails.
constexpr std::array<size_t, 2> kLeft{0, size_t{2} << 20};

// Returns the size of this process's address space. Allocates nothing.
inline rlim_t AddressSpace() {
    char text[64] = {};
    const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const ssize_t got = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0) close(file);
    if (got <= 0) std::abort();
    return std::strtoull(text, nullptr, 10) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

// Grows the stack of this thread before the limit is set, because the limit includes stacks.
inline void GrowStack() {
    volatile char bytes[1 << 20];
    for (size_t i = 0; i < sizeof bytes; i += 1024) bytes[i] = 1;
}

// Holds all host memory except `left` bytes.
class Exhausted {
  public:
    explicit Exhausted(size_t left) {
        GrowStack();
        limit_.emplace(RLIMIT_AS, AddressSpace() + left);
        // The memory that malloc holds is used up as well. The blocks form a list.
        if (left > 0) return;
        for (size_t size = size_t{64} << 20; size >= sizeof(void*); size /= 2) {
            while (void* block = std::malloc(size)) {
                *static_cast<void**>(block) = blocks_;
                blocks_ = block;
            }
        }
    }
    ~Exhausted() {
        limit_.reset();
        while (blocks_) std::free(std::exchange(blocks_, *static_cast<void**>(blocks_)));
    }
    Exhausted(const Exhausted&) = delete;
    Exhausted& operator=(const Exhausted&) = delete;

  private:
    std::optional<SoftLimit> limit_;
    void* blocks_ = nullptr;
};

// Whether the code is one of calls that find no memory.
inline bool IsShortage(aclError code) {
    return code == ACL_ERROR_BAD_ALLOC || code == ACL_ERROR_RT_MEMORY_ALLOCATION ||
           code == ACL_ERROR_RT_NO_STREAM_RESOURCE || code == ACL_ERROR_RT_NO_NOTIFY_RESOURCE;
}

// Calls up to `most` times without host memory, until a call fails, and then again with memory. Returns how many calls
// succeeded. The call's argument is the number of successful calls before it.
inline size_t Exhaust(const char* name, size_t left, size_t most, const std::function<aclError(size_t)>& call) {
    size_t count = 0;
    aclError code = ACL_SUCCESS;
    char text[1024] = {};
    {
        const Exhausted exhausted(left);
        while (count < most && (code = call(count)) == ACL_SUCCESS) ++count;
        if (code != ACL_SUCCESS) {
            if (const char* recent = aclGetRecentErrMsg()) std::strncpy(text, recent, sizeof text - 1);
        }
    }
    if (code != ACL_SUCCESS) {
        EXPECT_TRUE(IsShortage(code)) << name << " returned " << code << ": " << text;
        EXPECT_NE(std::strstr(text, name), nullptr) << name << " returned " << code << ": " << text;
        EXPECT_NE(std::strstr(text, "memory"), nullptr) << name << " returned " << code << ": " << text;
    }
    if (count < most) {
        ExpectOk(name, call(count));
        ++count;
    }
    return count;
}

// Starts all threads of the library and lets them wait for work: a thread that starts needs memory of
// the C library (docs/failures.md).
inline void StartThreads() {
    const std::array<Stream, 8> streams;
    const DeviceMemory memory(64 * streams.size());
    Gate gate;
    for (size_t i = 0; i < streams.size(); ++i) {
        ACL_OK(aclrtMemsetAsync(memory.At(64 * i), 64, 0, 64, streams[i]));
        ACL_OK(gate.Hold(streams[i]));
    }
    // All host functions run, each on its own thread. Some streams of a GPU may wait for each other.
    ASSERT_TRUE(
        gate.AwaitArrival(SharesQueues() ? std::min(kMostHeld, SharedQueues()) : static_cast<int>(streams.size())));
    gate.Open();
    ACL_OK(aclrtSynchronizeDevice());
    AwaitOthersIdle();
}

inline void Begin() {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    StartThreads();
}

inline void End() {
    ACL_EXPECT_OK(aclrtSynchronizeDevice());
    ACL_EXPECT_OK(aclrtResetDevice(0));
    ACL_EXPECT_OK(aclFinalize());
}

// Creates objects until there is no memory, and destroys them.
template <typename T>
void MakeMany(const char* name, size_t most, const std::function<aclError(T*)>& make,
              const std::function<aclError(T)>& destroy) {
    for (const size_t left : kLeft) {
        Begin();
        std::vector<T> made(most + 1);
        const size_t count = Exhaust(name, left, most, [&](size_t number) { return make(&made[number]); });
        for (size_t i = 0; i < count; ++i) ACL_OK(destroy(made[i]));
        End();
    }
}

}  // namespace portacl_test
