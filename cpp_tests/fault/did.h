// How every_call makes its calls: each is told if it fails, and the program goes on.
#pragma once

#include <acl/acl.h>
#include <portacl/portacl.h>

#include <atomic>
#include <cstdio>
#include <cstring>

constexpr size_t kSize = 4096;
constexpr size_t kLarge = 300 << 10;  // runs on a worker, not in the caller

inline int failures = 0;

// Says which call comes next, on the stream where a refusal is announced when it happens: so the
// sweep knows which call met it.
inline void Doing(const char* call) {
    std::fprintf(stderr, "doing: %s\n", call);
}

// True if the call succeeded. What failed is told in the library's own words.
#define DID(call) (Doing(#call), Did((call), #call))

inline bool Did(aclError code, const char* call) {
    if (code == ACL_SUCCESS) return true;
    ++failures;
    const char* text = aclGetRecentErrMsg();
    std::printf("%s returned %d: %s\n", call, code, text ? text : "NO TEXT");
    return false;
}

// As DID, for what a backend need not have.
#define DID_IF_THERE(call) (Doing(#call), DidIfThere((call), #call))

inline bool DidIfThere(aclError code, const char* call) {
    if (code != ACL_ERROR_RT_FEATURE_NOT_SUPPORT) return Did(code, call);
    const char* text = aclGetRecentErrMsg();
    if (!text || std::strstr(text, "PORTACL_FAULT")) std::printf("%s: %s\n", call, text);
    return false;
}

// As DID, for what has to fail with `code`; its text is told, too.
#define FAILED(code, call) (Doing(#call), Failed((call), (code), #call))

inline void Failed(aclError code, aclError wanted, const char* call) {
    if (code != wanted) ++failures;
    const char* text = code == ACL_SUCCESS ? nullptr : aclGetRecentErrMsg();
    std::printf("%s returned %d%s: %s\n", call, code, code == wanted ? ", as expected" : "",
                text ? text : "NO TEXT");
}

// A wrong result is an error only where nothing failed before.
inline void Expect(bool right, const char* what) {
    if (right || failures > 0) return;
    ++failures;
    std::printf("WRONG: %s\n", what);
}

inline bool IsCuda() {
    const char* backend = portaclBackendName();
    return backend && std::strcmp(backend, "cuda") == 0;
}

class Stream {
  public:
    Stream() { DID(aclrtCreateStream(&handle_)); }
    ~Stream() {
        if (handle_) DID(aclrtDestroyStream(handle_));
    }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    operator aclrtStream() const { return handle_; }

  private:
    aclrtStream handle_ = nullptr;
};

inline std::atomic<int> host_functions{0};
inline void CountCall(void*) {
    ++host_functions;
}
