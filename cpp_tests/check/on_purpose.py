#!/usr/bin/env python3
"""on_purpose.py FOLDER...: runs each test of on_purpose.tsv alone under PORTACL_CHECK; the folders have the programs.

A test that is not reported any more must not be left out any more.
"""

import os
import pathlib
import subprocess
import sys

# Some race with another thread, and not in every run.
TRIES = 5
# It finalizes beside others, and races in half of its runs.
TRIES_OF = {"Init.FinalizeWhileOthersWork": 40}
TABLE = pathlib.Path(__file__).with_name("on_purpose.tsv")


def main():
    paths = [path for folder in sys.argv[1:] for path in pathlib.Path(folder).glob("*_test")]
    programs = {path.name.removesuffix("_test"): path for path in paths}
    failed = 0
    rows = [line.split("\t") for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    rows = [row for row in rows if row[2] != "cost"]
    for program, test, kind, _ in rows:
        command = [programs[program], f"--gtest_filter={test}"]
        # The programs must leave no results of theirs.
        environment = {name: value for name, value in os.environ.items() if name != "GTEST_OUTPUT"}
        print(f"{program} {test}: ", end="", flush=True)
        for _ in range(TRIES_OF.get(test, TRIES)):
            output = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                    errors="replace").stdout
            is_reported = f"portacl: {kind}: " in output and "[ RUN      ] " + test in output
            if is_reported:
                break
        print("reported" if is_reported else "NOT reported", flush=True)
        failed += not is_reported
    if failed:
        sys.exit(f"{failed} of {len(rows)} tests are in {TABLE.name} and are not reported: take them out")


if __name__ == "__main__":
    main()
