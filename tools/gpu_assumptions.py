#!/usr/bin/env python3
"""Writes docs/gpu/assumptions.md: what the test double of the CUDA driver assumes about drivers.

In tests/fake_cuda an assumption is a comment of three paragraphs: "Assumption:", "Source:" (NVIDIA's public document with its
section, the run on a card that has shown it, or what is not known and which test asks it on a card) and "Test:" (tests of
cpp_tests that would fail on a card where it is wrong, or "none:" and the reason).

usage: gpu_assumptions.py [--check]    --check: writes nothing, fails if the file is not current
       gpu_assumptions.py --list       prints for each program of cpp_tests its tests that the file names, by a tab
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
DOUBLE, TABLE = ROOT / "tests/fake_cuda", ROOT / "docs/gpu/assumptions.md"
COMMENT = re.compile(r"^// Assumption: (.+?)^// Source: (.+?)^// Test: (.+?)^(?!//)", re.MULTILINE | re.DOTALL)
TEST = re.compile(r"\b(?:TEST|TEST_F|TEST_P|\w+_PROCESS_TEST)\((\w+), (\w+)")
HEAD = """# What the fake driver assumes

The suite runs on `tests/fake_cuda`, and so proves what the library does with a driver that follows these rules. On a card
the tests in the third column show whether the driver does. Generated from comments in `tests/fake_cuda` by
`tools/gpu_assumptions.py`; a check compares.

| what drivers do | source | tests on a card | modelled in |
|---|---|---|---|
"""


def programs():
    """The program of each test that runs on cards: tests of test programs for the double alone are not among them."""
    found = {}
    for path in sorted((ROOT / "cpp_tests").rglob("*_test.cpp")):
        if not path.name.startswith("driver_"):
            for suite, name in TEST.findall(path.read_text()):
                found[f"{suite}.{name}"] = path.stem
    return found


def assumptions():
    """Rows of text: the assumption, its source, its tests, its file."""
    for path in sorted([*DOUBLE.rglob("*.cpp"), *DOUBLE.rglob("*.h")]):
        text = path.read_text()
        found = COMMENT.findall(text)
        if len(found) != text.count("Assumption:"):
            sys.exit(f"{path.relative_to(ROOT)}: an assumption lacks its source or its test")
        for parts in found:
            yield [" ".join(part.replace("\n// ", " ").split()) for part in parts] + [str(path.relative_to(DOUBLE))]


def named(test):
    return [] if test.startswith("none: ") else test.split(", ")


def main():
    rows, where = list(assumptions()), programs()
    missing = [f"{path}: {name} is no test that runs on cards" for *_, test, path in rows for name in named(test)
               if name not in where]
    missing += [f"{path}: an assumption without a source: {what}" for what, source, _, path in rows
                if source.startswith("none")]
    if missing:
        sys.exit("\n".join(missing))
    text = HEAD + "".join(f"| {what} | {source} | {test} | `{path}` |\n" for what, source, test, path in rows)
    if sys.argv[1:] == ["--list"]:
        tests = {}
        for *_, test, _ in rows:
            for name in named(test):
                tests.setdefault(where[name], set()).add(name)
        for program, names in sorted(tests.items()):
            print(program, ":".join(sorted(names)), sep="\t")
    elif sys.argv[1:] == ["--check"]:
        if not TABLE.exists() or TABLE.read_text() != text:
            sys.exit(f"{TABLE.relative_to(ROOT)} is not current: tools/gpu_assumptions.py writes it")
        print(f"{len(rows)} assumptions, {sum(bool(named(row[2])) for row in rows)} with tests on a card")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        TABLE.write_text(text)


if __name__ == "__main__":
    main()
