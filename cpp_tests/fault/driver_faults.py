"""The fault sweep over the functions of the CUDA driver, on the test double (tests/fake_cuda).

Each function that src/cuda/base/api.rs declares fails once, with a status that affects only that call. The
program must then name the function in an error that it prints, unless the failure is a valid result (PROBES), and at the
end the test double must have everything back except what it refused to release (RELEASES). The same holds after a status
that ends a context, which the first call of each function returns once: then only the end is checked, since a context's
objects end with it and every later call may fail.
"""

import pathlib
import re

from unreported import Exemptions, met_by

DECLARATIONS = pathlib.Path(__file__).parents[2] / "src/cuda/base/api.rs"

# CUDA_ERROR_UNKNOWN, and CUDA_ERROR_LAUNCH_FAILED, which ends the context.
REFUSED, ENDED = 999, 719

# Functions whose failure is a valid result for every caller. Functions whose failure need not be reported in some
# calls are in unreported.py.
PROBES = {
    # The version is used in texts about missing functions.
    "cuDriverGetVersion",
    # Queries whether the driver knows an address. A failure means that it does not.
    "cuPointerGetAttribute",
    # Queries whether there is a further parameter. Without a result, launches are not checked.
    "cuFuncGetParamInfo",
    # Asked after a failure: whether another library holds the context. Without a result the device is opened again.
    # Made around other calls so that they do not disturb captures. Without a result they may.
    "cuThreadExchangeStreamCaptureMode",
}

# How many objects are left if a release fails: the object itself. A context that cannot be made current keeps what
# should be released in it.
RELEASES = {
    "cuCtxGetCurrent": 1,
    "cuCtxSetCurrent": 1,
    "cuDevicePrimaryCtxRelease_v2": 1,
    "cuEventDestroy_v2": 1,
    "cuIpcCloseMemHandle": 1,
    "cuMemAddressFree": 1,
    "cuMemFreeHost": 1,
    "cuMemFree_v2": 1,
    "cuMemFreeAsync": 1,
    "cuMemHostUnregister": 1,
    "cuGraphDestroy": 1,
    "cuGraphExecDestroy": 1,
    "cuMemPoolDestroy": 1,
    "cuMemRelease": 1,
    "cuMemUnmap": 1,
    # With the variables of the module that has the most.
    "cuModuleUnload": 6,
    "cuStreamDestroy_v2": 1,
}

# Objects that remain after this function has ended a context: mapped memory belongs to no context, and a failed
# context does not allow unmapping it.
LEFT_BY_ENDED = {"cuMemSetAccess": 1}


def declared():
    """The functions that the library looks up, by the first name of each."""
    text = DECLARATIONS.read_text()
    table = text[text.index("\ndriver_functions! {"):]
    return set(re.findall(r'=\s*"(cu\w+)"', table[:table.index("\n}")]))


def left_behind(output):
    """The leaks that the test double reports at the end: a mapping and its address range count as one."""
    lines = re.findall(r"fake_cuda: leak: (.*)", output)
    mapped = {line.split()[2] for line in lines if line.startswith("mapped range ")}
    return [line for line in lines if not (line.startswith("reservation ") and line.split()[1] in mapped)]


class Counts:
    """The content of FAKE_CUDA_COUNT."""

    backend = "driver"

    def __init__(self, path):
        self.failed = 0
        self.calls = dict.fromkeys(declared(), 0)
        self.written = path.exists()
        for line in path.read_text().splitlines() if self.written else []:
            what, *rest = line.split()
            if what == "failed":
                self.failed = int(rest[0])
            elif rest[0] in self.calls:
                self.calls[rest[0]] = int(rest[1])


class DriverFaults:
    variable = "FAKE_CUDA_FAIL"

    def __init__(self):
        self.exemptions = None

    def begin(self, clean, output):
        """The report and the output of the run without failures."""
        self.exemptions = Exemptions("driver", output)

    def environment(self, fault, counts):
        # Leaks are lines of the output, whatever the exit status.
        return {"FAKE_CUDA_FAIL": fault or "", "FAKE_CUDA_COUNT": str(counts),
                "FAKE_CUDA_LEAK_CHECK": "1"}

    def report(self, counts):
        return Counts(counts)

    def site(self, fault):
        return (fault or "").split(":")[0]

    def reached(self, fault, report):
        from sweep import reached

        return reached(fault, report)

    def problems(self, fault, report, output):
        if not report.written:
            return ["it wrote no counts: the driver was never loaded"]
        found = []
        function, _, status = (fault or "::").split(":")[:3]
        if report.failed != (1 if fault else 0):
            found.append(f"{report.failed} calls were made to fail, wanted {1 if fault else 0}")
        reported = function in PROBES or re.search(rf"\b{function} returned {status}\b", output)
        if status == str(REFUSED) and not reported and not self.exemptions.cover(function, output, False):
            found.append(f"no failure that it printed names {function}{met_by(output)}")
        leaks = len(left_behind(output))
        allowed = RELEASES.get(function, 0)
        if status == str(ENDED):
            allowed = LEFT_BY_ENDED.get(function, allowed)
        if leaks > allowed:
            found.append(f"{leaks} objects were not released")
        return found

    def wanted(self, report, most):
        from sweep import enough, spread

        called = sorted((function, count) for function, count in report.calls.items() if count)
        refused = [f"{function}:{call}:{REFUSED}" for function, count in called
                   for call in spread(count, enough(self.exemptions, function, most))]
        return refused + [f"{function}:1:{ENDED}" for function, _ in called]
