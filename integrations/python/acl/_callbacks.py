"""Python functions that the library calls."""

import ctypes
import itertools
from collections.abc import Callable
from typing import Any

POINTER_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

# What waits in streams: (function, its argument) by the number that C has instead of the argument.
_pending: dict[int, tuple[Callable[[Any], object], Any]] = {}
_numbers = itertools.count(1)


@POINTER_FUNCTION
def RUN_ONCE(key):
    function, argument = _pending.pop(key)
    function(argument)


def once(function, argument):
    """The number for a call of `RUN_ONCE`."""
    key = next(_numbers)
    _pending[key] = function, argument
    return key


def forget(key):
    """The library has refused the call."""
    _pending.pop(key, None)


def forget_all():
    """The library is finalized: what waited was dropped."""
    _pending.clear()


# C functions by the Python function: the library compares addresses, and may call them until the process ends.
_always: dict[Callable[[Any], object], Any] = {}


def always(function):
    """The C function that calls `function` with an address."""
    if function not in _always:
        _always[function] = POINTER_FUNCTION(function)
    return _always[function]
