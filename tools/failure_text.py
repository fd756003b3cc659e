"""What the output of a failed test says about its failure, for count_tests.py."""

import re

# The lines of one failure, and of all failures of a run.
LINES, ALL_LINES = 25, 150
# The same in the digest that .ci/run prints last, and the length of a line there: services for CI show as little as the
# last 2,000 characters of a log.
DIGEST_LINES, DIGEST_ALL_LINES, DIGEST_WIDTH = 5, 12, 140

# What GoogleTest prints between failures, and what each test program prints first.
_BETWEEN = re.compile(r"\[ RUN |\[ +(OK|PASSED|SKIPPED) |\[  FAILED  \] \d+ tests?, |\[[-=]{10}\]| *\d+ FAILED TESTS?$|"
                      r"PORTACL_BACKEND=|Note: Google Test filter")
# The first line of what matters in the output of a GoogleTest program, of Rust's tests, of Python's, and of a build.
_BEGINS = (re.compile(r".*: Failure$"), re.compile(r".*\bpanicked at "), re.compile(r"Traceback \(most recent call"),
           re.compile(r"(.*[: ])?(fatal )?error(\[\w+\])?: "))


def what_matters(output, most=LINES):
    """The lines of a test's output that say why it failed, at most `most`: the first and the last of them."""
    lines = _without_backtraces(output.splitlines())
    unfinished = _unfinished(lines)
    for begins in _BEGINS:
        at = next((i for i, line in enumerate(lines) if begins.match(line)), None)
        if at is not None:
            lines = lines[at:]
            break
    lines = [line.rstrip() for line in lines if line.strip() and not _BETWEEN.match(line)] + unfinished
    if len(lines) <= most:
        return lines
    first = most // 2
    last = most - first - 1
    return [*lines[:first], f"... {len(lines) - first - last} lines ...", *lines[-last:]]


def _unfinished(lines):
    """A line with the case of a GoogleTest program that had begun when the program ended, if there is one."""
    begun = None
    for line in lines:
        if match := re.match(r"\[ RUN      \] (\S+)", line):
            begun = match[1]
        elif re.match(r"\[ +(OK|FAILED|SKIPPED) +\] ", line):
            begun = None
    return [f"the program ended in {begun}"] if begun else []


def _without_backtraces(lines):
    """The lines without Rust's backtraces, which are longer than all else."""
    kept, inside = [], False
    for line in lines:
        text = line.strip()
        if text == "stack backtrace:":
            inside = True
        elif inside and re.match(r"\d+: |at |note: Some details", text):
            continue
        else:
            inside = False
            kept.append(line)
    return kept


def of_cargo(log, name):
    """The output of one test in the output (without colours) of cargo test or cargo nextest; empty if there is none."""
    nextest = re.compile(r"\s+[A-Z-]+ \[[^]]*\] (?:\([^)]*\) )?(\S.*)|\s*─{4,}|\s+Summary \[")
    libtest = re.compile(r"---- (.*) stdout ----|failures:$|test result: ")
    for heading in (nextest, libtest):
        found, inside = [], False
        for line in log.splitlines():
            match = heading.match(line)
            if match:
                if "".join(found).strip():
                    break
                inside = match[1] == name
            elif inside:
                found.append(line)
        if "".join(found).strip():
            return "\n".join(found)
    return ""


def of_all(failures):
    """The lines of (heading, output) for each failure."""
    return _within([(heading, what_matters(output)) for heading, output in failures], ALL_LINES)


def digest_of_all(failures):
    """The same in few and short lines."""
    short = [(heading, [line[:DIGEST_WIDTH] for line in what_matters(output, DIGEST_LINES)])
             for heading, output in failures]
    return _within(short, DIGEST_ALL_LINES)


def _within(blocks, most):
    """The lines of (heading, lines) for each failure: all headings, and at most `most` other lines."""
    printed, left, left_out = [], most, 0
    for heading, lines in blocks:
        printed.append(heading)
        if len(lines) <= left:
            printed += (f"    {line}" for line in lines)
            left -= len(lines)
        else:
            left_out += 1
    if left_out:
        printed.append(f"the output of {left_out} more failures is in build/results/*.log")
    return printed
