#!/usr/bin/env python3
"""Checks the results of a pack's run: every program of its lists passed and is in the JSON, which contains what
docs/api.md needs.

usage: gpu_check.py PACK RESULTS
"""

import json
import pathlib
import re
import sys


def names(path):
    """The names and programs of a list of the pack."""
    return [line.split("\t")[:2] for line in path.read_text().splitlines()]


def miscounted(program, log):
    """Whether the row of a program lacks tests that its log says it ran and did not skip. Tests that run in a process of
    their own print lines before: the last ones are the program's."""
    text = log.read_text(errors="replace")
    ran, skipped = ([0, *map(int, re.findall(pattern, text, re.MULTILINE))][-1]
                    for pattern in (r"^\[=+\] (\d+) tests? from .* ran", r"^\[  SKIPPED \] (\d+) test"))
    if not ran or program["cases"] < ran - skipped:
        yield f"{program['name']}: {program['cases']} tests are counted, {ran} ran, {skipped} of them skipped"


def interoperation(programs, results):
    """The bare driver is on every such machine. PyTorch and CuPy may be missing: then the log says why."""
    for library in "driver", "torch", "cupy":
        name, log = f"interop.{library}", results / f"interop.{library}.log"
        status = programs[name]["status"] if name in programs else None
        text = log.read_text() if log.exists() else ""
        skipped = library != "driver" and status == 77 and text.startswith("skipped: ")
        if not skipped and (status != 0 or programs[name]["cases"] == 0 or
                            f"[==========] {programs[name]['cases']} tests" not in text):
            yield f"{name}: status {status}; its log ends: {text[-200:]}"


def problems(pack, results):
    said = json.loads((results / "results.json").read_text())
    programs = {program["name"]: program for program in said["programs"]}
    lists = {prefix: names(pack / f"{file}.txt")
             for prefix, file in (("assumed.", "assumptions"), ("", "cuda"), ("memcheck.", "memcheck"),
                                  ("racecheck.", "racecheck"), ("synccheck.", "racecheck"))}
    suite = lists[""]
    wanted = [prefix + name for prefix, programs in lists.items() for name, _ in programs]
    for name in [*wanted, "bench.entry", "bench.cuda"]:
        if name not in programs:
            yield f"{name} did not run"
        elif programs[name]["status"] != 0:
            yield f"{name} failed"
        if not (results / f"{name}.log").exists():
            yield f"{name} has no log"
    for prefix, listed in lists.items():
        for name, program in listed:
            if program.endswith("_test") and prefix + name in programs:
                yield from miscounted(programs[prefix + name], results / f"{prefix}{name}.log")
    yield from interoperation(programs, results)
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
    counts = [len(names(pack / f"{file}.txt")) for file in ("cuda", "memcheck", "assumptions")]
    print(f"the pack works: {counts[0]} programs, {counts[1]} of them twice, tests of assumptions in {counts[2]}, and the "
          "benchmarks")


if __name__ == "__main__":
    main()
