#!/usr/bin/env python3
"""Checks the results of a pack's run: every program of its lists passed and is in the JSON, which contains what
docs/api.md needs.

usage: gpu_check.py PACK RESULTS
"""

import json
import pathlib
import sys


def names(path):
    """The names and programs of a list of the pack."""
    return [line.split("\t")[:2] for line in path.read_text().splitlines()]


def problems(pack, results):
    said = json.loads((results / "results.json").read_text())
    programs = {program["name"]: program for program in said["programs"]}
    suite, sanitized = names(pack / "cuda.txt"), names(pack / "memcheck.txt")
    wanted = [name for name, _ in suite] + [f"memcheck.{name}" for name, _ in sanitized]
    for name in [*wanted, "bench.entry", "bench.cuda"]:
        if name not in programs:
            yield f"{name} did not run"
        elif programs[name]["status"] != 0:
            yield f"{name} failed"
        if not (results / f"{name}.log").exists():
            yield f"{name} has no log"
    for name, program in suite:
        if program.endswith("_test") and not programs.get(name, {}).get("cases"):
            yield f"{name} ran no test"
    tests = {f"{pathlib.Path(program).name}.cpp" for _, program in suite if program.endswith("_test")}
    if tests != set(said["tests"]):
        yield f"the confirmed test files differ: {sorted(tests ^ set(said['tests']))}"
    for key in ("about", "card", "driver", "date"):
        if not said[key]:
            yield f"{key} is empty"
    if not said["compute_sanitizer"]:
        yield "nothing ran under compute-sanitizer"
    figures = {figure["name"] for figure in said["figures"] if {"portacl", "driver", "goal", "met"} <= figure.keys()}
    for call in ("aclrtMemcpyAsync", "aclrtRecordEvent", "aclrtStreamWaitEvent", "aclrtLaunchHostFunc",
                 "aclrtLaunchKernelWithArgsArray", "aclrtMemPoolMallocAsync + FreeAsync",
                 "aclrtMemPoolMallocAsync + FreeAsync, two lengths by turns",
                 "aclrtMalloc + aclrtFree, 1 MiB", "pinned host to device, 64 KiB", "device to pinned host, 64 KiB",
                 "pageable host to device, 64 KiB", "device to pageable host, 64 KiB"):
        if call not in figures:
            yield f"there is no figure for {call}"
    if not any("two copies" in name for name in figures):
        yield "there is no figure for work that overlaps"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    pack, results = map(pathlib.Path, sys.argv[1:])
    found = list(problems(pack, results))
    for problem in found:
        print(problem)
    if found:
        sys.exit(1)
    print(f"the pack works: {len(names(pack / 'cuda.txt'))} programs, {len(names(pack / 'memcheck.txt'))} of them "
          "twice, and the benchmarks")


if __name__ == "__main__":
    main()
