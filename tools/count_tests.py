#!/usr/bin/env python3
"""Counts what ./dev test ran: a table with times, the slowest tests, the names of the failed tests with the output that
says why, then the line "N passed, N failed".

usage: count_tests.py RESULTS

RESULTS has NAME.log, NAME.status and NAME.seconds of every step, NAME.xml (JUnit) of every step that is a run of ctest,
NAME.times.xml (JUnit) of one that runs Rust tests (one that prints "skipped: REASON" counts as skipped), and
NAME.cases/TEST.json of every GoogleTest program in it, so that the program's cases are counted instead of the program.
NAME.leftovers lists the files that a step left in TMPDIR, which is a failed test. Writes a digest of the failures into
failures.txt there. Steps may run at once; all.seconds is the time of all. A step that failed without a failed test, or
ran no test, counts as one failure.
"""

import json
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

import failure_text


def failed_in_cargo(log):
    """The names of the failed tests in the output of cargo test and cargo nextest, doc tests included."""
    patterns = (r"\s+(?:FAIL|SIG[A-Z]+|TIMEOUT|ABORT|LEAK-FAIL) \[[^]]*\] (?:\([^)]*\) )?(.+)",
                r"(?:test )?(\S.*?)(?: \.\.\.| ---) FAILED")
    matches = (re.match(pattern, line) for line in plain(log).splitlines() for pattern in patterns)
    return list(dict.fromkeys(match[1].strip() for match in matches if match))


def failed_in_ctest(xml, log):
    """The failed tests of one ctest run: their names and outputs, with how the program ended if not by itself."""
    ends = {name: f"ctest: {end.replace('***', ' ').strip()}"
            for name, end in re.findall(r" Test +#\d+: (\S+) \.+(?!\.)(.*\*\*\*(?!Failed).*)", log)}
    return {(name := case.get("name")): "\n".join((plain(case.findtext("system-out") or ""), ends.get(name, "")))
            for case in ElementTree.parse(xml).getroot().iter("testcase") if case.get("status") == "fail"}


def plain(log):
    """The log without terminal colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", log)


def from_cargo(log):
    """(passed, failed, skipped) from the summary lines of cargo test and cargo nextest."""
    passed = failed = skipped = 0
    for line in plain(log).splitlines():
        match = re.match(r"test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored", line)
        if match:
            passed, failed, skipped = (a + int(b) for a, b in zip((passed, failed, skipped), match.groups()))
        if re.match(r"\s+Summary \[", line):
            for number, word in re.findall(r"(\d+) (passed|failed|timed out|skipped)", line):
                if word == "passed":
                    passed += int(number)
                elif word == "skipped":
                    skipped += int(number)
                else:
                    failed += int(number)
    return passed, failed, skipped


def skipped_inside(xml):
    """How many Rust tests passed and printed a line that says that they skipped themselves."""
    cases = ElementTree.parse(xml).getroot().iter("testcase") if xml.exists() else ()
    return sum(case.find("failure") is None and case.find("error") is None and
               any(line.startswith("skipped: ") for end in ("out", "err")
                   for line in plain(case.findtext(f"system-{end}") or "").splitlines())
               for case in cases)


def from_ctest(xml, gtest_results):
    """(passed, failed, skipped) of one ctest run."""
    passed = failed = skipped = 0
    for case in ElementTree.parse(xml).getroot().iter("testcase"):
        status = case.get("status")
        cases = gtest_results / f"{case.get('name')}.json"
        counts = None
        if cases.exists():
            try:
                report = json.loads(cases.read_text())
            except ValueError:
                report = None  # the program crashed while it wrote the report
            if report:
                bad = report["failures"] + report.get("errors", 0)
                passed_over = sum(
                    test.get("result") == "SKIPPED"
                    for suite in report["testsuites"] for test in suite["testsuite"])
                counts = report["tests"] - report["disabled"] - bad - passed_over, bad, passed_over
        if counts is None:
            counts = (status == "run", status == "fail", status not in ("run", "fail"))
        if status == "fail" and counts[1] == 0:
            counts = (counts[0], 1, counts[2])
        passed, failed, skipped = (a + int(b) for a, b in zip((passed, failed, skipped), counts))
    return passed, failed, skipped


def seconds_of(results, name):
    """How long a step took, or all of them; 0 if that is unknown."""
    path = results / f"{name}.seconds"
    return int(path.read_text()) if path.exists() else 0


SLOWEST = 20


def slowest(results):
    """The lines of the tests that took longest, if any times are known."""
    times = []
    for xml in results.glob("*.xml"):
        step = xml.name.removesuffix(".times.xml") if xml.name.endswith(".times.xml") else ""
        for case in ElementTree.parse(xml).getroot().iter("testcase"):
            name = " ".join(filter(None, (step, case.get("name"))))
            times.append((float(case.get("time") or 0), name))
    times.sort(reverse=True)
    lines = [f"{seconds:7.1f} s  {name}" for seconds, name in times[:SLOWEST]]
    return [f"the slowest tests, of {len(times)}:", *lines] if lines else []


def of_step(results, name, broken):
    """(passed, failed, skipped) of one step, and its failures: names and outputs."""
    xml = results / f"{name}.xml"
    log_file = results / f"{name}.log"
    log = plain(log_file.read_text(errors="replace")) if log_file.exists() else ""
    if xml.exists():
        passed, failed, skipped = from_ctest(xml, results / f"{name}.cases")
        failures = failed_in_ctest(xml, log)
    else:
        passed, failed, skipped = from_cargo(log)
        inside = skipped_inside(results / f"{name}.times.xml")
        passed, skipped = passed - inside, skipped + inside
        failures = {test: failure_text.of_cargo(log, test) for test in failed_in_cargo(log)}
    ran_nothing = passed == 0 and not name.startswith("build-")
    if (broken or ran_nothing) and failed == 0:
        failed = 1
        failures = failures or {"the step itself: it ran no test, or its command failed": log}
    leftovers = results / f"{name}.leftovers"
    if leftovers.exists():
        failed += 1
        failures["leftovers"] = f"these files were left in TMPDIR:\n{leftovers.read_text()}"
    return passed, failed, skipped, failures


def main():
    results = pathlib.Path(sys.argv[1])
    total = [0, 0]
    all_failures = []
    for status_file in sorted(results.glob("*.status"), key=lambda path: path.stat().st_mtime_ns):
        name = status_file.stem
        broken = status_file.read_text().strip() != "0"
        passed, failed, skipped, failures = of_step(results, name, broken)
        all_failures += ((f"FAILED {name}: {test}", output) for test, output in failures.items())
        total[0] += passed
        total[1] += failed
        seconds = seconds_of(results, name)
        print(f"{name:19} {passed:6} passed {failed:4} failed {skipped:4} skipped {seconds:5} s")
    print(f"{'all':19} {total[0]:6} passed {total[1]:4} failed {'':12} {seconds_of(results, 'all'):5} s")
    (results / "failures.txt").write_text("".join(f"{line}\n" for line in failure_text.digest_of_all(all_failures)))
    print("\n".join([*slowest(results), *failure_text.of_all(all_failures), f"{total[0]} passed, {total[1]} failed"]))
    # Running no test is no success.
    return 0 if total[1] == 0 and total[0] > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
