"""What the tests share. Importing it imports paddle."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

import numpy
import paddle

HERE = pathlib.Path(__file__).resolve().parent
FIRST, SECOND = "portacl:0", "portacl:1"


def has_cpu_kernels():
    """Whether the plug-in has the module with the CPU kernels of this release of Paddle."""
    return "libportacl_paddle_kernels.so" in pathlib.Path("/proc/self/maps").read_text()


class OnDevice(unittest.TestCase):
    """Each test begins on the first device."""

    def setUp(self):
        paddle.set_device(FIRST)
        paddle.seed(1)

    def assert_on(self, tensor, device):
        name, _, index = device.partition(":")
        place = tensor.place
        if name == "cpu":
            self.assertTrue(place.is_cpu_place(), place)
        else:
            self.assertTrue(place.is_custom_place(), place)
            self.assertEqual(place.custom_device_type(), name)
            self.assertEqual(place.custom_device_id(), int(index))

    def assert_equal(self, tensor, expected):
        numpy.testing.assert_array_equal(tensor.numpy(), expected)


def in_new_process(code, *arguments, **environment):
    """Runs Python code that may end its process; returns (exit status, output)."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=HERE, env={**os.environ, **environment}, timeout=120,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    # Under the checks: how many reports were suppressed, if there are no others.
    return done.returncode, re.sub("portacl: PORTACL_CHECK: 0 .*\n", "", done.stdout)
