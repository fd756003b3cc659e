#!/usr/bin/env python3
"""Asks a driver what it does not document about the hardware queues that streams share, and about objects that end before
the work that uses them: on the bare driver, without this library.

usage: queue_probe.py [--limit SECONDS]    asks everything, each question in a process of its own; ends before the limit (default
                                           40); exits with 77 and a reason without a driver
       queue_probe.py NAME                 asks one question in this process

Prints a table with tabs between its columns: question, case, answer, milliseconds. An answer is
    other             a stream has a queue of its own beside that of the first one; shared: it stands behind the first one
    a number          so many operations fit behind a stream that waits, before the next call waits; fails: a call fails
    returns, waits    whether a call returns while a stream waits for the program
    ends, stands      whether work ends while what it needs stands in a certain place
    ends, fails       what becomes of work whose mapping or module ends before it
    after a wait, after a call for a pool, kept   when the memory of a destroyed pool is free
    stopped           no answer within the limit
"""

import ctypes
import os
import subprocess
import sys
import threading
import time

from driver_facts import Address, Graph, HostFunction, Location, MIB, PhysicalProperties, Pointer, Size, Word, kernel_text, pool
from libraries import Driver, Missing

STREAMS, SHORT, LONG = 12, 0.1, 0.4  # seconds that something may take which waits for nothing, and a call
DEVICE_MAP, GEQ = 2, 0
MOST = 3000  # operations that are enqueued behind a stream that waits


def say(question, case, answer, took=0.0):
    print(f"{question}\t{case}\t{answer}\t{took * 1000:.1f}", flush=True)


class Words:
    """Words in pinned memory, which streams wait for."""

    def __init__(self, driver):
        self.driver, self.place = driver, Pointer()
        driver.call("cuMemHostAlloc", ctypes.byref(self.place), Size(4096), DEVICE_MAP)
        self.address = Address()
        driver.call("cuMemHostGetDevicePointer_v2", ctypes.byref(self.address), self.place, 0)
        ctypes.memset(self.place, 0, 4096)
        self.words = (ctypes.c_uint * 1024).from_address(self.place.value)

    def wait(self, stream, at):
        function = "cuStreamWaitValue32_v2" if hasattr(self.driver.cuda, "cuStreamWaitValue32_v2") else "cuStreamWaitValue32"
        self.driver.call(function, stream, Address(self.address.value + 4 * at), ctypes.c_uint(1), GEQ)

    def write(self, stream, at):
        function = "cuStreamWriteValue32_v2" if hasattr(self.driver.cuda, "cuStreamWriteValue32_v2") else "cuStreamWriteValue32"
        if hasattr(self.driver.cuda, function):
            self.driver.call(function, stream, Address(self.address.value + 4 * at), ctypes.c_uint(1), 0)
        else:
            self.driver.call("cuStreamWriteValue64", stream, Address(self.address.value + 4 * at), Word(1), 0)


def in_thread(driver, call, patience):
    """Makes a call on a thread. Returns whether it returned in time, the seconds, and the thread, whose `failure` is that of
    the call."""
    def run():
        driver.enter()
        try:
            call()
        except (AssertionError, AttributeError) as failure:
            thread.failure = failure

    began = time.monotonic()
    thread = threading.Thread(target=run, daemon=True)
    thread.failure = None
    thread.start()
    thread.join(patience)
    return not thread.is_alive(), time.monotonic() - began, thread


def answer(returned, thread):
    return f"fails: {thread.failure}" if thread.failure else "returns" if returned else "waits"


def ends(driver, stream, patience=SHORT):
    until = time.monotonic() + patience
    while driver.cuda.cuStreamQuery(stream) != 0:
        if time.monotonic() > until:
            return False
        time.sleep(0.001)
    return True


def urgent(driver):
    least, greatest, stream = ctypes.c_int(), ctypes.c_int(), Pointer()
    driver.call("cuCtxGetStreamPriorityRange", ctypes.byref(least), ctypes.byref(greatest))
    driver.call("cuStreamCreateWithPriority", ctypes.byref(stream), 1, greatest)
    return stream


def sharing(driver, words, streams):
    """Which of the other streams stand behind the first one, while it waits for a word."""
    memory = Address(driver.allocate(64).address)
    words.wait(streams[0], 0)
    for stream in streams[1:]:
        driver.call("cuMemsetD8Async", memory, ctypes.c_ubyte(1), Size(64), stream)
    time.sleep(SHORT)
    behind = [stream for stream in streams[1:] if driver.cuda.cuStreamQuery(stream) != 0]
    words.words[0] = 1
    for stream in streams:
        driver.synchronize(stream)
    words.words[0] = 0
    return behind


