#!/usr/bin/env python3
"""Times the allocator of another library that uses a GPU beside those of this library, in one process.

usage: allocators.py driver|torch|cupy      exits with 77 and a reason if that library is not here

Prints a line of JSON for each comparison: microseconds for an allocation and its free, as Python calls them.
"""

import ctypes
import json
import pathlib
import random
import statistics
import sys
import time

from interop import Portacl
from libraries import of_command

PAIRS, ROUNDS, ALIVE = 400, 5, 200


class Own:
    """Two calls of this library, for memory that is allocated and freed."""

    def __init__(self, portacl, allocate, free, *more):
        self.call, self.more, self.place = getattr(portacl.library, allocate), more, ctypes.c_void_p()
        self.end, self.after = getattr(portacl.library, free), more[-1:] if free == "portaclFreeAsync" else ()

    def allocate(self, size):
        code = self.call(ctypes.byref(self.place), ctypes.c_size_t(size), *self.more)
        if code != 0:
            raise AssertionError(f"{self.call.__name__} gave {code}")
        return self.place.value

    def free(self, block):
        code = self.end(ctypes.c_void_p(block), *self.after)
        if code != 0:
            raise AssertionError(f"{self.end.__name__} gave {code}")


class Nothing:
    """Two calls that do next to nothing: what Python takes for the calls of this library."""

    def __init__(self, portacl):
        self.call, self.device = portacl.library.aclrtGetDevice, ctypes.c_int()

    def allocate(self, _size):
        self.call(ctypes.byref(self.device))

    def free(self, _block):
        self.call(ctypes.byref(self.device))


def pairs(allocator):
    """Memory that is freed at once."""
    for _ in range(PAIRS):
        allocator.free(allocator.allocate(1 << 20))


def mixed(allocator):
    """Many blocks are alive, and a random one of them is replaced."""
    chance = random.Random(1)
    alive = [allocator.allocate(256 << chance.randrange(16)) for _ in range(ALIVE)]
    began = time.perf_counter()
    for _ in range(PAIRS):
        at = chance.randrange(ALIVE)
        alive[at], alive[-1] = alive[-1], alive[at]
        allocator.free(alive.pop())
        alive.append(allocator.allocate(256 << chance.randrange(16)))
    took = time.perf_counter() - began
    while alive:
        allocator.free(alive.pop())
    return took


def trace():
    """The allocations and frees of a training loop (docs/allocation_log.md): the number of each block, and its size if it is
    allocated. The file is beside this one in the pack."""
    here = pathlib.Path(__file__).resolve().parent
    files = here / "training_loop.jsonl", here.parents[1] / "benches/data/training_loop.jsonl"
    steps = map(json.loads, next(file for file in files if file.exists()).read_text().splitlines())
    return [(step["pointer"], step.get("size")) for step in steps if step["event"] in ("malloc", "free")]


def replayed(allocator, steps=tuple(trace())):
    """The same allocations and frees in each allocator."""
    alive, began = {}, time.perf_counter()
    for block, size in steps:
        if size is None:
            allocator.free(alive.pop(block))
        else:
            alive[block] = allocator.allocate(size)
    took = time.perf_counter() - began
    while alive:
        allocator.free(alive.popitem()[1])
    return took * PAIRS / sum(size is not None for _, size in steps)


def microseconds(work, allocator):
    began = time.perf_counter()
    took = work(allocator)
    return (time.perf_counter() - began if took is None else took) * 1e6 / PAIRS


def main():
    library = of_command(__doc__)
    portacl = Portacl()
    portacl.start()
    stream = ctypes.c_void_p(portacl.get("aclrtCreateStream"))
    own = {"aclrtMalloc + aclrtFree": Own(portacl, "aclrtMalloc", "aclrtFree", 0),
           "portaclMallocAsync + portaclFreeAsync": Own(portacl, "portaclMallocAsync", "portaclFreeAsync", stream),
           "two calls of aclrtGetDevice": Nothing(portacl)}
    for name, work in ("1 MiB", pairs), (f"256 B to 8 MiB, {ALIVE} alive", mixed), ("a training loop", replayed):
        times = {call: [] for call in (*own, library.name)}
        for _ in range(ROUNDS):
            for call, allocator in (*own.items(), (library.name, library)):
                times[call].append(microseconds(work, allocator))
        theirs = statistics.median(times.pop(library.name))
        for call, took in times.items():
            print(json.dumps({"name": f"{call}, {name}", "portacl": round(statistics.median(took), 3),
                              library.name: round(theirs, 3), "unit": "us"}), flush=True)
    portacl.aclrtSynchronizeStream(stream)
    portacl.aclrtDestroyStream(stream)
    portacl.aclFinalize()
    library.end()


if __name__ == "__main__":
    main()
