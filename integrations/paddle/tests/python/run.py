#!/usr/bin/env python3
"""Runs the tests that need PaddlePaddle, with the plug-in in a folder of its own.

    run.py PLUGIN_FOLDER [--strict] [TEST...]

TEST is a unittest name, as in test_tensors or test_tensors.DataTypes; without one, all of them. Ends with
77, and says why, where this Python has no paddle; with --strict that is a failure.
"""

import importlib.util
import os
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent


def main():
    folder, *rest = sys.argv[1:]
    strict = "--strict" in rest
    names = [name for name in rest if name != "--strict"]
    if importlib.util.find_spec("paddle") is None:
        print(f"skipped: {sys.executable} has no module paddle; './dev paddle' installs one and runs this")
        return 1 if strict else 77
    # Paddle reads them when it is imported.
    os.environ["CUSTOM_DEVICE_ROOT"] = str(pathlib.Path(folder).resolve())
    os.environ.setdefault("GLOG_minloglevel", "1")
    sys.path.insert(0, str(HERE))
    loader = unittest.TestLoader()
    suite = loader.loadTestsFromNames(names) if names else loader.discover(str(HERE))
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    if result.testsRun == 0:
        print("run.py: no such test")
        return 1
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
