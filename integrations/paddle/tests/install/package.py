#!/usr/bin/env python3
"""`pip install ./integrations/paddle` beside a Paddle: the device is there by itself, what docs/paddle.md shows works, and
`pip uninstall` takes it away again. Ends with 77, and says why, where this Python has no paddle.

    package.py WORK_FOLDER
"""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[4]
WORK = pathlib.Path(sys.argv.pop(1)).resolve()
DEVICES = "import paddle; print('devices:', paddle.device.get_all_custom_device_type())"


class Package(unittest.TestCase):
    def run_python(self, *arguments):
        # As in the shell of a user, who has set nothing and is anywhere.
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("CUSTOM_DEVICE_ROOT", "FLAGS_", "PYTHON", "VIRTUAL_ENV"))}
        done = subprocess.run([WORK / "bin/python", *arguments], cwd="/", env=environment, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_install_use_and_uninstall(self):
        self.assertIn("devices: []", self.run_python("-c", DEVICES))
        self.run_python("-m", "pip", "install", "--disable-pip-version-check", str(ROOT / "integrations/paddle"))
        self.assertIn("devices: ['portacl']", self.run_python("-c", DEVICES))
        used = self.run_python(
            "-c", "import paddle; paddle.set_device('portacl:0'); x = paddle.ones([2]); print(x.place, float(x.sum()))")
        self.assertIn("Place(portacl:0) 2.0", used)

        # With the module: numbers repeat with the device's state.
        repeated = self.run_python(
            "-c", "import paddle; paddle.set_device('portacl:0'); s = paddle.get_rng_state(); x = paddle.rand([9]); "
            "paddle.set_rng_state(s); print('repeats:', bool((paddle.rand([9]) == x).all()))")
        self.assertIn("repeats: True", repeated)

        example = re.search(r"```python\n(.*?)```", (ROOT / "docs/paddle.md").read_text(), re.S).group(1)
        shown = self.run_python("-c", example)
        self.assertIn("[[3. 3.]\n [3. 3.]] Place(portacl:0)", shown)

        self.run_python("-m", "pip", "uninstall", "--yes", "paddle-portacl")
        self.assertIn("devices: []", self.run_python("-c", DEVICES))


def main():
    if importlib.util.find_spec("paddle") is None:
        print(f"skipped: {sys.executable} has no module paddle; './dev paddle' installs one and runs this")
        return 77
    if sys.prefix == sys.base_prefix:
        print(f"skipped: {sys.executable} is no virtual environment, and this test will not install into a system")
        return 77
    # An environment of its own, in which nothing was installed: the same files under other names.
    shutil.rmtree(WORK, ignore_errors=True)
    shutil.copytree(sys.prefix, WORK, symlinks=True, copy_function=os.link)
    return 0 if unittest.main(verbosity=2, exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
