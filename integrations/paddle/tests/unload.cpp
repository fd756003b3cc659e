// Uses the plug-in as Paddle does, finalizes it, and checks what is left.
#include <dirent.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <thread>

#include "plugin_under_test.h"

namespace paddle_test {
namespace {

std::set<std::string> ThreadsOfThisProcess() {
    std::set<std::string> threads;
    DIR* folder = opendir("/proc/self/task");
    while (const dirent* entry = readdir(folder)) {
        if (entry->d_name[0] != '.') threads.insert(entry->d_name);
    }
    closedir(folder);
    return threads;
}

// Whether only these threads are left. /proc lists a thread for a moment after it was joined.
bool OnlyTheseAreLeft(const std::set<std::string>& threads) {
    for (int i = 0; i < 10'000 && ThreadsOfThisProcess() != threads; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return ThreadsOfThisProcess() == threads;
}

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
    const auto before = ThreadsOfThisProcess();
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
    fine = Check(fine, "it does not work") &&
           Check(ThreadsOfThisProcess().size() > before.size(), "callbacks have no thread");
    Finalize();
    if (HasDriver()) return fine;
    return fine && Check(OnlyTheseAreLeft(before), "threads are left");
}

}  // namespace

int UseAndUnload() {
    std::thread([] {}).join();  // a sanitizer's own thread begins with the first of the program
    bool fine = false;
    std::thread([&] { fine = UseAndFinalize(); }).join();
    Unload();
    if (!HasDriver()) fine = fine && Check(!IsLoaded(), "the library is still there");
    return fine ? 0 : 1;
}

}  // namespace paddle_test
