#!/usr/bin/env python3
"""Runs what a machine with a GPU can tell about this library, in the order of what is least known, and keeps results.

usage: ./run [--minutes N] [--jobs N] [--only STEP[,STEP...]] [--archive FILE] [RESULTS_DIRECTORY]
  --minutes N   ends before N minutes have passed; the same command then continues with what has no result
  --jobs N      runs tests in N processes at a time (default: half of the processors, at most 8)
  --only STEPS  only these steps
  --archive F   writes the results so far into this tar.gz file, at most 16 MiB (default: RESULTS_DIRECTORY.tar.gz)
What has a result in RESULTS_DIRECTORY (default: results) does not run again.
"""

import argparse
import concurrent.futures
import dataclasses
import datetime
import itertools
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

import steps
from program import Tests, whole
from results import FINE, Results

MOST = 10  # failed tests of a program that are printed
LAST = 8  # seconds that the end of a run takes


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--jobs", type=int, default=max(1, min(8, (os.cpu_count() or 2) // 2)))
    parser.add_argument("--only", type=lambda text: [int(step) for step in text.split(",")], default=list(steps.TITLES))
    parser.add_argument("--archive")
    parser.add_argument("results", nargs="?", default="results")
    return parser.parse_args()


def facts():
    """What the results are about."""
    about = pathlib.Path("about.txt").read_text().splitlines()
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        card = subprocess.run(query, check=True, capture_output=True, text=True, timeout=60).stdout.splitlines()[0]
    except (OSError, IndexError, subprocess.SubprocessError):
        sys.exit("run: nvidia-smi finds no GPU here")
    name, driver = card.rsplit(", ", 1)
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    return {"about": "; ".join(about), "card": name, "driver": driver, "date": today,
            "compute_sanitizer": bool(steps.sanitizer())}


