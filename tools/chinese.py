#!/usr/bin/env python3
"""Keeps the Chinese documents in step with the English ones.

usage: chinese.py check             every Chinese section names an English one that exists; lists the sections whose English
                                    text, or rows of codes and variables, have changed since
       chinese.py check --strict    the same, and such a section is an error (./dev release)
       chinese.py update FILE...    writes that these Chinese documents are up to date

A comment before a heading names the English section: <!-- zh: docs/errors.md: Costs --> or, for the text before the first
section, <!-- zh: docs/errors.md -->. `update` adds a number that depends on the English text, and the date.
"""

import datetime
import hashlib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MARK = re.compile(r"<!-- zh: (?P<file>[\w./-]+)(?:: (?P<heading>[^@]+?))?(?: @ (?P<state>\w+) (?P<date>[\d-]+))? -->\n")
FENCE = re.compile(r"^```.*?^```\n", re.MULTILINE | re.DOTALL)
# Rows that begin with one of these are rows of facts, which both languages have.
FACT = re.compile(r"^\| (\d{6}|`PORTACL_\w+[^`]*`) \|", re.MULTILINE)
# Shortest part of a document that can be in Chinese.
SHORTEST = 0.2


def documents():
    """The Chinese documents."""
    return [ROOT / "README.zh.md", *sorted((ROOT / "docs/zh").glob("*.md"))]


def sections(text):
    """The sections of a document by their headings; the text before the first one by None."""
    code = [match.span() for match in FENCE.finditer(text)]
    starts = [match for match in re.finditer(r"^## (.+)\n", text, re.MULTILINE)
              if not any(begin <= match.start() < end for begin, end in code)]
    ends = [match.start() for match in starts[1:]] + [len(text)]
    found = {None: text[:starts[0].start()] if starts else text}
    found.update({match[1]: text[match.end():end] for match, end in zip(starts, ends)})
    return found


def state(text):
    """A number that changes with the words, and not with their lines."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:12]


def english(file):
    path = ROOT / file
    return sections(path.read_text()) if path.is_file() else {}


def facts(text):
    return set(FACT.findall(text))


def marks(document):
    """(mark, Chinese text behind it) of a document."""
    text = document.read_text()
    found = list(MARK.finditer(text))
    ends = [match.start() for match in found[1:]] + [len(text)]
    return [(match, text[match.end():end]) for match, end in zip(found, ends)]


def check_document(document):
    """(errors, sections whose English text has changed)."""
    name = document.relative_to(ROOT)
    errors, behind = [], []
    found = marks(document)
    if not found:
        errors.append(f"{name}: no comment <!-- zh: FILE --> names its English document")
    for mark, text in found:
        where = f"{mark['file']}, '{mark['heading'] or 'its beginning'}'"
        source = english(mark["file"]).get(mark["heading"])
        if source is None:
            errors.append(f"{name}: there is no {where}; rename or remove the Chinese section")
            continue
        missing = facts(source) - facts(text) if document.name != "first_program.md" else set()
        if missing or facts(text) - facts(source):
            behind.append(f"{name}: rows of tables differ from {where}: "
                          f"{', '.join(sorted(missing | (facts(text) - facts(source))))}")
        if not re.search("[\u4e00-\u9fff]", text):
            errors.append(f"{name}: the section of {where} has no Chinese text")
        if mark["state"] is None:
            errors.append(f"{name}: the section of {where} has no date; run tools/chinese.py update {name}")
        elif mark["state"] != state(source):
            behind.append(f"{name}: {where} has changed since {mark['date']}: bring the section up to date, then run "
                          f"tools/chinese.py update {name}")
    of_same_name = english(f"docs/{document.name}") if document.parent.name == "zh" else english("README.md")
    translated = {mark["heading"] for mark, _ in found}
    if of_same_name and len(translated & set(of_same_name)) < SHORTEST * len(of_same_name):
        errors.append(f"{name}: most sections of its English document are missing")
    return errors, behind


def update(names):
    today = datetime.date.today().isoformat()
    for name in names:
        document = ROOT / name

        def renewed(mark):
            source = english(mark["file"]).get(mark["heading"])
            if source is None:
                sys.exit(f"{name}: there is no section '{mark['heading']}' of {mark['file']}")
            heading = f": {mark['heading']}" if mark["heading"] else ""
            # A section that did not change keeps its date.
            date = mark["date"] if mark["state"] == state(source) else today
            return f"<!-- zh: {mark['file']}{heading} @ {state(source)} {date} -->\n"

        document.write_text(MARK.sub(renewed, document.read_text()))


def main(arguments):
    if arguments[:1] == ["update"] and len(arguments) > 1:
        update(arguments[1:])
        return
    if arguments not in (["check"], ["check", "--strict"]):
        sys.exit(__doc__)
    errors, behind = [], []
    for document in documents():
        its_errors, its_behind = check_document(document)
        errors += its_errors
        behind += its_behind
    if "--strict" in arguments:
        errors += behind
    else:
        print("\n".join(f"behind: {line}" for line in behind))
    print(f"chinese: {len(documents())} documents, {len(behind)} sections behind their English text")
    if errors:
        sys.exit("\n".join(errors))


if __name__ == "__main__":
    main(sys.argv[1:])
