#!/usr/bin/env python3
"""on_purpose.py FOLDER...: runs each test of on_purpose.tsv alone under PORTACL_CHECK, and each program of misuses.txt under
its check misuse; the folders have the programs.

What is not reported any more must not be left out any more.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

# Some race with another thread, and not in every run.
TRIES = 5
# It finalizes beside others, and races in half of its runs.
TRIES_OF = {"Init.FinalizeWhileOthersWork": 40}
TABLE = pathlib.Path(__file__).with_name("on_purpose.tsv")
MISUSES = TABLE.with_name("misuses.txt")


def output_of(command, settings):
    """What a program prints. It must leave no results of its tests."""
    environment = {name: value for name, value in os.environ.items() if name != "GTEST_OUTPUT"} | settings
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace").stdout


def without_misuse(programs):
    """How many programs of misuses.txt report none."""
    names = [line for line in MISUSES.read_text().splitlines() if not line.startswith("#")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        outputs = pool.map(lambda name: output_of([programs[name]], {"PORTACL_CHECK": "misuse"}), names)
        silent = [name for name, output in zip(names, outputs) if "portacl: misuse: " not in output]
    for name in silent:
        print(f"{name} is in {MISUSES.name} and reports no misuse: take it out")
    return len(silent)


def main():
    paths = [path for folder in sys.argv[1:] for path in pathlib.Path(folder).glob("*_test")]
    programs = {path.name.removesuffix("_test"): path for path in paths}
    failed = 0
    rows = [line.split("\t") for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    rows = [row for row in rows if row[2] != "cost"]
    for program, test, kind, _ in rows:
        command = [programs[program], f"--gtest_filter={test}"]
        print(f"{program} {test}: ", end="", flush=True)
        for _ in range(TRIES_OF.get(test, TRIES)):
            output = output_of(command, {})
            is_reported = f"portacl: {kind}: " in output and "[ RUN      ] " + test in output
            if is_reported:
                break
        print("reported" if is_reported else "NOT reported", flush=True)
        failed += not is_reported
    if failed:
        print(f"{failed} of {len(rows)} tests are in {TABLE.name} and are not reported: take them out")
    if failed + without_misuse(programs):
        sys.exit(1)


if __name__ == "__main__":
    main()
