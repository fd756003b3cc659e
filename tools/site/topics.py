#!/usr/bin/env python3
"""Sorts the API reference by topic: a topic is a file of src/ffi, a group of topics is one of its folders.

usage: topics.py filter HEADER    prints a header with the topic of each declaration, for Doxygen's INPUT_FILTER
       topics.py groups           prints the topics, and the main page, as Doxygen reads them
"""

import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src/ffi"
FUNCTION = re.compile(r'^pub (?:unsafe )?extern "C" fn (\w+)', re.MULTILINE)
TYPE = re.compile(r"^pub (?:enum|struct|union|type|const) (\w+)", re.MULTILINE)
GROUPS = {"base": "Errors, logs and names", "runtime": "The session, devices and contexts",
          "stream": "Streams, events, notifies and callbacks", "memory": "Memory", "pool": "Memory pools",
          "transfer": "Copies, fills and reductions", "kernel": "Kernels", "graph": "Graphs",
          "profiling": "Profiling", "process": "The process: snapshots, statistics, leaks",
          "types": "Types and constants"}
# A comment at the beginning of a line documents a declaration, others document a part of one.
COMMENT = re.compile(r"^/\*\*(?! @file).*?\*/\n", re.MULTILINE | re.DOTALL)


def identifier(path):
    """The name of a topic for Doxygen, which makes it the name of a page."""
    return "topic_" + str(path.relative_to(SOURCES).with_suffix("")).replace("/", "_")


def title(path):
    """The first sentence of the comment at the beginning of a file."""
    lines = [line[4:] for line in path.read_text().splitlines() if line.startswith("//! ")]
    sentence = " ".join(lines).split(". ")[0].rstrip(".").replace("`", "")
    return sentence.split("`")[0].strip()


@functools.cache
def topics():
    """Files of src/ffi that declare something for C, in the order of their groups."""
    files = sorted(path for path in SOURCES.rglob("*.rs") if path.name != "mod.rs" and names_in(path))
    return sorted(files, key=lambda path: list(GROUPS).index(group_of(path)))


def names_in(path):
    """What a file declares for C."""
    return (TYPE if group_of(path) == "types" else FUNCTION).findall(path.read_text())


def group_of(path):
    """The folder of a topic."""
    return path.relative_to(SOURCES).parts[0]


@functools.cache
def by_name():
    """Topics by the names that they declare."""
    return {name: path for path in topics() for name in names_in(path)}


def declared(text):
    """The name that the declaration at the beginning of `text` declares, if it has a topic."""
    head = re.split(r"[;{=]", text, maxsplit=1)[0]
    call = re.search(r"(\w+)\(", head)
    words = [call[1]] if call else re.findall(r"\w+", head)[::-1]
    return next((word for word in words if word in by_name()), None)


def with_topics(text):
    """A header with `@ingroup` in the comment of each declaration."""
    parts, end = [], 0
    for comment in COMMENT.finditer(text):
        name = declared(text[comment.end():])
        body = comment[0]
        if name:
            body = body.rstrip().removesuffix("*/").rstrip() + f"\n * @ingroup {identifier(by_name()[name])}\n */\n"
        parts += [text[end:comment.start()], body]
        end = comment.end()
    return "".join([*parts, text[end:]])


def groups():
    """All topics in their groups, and the main page."""
    main = ["/** @mainpage", " * Each page below is a topic: functions and types that belong together, with arguments, "
            "limits and codes.", " * C programs include acl/acl.h and portacl/portacl.h. The C++ classes are in the "
            "namespace portacl.", " * The <a href=\"../index.html\">guides</a> begin earlier.", " *"]
    definitions = []
    for group, name in GROUPS.items():
        main.append(f' * - @ref group_{group} "{name}"')
        definitions.append(f"/** @defgroup group_{group} {name} */")
        for path in (path for path in topics() if group_of(path) == group):
            main.append(f' *   - @ref {identifier(path)} "{title(path)}"')
            definitions.append(f"/** @defgroup {identifier(path)} {title(path)}\n * @ingroup group_{group} */")
    return "\n".join([*main, " */", *definitions]) + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["groups"]:
        print(groups(), end="")
    elif len(sys.argv) == 3 and sys.argv[1] == "filter":
        print(with_topics(pathlib.Path(sys.argv[2]).read_text()), end="")
    else:
        sys.exit(__doc__)
