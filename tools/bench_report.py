#!/usr/bin/env python3
"""Writes docs/benchmarks.md to standard output, and its plots, from the results of ./dev bench.

usage: bench_report.py MEASURED_DIRECTORY PLOT_DIRECTORY
"""

import datetime
import os
import pathlib
import statistics
import sys

from bench_plots import copy_latency, copy_rate
from bench_results import Goal, Results, commit, machine, number, print_goals, section
from instruction_report import CPU_TITLE, TITLE, print_cpu_instructions, print_instructions
from pool_report import TITLE as POOLS
from pool_report import print_pools
from scale_report import TITLE as SCALE
from scale_report import print_scale
from size_report import TITLE as SIZE
from size_report import print_size

MIB = 1 << 20


def best(*columns):
    return [min(values) for values in zip(*columns)]


def stream_goals(r):
    """Comparison with the runtimes that have queues."""
    streams, pocl, intel, floors = r["streams"], r["pocl"], r["intel"], r["floors"]

    def against(what, name, peer, peer_name, limit, words="", size=None):
        return Goal(what, peer_name, limit, streams(name, size), peer(name, size), words)

    copies = [floors(f"256 MiB by {method}, {threads}")
              for method in ("memcpy", "streaming stores", "rep movsb") for threads in ("1 thread", "2 threads")]
    each, one = "record x 20000 + synchronise, each", "record + synchronise, "
    host, before, included = "host function + synchronise, p50", "hop, enqueued before", "hop, enqueue included"
    copy = "copy + synchronise"
    return [
        against("20,000 aclrtRecordEvent on one event + synchronise, each", each, pocl, "PoCL, markers", 1 / 10, "10 times faster"),
        against("", each, intel, "Intel, markers", 1 / 4, "4 times faster"),
        against("aclrtRecordEvent, the call", "record, the call", pocl, "PoCL", 0.1),
        against("one such operation + synchronise, p50", one + "p50", pocl, "PoCL", 1 / 30, "1/30"),
        against("", one + "p50", intel, "Intel", 0.35),
        against("one such operation + synchronise, p99", one + "p99", pocl, "PoCL", 0.3),
        against("host function + synchronise, p50", host, pocl, "PoCL, native kernel", 0.7),
        Goal("", "a bare futex round trip", 1.15, streams(host), floors("futex round trip, p50")),
        Goal("hop between two streams, enqueued before", "the better of PoCL and Intel", 0.6,
             streams(before), best(pocl(before), intel(before))),
        Goal("hop between two streams, enqueue included", "the better of PoCL and Intel", 0.5,
             streams(included), best(pocl(included), intel(included))),
        against("copy + synchronise, 64 B", copy, pocl, "PoCL", 1 / 30, "1/30", 64),
        against("copy + synchronise, 4 KiB", copy, pocl, "PoCL", 1 / 30, "1/30", 4096),
        Goal("copy + synchronise, 1 MiB", "a warm memcpy", 1 / 0.9, streams(copy, MIB), floors("memcpy", MIB), "0.9 of its rate"),
        Goal("copy + synchronise, 256 MiB", "the best of memcpy, streaming stores, rep movsb on 1 or 2 threads", 1 / 0.95,
             streams(copy, 256 * MIB), best(*copies), "0.95 of its rate"),
        against("", copy, pocl, "PoCL", 1 / 1.3, "1.3 times its rate", 256 * MIB),
        against("aclrtQueryEventStatus", "event query", pocl, "PoCL", 0.5),
    ]


def memory_goals(r):
    memory, jemalloc = r["memory"], r["jemalloc"]
    small, large = "allocate + free 4 KiB", "allocate + free 1 MiB"
    locked = jemalloc("64 MiB of small pages mapped, touched, locked")
    normal = memory("first use of 64 MiB, normal pages")
    snapshot = memory("snapshot of 100,000, each")
    alone = memory("slowest allocate + free beside none")
    return [
        Goal("aclrtMalloc + aclrtFree, 4 KiB", "jemalloc", 2, memory(small), jemalloc(small)),
        Goal("aclrtMalloc + aclrtFree, 1 MiB", "jemalloc", 1.2, memory(large), jemalloc(large)),
        Goal("aclrtMalloc + aclrtFree, 64 MiB", "mmap + munmap", 1.2, memory("allocate + free 64 MiB"), jemalloc("map + unmap 64 MiB")),
        Goal("aclrtMalloc + first aclrtMemset of 64 MiB, HUGE_FIRST", "the same, NORMAL_ONLY", 1 / 5,
             memory("first use of 64 MiB, huge pages"), normal, "5 times faster"),
        Goal("aclrtMalloc + first aclrtMemcpy of 64 MiB, HUGE_FIRST", "mmap + madvise(MADV_HUGEPAGE) + memcpy", 1,
             memory("first copy of 64 MiB"), memory("first copy of 64 MiB, plain memory")),
        Goal("aclrtMallocHost of 64 MiB, cold", "mapping, touching and locking 4 KiB pages", 1 / 6,
             memory("pinned 64 MiB, cold"), locked, "6 times faster"),
        Goal("aclrtMallocHost of 64 MiB, from a kept slab", "mapping, touching and locking 4 KiB pages", 1 / 50,
             memory("pinned 64 MiB, kept"), locked, "50 times faster"),
        Goal("portaclMemorySnapshot of 100,000 live allocations, processor time for each", "1 us", 1,
             snapshot, [1e3] * len(snapshot)),
        Goal("the slowest allocation beside such a snapshot", "the slowest without one, and 1 ms", 1,
             memory("slowest allocate + free beside a snapshot"), [ns + 1e6 for ns in alone]),
    ]


