/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Memory information as vectors of structures and strings: the component portacl::cxx, which is
 * linked statically (`find_package(portacl COMPONENTS cxx)`).
 */

#ifndef PORTACL_CXX_HPP
#define PORTACL_CXX_HPP

#include <portacl/cxx_bridge.h>
#include <rust/cxx.h>
#include <portacl/portacl.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace portacl {

/** Kinds of memory. */
enum class MemoryKind : int {
    /** Device memory: aclrtMalloc, DeviceBuffer. */
    device = PORTACL_MEMORY_DEVICE,
    /** Page-locked host memory: aclrtMallocHost, HostBuffer. */
    pinned = PORTACL_MEMORY_PINNED,
    /** Managed memory: aclrtMemAllocManaged. */
    managed = PORTACL_MEMORY_MANAGED,
    /** Memory of pools: AsyncBuffer. */
    pool = PORTACL_MEMORY_POOL,
    /** Memory of other processes. */
    imported = PORTACL_MEMORY_IMPORTED,
    /** Memory of graphs: allocated by captured streams from pools. */
    graph = PORTACL_MEMORY_GRAPH,
};

/** A live allocation. Members that begin with "Recorded" are 0 or empty if it was allocated before
 * portaclMemoryRecord. */
struct MemoryAllocation {
    /** The first byte; null: physical memory, which has no address. */
    void* address = nullptr;
    /** Recorded: requested bytes. */
    std::size_t size = 0;
    /** Bytes that the allocation takes, as portaclMemoryGetStats counts them; programs may use
     * fewer. */
    std::size_t rounded_size = 0;
    /** Kinds of memory. */
    MemoryKind kind = MemoryKind::device;
    /** The device; -1: host memory. */
    int32_t device = -1;
    /** The pool of the allocation; null if none. */
    aclrtMemPool pool = nullptr;
    /** Recorded: the stream of a stream-ordered allocation; null if none. */
    aclrtStream stream = nullptr;
    /** Recorded: the system's id of the allocating thread. */
    std::uint64_t thread = 0;
    /** Recorded: the time since the allocation. */
    std::chrono::nanoseconds age{0};
    /** Recorded: the allocating function, `file:line:function`. */
    std::string call_site;
};

/** Statistics of one kind of memory; portaclMemoryStats documents the numbers. */
struct MemoryStats {
    /** Bytes of live allocations. */
    std::uint64_t current_bytes = 0;
    /** Number of live allocations. */
    std::uint64_t current_count = 0;
    /** Peak of the bytes. */
    std::uint64_t peak_bytes = 0;
    /** Peak of the number of allocations. */
    std::uint64_t peak_count = 0;
    /** Bytes of all allocations ever made. */
    std::uint64_t total_bytes = 0;
    /** Number of all allocations ever made. */
    std::uint64_t total_count = 0;
    /** Requests that failed. */
    std::uint64_t failures = 0;
    /** Bytes taken from the device or the system. */
    std::uint64_t reserved_bytes = 0;
    /** Peak of the reserved bytes. */
    std::uint64_t peak_reserved_bytes = 0;
    /** Reserved bytes that can serve the next request. */
    std::uint64_t kept_bytes = 0;
    /** Huge pages that were not available. */
    std::uint64_t huge_page_fallbacks = 0;
    /** Bytes that could not be locked. */
    std::uint64_t unlocked_bytes = 0;
};

/** Statistics of a memory pool. */
struct MemoryPoolStats {
    /** The pool; its former handle if it was destroyed. */
    aclrtMemPool pool = nullptr;
    /** Whether it was destroyed, and only exists for its live memory. */
    bool is_destroyed = false;
    /** Whether another process created it. */
    bool is_imported = false;
    /** Statistics of its memory. */
    MemoryStats stats;
};

/** Live allocations on pages of one size. */
struct MemoryPageStats {
    /** Page size in bytes. */
    std::uint64_t page_size = 0;
    /** Bytes of the allocations. */
    std::uint64_t bytes = 0;
    /** Number of the allocations. */
    std::uint64_t count = 0;
};

/** A function of the program in a profile, including everything that it called. */
struct MemoryProfile {
    /** Its name; "_root" for the program as a whole. */
    std::string function;
    /** The source file; empty if unknown. */
    std::string file;
    /** The line of the call; 0 if unknown. */
    std::uint32_t line = 0;
    /** Bytes that the program allocated. */
    std::uint64_t malloc_bytes = 0;
    /** Number of these allocations. */
    std::uint64_t malloc_count = 0;
    /** Bytes that the library allocated from the device or the system for these. */
    std::uint64_t alloc_bytes = 0;
    /** Number of these allocations. */
    std::uint64_t alloc_count = 0;
    /** The functions that it called, ordered by decreasing use. */
    std::vector<MemoryProfile> below;
};

/** Live allocations and a report. */
struct LeakReport {
    /** The live allocations. */
    std::vector<MemoryAllocation> allocations;
    /** The readable report, as portaclMemoryReportLeaks writes it, including releases that failed
     * in destructors since the previous report. Empty if there is nothing to report. */
    std::vector<std::string> lines;
};

