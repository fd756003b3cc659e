#!/usr/bin/env python3
"""Makes the .ptx of each .cu here with NVIDIA's runtime compiler, or compares the two.

    make.py                 writes each .ptx
    make.py --check-source  fails if a .ptx was made from another .cu; needs no compiler
    make.py --check         fails if a .ptx is not what the compiler makes of its .cu
    make.py --assemble      has the PTX assembled for every architecture that the assemblers know

The compiler (and for --assemble the assemblers) comes from packages on PyPI, into virtual
environments that are thrown away. Where it cannot be had, SKIPPED and the reason are printed, and the
status is 77.
"""

import ctypes
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile
import venv

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = sorted(HERE.glob("*.cu"))

# Pinned, because the text of the PTX depends on it.
COMPILER = "nvidia-cuda-nvrtc-cu11==11.8.89"
# Two assemblers, where each has its program, and the architectures that each knows.
ASSEMBLERS = {
    "nvidia-cuda-nvcc-cu11==11.8.89": (
        "cuda_nvcc/bin/ptxas", ["52", "60", "61", "70", "72", "75", "80", "86", "87", "89", "90"]),
    "nvidia-cuda-nvcc==13.5.37": (
        "cu13/bin/ptxas", ["75", "80", "86", "87", "88", "89", "90", "100", "103", "110", "120", "121"]),
}
OPTIONS = ["--gpu-architecture=compute_52", "--std=c++14", "--ftz=false", "--fmad=false"]

# The compiler declares its own PTX version, which drivers older than it refuse. These kernels need
# nothing newer than this one, of CUDA 10.1, and --assemble proves it.
PTX_VERSION = "6.4"


class Unavailable(Exception):
    """A tool cannot be had here."""


def install(package, directory, pattern):
    """Installs `package` into a new environment in `directory`; the one file that matches."""
    venv.create(directory, with_pip=True)
    pip = [directory + "/bin/python", "-m", "pip", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run(pip + ["install", "--no-deps", package], capture_output=True, text=True)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise Unavailable(f"pip cannot install {package}: {last}")
    found = list(pathlib.Path(directory).glob("lib/python*/site-packages/nvidia/" + pattern))
    if len(found) != 1:
        raise Unavailable(f"{package} has {len(found)} files {pattern}, expected one")
    return found[0]


def compile_source(library, source):
    """The PTX text that the compiler in the shared object `library` makes of a source."""
    nvrtc = ctypes.CDLL(str(library))

    def call(name, *arguments):
        status = getattr(nvrtc, name)(*arguments)
        if status != 0:
            raise RuntimeError(f"{name} failed with {status}\n{log()}")

    def text(size_name, get_name):
        size = ctypes.c_size_t()
        if getattr(nvrtc, size_name)(program, ctypes.byref(size)) != 0:
            return ""
        buffer = ctypes.create_string_buffer(size.value)
        getattr(nvrtc, get_name)(program, buffer)
        return buffer.value.decode()

    def log():
        return text("nvrtcGetProgramLogSize", "nvrtcGetProgramLog") if program else ""

    program = ctypes.c_void_p()
    call("nvrtcCreateProgram", ctypes.byref(program), source.read_bytes(), source.name.encode(), 0,
         None, None)
    options = (ctypes.c_char_p * len(OPTIONS))(*[option.encode() for option in OPTIONS])
    call("nvrtcCompileProgram", program, len(OPTIONS), options)
    if log().strip():
        print(log(), file=sys.stderr)
    return text("nvrtcGetPTXSize", "nvrtcGetPTX")


def heading(source):
    """The first lines of the committed text, which tell what it was made from."""
    # Comments may change: the PTX does not depend on them.
    code = re.sub(rb"^\s*//.*\n", b"", source.read_bytes(), flags=re.M)
    digest = hashlib.sha256(code).hexdigest()
    return (f"// Made from {source.name} by make.py with {COMPILER}. Do not edit.\n"
            f"// SHA-256 of {source.name} without its lines of comments: {digest}\n")


def finish(source, ptx):
    """The text as it is committed: an older PTX version, and our own heading."""
    # The compiler's heading names its build.
    ptx = re.sub(r"\A(\s*//[^\n]*\n|\s*\n)+", "", ptx)
    ptx, count = re.subn(r"^\.version \d+\.\d+$", f".version {PTX_VERSION}", ptx, flags=re.M)
    if count != 1:
        raise RuntimeError(f"the PTX has {count} .version lines, expected one")
    ptx = "\n".join(line.rstrip() for line in ptx.splitlines()).rstrip() + "\n"
    return heading(source) + ptx


def ptx_of(source):
    """Where the committed text is."""
    return source.with_suffix(".ptx")


def make():
    """What each source gives."""
    with tempfile.TemporaryDirectory() as directory:
        library = install(COMPILER, directory, "cuda_nvrtc/lib/libnvrtc.so.*")
        return {source: finish(source, compile_source(library, source)) for source in SOURCES}


def write():
    for source, ptx in make().items():
        ptx_of(source).write_text(ptx)


def assemble():
    for package, (program, architectures) in ASSEMBLERS.items():
        with tempfile.TemporaryDirectory() as directory:
            tool = install(package, directory, program)
            tool.chmod(0o755)
            for source in SOURCES:
                for architecture in architectures:
                    target = [f"--gpu-name=sm_{architecture}", "--warning-as-error"]
                    subprocess.run([tool, *target, ptx_of(source), "-o", directory + "/out"], check=True)
                print(f"{ptx_of(source).name} assembles for sm_{', sm_'.join(architectures)} ({package})")


def check_source():
    for source in SOURCES:
        name = ptx_of(source).name
        if not ptx_of(source).read_text().startswith(heading(source)):
            sys.exit(f"{name} was not made from this {source.name} with {COMPILER}: run make.py and commit the "
                     "result")
        print(f"{name} was made from this {source.name}")


def check():
    # First what needs no compiler, so that it is checked everywhere.
    check_source()
    for source, ptx in make().items():
        name = ptx_of(source).name
        if ptx != ptx_of(source).read_text():
            sys.exit(f"{name} differs from the result of {source.name}: run make.py and commit the result")
        print(f"{name} is the result of {source.name}")


def main(arguments):
    modes = {
        (): write,
        ("--check-source",): check_source,
        ("--check",): check,
        ("--assemble",): assemble,
    }
    mode = modes.get(tuple(arguments))
    if mode is None:
        sys.exit(__doc__)
    try:
        mode()
    except Unavailable as reason:
        print(f"SKIPPED: {reason}", file=sys.stderr)
        sys.exit(77)


if __name__ == "__main__":
    main(sys.argv[1:])
