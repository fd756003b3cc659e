// A program that is not linked with the library: it loads, uses, finalizes and unloads the library
// several times.
// usage: unload_child LIBRARY
//
// The C library keeps a shared object loaded while a live thread has a destructor to run in it. So
// the library is really unloaded only if the threads that used it have ended. A driver's thread
// that has called back into it is such a thread, and may live on.
#include <acl/acl.h>

#include "support/process/proc.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

using namespace portacl_test;

namespace {

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            std::fprintf(stderr, "%s:%d: %s is false\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                                                 \
        }                                                                                 \
    } while (false)

void* library = nullptr;

template <typename Function>
Function* Find(const char* name) {
    void* address = dlsym(library, name);
    if (!address) {
        std::fprintf(stderr, "dlsym(%s): %s\n", name, dlerror());
        std::exit(1);
    }
    return reinterpret_cast<Function*>(address);
}
#define CALL(function, ...)                                                                  \
    do {                                                                                     \
        const aclError code = Find<decltype(function)>(#function)(__VA_ARGS__);              \
        if (code != ACL_SUCCESS) {                                                           \
            const char* text = Find<decltype(aclGetRecentErrMsg)>("aclGetRecentErrMsg")();   \
            std::fprintf(stderr, "%s: %d %s\n", #function, code, text ? text : "(no text)"); \
            std::exit(1);                                                                    \
        }                                                                                    \
    } while (false)

bool IsMapped(const std::string& path) {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (line.find(path) != std::string::npos) return true;
    return false;
}

void Use() {
    CALL(aclInit, nullptr);
    CALL(aclrtSetDevice, 0);
    aclrtStream stream = nullptr;
    void *memory = nullptr, *host = nullptr;
    CALL(aclrtCreateStream, &stream);
    CALL(aclrtMalloc, &memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
    CALL(aclrtMallocHost, &host, 4096);
    CALL(aclrtMemsetAsync, memory, 4096, 5, 4096, stream);
    CALL(aclrtMemcpyAsync, host, 4096, memory, 4096, ACL_MEMCPY_DEVICE_TO_HOST, stream);
    bool called = false;
    CALL(
        aclrtLaunchHostFunc, stream, [](void* flag) { *static_cast<bool*>(flag) = true; }, &called);
    CALL(aclrtSynchronizeStream, stream);
    CHECK(called);
    CHECK(static_cast<unsigned char*>(host)[4095] == 5);
    // A failed call, so that this thread has an error text, and a thread that ends before the
    // library is unloaded.
    CHECK(Find<decltype(aclrtFree)>("aclrtFree")(nullptr) != ACL_SUCCESS);
    std::thread([] { CALL(aclrtSetDevice, 0); }).join();
    // The stream and the memory are left to aclFinalize.
    CALL(aclFinalize);
}

}  // namespace

int main(int argc, char** argv) {
    CHECK(argc == 2);
    const std::string path = std::filesystem::canonical(argv[1]);
    const char* backend = std::getenv("PORTACL_BACKEND");
    const bool cpu = backend && std::strcmp(backend, "cpu") == 0;
    std::thread([] {}).join();  // A sanitizer's thread starts with the first thread of the program.
    const size_t threads_before = Threads();
    size_t files = 0;
    for (int cycle = 0; cycle < 10; ++cycle) {
        library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            std::fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        const bool in_main_thread = cycle >= 5;
        for (int session = 0; session < 2; ++session) {
            if (in_main_thread)
                Use();
            else
                std::thread(Use).join();
        }
        // A driver may keep threads; those of the library have ended once aclFinalize has returned.
        if (cpu) CHECK(WaitForThreads(threads_before) == threads_before);
        CHECK(dlclose(library) == 0);
        if (cpu && !in_main_thread) CHECK(!IsMapped(path));
        if (cycle == 1) {
            files = OpenFiles();
        } else if (cycle > 1) {
            CHECK(OpenFiles() <= files);
        }
        // No callback that the library registered with the system may point to its former
        // addresses.
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) _exit(0);
        int status = 0;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    std::puts("done");
    return 0;
}