namespace detail {

// An exception of cxx has only a text: the code, a space, and the library's text.
template <typename Call>
auto translated(SourceLocation where, Call&& call) -> decltype(call()) {
    try {
        return call();
    } catch (const rust::Error& error) {
        char* text = nullptr;
        const long code = std::strtol(error.what(), &text, 10);
        throw Error(static_cast<aclError>(code), *text == ' ' ? text + 1 : text, where);
    }
}

inline void* pointer(std::size_t value) noexcept {
    return reinterpret_cast<void*>(value);
}

// Converts the structures of the bridge to those above. The program compiles this, so its standard
// library's vectors and strings are used.
inline MemoryAllocation from_bridge(const bridge::Allocation& one) {
    return {pointer(one.address),
            one.size,
            one.rounded_size,
            static_cast<MemoryKind>(one.kind),
            one.device,
            pointer(one.pool),
            pointer(one.stream),
            one.thread,
            std::chrono::nanoseconds(one.age),
            std::string(one.call_site)};
}

inline MemoryStats from_bridge(const bridge::Stats& one) noexcept {
    return {one.current_bytes,       one.current_count, one.peak_bytes,     one.peak_count,          one.total_bytes,
            one.total_count,         one.failures,      one.reserved_bytes, one.peak_reserved_bytes, one.kept_bytes,
            one.huge_page_fallbacks, one.unlocked_bytes};
}

inline MemoryPoolStats from_bridge(const bridge::PoolStats& one) noexcept {
    return {pointer(one.pool), one.is_destroyed, one.is_imported, from_bridge(one.stats)};
}

inline MemoryPageStats from_bridge(const bridge::PageStats& one) noexcept {
    return {one.page_size, one.bytes, one.count};
}

inline std::string from_bridge(const rust::String& one) {
    return std::string(one);
}

template <typename T>
auto from_bridge(const rust::Vec<T>& all) {
    std::vector<decltype(from_bridge(std::declval<const T&>()))> result;
    result.reserve(all.size());
    for (const T& one : all) result.push_back(from_bridge(one));
    return result;
}

// Converts the node at `next` and all below it; `next` is moved past them.
inline MemoryProfile tree(const rust::Vec<bridge::ProfileNode>& nodes, std::size_t& next) {
    const bridge::ProfileNode& node = nodes[next++];
    MemoryProfile profile{std::string(node.function), std::string(node.file), node.line,        node.malloc_bytes,
                          node.malloc_count,          node.alloc_bytes,       node.alloc_count, {}};
    while (next < nodes.size() && nodes[next].depth > node.depth) profile.below.push_back(tree(nodes, next));
    return profile;
}

}  // namespace detail

/**
 * Returns all live allocations, by address: portaclMemorySnapshot.
 *
 * @param where the source location of the call.
 * @return the list.
 */
inline std::vector<MemoryAllocation> memory_snapshot(SourceLocation where = SourceLocation::current()) {
    return detail::from_bridge(detail::translated(where, [] { return bridge::snapshot(); }));
}

/**
 * Returns current, peak and total amounts of a kind of memory: portaclMemoryGetStats.
 *
 * @param device its id; -1: host memory.
 * @param kind the kind of memory.
 * @param where the source location of the call.
 * @return the numbers.
 */
inline MemoryStats memory_stats(int32_t device, MemoryKind kind, SourceLocation where = SourceLocation::current()) {
    return detail::from_bridge(
        detail::translated(where, [&] { return bridge::stats(device, static_cast<int32_t>(kind)); }));
}

/**
 * Resets the peaks of memory_stats to the current values: portaclMemoryResetPeak.
 *
 * @param device its id; -1: host memory.
 * @param kind the kind of memory.
 * @param where the source location of the call.
 */
inline void reset_memory_peak(int32_t device, MemoryKind kind, SourceLocation where = SourceLocation::current()) {
    check(portaclMemoryResetPeak(device, static_cast<portaclMemoryKind>(kind)), where);
}

/**
 * Returns the pools of a device, with statistics of each: portaclMemoryListPools.
 *
 * @param device its id; -1: pools of host memory.
 * @param where the source location of the call.
 * @return the list.
 */
inline std::vector<MemoryPoolStats> memory_pools(int32_t device, SourceLocation where = SourceLocation::current()) {
    return detail::from_bridge(detail::translated(where, [&] { return bridge::pools(device); }));
}

/**
 * Returns live allocations by page size: portaclMemoryListPageSizes.
 *
 * @param device its id; -1: host memory.
 * @param kind the kind of memory.
 * @param where the source location of the call.
 * @return the page sizes, smallest first.
 */
inline std::vector<MemoryPageStats> memory_page_sizes(int32_t device, MemoryKind kind,
                                                      SourceLocation where = SourceLocation::current()) {
    return detail::from_bridge(
        detail::translated(where, [&] { return bridge::page_sizes(device, static_cast<int32_t>(kind)); }));
}

/**
 * Returns how much memory the functions of the program use: portaclMemoryHookProfile.
 *
 * @param hook the profiling hook.
 * @param where the source location of the call.
 * @return the root of the tree.
 */
inline MemoryProfile memory_profile(const LineProfileHook& hook, SourceLocation where = SourceLocation::current()) {
    const auto nodes = detail::translated(where, [&] { return bridge::profile(hook.get()); });
    std::size_t next = 0;
    return detail::tree(nodes, next);
}

/**
 * Returns the live allocations: portaclMemorySnapshot and portaclMemoryReportLeaksTo.
 *
 * @param where the source location of the call.
 * @return the allocations, and a report.
 */
inline LeakReport leak_report(SourceLocation where = SourceLocation::current()) {
    LeakReport report;
    report.allocations = memory_snapshot(where);
    report.lines = detail::from_bridge(detail::translated(where, [] { return bridge::leaks(); }));
    return report;
}

}  // namespace portacl

#endif /* PORTACL_CXX_HPP */
