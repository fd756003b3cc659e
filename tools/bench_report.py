#!/usr/bin/env python3
"""Writes docs/benchmarks.md to standard output from what ./dev bench measured.

usage: bench_report.py DIRECTORY
"""

import datetime
import json
import os
import pathlib
import subprocess
import sys

# Goals in bytes; where there is none, the row only informs.
SIZES = [
    ("libportacl.a", "the archive, stripped", 1_500_000),
    ("small_program", "a small C++ program with the library inside, stripped", 700_000),
    ("libportacl.so", "the shared library, stripped", None),
    ("rust_floor", "for comparison: a C++ program with one Rust function that catches panics and starts a thread", None),
]


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def machine():
    facts = dict(
        line.split(":", 1) for line in pathlib.Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines()
        if ":" in line)
    model = next((value.strip() for key, value in facts.items() if key.strip() == "model name"), os.uname().machine)
    return f"{model}, {os.cpu_count()} CPUs, Linux {os.uname().release.split('-')[0]}, {output('rustc', '--version').rsplit(' (', 1)[0]}"


def main():
    work = pathlib.Path(sys.argv[1])
    rows = json.loads((work / "entry.json").read_text())
    empty = next(row["ns"] for row in rows if row["name"] == "empty call")
    commit = output("git", "rev-parse", "--short", "HEAD")
    changed = " with local changes" if output("git", "status", "--porcelain", "--untracked-files=no") else ""
    load = os.getloadavg()[0]

    print("# Benchmarks\n")
    print("Written by `./dev bench`; do not edit. Quote ratios: absolute times move with the machine and its load.\n")
    print(f"{datetime.date.today()}, commit {commit}{changed}. {machine()}, load {load:.1f} at the end.\n")
    print("## Cost of a call\n")
    print("Medians of 41 rounds of 500,000 calls, in turns with an empty `extern \"C\"` call into another shared library.\n")
    print("| call | ns | above the empty call | ratio |")
    print("|---|---|---|---|")
    for row in rows:
        print(f"| `{row['name']}` | {row['ns']:.1f} | {row['ns'] - empty:+.1f} | {row['ns'] / empty:.2f} |")
    print("\n## Size\n")
    print("| what | bytes | goal |")
    print("|---|---|---|")
    for name, what, goal in SIZES:
        size = (work / name).stat().st_size
        verdict = "" if goal is None else f"{goal:,}: {'met' if size <= goal else f'missed by {size - goal:,}'}"
        print(f"| {what} | {size:,} | {verdict} |")
    print("\nThe program has both backends whole, since it chooses when it starts, and Rust's standard library with what "
          "turns a panic into a text. Compiling for size makes it smaller, and 16-bit reductions and "
          "small copies clearly slower; it was not kept.")


if __name__ == "__main__":
    main()
