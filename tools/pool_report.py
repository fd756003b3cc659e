#!/usr/bin/env python3
"""The section about memory pools, and the output of tools/replay.sh.

usage: pool_report.py MEASURED_DIRECTORY PLOT.svg    a replayed log: a table to standard output, and its plot
       pool_report.py MEASURED_DIRECTORY DOCUMENT    the section of docs/benchmarks.md, and its plots
"""

import datetime
import os
import pathlib
import statistics
import sys

from bench_plots import pool_curve, replay
from bench_results import Goal, Results, commit, number, print_goals, write_section

TITLE = "Stream-ordered pools"
PEERS = {"portacl": "portacl", "caching": "PyTorch-style", "coalescing": "RMM-style"}
MIB = 1 << 20

# Known reasons why a goal is missed. Printed only if it is missed.
STEADY = ("A pair whose blocks are always the same takes about 500 instructions (callgrind). Here sizes and blocks are "
          "random, so the record of a block is seldom in the first-level cache, branches are mispredicted, and some "
          "allocations find no free block. These effects take nearly half the time. Tried and rejected: locks without a "
          "locked instruction (4 percent of the time), pages with room for 32 blocks instead of 16 (slower), keeping "
          "more and longer blocks (a fifth less time, and more memory than the goal allows).")
GROWING = ("Nearly two of three allocations find no free block (callgrind), because the pool grows all the time: they "
           "are cut out of new memory, and get a record and an entry in the address map.")
REASONS = {
    "steady state, 1,000 live, 256 B to 8 MiB, one stream": STEADY,
    "the same, eight streams": "As with one.",
    "RMM random to 1 MiB, n = 10,000": GROWING,
    "RMM random to 1 MiB, n = 100,000":
        "As with 10,000. The records, 128 bytes and more for each block, also exceed the caches near the processor (not "
        "profiled).",
    "two threads on two streams of one pool, RMM random to 1 MiB":
        "Both threads count taken memory in one place, so that the peak of the whole pool is exact at every step: this "
        "cache line travels between the processors. With two pools it takes two thirds of the time.",
}


def plain(value):
    return f"{value:.3f}"


def goals(r):
    pool, jemalloc = r["mem_pool"], r["jemalloc_pool"]

    def ratios(what, name, at, limits):
        """Comparison with the pools of the same process, and with jemalloc in its own process."""
        rows = []
        for peer, limit in limits.items():
            title = PEERS.get(peer, peer)
            theirs = jemalloc if peer == "jemalloc" else pool
            rows.append(Goal("" if rows else what, title, limit, pool(f"portacl: {name}", at), theirs(f"{peer}: {name}", at)))
        return rows

    def memory(what, name, at, limit):
        ours = pool(f"portacl: {name}, reserved over used", at)
        return Goal(what, "requested", limit, ours, [1] * len(ours), show=plain)

    steady = "steady, 8 streams"
    least = [min(both) for both in zip(*(pool(f"{peer}: {steady}, reserved over used", 1000) for peer in ("caching", "coalescing")))]
    return [
        *ratios("steady state, 1,000 live, 256 B to 8 MiB, one stream", "steady, 1 stream", 1000, {"caching": 0.13, "coalescing": 0.1}),
        *ratios("the same, eight streams", steady, 1000, {"caching": 0.15, "coalescing": 0.1}),
        *ratios("RMM random to 1 MiB, n = 10,000", "random to 1 MiB", 10_000, {"caching": 0.25, "jemalloc": 0.2}),
        *ratios("RMM random to 1 MiB, n = 100,000", "random to 1 MiB", 100_000, {"caching": 0.25, "jemalloc": 0.2}),
        *ratios("two threads on two streams of one pool, RMM random to 1 MiB", "random to 1 MiB, 2 threads", 10_000, {"caching": 0.1}),
        memory("peak reserved, RMM random to 1 MiB", "random to 1 MiB", 10_000, 1.10),
        memory("peak reserved, RMM random to 64 MiB", "random to 64 MiB", 10_000, 1.20),
        memory("peak reserved, steady state, eight streams", steady, 1000, 1.35),
        Goal("", "the better of both peers", 0.72, pool(f"portacl: {steady}, reserved over used", 1000), least, show=plain),
    ]


