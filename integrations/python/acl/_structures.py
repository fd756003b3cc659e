"""Numbers and structures of C."""

import ctypes
import operator

from . import _table

# Kinds of the table.
TYPES = {"i": ctypes.c_int32, "I": ctypes.c_uint32, "q": ctypes.c_int64, "Q": ctypes.c_uint64, "P": ctypes.c_uint64,
         "H": ctypes.c_uint16, "B": ctypes.c_uint8, "f": ctypes.c_float, "c": ctypes.c_char}


def _bounds(kind):
    bits = 8 * ctypes.sizeof(TYPES[kind])
    # Enumerators and flags are passed as both.
    return (0, 2**bits) if kind.isupper() else (-2**(bits - 1), 2**bits if kind == "i" else 2**(bits - 1))


_BOUNDS = {TYPES[kind]: _bounds(kind) for kind in "iIqQHB"}


def number(c, value, where):
    """`value` as an int that fits into `c`: ctypes would cut others without an error."""
    try:
        value = operator.index(value)
    except TypeError:
        raise TypeError(f"{where} is {value!r}; it must be an int") from None
    low, high = _BOUNDS[c]
    if low <= value < high:
        return value
    raise OverflowError(f"{where} is {value}; it must be from {low} to {high - 1}")


def _declare():
    """Structures by name. The table has each of them behind those that it contains."""
    structures = {}
    for line in _table.STRUCTURES.split("\n")[1:-1]:
        name, *fields = line.split(" ")
        members = []
        for field in fields:
            member, kind, *length = field.split(":")
            c = structures.get(kind) or TYPES[kind]
            members.append((member, c * int(length[0]) if length else c))
        structures[name] = type(name, (ctypes.Structure,), {"_fields_": members})
    return structures


STRUCTURES = _declare()


def to_c(c, value, where):
    """A value for a field of the type `c`."""
    if c in _BOUNDS:
        return number(c, value, where)
    if issubclass(c, ctypes.Structure):
        return structure(c, value, where)
    if not issubclass(c, ctypes.Array):
        return c(value)
    if len(value) > c._length_:
        raise ValueError(f"{where} has {len(value)} elements; at most {c._length_} fit")
    if c._type_ is ctypes.c_char:
        return c(*(value.encode() if isinstance(value, str) else value))
    return c(*(to_c(c._type_, element, f"{where}[{index}]") for index, element in enumerate(value)))


def structure(c, values, where):
    """A structure of the type `c`, from a dictionary. Fields that it does not have are 0."""
    if not isinstance(values, dict):
        keys = ", ".join(name for name, _ in c._fields_)
        raise TypeError(f"{where} is {values!r}; it must be a dictionary with the keys {keys}")
    filled = c()
    fields = dict(c._fields_)
    for name, value in values.items():
        if name not in fields:
            raise ValueError(f"{where} has the key '{name}'; the keys of {c.__name__} are {', '.join(fields)}")
        setattr(filled, name, to_c(fields[name], value, f"{where}['{name}']"))
    return filled


def from_c(value):
    """What a structure holds, as a dictionary. Bytes stay bytes, other arrays are lists."""
    if isinstance(value, ctypes.Structure):
        return {name: from_c(getattr(value, name)) for name, _ in value._fields_}
    if isinstance(value, ctypes.Array):
        return bytes(value) if value._type_ is ctypes.c_uint8 else [from_c(element) for element in value]
    return value.decode(errors="replace") if isinstance(value, bytes) else value
