"""Sorts the API reference by topic: a topic is a file of src/ffi, a group of topics is one of its folders."""

import functools
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src/ffi"
FUNCTION = re.compile(r'^pub (?:unsafe )?extern "C" fn (\w+)', re.MULTILINE)
TYPE = re.compile(r"^pub (?:enum|struct|union|type|const) (\w+)", re.MULTILINE)
GROUPS = {"base": "Errors, logs and names", "runtime": "The session, devices and contexts",
          "stream": "Streams, events, notifies and callbacks", "memory": "Memory", "pool": "Memory pools",
          "transfer": "Copies, fills and reductions", "kernel": "Kernels", "graph": "Graphs",
          "profiling": "Profiling", "process": "The process: snapshots, statistics, leaks",
          "types": "Types and constants"}


def identifier(path):
    """The name of a topic's page."""
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
