#!/usr/bin/env python3
"""Draws the report of a race as README.md shows it: runs a sample with a planted race, and writes its output as SVG.

usage: report_picture.py PROGRAM PICTURE.svg             writes the picture
       report_picture.py --check PROGRAM PICTURE.svg     fails if the picture is not the one of this run

PROGRAM is samples/22_explore, built with lines. Addresses differ from run to run, so the picture has one of its own, and
paths are shown from the folder of the sample.
"""

import html
import os
import pathlib
import re
import subprocess
import sys
import textwrap

COLUMNS = 100
WIDTH, LINE, MARGIN, BAR = 8.4, 19, 16, 30
ADDRESS = "0x7f0ce4400000"
# (regular expression of a line, colour). The first that matches.
COLOURS = (
    (r"portacl: race:", "#ff7b72"),
    (r"    \S+:\d+:", "#79c0ff"),
    (r"\$ |  aclrt", "#e6edf3"),
    (r"  to order them:", "#7ee787"),
    (r"", "#9da7b3"),
)


def report(program):
    """The lines of the program's output, with its command."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PORTACL_")}
    run = subprocess.run([program, "faulty"], env=environment | {"PORTACL_BACKEND": "cpu", "PORTACL_CHECK": "races"},
                         capture_output=True, text=True, check=False, timeout=60)
    text = re.sub(r"(bytes? at )0x[0-9a-f]+", rf"\g<1>{ADDRESS}", run.stderr)
    text = re.sub(r"(?m)^(    ).*/(?=[^/]+:\d+:)", r"\1", text)
    if text.count("portacl: race:") != 1 or not re.search(r"(?m)^    22_explore\.cpp:\d+:main$", text):
        sys.exit(f"{program}: exit status {run.returncode}, and no report of one race with lines:\n{run.stderr}")
    return [f"$ PORTACL_CHECK=races ./{pathlib.Path(program).name} faulty", *text.splitlines()]


def wrapped(line):
    """(colour, text) of each line in which a terminal shows this one."""
    colour = next(colour for pattern, colour in COLOURS if re.match(pattern, line))
    indent = re.match(" *", line)[0] or "  "
    return [(colour, part) for part in textwrap.wrap(line, COLUMNS, subsequent_indent=indent, break_on_hyphens=False)]


def picture(lines):
    shown = [part for line in lines for part in wrapped(line)]
    width, height = MARGIN * 2 + int(COLUMNS * WIDTH), BAR + MARGIN + len(shown) * LINE
    rows = []
    for at, (colour, text) in enumerate(shown):
        # By their place: viewers drop leading spaces.
        x = MARGIN + (len(text) - len(text.lstrip())) * WIDTH
        rows.append(f'<text x="{x:g}" y="{BAR + MARGIN + at * LINE}" fill="{colour}">{html.escape(text.strip())}</text>')
    dots = "".join(f'<circle cx="{MARGIN + 5 + 18 * at}" cy="{BAR // 2}" r="5" fill="{fill}"/>'
                   for at, fill in enumerate(("#ff5f57", "#febc2e", "#28c840")))
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        "<title>A race that portacl reports, with the source lines of both calls</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>{dots}',
        '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="14">',
        *rows, "</g>", "</svg>", ""])


def main(arguments):
    check = arguments[:1] == ["--check"]
    if len(arguments) != 2 + check:
        sys.exit(__doc__)
    program, path = arguments[check:]
    drawn, path = picture(report(program)), pathlib.Path(path)
    if not check:
        path.write_text(drawn)
    elif not path.is_file() or path.read_text() != drawn:
        sys.exit(f"{path} is not the report of this run; run tools/report_picture.py {program} {path}")


if __name__ == "__main__":
    main(sys.argv[1:])
