#!/usr/bin/env python3
"""one_definition.py OBJECT...: fails if two objects of a program define the same function of tests differently.

The sources of a folder are one program, and the linker silently keeps one of two functions with the same name, which
headers of different tests define. Objects of a program are in one folder.
"""

import collections
import pathlib
import struct
import subprocess
import sys


def sections(path):
    """The name and the bytes of each section of a 64-bit ELF object."""
    data = path.read_bytes()
    (table,) = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    if count == 0:
        # More sections than the header can count: the first section has the numbers.
        count, names = struct.unpack_from("<Q", data, table + 0x20)[0], struct.unpack_from("<I", data, table + 0x28)[0]
    headers = [struct.unpack_from("<IIQQQQ", data, table + size * at) for at in range(count)]
    text = headers[names][4]
    for name, _, _, _, offset, length in headers:
        begin = text + name
        yield data[begin : data.index(b"\0", begin)].decode(), data[offset : offset + length]


def main():
    programs = collections.defaultdict(lambda: collections.defaultdict(dict))
    for path in map(pathlib.Path, sys.argv[1:]):
        for name, code in sections(path):
            if name.startswith(".text._Z") and "portacl_test" in name:
                programs[path.parent][name.removeprefix(".text.")].setdefault(code, path.name)
    wrong = 0
    for program in programs.values():
        for name, found in program.items():
            if len(found) > 1:
                wrong += 1
                readable = subprocess.run(["c++filt", name], check=True, capture_output=True, text=True).stdout.strip()
                print(f"{readable} differs between {' and '.join(found.values())}: rename one of them")
    functions = sum(map(len, programs.values()))
    print(f"{functions} functions in {len(sys.argv) - 1} objects, {wrong} with two definitions")
    sys.exit(1 if wrong or not functions else 0)


if __name__ == "__main__":
    main()
