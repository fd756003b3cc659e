// What /proc lists about this process.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <thread>

namespace portacl_test {

inline size_t Entries(const char* folder) {
    size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        static_cast<void>(entry);
        ++count;
    }
    return count;
}

inline size_t Threads() {
    return Entries("/proc/self/task");
}

inline size_t OpenFiles() {
    return Entries("/proc/self/fd");
}

// The number of threads, once it is at most this: /proc lists a thread for a moment after it was
// joined.
inline size_t WaitForThreads(size_t most) {
    for (int i = 0; i < 10'000 && Threads() > most; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return Threads();
}

}  // namespace portacl_test