def which_streams_share(driver):
    words = Words(driver)
    streams = [driver.stream() for _ in range(STREAMS)] + [urgent(driver)]
    for first in range(0, STREAMS, 4):
        order = [streams[first], *streams[:first], *streams[first + 1:]]
        began = time.monotonic()
        behind = sharing(driver, words, order)
        for number, stream in enumerate(streams):
            if stream is not streams[first]:
                name = f"stream {first}, stream {number}" if number < STREAMS else f"stream {first}, the most urgent one"
                say("share", name, "shared" if stream in behind else "other", time.monotonic() - began)


def neighbours(driver, words):
    """Three streams: the second one shares the queue of the first one, and the third one does not, if there are such."""
    streams = [driver.stream() for _ in range(40)]
    behind = sharing(driver, words, streams)
    shared = behind[0] if behind else None
    return streams[0], shared, next((stream for stream in streams[1:] if stream not in behind), None)


def operations(driver, words):
    """What a queue may have room for, each with a call that enqueues one."""
    event, memory = Pointer(), Address(driver.allocate(64).address)
    driver.call("cuEventCreate", ctypes.byref(event), 2)
    module, kernel = Pointer(), Pointer()
    driver.call("cuModuleLoadData", ctypes.byref(module), kernel_text())
    driver.call("cuModuleGetFunction", ctypes.byref(kernel), module, b"stop_if")
    zero = ctypes.c_uint(0)
    arguments, keep = (Pointer * 1)(ctypes.addressof(zero)), zero
    nothing = HostFunction(lambda _: None)
    return {"records": lambda stream: driver.call("cuEventRecord", event, stream),
            "host functions": lambda stream: driver.call("cuLaunchHostFunc", stream, nothing, None),
            "fills": lambda stream: driver.call("cuMemsetD8Async", memory, ctypes.c_ubyte(1), Size(64), stream),
            "kernels": lambda stream, _=keep: driver.call("cuLaunchKernel", kernel, 1, 1, 1, 1, 1, 1, 0, stream, arguments, None),
            "writes of words": lambda stream: words.write(stream, 8)}


def fill(driver, stream, enqueue):
    """Enqueues until a call waits. Returns how many fit, and the thread that waits."""
    count = [0]

    def run():
        driver.enter()
        while count[0] < MOST:
            enqueue(stream)
            count[0] += 1

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    seen, since = -1, time.monotonic()
    while thread.is_alive() and time.monotonic() - since < LONG:
        if count[0] != seen:
            seen, since = count[0], time.monotonic()
        time.sleep(0.005)
    return count[0], thread


def how_much_fits(driver):
    words = Words(driver)
    first, shared, other = neighbours(driver, words)
    for name, enqueue in operations(driver, words).items():
        words.wait(first, 0)
        began = time.monotonic()
        count, thread = fill(driver, first, enqueue)
        most = thread.is_alive() or count == MOST
        say("fits", name, (count if count < MOST else f"{MOST} and more") if most else "fails", time.monotonic() - began)
        if thread.is_alive():
            # A bound of the queue stops its other stream, too; one of the stream does not. Locks stop every stream.
            for case, stream in (("the stream that shares the queue", shared), ("a stream of another queue", other)):
                if stream is not None:
                    returned, took, call = in_thread(driver, lambda stream=stream: enqueue(stream), LONG)
                    say("full", f"{name}: {case}", answer(returned, call), took)
        words.words[0] = 1
        for stream in filter(None, (first, shared, other)):
            driver.synchronize(stream)
        thread.join()
        words.words[0] = 0


