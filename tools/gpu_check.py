#!/usr/bin/env python3
"""Checks the results of a pack's run: every test of its suite passed or skipped itself, every program ran, and the archive
has what docs/gpu needs. Prints what the tests that share processes take, and fails if that is more than the goal.

usage: gpu_check.py PACK RESULTS ARCHIVE JOBS
"""

import json
import pathlib
import sys
import tarfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "gpu"))
from results import verdicts

MOST = 16 << 20  # bytes of an archive
# Seconds of the tests that share processes.
GOAL = 240
FINE = ("passed", "skipped")
FIGURES = ("aclrtMemcpyAsync", "aclrtRecordEvent", "aclrtStreamWaitEvent", "aclrtLaunchHostFunc",
           "aclrtLaunchKernelWithArgsArray", "aclrtMemPoolMallocAsync + FreeAsync",
           "aclrtMemPoolMallocAsync + FreeAsync, two lengths by turns", "aclrtMalloc + aclrtFree, 1 MiB",
           "pinned host to device, 64 KiB", "device to pinned host, 64 KiB", "pageable host to device, 64 KiB",
           "device to pageable host, 64 KiB", "portaclMallocAsync + portaclFreeAsync, a training loop")
PROGRAMS = ("facts", "queues", "interop.driver", "interop.torch", "interop.cupy", "bench.entry", "bench.cuda",
            "bench.driver", "bench.torch", "bench.cupy")


def of_tests(rows, suite):
    found = verdicts(rows.values())
    for test in suite:
        case = found.get(test, {"result": "has no result"})
        if case["result"] not in FINE or (case["result"] == "skipped" and not case.get("reason")):
            yield f"{test}: {case['result']}: {case.get('reason', '')}"


def of_programs(pack, rows, results):
    listed = [line.split("\t") for line in (pack / "cuda.txt").read_text().splitlines()]
    others = [name for name, program, *arguments in listed if arguments or not program.endswith("_test")]
    for name in (*PROGRAMS, *others):
        result = rows.get(name, {"result": "did not run"})["result"]
        missing = result == "skipped" and name.endswith((".torch", ".cupy")) and rows[name].get("reason")
        if result != "passed" and not missing:
            yield f"{name}: {result}: {rows.get(name, {}).get('reason', '')}"
    for name, row in rows.items():
        if "tests" in row and "reason" in row:
            yield f"{name}: {row['reason']} after its tests"
    for step, least in ((2, 15), (3, 15), (6, 15)):
        if (count := sum(row["step"] == step for row in rows.values())) < least:
            yield f"step {step} ran {count} programs, not {least} and more"
    answers = [line.split("\t") for line in (results / "queues.log").read_text().splitlines()]
    asked = {answer[0] for answer in answers if len(answer) == 4}
    if not {"share", "writer", "ended", "pool", "fits", "full", "held"} <= asked or "stopped" in asked:
        yield f"the probe of the queues answers {sorted(asked)}"


def of_archive(said, archive):
    if archive.stat().st_size > MOST:
        yield f"{archive.name} has {archive.stat().st_size} bytes, {MOST} are allowed"
    with tarfile.open(archive) as tar:
        names = set(tar.getnames())
    if not {"results.json", "facts.log", "queues.log", "bench.cuda.log"} <= names:
        yield f"{archive.name} lacks logs: {len(names)} files"
    for key in ("about", "card", "driver", "date", "tests", "compute_sanitizer"):
        if not said[key]:
            yield f"{key} is empty"
    figures = {figure["name"] for figure in said["figures"]}
    yield from (f"there is no figure for {name}" for name in FIGURES if name not in figures)
    if not any("two copies" in name for name in figures):
        yield "there is no figure for work that overlaps"


def of_goal(rows, jobs):
    """Prints the time in which at least one of the tests that share processes ran. A card runs more of them at a time, but
    creates one context at a time, so nothing is divided. A fault, if they take too long."""
    inside = [row for name, row in rows.items() if ".inside." in name]
    took, until = 0, 0
    for began, seconds in sorted((row["began"], row["milliseconds"] / 1000) for row in inside):
        took += max(0, began + seconds - max(began, until))
        until = max(until, began + seconds)
    count = sum(len(row["tests"]) for row in inside)
    print(f"the in-process suite: {count} tests in {len(inside)} processes took {took:.0f} s with {jobs} at a time, and with "
          f"the time that a context costs on a card; goal: {GOAL} s")
    if took > GOAL:
        yield f"the in-process suite took {took:.0f} s with {jobs} at a time; the goal is {GOAL} s"


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    pack, results, archive = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
    said = json.loads((results / "results.json").read_text())
    rows = {row["name"]: row for row in said["programs"]}
    suite = [line.split("\t")[2] for line in (pack / "suite.tsv").read_text().splitlines()]
    found = [*of_tests(rows, suite), *of_programs(pack, rows, results), *of_archive(said, archive),
             *of_goal(rows, int(sys.argv[4]))]
    if found:
        sys.exit("\n".join(found))
    results_of = [case["result"] for case in verdicts(rows.values()).values()]
    print(f"the pack works: {len(rows)} programs; of the suite's {len(suite)} tests {results_of.count('passed')} passed, and "
          f"{results_of.count('skipped')} skipped themselves; an archive of {archive.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
