#!/usr/bin/env python3
"""Tests that sweep.py detects errors. It sweeps a stand-in for a program that uses the library, which misbehaves as the
test says."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import driver_faults
import host_faults
import sweep
import unreported

# A program with two allocations and one enqueued copy, which writes the report that the library would.
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
        print("calls driver.foreign 1\\ncalls event.time_ns", int(how == "calls all"), file=report)
        print("later stream.copy, stream.fill", file=report)
        print("objects device-block made 2 released", 2 - lost - kept, "kept", kept, file=report)
sys.exit(status)
"""

# A program that allocates twice and frees once, on a driver that reports like the test double.
DRIVER_PROGRAM = """
import os, signal, sys
how, fault = sys.argv[1], os.environ["FAKE_CUDA_FAIL"]
function, call, status = (fault.split(":") + ["", ""])[:3]
failed, leaks = int(fault != ""), int(function == "cuMemFree_v2")
if fault == "cuMemAlloc_v2:2:999":
    if how == "crash": os.kill(os.getpid(), signal.SIGSEGV)
    if how == "leak": leaks = 1
    if how == "no failure": failed = 0
if fault == "cuMemFree_v2:1:999" and how == "leaks two": leaks = 2
if fault == "cuMemAlloc_v2:1:719" and how == "misuse": print("fake_cuda: misuse: cuMemFree_v2: ...")
if not fault and how == "leaks always": leaks = 1
if fault and not (how == "mute" and function == "cuMemFree_v2"):
    print("aclrtSomething returned 507899: %s returned %s" % (function, status))
for _ in range(leaks): print("fake_cuda: leak: allocation")
with open(os.environ["FAKE_CUDA_COUNT"], "w") as counts:
    print("failed", failed, file=counts)
    print("calls cuMemAlloc_v2 2\\ncalls cuMemFree_v2 1\\ncalls cuNotOurs 7", file=counts)
sys.exit(int(fault != ""))
"""

# A program with two sessions and eight allocations in all.
HOST_PROGRAM = """
import os, signal, sys
how, fault = sys.argv[1], os.environ["PORTACL_TEST_HOST_FAULT"]
refused, live, lost, state = int(fault != ""), 5, 0, "ended"
if fault == "2+":
    if how == "abort": os.abort()
    if how == "leak": live = 50
    if how == "loses an object": lost = 1
    if how == "not finalized": state = "open"
    if how == "no second session": sys.exit(2)
    if how == "no failure": refused = 0
    code = {"wrong code": 207001, "panic": 500000}.get(how, 200000)
    if how == "panic later": print("aclrtSomething returned 200000: no memory")
    if how == "panic later": code = 500000
    print("aclrtSomething returned %d: %s" % (code, "NO TEXT" if how == "no text" else "no memory"))
print("second session")
with open(os.environ["PORTACL_FAULT_COUNT"], "w") as report:
    print("backend cpu", state, file=report)
    print("failed 0", file=report)
    if how != "no counts": print("host all 8 refused", refused, "live", live, "reserve 0", file=report)
    print("objects device-block made 2 released", 2 - lost, "kept 0", file=report)
sys.exit(refused)
"""

MUTE = PROGRAM.replace('print("aclrtSomething', 'if site not in how: print("aclrtSomething')


