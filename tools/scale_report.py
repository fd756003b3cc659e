#!/usr/bin/env python3
"""The section of docs/benchmarks.md about large numbers of objects and threads, and its plots.

usage: scale_report.py MEASURED_DIRECTORY DOCUMENT
"""

import datetime
import math
import os
import pathlib
import statistics
import sys

from bench_plots import scale_curves
from bench_results import Results, commit, number, write_section

TITLE = "Scale"
# The slope of time per call over the number of objects, both logarithmic: the time may grow by 41 percent when the
# number grows tenfold.
MOST = 0.15
# What a destroy among 3,000 threads may cost, as a multiple of one among 100.
AT_ONCE = 3
# The C library is a peer: it has no goal.
PEER = "malloc: "
MEMORY = ": host memory"
# Known reasons why goals are missed, of objects and of threads. Printed only if one is missed.
CACHES = ("The objects no longer fit the caches of the processor, and one at random is seldom there. `malloc` shows the "
          "same. Other programs on the machine use these caches, too.")
SHARED = ("All threads allocate from one pool, and count taken memory in one place, so that the peak of the whole pool is "
          "exact: this cache line travels between the processors.")


def slopes(points):
    """The slope between neighbours, for each of them but the first."""
    pairs = zip(points.items(), list(points.items())[1:])
    return {n: math.log(ns / before) / math.log(n / fewer) for (fewer, before), (n, ns) in pairs}


def names(results, memory):
    found = dict.fromkeys(name for name, at in results.values if at is not None)
    return [name for name in found if name.endswith(MEMORY) == memory]


def verdict(name, steepest):
    if name.startswith(PEER) or steepest is None:
        return "| |"
    return f"| {'met' if steepest <= MOST else 'missed'} |"


def print_times(results, chosen, columns):
    print("| call | " + " | ".join(f"{n:,}" for n in columns) + " | steepest | |")
    print("|---|" + "---:|" * (len(columns) + 1) + "---|")
    missed = []
    for name in chosen:
        points = results.series(name)
        steepest = max(slopes(points).values(), default=None)
        cells = [number(points[n]) if n in points else "" for n in columns]
        if steepest is not None and steepest > MOST and not name.startswith(PEER):
            missed.append(name)
        print(f"| {name} | " + " | ".join(cells) + f" | {'' if steepest is None else f'{steepest:+.2f}'} "
              + verdict(name, steepest))
    print()
    return missed


def print_at_once(results, chosen):
    """Threads that each destroy one object at once: the goal is a ratio."""
    if not chosen:
        return
    columns = sorted({n for name in chosen for n in results.series(name)})
    print("Processor time of each destroy while this many threads destroy an object each at once; the goal is that the "
          f"most threads cost each at most {AT_ONCE} times what the fewest do:\n")
    print("| object | " + " | ".join(f"{n:,}" for n in columns) + " | ratio | |")
    print("|---|" + "---:|" * (len(columns) + 1) + "---|")
    for name in chosen:
        points = results.series(name)
        ratio = points[columns[-1]] / points[columns[0]] if columns[-1] in points and columns[0] in points else None
        cells = [number(points[n]) if n in points else "" for n in columns]
        verdict_of = "" if ratio is None else "met" if ratio <= AT_ONCE else "missed"
        print(f"| {name.removeprefix('threads that destroy: ')} | " + " | ".join(cells)
              + f" | {'' if ratio is None else f'{ratio:.2f}'} | {verdict_of} |")
    print()


def print_scale(results, plots):
    print("Time per call while this many objects are alive (`benches/scale/scale.cpp`), on the CPU backend. *create* is the mean "
          "while the number grows to this one; *replace* destroys one at random and creates another; *use* is "
          "aclrtSynchronizeStream, aclrtQueryEventStatus, aclrtSetCurrentContext or aclrtPointerGetAttributes of one at "
          "random. Allocations have 512 B to 4 KiB, and their memory is not touched. Times are the processor time of the "
          "process. *Steepest* is the largest slope between two columns on logarithmic "
          f"scales; the goal is at most {MOST}. `malloc` is that of the C library, for comparison: random "
          "access to more objects than the caches hold costs every library time.\n")
    times = names(results, memory=False)
    threads = [name for name in times if name.startswith("threads: ")]
    at_once = [name for name in times if name.startswith("threads that destroy: ")]
    objects = [name for name in times if name not in threads + at_once and len(results.series(name)) > 1]
    decades = sorted({n for name in objects for n in results.series(name)})
    missed = print_times(results, objects, decades)
    print("Host memory per object, in bytes: what the process has grown by since there was none. *Destroy* is the time "
          "of one when all are destroyed at random.\n")
    print("| object | " + " | ".join(f"{n:,}" for n in decades if n >= 1000) + " | destroy |")
    print("|---|" + "---:|" * (len([n for n in decades if n >= 1000]) + 1))
    for name in names(results, memory=True):
        points, kind = results.series(name), name.removesuffix(MEMORY)
        last = statistics.median(results.series(f"{kind}: destroy").values())
        cells = [f"{points[n]:,.0f}" if n in points else "" for n in decades if n >= 1000]
        print(f"| {kind} | " + " | ".join(cells) + f" | {number(last)} |")
    print(f"\nProcessor time per call while this many threads make calls, on {os.cpu_count()} processors:\n")
    missed += print_times(results, threads, sorted({n for name in threads for n in results.series(name)}))
    print_at_once(results, at_once)
    for reason, group in ((CACHES, objects), (SHARED, [name for name in threads if "MallocAsync" in name])):
        if rows := [f"`{name}`" for name in missed if name in group]:
            print(f"- Missed: {', '.join(rows)}. {reason}")
    curves = [name for name in objects if name.endswith((": create", ": replace"))]
    scale_curves({name: results.series(name) for name in curves}, plots / "scale.svg")
    print("\n![Time per call over the number of objects](benchmarks/scale.svg)\n")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    work, document = map(pathlib.Path, sys.argv[1:])

    def print_section():
        results = Results(work, "scale")
        launches = max(map(len, results.values.values()))
        print(f"Measured separately: {datetime.date.today()}, commit {commit()}, load {os.getloadavg()[0]:.1f} at the end, "
              f"medians of {launches} launches.\n")
        print_scale(results, document.parent / "benchmarks")

    write_section(document, TITLE, print_section)


if __name__ == "__main__":
    main()
