#!/usr/bin/env python3
"""unit.py UNIT SOURCE...: writes UNIT, which compiles several tests of cpp_tests at once.

Most of a compilation is templates of GoogleTest and of the standard library, which the sources of a unit share. Each
source gets a namespace of its own, so equal names of their helpers are different functions; headers come before.
"""

import pathlib
import re
import sys


def main():
    unit, *sources = map(pathlib.Path, sys.argv[1:])
    headers, bodies = {}, []
    for source in sources:
        for header in re.findall(r"^#include [<\"].*[>\"]", source.read_text(), re.MULTILINE):
            headers[header] = None
        bodies.append(f"namespace {source.stem} {{\n#include \"{source}\"\n}}\n")
    unit.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join([*headers, "", *bodies])
    if not unit.exists() or unit.read_text() != text:
        unit.write_text(text)


if __name__ == "__main__":
    main()
