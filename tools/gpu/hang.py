"""What the threads of processes do that do not end: from /proc, and from the calls that lib/libcalls.so wrote down."""

import os
import pathlib
import signal
import struct
import time

# As in cpp_tests/support/suite/calls.cpp: a file for each process, with a place for each thread, which has its last
# calls.
CALLS, CALL = 8, struct.Struct("<QQq40s")
PLACE = struct.Struct("<Iiqqqqqq")


def session(leader):
    """The processes of a session."""
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(") ")[2].split()
            except OSError:
                continue
            if int(fields[3]) == leader:
                yield int(entry.name)


def text(path):
    try:
        return pathlib.Path(path).read_text(errors="replace").strip()
    except OSError as error:
        return f"({error.strerror})"


def calls(folder, process):
    """The last driver calls of each thread of a process: {thread: [text, the latest last]}."""
    try:
        data = (pathlib.Path(folder) / str(process)).read_bytes()
    except OSError:
        return {}
    found, size, now = {}, PLACE.size + CALLS * CALL.size, time.monotonic_ns()
    for at in range(0, len(data) // size * size, size):
        thread, count = PLACE.unpack_from(data, at)[:2]
        lines = []
        for number in range(max(0, count - CALLS), count):
            began, ended, status, name = CALL.unpack_from(data, at + PLACE.size + number % CALLS * CALL.size)
            ago = f"{(now - began) / 1e9:.3f} s ago"
            how = f"returned {status} after {(ended - began) / 1e3:.0f} us" if ended else "has not returned"
            lines.append(f"{name.rstrip(bytes(1)).decode(errors='replace')} {how}, {ago}")
        if thread:
            found[thread] = lines
    return found


def report(leader, folder):
    """A text about each thread of a session: its name and state, where the kernel has it, its last driver calls."""
    lines = []
    for process in session(leader):
        last = calls(folder, process)
        lines.append(f"process {process}: {text(f'/proc/{process}/cmdline').replace(chr(0), ' ')[:300]}")
        try:
            threads = sorted(map(int, os.listdir(f"/proc/{process}/task")))
        except OSError:
            continue
        for thread in threads:
            task = f"/proc/{process}/task/{thread}"
            state = text(f"{task}/stat").rpartition(") ")[2][:1]
            lines.append(f"  thread {thread} {text(f'{task}/comm')}: {state}, in {text(f'{task}/wchan')}, "
                         f"system call {text(f'{task}/syscall')}")
            lines += [f"    {line}" for line in text(f"{task}/stack").splitlines()]
            lines += [f"    {line}" for line in last.get(thread, [])]
    return "\n".join(lines)


def after_end(folder):
    """A text about the last driver calls of processes that have ended."""
    lines = []
    for file in sorted(pathlib.Path(folder).iterdir()):
        for thread, last in calls(folder, file.name).items():
            lines += [f"process {file.name}, thread {thread}: last driver calls"] + [f"    {line}" for line in last]
    return "\n".join(lines)


def end(leader):
    """Ends the processes of a session."""
    for process in [*session(leader), leader]:
        try:
            os.kill(process, signal.SIGKILL)
        except OSError:
            pass
