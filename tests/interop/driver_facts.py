#!/usr/bin/env python3
"""Checks what drivers do beside their documentation, and this library relies on or works around: on the bare driver, without
this library. The fake driver has to do the same.

usage: driver_facts.py        runs each check in a process of its own; exits with 77 and a reason without a driver
       driver_facts.py NAME   runs one check in this process
"""

import ctypes
import fcntl
import os
import pathlib
import subprocess
import sys
import threading

from libraries import Driver, Missing

INVALID_VALUE, LAUNCH_FAILED = 1, 719
HOST, DEVICE = 1, 2
POSIX_DESCRIPTOR = 1
RELEASE_THRESHOLD, RESERVED_CURRENT = 4, 5
MIB = 1 << 20

Pointer, Size, Address, Word = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_ulonglong, ctypes.c_ulonglong
HostFunction = ctypes.CFUNCTYPE(None, Pointer)


class Location(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class PoolProperties(ctypes.Structure):
    _fields_ = [("allocation", ctypes.c_int), ("handles", ctypes.c_int), ("location", Location), ("security", Pointer),
                ("most", Size), ("usage", ctypes.c_ushort), ("reserved", ctypes.c_ubyte * 54)]


class PhysicalProperties(ctypes.Structure):
    _fields_ = [("allocation", ctypes.c_int), ("handles", ctypes.c_int), ("location", Location), ("security", Pointer),
                ("flags", ctypes.c_ubyte * 8)]


class HostNode(ctypes.Structure):
    _fields_ = [("function", HostFunction), ("argument", Pointer)]


class Copy(ctypes.Structure):
    _fields_ = [("srcX", Size), ("srcY", Size), ("srcZ", Size), ("srcLOD", Size), ("srcType", ctypes.c_int), ("srcHost", Pointer),
                ("srcDevice", Address), ("srcArray", Pointer), ("reserved0", Pointer), ("srcPitch", Size), ("srcHeight", Size),
                ("dstX", Size), ("dstY", Size), ("dstZ", Size), ("dstLOD", Size), ("dstType", ctypes.c_int), ("dstHost", Pointer),
                ("dstDevice", Address), ("dstArray", Pointer), ("reserved1", Pointer), ("dstPitch", Size), ("dstHeight", Size),
                ("width", Size), ("height", Size), ("depth", Size)]


class Graph:
    """A graph whose nodes follow each other."""

    def __init__(self, driver):
        self.driver, self.graph, self.last, self.kept = driver, Pointer(), None, []
        driver.call("cuGraphCreate", ctypes.byref(self.graph), 0)

    def add(self, function, *arguments):
        node, after = Pointer(), (Pointer * 1)(self.last)
        self.driver.call(function, ctypes.byref(node), self.graph, after, Size(0 if self.last is None else 1), *arguments)
        self.last = node

    def call(self, function):
        parameters = HostNode(HostFunction(lambda _: function()), None)
        self.kept.append(parameters)
        self.add("cuGraphAddHostNode", ctypes.byref(parameters))

    def copy(self, size, **ends):
        job = Copy(srcPitch=size, srcHeight=1, dstPitch=size, dstHeight=1, width=size, height=1, depth=1, **ends)
        self.add("cuGraphAddMemcpyNode", ctypes.byref(job), self.driver.context)

    def ready(self):
        ready = Pointer()
        self.driver.call("cuGraphInstantiateWithFlags", ctypes.byref(ready), self.graph, Word(0))
        return ready


def pool(driver, handles=0):
    """A pool that keeps all that it frees."""
    properties, made, all_of_it = PoolProperties(1, handles, Location(1, 0)), Pointer(), Word(2**64 - 1)
    driver.call("cuMemPoolCreate", ctypes.byref(made), ctypes.byref(properties))
    driver.call("cuMemPoolSetAttribute", made, RELEASE_THRESHOLD, ctypes.byref(all_of_it))
    return made


def exported(driver, made):
    descriptor = ctypes.c_int(-1)
    driver.call("cuMemPoolExportToShareableHandle", ctypes.byref(descriptor), made, POSIX_DESCRIPTOR, Word(0))
    return descriptor.value


def launches_of_an_empty_graph_are_not_ordered(driver):
    ready, first, second = Graph(driver).ready(), driver.stream(), driver.stream()
    gate = threading.Event()
    held = HostFunction(lambda _: gate.wait(20) and None)
    driver.call("cuLaunchHostFunc", first, held, None)
    driver.call("cuGraphLaunch", ready, first)
    driver.call("cuGraphLaunch", ready, second)
    # It would wait for the gate.
    waited = threading.Thread(target=driver.synchronize, args=(second,), daemon=True)
    waited.start()
    waited.join(5)
    assert not waited.is_alive(), "the second launch waits for the first one"
    gate.set()
    driver.synchronize(first)


def sources_of_graphs_are_read_at_the_launch(driver):
    for size in 4, MIB:
        source, destination = (ctypes.c_ubyte * size)(), (ctypes.c_ubyte * size)()
        device, runs, seen = Address(driver.allocate(size).address), [], []
        graph, stream = Graph(driver), driver.stream()
        graph.call(lambda: (runs.append(0), ctypes.memset(source, len(runs), size)))
        graph.copy(size, srcType=HOST, srcHost=ctypes.addressof(source), dstType=DEVICE, dstDevice=device)
        graph.copy(size, srcType=DEVICE, srcDevice=device, dstType=HOST, dstHost=ctypes.addressof(destination))
        # The destination is written in order.
        graph.call(lambda: seen.append((destination[0], destination[size - 1])))
        ready = graph.ready()
        for _ in range(3):
            driver.call("cuGraphLaunch", ready, stream)
            driver.synchronize(stream)
        assert seen == [(0, 0), (1, 1), (2, 2)], f"{size} bytes: {seen}"


def kernel_text():
    """The kernels of the tests, in the pack and in the source tree."""
    here = pathlib.Path(__file__).resolve().parent
    files = here.parent / "kernels.ptx", here.parents[1] / "cpp_tests/kernels/kernels.ptx"
    return next(file for file in files if file.exists()).read_bytes()


def a_failed_kernel_fails_the_process(driver):
    module, function = Pointer(), Pointer()
    driver.call("cuModuleLoadData", ctypes.byref(module), kernel_text())
    driver.call("cuModuleGetFunction", ctypes.byref(function), module, b"stop_if")
    condition = ctypes.c_uint(1)
    arguments = (Pointer * 1)(ctypes.addressof(condition))
    driver.call("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, driver.stream(), arguments, None)
    assert driver.cuda.cuCtxSynchronize() == LAUNCH_FAILED
    # Drivers return 0 or the failure.
    assert driver.cuda.cuDevicePrimaryCtxRelease_v2(0) in (0, LAUNCH_FAILED)
    context, flags, active = Pointer(), ctypes.c_uint(), ctypes.c_int()
    driver.call("cuDevicePrimaryCtxGetState", 0, ctypes.byref(flags), ctypes.byref(active))
    assert active.value == 0, "the context is active"
    assert driver.cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == LAUNCH_FAILED
    driver.call("cuDevicePrimaryCtxReset_v2", 0)
    assert driver.cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == LAUNCH_FAILED
    assert driver.cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == LAUNCH_FAILED


def programs_inherit_descriptors_of_pools(driver):
    assert not fcntl.fcntl(exported(driver, pool(driver, POSIX_DESCRIPTOR)), fcntl.F_GETFD) & fcntl.FD_CLOEXEC
    properties, memory, descriptor = PhysicalProperties(1, POSIX_DESCRIPTOR, Location(1, 0)), Word(), ctypes.c_int(-1)
    driver.call("cuMemCreate", ctypes.byref(memory), Size(2 * MIB), ctypes.byref(properties), Word(0))
    driver.call("cuMemExportToShareableHandle", ctypes.byref(descriptor), memory, POSIX_DESCRIPTOR, Word(0))
    assert fcntl.fcntl(descriptor.value, fcntl.F_GETFD) & fcntl.FD_CLOEXEC, "of physical memory"


def an_imported_pool_is_not_trimmed(driver):
    if number := os.environ.get("DRIVER_FACTS_POOL"):
        imported = Pointer()
        driver.call("cuMemPoolImportFromShareableHandle", ctypes.byref(imported), Pointer(int(number)), POSIX_DESCRIPTOR, Word(0))
        assert driver.cuda.cuMemPoolTrimTo(imported, Size(0)) == INVALID_VALUE
        return
    descriptor = exported(driver, pool(driver, POSIX_DESCRIPTOR))
    child = subprocess.run([sys.executable, __file__, an_imported_pool_is_not_trimmed.__name__], check=False,
                           pass_fds=[descriptor], env={**os.environ, "DRIVER_FACTS_POOL": str(descriptor)})
    assert child.returncode == 0, "the other process failed"


def the_largest_number_trims_a_pool_to_nothing(driver):
    made, stream, block, reserved = pool(driver), driver.stream(), Address(), Word()
    driver.call("cuMemAllocFromPoolAsync", ctypes.byref(block), Size(64 * MIB), made, stream)
    driver.call("cuMemFreeAsync", block, stream)
    driver.synchronize(stream)
    for keep, left in ((64 * MIB + 1, 64 * MIB), (2**63 - 1, 64 * MIB), (2**64 - 1, 0)):
        driver.call("cuMemPoolTrimTo", made, Size(keep))
        driver.call("cuMemPoolGetAttribute", made, RESERVED_CURRENT, ctypes.byref(reserved))
        assert reserved.value == left, f"trimmed to {keep}: {reserved.value} bytes are reserved"


FACTS = (launches_of_an_empty_graph_are_not_ordered, sources_of_graphs_are_read_at_the_launch,
         a_failed_kernel_fails_the_process, programs_inherit_descriptors_of_pools, an_imported_pool_is_not_trimmed,
         the_largest_number_trims_a_pool_to_nothing)


def main():
    names = [fact.__name__ for fact in FACTS]
    if sys.argv[1:]:
        if sys.argv[1] not in names:
            sys.exit(f"{__doc__}\nNAME is one of {', '.join(names)}")
        try:
            driver = Driver()
        except Missing as missing:
            print(f"skipped: {missing}")
            sys.exit(77)
        driver.enter()
        FACTS[names.index(sys.argv[1])](driver)
        # Some leave a failed driver behind, or work that never ends.
        sys.stdout.flush()
        os._exit(0)
    failed = 0
    for name in names:
        print(f"[ RUN      ] DriverFacts.{name}", flush=True)
        status = subprocess.run([sys.executable, __file__, name], check=False, timeout=60).returncode
        if status == 77:
            sys.exit(77)
        failed += status != 0
        print(f"[{'  FAILED  ' if status else '       OK '}] DriverFacts.{name}", flush=True)
    print(f"[==========] {len(names)} tests from 1 test suite ran.\n[  PASSED  ] {len(names) - failed} tests.")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
