#!/usr/bin/env python3
"""Copies the programs of ctest's list on standard input into the pack, and prints a line for each: name, path in the
pack, arguments, separated by tabs.

usage: gpu_list.py BUILD PACK
"""

import json
import pathlib
import shutil
import sys


def main():
    build, pack = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    for test in json.load(sys.stdin)["tests"]:
        program = pathlib.Path(test["command"][0]).resolve()
        if not program.is_relative_to(build):
            sys.exit(f"{test['name']} runs {program}, which is not a program of this build: it cannot be packed")
        folder = "samples" if program.parent.name == "samples" else "tests"
        shutil.copy2(program, pack / folder / program.name)
        print("\t".join([test["name"].removeprefix("cuda."), f"{folder}/{program.name}", *test["command"][1:]]))


if __name__ == "__main__":
    main()
