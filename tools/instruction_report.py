#!/usr/bin/env python3
"""The sections of docs/benchmarks.md about the instructions of calls, which can be written separately. Fails if a row is
above its limit of instructions, after it has written them.

usage: instruction_report.py MEASURED_DIRECTORY DOCUMENT
"""

import pathlib
import statistics
import sys

from bench_results import Results, commit, machine, write_section

TITLE = "The CUDA backend"
CPU_TITLE = "Instructions of a call"

# Instructions that a call on the CPU backend may execute while everything that can be switched on is off: 5 percent more
# than it executed when its row was last changed. That of aclrtMemcpy was last changed when 3,000 threads could destroy
# objects at once: a pin then tests whether its thread needs a fence, and whether it ends. Those of synchronizing and of
# queries have no room: they executed 5 and 4 fewer before copies had one way to find their ends. The reason is not known.
# That of aclrtMemsetAsync was last changed when streams got tasks (portaclLaunchTask): 24 more for each operation.
MOST = {
    "aclrtSynchronizeStream (idle)": 97,
    "aclrtQueryEventStatus": 93,
    "aclrtMemcpy of 64 B": 243,
    "aclrtMemcpyAsync of 64 B": 559,
    "aclrtMemsetAsync of 64 B": 522,
    "aclrtRecordEvent": 288,
    "aclrtMalloc + aclrtFree, 4 KiB": 516,
    "aclrtMemPoolMallocAsync + FreeAsync": 621,
}
# The same on the CUDA backend. Each call of the driver may do a system call, so each turns the cancellation of its thread
# off and on again, with about 30 instructions of the library. A record also notes whether it is in a capture of another
# library, and whether a wait with a timeout needs the event of the record before. A host function and an allocation of a
# pool wait for room in the queue without a lock, 10 and 70 more; a function that the driver takes without the wait for it
# keeps its stream busy, 17 more.
CUDA_MOST = {
    "aclrtMemcpyAsync": 420,
    "aclrtRecordEvent": 354,
    "aclrtStreamWaitEvent": 331,
    "aclrtLaunchHostFunc": 392,
    "aclrtLaunchKernelWithArgsArray": 501,
    "aclrtMemPoolMallocAsync + FreeAsync": 733,
    "aclrtMemPoolMallocAsync + FreeAsync, two lengths by turns": 987,
    # With the later release of the memory, after the streams: 4,710 to 4,720 instructions in three runs.
    "aclrtMalloc + aclrtFree, 4 KiB, beside 16 busy streams": 4950,
}

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
          "alternating sizes make both driver calls each time. The pair beside busy streams has no time, because a driver's "
          "free waits for their work. Measure on an idle machine: the fake driver itself takes "
          "hundreds of nanoseconds, and cache effects are part of the difference. `docs/gpu` will have the times on a "
          "GPU compared with the bare driver.\n")
    print("| call | instructions in the call | at most | | in all threads | above the driver's calls | goal | |")
    print("|---|---|---|---|---|---|---|---|")
    for name in dict.fromkeys(name for name, _ in results.values):
        here, most = results(name, "caller")[0], CUDA_MOST[name]
        time = " | |"
        if goal := GOALS.get(name):
            above = statistics.median(results(name, "above"))
            time = f"{above:+.1f} ns | at most {goal} ns | {'met' if above <= goal else 'missed'}"
        print(f"| {name} | {here} | {most} | {'met' if here <= most else 'missed'} | {results(name, 'all')[0]} | {time} |")
    print()


def print_cpu_instructions(results):
    print("Instructions that portacl executes on the calling thread for one call on the CPU backend (callgrind), at commit "
          f"{commit()}, on {machine()}. Checks, schedules, traces, memory hooks and injected faults are off: a row that "
          "keeps its limit shows that what is off costs nothing. A limit is 5 percent above the count when the row was "
          "last changed; `tools/instruction_report.py` has reasons.\n")
    print("| call | instructions | at most | |")
    print("|---|---|---|---|")
    for name in dict.fromkeys(name for name, _ in results.values):
        here, most = results(name, "caller")[0], MOST[name]
        print(f"| {name} | {here} | {most} | {'met' if here <= most else 'missed'} |")
    print()


def above_limit(results, limits):
    """The rows with more instructions than allowed, as texts."""
    counts = {name: results(name, "caller")[0] for name, at in results.values if at == "caller"}
    return [f"{name}: {count} instructions, at most {limits[name]} are allowed"
            for name, count in counts.items() if count > limits[name]]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    work, document = map(pathlib.Path, sys.argv[1:])
    cpu, cuda = Results(work, "cpu_instructions"), Results(work, "instructions")
    write_section(document, CPU_TITLE, lambda: print_cpu_instructions(cpu))
    write_section(document, TITLE, lambda: print_instructions(cuda))
    if missed := above_limit(cpu, MOST) + above_limit(cuda, CUDA_MOST):
        sys.exit("\n".join(missed))


if __name__ == "__main__":
    main()
