#!/usr/bin/env python3
"""torch_stand_ins.py FOLDER: makes a torch of PyPI load without NVIDIA's libraries.

PyPI's torch for x86-64 is the CUDA build. Its libraries link libraries of NVIDIA (3 GB) that a machine without a GPU
never calls. This script replaces them in FOLDER, torch/lib of a virtual environment: for each library that torch links
and that is not installed it makes a small one with the symbols that torch needs. Functions return 0, so that
torch.cuda.is_available() is false.
"""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile

# Torch's libraries with code for GPUs, by the names that others link. The wheel has them, but they link NVIDIA's.
REPLACED = ["libtorch_cuda.so", "libc10_cuda.so"]
# In the wheel, but loaded only for work on a GPU.
REMOVED = ["libtorch_cuda_linalg.so", "libcaffe2_nvrtc.so", "libtorch_nvshmem.so"]
# These return a reference to a variable, which torch writes to when it is loaded.
REFERENCES = {"_ZN4c10d15get_gil_checkerEv"}
# Constructors of options, which torch registers with Python: pybind11 reads the type from the table of functions.
OPTIONS = re.compile(r"_ZN(\w+7Options)C[12]E\w*$")
# Libraries of NVIDIA that torch's libraries link.
NVIDIA = re.compile(r"lib(cu|nv|nccl)\w*\.so")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def symbols(library, which):
    """The names, with versions, of a library's dynamic symbols."""
    return {line.split()[-1] for line in output("nm", "-D", which, library).splitlines() if " w " not in line}


def linked(library):
    return re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "-d", library))


def system_symbols():
    """What the C and C++ libraries define."""
    found = set()
    for name in ["libstdc++.so.6", "libc.so.6", "libm.so.6", "libgcc_s.so.1", "libgomp.so.1", "libpthread.so.0"]:
        path = output("cc", f"-print-file-name={name}").strip()
        found |= {symbol.split("@")[0] for symbol in symbols(path, "--defined-only")}
    return found


def make(path, names, versioned):
    """A library with these symbols. Names of C++ tables are data, all others functions."""
    lines = ["extern char _ZTVN10__cxxabiv117__class_type_infoE[];", "static char variable[256];",
             "static void nothing(void) {}"]
    for name in sorted(names):
        if name.startswith("_ZTI"):  # Types that torch registers with Python: std::type_info reads the name.
            lines.append(f'void* {name}[4] = {{_ZTVN10__cxxabiv117__class_type_infoE + 16, "{name[4:]}"}};')
        elif re.match(r"_ZT[VTS]", name):
            lines.append(f"void* {name}[64];")
        elif match := OPTIONS.match(name):
            kind = f"_ZTIN{match[1]}E"
            lines.append(f"extern void* {kind}[] __attribute__((weak));")
            lines.append(f"static void* table_{name}[64] = {{0, {kind}, [2 ... 63] = nothing}};")
            lines.append(f"void {name}(void** made) {{ *made = table_{name} + 2; }}")
        else:
            lines.append(f"long {name}(void) {{ return {'(long)variable' if name in REFERENCES else '0'}; }}")
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "stand_in.c")
        source.write_text("\n".join(lines) + "\n")
        options = ["-shared", "-fPIC", "-O1", "-w", "-fno-builtin", f"-Wl,-soname,{path.name}"]
        if versioned:
            script = pathlib.Path(folder, "versions.map")
            script.write_text(f"{path.name} {{ global: *; }};\n")
            options.append(f"-Wl,--version-script={script}")
        output("cc", *options, str(source), "-lstdc++", "-o", str(path))


def main(folder):
    for name in REPLACED + REMOVED:
        folder.joinpath(name).unlink(missing_ok=True)
    libraries = [path for path in sorted(folder.glob("lib*.so*")) if "gomp" not in path.name]
    wanted = {name for path in libraries for name in linked(path) if name in REPLACED or NVIDIA.match(name)}
    defined, undefined = system_symbols(), set()
    for path in libraries:
        defined |= {name.split("@")[0] for name in symbols(path, "--defined-only")}
        undefined |= symbols(path, "--undefined-only")
    # A symbol with a version belongs to the library of that name. Where the others come from makes no difference.
    versioned = collections.defaultdict(set)
    for name in undefined:
        base, _, version = name.partition("@")
        if NVIDIA.match(version):
            versioned[version].add(base)
        elif not version and base not in defined and not base.startswith(("Py", "_Py")):
            versioned["libtorch_cuda.so"].add(base)
    for name in sorted(wanted):
        make(folder / name, versioned[name], versioned=name not in REPLACED and bool(versioned[name]))
        print(f"{name}: {len(versioned[name])} symbols")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
