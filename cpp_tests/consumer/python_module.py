"""A program that imports acl from an installation, and uses the library of that installation."""

import pathlib
import sys

import acl

assert pathlib.Path(acl.__file__).is_relative_to(sys.argv[1]), acl.__file__
assert acl.rt.set_device(0) == 0
memory, code = acl.rt.malloc(4096, 0)
assert code == 0 and acl.rt.memset(memory, 4096, 1, 4096) == 0
assert acl.rt.free(memory) == 0 and acl.rt.reset_device(0) == 0
loaded = [line.split(maxsplit=5)[-1] for line in open("/proc/self/maps") if "libportacl.so" in line]
assert loaded and all(path.startswith(str(pathlib.Path(sys.argv[1]).resolve())) for path in loaded), loaded
