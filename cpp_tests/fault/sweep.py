#!/usr/bin/env python3
"""Makes each backend call that a program causes fail once, and checks the result.

usage: sweep.py [--driver | --host] [--each N | --every-site] PROGRAM [ARGUMENT...]

A clean run (PORTACL_FAULT_COUNT) counts the calls of each site. Then the program runs once for each call of each site,
with PORTACL_FAULT making that call fail; for sites whose operations are enqueued, also with a failure when the operation
runs. If a site has more than N calls (default 32), the first, the last and N - 2 between them are tried. Each run must
- end within 30 s, by itself (exit status 0 or 1: no signal, no sanitizer, no strict test double),
- report the failure: a line of its output names the site, unless the site is a probe (below) or need not be reported by
  the call that met it (unreported.py),
- have made exactly the requested failure (a call that this run did not reach is counted separately; there may be few),
- have freed every object except the one whose release failed.
With --every-site nothing fails: the clean run must call every site. This shows for a program that is swept in parts that
the parts together cover everything.

With --driver the functions of the CUDA driver fail, on the test double: driver_faults.py.
With --host allocations of host memory fail: host_faults.py.
With PORTACL_TEST_SWEEP=whole in the environment N has no effect: every call is tried.
"""

import argparse
import concurrent.futures
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from driver_faults import DriverFaults
from host_faults import HostFaults
from unreported import Exemptions, met_by

SECONDS = 30
MANY = 128

# Sites whose failure is a valid result for every caller, so no public call must fail.
PROBES = {
    # Queries whether the driver knows an address. A failure means that it does not, and the address counts as
    # pageable memory.
    "driver.foreign",
    "driver.foreign_block",
}

# Sites whose operation may fail later without a failing call: a program may destroy the stream by force, and no program
# waits for the streams of graphs. It is open which of these failures a call should report.
UNREPORTED_LATER = {"stream.hand_over", "stream.change_notify"}

# Sites that a backend does not use: if the driver has pools, the library creates none.
UNUSED = {
    "cpu": ("pools.", "pool."),
    "cuda": ("stream.mark", "stream.drain_up_to", "device.share", "driver.share_host",
             "driver.import_memory", "shared_memory."),
}


class Report:
    """The content of PORTACL_FAULT_COUNT."""

    def __init__(self, path):
        self.backend = self.state = None
        self.failed = 0
        self.calls = {}
        self.queued = set()
        self.objects = {}
        # Debug builds count their own allocations here.
        self.host = {}
        try:
            text = path.read_text()
        except FileNotFoundError:
            text = ""
        for line in text.splitlines():
            what, *rest = line.split()
            if what == "backend":
                self.backend, self.state = rest
            elif what == "failed":
                self.failed = int(rest[0])
            elif what == "calls":
                self.calls[rest[0]] = int(rest[1])
            elif what == "later":
                self.queued = {site.rstrip(",") for site in rest}
            elif what == "host":
                self.host = dict(zip(rest[0::2], map(int, rest[1::2])))
            elif what == "objects":
                self.objects[rest[0]] = dict(zip(rest[1::2], map(int, rest[2::2])))

    def problems(self, failures, kept):
        """The errors of a run in which `failures` calls should fail."""
        if self.backend is None:
            return ["it wrote no report: the backend was never opened"]
        found = []
        if self.state != "ended":
            found.append(f"the library was not finalized, or not wholly: {self.state}")
        if self.failed != failures:
            found.append(f"{self.failed} calls were made to fail, wanted {failures}")
        for kind, count in self.objects.items():
            lost = count["made"] - count["released"] - count["kept"]
            if lost != 0:
                found.append(f"{lost} of {count['made']} {kind}s were not released")
        if sum(count["kept"] for count in self.objects.values()) > kept:
            found.append(f"more than {kept} releases were made to fail")
        return found


def reached(fault, report):
    """Whether the run reached the call that should fail."""
    if fault is None or report.failed:
        return True
    site, call = fault.split(":")[:2]
    return report.calls.get(site, 0) >= int(call)


class BackendFaults:
    """Methods of the traits in src/backend/lib.rs, which PORTACL_FAULT makes fail."""

    variable = "PORTACL_FAULT"

    def __init__(self):
        self.clean = None
        self.exemptions = None

    def begin(self, clean, output):
        """The report and the output of the run without failures."""
        self.clean = clean
        self.exemptions = Exemptions(clean.backend, output)

    def environment(self, fault, counts):
        settings = {"PORTACL_FAULT": fault or "", "PORTACL_FAULT_COUNT": str(counts)}
        site = self.site(fault)
        if site.split(".")[-1].startswith("free") and site != "device.free_memory":
            # Objects that could not be released still exist at the end.
            settings["FAKE_CUDA_LEAK_CHECK"] = "0"
        return settings

    def report(self, counts):
        return Report(counts)

    def site(self, fault):
        return (fault or "").split(":")[0]

    def reached(self, fault, report):
        return reached(fault, report)

    def problems(self, fault, report, output):
        site = self.site(fault)
        found = []
        reported = not site or site in PROBES or f"of {site} fail" in output
        reported |= site in UNREPORTED_LATER and fault.endswith(":later")
        if not reported:
            again = self.clean is not None and report.calls[site] > self.clean.calls[site]
            reported = self.exemptions.cover(site, output, again)
        if not reported:
            found.append(f"no failure that it printed names {site}{met_by(output)}")
        return found + report.problems(1 if fault else 0, 1 if fault else 0)

    def wanted(self, report, most):
        return list(faults(report, most, self.exemptions))


