#!/usr/bin/env python3
"""Which functions of the Ascend libraries the releases of torch_npu link, and which of these they call.

usage: torch_needs.py write WHEEL...          writes integrations/companions/needs.tsv from wheels of torch_npu
       torch_needs.py check FOLDER [WHEEL...] compares it with the libraries in FOLDER, and with the wheels
       torch_needs.py calls BUILD             writes its last column: the releases whose tests in BUILD call the function
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

TABLE = pathlib.Path(__file__).resolve().parent.parent / "integrations/companions/needs.tsv"
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


def read():
    """{function: (releases that link it, releases that call it)}"""
    rows = {}
    for line in TABLE.read_text().splitlines()[1:]:
        name, linking, calling = line.split("\t")
        rows[name] = linking.split(), calling.split()
    return rows


def save(rows):
    lines = [f"{name}\t{' '.join(linking)}\t{' '.join(calling)}\n" for name, (linking, calling) in sorted(rows.items())]
    TABLE.write_text("function\treleases of torch_npu that link it\treleases whose tests call it\n" + "".join(lines))


def write(wheels):
    before, releases = read(), collections.defaultdict(list)
    for wheel in wheels:
        for name in needs_of(wheel):
            releases[name].append(release_of(wheel))
    save({name: (linking, before.get(name, ([], []))[1]) for name, linking in releases.items()})


def check(folder, wheels):
    rows = read()
    there = set().union(*(symbols(path, "--defined-only") for path in pathlib.Path(folder).glob("lib*.so*")))
    missing = sorted(set(rows) - there)
    assert not missing, f"no library in {folder} has {', '.join(missing)}"
    for wheel in wheels:
        listed = {name for name, (linking, _) in rows.items() if release_of(wheel) in linking}
        differ = sorted(listed ^ needs_of(wheel))
        assert not differ, f"integrations/companions/needs.tsv and {wheel} differ: {', '.join(differ)}"
    print(f"{len(rows)} functions are there, {len(wheels)} wheels compared")


# These link torch, which is not there yet when the recorder is loaded.
WITH_TORCH = ("libopapi.so", "libnnopbase.so", "libportacl_c10d.so")
# Before the real functions in every process: notes which are called. The libraries are linked, so that dlsym finds them.
RECORDER = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
static const char* const names[] = {%(names)s};
enum { COUNT = sizeof names / sizeof *names };
__attribute__((visibility("hidden"))) char recorder_called[COUNT];
__attribute__((visibility("hidden"))) void* recorder_real[COUNT];
%(entries)s
__attribute__((constructor)) static void begin(void) {
    for (int i = 0; i < COUNT; ++i) recorder_real[i] = dlsym(RTLD_NEXT, names[i]);
}
__attribute__((destructor)) static void end(void) {
    FILE* const file = fopen(getenv("RECORDER_FILE"), "a");
    for (int i = 0; i < COUNT; ++i)
        if (recorder_called[i]) fprintf(file, "%%s\\n", names[i]);
    fclose(file);
}
"""
ENTRY = '__asm__(".globl {0}\\n.type {0}, @function\\n{0}: movb $1, recorder_called+{1}(%rip)\\njmp *recorder_real+8*{1}(%rip)\\n");'


def calls(build):
    """Runs the tests of each release with the recorder."""
    rows = read()
    names = sorted(rows)
    folder = build / "recorder"
    folder.mkdir(exist_ok=True)
    source, library, called = folder / "recorder.c", folder / "recorder.so", folder / "called"
    entries = "\n".join(ENTRY.format(name, number) for number, name in enumerate(names))
    source.write_text(RECORDER % {"names": ", ".join(f'"{name}"' for name in names), "entries": entries})
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-Wl,--no-as-needed,-rpath," + str(build / "ascend"),
                    *(path for path in sorted((build / "ascend").glob("lib*.so")) if path.name not in WITH_TORCH)], check=True)
    listed = subprocess.run(["ctest", "--test-dir", build, "-L", "^torch$", "--show-only=json-v1"], check=True,
                            capture_output=True, text=True).stdout
    tests = {test["name"] for test in json.loads(listed)["tests"]}
    found = collections.defaultdict(list)
    for release in max((linking for linking, _ in rows.values()), key=len):
        # With the pinned release operators run, too.
        is_other = f"torch.plain.{release}" in tests
        pattern = rf"^torch\.plain\.{re.escape(release)}$" if is_other else r"^torch\.((mlp|features)\.default|error\.)"
        called.unlink(missing_ok=True)
        subprocess.run(["ctest", "--test-dir", build, "-R", pattern, "--no-tests=error", "--output-on-failure"], check=True,
                       env={**os.environ, "LD_PRELOAD": str(library), "RECORDER_FILE": str(called)})
        for name in sorted(set(called.read_text().split())):
            if release in rows[name][0]:  # Otherwise it is libopapi that calls it.
                found[name].append(release)
    save({name: (linking, found[name]) for name, (linking, _) in rows.items()})
    print(f"of {len(rows)} functions the tests call {len(found)}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["write"]:
        write(sys.argv[2:])
    elif sys.argv[1:2] == ["check"] and len(sys.argv) > 2:
        check(sys.argv[2], sys.argv[3:])
    elif sys.argv[1:2] == ["calls"] and len(sys.argv) == 3:
        calls(pathlib.Path(sys.argv[2]).resolve())
    else:
        sys.exit(__doc__)
