#!/usr/bin/env python3
"""./dev bench compare COMMIT [LAUNCHES]: measures the library of an earlier commit beside the present one.

The present benchmark programs run with each library in turns, LAUNCHES times (5 by default). Prints the medians and
the ratio (present by earlier; all values are times or sizes) as Markdown, the largest ratio first, and writes the same
to build/bench/compare/SHA.md. A ratio above 1.05 needs a reason in tools/bench_reasons.tsv that allows as much; the
command fails if one has none, after the benchmarks of such rows have run 2 * LAUNCHES times more. Then the least value of
each library counts, because load only adds time. A benchmark that was not built, because its peer is not installed, is
left out. If docs/benchmarks.md has a section for the commit, the large ratios and the instructions are written there, too.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

from bench_results import commit as present_commit, machine, number, write_section

TOP = pathlib.Path(__file__).resolve().parent.parent
WORK = TOP / "build/bench/compare"
PROGRAMS = TOP / "build/release/benches"
CPU = {"PORTACL_BACKEND": "cpu"}
LARGE_CPU = CPU | {"PORTACL_CPU_MEMORY": "1T"}
LAUNCHES = {
    "entry": ([], CPU),
    "streams": ([], CPU),
    "memory": ([], CPU),
    "graph": ([], CPU),
    "ipc": ([], CPU),
    "trace": ([], CPU),
    "kernel": ([], CPU),
    "mem_pool": ([], LARGE_CPU),
    "replay": (["benches/data/training_loop.jsonl"], LARGE_CPU),
}
# A larger ratio needs a reason.
MOST = 1.05
REASONS = TOP / "tools/bench_reasons.tsv"
DOCUMENT = TOP / "docs/benchmarks.md"
# Code that is no part of the library.
PEER = re.compile(r"^(oneTBB|caching|coalescing|jemalloc)\b|, plain memory$|\bbare driver\b|: empty call$")


def run(*command, **more):
    return subprocess.run(command, cwd=TOP, check=True, text=True, **more)


def build(commit):
    """The folder of the commit's shared library, built with the commit's own build files."""
    sources = WORK / commit
    if not sources.exists():
        sources.mkdir(parents=True)
        archive = subprocess.Popen(["git", "archive", commit], cwd=TOP, stdout=subprocess.PIPE)
        run("tar", "-x", "-C", sources, stdin=archive.stdout)
        if archive.wait() != 0:
            sys.exit(f"bench compare: git archive {commit} failed")
    log = WORK / f"{commit}.configure.log"
    with open(log, "w", encoding="utf-8") as out:
        run("cmake", "-S", sources, "-B", sources / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
            "-DPORTACL_BUILD_BENCHES=ON", stdout=out, stderr=subprocess.STDOUT)
    run("cmake", "--build", sources / "build", "--target", "bench_entry")
    return folder_of(sources / "build")


def folder_of(build_folder):
    libraries = sorted(build_folder.glob("lib/libportacl.so.0")) or sorted(build_folder.rglob("libportacl.so.0"))
    if not libraries:
        sys.exit(f"bench compare: {build_folder} has no libportacl.so.0")
    return libraries[0].parent


def measure(program, library):
    """(program, name, point) -> value of one launch with this library."""
    arguments, variables = LAUNCHES[program]
    paths = [str(library), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    environment = os.environ | variables | {"LD_LIBRARY_PATH": ":".join(paths)}
    output = run(PROGRAMS / f"bench_{program}", *arguments, env=environment, stdout=subprocess.PIPE).stdout
    rows = map(json.loads, output.splitlines())
    return {(program, row["name"], row.get("at")): row for row in rows if row["unit"]}


def launch_all(launches, programs, libraries, values):
    """Adds the values of each launch. Each library is first in turns."""
    for launch in range(launches):
        for program in programs:
            print(f"launch {launch + 1} of {launches}: {program}", file=sys.stderr, flush=True)
            for library, kept in list(zip(libraries, values))[::-1 if launch % 2 else 1]:
                for key, row in measure(program, library).items():
                    kept.setdefault(key, []).append(row["value"])


def instructions(library):
    """The instructions of calls on the test double of CUDA's driver, counted with this library."""
    folder = WORK / "instructions"
    folder.mkdir(parents=True, exist_ok=True)
    run("tools/count_calls.sh", folder.relative_to(TOP), stdout=subprocess.DEVNULL,
        env=os.environ | {"PORTACL_LIBRARY": str(library)})
    rows = map(json.loads, (folder / "instructions.1.json").read_text().splitlines())
    return {row["name"]: row["value"] for row in rows if row.get("at") == "caller"}


