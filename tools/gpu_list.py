#!/usr/bin/env python3
"""Copies the programs and scripts of ctest's list on standard input into the pack, and prints a line for each test: its
name, path in the pack, arguments, separated by tabs. An argument that is a program or a script is copied, too. The most
telling tests come first.

usage: gpu_list.py BUILD PACK
"""

import json
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
# What a short time on a card is for comes first: facts of the device, the seed program, each call once, streams and
# events, pools, graphs, sharing between processes, the rest. A test that matches several counts as the last of them.
VALUE = [re.compile(pattern) for pattern in (
    r"device(_attribute|_info|_limit|_utilization)?$|info$|version$|visibility$|portacl(_info)?$|sys_param$",
    r"sample\.01_",
    r"every_call\.",
    r"stream|event|(cnt_)?notify|native|callback|report|op_timeout$|device_reset_wait$|many_streams$|resource_limit$",
    r"(portacl_)?mem_pool",
    r"graph",
    r"(.*_)?(sharing|ipc|imported)",
)]


def value(test):
    """The place of a test in the order of VALUE."""
    name = test["name"].removeprefix("cuda.")
    return max((place for place, pattern in enumerate(VALUE) if pattern.match(name)), default=len(VALUE))


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
    program = file.resolve()
    if file.is_symlink() and program.parent == file.parent.resolve():
        # A program of the suite has a name for each of its sources.
        (pack / folder / file.name).unlink(missing_ok=True)
        (pack / folder / file.name).symlink_to(program.name)
        shutil.copy2(program, pack / folder / program.name)
    else:
        shutil.copy2(program, pack / folder / file.name)
    return f"{folder}/{file.name}"


def main():
    build, pack = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    for test in sorted(json.load(sys.stdin)["tests"], key=value):
        # A script names its interpreter itself.
        command = test["command"][1:] if pathlib.Path(test["command"][0]).name == "bash" else test["command"]
        program = packed(command[0], build, pack)
        if program is None:
            sys.exit(f"{test['name']} runs {command[0]}, which is not a program of this build: it cannot be packed")
        words = [packed(word, build, pack) or word for word in command[1:]]
        print("\t".join([test["name"].removeprefix("cuda."), program, *words]))


if __name__ == "__main__":
    main()
