#!/usr/bin/env python3
"""Instructions that one shared library executed, from callgrind's files of all threads: those of the program's first
thread, and all.

usage: count_instructions.py LIBRARY FILE...
"""

import re
import sys


def count(library, path):
    """Sums the costs of lines under `ob=...LIBRARY`, without the functions that it calls."""
    names, current, total, inclusive = {}, "", 0, False
    for line in open(path, encoding="utf-8"):
        # A name is written where its number is used first, possibly in the line of a called object.
        if match := re.match(r"(c?)ob=\((\d+)\)(?: (.*))?", line):
            called, number, name = match.groups()
            if name:
                names[number] = name.strip()
            if not called:
                current = names[number]
        elif line.startswith("calls="):
            # The next line is the cost of the called function.
            inclusive = True
        elif re.match(r"[+\-*\d]", line):
            if not inclusive and library in current:
                total += int(line.split()[1])
            inclusive = False
    return total


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    counts = {path: count(sys.argv[1], path) for path in sys.argv[2:]}
    # callgrind numbers threads in the order in which they begin.
    first = sum(instructions for path, instructions in counts.items() if path.endswith("-01"))
    print(first, sum(counts.values()))


if __name__ == "__main__":
    main()
