// Processor time and memory of the process, and results of bench_scale.
#pragma once

#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "../measure.h"

namespace {

// The maximum number of objects.
std::size_t most = 1'000'000;

// The number of measurements of which the median is reported.
constexpr int kRounds = 3;

// Returns the processor time of all threads: other programs on the machine change it less than elapsed time.
double ProcessorTime() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

template <typename Body>
double Took(std::size_t calls, Body body) {
    const double start = ProcessorTime();
    body();
    return (ProcessorTime() - start) / static_cast<double>(calls);
}

std::size_t ResidentBytes() {
    std::size_t total = 0, resident = 0;
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    if (!file || std::fscanf(file, "%zu %zu", &total, &resident) != 2) std::abort();
    std::fclose(file);
    return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

void Report(const std::string& name, std::size_t at, double value, const char* unit) {
    bench::ReportAt(name.c_str(), at, value, unit);
}

}  // namespace
