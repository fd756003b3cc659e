#!/usr/bin/env python3
"""Counts what ./dev test ran: a table, then the line "N passed, N failed".

usage: count_tests.py RESULTS GTEST_RESULTS

RESULTS has NAME.log and NAME.status of every step, and LABEL.xml (JUnit) of every ctest run;
GTEST_RESULTS has LABEL.noun.json of every GoogleTest program, so that its cases are counted instead of the program.
A step that failed without a failed test, or ran no test, counts as one failure.
"""

import json
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree


def from_cargo(log):
    """(passed, failed, skipped) from the summary lines of cargo test and cargo nextest."""
    passed = failed = skipped = 0
    for line in re.sub(r"\x1b\[[0-9;]*m", "", log).splitlines():
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


def main():
    results, gtest_results = map(pathlib.Path, sys.argv[1:3])
    total = [0, 0]
    for status_file in sorted(results.glob("*.status"), key=lambda path: path.stat().st_mtime_ns):
        name = status_file.stem
        xml = results / f"{name}.xml"
        if xml.exists():
            passed, failed, skipped = from_ctest(xml, gtest_results)
        else:
            passed, failed, skipped = from_cargo((results / f"{name}.log").read_text(errors="replace"))
        broken = status_file.read_text().strip() != "0"
        ran_nothing = passed == 0 and not name.startswith("build-")
        if (broken or ran_nothing) and failed == 0:
            failed = 1
        total[0] += passed
        total[1] += failed
        if passed or failed or skipped:
            print(f"{name:14} {passed:6} passed {failed:4} failed" + (f" {skipped:4} skipped" if skipped else ""))
    print(f"{total[0]} passed, {total[1]} failed")
    # Running no test is no success.
    return 0 if total[1] == 0 and total[0] > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