class Run:
    def __init__(self, wanted):
        self.began, self.wanted = time.monotonic(), wanted
        self.seconds = wanted.minutes * 60 - LAST if wanted.minutes else float("inf")
        archive = wanted.archive or f"{wanted.results.rstrip('/')}.tar.gz"
        self.results = Results(wanted.results, archive, facts(), steps.suite())
        self.printing = threading.Lock()
        self.cut = []

    def left(self):
        return self.seconds - (time.monotonic() - self.began)

    def say(self, text):
        with self.printing:
            print(text, flush=True)

    def save_until(self, event):
        while not event.wait(10):
            self.results.save()

    def without_results(self, item):
        """The item, or what is left of it under a name of its own if some of its tests have results, or None."""
        done, rest = set(), item
        while rest.name in self.results.rows:
            done |= {case["test"] for case in self.results.rows[rest.name].get("tests", [])}
            left = [test for test in item.tests if test not in done]
            rest = dataclasses.replace(rest, name=f"{rest.name}+", tests=left)
            if not rest.tests:
                return None
        return rest

    def one(self, item, until):
        """Runs an item that has no result, at most until a time."""
        item = self.without_results(item)
        left, began = until - time.monotonic(), time.monotonic()
        if item is None:
            return
        if left < 2:
            self.cut.append(item)
            return
        log = self.results.log(item.name)
        more = {"CUDA_DEVICE_MAX_CONNECTIONS": item.queues} if item.queues else {}
        row = {"name": item.name, "step": item.step}
        if item.command:
            result, reason = whole(item.command, log, min(item.patience, left), more, item.step in (4, 7))
            if result == "hangs" and left < item.patience:
                self.cut.append(item)
                return
            row |= {"result": result, "cases": cases_in(log)} | ({"reason": reason} if reason else {})
        else:
            # A context takes a quarter of a second, and nearly each test opens the device.
            more |= {"PORTACL_TEST_HOLD_CONTEXT": item.hold}
            tests = Tests(item.before, item.program, item.tests, log, until, more, item.patience)
            if not tests.run():
                row["cut"] = True
            fine = all(case["result"] in FINE for case in tests.cases.values()) and not tests.exits
            ran = any(case["result"] != "skipped" for case in tests.cases.values())
            result = "failed" if not fine else "passed" if ran or not tests.cases else "skipped"
            row |= {"result": result, "program": pathlib.Path(item.program).name, "cases": len(tests.cases),
                    "tests": list(tests.cases.values())}
            row |= {"reason": "; ".join(tests.exits)} if tests.exits else {}
        took = time.monotonic() - began
        # Seconds since 1970: a run in two calls has one clock.
        row["began"], row["milliseconds"] = round(time.time() - took, 3), round(took * 1000)
        self.note(row, item, log)

    def note(self, row, item, log):
        cut = row.pop("cut", False)
        self.say(f"{item.name:<34} {'time is over' if cut else row['result']:<12} {row['cases']:>5} cases "
                 f"{row['milliseconds']:>8} ms" + (f"  {row['reason']}" if "reason" in row else ""))
        wrong = [case for case in row.get("tests", []) if case["result"] not in FINE]
        for case in wrong[:MOST]:
            self.say(f"    {case['result']}: {case['test']}: {case.get('reason', '')[:200]}")
        if wrong[MOST:]:
            self.say(f"    and {len(wrong) - MOST} more")
        if item.name.startswith("bench.") and row["result"] == "passed" or item.name == "queues":
            self.say(log.read_text(errors="replace").rstrip())
        if cut:
            self.cut.append(item)
        if row["cases"] or not cut:
            self.results.add(row)

    def all(self, items, until):
        """Runs items in their order, those side by side that bear others beside them."""
        for alone, group in itertools.groupby(items, lambda item: item.alone):
            with concurrent.futures.ThreadPoolExecutor(1 if alone else self.wanted.jobs) as pool:
                for job in [pool.submit(self.one, item, until) for item in group]:
                    job.result()

    def step(self, number, items):
        share = steps.SHARES[number] * self.seconds
        until = time.monotonic() + min(share, self.left())
        self.say(f"\n== {number}. {steps.TITLES[number]}")
        began = time.monotonic()
        self.all(items, until)
        self.say(f"== {number}. took {time.monotonic() - began:.0f} s")

    def again(self):
        """Tests that failed beside others run once more, each in a process of its own."""
        failed = [(row, case) for row in self.results.rows.values() if row["step"] == 7 for case in row.get("tests", [])
                  if case["result"] not in FINE and len(row["tests"]) > 1]
        items = [steps.Item(7, f"alone.{row['program']}.{case['test']}", program=f"tests/{row['program']}",
                            tests=[case["test"]], alone=True, hold="", patience=60) for row, case in failed]
        if items:
            self.say("\n== alone")
            self.all(items, time.monotonic() + self.left())


    def end(self, late):
        """Writes the results, and says what they are. Returns the status."""
        self.results.save(every=0)
        found = self.results.verdicts()
        wrong = sorted(test for test, result in found.items() if result not in FINE)
        rows = self.results.rows.items()
        programs = sorted(name for name, row in rows if row["result"] not in FINE and "tests" not in row)
        exits = sorted(name for name, row in rows if "tests" in row and "reason" in row)
        counts = {result: list(found.values()).count(result) for result in sorted(set(found.values()))}
        self.say(f"\n{len(rows)} programs; tests: " + ", ".join(f"{n} {result}" for result, n in counts.items()))
        for name in wrong + programs + exits:
            self.say(f"    not passed: {name}")
        self.say(f"results: {self.results.folder}, {self.results.archive}, after {time.monotonic() - self.began:.0f} s")
        if late:
            self.say(f"{len(late)} programs are left: run the same command again")
        return 1 if wrong or programs or exits or late else 0


def cases_in(log):
    """The number of tests that passed in a program that counts them as GoogleTest does."""
    found = re.findall(r"^\[  PASSED  \] (\d+) test", log.read_text(errors="replace"), re.MULTILINE)
    return int(found[-1]) if found else 0


def main():
    os.chdir(pathlib.Path(__file__).resolve().parents[1])
    run = Run(arguments())
    about = run.results.facts
    print(f"{about['about']}\nGPU: {about['card']}, driver {about['driver']}", flush=True)
    planned = [item for item in steps.items(sys.executable) if item.step in run.wanted.only]
    # The archive is never older than this, whatever takes long.
    beat = threading.Event()
    threading.Thread(target=run.save_until, args=(beat,), daemon=True).start()
    for number in run.wanted.only:
        run.step(number, [item for item in planned if item.step == number])
    if 7 in run.wanted.only:
        run.again()
    late, run.cut = run.cut, []
    if late and run.left() > 5:
        run.say("\n== what is left of the steps")
        run.all(late, time.monotonic() + run.left())
        late = run.cut
    beat.set()
    sys.exit(run.end(late))


if __name__ == "__main__":
    main()
