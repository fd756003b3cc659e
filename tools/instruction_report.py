#!/usr/bin/env python3
"""The section of docs/benchmarks.md about instructions on the CUDA backend, which is written anew by itself.

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
    print("Instructions that portacl itself executes for one call on the stand-in driver (callgrind; the driver's own not "
          f"counted), at commit {commit()}, on {machine()}: those of the thread that calls, and all, with what the driver's thread and ours "
          "do later. The time is what a call takes above the same calls of that driver in the same order (`bench_cuda "
          "above`: in turns in one process, streams held back, the median difference in the quickest quarter, of five launches), which begin with "
          "`cuCtxGetCurrent` where the API's do: all but the pairs. A pair of one length asks the driver nothing (a loop has what it gives back), of two lengths by turns both calls each time. It is for a quiet machine; the stand-in takes hundreds of nanoseconds itself, and its "
          "caches are part of the difference. What calls take on a GPU beside the raw driver is in `docs/gpu`, once one "
          "was had.\n")
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
