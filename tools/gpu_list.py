#!/usr/bin/env python3
"""Copies the programs and scripts of ctest's list on standard input into the pack, and prints a line for each test: name,
path in the pack, arguments, separated by tabs. An argument that is a program or a script is copied, too.

usage: gpu_list.py BUILD PACK
"""

import json
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def packed(word, build, pack):
    """The path in the pack of a program of the build, or of a script of this tree, which is copied. None: no such file."""
    file = pathlib.Path(word)
    if file.is_relative_to(build) and not file.is_file():
        sys.exit(f"{file} is not built")
    if not file.is_absolute() or not file.is_file():
        return None
    if not file.resolve().is_relative_to(build) and not (file.suffix == ".sh" and file.resolve().is_relative_to(ROOT)):
        return None
    folder = "samples" if file.parent.name == "samples" and file.suffix != ".sh" else "tests"
    shutil.copy2(file.resolve(), pack / folder / file.name)
    return f"{folder}/{file.name}"


def main():
    build, pack = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    for test in json.load(sys.stdin)["tests"]:
        # A script names its interpreter itself.
        command = test["command"][1:] if pathlib.Path(test["command"][0]).name == "bash" else test["command"]
        program = packed(command[0], build, pack)
        if program is None:
            sys.exit(f"{test['name']} runs {command[0]}, which is not a program of this build: it cannot be packed")
        words = [packed(word, build, pack) or word for word in command[1:]]
        print("\t".join([test["name"].removeprefix("cuda."), program, *words]))


if __name__ == "__main__":
    main()