class Sweep:
    def __init__(self, command, seconds=SECONDS, kind=None):
        self.command = command
        self.seconds = seconds
        self.kind = kind or BackendFaults()

    def run(self, fault):
        """Runs the program with one failing call (None: cleanly): its report and the errors."""
        with tempfile.TemporaryDirectory(prefix="portacl-sweep-") as folder:
            counts = pathlib.Path(folder, "counts")
            environment = dict(os.environ, **self.kind.environment(fault, counts))
            started = time.monotonic()
            try:
                done = subprocess.run(self.command, env=environment, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                      timeout=self.seconds, errors="replace")
            except subprocess.TimeoutExpired as late:
                output = (late.output or b"").decode(errors="replace")
                return self.kind.report(counts), [f"it had not ended after {self.seconds} s"], output
            took = time.monotonic() - started
            problems = []
            if done.returncode < 0:
                problems.append(f"it was ended by signal {-done.returncode} after {took:.1f} s")
            elif done.returncode > 1 or (fault is None and done.returncode != 0):
                problems.append(f"its exit status is {done.returncode}")
            if "fake_cuda: misuse" in done.stdout:
                # A program with its own exit codes does not show it by its exit status.
                problems.append("it misused the driver")
            report = self.kind.report(counts)
            if not self.kind.reached(fault, report):
                # The number of a program's queries for completion depends on time.
                return report, ["not reached"] if not problems else problems, done.stdout
            problems += self.kind.problems(fault, report, done.stdout)
            return report, problems, done.stdout


def spread(count, most):
    """Call numbers from 1 to `count`, at most `most`, the first and the last among them."""
    if count <= most:
        return list(range(1, count + 1))
    return sorted({1 + round(i * (count - 1) / (most - 1)) for i in range(most)})


def enough(exemptions, refused, most):
    """How many calls of a site to try: at least MANY if an exemption of the site must be shown to be needed."""
    return max(most, MANY) if exemptions.steady(refused) else most


def faults(report, most, exemptions):
    """Every failure to try, in the format of PORTACL_FAULT."""
    for site, count in report.calls.items():
        for call in spread(count, enough(exemptions, site, most)):
            yield f"{site}:{call}"
            if site in report.queued:
                yield f"{site}:{call}:later"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--each", type=int, default=32)
    parser.add_argument("--every-site", action="store_true")
    parser.add_argument("--driver", action="store_true")
    parser.add_argument("--host", action="store_true")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    # As an interrupt does: the runs end, and their folders are removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    if not options.command or options.each < 2:
        parser.error("a program to run, and N of at least 2")
    kind = DriverFaults() if options.driver else HostFaults() if options.host else BackendFaults()
    if os.environ.get("PORTACL_TEST_SWEEP") == "whole":
        options.each = sys.maxsize
    sweep = Sweep(options.command, options.seconds, kind)
    started = time.monotonic()
    report, problems, output = sweep.run(None)
    if problems:
        sys.exit(f"the clean run: {'; '.join(problems)}\n{output}")
    kind.begin(report, output)
    wanted = kind.wanted(report, options.each)
    never = UNUSED.get(report.backend, ())
    unused = [site for site, count in report.calls.items()
              if count == 0 and not site.startswith(never)]
    if not wanted:
        sys.exit("the program makes no backend call")
    if options.every_site:
        if unused:
            sys.exit(f"the program calls no function that causes: {', '.join(unused)}")
        print(f"{report.backend}: all {len(report.calls)} sites are called")
        return
    bad = missed = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        for done, (fault, (_, problems, output)) in enumerate(
                zip(wanted, pool.map(sweep.run, wanted)), start=1):
            if problems == ["not reached"]:
                missed += 1
            elif problems:
                bad += 1
                print(f"{kind.variable}={fault}: {'; '.join(problems)}")
                print("    " + "\n    ".join(output.splitlines()[-12:]))
            if done % 50 == 0 or done == len(wanted):
                print(f"{done}/{len(wanted)} failures tried, {bad} bad, "
                      f"{time.monotonic() - started:.1f} s", flush=True)
    unneeded = []
    if kind.exemptions:
        tried = {refused for refused, count in report.calls.items()
                 if 0 < count <= enough(kind.exemptions, refused, options.each)}
        unneeded = kind.exemptions.unneeded(tried)
    for one in unneeded:
        print(f"unreported.py: nothing needed the exemption of {one.refused} in {one.calls}: {one.why}")
    used = len(report.calls) - len(unused)
    where = "" if options.host else f" at {used} sites"
    rest = "" if options.host else f"; not called: {', '.join(unused) or 'none'}"
    print(f"{report.backend}: {len(wanted)} failures{where}, {bad} bad, {missed} calls not reached in their run{rest}")
    sys.exit(1 if bad or unneeded or missed * 5 > len(wanted) else 0)


if __name__ == "__main__":
    main()
