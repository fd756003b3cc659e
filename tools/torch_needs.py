#!/usr/bin/env python3
"""Which functions of the Ascend libraries the releases of torch_npu link.

usage: torch_needs.py write WHEEL...          writes companions/needs.tsv from wheels of torch_npu
       torch_needs.py check FOLDER [WHEEL...] compares it with the libraries in FOLDER, and with the wheels
"""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

TABLE = pathlib.Path(__file__).resolve().parent.parent / "companions/needs.tsv"
# The families of the functions: those of other libraries begin otherwise.
FAMILY = re.compile(r"^(acl[a-z]*[A-Z]|Hccl[A-Z]|rt[A-Z]|Msprof[A-Z]|Adx[A-Z]|Tensor[A-Z])\w*$")
LIBRARIES = re.compile(r"torch_npu/(lib/lib\w+\.so|_C.*\.so)$")


def symbols(path, which):
    output = subprocess.run(["nm", "-D", which, str(path)], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1].split("@")[0] for line in output.splitlines()}


def release_of(wheel):
    return pathlib.Path(wheel).name.split("-")[1]


def needs_of(wheel):
    """The functions that the libraries of a wheel link and do not define."""
    wanted, defined = set(), set()
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if LIBRARIES.search(name):
                path = archive.extract(name, folder)
                wanted |= symbols(path, "--undefined-only")
                defined |= symbols(path, "--defined-only")
    return {name for name in wanted - defined if FAMILY.match(name)}


def write(wheels):
    releases = collections.defaultdict(list)
    for wheel in wheels:
        for name in needs_of(wheel):
            releases[name].append(release_of(wheel))
    rows = [f"{name}\t{' '.join(releases[name])}\n" for name in sorted(releases)]
    TABLE.write_text("function\treleases of torch_npu that link it\n" + "".join(rows))


def check(folder, wheels):
    rows = dict(line.split("\t") for line in TABLE.read_text().splitlines()[1:])
    there = set().union(*(symbols(path, "--defined-only") for path in pathlib.Path(folder).glob("lib*.so*")))
    missing = sorted(set(rows) - there)
    assert not missing, f"no library in {folder} has {', '.join(missing)}"
    for wheel in wheels:
        listed = {name for name, releases in rows.items() if release_of(wheel) in releases.split()}
        differ = sorted(listed ^ needs_of(wheel))
        assert not differ, f"companions/needs.tsv and {wheel} differ: {', '.join(differ)}"
    print(f"{len(rows)} functions are there, {len(wheels)} wheels compared")


if __name__ == "__main__":
    if sys.argv[1:2] == ["write"]:
        write(sys.argv[2:])
    elif sys.argv[1:2] == ["check"] and len(sys.argv) > 2:
        check(sys.argv[2], sys.argv[3:])
    else:
        sys.exit(__doc__)
