"""Addresses of Python objects, and Python objects for addresses."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import rt

if TYPE_CHECKING:
    import numpy

# ACL_MEM_LOCATION_TYPE_DEVICE
_DEVICE = 1
_INVALID_PARAM = 100000


class _Kept(threading.local):
    """What a thread has passed last. Programs pass the address of a temporary object, as in
    memcpy(device, size, numpy_to_ptr(image.astype("float32")), size, 1)."""

    value: Any = None


_kept = _Kept()


def bytes_to_ptr(data: bytes) -> int:
    """The address of bytes. It is valid as long as the object, and at least until the thread's next call of this kind."""
    if not isinstance(data, bytes):
        raise TypeError(f"acl.util.bytes_to_ptr: data is {type(data).__name__}; it must be bytes")
    _kept.value = data
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0


def numpy_to_ptr(array: numpy.ndarray[Any, Any]) -> int:
    """The address of an array's elements; nothing is copied. It is valid as long as the array, and at least until the
    thread's next call of this kind."""
    if not hasattr(array, "flags") or not hasattr(array, "ctypes"):
        raise TypeError(f"acl.util.numpy_to_ptr: array is {type(array).__name__}; it must be a numpy.ndarray")
    if not array.flags.c_contiguous:
        raise ValueError("acl.util.numpy_to_ptr: the array is not C-contiguous (it is transposed or a part of another, "
                         "for example); pass the result of numpy.ascontiguousarray(array), keep it until the copy is "
                         "complete, and after a copy to the host read that result")
    _kept.value = array
    return int(array.ctypes.data)


def _must_be_readable(call: str, ptr: int, size: int) -> None:
    """The host can read these bytes, as far as the library knows."""
    if ptr <= 0 or size < 0:
        raise ValueError(f"acl.util.{call}: ptr is {ptr:#x} and size is {size}; allowed: ptr greater than 0, and size 0 "
                         "or more")
    attributes, ret = rt.pointer_get_attributes(ptr)
    if ret == 0 and attributes["location"]["type"] == _DEVICE:
        raise ValueError(f"acl.util.{call}: ptr is {ptr:#x}, on device {attributes['location']['id']}; copy the memory to "
                         "memory from acl.rt.malloc_host first")


def ptr_to_bytes(ptr: int, size: int) -> bytes:
    """A copy of host memory."""
    _must_be_readable("ptr_to_bytes", ptr, size)
    return ctypes.string_at(ptr, size)


def ptr_to_numpy(ptr: int, shape: tuple[int, ...], data_type: Any) -> numpy.ndarray[Any, Any]:
    """An array over host memory; nothing is copied. It must not be used after the memory is freed.

    `data_type` is a type number of NumPy (11 is float32), or anything that numpy.dtype takes."""
    import numpy

    if isinstance(data_type, int):
        numbers = {numpy.dtype(code).num: numpy.dtype(code) for code in numpy.typecodes["All"]}
        if data_type not in numbers:
            raise ValueError(f"acl.util.ptr_to_numpy: data_type is {data_type}; NumPy has no type with this number")
        data_type = numbers[data_type]
    kind = numpy.dtype(data_type)
    size = kind.itemsize
    for length in shape:
        if length < 0:
            raise ValueError(f"acl.util.ptr_to_numpy: shape is {shape}; a length must not be negative")
        size *= int(length)
    _must_be_readable("ptr_to_numpy", ptr, size)
    memory = (ctypes.c_char * size).from_address(ptr)
    return numpy.frombuffer(memory, kind).reshape(shape)


# Threads that start_thread has started, by the number that pthread_self() returns on them.
_threads: dict[int, threading.Thread] = {}


def start_thread(function: Callable[[Any], object], arguments: Any) -> tuple[int, int]:
    """Starts a thread that calls `function(arguments)`. Returns its number, for acl.rt.subscribe_report, and 0."""
    # A program that ends does not wait for it.
    thread = threading.Thread(target=function, args=(arguments,), name="acl.util.start_thread", daemon=True)
    thread.start()
    assert thread.ident is not None
    _threads[thread.ident] = thread
    return thread.ident, 0


def stop_thread(thread_id: int) -> int:
    """Waits until the thread's function returns. Returns 0, or 100000 if start_thread did not start this thread."""
    thread = _threads.pop(thread_id, None)
    if thread is None or thread is threading.current_thread():
        return _INVALID_PARAM
    thread.join()
    return 0
