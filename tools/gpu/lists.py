#!/usr/bin/env python3
"""Writes the lists of a pack that need this tree: suite.tsv, all tests with the programs that have them, and
failed.txt, the programs that failed or did not end in earlier runs on cards (docs/gpu).

usage: lists.py PACK
"""

import json
import os
import pathlib
import re
import subprocess
import sys

import steps

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROCESSES = re.compile(r"^\s*\w+_PROCESS_TEST\((\w+), (\w+)", re.MULTILINE)
# What starts processes without such a macro.
STARTS = re.compile(r"\b(fork|RunProcess|posix_spawnp?|EXPECT_EXIT|EXPECT_DEATH|ASSERT_DEATH|popen|system)\(")
TEST = re.compile(r"^\s*(?:TEST|TEST_F|TEST_P)\((\w+), (\w+)\) \{(.*?)^\}", re.MULTILINE | re.DOTALL)


def plain(name):
    """Suite.Name without what an instantiation adds."""
    return ".".join(part.split("/")[index] for index, part in
                    ((-1 if "/" in name.partition(".")[0] else 0, name.partition(".")[0]), (0, name.partition(".")[2])))


def that_start_processes():
    found = set()
    for path in (ROOT / "cpp_tests").rglob("*_test.cpp"):
        text = path.read_text()
        found |= {f"{suite}.{name}" for suite, name in PROCESSES.findall(text)}
        found |= {f"{suite}.{name}" for suite, name, body in TEST.findall(text) if STARTS.search(body)}
    return found


def tests_of(pack, program):
    environment = os.environ | {"LD_LIBRARY_PATH": str(pack / "lib"), "PORTACL_BACKEND": "cpu"}
    listed = subprocess.run([pack / program, "--gtest_list_tests"], cwd=pack, check=True, text=True,
                            stdout=subprocess.PIPE, env=environment).stdout
    suite = ""
    for line in listed.splitlines():
        word = line.split("#")[0].rstrip()
        if re.match(r"\S+\.$", word):
            suite = word
        elif word.startswith("  ") and suite and suite != "GoogleTestVerification.":
            yield suite + word.strip()


def failed():
    found = {}
    for path in sorted((ROOT / "docs/gpu").glob("*.json")):
        for row in json.loads(path.read_text())["programs"]:
            name = row["name"].removeprefix("assumed.")
            bad = row["status"] not in (0, 77) if "status" in row else row["result"] not in ("passed", "skipped")
            if bad:
                found[name] = None
            else:
                # A later run of it passed.
                found.pop(name, None)
            for case in row.get("tests", []):
                if case["result"] not in ("passed", "skipped"):
                    found[case["test"]] = None
    return found


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    pack = pathlib.Path(sys.argv[1]).resolve()
    listed = subprocess.run([ROOT / "tools/gpu_assumptions.py", "--list"], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    assumed = {test for line in listed.splitlines() for test in line.split("\t")[1].split(":")}
    processes, rows, sources = that_start_processes(), [], {}
    for line in (pack / "cuda.txt").read_text().splitlines():
        _, program, *arguments = line.split("\t")
        if not program.endswith("_test") or arguments:
            continue
        folder = (pack / program).resolve().name
        for test in tests_of(pack, program):
            sources[test] = pathlib.Path(program).name.removesuffix("_test")
            # Each test of check_test runs a program.
            kind = "process" if plain(test) in processes or folder == "check_tests" else "inside"
            rows.append("\t".join([folder, pathlib.Path(program).name, test, kind, "01"[plain(test) in assumed]]))
    if not rows or not assumed <= {plain(test) for test in sources}:
        sys.exit(f"tests of assumptions are not in the pack: {sorted(assumed - {plain(test) for test in sources})}")
    chosen = {*steps.SHARED_QUEUES, *steps.SANITIZED}
    if missing := chosen - set(sources.values()):
        sys.exit(f"tools/gpu/steps.py names sources that are not in the pack: {sorted(missing)}")
    (pack / "suite.tsv").write_text("\n".join(rows) + "\n")
    again = dict.fromkeys(sources.get(name, name) for name in failed())
    (pack / "failed.txt").write_text("\n".join(name for name in again if name in set(sources.values())) + "\n")


if __name__ == "__main__":
    main()
