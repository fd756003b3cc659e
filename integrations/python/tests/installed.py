"""The package alone, as pip installs it: no torch, no NumPy, no other library. Run by `tools/torch.sh wheel`."""

import pathlib
import subprocess
import sys

import acl
import portacl


def works():
    """A copy to a device and back."""
    assert acl.init() == 0 and acl.rt.set_device(0) == 0, acl.get_recent_err_msg()
    text = bytes(range(256))
    memory, ret = acl.rt.malloc(len(text), 0)
    assert ret == 0, acl.get_recent_err_msg()
    assert acl.rt.memcpy(memory, len(text), acl.util.bytes_to_ptr(text), len(text), 1) == 0
    back, ret = acl.rt.malloc_host(len(text))
    assert ret == 0 and acl.rt.memcpy(back, len(text), memory, len(text), 2) == 0
    assert acl.util.ptr_to_bytes(back, len(text)) == text
    assert acl.rt.free(memory) == 0 and acl.rt.free_host(back) == 0 and acl.finalize() == 0


def the_library_is_that_of_the_package():
    loaded = {line.split(maxsplit=5)[-1].rstrip() for line in open("/proc/self/maps") if "libportacl.so" in line}
    assert loaded == {str(portacl.LIBRARIES / "libportacl.so.0")}, loaded
    assert pathlib.Path(sys.prefix) in portacl.LIBRARIES.parents, portacl.LIBRARIES


def a_doctor_says_what_torch_npu_needs():
    done = subprocess.run([sys.executable, "-m", "portacl", "doctor"], capture_output=True, text=True)
    print(done.stdout, end="")
    lines = done.stdout.splitlines()
    assert done.returncode == 1, f"status {done.returncode}: {done.stderr}"
    assert "MISSING torch: missing; pip install torch==2.7.1 numpy pyyaml" in lines, "torch is not reported"
    assert sum(line.startswith("ok      ") and line.endswith(".so") for line in lines) == 7, "a library is missing"


works()
the_library_is_that_of_the_package()
a_doctor_says_what_torch_npu_needs()
print("the package works alone")
