"""Makes Python functions from the rows of the table.

A call returns what the C function returns: its results and its code, as a tuple; the code alone if it has no result; the
value alone if the C function returns a value instead of a code.
"""

import ctypes
import inspect

from . import _callbacks, _table
from ._library import LIBRARY
from ._structures import STRUCTURES, TYPES, from_c, number, structure

# The parameter with the length of a text that a call returns, and the longest such text.
LENGTHS = ("len", "max_len")
MOST_TEXT = 65536


def _text(value, where):
    if isinstance(value, str):
        return value.encode()
    if value is None or isinstance(value, bytes):
        return value
    raise TypeError(f"{where} is {value!r}; it must be a str, bytes or None")


def _function(value, where):
    if value is None or callable(value):
        return value
    raise TypeError(f"{where} is {value!r}; it must be a function or None")


def _address(value, where):
    return None if value is None else number(ctypes.c_uint64, value, where)


def _structure(kind):
    """Takes a dictionary, or an address as C does."""
    c = STRUCTURES[kind]
    return lambda value, where: (ctypes.byref(structure(c, value, where)) if isinstance(value, dict)
                                 else _address(value, where))


def _always(value, where):
    return None if _function(value, where) is None else _callbacks.always(value)


# Kinds that are passed as something else than a number: (type of ctypes, conversion).
_PASSED = {"text": (ctypes.c_char_p, _text), "P": (ctypes.c_void_p, _address),
           "f": (ctypes.c_float, lambda value, where: float(value)),
           "once": (ctypes.c_void_p, _function), "argument": (ctypes.c_void_p, lambda value, where: value),
           "always": (ctypes.c_void_p, _always)}


def _passed(kind):
    """(type of ctypes, conversion) of a parameter."""
    if kind in _PASSED:
        return _PASSED[kind]
    if kind in STRUCTURES:
        return ctypes.c_void_p, _structure(kind)
    if kind.startswith("="):
        c = STRUCTURES[kind[1:]]
        return c, lambda value, where: structure(c, value, where)
    c = TYPES[kind]
    return c, lambda value, where: number(c, value, where)


def _returned(kind):
    """Type of ctypes of what a C function returns."""
    return {"-": ctypes.c_int32, "text": ctypes.c_char_p, "P": ctypes.c_void_p}.get(kind) or TYPES[kind]


def _room(name, value, length, where):
    """A buffer for a text that a call returns."""
    if value <= MOST_TEXT:
        return ctypes.create_string_buffer(max(value, 0) + 1)
    raise OverflowError(f"{where}: {length} is {value}; allowed: at most {MOST_TEXT}, because {name} is never longer")


def _read(room):
    value = room.value
    return value.decode(errors="replace") if isinstance(value, bytes) else value


class _Call:
    """One function of the table."""

    def __init__(self, row):
        self.name, self.c_name, self.result, *parameters = row.split(" ")
        self.inputs, self.results = [], []
        types = []
        for position, parameter in enumerate(parameters):
            if ">" in parameter:
                name, kind = parameter.split(">")
                self.results.append((position, name, STRUCTURES.get(kind) or TYPES.get(kind)))
                types.append(ctypes.c_void_p)
            else:
                name, kind = parameter.split(":")
                c, convert = _passed(kind)
                self.inputs.append((name, kind, convert, f"acl.{self.name}: {name}"))
                types.append(c)
        self.function = getattr(LIBRARY, self.c_name)
        self.function.argtypes = types
        self.function.restype = _returned(self.result)

    def python(self):
        """The Python function with this name, signature and documentation."""
        if any(kind == "once" for _, kind, _, _ in self.inputs):
            chosen = self.call_with_callback
        else:
            chosen = self.call_with_results if self.results else self.call

        def function(*arguments):
            return chosen(arguments)

        default = None if self.name == "init" else inspect.Parameter.empty
        function.__name__ = function.__qualname__ = self.name.split(".")[-1]
        function.__module__ = "acl.rt" if self.name.startswith("rt.") else "acl"
        function.__signature__ = inspect.Signature(
            [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY, default=default) for name, *_ in self.inputs])
        results = [name for _, name, _ in self.results] + ["ret"]
        function.__doc__ = f"Calls {self.c_name}" + (f"; returns {', '.join(results)}." if self.result == "-" else ".")
        return function

    def values(self, arguments):
        """The arguments for ctypes."""
        if len(arguments) != len(self.inputs):
            if self.name == "init" and not arguments:
                return [None]
            names = ", ".join(name for name, *_ in self.inputs)
            raise TypeError(f"acl.{self.name}({names}): the number of arguments is {len(arguments)}; "
                            f"it must be {len(self.inputs)}")
        return [convert(argument, where) for argument, (_, _, convert, where) in zip(arguments, self.inputs)]

    def call(self, arguments):
        value = self.function(*self.values(arguments))
        if self.result == "text":
            return (value or b"").decode(errors="replace")
        return 0 if value is None else value

    def call_with_results(self, arguments):
        values = self.values(arguments)
        by_name = {name: value for (name, *_), value in zip(self.inputs, values)}
        rooms = []
        for position, name, c in self.results:
            if c is None:
                length = next(length for length in LENGTHS if length in by_name)
                room = _room(name, by_name[length], length, f"acl.{self.name}")
            else:
                room = c()
            rooms.append(room)
            values.insert(position, ctypes.byref(room))
        ret = self.function(*values)
        return (*(from_c(room) if isinstance(room, ctypes.Structure) else _read(room) for room in rooms), ret)

    def call_with_callback(self, arguments):
        values = self.values(arguments)
        at = next(index for index, (_, kind, _, _) in enumerate(self.inputs) if kind == "once")
        function, argument = values[at], values[at + 1]
        if function is None:
            values[at + 1] = None
            return self.function(*values)
        values[at] = _callbacks.RUN_ONCE
        values[at + 1] = key = _callbacks.once(function, argument)
        ret = self.function(*values)
        if ret != 0:
            _callbacks.forget(key)
        return ret


def functions(module):
    """The functions of `acl` (module ``) or of a part of it (`rt`), by name."""
    calls = (_Call(row) for row in _table.FUNCTIONS.split("\n")[1:-1]
             if row.split(" ")[0].rpartition(".")[0] == module)
    return {call.name.rpartition(".")[2]: call.python() for call in calls}


def absent(module, name):
    """The error for a name that the module does not have."""
    full = f"{module}.{name}" if module else name
    why = _table.ABSENT.get(full)
    if why:
        return AttributeError(f"acl.{full} is missing: {why}, which this module cannot convert; call the C function "
                              "from C or C++")
    return AttributeError(f"module 'acl{'.' + module if module else ''}' has no attribute '{name}'")
