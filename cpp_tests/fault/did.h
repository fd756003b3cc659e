// How every_call makes its calls: each failure is printed, and the program continues.
#pragma once

#include <acl/acl.h>
#include <portacl/portacl.h>

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>

constexpr size_t kSize = 4096;
constexpr size_t kLarge = 300 << 10;  // runs on a worker, not in the caller

inline int failures = 0;

// The stack of the thread that makes the calls, filled with a pattern before each of them.
class StackProbe {
  public:
    // Measures the stack of the calling thread from here on.
    void Begin() {
        pthread_attr_t attributes;
        if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
        void* low = nullptr;
        size_t size = 0;
        pthread_attr_getstack(&attributes, &low, &size);
        pthread_attr_destroy(&attributes);
        low_ = reinterpret_cast<uintptr_t>(low);
        end_ = low_ + size;
    }

    [[gnu::noinline, gnu::no_sanitize("address")]] void Fill() {
        base_ = Here();
        if (!IsStack(base_)) return;
        for (uintptr_t at = low_; at < base_ - kOfTheProbe; at += sizeof(uint64_t))
            *reinterpret_cast<volatile uint64_t*>(at) = kPattern;
    }

    // The bytes of stack that were written since Fill.
    [[gnu::noinline, gnu::no_sanitize("address")]] void Measure(const char* call) {
        if (!IsStack(Here()) || !IsStack(base_)) return;
        uintptr_t at = low_;
        while (at < base_ && *reinterpret_cast<volatile uint64_t*>(at) == kPattern) at += sizeof(uint64_t);
        size_t& deepest = depths_[std::string(call, std::strcspn(call, "("))];
        deepest = std::max(deepest, static_cast<size_t>(base_ - at));
        base_ = 0;
    }

    // The deepest calls first.
    void Report() const {
        std::multimap<size_t, std::string, std::greater<>> sorted;
        for (const auto& [call, depth] : depths_) sorted.emplace(depth, call);
        for (const auto& [depth, call] : sorted) std::printf("%7zu %s\n", depth, call.c_str());
    }

  private:
    static constexpr uint64_t kPattern = 0xA5A5A5A5A5A5A5A5;
    // Stack that Fill itself uses.
    static constexpr uintptr_t kOfTheProbe = 256;

    [[gnu::always_inline]] static uintptr_t Here() {
        return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) & ~uintptr_t{7};
    }
    bool IsStack(uintptr_t address) const { return low_ < address && address < end_; }

    uintptr_t low_ = 0, end_ = 0, base_ = 0;
    std::map<std::string, size_t> depths_;
};

inline StackProbe stack_probe;

// With EVERY_CALL_STACK: runs `body` on a thread with that many bytes of stack, waits for it, and
// lists what each call used. Returns whether the variable is set.
inline bool RunOnStack(void (*body)()) {
    const char* bytes = std::getenv("EVERY_CALL_STACK");
    if (!bytes) return false;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_t thread;
    static void (*run)() = nullptr;
    run = body;
    const auto start = [](void*) -> void* {
        stack_probe.Begin();
        run();
        return nullptr;
    };
    if (pthread_attr_setstacksize(&attributes, std::strtoul(bytes, nullptr, 10)) != 0 ||
        pthread_create(&thread, &attributes, start, nullptr) != 0) {
        ++failures;
        std::printf("no thread with a stack of %s bytes\n", bytes);
    } else {
        pthread_join(thread, nullptr);
    }
    pthread_attr_destroy(&attributes);
    stack_probe.Report();
    return true;
}

// Prints the next call to stderr, where an injected failure is announced, so that the sweep knows
// which call met it.
inline void Doing(const char* call) {
    std::fprintf(stderr, "doing: %s\n", call);
    stack_probe.Fill();
}

// True if the call succeeded. A failure is printed with the library's text.
#define DID(call) (Doing(#call), Did((call), #call))

inline bool Did(aclError code, const char* call) {
    stack_probe.Measure(call);
    if (code == ACL_SUCCESS) return true;
    ++failures;
    const char* text = aclGetRecentErrMsg();
    std::printf("%s returned %d: %s\n", call, code, text ? text : "NO TEXT");
    return false;
}

// As DID, for a function that a backend may lack.
#define DID_OPTIONAL(call) (Doing(#call), DidOptional((call), #call))

inline bool DidOptional(aclError code, const char* call) {
    stack_probe.Measure(call);
    if (code != ACL_ERROR_RT_FEATURE_NOT_SUPPORT) return Did(code, call);
    const char* text = aclGetRecentErrMsg();
    if (!text || std::strstr(text, "PORTACL_FAULT")) std::printf("%s: %s\n", call, text);
    return false;
}

// As DID, for a call that must fail with `code`; its text is printed, too.
#define FAILED(code, call) (Doing(#call), Failed((call), (code), #call))

inline void Failed(aclError code, aclError wanted, const char* call) {
    stack_probe.Measure(call);
    if (code != wanted) ++failures;
    const char* text = code == ACL_SUCCESS ? nullptr : aclGetRecentErrMsg();
    std::printf("%s returned %d%s: %s\n", call, code, code == wanted ? ", as expected" : "", text ? text : "NO TEXT");
}

// A wrong result is an error only if no call failed before.
inline void Expect(bool right, const char* what) {
    if (right || failures > 0) return;
    ++failures;
    std::printf("WRONG: %s\n", what);
}

inline bool IsCuda() {
    const char* backend = portaclBackendName();
    return backend && std::strcmp(backend, "cuda") == 0;
}

class HeldStream {
  public:
    HeldStream() { DID(aclrtCreateStream(&handle_)); }
    ~HeldStream() {
        if (handle_) DID(aclrtDestroyStream(handle_));
    }
    HeldStream(const HeldStream&) = delete;
    HeldStream& operator=(const HeldStream&) = delete;
    operator aclrtStream() const { return handle_; }

  private:
    aclrtStream handle_ = nullptr;
};

inline std::atomic<int> host_functions{0};
inline void CountCall(void*) {
    ++host_functions;
}