def print_pools(r, plots):
    pool, jemalloc, log = r["mem_pool"], r["jemalloc_pool"], r["replay"]
    print("The pools run through the C API on the CPU backend (`benches/pools/mem_pool.cpp`). They are compared with "
          "jemalloc, and in the same process with a coalescing best-fit pool as RMM's and a caching allocator as "
          "PyTorch's. These two (`benches/peers`) were written from published descriptions and do the bookkeeping only, "
          "over a device and events that cost nothing. No memory is touched. A time is the processor time of the "
          "calling thread for one allocation or free (with two threads: elapsed time). All pools start empty, and none "
          "releases memory before the end of a run. *Reserved* is the maximum of the bytes taken from the device, "
          "divided by the maximum of the bytes requested and live at one time.\n")
    print_goals(goals(r), REASONS)
    titles = [*PEERS.values(), "jemalloc"]
    print("All results:\n")
    print("| workload | " + " | ".join(titles) + " | reserved over requested: " + ", ".join(PEERS.values()) + " |")
    print("|---|" + "---|" * (len(titles) + 1))
    names = [key for key in pool.values if key[0].startswith("portacl: ") and not key[0].endswith(("used", "p99.9"))]
    for name, n in names:
        name = name.removeprefix("portacl: ")

        def cell(results, who, suffix="", show=number):
            values = results.values.get((f"{who}: {name}{suffix}", n))
            return show(statistics.median(values)) if values else "-"

        times = [cell(pool, peer) for peer in PEERS] + [cell(jemalloc, "jemalloc")]
        memory = [cell(pool, peer, ", reserved over used", lambda value: f"{value:.2f}") for peer in PEERS]
        what = f"RMM {name}, n = {n:,}" if name.startswith("random") else name
        print(f"| {what} | " + " | ".join(times) + f" | {', '.join(memory)} |")
    curve = "random to 1 MiB"
    means = {title: pool.series(f"{peer}: {curve}") for peer, title in PEERS.items()}
    means["jemalloc"] = jemalloc.series(f"jemalloc: {curve}")
    slow = {title: pool.series(f"{peer}: {curve}, p99.9") for peer, title in PEERS.items() if peer != "coalescing"}
    slow["jemalloc"] = jemalloc.series(f"jemalloc: {curve}, p99.9")
    pool_curve(means, slow, plots / "pool_curve.svg")
    print("\n![Time per call over the number of allocations](benchmarks/pool_curve.svg)\n")
    print("### A replayed log\n")
    print("`benches/data/training_loop.jsonl` contains the allocations of a training-like loop on three streams. To replay "
          "your logs, write them in [this format](allocation_log.md).\n")
    print_replay(log, plots / "replay.svg")
    print("\n![Reserved and requested over time](benchmarks/replay.svg)\n")


def print_replay(log, plot):
    median = {key: statistics.median(values) for key, values in log.values.items()}
    requested = median["requested: replay, peak", None]
    print(f"{median['replay, steps', None]:,.0f} calls on {median['replay, streams', None]:.0f} streams; "
          f"at most {requested / MIB:,.1f} MiB requested at one time.", end="")
    if unknown := median["replay, unknown frees", None]:
        print(f" {unknown:,.0f} frees of memory from before the start of the log were skipped.", end="")
    print("\n\n| pool | time per call | peak reserved | fragmentation |")
    print("|---|---|---|---|")
    for peer, title in PEERS.items():
        peak = median[f"{peer}: replay, peak", None]
        print(f"| {title} | {number(median[f'{peer}: replay', None])} | {peak / MIB:,.1f} MiB | {1 - requested / peak:.3f} |")
    replay(log.series("requested: replay, reserved"),
           {title: log.series(f"{peer}: replay, reserved") for peer, title in PEERS.items()}, plot)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    work, written = map(pathlib.Path, sys.argv[1:])
    if written.suffix == ".svg":
        print_replay(Results(work, "replay"), written)
        return

    def print_section():
        r = {program: Results(work, program) for program in ("mem_pool", "jemalloc_pool", "replay")}
        launches = len(r["replay"]("replay, steps"))
        print(f"Measured separately: {datetime.date.today()}, commit {commit()}, load {os.getloadavg()[0]:.1f} at the end, "
              f"medians of {launches} launches.\n")
        print_pools(r, written.parent / "benchmarks")

    write_section(written, TITLE, print_section)


if __name__ == "__main__":
    main()
