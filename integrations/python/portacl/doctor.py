"""Says what torch_npu needs and what of it there is."""

import importlib.metadata
import importlib.util
import subprocess
import sys
import tempfile

from portacl import LIBRARIES

# The release for which libopapi is built.
RELEASE = "2.7.1"
NEEDED = ["ascendcl", "hccl", "acl_op_compiler", "ge_runner", "graph", "acl_tdt_channel", "opapi"]


def version(package):
    """The installed version, or None."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def of_package(package, remedy):
    """(a line, whether it is well) for a Python package."""
    found = version(package)
    if found is None:
        return f"{package}: missing; {remedy}", False
    if not found.startswith(RELEASE):
        return f"{package} {found}: libopapi is built for {RELEASE}; {remedy}", False
    return f"{package} {found}", True


def of_library(name):
    path = LIBRARIES / f"lib{name}.so"
    if not path.exists():
        return f"{path}: missing; install the package portacl again", False
    return f"{path}", True


def of_loading():
    """Whether torch_npu loads and computes, in a process of its own."""
    program = ("import torch, torch_npu; x = torch.ones(1, 1, 3, 3).npu(); "
               "print('computed', (torch.conv2d(x, x) + 1).item(), torch.npu.device_count())")
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(program)
        file.flush()
        done = subprocess.run([sys.executable, "-m", "portacl", "run", file.name], capture_output=True, text=True)
    for line in done.stdout.splitlines():
        if done.returncode == 0 and line.startswith("computed 10.0 "):
            return f"torch_npu computes; number of devices: {line.split()[-1]}", True
    end = [f"        {line}" for line in (done.stdout + done.stderr).strip().splitlines()[-10:]]
    return "\n".join([f"torch_npu does not compute: exit status {done.returncode}", *end]), False


def main():
    lines = [
        of_package("torch", f"pip install torch=={RELEASE} numpy pyyaml"),
        of_package("torch_npu", f"pip install --no-deps torch_npu=={RELEASE}"),
        *[(f"{name} {version(name)}", True) if importlib.util.find_spec(module)
          else (f"{name}: missing; pip install {name}", False) for name, module in [("numpy", "numpy"), ("pyyaml", "yaml")]],
        *[of_library(name) for name in NEEDED],
    ]
    if all(is_well for _, is_well in lines):
        lines.append(of_loading())
    for line, is_well in lines:
        print("ok     " if is_well else "MISSING", line)
    return 0 if all(is_well for _, is_well in lines) else 1
