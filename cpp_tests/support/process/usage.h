// Resources of this process: memory, threads, descriptors, mappings.
#pragma once

#include "support/process/proc.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

namespace portacl_test {

// A sanitizer keeps freed memory for a while, and has its own threads and allocator.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

struct Usage {
    size_t resident = 0;  // bytes in memory
    size_t heap = 0;      // bytes allocated by malloc and not freed
    size_t threads = 0;
    size_t files = 0;
    size_t mappings = 0;

    static Usage Now() {
        Usage usage;
        size_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages >> pages;
        usage.resident = pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
        const auto heap = mallinfo2();
        usage.heap = heap.uordblks + heap.hblkhd;
        usage.threads = Threads();
        usage.files = OpenFiles();
        std::ifstream maps("/proc/self/maps");
        for (std::string line; std::getline(maps, line);) ++usage.mappings;
        return usage;
    }

    // Returns what Now does, with the smallest number of threads and descriptors of several samples: a joined thread
    // and the library's end of a closed connection may be visible for a moment.
    static Usage Least() {
        Usage least = Now();
        for (int i = 0; i < 20; ++i) {
            std::this_thread::yield();
            least.threads = std::min(least.threads, Threads());
            least.files = std::min(least.files, OpenFiles());
        }
        return least;
    }

    // Returns what Now does, once there are no more threads and descriptors than in `before`, or after `patience`. The
    // library's thread closes its end of a connection after the caller's.
    static Usage AfterCleanup(const Usage& before, std::chrono::seconds patience) {
        const auto deadline = std::chrono::steady_clock::now() + patience;
        Usage usage = Now();
        while ((usage.threads > before.threads || usage.files > before.files) &&
               std::chrono::steady_clock::now() < deadline) {
            std::this_thread::yield();
            usage = Now();
        }
        return usage;
    }

    std::string InWords() const {
        char text[160];
        std::snprintf(text, sizeof text, "%zu KiB resident, %zu bytes of heap, %zu threads, %zu files, %zu mappings",
                      resident >> 10, heap, threads, files, mappings);
        return text;
    }
};

}  // namespace portacl_test