class Sweeping(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def bad(self, how, program=PROGRAM, seconds=10, kind=None,
            some=("stream.copy:1:later", "device.alloc:2")):
        """The failures for which the sweep reports errors, with these."""
        path = pathlib.Path(self.folder.name, "program.py")
        path.write_text(program)
        kind = kind or sweep.BackendFaults()
        swept = sweep.Sweep([sys.executable, "-I", "-S", str(path), how], seconds, kind)
        report, problems, output = swept.run(None)
        if problems:
            return {"": problems}
        kind.begin(report, output)
        found = {fault: swept.run(fault)[1] for fault in kind.wanted(report, 8)}
        self.assertLessEqual(set(some), set(found))
        return {fault: problems for fault, problems in found.items() if problems}

    def assert_only(self, found, fault, words):
        self.assertEqual(list(found), [fault])
        self.assertIn(words, "; ".join(found[fault]))

    def test_a_sweep_that_is_ended_leaves_no_files(self):
        program = [sys.executable, "-c", "import time; time.sleep(1000)"]
        with tempfile.TemporaryDirectory() as folder, subprocess.Popen(
                [sys.executable, sweep.__file__, *program], env=dict(os.environ, TMPDIR=folder)) as ended:
            while not os.listdir(folder) and ended.poll() is None:
                time.sleep(0.01)
            ended.terminate()
            self.assertEqual(ended.wait(60), 128 + signal.SIGTERM)
            self.assertEqual(os.listdir(folder), [])

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

    def test_host_memory(self):
        def bad(how):
            return self.bad(how, HOST_PROGRAM, kind=host_faults.HostFaults(), some=("1", "4", "2+", "3+:0"))

        self.assertEqual(bad("well"), {})
        self.assertIn("has not counted", bad("no counts")[""][0])
        for how, words in [
            ("abort", "signal 6"),
            ("leak", "50 blocks of host memory were not freed, 5 without"),
            ("loses an object", "1 of 2 device-blocks"),
            ("not finalized", "open"),
            ("no second session", "status is 2"),
            ("no failure", "not reached"),
            ("wrong code", "returned 207001, not 200000"),
            ("panic later", "a call returned 500000"),
            ("no text", "has no text"),
        ]:
            with self.subTest(how):
                found = bad(how)
                found.pop("2+:0", None)
                self.assert_only(found, "2+", words)

    def test_a_program_that_hangs(self):
        self.assert_only(self.bad("hang", seconds=2), "device.alloc:2", "not ended after 2 s")

    def test_only_what_could_not_be_released_may_stay(self):
        self.assert_only(self.bad("keeps more"), "device.free:1", "1 of 2 device-blocks")

    def test_one_failure_at_a_time(self):
        self.assert_only(self.bad("two failures"), "stream.copy:1:later", "2 calls were made to fail")

    def test_a_failure_that_no_call_reports(self):
        found = self.bad("stream.copy", MUTE)
        self.assertEqual(set(found), {"stream.copy:1", "stream.copy:1:later"})
        self.assertIn("names stream.copy", found["stream.copy:1"][0])

    def test_a_probe_need_not_be_reported(self):
        self.assertEqual(self.bad("driver.foreign", MUTE), {})

    def test_an_exemption_is_of_one_call(self):
        exemptions = unreported.Exemptions("cpu", "")
        pool = "doing: aclrtMemPoolMallocAsync(&one, 1, pool, first)\n"
        other = "doing: aclrtMalloc(&one, 1, policy)\n"
        announced = "portacl: PORTACL_FAULT: call 3 of device.alloc is refused\n"
        for output, again, covered in [
            (pool + announced + other, True, True),
            (pool + announced + other, False, True),
            (announced, True, True),  # a program that does not print its calls
            (announced, False, False),  # and did not try again
            (other + announced + pool, False, True),  # another call that may try again
            ("doing: aclrtMallocHost(&one, 1)\n" + announced + pool, True, False),  # and one that may not
        ]:
            with self.subTest(output=output, again=again):
                self.assertEqual(exemptions.cover("device.alloc", output, again), covered)
        self.assertFalse(exemptions.cover("device.free", pool + announced, True))

    def test_an_exemption_is_of_one_thread(self):
        exemptions = unreported.Exemptions("driver", "")
        call = "doing: aclrtFree(memory)\n"
        for thread, refused, covered in [
            ("fault_every_cal", "cuEventRecord", True),  # the calling thread
            ("portacl-graph", "cuEventRecord", True),
            ("portacl-graph", "cuGraphLaunch", False),
            ("portacl-host-fn", "cuStreamQuery", True),
            ("portacl-watcher", "cuEventRecord", False),  # in any call
        ]:
            with self.subTest(thread=thread, refused=refused):
                output = call + f"fake_cuda: fault: call 3 of {refused} in thread {thread}\n" + call
                self.assertEqual(exemptions.cover(refused, output, False), covered)
                self.assertIn(thread if "portacl" in thread else "aclrtFree", unreported.met_by(output))

    def test_an_exemption_has_to_be_needed(self):
        device = "doing: aclrtMalloc(&one, 1, policy)\n"
        pool = "doing: portaclMallocAsync(&one, 1, first)\n"
        for clean in ("", device):  # the call was not printed, or not made
            self.assertEqual(unreported.Exemptions("cpu", clean).unneeded({"device.alloc"}), [])
        exemptions = unreported.Exemptions("cpu", device + pool)
        exemptions.cover("device.alloc", device, False)
        calls = {one.calls for one in exemptions.unneeded({"device.alloc"})}
        self.assertEqual(calls, {unreported.FROM_POOL})
        exemptions.cover("device.alloc", pool, True)
        self.assertEqual(exemptions.unneeded({"device.alloc"}), [])
        self.assertEqual(exemptions.unneeded({"device.free"}), [])

    def test_exemptions_are_of_what_there_is(self):
        functions = {one.refused for one in unreported.ALL if one.backend == "driver"}
        self.assertLessEqual(functions, driver_faults.declared())

    def test_driver_functions(self):
        driver = {"cuMemAlloc_v2:2:999": [], "cuMemFree_v2:1:999": [], "cuMemAlloc_v2:1:719": []}
        for how, fault, words in [
            ("well", None, ""),
            ("crash", "cuMemAlloc_v2:2:999", "signal 11"),
            ("leak", "cuMemAlloc_v2:2:999", "1 objects were not released"),
            ("leaks two", "cuMemFree_v2:1:999", "2 objects were not released"),
            ("misuse", "cuMemAlloc_v2:1:719", "misused the driver"),
            ("no failure", "cuMemAlloc_v2:2:999", "0 calls were made to fail, wanted 1"),
            ("mute", "cuMemFree_v2:1:999", "names cuMemFree_v2"),
            ("leaks always", "", "1 objects were not released"),
        ]:
            with self.subTest(how):
                found = self.bad(how, DRIVER_PROGRAM, kind=driver_faults.DriverFaults(), some=driver)
                if fault is None:
                    self.assertEqual(found, {})
                else:
                    self.assert_only(found, fault, words)

    def test_a_mapping_is_left_with_its_addresses(self):
        lines = ["mapped range 0x10 of 8 bytes, device 0", "reservation 0x10 of 8 bytes", "reservation 0x90 of 8 bytes"]
        output = "".join(f"fake_cuda: leak: {line}\n" for line in lines)
        self.assertEqual(driver_faults.left_behind(output), [lines[0], lines[2]])

    def test_functions_are_those_that_the_library_declares(self):
        declared = driver_faults.declared()
        self.assertLessEqual({"cuInit", "cuMemAlloc_v2", "cuLaunchKernel"}, declared)
        self.assertNotIn("cuEventElapsedTime", declared)  # the older name
        for listed in (driver_faults.PROBES, driver_faults.RELEASES, driver_faults.LEFT_BY_ENDED):
            self.assertLessEqual(set(listed), declared)

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
            ("well", ["--every-site"], 1, "event.time_ns"),
            ("calls all", ["--every-site"], 0, "all 5 sites are called"),
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
