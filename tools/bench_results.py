"""The results of ./dev bench, read from the programs' files; goals as tables; and sections of the report that can be
written separately."""

import contextlib
import io
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
from dataclasses import dataclass
from typing import Callable


def number(nanoseconds):
    for limit, unit in ((1e3, "ns"), (1e6, "us"), (1e9, "ms")):
        if nanoseconds < limit:
            scale = {"ns": 1, "us": 1e3, "ms": 1e6}[unit]
            return f"{nanoseconds / scale:.3g} {unit}"
    return f"{nanoseconds / 1e9:.3g} s"


class Results:
    """The results of one program: name (or name and point of a series) -> one value per launch."""

    def __init__(self, work, program):
        self.program = program
        self.values = {}
        files = sorted(work.glob(f"{program}.*.json"))
        if not files:
            sys.exit(f"{work}: no results of {program}")
        for file in files:
            for line in file.read_text().splitlines():
                row = json.loads(line)
                self.values.setdefault((row["name"], row.get("at")), []).append(row["value"])

    def __call__(self, name, at=None):
        return self.values[(name, at)]

    def series(self, name):
        """Point -> median, in order."""
        found = {key[1]: statistics.median(values) for key, values in self.values.items() if key[0] == name}
        return dict(sorted(found.items()))


@dataclass
class Goal:
    """`ours` divided by `theirs`, launch by launch, must be at most `limit`."""

    what: str
    peer: str
    limit: float
    ours: list
    theirs: list
    words: str = ""
    # How to write a value of either.
    show: Callable = number


def print_goals(goals, reasons):
    print("| what | portacl | beside | its time | ratio | goal | |")
    print("|---|---|---|---|---|---|---|")
    missed, last = [], ""
    for goal in goals:
        ratio = statistics.median(a / b for a, b in zip(goal.ours, goal.theirs))
        last = goal.what or last
        met = ratio <= goal.limit
        if not met:
            missed.append(last)
        words = f" ({goal.words})" if goal.words else ""
        print(f"| {goal.what} | {goal.show(statistics.median(goal.ours))} | {goal.peer} | {goal.show(statistics.median(goal.theirs))} "
              f"| {ratio:.3g} | at most {goal.limit:.3g}{words} | {'met' if met else 'missed'} |")
    print()
    for what in dict.fromkeys(missed):
        if what in reasons:
            print(f"- Missed: {what}. {reasons[what]}")
    print()


def commit():
    def git(*arguments):
        return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout.strip()

    # Another section of the report may have been written already.
    changes = git("status", "--porcelain", "--untracked-files=no", "--", ":/", ":!/docs")
    changed = " with local changes" if changes else ""
    return git("rev-parse", "--short", "HEAD") + changed


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def machine():
    facts = dict(
        line.split(":", 1) for line in pathlib.Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines()
        if ":" in line)
    model = next((value.strip() for key, value in facts.items() if key.strip() == "model name"), os.uname().machine)
    return f"{model}, {os.cpu_count()} CPUs, Linux {os.uname().release.split('-')[0]}, {output('rustc', '--version').rsplit(' (', 1)[0]}"


def section(document, title):
    """The text from this heading up to the next heading of its level."""
    found = re.findall(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", document.read_text(), flags=re.DOTALL | re.MULTILINE)
    if len(found) != 1:
        sys.exit(f"{document} has {len(found)} sections called {title}")
    return found[0]


def write_section(document, title, print_section):
    """Replaces the text below this heading, up to the next heading of its level."""
    written = io.StringIO()
    with contextlib.redirect_stdout(written):
        print(f"## {title}\n")
        print_section()
    document.write_text(document.read_text().replace(section(document, title), written.getvalue()))
