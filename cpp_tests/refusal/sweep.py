#!/usr/bin/env python3
"""Makes the kernel refuse each system call that the library makes, and checks the result.

usage: sweep.py [--most N] [--calls CALL,...] REFUSE LIBRARY [--parts PART,...] PROGRAM [ARGUMENT...]

REFUSE is the program of refuse.cpp, LIBRARY a part of the name of the library's file. A clean run counts the calls that
the library makes. Then the program runs once for each call and each of three errors, with all of these calls refused; and
with one of them refused: the first, the last, and some between. With --calls only these calls are refused. With --parts it does so once for each PART, which becomes
the program's first argument. At most N of all these runs are made, some for every call; PORTACL_TEST_REFUSALS overrides
N, 0: all. Each run must
- end within 60 s, by itself, with exit status 0 or 1,
- not panic, and return no code for an internal error (500000),
- have a text for each failure, which names a refused call and the error, or a reason in ALLOWED why it says something
  else that is true,
- say nothing about the program that cannot follow from a refused call (UNTRUE).
"""

import argparse
import collections
import concurrent.futures
import errno
import hashlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

ERRORS = (errno.EPERM, errno.ENOSYS, errno.ENOMEM)
# Calls between the first and the last.
BETWEEN = 4
SKIPPED = 77
SECONDS = 75

# What texts call a system call if that is not its name: the file that is opened or read, or the function of the C
# library.
WORDS = {
    "open": ("open", "/proc/", "/sys/", "/dev/"),
    "openat": ("open", "cannot be read", "cannot be written", "/proc/", "/sys/", "/dev/"),
    "read": ("read", "/proc/", "/sys/"),
    "newfstatat": ("fstat",),
    "statx": ("stat", "cannot be read", "/proc/", "/sys/"),
    "readlink": ("readlink", "/proc/"),
    "pread64": ("pread",),
    "pwrite64": ("pwrite",),
    "fcntl": ("fcntl", "dup"),
    "clone": ("thread",),
    "clone3": ("thread",),
}

# Calls that have other errors.
OTHER_ERRORS = {
    # The kernel never returns ENOMEM for it, and Rust's hash tables panic then.
    "getrandom": (errno.EPERM, errno.ENOSYS),
    # The C library maps every error to these.
    "clone": (errno.EAGAIN, errno.EPERM),
    "clone3": (errno.EAGAIN, errno.EPERM),
}

# Statements about the program that a refused call does not justify.
UNTRUE = (
    r"nothing is mapped",
    r"has ended",
    r"is damaged",
    r"is unsafe to load",
    r"has a damaged file",
    r"does not exist any longer",
    r"cannot be imported any longer",
    r"has finalized the library",
    r"(of|from|by|with) another (backend|version)",
    r"does not belong to an exported",
    r"there is no memory",
)


class Run:
    """A run, and its result."""

    def __init__(self, part, call, error, number):
        self.part, self.call, self.error, self.number = part, call, error, number

    def __str__(self):
        which = f"number {self.number}" if self.number else "forever"
        of = f" in {self.part}" if self.part else ""
        return f"{self.call} refused {which} by {errno.errorcode[self.error]}{of}"

    def place(self):
        """Where it is in a sample: anywhere, but always the same."""
        return hashlib.sha256(str(self).encode()).hexdigest()


class Sweep:
    def __init__(self, refuse, library, command):
        self.refuse, self.library, self.command = refuse, library, command

    def start(self, part, how):
        """Runs the program: its exit status, output and report."""
        command = self.command[:1] + ([part] if part else []) + self.command[1:]
        with tempfile.TemporaryDirectory(prefix="portacl-refused-") as folder:
            report = pathlib.Path(folder, "report")
            environment = dict(os.environ, PORTACL_TEST_FOLDER=folder)
            for name, value in os.environ.items():
                if name.startswith("PORTACL_"):
                    environment[name] = value.replace("FOLDER", folder)
            try:
                done = subprocess.run(
                    [self.refuse, *how, self.library, str(report), *command], stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, errors="replace", timeout=SECONDS,
                    env=environment)
            except subprocess.TimeoutExpired as late:
                return 124, (late.output or b"").decode(errors="replace"), ""
            return done.returncode, done.stdout, report.read_text() if report.exists() else ""

    def count(self, part):
        status, output, report = self.start(part, ["count"])
        if status == SKIPPED:
            print(f"skipped: {report.strip()}")
            sys.exit(SKIPPED)
        if status != 0:
            sys.exit(f"the clean run: exit status {status}\n{output}{report}")
        counts = dict(line.split() for line in report.splitlines())
        del counts["refused"]
        return {name: int(count) for name, count in counts.items()}

    def problems(self, run):
        status, output, report = self.start(run.part, [run.call, str(run.error), str(run.number)])
        found = []
        if "hung" in report or status == 124:
            found.append("it did not end")
        elif status > 128:
            found.append(f"it was ended by signal {status - 128}")
        elif status not in (0, 1):
            found.append(f"its exit status is {status}")
        refused = re.search(r"^refused (\d+)$", report, re.M)
        if refused and int(refused[1]) == 0 and not found:
            # The number of some calls depends on time.
            return ["not reached"], output
        found += wrong_words(run, output)
        return found, output + report


