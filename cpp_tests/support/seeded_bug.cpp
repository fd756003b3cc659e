// A program with one bug, which the sanitizer of this build must report; otherwise the build has no
// sanitizer. The argument selects the code with the bug: `program` (C++) or `library` (Rust).
#include <acl/acl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kBytes = 4 << 20;

void Check(aclError code, const char* call) {
    if (code == 0) return;
    const char* text = aclGetRecentErrMsg();
    std::printf("%s: %d: %s\n", call, code, text ? text : "");
    std::exit(3);
}
#define CHECK(call) Check((call), #call)

#if defined(__SANITIZE_ADDRESS__)
// Reads past the end of an allocation.
void InProgram() {
    char* buffer = static_cast<char*>(std::malloc(16));
    char* volatile end = buffer + 16;
    std::printf("%d\n", *end);
    std::free(buffer);
}

// Passes the library a length that exceeds the host buffer.
void InLibrary(void* device, aclrtStream stream) {
    std::vector<char> host(kBytes - 4096);
    CHECK(aclrtMemcpyAsync(device, kBytes, host.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    CHECK(aclrtSynchronizeStream(stream));
}
#elif defined(__SANITIZE_THREAD__)
// Two threads write without synchronization.
void InProgram() {
    int value = 0;
    std::thread other([&] { value++; });
    value++;
    other.join();
    std::printf("%d\n", value);
}

// The library's worker writes the pinned buffer while this thread reads it.
void InLibrary(void* device, aclrtStream stream) {
    void* host = nullptr;
    CHECK(aclrtMallocHost(&host, kBytes));
    CHECK(aclrtMemcpyAsync(host, kBytes, device, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    std::printf("%d\n", static_cast<volatile char*>(host)[kBytes / 2]);
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtFreeHost(host));
}
#elif defined(SANITIZE_UNDEFINED)
// Adds one to the largest number.
void InProgram() {
    volatile int largest = 2147483647;
    std::printf("%d\n", largest + 1);
}

// Rust code has no such sanitizer: sanitizer.library_is_instrumented looks for its checks.
void InLibrary(void*, aclrtStream) {}
#else
#error "this program is for builds with PORTACL_SANITIZER"
#endif

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "program") == 0) {
        InProgram();
        return 0;
    }
    void* device = nullptr;
    aclrtStream stream = nullptr;
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtMalloc(&device, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemset(device, kBytes, 1, kBytes));
    InLibrary(device, stream);
    CHECK(aclFinalize());
    return 0;
}
