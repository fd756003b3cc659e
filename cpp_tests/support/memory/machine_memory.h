// Finds out how much memory this process can have: the machine's, or what a control group allows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace portacl_test {

// Returns a line of /proc/meminfo in bytes, or 0 if there is none.
inline uint64_t MemoryLine(const std::string& name) {
    std::ifstream file("/proc/meminfo");
    std::string word;
    while (file >> word) {
        uint64_t kib = 0;
        if (word == name + ":" && file >> kib) return kib << 10;
    }
    return 0;
}

// Returns the smallest number in files of that name in a folder and all its parents, or `most`.
inline uint64_t LeastAbove(std::filesystem::path folder, const std::string& name, uint64_t most) {
    for (; folder.string().rfind("/sys/fs/cgroup", 0) == 0; folder = folder.parent_path()) {
        std::ifstream file(folder / name);
        uint64_t value = 0;
        if (file >> value) most = std::min(most, value);
    }
    return most;
}

inline uint64_t MachineMemory() {
    uint64_t most = MemoryLine("MemTotal") - MemoryLine("Hugetlb");
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const size_t first = line.find(':'), second = line.find(':', first + 1);
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const std::string group = line.substr(second + 1);
        if (controllers.empty()) {
            for (const char* name : {"memory.max", "memory.high"})
                most = LeastAbove("/sys/fs/cgroup" + group, name, most);
        } else if (("," + controllers + ",").find(",memory,") != std::string::npos) {
            most = LeastAbove("/sys/fs/cgroup/memory" + group, "memory.limit_in_bytes", most);
        }
    }
    return most;
}

}  // namespace portacl_test
