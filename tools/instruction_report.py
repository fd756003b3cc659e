#!/usr/bin/env python3
"""The section of docs/benchmarks.md about instructions on the CUDA backend, which can be written separately.

usage: instruction_report.py MEASURED_DIRECTORY DOCUMENT
"""

import pathlib
import statistics
import sys

from bench_results import Results, commit, machine, write_section

TITLE = "The CUDA backend"

# In nanoseconds above the driver.
GOALS = {
    "aclrtMemcpyAsync": 30,
    "aclrtRecordEvent": 30,
    "aclrtStreamWaitEvent": 30,
    "aclrtLaunchHostFunc": 30,
    "aclrtLaunchKernelWithArgsArray": 50,
    "aclrtMemPoolMallocAsync + FreeAsync": 30,
    "aclrtMemPoolMallocAsync + FreeAsync, two lengths by turns": 30,
}


def print_instructions(results):
    print("Instructions that portacl executes for one call on the fake driver (callgrind; the instructions of the "
          "driver are not counted), at commit "
          f"{commit()}, on {machine()}"
          ": on the calling thread, and on all threads, including later work of the driver's thread and the library's "
          "threads. The time is the difference between a call and the same driver calls in the same order (`bench_cuda "
          "above`: alternating in one process, with blocked streams, the median difference of the quickest quarter, of "
          "five launches). These begin with `cuCtxGetCurrent` where the API's calls do: all except the pairs. An "
          "allocation and free of one size calls no driver function (as in a loop that frees what it allocates); two "
          "alternating sizes make both driver calls each time. Measure on an idle machine: the fake driver itself takes "
          "hundreds of nanoseconds, and cache effects are part of the difference. `docs/gpu` will have the times on a "
          "GPU compared with the bare driver.\n")
    print("| call | instructions in the call | in all threads | above the driver's calls | goal | |")
    print("|---|---|---|---|---|---|")
    for name in dict.fromkeys(name for name, _ in results.values):
        above, goal = statistics.median(results(name, "above")), GOALS[name]
        print(f"| {name} | {results(name, 'caller')[0]} | {results(name, 'all')[0]} | {above:+.1f} ns "
              f"| at most {goal} ns | {'met' if above <= goal else 'missed'} |")
    print()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    work, document = map(pathlib.Path, sys.argv[1:])
    write_section(document, TITLE, lambda: print_instructions(Results(work, "instructions")))


if __name__ == "__main__":
    main()
