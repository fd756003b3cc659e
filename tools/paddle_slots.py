#!/usr/bin/env python3
"""The table of callback slots, integrations/paddle/src/base/slots.inc.

    paddle_slots.py write VERSION=INCLUDE_DIR...    writes the table for these releases
    paddle_slots.py check VERSION INCLUDE_DIR       compares a release's column with its header

INCLUDE_DIR is the folder `paddle/include` of a wheel. Names come from the text of the header, offsets
from the compiler. Releases with the same table share a column, which has the name of the last of them.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

TABLE = pathlib.Path(__file__).resolve().parent.parent / "integrations/paddle/src/base/slots.inc"
HEADER = "paddle/phi/backends/device_ext.h"


# Paddle 3.0 passes no device to these; without a device they have another name in the table.
NEED_DEVICE = ("get_compute_capability", "get_runtime_version", "get_driver_version")


def names(include):
    """The members of C_DeviceInterface that are callbacks, in the header's order: (member, name in the table)."""
    text = (pathlib.Path(include) / HEADER).read_text()
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    body = re.search(r"struct C_DeviceInterface \{(.*?)\n\};", text, flags=re.S).group(1)
    found = re.findall(r"C_Status\s*\(\s*\*\s*(\w+)\s*\)\s*\(([^)]*)\)", body)
    return [(name, name + "_of_current" if name in NEED_DEVICE and "C_Device" not in parameters else name)
            for name, parameters in found]


def layout(include):
    """(size of the table, size of the parameters, {slot: offset}) of a release."""
    found = names(include)
    if not found:
        sys.exit(f"paddle_slots: no callback found in {include}/{HEADER}")
    lines = [f'    std::printf("{name} %zu\\n", offsetof(C_DeviceInterface, {member}));' for member, name in found]
    program = "\n".join([
        "#include <cstdio>", f"#include <{HEADER}>", "int main() {",
        '    std::printf("%zu %zu\\n", sizeof(C_DeviceInterface), sizeof(CustomRuntimeParams));',
        *lines, "}", ""])
    with tempfile.TemporaryDirectory() as folder:
        source, binary = pathlib.Path(folder, "offsets.cpp"), pathlib.Path(folder, "offsets")
        source.write_text(program)
        subprocess.run(["g++", "-std=c++17", f"-I{include}", "-o", binary, source], check=True)
        out = subprocess.run([binary], check=True, capture_output=True, text=True).stdout.splitlines()
    size, params = map(int, out[0].split())
    return size, params, {name: int(offset) for name, offset in (line.split() for line in out[1:])}


def key(version):
    return [int(part) for part in version.split(".")]


def write(releases):
    """`releases`: {version: include folder}."""
    columns = {}  # the layout as a hashable value -> the versions that have it
    for version in sorted(releases, key=key):
        size, params, slots = layout(releases[version])
        columns.setdefault((size, params, tuple(slots.items())), []).append(version)
    sizes = [size for size, _, _ in columns]
    if len(set(sizes)) != len(sizes):
        sys.exit(f"paddle_slots: two tables of one size ({sizes}): the size does not distinguish them")
    order = []  # newest first, so that a slot that an older release lacks stays in its place
    for _, _, slots in reversed(columns):
        order += [name for name, _ in slots if name not in order]
    text = [
        "// Written by tools/paddle_slots.py; do not edit. Where each callback has its slot in the table that",
        "// Paddle hands to a plug-in: bytes from its start, 0 where a release has no such slot.",
        "//",
        "// PORTACL_PADDLE_RELEASE(column, releases, size of the table, size of CustomRuntimeParams)",
        "// PORTACL_PADDLE_SLOT(callback, a column for each release)",
        "// clang-format off",
    ]
    for column, ((size, params, _), versions) in enumerate(columns.items()):
        text.append(f'PORTACL_PADDLE_RELEASE({column}, "{" ".join(versions)}", {size}, {params})')
    for name in order:
        offsets = [dict(slots).get(name, 0) for _, _, slots in columns]
        text.append(f"PORTACL_PADDLE_SLOT({name}, {', '.join(map(str, offsets))})")
    TABLE.write_text("\n".join(text) + "\n")
    print(f"paddle_slots: {TABLE.name}: {len(order)} callbacks, {len(columns)} layouts")


def check(version, include):
    text = TABLE.read_text()
    column = None
    for number, versions, size, params in re.findall(
            r'PORTACL_PADDLE_RELEASE\((\d+), "([^"]*)", (\d+), (\d+)\)', text):
        if version in versions.split():
            column, sizes = int(number), (int(size), int(params))
    if column is None:
        sys.exit(f"paddle_slots: {TABLE.name} has no column for {version}; "
                 f"add one: paddle_slots.py write ... {version}={include}")
    table = {}
    for name, offsets in re.findall(r"PORTACL_PADDLE_SLOT\((\w+), ([\d, ]+)\)", text):
        offset = int(offsets.split(", ")[column])
        if offset:
            table[name] = offset
    size, params, slots = layout(include)
    if (size, params) != sizes or slots != table:
        wrong = sorted(set(slots.items()) ^ set(table.items()))
        sys.exit(f"paddle_slots: Paddle {version} has another table: {sizes} and {(size, params)}, {wrong}")
    print(f"paddle_slots: the {len(slots)} slots of Paddle {version} are where the table says")


if __name__ == "__main__":
    if len(sys.argv) >= 3 and sys.argv[1] == "write":
        write(dict(argument.split("=", 1) for argument in sys.argv[2:]))
    elif len(sys.argv) == 4 and sys.argv[1] == "check":
        check(sys.argv[2], sys.argv[3])
    else:
        sys.exit(__doc__)
