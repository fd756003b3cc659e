#!/usr/bin/env python3
"""Checks the results of a pack's run: every program of its lists passed and is in the JSON, which contains what
docs/api.md needs.

usage: gpu_check.py PACK RESULTS
"""

import json
import os
import pathlib
import re
import subprocess
import sys


def lines(path):
    """The lines of a list of the pack: name, program, arguments."""
    return [line.split("\t") for line in path.read_text().splitlines()]


def skipped(row):
    """The number of tests that a row counts as skipped, each with a reason."""
    return sum(int(re.match(r"(\d+) tests?: .", reason).group(1)) for reason in row["skipped"])


def in_suite(pack, program, arguments):
    """How many tests a program has."""
    listed = subprocess.run([pack / program, *arguments, "--gtest_list_tests"], cwd=pack, check=True, text=True,
                            stdout=subprocess.PIPE, env={**os.environ, "LD_LIBRARY_PATH": str(pack / "lib")})
    return len(re.findall(r"^  \S", listed.stdout, re.MULTILINE))


def miscounted(pack, row, program, arguments, log):
    """Whether the row of a program lacks tests of the program, or reasons of those that its log says it skipped. Processes
    that tests start say the same before: the last line is the program's."""
    text, wanted = log.read_text(errors="replace"), in_suite(pack, program, arguments)
    left_out = int([0, *re.findall(r"^\[  SKIPPED \] (\d+) test", text, re.MULTILINE)][-1])
    if left_out != skipped(row):
        yield f"{row['name']}: the reasons are for {skipped(row)} tests, {left_out} skipped themselves"
    if not wanted or row["cases"] + left_out != wanted:
        yield f"{row['name']}: {row['cases']} tests passed, {left_out} skipped themselves, the program has {wanted}"


def interoperation(programs, results):
    """The bare driver is on every such machine. PyTorch and CuPy may be missing: then the rows say why."""
    for library in "driver", "torch", "cupy":
        name, log = f"interop.{library}", results / f"interop.{library}.log"
        status = programs[name]["status"] if name in programs else None
        text = log.read_text() if log.exists() else ""
        missing = library != "driver" and status == 77 and programs[name]["skipped"]
        if not missing and (status != 0 or programs[name]["cases"] == 0 or
                            f"[==========] {programs[name]['cases']} tests" not in text):
            yield f"{name}: status {status}; its log ends: {text[-200:]}"


def problems(pack, results):
    said = json.loads((results / "results.json").read_text())
    programs = {program["name"]: program for program in said["programs"]}
    lists = {prefix: lines(pack / f"{file}.txt")
             for prefix, file in (("assumed.", "assumptions"), ("", "cuda"), ("memcheck.", "memcheck"),
                                  ("racecheck.", "racecheck"), ("synccheck.", "racecheck"))}
    suite = lists[""]
    wanted = [prefix + name for prefix, listed in lists.items() for name, *_ in listed]
    for name in [*wanted, "facts", "bench.entry", "bench.cuda", "bench.driver"]:
        if name not in programs:
            yield f"{name} did not run"
        elif programs[name]["status"] != 0:
            yield f"{name} failed"
        if not (results / f"{name}.log").exists():
            yield f"{name} has no log"
    for prefix, listed in lists.items():
        for name, program, *arguments in listed:
            if program.endswith("_test") and prefix + name in programs:
                yield from miscounted(pack, programs[prefix + name], program, arguments, results / f"{prefix}{name}.log")
    yield from interoperation(programs, results)
    tests = {f"{pathlib.Path(program).name}.cpp" for name, program, *_ in suite
             if program.endswith("_test") and programs.get(name, {}).get("cases")}
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
    if not any("driver" in figure and figure["name"].endswith(" alive") for figure in said["figures"]):
        yield "the benchmark of allocators in Python has no figures"
    if not any("two copies" in name for name in figures):
        yield "there is no figure for work that overlaps"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    pack, results = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    found = list(problems(pack, results))
    for problem in found:
        print(problem)
    if found:
        sys.exit(1)
    counts = [len(lines(pack / f"{file}.txt")) for file in ("cuda", "memcheck", "assumptions")]
    programs = {program["name"]: program for program in json.loads((results / "results.json").read_text())["programs"]}
    suite = [programs[name] for name, program, *_ in lines(pack / "cuda.txt") if program.endswith("_test")]
    passed, left_out = sum(row["cases"] for row in suite), sum(map(skipped, suite))
    print(f"the pack works: {counts[0]} programs, {counts[1]} of them twice, tests of assumptions in {counts[2]}, and the "
          f"benchmarks; of the suite's {passed + left_out} tests {passed} passed, and {left_out} skipped themselves")


if __name__ == "__main__":
    main()
