/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * What the library knows of memory, as vectors of structures and strings: the component
 * portacl::cxx, which is linked statically (`find_package(portacl COMPONENTS cxx)`).
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

/** Which memory. */
enum class MemoryKind : int {
    /** Of a device: aclrtMalloc, DeviceBuffer. */
    device = PORTACL_MEMORY_DEVICE,
    /** Page-locked host memory: aclrtMallocHost, HostBuffer. */
    pinned = PORTACL_MEMORY_PINNED,
    /** Managed: aclrtMemAllocManaged. */
    managed = PORTACL_MEMORY_MANAGED,
    /** Of pools: AsyncBuffer. */
    pool = PORTACL_MEMORY_POOL,
    /** Of other processes. */
    imported = PORTACL_MEMORY_IMPORTED,
    /** Of graphs: what captured streams take from pools. */
    graph = PORTACL_MEMORY_GRAPH,
};

/** A live allocation. What begins with "recorded" is 0 or empty if it was made before
 * portaclMemoryRecord. */
struct MemoryAllocation {
    /** The first byte; null: imported physical memory, which has no address of its own. */
    void* address = nullptr;
    /** Recorded: bytes that the program asked for. */
    std::size_t size = 0;
    /** Bytes that it takes, as portaclMemoryGetStats counts them; programs may use fewer. */
    std::size_t rounded_size = 0;
    /** Which memory. */
    MemoryKind kind = MemoryKind::device;
    /** The device; -1: host memory. */
    int32_t device = -1;
    /** The pool that it is of; null if none. */
    aclrtMemPool pool = nullptr;
    /** Recorded: the stream in whose order it was made; null if none. */
    aclrtStream stream = nullptr;
    /** Recorded: the thread, as the system counts it. */
    std::uint64_t thread = 0;
    /** Recorded: the time since then. */
    std::chrono::nanoseconds age{0};
    /** Recorded: who asked for it, `file:line:function`. */
    std::string call_site;
};

/** How much memory of a kind there is: portaclMemoryStats tells what each number is. */
struct MemoryStats {
    /** Bytes of live allocations. */
    std::uint64_t current_bytes = 0;
    /** How many there are. */
    std::uint64_t current_count = 0;
    /** The most bytes so far. */
    std::uint64_t peak_bytes = 0;
    /** The most allocations so far. */
    std::uint64_t peak_count = 0;
    /** Bytes of all that were made. */
    std::uint64_t total_bytes = 0;
    /** How many were made. */
    std::uint64_t total_count = 0;
    /** Requests that could not be served. */
    std::uint64_t failures = 0;
    /** Bytes that all this takes from the device or the system. */
    std::uint64_t reserved_bytes = 0;
    /** The most of them so far. */
    std::uint64_t peak_reserved_bytes = 0;
    /** Bytes of them that wait for the next request. */
    std::uint64_t kept_bytes = 0;
    /** Huge pages that could not be had. */
    std::uint64_t huge_page_fallbacks = 0;
    /** Bytes that could not be locked. */
    std::uint64_t unlocked_bytes = 0;
};

/** A memory pool and what it has. */
struct MemoryPoolStats {
    /** The pool; its former handle if it was destroyed. */
    aclrtMemPool pool = nullptr;
    /** Whether it was destroyed, and is only there for memory that is live. */
    bool is_destroyed = false;
    /** Whether another process has made it. */
    bool is_imported = false;
    /** What it has, had and gave. */
    MemoryStats stats;
};

/** Live allocations on pages of one size. */
struct MemoryPageStats {
    /** Bytes of a page. */
    std::uint64_t page_size = 0;
    /** Bytes of the allocations. */
    std::uint64_t bytes = 0;
    /** How many they are. */
    std::uint64_t count = 0;
};

/** A function of the program in a profile, with all that it called. */
struct MemoryProfile {
    /** Its name; "_root" for the program as a whole. */
    std::string function;
    /** The file that it is in; empty if that is not known. */
    std::string file;
    /** The line that made the call; 0 if that is not known. */
    std::uint32_t line = 0;
    /** Bytes that the program got. */
    std::uint64_t malloc_bytes = 0;
    /** How often. */
    std::uint64_t malloc_count = 0;
    /** Bytes that were taken from the device or the system for that. */
    std::uint64_t alloc_bytes = 0;
    /** How often. */
    std::uint64_t alloc_count = 0;
    /** What it called, what uses most first. */
    std::vector<MemoryProfile> below;
};

