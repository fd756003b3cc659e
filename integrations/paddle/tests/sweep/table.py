#!/usr/bin/env python3
"""Writes the counts of sweep.py's results into a document: table.py DOCUMENT MODE=JSON..."""

import collections
import json
import pathlib
import sys

MARKS = "<!-- written by ./dev paddle sweep -->", "<!-- until here -->"
FORMS = {"dynamic": "calls with gradients", "static": "static programs", "changing": "in place"}
RESULTS = ("equal", "refused", "wrong", "crash")


def main():
    document = pathlib.Path(sys.argv[1])
    lines = ["| device | form | functions | " + " | ".join(RESULTS) + " |", "|---|---|---|---|---|---|---|"]
    refused = collections.defaultdict(set)
    for mode, path in (argument.split("=", 1) for argument in sys.argv[2:]):
        results = json.loads(pathlib.Path(path).read_text())
        for form, words in FORMS.items():
            found = [(name.partition(",")[0], result) for name, kind, result, _ in results if kind == form]
            counts = collections.Counter(result for _, result in found)
            numbers = [len({name for name, _ in found}), *(counts[result] for result in RESULTS)]
            lines.append(f"| {mode} | {words} | " + " | ".join(map(str, numbers)) + " |")
        for name, _, result, text in results:
            if result == "refused":
                refused[name.partition(",")[0]].add(text.partition(" (at ")[0].replace("(Unimplemented) ", ""))
    lines += ["", "Refused:", ""]
    lines += [f"- `{name}`: {'; '.join(sorted(texts)[:1])}" for name, texts in sorted(refused.items())]
    before, begin, rest = document.read_text().partition(MARKS[0])
    _, end, after = rest.partition(MARKS[1])
    if not begin or not end:
        sys.exit(f"{document} has not both marks: {' and '.join(MARKS)}")
    document.write_text("\n".join([before + begin, "", *lines, "", end + after]))


if __name__ == "__main__":
    main()
