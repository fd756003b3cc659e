#!/usr/bin/env python3
"""Tests that instruction_report.py and hook_cost.py fail where a limit is exceeded, what count_tests.py counts, which
launches bench_compare.py compares, and which table first_minute.py writes."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import bench_compare
import failure_text
import first_minute
import hook_cost
import instruction_report

TOOLS = pathlib.Path(__file__).parent
COUNTER = f"\t\t\t3: R_X86_64_PC32\t.bss.{hook_cost.COUNTER}-0x4"
CHECK = ("mov    0x0(%rip),%rax", "test   %rax,%rax", "jne    90 <x>")
WATCH = ("lock or %rax,0x0(%rip)",)


def row(name, at, value):
    return json.dumps({"name": name, "at": at, "value": value}) + "\n"


def function(name, *checks):
    """The disassembly of a function; each check refers to the counter in its first instruction."""
    lines = [f"0000 <{name}>:"]
    for first, *others in checks:
        lines += [f"  0:\t{first}", COUNTER, *(f"  7:\t{other}" for other in others)]
    return "\n".join(lines) + "\n\n"


class Instructions(unittest.TestCase):
    def report(self, more):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            cpu = [row(name, "caller", most + more) for name, most in instruction_report.MOST.items()]
            cuda = [row(name, at, most + more if at == "caller" else 1)
                    for name, most in instruction_report.CUDA_MOST.items() for at in ("above", "caller", "all")]
            (work / "cpu_instructions.1.json").write_text("".join(cpu))
            (work / "instructions.1.json").write_text("".join(cuda))
            document = work / "benchmarks.md"
            titles = (instruction_report.CPU_TITLE, instruction_report.TITLE)
            document.write_text("".join(f"## {title}\n\n" for title in titles))
            done = subprocess.run([sys.executable, TOOLS / "instruction_report.py", work, document], cwd=TOOLS,
                                  stderr=subprocess.PIPE, text=True)
            return done.returncode, done.stderr, document.read_text()

    def test_counts_at_the_limits_pass(self):
        status, errors, document = self.report(0)
        self.assertEqual((status, errors), (0, ""))
        self.assertNotIn("missed", document)

    def test_counts_above_the_limits_fail_after_they_are_written(self):
        status, errors, document = self.report(1)
        self.assertEqual(status, 1)
        name, most = next(iter(instruction_report.MOST.items()))
        self.assertIn(f"{name}: {most + 1} instructions, at most {most} are allowed", errors)
        self.assertEqual(document.count("missed"), len(instruction_report.MOST) + len(instruction_report.CUDA_MOST))


class Counts(unittest.TestCase):
    def count(self, **failures):
        """Counts steps that ran the same program of three cases, with so many failures each."""
        with tempfile.TemporaryDirectory() as folder:
            results = pathlib.Path(folder)
            # Both ran at once for a while.
            results.joinpath("all.seconds").write_text("9\n")
            for step, failed in failures.items():
                status = "fail" if failed else "run"
                results.joinpath(f"{step}.status").write_text(f"{failed}\n")
                results.joinpath(f"{step}.seconds").write_text("7\n")
                results.joinpath(f"{step}.xml").write_text(
                    f'<s><testcase name="cpu.x" status="{status}" time="{6 + failed}.5"/></s>')
                cases = results / f"{step}.cases"
                cases.mkdir()
                cases.joinpath("cpu.x.json").write_text(
                    json.dumps({"tests": 3, "failures": failed, "disabled": 0, "testsuites": []}))
            return subprocess.run([sys.executable, TOOLS / "count_tests.py", folder], capture_output=True, text=True)

    def test_each_step_counts_its_own_cases(self):
        result = self.count(cpu=0, package=1)
        self.assertEqual(result.returncode, 1)
        rows = [line.split() for line in result.stdout.splitlines()]
        self.assertIn("cpu 3 passed 0 failed 0 skipped 7 s".split(), rows)
        self.assertIn("package 2 passed 1 failed 0 skipped 7 s".split(), rows)
        self.assertIn("all 5 passed 1 failed 9 s".split(), rows)
        self.assertIn("FAILED package: cpu.x", result.stdout)
        self.assertIn("5 passed, 1 failed", result.stdout)
        self.assertLess(result.stdout.index("7.5 s  cpu.x"), result.stdout.index("6.5 s  cpu.x"))

    def test_steps_without_a_failure_pass(self):
        self.assertEqual(self.count(cpu=0, package=0).returncode, 0)

    def count_step(self, **files):
        """Counts one step "cpu" whose files end so: log, xml, leftovers."""
        with tempfile.TemporaryDirectory() as folder:
            for end, text in {"status": "0\n", **files}.items():
                pathlib.Path(folder, f"cpu.{end}").write_text(text)
            return subprocess.run([sys.executable, TOOLS / "count_tests.py", folder], capture_output=True, text=True)

    def test_a_rust_test_that_says_so_is_skipped(self):
        log = "     Summary [   0.2s] 4 tests run: 3 passed, 1 failed, 2 skipped\n"
        cases = "".join(f'<testcase name="{name}">{rest}</testcase>' for name, rest in (
            ("ran", "<system-out>it is not skipped: so</system-out>"),
            ("out", "<system-out>test x ...\nskipped: needs root\n</system-out>"),
            ("err", "<system-err>skipped: needs Linux 6.16\n</system-err>"),
            ("bad", "<failure/><system-out>skipped: no\n</system-out>")))
        text = self.count_step(log=log, status="1", **{"times.xml": f"<s>{cases}</s>"}).stdout
        self.assertIn("cpu 1 passed 1 failed 4 skipped 0 s".split(), [line.split() for line in text.splitlines()])

    def test_files_that_a_step_leaves_are_a_failed_test(self):
        log = "test result: ok. 2 passed; 0 failed; 0 ignored\n"
        self.assertEqual(self.count_step(log=log).returncode, 0)
        result = self.count_step(log=log, leftovers="f portacl-fifo-17\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("FAILED cpu: leftovers\n", result.stdout)
        self.assertIn("    f portacl-fifo-17\n2 passed, 1 failed", result.stdout)
        # The step's own failure is told as well.
        self.assertIn("0 passed, 2 failed", self.count_step(log="", status="1", leftovers="f x\n").stdout)

    def test_a_failure_of_googletest_is_printed_from_its_first_line(self):
        output = ("[ RUN      ] A.Passes\nnot this\n[       OK ] A.Passes (0 ms)\n[ RUN      ] A.Fails\n"
                  "a_test.cpp:7: Failure\nValue of: why\n[  FAILED  ] A.Fails (0 ms)\n[ RUN      ] B.Passes\n"
                  "[       OK ] B.Passes (0 ms)\n[  FAILED  ] 1 test, listed below:\n\n 1 FAILED TEST\n")
        xml = f'<s><testcase name="cpu.a" status="fail"><system-out>{output}</system-out></testcase></s>'
        self.assertIn("FAILED cpu: cpu.a\n    a_test.cpp:7: Failure\n    Value of: why\n    [  FAILED  ] A.Fails (0 ms)\n"
                      "0 passed, 1 failed", self.count_step(xml=xml, status="8").stdout)

    def test_a_program_that_ended_inside_a_case_is_printed_with_the_case_and_its_end(self):
        xml = '<s><testcase name="cpu.a" status="fail"><system-out>[ RUN      ] A.Ends\n</system-out></testcase></s>'
        for end, text in (("...***Exception: SegFault  0.01 sec", "Exception: SegFault  0.01 sec"),
                          (".............***Timeout 180.01 sec", "Timeout 180.01 sec"),
                          ("...Subprocess aborted***Exception:   0.02 sec", "Subprocess aborted Exception:   0.02 sec")):
            printed = self.count_step(xml=xml, log=f" 1/4 Test  #9: cpu.a ...{end}\n", status="8").stdout
            self.assertIn(f"FAILED cpu: cpu.a\n    ctest: {text}\n    the program ended in A.Ends\n", printed)
        # One that ends by itself has said why it failed.
        printed = self.count_step(xml=xml, log=" 1/4 Test  #9: cpu.a ...***Failed  0.01 sec\n", status="8").stdout
        self.assertIn("FAILED cpu: cpu.a\n    the program ended in A.Ends\n", printed)

    def test_a_failure_of_rust_is_printed_with_its_panic(self):
        panic = "thread 'it' panicked at src/x.rs:1:2:\n{0}it is 4\n{0}stack backtrace:\n{0}   0: std\n{0}   at ./x.rs\n"
        for log in ("        FAIL [   0.1s] (1/3) a::b it\n  stdout ───\n    running 1 test\n    test it ... FAILED\n"
                    f"  stderr ───\n    {panic.format('    ')}\n        FAIL [   0.1s] (2/3) other\n    not this\n"
                    "     Summary [   0.2s] 3 tests run: 1 passed, 2 failed, 0 skipped\n",
                    f"test it ... FAILED\n\nfailures:\n\n---- it stdout ----\n{panic.format('')}\n"
                    "---- other stdout ----\nnot this\n\nfailures:\n    it\n"
                    "test result: FAILED. 1 passed; 1 failed; 0 ignored\n"):
            text = self.count_step(log=log, status="1").stdout
            at = text.index("FAILED cpu: ")
            lines = [line.strip() for line in text[at:].splitlines()]
            self.assertEqual(lines[1:3], ["thread 'it' panicked at src/x.rs:1:2:", "it is 4"], text)
            self.assertIn(lines[3], ("FAILED cpu: other", "1 passed, 1 failed"), text)

    def test_a_build_that_fails_is_printed_from_its_first_error(self):
        log = "[1/2] Building\nx.cpp:1:2: error: no x\n  x\nninja: build stopped\n"
        self.assertIn("command failed\n    x.cpp:1:2: error: no x\n      x\n    ninja: build stopped\n",
                      self.count_step(log=log, status="1").stdout)

    def test_the_digest_shows_the_first_lines_of_the_first_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            output = "a_test.cpp:1: Failure\n" + "x" * 999 + "\n" + "".join(f"line {i}\n" for i in range(100))
            xml = "".join(f'<testcase name="cpu.{i}" status="fail"><system-out>{output}</system-out></testcase>'
                          for i in range(8))
            pathlib.Path(folder, "cpu.xml").write_text(f"<s>{xml}</s>")
            pathlib.Path(folder, "cpu.status").write_text("8\n")
            subprocess.run([sys.executable, TOOLS / "count_tests.py", folder], stdout=subprocess.DEVNULL, check=False)
            lines = pathlib.Path(folder, "failures.txt").read_text().splitlines()
        self.assertEqual(lines[:6], ["FAILED cpu: cpu.0", "    a_test.cpp:1: Failure", "    " + "x" * 140,
                                     "    ... 98 lines ...", "    line 98", "    line 99"])
        self.assertEqual(sum(line.startswith("FAILED cpu: ") for line in lines), 8)
        self.assertLess(len("\n".join(lines)), 1800)

    def test_outputs_of_failures_are_bounded(self):
        output = "a_test.cpp:1: Failure\n" + "".join(f"line {i}\n" for i in range(100))
        xml = "".join(f'<testcase name="cpu.{i}" status="fail"><system-out>{output}</system-out></testcase>'
                      for i in range(8))
        lines = self.count_step(xml=f"<s>{xml}</s>", status="8").stdout.splitlines()
        one = lines.index("FAILED cpu: cpu.0")
        self.assertEqual(sum(line.startswith("    ") for line in lines[one:]), failure_text.ALL_LINES)
        self.assertEqual(sum(line.startswith("FAILED cpu: ") for line in lines), 8)
        self.assertEqual(lines[one + 1:one + 1 + failure_text.LINES].count("    a_test.cpp:1: Failure"), 1)
        self.assertEqual(lines[one + failure_text.LINES], "    line 99")
        self.assertIn("the output of 2 more failures is in build/results/*.log", lines)


class Comparison(unittest.TestCase):
    def test_launches_are_compared_in_turns(self):
        # The machine becomes half as fast after the first of three turns.
        self.assertEqual(bench_compare.compare([10, 20, 20], [11, 22, 22], 3), (1.1, 20, 22))

    def test_load_does_not_count_if_there_are_more_launches(self):
        self.assertEqual(bench_compare.compare([99, 99, 99, 99, 10, 99], [11, 99, 99, 99, 99, 99], 3), (1.1, 10, 11))


class Hooks(unittest.TestCase):
    def count(self, *more):
        entries = [function(names[0], CHECK) for names in hook_cost.KINDS.values()]
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("".join([*entries, *more]))
            file.flush()
            done = subprocess.run([sys.executable, TOOLS / "hook_cost.py", file.name], capture_output=True, text=True)
            return done.returncode, done.stdout + done.stderr

    def test_one_check_for_each_moment_and_one_watcher_pass(self):
        two = function("two", CHECK, CHECK, ("mov    0x0(%rip),%rcx", "shl    %rcx", "je     1 <x>"))
        # One branch for the number and for another one.
        both = [function(f"both{at}", (CHECK[0], "test   %dl,%dl", "jne    90 <x>", f"or     {pair}", "jne    90 <x>"))
                for at, pair in enumerate(("%rax,%rcx", "%rcx,%rax"))]
        status, text = self.count(function("any", WATCH), two, *both)
        self.assertEqual(status, 0, text)
        self.assertIn("3 instructions at most", text)

    def test_what_costs_more_fails(self):
        watch = function("any", WATCH)
        for more, expected in (
            ("", "0 functions set the watcher's bit"),
            (watch + watch, "2 functions set the watcher's bit"),
            (watch + function("three", CHECK, CHECK, CHECK), "three checks 3 times"),
            (watch + function("locked", ("lock xadd %rax,0x0(%rip)", *CHECK[1:])), "is no plain load"),
            (watch + function("early", (CHECK[0], "shl    %rax", CHECK[2])), "asks which hooks exist before"),
            (watch + function("slow", (CHECK[0], "lea    (%rax),%rcx", CHECK[2])), "is more than a load and a branch"),
        ):
            status, text = self.count(more)
            self.assertEqual(status, 1, text)
            self.assertIn(expected, text)


class FirstMinute(unittest.TestCase):
    """In a copy of the pages."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(setattr, first_minute, "TOP", first_minute.TOP)
        copy = pathlib.Path(folder.name)
        for page in ("README.md", first_minute.INSTALL, first_minute.PAGE):
            (copy / page).parent.mkdir(exist_ok=True)
            (copy / page).write_text((first_minute.TOP / page).read_text())
        first_minute.TOP = copy

    def change(self, page, old, new):
        text = (first_minute.TOP / page).read_text()
        self.assertIn(old, text)
        (first_minute.TOP / page).write_text(text.replace(old, new))

    def rows(self):
        text = (first_minute.TOP / first_minute.PAGE).read_text()
        return {job.name: line.removeprefix(first_minute.beginning(job)) for job in first_minute.jobs()
                for line in text.splitlines() if line.startswith(first_minute.beginning(job))}

    def test_the_table_has_the_commands_of_the_pages(self):
        first_minute.compare()

    def test_changed_or_lost_commands_are_refused(self):
        self.change(first_minute.INSTALL, "-o hello/by_release", "-o hello/other")
        with self.assertRaisesRegex(first_minute.Refused, "by packages of a release.*hello/other.*measures the jobs"):
            first_minute.compare()
        self.change(first_minute.INSTALL, "```sh release", "```sh")
        with self.assertRaisesRegex(first_minute.Refused, "0 blocks 'sh release'"):
            first_minute.compare()
        self.change("README.md", "./dev demo race ", "./dev demo rice ")
        with self.assertRaisesRegex(first_minute.Refused, "do not have './dev demo race'"):
            first_minute.compare()

    def test_rows_stay_until_their_commands_change(self):
        first_minute.write({"demo": "1 | demo |", "release": "2 | release |"})
        first_minute.write({"release": "3 | release |"})
        self.assertEqual((self.rows()["demo"], self.rows()["release"]), ("1 | demo |", "3 | release |"))
        self.change(first_minute.INSTALL, "-o hello/by_release", "-o hello/other")
        first_minute.write({})
        first_minute.compare()
        self.assertEqual((self.rows()["demo"], self.rows()["release"]), ("1 | demo |", "| | | | not measured |"))

    def test_what_the_first_command_fetches_is_in_the_readme(self):
        self.change("README.md", "for the demo 0.3 GB", "for the demo 0.4 GB")
        first_minute.check_fetched(390)
        for megabytes in (290, 401):
            with self.assertRaisesRegex(first_minute.Refused, f"fetches 0.4 GB; it fetches {megabytes} MB"):
                first_minute.check_fetched(megabytes)


if __name__ == "__main__":
    unittest.main()