/** What was not freed. */
struct LeakReport {
    /** What is live. */
    std::vector<MemoryAllocation> allocations;
    /** The report for people, as portaclMemoryReportLeaks writes it, with the releases that have
     * failed in destructors since that was told last. Empty where there is nothing to tell. */
    std::vector<std::string> lines;
};

namespace detail {

// An exception of cxx has only a text: the code, a blank, and what the library says.
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

// The structures of the bridge, as those above. Everything here is compiled by the program: how its
// standard library's vectors and strings look is its own business.
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
    return {one.current_bytes, one.current_count,       one.peak_bytes,
            one.peak_count,    one.total_bytes,         one.total_count,
            one.failures,      one.reserved_bytes,      one.peak_reserved_bytes,
            one.kept_bytes,    one.huge_page_fallbacks, one.unlocked_bytes};
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

// The node at `next` and all below it; `next` is then behind them.
inline MemoryProfile tree(const rust::Vec<bridge::ProfileNode>& nodes, std::size_t& next) {
    const bridge::ProfileNode& node = nodes[next++];
    MemoryProfile profile{
        std::string(node.function), std::string(node.file), node.line,        node.malloc_bytes,
        node.malloc_count,          node.alloc_bytes,       node.alloc_count, {}};
    while (next < nodes.size() && nodes[next].depth > node.depth)
        profile.below.push_back(tree(nodes, next));
    return profile;
}

}  // namespace detail

/**
 * All live allocations, by address: portaclMemorySnapshot.
 *
 * @param where the place of the call.
 * @return them.
 */
inline std::vector<MemoryAllocation> memory_snapshot(
    SourceLocation where = SourceLocation::current()) {
    return detail::from_bridge(detail::translated(where, [] { return bridge::snapshot(); }));
}

/**
 * How much memory of a kind there is, was at most and was ever given out: portaclMemoryGetStats.
 *
 * @param device its id; -1: host memory.
 * @param kind which memory.
 * @param where the place of the call.
 * @return the numbers.
 */
inline MemoryStats memory_stats(int32_t device, MemoryKind kind,
                                SourceLocation where = SourceLocation::current()) {
    return detail::from_bridge(detail::translated(
        where, [&] { return bridge::stats(device, static_cast<int32_t>(kind)); }));
}

/**
 * Lets the peaks of memory_stats begin again with what is live: portaclMemoryResetPeak.
 *
 * @param device its id; -1: host memory.
 * @param kind which memory.
 * @param where the place of the call.
 */
inline void reset_memory_peak(int32_t device, MemoryKind kind,
                              SourceLocation where = SourceLocation::current()) {
    check(portaclMemoryResetPeak(device, static_cast<portaclMemoryKind>(kind)), where);
}

/**
 * The pools of a device, with what each has: portaclMemoryListPools.
 *
 * @param device its id; -1: pools of host memory.
 * @param where the place of the call.
 * @return them.
 */
inline std::vector<MemoryPoolStats> memory_pools(int32_t device,
                                                 SourceLocation where = SourceLocation::current()) {
    return detail::from_bridge(detail::translated(where, [&] { return bridge::pools(device); }));
}

/**
 * Live allocations by the size of their pages: portaclMemoryListPageSizes.
 *
 * @param device its id; -1: host memory.
 * @param kind which memory.
 * @param where the place of the call.
 * @return the sizes that there are, the smallest first.
 */
inline std::vector<MemoryPageStats> memory_page_sizes(
    int32_t device, MemoryKind kind, SourceLocation where = SourceLocation::current()) {
    return detail::from_bridge(detail::translated(
        where, [&] { return bridge::page_sizes(device, static_cast<int32_t>(kind)); }));
}

/**
 * Which places of the program use memory: portaclMemoryHookProfile.
 *
 * @param hook what has looked on.
 * @param where the place of the call.
 * @return the root of the tree.
 */
inline MemoryProfile memory_profile(const LineProfileHook& hook,
                                    SourceLocation where = SourceLocation::current()) {
    const auto nodes = detail::translated(where, [&] { return bridge::profile(hook.get()); });
    std::size_t next = 0;
    return detail::tree(nodes, next);
}

/**
 * What was not freed: portaclMemorySnapshot and portaclMemoryReportLeaksTo.
 *
 * @param where the place of the call.
 * @return allocations, and a report of them.
 */
inline LeakReport leak_report(SourceLocation where = SourceLocation::current()) {
    LeakReport report;
    report.allocations = memory_snapshot(where);
    report.lines = detail::from_bridge(detail::translated(where, [] { return bridge::leaks(); }));
    return report;
}

}  // namespace portacl

#endif /* PORTACL_CXX_HPP */
