#!/usr/bin/env python3
"""torch_stand_ins.py FOLDER: makes a torch of PyPI load without NVIDIA's libraries.

PyPI's torch for x86-64 is the CUDA build. Its libraries link libraries of NVIDIA (3 GB) that a machine without a GPU
never calls. This script replaces them in FOLDER, torch/lib of a virtual environment: for each library that torch links
and that is not installed it makes a small one with the symbols that torch and other extension modules beside it (such as
torchvision's) need. Run it again after one was installed.

Functions return 0, so that torch.cuda.is_available() is false. Those that a program calls return what they return without
a GPU, or throw: what computes on GPUs, and results that are objects, which 0 is not.
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
# Each library that this script made has this symbol.
MARK = "portacl_stand_in"
# What computes on GPUs, in torch's code: scatter and gather of nn.DataParallel, NCCL, graphs. They throw.
REFUSED = re.compile(r"_ZN5torch4cuda|_ZN2at4cuda9CUDAGraph|_ZN2at4cuda17graph_pool_handle")
# The same in CUDA's runtime. They return cudaErrorNoDevice.
NO_DEVICE = re.compile(r"cuda(Device|Event|Free|Host|Ipc|Launch|Malloc|Mem|SetDevice|Stream)\w*$")
NO_DEVICE_TEXT = '"no CUDA-capable device is detected"'


def versions(site):
    """What functions that return a version or a text return: those of the libraries that this torch asks for."""
    asked = "".join(path.read_text() for path in site.glob("torch-*.dist-info/METADATA"))

    def of(library):
        match = re.search(rf"nvidia-{library}-cu\d+ ?\(?==(\d+)\.(\d+)\.(\d+)", asked)
        return [int(number) for number in match.groups()] if match else [0, 0, 0]

    nccl, cudnn = of("nccl"), of("cudnn")
    return {
        "_ZN5torch4cuda4nccl7versionEv": f"return {nccl[0] << 32 | nccl[1] << 16 | nccl[2]};",
        "_ZN5torch4cuda4nccl14version_suffixEv": 'return (long)"";',
        "cudnnGetVersion": f"return {cudnn[0] * (10000 if cudnn[0] > 8 else 1000) + cudnn[1] * 100 + cudnn[2]};",
        "cudnnGetProperty": f"static const int parts[] = {{{cudnn[0]}, {cudnn[1]}, {cudnn[2]}}}; "
                            "*second = parts[(long)first]; return 0;",
        "cudaGetDeviceCount": "*(int*)first = 0; return 100;",
        "cudaGetErrorName": 'return (long)"cudaErrorNoDevice";',
        "cudaGetErrorString": f"return (long){NO_DEVICE_TEXT};",
    }


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


def demangled(names):
    lines = subprocess.run(["c++filt"], input="\n".join(names), check=True, capture_output=True, text=True).stdout
    return dict(zip(names, lines.splitlines()))


REFUSAL = """#include <stdexcept>
#include <string>
extern "C" __attribute__((visibility("hidden"))) long refuse(const char* call) {
    throw std::runtime_error(std::string(call) + ": this torch has no CUDA, because tools/torch_stand_ins.py replaced its "
                             "libraries; allowed: the devices cpu and npu. Use DistributedDataParallel for several devices");
}
"""


def body(name, text, answers):
    """The statements of a function whose name in C++ is `text`."""
    if name in answers:
        return answers[name]
    if name in REFERENCES:
        return "return (long)variable;"
    if REFUSED.match(name):
        return f'return refuse("{text.split("(")[0]}");'
    return f"return {100 if NO_DEVICE.match(name) else 0};"


def definition(name, text, answers):
    """The symbol in C. Tables and variables of C++ are data, all others functions."""
    if name.startswith("_ZTI"):  # Types that torch registers with Python: std::type_info reads the name.
        return f'void* {name}[4] = {{_ZTVN10__cxxabiv117__class_type_infoE + 16, "{name[4:]}"}};'
    if re.match(r"_ZT[VTS]", name) or name.startswith("_Z") and "(" not in text:
        return f"void* {name}[64];"
    if match := OPTIONS.match(name):
        kind = f"_ZTIN{match[1]}E"
        return (f"extern void* {kind}[] __attribute__((weak));\n"
                f"static void* table_{name}[64] = {{0, {kind}, [2 ... 63] = nothing}};\n"
                f"void {name}(void** made) {{ *made = table_{name} + 2; }}")
    return f"long {name}(void* first, int* second) {{ {body(name, text, answers)} }}"


def make(path, names, versioned, answers):
    """A library with these symbols."""
    lines = ["extern char _ZTVN10__cxxabiv117__class_type_infoE[];", "static char variable[256];",
             "static void nothing(void) {}", f"int {MARK};", "long refuse(const char*);"]
    texts = demangled(sorted(names)) if names else {}
    lines += [definition(name, text, answers) for name, text in texts.items()]
    with tempfile.TemporaryDirectory() as folder:
        source, refusal = pathlib.Path(folder, "stand_in.c"), pathlib.Path(folder, "refuse.cpp")
        source.write_text("\n".join(lines) + "\n")
        refusal.write_text(REFUSAL)
        options = ["-shared", "-fPIC", "-O1", "-w", "-fexceptions", "-fno-builtin", f"-Wl,-soname,{path.name}"]
        if versioned:
            script = pathlib.Path(folder, "versions.map")
            script.write_text(f"{path.name} {{ global: *; }};\n")
            options.append(f"-Wl,--version-script={script}")
        output("cc", *options, "-x", "c", str(source), "-x", "c++", str(refusal), "-lstdc++", "-o", str(path))


def extension_modules(site, torch):
    """The libraries beside torch that link its libraries for GPUs or those of NVIDIA, and what else they link."""
    others = [path for path in site.rglob("*.so*") if torch not in path.parents and path.is_file()]
    by_name = {path.name: path for path in others}
    modules = [path for path in others if any(name in REPLACED for name in linked(path))]
    return modules, {by_name[name] for path in modules for name in linked(path) if name in by_name}


def main(folder):
    for name in REPLACED + REMOVED:
        folder.joinpath(name).unlink(missing_ok=True)
    for path in folder.glob("lib*.so*"):
        if MARK in {name.split("@")[0] for name in symbols(path, "--defined-only")}:
            path.unlink()
    site = folder.parent.parent
    libraries = [path for path in sorted(folder.glob("lib*.so*")) if "gomp" not in path.name]
    modules, linked_by_modules = extension_modules(site, folder.parent)
    wanted = {name for path in libraries + modules for name in linked(path) if name in REPLACED or NVIDIA.match(name)}
    wanted -= {path.name for path in linked_by_modules}
    defined, undefined = system_symbols(), set()
    for path in [*libraries, *linked_by_modules]:
        defined |= {name.split("@")[0] for name in symbols(path, "--defined-only")}
    for path in libraries + modules:
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
        make(folder / name, versioned[name], name not in REPLACED and bool(versioned[name]), versions(site))
        print(f"{name}: {len(versioned[name])} symbols")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