def ipc_goals(r):
    ipc, peer = r["ipc"], "the same inside a process"
    return [Goal(f"aclrtMemcpy of 64 MiB {where} memory of another process", peer, 1 / 0.95,
                 ipc(f"copy 64 MiB {where} another process"), ipc("copy 64 MiB inside a process"), "0.95 of its rate")
            for where in ("into", "out of")]


def graph_goals(r):
    graph, peer = r["graph"], "submitting the same work to its streams"
    names = [key[0].removeprefix("issued: ") for key in graph.values if key[0].startswith("issued: ")]
    return [Goal(f"a replay of {name}", peer, 0.5, graph(f"replayed: {name}"), graph(f"issued: {name}"), "half the time")
            for name in names]


def kernel_goals(r):
    kernel, peer = r["kernel"], "oneTBB's `parallel_for`"
    return [Goal(f"{what}, launch + synchronise", peer, 1.2, kernel(what), kernel(f"oneTBB, {what}"))
            for what in ("10000 blocks of nothing", "10000 blocks of nothing, after a pause", "10000 blocks of 100 ns",
                         "10000 blocks of 10 us", "10000 blocks of 100 ns, the last 100 of 10 us")]


# Known reasons why a goal is missed. Printed only if it is missed.
REASONS = {
    "aclrtMalloc + aclrtFree, 4 KiB":
        "jemalloc's pair is a push and a pop of a thread-local list. portacl's pair is two calls through the C "
        "boundary, and each checks what jemalloc does not: the thread's device, that the address is the start of a live "
        "allocation, that no pending work uses it, and the device's memory limit. A thread has its own cache of freed "
        "blocks; one locked instruction remains in a pair, which decides between threads that free the same memory at "
        "the same moment.",
    "aclrtMalloc + first aclrtMemcpy of 64 MiB, HUGE_FIRST":
        "Device memory is a file in memory, so that other processes and other addresses can share it. Where the system "
        "gives files no 2 MiB pages by itself, the kernel makes them of small ones, and waits for all processors first: "
        "on a busy machine these waits are longer than the copy.",
    "host function + synchronise, p50":
        "A host function runs on a thread of the library, so there is a wake-up in each direction if that thread "
        "sleeps. The bare round trip of the same run varies as much, depending on where the kernel places the two "
        "threads.",
    "aclrtQueryEventStatus":
        "A pinned table lookup, a check whether the event is a plain one, and an indirect call into the backend.",
    "aclrtMemcpy of 64 B":
        "The device address is found where the latest copy had it, and the host address is outside of all memory that "
        "drivers know. The rest is the pinned context, the checks for visibility and captures, and an indirect call "
        "that passes the copy in memory.",
    "aclrtSynchronizeStream (idle)":
        "A pinned lookup of the stream, and an indirect call that queries whether it is idle.",
    "copy + synchronise, 256 MiB":
        "This is the memory bandwidth, which other programs on shared processors change from run to run.",
    "copy + synchronise, 1 MiB":
        "The copy runs in two halves on two threads if a second processor is idle; if its thread sleeps, waking it "
        "costs time.",
}