def failures(output):
    """The calls that failed: each with its code and text."""
    return [(match[1].strip(), int(match[2]), match[3])
            for match in re.finditer(r"^(.*) returned (\d+)(?:, as expected)?: (.*)$", output, re.M)
            if ", as expected: " not in match[0]]


def wrong_words(run, output):
    found = []
    if "panicked at" in output:
        found.append("it panicked")
    # The second process of the seed may have been refused. Its own lines are in the output, too.
    wrong = output
    if failures(output):
        wrong = re.sub(r"WRONG: the other process (exports|ends well)", "", output)
    if "WRONG:" in wrong:
        found.append("a result is wrong")
    words = WORDS.get(run.call, (run.call,))
    for call, code, text in failures(output):
        if code == 500000:
            found.append(f"{call} returned {code}")
        if text == "NO TEXT":
            found.append(f"{call} has no text")
            continue
        said = f"(os error {run.error})" in text and any(word in text for word in words)
        if not said and not is_allowed(run, call, text):
            found.append(f"{call} does not say what was refused: {text}")
        found += [f"{call} says what it cannot know: {text}" for untrue in UNTRUE if re.search(untrue, text)]
    return found


# Other true texts: the call that failed, the refused call, and the text, as patterns; and the reason.
IMPORTS = r"aclrt(Ipc|Mem\w*Import|Notify\w*Import|Event\w*Import|IpcOpen)"
ALLOWED = (
    (IMPORTS, r".*", r"(key|handle) is empty|is not a shareable handle|must be an open descriptor|is not an exported pointer|is 0;",
     "the other process of the seed has been refused, and has exported nothing"),
    (IMPORTS, r"accept4|recvmsg|getsockopt|sendmsg|poll|write|close|newfstatat|fcntl", r"does not answer|closed the connection without an answer",
     "the other process has been refused, and cannot tell"),
    (r"acl", r"clone3?", r"returned 2 CUDA_ERROR_OUT_OF_MEMORY",
     "the driver had to start a thread, and its error does not say so"),
    (r"aclFinalize", r".*", r"nothing to finalize", "aclInit has failed before, and has said why"),
    (r"acl", r"clone3?", r"is changing a task group",
     "aclmdlRICaptureTaskUpdateEnd has refused to end the change, and has said why"),
    (r"acl", r"pwrite64|pread64|fcntl", r"locked the process|the process is backed up",
     "a snapshot cannot be brought back, which a call before has said"),
)


def is_allowed(run, call, text):
    return any(re.match(calls, call) and re.fullmatch(refused, run.call) and re.search(says, text)
               for calls, refused, says, _ in ALLOWED)


def runs(counts, only):
    """Every possible run, or those of the calls in `only` if there are any; `counts` by part and call."""
    for part, calls in counts.items():
        for call, count in calls.items():
            if only and call not in only:
                continue
            numbers = {1, count} | {1 + i * (count - 1) // (BETWEEN + 1) for i in range(1, BETWEEN + 1)}
            for error in OTHER_ERRORS.get(call, ERRORS):
                for number in [0, *sorted(numbers)]:
                    yield Run(part, call, error, number)


def sample(every, most):
    """At most `most` runs, the same number for each call if possible."""
    by_call = collections.defaultdict(list)
    for run in sorted(every, key=Run.place):
        by_call[run.call].append(run)
    for of_call in by_call.values():
        # Permanent refusals show the most.
        of_call.sort(key=lambda run: run.number != 0)
        for_ever = next((i for i, run in enumerate(of_call) if run.number != 0), len(of_call))
        # Alternates between a permanent and a single refusal.
        lasting, passing = of_call[:for_ever], of_call[for_ever:]
        of_call[:] = [run for pair in zip(lasting, passing) for run in pair]
        of_call += lasting[len(passing):] + passing[len(lasting):]
    chosen = []
    while len(chosen) < most and any(by_call.values()):
        chosen += [of_call.pop(0) for of_call in by_call.values() if of_call]
    return chosen[:most]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--most", type=int, default=sys.maxsize)
    parser.add_argument("--calls", default="")
    parser.add_argument("--parts", default="")
    parser.add_argument("refuse")
    parser.add_argument("library")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    # As an interrupt does: the runs end, and their folders are removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    sweep = Sweep(options.refuse, options.library, options.command)
    started = time.monotonic()
    counts = {part: sweep.count(part) for part in options.parts.split(",")}
    # The check that runs all of them sets 0.
    most = int(os.environ.get("PORTACL_TEST_REFUSALS", options.most)) or sys.maxsize
    wanted = sample(runs(counts, options.calls.split(",") if options.calls else []), most)
    if not wanted:
        sys.exit("the library makes no system call")
    bad = missed = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        for run, (found, output) in zip(wanted, pool.map(sweep.problems, wanted)):
            if found == ["not reached"]:
                missed += 1
            elif found:
                bad += 1
                verdict = f"{run}: {'; '.join(found)}"
                # It stands last, because what shows a failed test shows its last lines.
                print("    " + "\n    ".join([*output.splitlines()[-12:], verdict]), flush=True)
    names = sorted({run.call for run in wanted})
    print(f"{len(wanted)} refusals of {len(names)} calls, {bad} bad, {missed} not reached, "
          f"{time.monotonic() - started:.1f} s: {', '.join(names)}")
    sys.exit(1 if bad or missed * 5 > len(wanted) else 0)


if __name__ == "__main__":
    main()
