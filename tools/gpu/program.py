"""Runs one program of the pack, or tests of one, where a test that crashes or hangs ends its process only."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

import hang

# Seconds without a test that ends: of tests in one process, of tests that start others.
INSIDE, PROCESS = 30, 90


def environment(more):
    """The environment of a program, without settings that change what the suite means."""
    chosen = {name: value for name, value in os.environ.items()
              if not name.startswith("PORTACL_") and name != "FAKE_CUDA_LEAK_CHECK"}
    libraries = f"{pathlib.Path('lib').resolve()}:{pathlib.Path('benches').resolve()}"
    chosen["LD_LIBRARY_PATH"] = ":".join(filter(None, [libraries, os.environ.get("LD_LIBRARY_PATH")]))
    chosen.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "8")
    chosen |= {"PORTACL_BACKEND": "cuda", "PORTACL_TEST_NO_SKIPS": "1", "PORTACL_TEST_ON_GPU": "1",
               "PYTHONDONTWRITEBYTECODE": "1"}
    return chosen | more


class Running:
    """A process in a session of its own, with its output in a log, and its driver calls written down if `watched`."""

    def __init__(self, command, log, more=(), watched=True):
        self.log, self.folder = log, tempfile.mkdtemp(prefix="portacl-run-")
        calls = {}
        if watched and os.path.exists("lib/libcalls.so"):
            calls = {"LD_PRELOAD": str(pathlib.Path("lib/libcalls.so").resolve()), "PORTACL_TEST_CALLS": self.folder}
        self.events = os.path.join(self.folder, "events")
        own = {"PORTACL_TEST_EVENTS": self.events, **calls, **dict(more)}
        with open(log, "ab") as output:
            # What cannot be executed says so in the log.
            self.process = subprocess.Popen(["/bin/sh", "-c", 'exec "$0" "$@"', *command], stdin=subprocess.DEVNULL,
                                            stdout=output, stderr=subprocess.STDOUT, env=environment(own),
                                            start_new_session=True)

    def write(self, text):
        with open(self.log, "a") as log:
            log.write(f"\n{text}\n")

    def stop(self):
        """Ends the process. Its log gets what its threads did."""
        self.write("stopped: it does not end\n" + hang.report(self.process.pid, self.folder))
        hang.end(self.process.pid)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.write("it does not end after SIGKILL either: it is in a call of the kernel")

    def close(self):
        if self.process.poll() not in (None, 0, 1, 77):
            self.write(f"ended with {ending(self.process.returncode)}\n{hang.after_end(self.folder)}")
        # What a test started may still be there.
        hang.end(self.process.pid)
        shutil.rmtree(self.folder, ignore_errors=True)


def ending(status):
    return f"signal {-status} ({signal.strsignal(-status)})" if status < 0 else f"status {status}"


def whole(command, log, patience, more=(), watched=False):
    """Runs a program to its end, at most `patience` seconds. Returns result, reason."""
    log.write_bytes(b"")
    running = Running(command, log, more, watched)
    try:
        status = running.process.wait(patience)
    except subprocess.TimeoutExpired:
        running.stop()
        return "hangs", f"stopped after {patience:.0f} s"
    finally:
        running.close()
    said = [line.removeprefix("skipped: ") for line in log.read_text(errors="replace").splitlines()
            if line.startswith("skipped: ")]
    if status == 77:
        return "skipped", "; ".join(said)
    return ("passed", "") if status == 0 else ("failed", ending(status))


class Tests:
    """Tests of a program with main() of cpp_tests/support: each has a result, whatever the others do."""

    def __init__(self, before, program, tests, log, deadline, more=(), patience=None):
        self.command, self.left, self.log, self.deadline = [*before, f"./{program}"], list(tests), log, deadline
        self.more, self.patience, self.cases = dict(more), patience or INSIDE, {}
        self.exits = []

    def run(self):
        """Returns whether all tests have a result: false if the time is over."""
        # The archive may be reading it.
        self.log.write_bytes(b"")
        while self.left:
            if not self._process():
                return False
        return True

    def _process(self):
        """One process, for all tests that are left."""
        wanted, seen, current = set(self.left), 0, None
        filtered = f"--gtest_filter={':'.join(self.left)}"
        running = Running([*self.command, filtered, "--gtest_color=no"], self.log, self.more)
        last = time.monotonic()
        try:
            while True:
                ended = running.process.poll() is not None
                lines = self._lines(running.events)
                for line in lines[seen:]:
                    last = time.monotonic()
                    current = self._note(line) or None
                seen = len(lines)
                if ended:
                    return self._ended(running.process.returncode, current, wanted, seen)
                late = time.monotonic() - last > self.patience
                if late or time.monotonic() > self.deadline:
                    running.stop()
                    if not late:
                        return False
                    self._result(current or self.left[0], "hangs", f"nothing ended for {self.patience} s")
                    return True
                time.sleep(0.02)
        finally:
            running.close()

    @staticmethod
    def _lines(path):
        try:
            data = pathlib.Path(path).read_bytes().decode(errors="replace")
        except OSError:
            return []
        # A text of a test may have other ends of lines.
        return data.split("\n")[:-1]

    def _note(self, line):
        """Takes a line of cpp_tests/support/suite/events.h. Returns the test that runs now, if one does."""
        kind, test, *rest = line.split("\t", 3)
        if kind == "run":
            return test
        self._result(test, kind, rest[1] if len(rest) > 1 else "", int(rest[0]))
        return None

    def _result(self, test, result, reason="", milliseconds=0):
        self.cases[test] = {"test": test, "result": result, "ms": milliseconds} | ({"reason": reason} if reason else {})
        if test in self.left:
            self.left.remove(test)

    def _ended(self, status, current, wanted, seen):
        if current:
            self._result(current, "crashes", ending(status))
        elif seen == 0:
            # The next process would do the same.
            for test in list(self.left):
                self._result(test, "failed", f"the program ran no test: {ending(status)}")
        elif self.left and not wanted - set(self.left):
            self._result(self.left[0], "failed", "the program does not have it")
        elif status not in (0, 1):
            self.exits.append(ending(status))
        elif self.left:
            self._result(self.left[0], "failed", f"the program ended before it: {ending(status)}")
        return True
