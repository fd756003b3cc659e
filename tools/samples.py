#!/usr/bin/env python3
"""Keeps samples/README.md, the list of samples with what each prints.

usage: samples.py update PROGRAM...    runs built samples and writes the list; a sample that is not given keeps its output
       samples.py check PROGRAM...     fails if a text of the list, or what a program prints, differs

Numbers may differ: times, addresses, sizes of the machine. So may spaces, because columns follow the numbers.
"""

import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "samples"
LIST = FOLDER / "README.md"
HEAD = """# Samples

Each sample is one file and one subject, in learning order. The lines below its first sentence are what it prints on the
backend `cpu`; a test runs the samples and compares. With an installed portacl this folder is a project of its own:

```sh
cmake -S samples -B build-samples -DCMAKE_PREFIX_PATH=DIR && cmake --build build-samples
```

"""
# Smaller work than a sample's own where that takes seconds, and what a second run shows.
RUNS = {
    "01_device_memory": [({}, ["1048576"])],
    "03_async_copies": [({}, ["1048576"])],
    "22_explore": [({}, []), ({"PORTACL_CHECK": "races"}, ["faulty"])],
    "race": [({"PORTACL_CHECK": "races"}, [])],
}
# Notices about the machine, and frames inside the standard library.
LEFT_OUT = re.compile(r"^portacl: \d+ bytes of host memory are not locked|/include/c\+\+/|^ *\S.*\bstd::", re.MULTILINE)
NUMBER = re.compile(r"0x[0-9a-f]+|\d+(\.\d+)?|\b(less|more) time")
SECTION = re.compile(r"^## \[(\w+)\.\w+\].*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def samples():
    """The sources, in order."""
    return sorted([*FOLDER.glob("[0-9]*.c*"), *FOLDER.glob("python/*.py")], key=lambda path: (path.suffix == ".py", path))


def comment(path):
    """The paragraphs of the comment at the beginning of a sample."""
    lines = []
    if path.suffix == ".py":
        lines = re.match(r'"""(.*?)"""', path.read_text(), re.DOTALL)[1].splitlines()
    else:
        for line in path.read_text().splitlines():
            if not re.match(r"//|/\*| \*", line):
                break
            lines.append(re.sub(r"^(// ?|/\* ?| \* ?)|\*/$", "", line))
    return [" ".join(part.split()) for part in "\n".join(lines).split("\n\n") if part.strip()]


def teaches(path):
    """The first paragraph, without what it announces."""
    return re.sub(r":$", ".", comment(path)[0]).replace("*", r"\*")


def name_of(program):
    """The name of a sample; CMake's target is another one in tests of other folders."""
    return program.stem.removeprefix("sample_")


def printed(program):
    """What the runs of a program print, as a terminal shows it."""
    texts = []
    command = [sys.executable, str(program)] if program.suffix == ".py" else [str(program)]
    for settings, arguments in RUNS.get(name_of(program), [({}, [])]):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([*command, *arguments], cwd=folder, env={**os.environ, "PORTACL_BACKEND": "cpu", **settings},
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=300)
        if done.returncode:
            sys.exit(f"samples: {program} ended with {done.returncode}:\n{done.stdout}")
        shown = f"{'python3 ' if program.suffix == '.py' else './'}{name_of(program)}{program.suffix}"
        line = " ".join([*(f"{name}={value}" for name, value in settings.items()), shown, *arguments])
        text = done.stdout.replace(f"{program.parent}/", "").replace(f"{ROOT}/", "")
        kept = [line.rstrip() for line in text.splitlines() if not LEFT_OUT.search(line)]
        texts.append("\n".join([f"$ {line}", *kept]))
    return "\n".join(texts)


def sections(text):
    """The sections of the list by the names of samples."""
    return {match[1]: match[0] for match in SECTION.finditer(text)}


def output_in(section):
    """The output that a section has, or none."""
    match = re.search(r"^```\n(.*?)^```", section or "", re.MULTILINE | re.DOTALL)
    return match[1].rstrip("\n") if match else None


def section(path, output):
    place = path.relative_to(FOLDER)
    lines = [f"## [{path.name}]({place})\n", textwrap.fill(teaches(path), 120, break_long_words=False, break_on_hyphens=False)]
    if output:
        lines.append(f"\n```\n{output}\n```")
    return "\n".join(lines) + "\n"


def written(outputs):
    """The list, with these outputs."""
    rows = [f"| [{path.stem}]({path.relative_to(FOLDER)}) | {re.split(r'(?<=[.]) ', teaches(path))[0].rstrip('.')} |"
            for path in samples()]
    index = "| sample | subject |\n|---|---|\n" + "\n".join(rows) + "\n"
    return HEAD + index + "\n" + "\n".join(section(path, outputs.get(path.stem)) for path in samples())


def compared(text):
    """Lines without what may differ."""
    return [" ".join(NUMBER.sub("#", line).split()) for line in text.splitlines()]


def main(mode, programs):
    before = LIST.read_text() if LIST.exists() else ""
    outputs = {name: output_in(text) for name, text in sections(before).items()}
    new = {name_of(program): printed(program) for program in map(pathlib.Path, programs)}
    unknown = set(new) - {path.stem for path in samples()}
    if unknown or not new:
        sys.exit(f"samples: no samples: {', '.join(sorted(unknown)) or 'no program is given'}")
    outputs.update(new)
    after = written(outputs)
    if mode == "update":
        LIST.write_text(after)
        return
    difference = list(difflib.unified_diff(compared(before), compared(after), str(LIST.relative_to(ROOT)), "today",
                                           lineterm="", n=1))
    if difference:
        sys.exit("\n".join(difference) + f"\nsamples: run tools/samples.py update {' '.join(programs)}")
    print(f"samples: {len(new)} of {len(samples())} samples print what {LIST.relative_to(ROOT)} says")


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("update", "check"):
        sys.exit(__doc__)
    main(sys.argv[1], [str(pathlib.Path(name).resolve()) for name in sys.argv[2:]])
