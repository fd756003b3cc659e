#!/usr/bin/env python3
"""Counts the lines of the library's product code with cloc: no tests, no comments, no blank lines.

Product code is what the library is built from: all of src/ without its tests and build scripts. Items with a `cfg(test)`, `cfg(loom)` or
`cfg(all(test, ...))` attribute, or `cfg(any(test, ...))`, are tests, and so are the files of such modules.

usage: product_lines.py [--most LINES]     fails if there are more than LINES
       product_lines.py --folders          lists each folder with its lines, longest first
       product_lines.py --files            lists each file with its lines, longest first
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
SUFFIXES = {".rs", ".c", ".h", ".cu", ".cuh"}
TEST_ATTRIBUTE = re.compile(r"^( *)#\[cfg\((test|loom|a(ll|ny)\((\w+, )*test\b.*)\)\]$")
NAMED_FILE = re.compile(r'^#\[path = "(.*)"\]$')
MODULE = re.compile(r"^(?:pub(?:\([a-z]+\))? )?mod (\w+);$")


def without_tests(path, lines):
    """The lines that are no tests, and the files of test modules that `path` declares."""
    kept, files = [], []
    at = 0
    while at < len(lines):
        attribute = TEST_ATTRIBUTE.match(lines[at])
        if not attribute:
            kept.append(lines[at])
            at += 1
            continue
        indent, named = attribute[1], None
        at += 1
        while lines[at].startswith((indent + "#", indent + "//")):
            named = NAMED_FILE.match(lines[at].strip()) or named
            at += 1
        first = lines[at].strip()
        if module := MODULE.match(first):
            own = path.parent if path.name in ("mod.rs", "lib.rs") else path.with_suffix("")
            files.append(path.parent / named[1] if named else own / module[1])
        # rustfmt puts the end of a multi-line item at the item's indentation.
        if not first.endswith((";", ",", "}")):
            at += 1
            while not lines[at].startswith((indent + "}", indent + "];")):
                at += 1
        at += 1
    return kept, files


def product():
    """Each file of product code, and its lines without tests."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "src"],
        cwd=TOP, check=True, stdout=subprocess.PIPE, text=True).stdout.split("\0")
    contents, tests = {}, []
    for name in sorted(filter(None, listed)):
        path = TOP / name
        is_script = path.name == "build.rs" and (path.parent / "Cargo.toml").exists()
        if path.suffix not in SUFFIXES or is_script or not path.exists():
            continue
        lines = path.read_text().splitlines()
        if path.suffix == ".rs":
            lines, files = without_tests(path, lines)
            tests += files
        contents[path] = lines
    for test in tests:
        module = test.with_suffix("")
        for path in [path for path in contents if path.with_suffix("") == module or module in path.parents]:
            del contents[path]
    return contents


def count(contents):
    """The lines of code of each file, by cloc."""
    with tempfile.TemporaryDirectory() as folder:
        copies = {}
        for path, lines in contents.items():
            copy = Path(folder) / path.relative_to(TOP)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text("\n".join(lines) + "\n")
            copies[str(copy)] = path.relative_to(TOP)
        report = subprocess.run(
            ["cloc", "--quiet", "--json", "--by-file", "--skip-uniqueness", folder],
            check=True, stdout=subprocess.PIPE, text=True).stdout
    # Files without code have no entry.
    facts = json.loads(report)
    return {path: facts.get(copy, {}).get("code", 0) for copy, path in copies.items()}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--most", type=int)
    arguments.add_argument("--folders", action="store_true")
    arguments.add_argument("--files", action="store_true")
    chosen = arguments.parse_args()
    lines = count(product())
    if chosen.folders or chosen.files:
        groups = Counter()
        for path, code in lines.items():
            groups[path if chosen.files else path.parent] += code
        for name, code in groups.most_common():
            print(f"{code:7} {name}")
    total = sum(lines.values())
    print(f"{total} lines of product code in {len(lines)} files"
          + (f", at most {chosen.most} are allowed" if chosen.most else ""))
    return chosen.most is not None and total > chosen.most


if __name__ == "__main__":
    sys.exit(main())
