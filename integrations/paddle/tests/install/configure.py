#!/usr/bin/env python3
"""How -DPORTACL_PADDLE=ON finds Paddle's header, what it says where it does not, and how the tests skip without
Paddle. Needs none: a folder with an empty header replaces it.

    configure.py WORK_FOLDER
"""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[4]
WORK = pathlib.Path(sys.argv.pop(1)).resolve()
HEADER = "paddle/phi/backends/device_ext.h"


def python(name, site=None):
    """A Python that has no modules but its own, and those in `site`."""
    path = WORK / "bin" / name / "python3"
    path.parent.mkdir(parents=True)
    modules = f"PYTHONPATH='{site}'" if site else "-u PYTHONPATH"
    path.write_text(f"#!/bin/sh\nexec env {modules} '{sys.executable}' -s -S \"$@\"\n")
    path.chmod(0o755)
    return path


def setUpModule():
    shutil.rmtree(WORK, ignore_errors=True)
    include = WORK / "site/paddle/include"
    (include / HEADER).parent.mkdir(parents=True)
    (include / HEADER).touch()
    (WORK / "site/paddle/__init__.py").touch()
    Configure.include = include
    Configure.with_paddle = python("with", WORK / "site")
    Configure.without_paddle = python("without")


class Configure(unittest.TestCase):
    def run_program(self, *command, **environment):
        done = subprocess.run(command, env={**os.environ, **environment}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, " ".join(done.stdout.split())  # CMake breaks lines as it likes

    def configure(self, *options, **environment):
        self.build = WORK / "build" / self.id().rpartition(".")[2]
        return self.run_program(
            "cmake", "-S", str(ROOT), "-B", str(self.build), "-DPORTACL_PADDLE=ON", "-DPORTACL_BUILD_SAMPLES=OFF",
            *options, **environment)

    def assert_found(self, result):
        status, output = result
        self.assertEqual(status, 0, output)
        self.assertIn(f"PaddlePaddle's headers: {self.include} ", output)

    def test_by_the_python_that_is_named(self):
        self.assert_found(self.configure(f"-DPORTACL_PADDLE_PYTHON={self.with_paddle}"))

    def test_by_the_python_on_the_path(self):
        path = f"{self.with_paddle.parent}:{os.environ['PATH']}"
        self.assert_found(self.configure(PATH=path))

    def test_by_path(self):
        self.assert_found(self.configure(
            f"-DPORTACL_PADDLE_INCLUDE_DIR={self.include}", f"-DPORTACL_PADDLE_PYTHON={self.without_paddle}"))

    def test_a_python_without_paddle_is_refused_with_what_to_do(self):
        status, output = self.configure(f"-DPORTACL_PADDLE_PYTHON={self.without_paddle}")
        self.assertNotEqual(status, 0, output)
        self.assertIn(f"'{self.without_paddle}' has no module paddle with include/{HEADER}", output)
        for way in ("pip install paddlepaddle", "PORTACL_PADDLE_PYTHON", "PORTACL_PADDLE_INCLUDE_DIR", "./dev paddle"):
            self.assertIn(way, output)

    def test_a_path_without_the_header_is_refused_with_what_to_do(self):
        status, output = self.configure(
            f"-DPORTACL_PADDLE_INCLUDE_DIR={WORK}", f"-DPORTACL_PADDLE_PYTHON={self.with_paddle}")
        self.assertNotEqual(status, 0, output)
        self.assertIn(f"PORTACL_PADDLE_INCLUDE_DIR is '{WORK}', which has no {HEADER}", output)

    def test_the_tests_skip_with_a_reason_where_there_is_no_paddle(self):
        status, output = self.configure(
            "-DPORTACL_PADDLE_WITHOUT_HEADER=ON", f"-DPORTACL_PADDLE_PYTHON={self.without_paddle}")
        self.assertEqual(status, 0, output)
        for test in ("default", "async", "guard", "package"):
            with self.subTest(test):
                status, output = self.run_program(
                    "ctest", "--test-dir", str(self.build), "-V", "-L", "^paddle$", "-R", f"^paddle.{test}$")
                self.assertEqual(status, 0, output)
                self.assertIn("has no module paddle; './dev paddle' installs one and runs this", output)
                self.assertIn("(Skipped)", output)

    def test_where_paddle_has_to_be_its_absence_is_a_failure(self):
        status, output = self.run_program(
            str(self.without_paddle), str(ROOT / "integrations/paddle/tests/python/run.py"), str(WORK), "--strict")
        self.assertEqual(status, 1, output)
        self.assertIn("has no module paddle", output)


if __name__ == "__main__":
    unittest.main(verbosity=2)
