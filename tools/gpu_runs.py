#!/usr/bin/env python3
"""Writes the table of runs on cards in docs/gpu/README.md from the JSON files of that folder.

usage: gpu_runs.py [--check]    --check: writes nothing, fails if the table is not current
"""

import json
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "docs/gpu"
PAGE = FOLDER / "README.md"
BEGIN, END = "<!-- runs: tools/gpu_runs.py -->\n", "<!-- end of runs -->\n"
HEAD = ("| run | card, driver | date | commit | programs | passed | failed | stopped before they ended | "
        "cases that passed |\n|---|---|---|---|---|---|---|---|---|\n")


def row(path):
    run = json.loads(path.read_text())
    commit = re.search(r"commit (\w{8})", run["about"])[1]
    programs = run["programs"]
    passed = [one for one in programs if one["status"] == 0]
    stopped = sum(one["hangs"] for one in programs)
    return (f"| [{path.name}]({path.name}) | {run['card']}, {run['driver']} | {run['date']} | {commit} | {len(programs)} "
            f"| {len(passed)} | {len(programs) - len(passed) - stopped} | {stopped} "
            f"| {sum(one['cases'] for one in passed)} |\n")


def main():
    page = PAGE.read_text()
    table = HEAD + "".join(row(path) for path in sorted(FOLDER.glob("*.json")))
    head, rest = page.split(BEGIN)
    present = f"{head}{BEGIN}{table}{END}{rest.split(END)[1]}"
    if sys.argv[1:] == ["--check"]:
        if page != present:
            sys.exit("docs/gpu/README.md: the table of runs is not current: tools/gpu_runs.py writes it")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        PAGE.write_text(present)


if __name__ == "__main__":
    main()
