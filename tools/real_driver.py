#!/usr/bin/env python3
"""Runs a program on NVIDIA's driver libraries of several releases, on a machine without a GPU.

usage: real_driver.py FOLDER PROGRAM

The libraries come from Debian's component non-free, by an apt configuration in FOLDER alone: they are unpacked there, and
neither installed nor shipped. For each release the library must have each function of src/cuda/base/api.rs, if it
is not newer than the release (NEWER), and the program must end with error 507899 and a text. If no package can be
fetched, the last line is the reason, and the exit status is 77.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
SUITES = ["bullseye", "bookworm", "trixie", "experimental"]
# Functions that drivers have from a release on.
NEWER = {"cuGraphExecUpdate_v2": 525, "cuMemAdvise_v2": 535, "cuMemPrefetchAsync_v2": 535, "cuFuncGetParamInfo": 550,
         "cuMemcpyBatchAsync": 570, "cuCheckpointProcessLock": 570, "cuCheckpointProcessCheckpoint": 570,
         "cuCheckpointProcessRestore": 570, "cuCheckpointProcessUnlock": 570, "cuMemPrefetchBatchAsync": 580,
         "cuDeviceGetHostAtomicCapabilities": 580, "cuDeviceGetP2PAtomicCapabilities": 580}


def functions():
    """The names of each function that the backend uses, in the order of preference."""
    text = (TOP / "src/cuda/base/api.rs").read_text()
    table = text[text.index("driver_functions! {"):]
    table = table[:table.index("\n}")]
    found = re.findall(r"^    \w+\([^;=]*?\)(?: -> [\w: *]+)?\s*=\s*((?:\"\w+\",?\s*)+)(?:outside captures)?;", table,
                       re.MULTILINE)
    entries = [re.findall(r'"(\w+)"', names) for names in found]
    # An entry in another form would not be compared.
    unread = set(re.findall(r'"(\w+)"', table)).difference(*entries)
    if unread:
        sys.exit(f"the table of src/cuda/base/api.rs has entries that this script does not read: {sorted(unread)}")
    return entries


def fetch(folder, suite):
    """The driver library of a suite of Debian, or the reason why there is none."""
    if not shutil.which("apt-get") or not shutil.which("dpkg"):
        return None, "this system has no apt-get and dpkg"
    root = folder / suite
    for part in ("lists/partial", "cache/archives/partial"):
        (root / part).mkdir(parents=True, exist_ok=True)
    keys = "/usr/share/keyrings/debian-archive-keyring.gpg"
    (root / "sources.list").write_text(f"deb [signed-by={keys}] http://deb.debian.org/debian {suite} non-free\n")
    options = [f"Dir::Etc::sourcelist={root}/sources.list", "Dir::Etc::sourceparts=-", f"Dir::State::lists={root}/lists",
               f"Dir::Cache={root}/cache", "Acquire::Languages=none", "APT::Sandbox::User=root"]
    apt = ["apt-get", "-q"] + [word for option in options for word in ("-o", option)]
    for command in (["update"], ["download", "libcuda1"]):
        done = subprocess.run(apt + command, cwd=root, capture_output=True, text=True)
        if done.returncode != 0:
            return None, f"apt-get {command[0]} failed ({done.returncode})"
    for package in root.glob("libcuda1_*.deb"):
        subprocess.run(["dpkg", "-x", package, root / "unpacked"], check=True)
    found = sorted(root.glob("unpacked/usr/lib/*/nvidia/current/libcuda.so.[0-9]*.*"))
    return (found[-1], None) if found else (None, "the package has no libcuda.so")


def check_functions(library, release):
    """Compares what is missing in the library with what is newer than its release."""
    listed = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    exported = set(re.findall(r" T (cu\w+)", listed))
    wanted = functions()
    missing = {names[0] for names in wanted if not exported.intersection(names)}
    newer = {name for name, since in NEWER.items() if since > release}
    for name in sorted(missing - newer):
        yield f"{name} is missing: a wrong name, or a row for NEWER"
    for name in sorted(newer - missing):
        yield f"{name} exists: correct its row in NEWER"
    print(f"{library.name}: {len(wanted) - len(missing)} of {len(wanted)} functions, without {sorted(missing)}")


def check_program(library, program):
    """The program must report that there is no device."""
    environment = os.environ | {"LD_LIBRARY_PATH": str(library.parent), "PORTACL_BACKEND": "cuda"}
    done = subprocess.run([program, "10"], env=environment, capture_output=True, text=True, timeout=60)
    text = done.stdout + done.stderr
    if done.returncode <= 0 or "507899" not in text or "the CUDA driver does not start: cuInit returned" not in text:
        yield f"{program} ended with {done.returncode}, expected 507899 and a text:\n{text}"
    print(f"{library.name}: {text.strip().splitlines()[-1]}")


def main(folder, program):
    faults, reasons, seen = [], [], set()
    for suite in SUITES:
        library, reason = fetch(Path(folder).resolve(), suite)
        if library is None:
            reasons.append(f"{suite}: {reason}")
            continue
        if library.name in seen:
            continue
        seen.add(library.name)
        release = int(library.name.split(".")[2])
        faults += [f"{library.name}: {fault}" for fault in check_functions(library, release)]
        faults += [f"{library.name}: {fault}" for fault in check_program(library, Path(program).resolve())]
    print("\n".join(reasons + faults))
    if not seen:
        print(f"no package libcuda1 can be fetched: {reasons[-1]}")
        sys.exit(77)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
