#!/usr/bin/env python3
"""Tests that .ci/run prints what failed again at its end."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

TREE = pathlib.Path(__file__).parent.parent


class Ci(unittest.TestCase):
    def run_ci(self, broken):
        """Runs .ci/run in a tree whose checks pass, except those named, and whose tests print one failure if any does."""
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            for name in (".ci/run", "dev", "tools/check.sh"):
                (tree / name).parent.mkdir(exist_ok=True)
                shutil.copy(TREE / name, tree / name)
            checks = tree / "tools/checks"
            checks.mkdir()
            for file in (TREE / "tools/checks").glob("*.sh"):
                body = 'seq -f "line %g" 60; return 1' if file.stem in broken else ":"
                (checks / file.name).write_text(f"check() {{ {body}; }}\n")
            tests = ["mkdir -p build/results", "echo 'FAILED cpu: cpu.x' >build/results/failures.txt", "exit 1"]
            for name, lines in {"setup": [], "test": tests if broken else []}.items():
                script = tree / f"tools/{name}.sh"
                script.write_text("\n".join(["#!/bin/bash", *lines, ""]))
                script.chmod(0o755)
            git = ["git", "-c", "user.name=x", "-c", "user.email=x", "-C", folder]
            subprocess.run([*git, "init", "-q"], check=True)
            subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
            done = subprocess.run([tree / ".ci/run"], capture_output=True, text=True)
            return done.returncode, done.stdout

    def test_failures_are_printed_again_at_the_end(self):
        status, text = self.run_ci(["fmt", "prose"])
        self.assertEqual(status, 1)
        last = [f"    line {number}" for number in range(46, 61)]
        end = text.splitlines()
        end = end[len(end) - 1 - end[::-1].index("CI: ./dev test"):]
        self.assertEqual(end[1:3], ["FAILED cpu: cpu.x", "CI: ./dev check"])
        self.assertEqual(end[3:35], ["FAILED check: fmt", *last, "FAILED check: prose", *last])
        self.assertIn("CI: check  FAILED in ", "\n".join(end[35:]))

    def test_what_passes_is_not_printed(self):
        status, text = self.run_ci([])
        self.assertEqual(status, 0, text)
        self.assertNotIn("FAILED", text)


if __name__ == "__main__":
    unittest.main()
