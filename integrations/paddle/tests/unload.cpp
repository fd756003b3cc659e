// Uses the plug-in as Paddle does, finalizes it, and checks what is left.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "plugin_under_test.h"
#include "support/process/proc.h"

namespace paddle_test {
namespace {

// A driver may keep its threads, and these keep the library loaded.
bool HasDriver() {
    const char* backend = std::getenv("PORTACL_BACKEND");
    return backend != nullptr && std::string(backend) == "cuda";
}

bool Check(bool fine, const char* what) {
    if (!fine) std::fprintf(stderr, "unload: %s\n", what);
    return fine;
}

bool UseAndFinalize() {
    const std::size_t before = portacl_test::Threads();
    C_Device_st device{0};
    C_Stream stream = nullptr;
    std::atomic<int> calls{0};
    bool fine = Plugin().init_device(&device) == C_SUCCESS && Plugin().create_stream(&device, &stream) == C_SUCCESS;
    for (int round = 0; round < 8; ++round) {
        fine = fine && Plugin().stream_add_callback(
                           &device, stream,
                           [](C_Device, C_Stream, void* count, C_Status*) {
                               static_cast<std::atomic<int>*>(count)->fetch_add(1);
                           },
                           &calls) == C_SUCCESS;
    }
    fine = fine && Plugin().synchronize_stream(&device, stream) == C_SUCCESS && calls.load() == 8;
    fine = Check(fine, "it does not work") && Check(portacl_test::Threads() > before, "callbacks have no thread");
    Finalize();
    if (HasDriver()) return fine;
    return fine && Check(portacl_test::WaitForThreads(before) == before, "threads are left");
}

}  // namespace

int UseAndUnload() {
    // A sanitizer's own thread begins with the first of the program, which /proc lists for a moment after it was
    // joined.
    pid_t first = 0;
    std::thread([&] { first = gettid(); }).join();
    while (portacl_test::Sleeps(first) >= 0) std::this_thread::yield();
    bool fine = false;
    std::thread([&] { fine = UseAndFinalize(); }).join();
    Unload();
    if (!HasDriver()) fine = fine && Check(!IsLoaded(), "the library is still there");
    return fine ? 0 : 1;
}

}  // namespace paddle_test
