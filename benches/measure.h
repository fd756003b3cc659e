// Common parts of the benchmark programs: medians, and results as JSON lines on standard output,
// {"name": ..., "value": ..., "unit": ...}, which tools/bench_report.py reads.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <vector>

namespace bench {

using Clock = std::chrono::steady_clock;

inline double NanosecondsSince(Clock::time_point start) {
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

// Returns the quantile of the values: a `share` (0 to 1) of them is below it.
inline double Percentile(std::vector<double> values, double share) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * (values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

inline double Median(std::vector<double> values) {
    return Percentile(std::move(values), 0.5);
}

inline void Report(const char* name, double value, const char* unit) {
    std::printf("{\"name\": \"%s\", \"value\": %.4g, \"unit\": \"%s\"}\n", name, value, unit);
    std::fflush(stdout);
}

// Reports a value for one point of a series: a size in bytes, or a number of things.
inline void ReportAt(const char* name, std::size_t at, double value, const char* unit) {
    std::printf("{\"name\": \"%s\", \"at\": %zu, \"value\": %.4g, \"unit\": \"%s\"}\n", name, at, value, unit);
    std::fflush(stdout);
}

// Returns the nanoseconds of each of `rounds` calls.
template <typename Call>
std::vector<double> Each(int rounds, Call call) {
    std::vector<double> took(rounds);
    for (double& one : took) {
        const auto start = Clock::now();
        call();
        one = NanosecondsSince(start);
    }
    return took;
}

// Returns the nanoseconds per call in a series of calls, for calls that are shorter than reading the clock.
template <typename Call>
double PerCall(int calls, Call call) {
    const auto start = Clock::now();
    for (int i = 0; i < calls; i++) call();
    return NanosecondsSince(start) / calls;
}

}  // namespace bench
