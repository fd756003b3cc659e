#!/usr/bin/env python3
"""Calls the functions of Paddle's Python interface on the device and on the CPU, and compares.

    sweep.py PLUGIN_FOLDER [--only TEXT] [--json FILE]

Each function is called with generated arguments, for each data type that the CPU takes: in dynamic mode with
gradients, as a static program, and in place where there is such a method. A call ends in one of four ways: equal,
refused (the device raises an error that the CPU does not raise), wrong, crash. Calls run in a process of their own,
which a crash ends; the next process goes on with the next function. Ends with 1 if a call is wrong or crashes.
"""

import argparse
import collections
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


class Worker:
    """The process that makes the calls; it prints a line before and after each."""

    def __init__(self, only):
        self.only = only
        self.process = None
        self.errors = tempfile.TemporaryFile("w+", errors="replace")

    def start(self, first):
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", str(HERE / "calls.py"), self.only, str(first)], stdout=subprocess.PIPE,
            stderr=self.errors, text=True, errors="replace")

    def text(self):
        self.errors.seek(0)
        return self.errors.read()[-1500:]

    def lines(self):
        for line in self.process.stdout:
            if line.startswith("{"):
                yield json.loads(line)


def show(name, mode, result, text):
    if result != "equal":
        print(f"{result}: {name} ({mode}): {text}", flush=True)


def sweep(only):
    """Results, as (name, mode, result, text)."""
    worker, results, first = Worker(only), [], 0
    while True:
        worker.start(first)
        begun = None
        for line in worker.lines():
            if "begin" in line:
                begun = line["begin"]
            elif "end" in line:
                first = line["end"] + 1
                begun = None
            elif "result" in line:
                results.append((line["name"], line["mode"], line["result"], line.get("text", "")))
                show(*results[-1])
        text = worker.text()
        status = worker.process.wait()
        if status == 0:
            return results
        if begun is None:
            sys.exit(f"the calls ended with {status}:\n{text}")
        if begun["where"] == "device":
            results.append((begun["name"], begun["mode"], "crash", f"status {status}: {text}"))
            show(*results[-1])
        else:
            print(f"the CPU crashes: {begun['name']} ({begun['mode']})", flush=True)
        first = begun["number"] + 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("plugin")
    parser.add_argument("--only", default="")
    parser.add_argument("--json")
    parser.add_argument("--strict", action="store_true")
    arguments = parser.parse_args()
    if importlib.util.find_spec("paddle") is None:
        print(f"skipped: {sys.executable} has no module paddle; './dev paddle' installs one and runs this")
        return 1 if arguments.strict else 77
    os.environ["CUSTOM_DEVICE_ROOT"] = str(pathlib.Path(arguments.plugin).resolve())
    os.environ.setdefault("GLOG_minloglevel", "2")
    results = sweep(arguments.only)
    counts = collections.Counter((mode, result) for _, mode, result, _ in results)
    for mode in sorted({mode for mode, _ in counts}):
        print(mode, {result: counts[mode, result] for result in ("equal", "refused", "wrong", "crash")})
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(results, indent=0))
    return 1 if any(result in ("wrong", "crash") for _, _, result, _ in results) or not results else 0


if __name__ == "__main__":
    sys.exit(main())
