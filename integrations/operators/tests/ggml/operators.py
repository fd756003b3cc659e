"""The operator tests of ggml on portacl: each case is compared with ggml's CPU backend.

usage: operators.py PROGRAM

Compares the number of equal cases of each operator with operators.tsv, which PORTACL_UPDATE=1 writes anew.
"""

import concurrent.futures
import csv
import os
import pathlib
import re
import subprocess
import sys

TABLE = pathlib.Path(__file__).with_name("operators.tsv")
HEAD = """# Cases of ggml's operator tests that its backend for Ascend devices supports: those that are equal to its CPU backend, others,
# and those that are left out.
operator\tequal\tother\tleft out
"""
# Cases that end ggml's process. To concatenate blocks of 4 and 5 bits it passes tensors of ACL_INT4, which aclnnCat refuses,
# or null.
LEFT_OUT = {"CONCAT": "q4_0|q4_1|q5_0|q5_1"}
# Seconds that an operator may take.
PATIENCE = 1800
TRIES = 3


def run(program, *arguments):
    """The output of the tests, without colours, and the exit status."""
    ran = subprocess.run([program, *arguments, "-b", "CANN0"], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         errors="replace", timeout=PATIENCE, check=False)
    return re.sub(r"\x1b\[[0-9;]*m", "", ran.stdout), ran.returncode


def supported(program):
    """The operators that the backend supports, and the number of their cases that are left out."""
    text, _ = run(program, "support", "--output", "csv")
    lines = [line for line in text.splitlines() if line.startswith('"')]
    found = {}
    for row in csv.DictReader(lines):
        if "yes" in row.values():
            found.setdefault(row["op_name"], 0)
            left_out = LEFT_OUT.get(row["op_name"])
            found[row["op_name"]] += left_out is not None and bool(re.search(left_out, row["op_params"]))
    return found


def test(program, operator):
    """The number of equal cases, and the other cases. A process of its own, because ggml ends it at an error."""
    without = ["-p", f"^((?!{LEFT_OUT[operator]}).)*$"] if operator in LEFT_OUT else []
    text, status = run(program, "test", "-o", operator, *without)
    equal = len(re.findall(r"^  \w+\(.*: OK$", text, re.MULTILINE))
    other = re.findall(r"^.*\): FAIL$", text, re.MULTILINE)
    if status not in (0, 1):
        print(text[-4000:])
        sys.exit(f"{operator}: exit status {status}")
    return equal, other


def test_again(program, operator, stated):
    """As test. Inputs are random, and some results are as far from those of the CPU as is just allowed: an operator whose
    numbers are not the stated ones has other tries."""
    for _ in range(TRIES):
        equal, other = test(program, operator)
        if stated is None or stated == [str(equal), str(len(other))]:
            break
        print(f"{operator}: {equal} equal, {len(other)} others; stated: {stated}", *other, sep="\n  ", flush=True)
    return equal, other


def main():
    program = sys.argv[1]
    operators = supported(program)
    update = bool(os.environ.get("PORTACL_UPDATE"))
    stated = {} if update else {row[0]: row[1:3] for row in csv.reader(TABLE.read_text().splitlines(), delimiter="\t")}
    rows = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        results = threads.map(lambda operator: test_again(program, operator, stated.get(operator)), operators)
        for (operator, left_out), (equal, other) in zip(operators.items(), results, strict=True):
            print(f"{operator}: {equal} equal, {len(other)} others, {left_out} left out", *other, sep="\n  ", flush=True)
            rows.append(f"{operator}\t{equal}\t{len(other)}\t{left_out}\n")
    text = HEAD + "".join(sorted(rows))
    if update:
        TABLE.write_text(text)
    assert TABLE.read_text() == text, f"{TABLE.name} is stale; PORTACL_UPDATE=1 writes it"


main()
