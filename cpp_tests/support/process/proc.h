// Reads what /proc lists about this process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
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

// The names of the library's running threads, with their kernel ids.
inline std::map<std::string, pid_t> ThreadsOfTheLibrary() {
    std::map<std::string, pid_t> found;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream file(thread.path() / "comm");
        std::string name;
        if (file >> name && name.rfind("portacl-", 0) == 0)
            found[name] = static_cast<pid_t>(std::stol(thread.path().filename()));
    }
    return found;
}

// How often a thread of this process has slept so far; -1: it has ended.
inline long Sleeps(pid_t thread) {
    const std::string key = "voluntary_ctxt_switches:";
    std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/status");
    for (std::string line; std::getline(file, line);)
        if (line.rfind(key, 0) == 0) return std::stol(line.substr(key.size()));
    return -1;
}

inline size_t OpenFiles() {
    return Entries("/proc/self/fd");
}

// Returns the number of threads, once it is at most this: /proc lists a thread for a moment after it was joined.
inline size_t WaitForThreads(size_t most) {
    for (int i = 0; i < 10'000 && Threads() > most; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return Threads();
}

}  // namespace portacl_test
