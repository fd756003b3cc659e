"""The runtime: devices, contexts, streams, events, memory, copies. docs/python.md describes it."""

from . import _calls

globals().update(_calls.functions("rt"))


def __getattr__(name):
    raise _calls.absent("rt", name)
