#!/usr/bin/env python3
"""Tests of what CI runs: .ci/run prints what failed again at its end, each deep check has its turn, in which something
must run, and ./dev test all does nothing twice."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

TREE = pathlib.Path(__file__).parent.parent


def copy(tree, *names):
    for name in names:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TREE / name, tree / name)


def write_script(path, *lines):
    path.write_text("\n".join(["#!/bin/bash", *lines, ""]))
    path.chmod(0o755)


def commit(tree):
    git = ["git", "-c", "user.name=x", "-c", "user.email=x", "-C", tree]
    if not (tree / ".git").exists():
        subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)


def write_checks(tree, broken=()):
    """Checks that pass, except those named."""
    checks = tree / "tools/checks"
    checks.mkdir(parents=True)
    for file in (TREE / "tools/checks").glob("*.sh"):
        body = 'seq -f "line %g" 60; return 1' if file.stem in broken else ":"
        (checks / file.name).write_text(f"check() {{ {body}; }}\n")


class Ci(unittest.TestCase):
    def run_ci(self, broken):
        """Runs .ci/run in a tree whose checks pass, except those named, and whose tests print one failure if any does."""
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            copy(tree, ".ci/run", "dev", "tools/check.sh")
            write_checks(tree, broken)
            tests = ["mkdir -p build/results", "echo 'FAILED cpu: cpu.x' >build/results/failures.txt", "exit 1"]
            write_script(tree / "tools/setup.sh")
            write_script(tree / "tools/demo.sh", 'echo "the demo: $*"')
            write_script(tree / "tools/test.sh", *(tests if broken else []))
            commit(tree)
            done = subprocess.run([tree / ".ci/run"], capture_output=True, text=True)
            return done.returncode, done.stdout

    def test_failures_are_printed_again_at_the_end(self):
        status, text = self.run_ci(["fmt", "prose"])
        self.assertEqual(status, 1)
        last = [f"    line {number}" for number in range(56, 61)]
        end = text.splitlines()
        end = end[len(end) - 1 - end[::-1].index("CI: ./dev test"):]
        self.assertEqual(end[1:3], ["FAILED cpu: cpu.x", "CI: ./dev check"])
        self.assertEqual(end[3:15], ["FAILED check: fmt", *last, "FAILED check: prose", *last])
        self.assertIn("CI: check  FAILED in ", "\n".join(end[15:]))

    def test_what_passes_is_not_printed(self):
        status, text = self.run_ci([])
        self.assertEqual(status, 0, text)
        self.assertNotIn("FAILED", text)
        self.assertEqual(re.findall("^the demo: (.*)$", text, re.MULTILINE), ["", "race"])


class Turns(unittest.TestCase):
    OFTEN = {"sanitize-address", "sanitize-thread", "sanitize-undefined", "miri", "fuzz", "refused-calls", "whole-sweeps",
             "memcheck"}

    def test_each_deep_check_has_its_turn(self):
        table = (TREE / "docs/tests.md").read_text().split("| check | last complete pass |")[1]
        deep = set(re.findall(r"^\| ([a-z0-9-]+) \|", table, re.MULTILINE))
        left = 10 - len(self.OFTEN)
        rounds = -(-len(deep - self.OFTEN) // left)
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            copy(tree, "dev", "tools/check.sh")
            write_checks(tree)
            ran = []
            for _ in range(10 * rounds):
                commit(tree)
                done = subprocess.run([tree / "tools/check.sh", "--turn"], capture_output=True, text=True, check=True)
                ran += re.findall(r"^PASS +([a-z0-9-]+) ", done.stdout, re.MULTILINE)
        self.assertEqual(len(ran), 10 * rounds)
        self.assertEqual(set(ran), deep, "docs/tests.md and tools/check.sh differ")
        for start in range(0, len(ran), 10):
            self.assertLessEqual(self.OFTEN, set(ran[start:start + 10]))

    def test_the_next_one_has_the_turn_of_one_that_is_skipped(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            copy(tree, "dev", "tools/check.sh")
            write_checks(tree)
            for name in ("refused-calls", "miri"):
                (tree / f"tools/checks/{name}.sh").write_text("check() { echo 'it is not here'; return 77; }\n")
            commit(tree)
            done = subprocess.run([tree / "tools/check.sh", "--turn"], capture_output=True, text=True, check=True)
        self.assertEqual(re.findall(r"^([A-Z]+) +([a-z0-9-]+) ", done.stdout, re.MULTILINE),
                         [("SKIPPED", "refused-calls"), ("SKIPPED", "miri"), ("PASS", "sanitize-undefined")])

    def run_turn(self, body):
        """Runs a check that is stopped by its limit."""
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            copy(tree, "dev", "tools/check.sh")
            write_checks(tree)
            for file in (tree / "tools/checks").iterdir():
                file.write_text(f"check() {{ {body}; sleep 60; }}\nrepair='mend it'\n")
            commit(tree)
            environment = dict(os.environ, PORTACL_TURN_SECONDS="1", PORTACL_UPDATE="1")
            done = subprocess.run([tree / "tools/check.sh", "--turn"], capture_output=True, text=True, env=environment)
            return done.returncode, done.stdout

    def test_a_check_that_is_stopped_counts_if_something_has_passed(self):
        for line in (" 1/20 Test  #7: cpu.memcpy .....   Passed    0.10 sec", "[       OK ] Copies.All (3 ms)",
                     "test a::b ... ok", "        PASS [   0.010s] portacl-algo a::b"):
            status, text = self.run_turn(f"echo '{line}'")
            self.assertEqual(status, 0, text)
            self.assertRegex(text, "^STOPPED .* after 1 s, without a failure; tests that passed: 1\n")
        status, text = self.run_turn("echo '== first'; echo '== second'")
        self.assertEqual(status, 0, text)
        self.assertRegex(text, "^STOPPED .*; steps that ended: 1\n")

    def test_variables_of_the_tools_do_not_reach_the_library(self):
        status, text = self.run_turn("! compgen -e PORTACL_ || return 1; echo 'test a::b ... ok'")
        self.assertEqual(status, 0, text)

    def test_a_check_that_is_stopped_before_that_fails(self):
        for body in (":", "echo '== first'", "echo 'building tests that Passed'"):
            status, text = self.run_turn(body)
            self.assertEqual(status, 1, text)
            self.assertRegex(text, "^FAIL ")
            self.assertIn("stopped after 1 s, before a test or a step had ended\n    repair: set PORTACL_TURN_SECONDS", text)
        status, text = self.run_turn("echo '[       OK ] A.B (1 ms)'; echo '[  FAILED  ] A.C (1 ms)'")
        self.assertEqual(status, 1, text)
        self.assertIn("repair: mend it", text)


class Checks(unittest.TestCase):
    def test_each_says_how_to_repair_what_it_finds(self):
        files = sorted((TREE / "tools/checks").glob("*.sh"))
        self.assertGreater(len(files), 40)
        silent = [file.stem for file in files if not re.search(r'^repair="..+"$', file.read_text(), re.MULTILINE)]
        self.assertEqual(silent, [])


class Steps(unittest.TestCase):
    def steps(self, *arguments):
        """The steps of ./dev test with commands that do nothing."""
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            copy(tree, "dev", "tools/test.sh")
            commands = tree / "commands"
            commands.mkdir()
            for name in ("cargo", "cmake", "ctest", "python3"):
                write_script(commands / name)
            for name in ("python", "paddle", "torch", "ggml"):
                write_script(tree / f"tools/{name}.sh")
            # dev looks for cargo in the home first.
            environment = dict(os.environ, HOME=folder, PATH=f"{commands}:{os.environ['PATH']}")
            done = subprocess.run(["bash", "tools/test.sh", *arguments], cwd=tree, env=environment,
                                  capture_output=True, text=True)
            steps = re.findall(r"^== (.*)$", done.stdout, re.MULTILINE)
            self.assertEqual(steps[-1:], ["results"], done.stderr)
            return steps

    def test_the_package_is_installed_once(self):
        self.assertIn("install", self.steps())
        self.assertIn("install", self.steps("install"))
        together = self.steps("all")
        self.assertIn("package", together)
        self.assertNotIn("install", together)


if __name__ == "__main__":
    unittest.main()