def calls(driver, spare):
    """Calls by name. Each is made while a stream waits, and may have objects of its own that were made before."""
    def made(function, *arguments):
        out = Pointer()
        driver.call(function, ctypes.byref(out), *arguments)
        return out

    small, host = ctypes.create_string_buffer(64), ctypes.create_string_buffer(MIB)
    device = Address(driver.allocate(MIB).address)
    freed, pinned = [Address(driver.allocate(4096).address) for _ in range(2)], Pointer()
    driver.call("cuMemHostAlloc", ctypes.byref(pinned), Size(4096), DEVICE_MAP)
    event, idle, of_pool = made("cuEventCreate", 2), driver.stream(), pool(driver)
    page = ctypes.create_string_buffer(8192)
    aligned = Pointer((ctypes.addressof(page) + 4095) & ~4095)
    block = Address()
    driver.call("cuMemAllocFromPoolAsync", ctypes.byref(block), Size(4096), of_pool, spare)
    driver.synchronize(spare)
    ready = Graph(driver).ready()
    properties = PhysicalProperties(1, 1, Location(1, 0))
    out = Word()
    return {
        "cuCtxGetCurrent": lambda: made("cuCtxGetCurrent"),
        "cuMemAlloc": lambda: made("cuMemAlloc_v2", Size(4096)),
        "cuMemFree": lambda: driver.call("cuMemFree_v2", freed.pop()),
        "cuMemHostAlloc": lambda: made("cuMemHostAlloc", Size(4096), DEVICE_MAP),
        "cuMemFreeHost": lambda: driver.call("cuMemFreeHost", pinned),
        "cuMemHostRegister": lambda: driver.call("cuMemHostRegister_v2", aligned, Size(4096), DEVICE_MAP),
        "cuMemHostUnregister": lambda: driver.call("cuMemHostUnregister", aligned),
        "cuMemGetInfo": lambda: driver.call("cuMemGetInfo_v2", ctypes.byref(Size()), ctypes.byref(Size())),
        "cuMemCreate": lambda: driver.call("cuMemCreate", ctypes.byref(out), Size(2 * MIB), ctypes.byref(properties), Word(0)),
        "cuMemRelease": lambda: driver.call("cuMemRelease", out),
        "cuMemPoolCreate": lambda: pool(driver),
        "cuMemAllocFromPoolAsync": lambda: made("cuMemAllocFromPoolAsync", Size(4096), of_pool, spare),
        "cuMemFreeAsync": lambda: driver.call("cuMemFreeAsync", block, spare),
        "cuMemPoolTrimTo": lambda: driver.call("cuMemPoolTrimTo", of_pool, Size(0)),
        "cuStreamCreateWithPriority, the most urgent one": lambda: urgent(driver),
        "cuStreamQuery": lambda: driver.call("cuStreamQuery", idle),
        "cuStreamSynchronize": lambda: driver.call("cuStreamSynchronize", idle),
        "cuStreamDestroy": lambda: driver.call("cuStreamDestroy_v2", idle),
        "cuEventCreate": lambda: made("cuEventCreate", 2),
        "cuEventRecord": lambda: driver.call("cuEventRecord", event, spare),
        "cuEventQuery": lambda: driver.cuda.cuEventQuery(event),
        "cuEventDestroy": lambda: driver.call("cuEventDestroy_v2", event),
        "cuMemsetD8": lambda: driver.call("cuMemsetD8_v2", device, ctypes.c_ubyte(1), Size(64)),
        "cuMemcpyHtoDAsync, 64 B pageable": lambda: driver.call("cuMemcpyHtoDAsync_v2", device, small, Size(64), spare),
        "cuMemcpyHtoDAsync, 1 MiB pageable": lambda: driver.call("cuMemcpyHtoDAsync_v2", device, host, Size(MIB), spare),
        "cuMemcpyDtoHAsync, 64 B pageable": lambda: driver.call("cuMemcpyDtoHAsync_v2", small, device, Size(64), spare),
        "cuMemcpyDtoH, 64 B": lambda: driver.call("cuMemcpyDtoH_v2", small, device, Size(64)),
        "cuGraphLaunch": lambda: driver.call("cuGraphLaunch", ready, spare),
        "cuGraphExecDestroy": lambda: driver.call("cuGraphExecDestroy", ready),
        "cuModuleLoadData": lambda: made("cuModuleLoadData", kernel_text()),
        "cuStreamCreate, of a queue that is free": driver.stream,
    }


def which_calls_wait(driver):
    words = Words(driver)
    first, _, other = neighbours(driver, words)
    for name, call in calls(driver, other or urgent(driver)).items():
        if not hasattr(driver.cuda, "cuMemsetD8_v2") and name == "cuMemsetD8":
            continue
        words.wait(first, 0)
        returned, took, thread = in_thread(driver, call, LONG)
        say("held", name, answer(returned, thread), took)
        words.words[0] = 1
        thread.join(10)
        driver.synchronize(first)
        words.words[0] = 0


def where_a_writer_may_stand(driver):
    """A stream waits for a word that another stream writes: behind it or before it in the same queue, or in another one."""
    words = Words(driver)
    first, shared, other = neighbours(driver, words)
    places = (("in another queue", other, False), ("in a more urgent stream", urgent(driver), False),
              ("behind it in its queue", shared, False), ("before it in its queue", shared, True))
    for case, writer, before in places:
        if writer is None:
            say("writer", case, "no streams share a queue" if shared is None else "all streams share a queue")
            continue
        began = time.monotonic()
        for step in ("write", "wait") if before else ("wait", "write"):
            words.wait(first, 16) if step == "wait" else words.write(writer, 16)
        ended = ends(driver, first, LONG)
        say("writer", case, "ends" if ended else "stands", time.monotonic() - began)
        words.words[16] = 1
        for stream in (first, writer):
            driver.synchronize(stream)
        words.words[16] = 0


