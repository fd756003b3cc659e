"""The stubs are those of the module (stubtest of mypy), and refuse wrong programs."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from program import main

PACKAGES = pathlib.Path(__file__).resolve().parent.parent
RIGHT = """
import acl
address, ret = acl.rt.malloc(4096, 0)
free, total, ret = acl.rt.get_mem_info(1)
name: str = acl.get_soc_name()
count: int = acl.util.bytes_to_ptr(b"") + address + free + total + ret + acl.init()
"""
WRONG = ("address: int = acl.rt.malloc(4096, 0)", "acl.rt.malloc('4096', 0)", "acl.rt.free(1, 2)", "acl.mdl")


@unittest.skipIf(importlib.util.find_spec("mypy") is None, "no mypy; tools/python.sh install fetches it")
class Stubs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)

    def mypy(self, module, *arguments, path=PACKAGES):
        """The status and the output of a program of mypy."""
        environment = {**os.environ, "MYPYPATH": str(path), "PYTHONPATH": str(path),
                       "MYPY_CACHE_DIR": f"{self.folder.name}/cache"}
        done = subprocess.run([sys.executable, "-m", module, *arguments], capture_output=True, text=True,
                              cwd=self.folder.name, env=environment)
        return done.returncode, done.stdout + done.stderr

    def test_stubs_are_those_of_the_module(self):
        status, output = self.mypy("mypy.stubtest", "acl")
        self.assertEqual(status, 0, output)

    def test_a_wrong_stub_is_found(self):
        shutil.copytree(PACKAGES / "acl", f"{self.folder.name}/wrong/acl")
        stub = pathlib.Path(self.folder.name, "wrong/acl/rt.pyi")
        stub.write_text(stub.read_text().replace("def malloc(size: int, policy: int, /)", "def malloc(size: int, /)"))
        status, output = self.mypy("mypy.stubtest", "acl", path=stub.parent.parent)
        self.assertNotEqual(status, 0)
        self.assertIn("acl.rt.malloc", output)

    def test_programs(self):
        right = self.mypy("mypy", "--strict", "-c", RIGHT)
        self.assertEqual(right, (0, "Success: no issues found in 1 source file\n"))
        status, output = self.mypy("mypy", "-c", "\n".join(["import acl", *WRONG]))
        self.assertEqual(status, 1)
        found = sorted({int(line.split(":")[1]) for line in output.splitlines() if " error: " in line})
        self.assertEqual(found, list(range(2, 2 + len(WRONG))), output)


if __name__ == "__main__":
    main()