def reasons(commit):
    """(benchmark, pattern of the row's name, largest ratio, reason) of an earlier commit, in the order in which they are
    tried."""
    lines = [line.split("\t") for line in REASONS.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return [(program, re.compile(pattern), float(most), why) for earlier, program, pattern, most, why in lines
            if commit.startswith(earlier)]


def reason(known, program, row, ratio):
    """Why the ratio of this row may be above MOST; `None`: nobody knows."""
    if PEER.search(row):
        return "a peer"
    return next((why for of, pattern, most, why in known
                 if of == program and pattern.search(row) and ratio <= most), None)


def compare(old, new, launches):
    """(ratio, earlier, present) of a row's values. The ratio is that of launches in turns; if there are more than
    `launches`, that of the least values."""
    if len(old) > launches:
        return min(new) / min(old), min(old), min(new)
    return statistics.median(b / a for a, b in zip(old, new)), statistics.median(old), statistics.median(new)


def table(known, earlier, present, launches):
    """The rows of the table, those above MOST, a summary, and the benchmark of each row that needs a reason; `earlier`
    and `present` have (program, name, point) -> [value]."""
    rows = []
    for key in earlier.keys() & present.keys():
        if min(earlier[key]) > 0:
            ratio, old, new = compare(earlier[key], present[key], launches)
            rows.append((ratio, key, old, new))
    rows.sort(key=lambda row: (-row[0], row[1][:2]))
    lines, unknown = [], []
    for ratio, (program, name, at), old, new in rows:
        point = "" if at is None else f", {at}"
        words = reason(known, program, name + point, ratio) if ratio > MOST else ""
        unknown += [program] if words is None else []
        lines.append(f"| {program} | {name}{point} | {number(old)} | {number(new)} | {ratio:.3f} | "
                     f"{'needs a reason' if words is None else words} |")
    large = sum(row[0] > MOST for row in rows)
    summary = (f"{large} of {len(rows)} ratios are above {MOST}, {len(unknown)} of them without a known reason; the median "
               f"ratio is {statistics.median(row[0] for row in rows):.3f}.")
    return lines, lines[:large], summary, unknown


def instruction_table(old, new):
    yield "| call, instructions on the calling thread | earlier | present | ratio |"
    yield "|---|---|---|---|"
    for name in old:
        yield f"| {name} | {old[name]} | {new[name]} | {new[name] / old[name]:.3f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit")
    parser.add_argument("launches", nargs="?", type=int, default=5)
    arguments = parser.parse_args()
    commit = run("git", "rev-parse", "--short", "--verify", arguments.commit + "^{commit}",
                 stdout=subprocess.PIPE).stdout.strip()
    # Read first: a line that is wrong ends the run before anything is measured.
    known = reasons(commit)
    libraries = [build(commit), folder_of(TOP / "build/release")]
    programs = [program for program in LAUNCHES if (PROGRAMS / f"bench_{program}").exists()]
    values = [{}, {}]
    launch_all(arguments.launches, programs, libraries, values)
    # The clock of a shared machine changes: what is large without a reason is measured again, twice as often.
    unexplained = table(known, *values, arguments.launches)[3]
    launch_all(2 * arguments.launches, sorted(set(unexplained)), libraries, values)
    print("counting instructions", file=sys.stderr, flush=True)
    counts = [instructions(library) for library in libraries]
    lines, large, summary, unknown = table(known, *values, arguments.launches)
    head = (f"Library of {commit} and the present one, the same programs, in turns; medians of {arguments.launches} "
            "launches, the ratio launch by launch; for a benchmark that was measured again, the least of three times as many.")
    columns = ["| benchmark | what | earlier | present | ratio | |", "|---|---|---|---|---|---|"]
    counted = [*instruction_table(*counts)]
    text = "\n".join([head, "", *columns, *lines, "", summary, "", *counted]) + "\n"
    (WORK / f"{commit}.md").write_text(text)
    print(text, end="")
    title = f"Beside the library of {commit[:7]}"
    if f"\n## {title}\n" in DOCUMENT.read_text(encoding="utf-8"):
        short = "\n".join([f"{head} At commit {present_commit()}, on {machine()}. {summary}", "", *columns, *large, "", *counted])
        write_section(DOCUMENT, title, lambda: print(f"{short}\n"))
    return bool(unknown)


if __name__ == "__main__":
    sys.exit(main())
