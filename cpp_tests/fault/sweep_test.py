#!/usr/bin/env python3
"""Does sweep.py see what it is for? It sweeps a stand-in for a program that uses the library and
misbehaves as the test says."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import sweep

# A program with two allocations and one queued copy, which reports as the library would.
PROGRAM = """
import os, signal, sys, time
how, fault = sys.argv[1], os.environ["PORTACL_FAULT"]
site, call, later = (fault.split(":") + ["", ""])[:3]
lost = kept = 0
failed = int(fault != "")
status, state = failed, "ended"
if fault:
    print("aclrtSomething returned 207001: PORTACL_FAULT made call %s of %s fail" % (call, site))
if site == "device.free":
    kept = 1
if fault == "device.alloc:2":
    if how == "crash": os.kill(os.getpid(), signal.SIGSEGV)
    if how == "abort": os.abort()
    if how == "hang": time.sleep(60)
    if how == "leak": lost = 1
    if how == "strange status": status = 97
    if how == "no failure": failed = 0
    if how == "not finalized": state = "open"
    if how == "left behind": state = "left-behind"
if fault == "stream.copy:1:later" and how == "two failures": failed = 2
if fault == "device.free:1" and how == "keeps more": lost = 1
if not fault and how == "leaks always": lost = 1
if not fault and how == "fails always": status = 1
if how != "no report":
    with open(os.environ["PORTACL_FAULT_COUNT"], "w") as report:
        print("backend cpu", state, file=report)
        print("failed", failed, file=report)
        print("calls device.alloc 2\\ncalls device.free 2\\ncalls stream.copy 1", file=report)
        print("calls driver.foreign 1\\ncalls event.time_us 0\\nlater stream.copy, stream.fill", file=report)
        print("objects device-block made 2 released", 2 - lost - kept, "kept", kept, file=report)
sys.exit(status)
"""

MUTE = PROGRAM.replace('print("aclrtSomething', 'if site not in how: print("aclrtSomething')


class Sweeping(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def bad(self, how, program=PROGRAM, seconds=10):
        """The failures that the sweep complains of, with its complaints."""
        path = pathlib.Path(self.folder.name, "program.py")
        path.write_text(program)
        swept = sweep.Sweep([sys.executable, "-I", "-S", str(path), how], seconds)
        report, problems, _ = swept.run(None)
        if problems:
            return {"": problems}
        found = {fault: swept.run(fault)[1] for fault in sweep.faults(report, 8)}
        self.assertIn("stream.copy:1:later", found)
        self.assertIn("device.alloc:2", found)
        return {fault: problems for fault, problems in found.items() if problems}

    def assert_only(self, found, fault, words):
        self.assertEqual(list(found), [fault])
        self.assertIn(words, "; ".join(found[fault]))

    def test_a_program_that_behaves(self):
        self.assertEqual(self.bad("well"), {})

    def test_a_program_that_does_not(self):
        for how, words in [
            ("crash", "signal 11"),
            ("abort", "signal 6"),
            ("leak", "1 of 2 device-blocks"),
            ("strange status", "status is 97"),
            ("no failure", "0 calls were made to fail, wanted 1"),
            ("not finalized", "open"),
            ("left behind", "left-behind"),
        ]:
            with self.subTest(how):
                self.assert_only(self.bad(how), "device.alloc:2", words)

    def test_a_program_that_hangs(self):
        self.assert_only(self.bad("hang", seconds=2), "device.alloc:2", "not ended after 2 s")

    def test_only_what_could_not_be_released_may_stay(self):
        self.assert_only(self.bad("keeps more"), "device.free:1", "1 of 2 device-blocks")

    def test_one_failure_at_a_time(self):
        self.assert_only(self.bad("two failures"), "stream.copy:1:later", "2 calls were made to fail")

    def test_a_failure_that_nobody_is_told_of(self):
        found = self.bad("stream.copy", MUTE)
        self.assertEqual(set(found), {"stream.copy:1", "stream.copy:1:later"})
        self.assertIn("names stream.copy", found["stream.copy:1"][0])

    def test_a_probe_need_not_be_told(self):
        self.assertEqual(self.bad("driver.foreign", MUTE), {})

    def test_a_clean_run_has_to_be_clean(self):
        for how, words in [("leaks always", "device-blocks"), ("fails always", "status is 1"),
                           ("no report", "never opened")]:
            with self.subTest(how):
                self.assert_only(self.bad(how), "", words)

    def test_the_exit_status_says_it(self):
        path = pathlib.Path(self.folder.name, "program.py")
        path.write_text(PROGRAM)
        for how, options, status, words in [
            ("well", [], 0, "0 bad"),
            ("crash", [], 1, "1 bad"),
            ("leaks always", [], 1, "the clean run"),
            ("well", ["--every-site"], 1, "event.time_us"),
        ]:
            with self.subTest(how=how, options=options):
                done = subprocess.run(
                    [sys.executable, sweep.__file__, *options, sys.executable, "-I", "-S", path, how],
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                self.assertEqual(done.returncode, status, done.stdout)
                self.assertIn(words, done.stdout)

    def test_the_first_and_the_last_call_are_taken(self):
        self.assertEqual(sweep.spread(3, 8), [1, 2, 3])
        taken = sweep.spread(1000, 8)
        self.assertEqual((len(taken), taken[0], taken[-1]), (8, 1, 1000))


if __name__ == "__main__":
    unittest.main()