def print_calls(entry):
    names = [key[0].removeprefix("call: ") for key in entry.values if key[0].startswith("call: ")]
    floor = {"aclrtMemcpy of 64 B": "memcpy of 64 B"}
    goals = {"aclrtGetDevice", "aclrtSetDevice (the current one)", "aclrtSynchronizeStream (idle)", "aclrtMemcpy of 64 B"}
    empty, empty_two = entry("call: empty call"), entry("two threads: empty call")
    missed = []
    print("| call | ns | above the empty call | goal | | with a second thread | over the empty call's | goal | |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in names:
        one, two = entry(f"call: {name}"), entry(f"two threads: {name}")
        less = entry(f"call: {floor[name]}") if name in floor else [0] * len(one)
        above = statistics.median(a - b - c for a, b, c in zip(one, empty, less))
        scaling = statistics.median((t / o) / (et / e) for t, o, et, e in zip(two, one, empty_two, empty))
        ns = statistics.median(one)
        if name in goals:
            if above > 8 or scaling > 1.2:
                missed.append(name)
            print(f"| {name} | {ns:.1f} | {above:+.1f} | at most 8 | {'met' if above <= 8 else 'missed'} "
                  f"| {statistics.median(two):.1f} ns | {scaling:.2f} | at most 1.2 | {'met' if scaling <= 1.2 else 'missed'} |")
        else:
            print(f"| {name} | {ns:.1f} | {above:+.1f} | | | {statistics.median(two):.1f} ns | {scaling:.2f} | | |")
    print("\nFor `aclrtMemcpy of 64 B` the time of `memcpy` itself is subtracted as well.\n")
    for name in missed:
        if name in REASONS:
            print(f"- Missed: {name}. {REASONS[name]}")
    print()


# The most that a trace may add to a call, in nanoseconds.
TRACE_GOAL = 250


def print_trace(trace):
    print("The time that a trace adds to a call. Profiling is stopped and started alternately in one process:\n")
    print("| call | stopped, ns | started, ns | added, ns | goal | |")
    print("|---|---|---|---|---|---|")
    for name in [key[0].removeprefix("added: ") for key in trace.values if key[0].startswith("added: ")]:
        off, on, added = (statistics.median(trace(f"{what}: {name}")) for what in ("off", "on", "added"))
        print(f"| {name} | {off:.1f} | {on:.1f} | {added:+.1f} | at most {TRACE_GOAL} "
              f"| {'met' if added <= TRACE_GOAL else 'missed'} |")
    print()


def main():
    work, plots = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    programs = ("entry", "streams", "pocl", "intel", "tbb", "mutex", "kernel", "floors", "memory", "jemalloc", "mem_pool",
                "jemalloc_pool", "replay", "ipc", "graph", "instructions", "cpu_instructions", "trace", "scale")
    r = {program: Results(work, program) for program in programs}
    launches = len(r["entry"]("call: empty call"))

    print("# Benchmarks\n")
    print("Generated by `./dev bench`; do not edit, except the section about machinery. Quote ratios: absolute "
          "times depend on the machine and its load.\n")
    print(f"{datetime.date.today()}, commit {commit()}. {machine()}, load {os.getloadavg()[0]:.1f} at the end. "
          f"Medians of {launches} launches; the programs alternate. A ratio is the median of the ratios of the launches.\n")
    print("## The CPU backend and other runtimes\n")
    print("PoCL and Intel's OpenCL runtime do the same work through OpenCL (`benches/workloads.h`): a record is a "
          "marker with an event, a host function is a native kernel, a copy is a write to a buffer.\n")
    print_goals(stream_goals(r), REASONS)
    columns = (("portacl", "streams"), ("PoCL", "pocl"), ("Intel", "intel"), ("oneTBB flow graph", "tbb"), ("mutex queue", "mutex"))
    print("All results, beside two queues that have no events and no device memory:\n")
    print("| | " + " | ".join(title for title, _ in columns) + " |")
    print("|---|" + "---|" * len(columns))
    for name in dict.fromkeys(key[0] for key in r["streams"].values if key[1] is None):
        cells = [number(statistics.median(r[p](name))) if (name, None) in r[p].values else "-" for _, p in columns]
        print(f"| {name} | " + " | ".join(cells) + " |")
    series = {title: r[p].series("copy + synchronise") for title, p in columns[:3]}
    series["memcpy alone"] = r["floors"].series("memcpy")
    copy_latency(series, plots / "copy_latency.svg")
    copy_rate(series, plots / "copy_rate.svg")
    print("\n![Latency of a copy and a synchronise over its size](benchmarks/copy_latency.svg)\n")
    print("![Rate of a copy and a synchronise over its size](benchmarks/copy_rate.svg)\n")
    print("## Kernels\n")
    print("All blocks of a kernel on the CPU backend, compared with oneTBB calling the same function in the same "
          "process. The two alternate, and the threads of both go to sleep in between (`benches/kernel.cpp`).\n")
    print_goals(kernel_goals(r), REASONS)
    print("## Graphs\n")
    print("A graph of 1,000 small tasks with a synchronize at the end, compared with enqueuing the tasks on streams. The two alternate in one process (`benches/graph.cpp`).\n")
    print_goals(graph_goals(r), REASONS)
    print("## Memory\n")
    print_goals(memory_goals(r), REASONS)
    print("## Sharing between processes\n")
    print_goals(ipc_goals(r), REASONS)
    print(f"## {POOLS}\n")
    print_pools(r, plots)
    print(f"## {SCALE}\n")
    print_scale(r["scale"], plots)
    print("## Cost of a call\n")
    print_calls(r["entry"])
    print("## Traces\n")
    print_trace(r["trace"])
    print(f"## {CPU_TITLE}\n")
    print_cpu_instructions(r["cpu_instructions"])
    print(f"## {TITLE}\n")
    print_instructions(r["instructions"])
    # Measured by hand: stays as it is.
    print(section(pathlib.Path("docs/benchmarks.md"), "Machinery"), end="")
    print(f"## {SIZE}\n")
    print_size(pathlib.Path("build/release"), work)


if __name__ == "__main__":
    main()
