"""The fault sweep over host allocations of the library: the system refuses one, or all from one on.

The library counts its allocations if it is built with debug assertions, as in the suite. The program opens two sessions,
and has memory again in the second one, where nothing may fail. In the first one
- the first failing call must return 200000: out of host memory. Later calls may fail with other codes, for what they
  lack; none returns 500000, and each has a text,
- all objects are freed, and so is all host memory that a run without failures frees.
"""

import re

OUT_OF_HOST_MEMORY = "200000"
INTERNAL_ERROR = "500000"

# How much the number of live blocks varies between runs, because threads cache some.
SLACK = 4


class HostFaults:
    variable = "PORTACL_TEST_HOST_FAULT"

    def __init__(self):
        self.clean = None
        # No call need report a failure, because the reserve may serve it.
        self.exemptions = None

    def begin(self, clean, output):
        """The report and the output of the run without failures."""
        self.clean = clean

    def environment(self, fault, counts):
        # "12", "12+", and "12+:0", in which calls are refused as soon as the reserve is in use.
        number, _, reserve = (fault or "").partition(":")
        settings = {"PORTACL_TEST_HOST_FAULT": number, "PORTACL_FAULT_COUNT": str(counts),
                    "EVERY_CALL_LIVES": "2"}
        return dict(settings, PORTACL_TEST_HOST_RESERVE=reserve) if reserve else settings

    def report(self, counts):
        from sweep import Report

        return Report(counts)

    def reached(self, fault, report):
        return fault is None or report.host.get("refused", 0) > 0

    def problems(self, fault, report, output):
        found = report.problems(0, 0)
        if not report.host:
            return found + ["the library has not counted its allocations: debug assertions are off"]
        lives = output.split("second session\n")
        if len(lives) != 2:
            return found + ["there was no second session"]
        codes = re.findall(r" returned (\d+)(?!\d|, as expected)", lives[0])
        if codes and codes[0] != OUT_OF_HOST_MEMORY:
            found.append(f"the first call that failed returned {codes[0]}, not {OUT_OF_HOST_MEMORY}")
        if INTERNAL_ERROR in codes:
            found.append("a call returned 500000")
        if "NO TEXT" in output:
            found.append("a failure has no text")
        if self.clean and report.host["live"] > self.clean.host["live"] + SLACK:
            found.append(f"{report.host['live']} blocks of host memory were not freed, "
                         f"{self.clean.host['live']} without refusals")
        return found

    def wanted(self, report, most):
        from sweep import spread

        # Half of the allocations are of the second session.
        numbers = spread(report.host["all"] // 2, most)
        return [f"{number}{kind}" for number in numbers for kind in ("", "+", "+:0")]
