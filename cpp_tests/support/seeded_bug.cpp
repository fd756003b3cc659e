// A program with one bug, which the sanitizer of this build must report; otherwise the build has no
// sanitizer. The argument selects the code that meets the bug: `program` (C++), `library` (Rust) or
// `c_file` (a C file of the library).
#include <acl/acl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

// src/algo/host/standard_stream.c
extern "C" int portacl_is_stream(int number);

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

// The library reads past the end of a variable of the environment.
void InCFile() {
    const std::string_view setting = "PORTACL_LOG_LEVEL=0";
    char* unterminated = static_cast<char*>(std::malloc(setting.size()));
    putenv(static_cast<char*>(std::memcpy(unterminated, setting.data(), setting.size())));
    ACL_APP_LOG(ACL_INFO, "the level is read first");
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

// The library reads a variable of the environment while another thread writes it.
void InCFile() {
    static char setting[] = "PORTACL_LOG_LEVEL=0";
    putenv(setting);
    std::thread other([] { setting[sizeof setting - 2] = '3'; });
    ACL_APP_LOG(ACL_INFO, "the level is read first");
    other.join();
}
#elif defined(SANITIZE_UNDEFINED)
// Adds one to the largest number.
void InProgram() {
    volatile int largest = 2147483647;
    std::printf("%d\n", largest + 1);
}

// Rust code has no such sanitizer: sanitizer.library_is_instrumented looks for its checks.
void InLibrary(void*, aclrtStream) {}

// Passes a function of the library an index that is too large. Only the archive of which the library is
// made has its name; no call of the API leads to such a bug.
void InCFile() {
    std::printf("%d\n", portacl_is_stream(3));
}
#else
#error "this program is for builds with PORTACL_SANITIZER"
#endif

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "program") == 0) {
        InProgram();
        return 0;
    }
    if (argc == 2 && std::strcmp(argv[1], "c_file") == 0) {
        InCFile();
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