class Access(ctypes.Structure):
    _fields_ = [("location", Location), ("flags", ctypes.c_int)]


def ended_early(driver, function, arguments, enqueue):
    """Ends an object by a call, while work waits that uses it."""
    words, stream = Words(driver), driver.stream()
    words.wait(stream, 0)
    enqueue(stream)
    returned, took, thread = in_thread(driver, lambda: driver.call(function, *arguments), LONG)
    say("ended", f"{function}, pending work", answer(returned, thread), took)
    words.words[0] = 1
    code = driver.cuda.cuStreamSynchronize(stream)
    thread.join(10)
    say("ended", f"{function}, the work", "ends" if code == 0 else f"fails: {code}")


def whether_unmapping_waits(driver):
    size, address, physical = Size(2 * MIB), Address(), Word()
    properties, access = PhysicalProperties(1, 0, Location(1, 0)), Access(Location(1, 0), 3)
    driver.call("cuMemAddressReserve", ctypes.byref(address), size, Size(0), Address(0), Word(0))
    driver.call("cuMemCreate", ctypes.byref(physical), size, ctypes.byref(properties), Word(0))
    driver.call("cuMemMap", address, size, Size(0), physical, Word(0))
    driver.call("cuMemSetAccess", address, size, ctypes.byref(access), Size(1))
    ended_early(driver, "cuMemUnmap", (address, size),
                lambda stream: driver.call("cuMemsetD8Async", address, ctypes.c_ubyte(1), size, stream))


def whether_unloading_waits(driver):
    module, kernel, zero = Pointer(), Pointer(), ctypes.c_uint(0)
    driver.call("cuModuleLoadData", ctypes.byref(module), kernel_text())
    driver.call("cuModuleGetFunction", ctypes.byref(kernel), module, b"stop_if")
    arguments = (Pointer * 1)(ctypes.addressof(zero))
    ended_early(driver, "cuModuleUnload", (module,),
                lambda stream: driver.call("cuLaunchKernel", kernel, 1, 1, 1, 1, 1, 1, 0, stream, arguments, None))


def when_a_destroyed_pool_ends(driver):
    """The memory of a pool that is destroyed while a free is pending."""
    size, block, of_pool, stream = 64 * MIB, Address(), pool(driver), driver.stream()
    words, numbers = Words(driver), (Size(), Size())

    def free():
        driver.call("cuMemGetInfo_v2", *map(ctypes.byref, numbers))
        return numbers[0].value

    driver.call("cuMemAllocFromPoolAsync", ctypes.byref(block), Size(size), of_pool, stream)
    driver.synchronize(stream)
    before = free()
    words.wait(stream, 0)
    driver.call("cuMemFreeAsync", block, stream)
    driver.call("cuMemPoolDestroy", of_pool)
    words.words[0] = 1
    driver.synchronize(stream)
    after = "after a wait" if free() >= before + size else None
    pool(driver)
    say("pool", "destroyed, pending free", after or ("after a call for a pool" if free() >= before + size else "kept"))


QUESTIONS = (which_streams_share, where_a_writer_may_stand, whether_unmapping_waits, whether_unloading_waits,
             when_a_destroyed_pool_ends, how_much_fits, which_calls_wait)


def one(name):
    driver = Driver()
    driver.enter()
    next(question for question in QUESTIONS if question.__name__ == name)(driver)
    # Some leave calls behind that do not return.
    sys.stdout.flush()
    os._exit(0)


def main():
    limit = float(sys.argv[2]) if sys.argv[1:2] == ["--limit"] and len(sys.argv) == 3 else 40.0
    names = [question.__name__ for question in QUESTIONS]
    if len(sys.argv) == 2 and sys.argv[1] in names:
        one(sys.argv[1])
    if sys.argv[1:] and sys.argv[1] != "--limit":
        sys.exit(f"{__doc__}\nNAME is one of {', '.join(names)}")
    try:
        Driver()
    except Missing as missing:
        print(f"skipped: {missing}")
        sys.exit(77)
    began, failed = time.monotonic(), 0
    print("question\tcase\tanswer\tmilliseconds", flush=True)
    for asked, name in enumerate(names):
        # What is left is divided, so that each question has its chance.
        share = (limit - (time.monotonic() - began)) / (len(names) - asked)
        try:
            done = subprocess.run([sys.executable, __file__, name], check=False, timeout=share)
            failed += done.returncode != 0
        except subprocess.TimeoutExpired:
            say("stopped", name, "stopped", time.monotonic() - began)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
