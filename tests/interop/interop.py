#!/usr/bin/env python3
"""Puts this library and another one that uses a GPU into one process: streams lent both ways, captures, memory of both
beside each other, and what is left when one of them ends.

usage: interop.py driver|torch|cupy      exits with 77 and a reason if that library is not here

libportacl.so.0 is found as LD_LIBRARY_PATH says.
"""

import ctypes
import sys
import threading
import time

from libraries import LIBRARIES, of_command

SIZE = 1 << 20


class Portacl:
    """The runtime API. A call that fails raises its text."""

    def __init__(self):
        self.library = ctypes.CDLL("libportacl.so.0")
        self.library.aclGetRecentErrMsg.restype = ctypes.c_char_p
        self.library.portaclBackendName.restype = ctypes.c_char_p

    def __getattr__(self, function):
        call = getattr(self.library, function)

        def checked(*arguments):
            code = call(*arguments)
            if code != 0:
                raise AssertionError(f"{function} gave {code}: {(self.library.aclGetRecentErrMsg() or b'').decode()}")

        return checked

    def get(self, function, *arguments):
        """The pointer that a call returns by its first argument."""
        found = ctypes.c_void_p()
        getattr(self, function)(ctypes.byref(found), *arguments)
        return found.value

    def malloc(self, size=SIZE):
        return self.get("aclrtMalloc", ctypes.c_size_t(size), 0)

    def fill(self, address, value, size, stream):
        self.aclrtMemsetAsync(ctypes.c_void_p(address), ctypes.c_size_t(size), value, ctypes.c_size_t(size),
                              ctypes.c_void_p(stream))

    def copy(self, target, source, size, stream):
        """Between device addresses."""
        self.aclrtMemcpyAsync(ctypes.c_void_p(target), ctypes.c_size_t(size), ctypes.c_void_p(source),
                              ctypes.c_size_t(size), 3, ctypes.c_void_p(stream))

    def bytes(self, address, size=SIZE):
        found = ctypes.create_string_buffer(size)
        self.aclrtMemcpy(found, ctypes.c_size_t(size), ctypes.c_void_p(address), ctypes.c_size_t(size), 2)
        return found.raw

    def pointer(self, function, address):
        getattr(self, function)(ctypes.c_void_p(address))

    def start(self):
        self.aclInit(None)
        self.aclrtSetDevice(0)


def half_and_half(first, second):
    return bytes([first]) * (SIZE // 2) + bytes([second]) * (SIZE // 2)


def expect(found, wanted, what):
    assert len(found) == len(wanted), f"{what}: {len(found)} bytes, not {len(wanted)}"
    if found != wanted:
        at = next(index for index, (one, other) in enumerate(zip(found, wanted)) if one != other)
        raise AssertionError(f"{what}: byte {at} is {found[at]}, not {wanted[at]}")


def their_stream_works_here(portacl, library):
    """Work of both in one stream of the other library runs in the order of its submission."""
    theirs = library.stream()
    wrapped = ctypes.c_void_p()
    portacl.portaclStreamWrapNative(ctypes.c_void_p(library.handle(theirs)), ctypes.byref(wrapped))
    array, own = library.array(SIZE), portacl.malloc()
    for value in range(1, 9):
        library.fill(array, value, theirs)
        portacl.fill(library.address(array), value + 100, SIZE // 2, wrapped.value)
        portacl.copy(own, library.address(array), SIZE, wrapped.value)
        library.fill(array, 255, theirs)
        portacl.aclrtSynchronizeStream(wrapped)
        expect(portacl.bytes(own), half_and_half(value + 100, value), "this library's copy")
        expect(library.bytes(array), bytes([255]) * SIZE, "the other library's array")
    portacl.aclrtDestroyStream(wrapped)
    # It is still the other library's.
    library.fill(array, 17, theirs)
    library.synchronize(theirs)
    expect(library.bytes(array), bytes([17]) * SIZE, "after the stream was given back")
    portacl.pointer("aclrtFree", own)
    library.end_array(array)
    library.end_stream(theirs)


def our_stream_works_there(portacl, library):
    """The same in a stream of this library, on memory of this library."""
    stream = portacl.get("aclrtCreateStream")
    native = ctypes.c_void_p()
    portacl.portaclStreamGetNative(ctypes.c_void_p(stream), ctypes.byref(native))
    external = library.external(native.value)
    own, copy = portacl.malloc(), portacl.malloc()
    view = library.view(own, SIZE)
    for value in range(1, 9):
        portacl.fill(own, value, SIZE, stream)
        library.fill(view, value + 100, external, SIZE // 2)
        portacl.copy(copy, own, SIZE, stream)
        library.fill(view, 255, external)
        portacl.aclrtSynchronizeStream(ctypes.c_void_p(stream))
        expect(portacl.bytes(copy), half_and_half(value, value + 100), "this library's copy")
        expect(library.bytes(view), bytes([255]) * SIZE, "this library's memory as the other one reads it")
    del view
    portacl.pointer("aclrtFree", own)
    portacl.pointer("aclrtFree", copy)
    portacl.pointer("aclrtDestroyStream", stream)


def captures_survive_frees_on_other_threads(portacl, library):
    """While the other library captures, in its own mode, another thread allocates and frees here, also what has pending
    work."""
    ours = portacl.get("aclrtCreateStream")
    stream, array = library.stream(), library.array(SIZE)
    library.fill(array, 1, stream)
    library.synchronize(stream)
    failed = []

    def free(blocks, pooled):
        try:
            portacl.aclrtSetDevice(0)
            for block, of_pool in zip(blocks, pooled):
                portacl.pointer("aclrtFree", block)
                portacl.portaclFreeAsync(ctypes.c_void_p(of_pool), ctypes.c_void_p(ours))
                portacl.pointer("aclrtFree", portacl.malloc(64 * SIZE))
            portacl.aclrtResetDevice(0)
        except AssertionError as error:
            failed.append(error)

    for value in range(20, 24):
        blocks = [portacl.malloc(8 * SIZE) for _ in range(16)]
        pooled = [portacl.get("portaclMallocAsync", ctypes.c_size_t(SIZE), ctypes.c_void_p(ours)) for _ in range(16)]
        for block, of_pool in zip(blocks, pooled):
            portacl.fill(block, 7, 8 * SIZE, ours)
            portacl.copy(of_pool, block, SIZE, ours)
        graphs, thread = [], threading.Thread(target=free, args=(blocks, pooled))
        with library.capture(stream, graphs):
            library.fill(array, value, stream)
            thread.start()
            thread.join()
        portacl.aclrtSynchronizeStream(ctypes.c_void_p(ours))
        if failed:
            raise failed[0]
        if library.replays:
            library.replay(graphs[0], stream)
            expect(library.bytes(array), bytes([value]) * SIZE, "what the graph wrote")
        library.end_graph(graphs[0])
    library.end_array(array)
    library.end_stream(stream)
    portacl.pointer("aclrtDestroyStream", ours)


def allocators_share_a_device(portacl, library):
    """Memory of both is never the same, and what one frees, the other gets."""
    stream = portacl.get("aclrtCreateStream")
    sizes = [SIZE, 3 * SIZE + 512, 5000, 8 * SIZE]
    for turn in range(3):
        held = []
        for index in range(24):
            size, value = sizes[index % len(sizes)], 1 + (turn * 24 + index) % 250
            kind = index % 3
            if kind == 0:
                array = library.array(size)
                address = library.address(array)
            elif kind == 1:
                array, address = None, portacl.malloc(size)
            else:
                array, address = None, portacl.get("portaclMallocAsync", ctypes.c_size_t(size), ctypes.c_void_p(stream))
            portacl.fill(address, value, size, stream)
            held.append((kind, array, address, size, value))
        portacl.aclrtSynchronizeStream(ctypes.c_void_p(stream))
        ranges = sorted((address, address + size) for _, _, address, size, _ in held)
        for (_, end), (begin, _) in zip(ranges, ranges[1:]):
            assert end <= begin, f"memory at {begin:#x} overlaps another allocation"
        for kind, array, address, size, value in held:
            found = library.bytes(array) if kind == 0 else portacl.bytes(address, size)
            expect(found, bytes([value]) * size, f"allocation {kind} of turn {turn}")
        for kind, array, address, *_ in held:
            if kind == 0:
                library.end_array(array)
            elif kind == 1:
                portacl.pointer("aclrtFree", address)
            else:
                portacl.portaclFreeAsync(ctypes.c_void_p(address), ctypes.c_void_p(stream))
        del held, array
        portacl.aclrtSynchronizeStream(ctypes.c_void_p(stream))
        library.give_back()
    portacl.pointer("aclrtDestroyStream", stream)


def another_context_may_be_current(portacl, library):
    """A context of cuCtxCreate on the same device is current while this library works, also after it was destroyed."""
    driver = LIBRARIES["driver"]()
    stream = portacl.get("aclrtCreateStream")
    for destroyed in False, True:
        context = ctypes.c_void_p()
        driver.call("cuCtxCreate_v2", ctypes.byref(context), 0, 0)
        if destroyed:
            ended = threading.Thread(target=lambda: driver.call("cuCtxDestroy_v2", context))
            ended.start()
            ended.join()
        # Python's own calls between these may make no difference: the thread keeps its context.
        address = portacl.malloc()
        if not destroyed:
            driver.call("cuCtxSetCurrent", context)
        portacl.fill(address, 77, SIZE, stream)
        portacl.aclrtSynchronizeStream(ctypes.c_void_p(stream))
        expect(portacl.bytes(address), bytes([77]) * SIZE, "in another context")
        portacl.pointer("aclrtFree", address)
        if not destroyed:
            driver.call("cuCtxDestroy_v2", context)
    library.enter()
    driver.enter()
    array, theirs = library.array(SIZE), library.stream()
    library.fill(array, 78, theirs)
    library.synchronize(theirs)
    expect(library.bytes(array), bytes([78]) * SIZE, "the other library after that")
    library.end_array(array)
    library.end_stream(theirs)
    portacl.pointer("aclrtDestroyStream", stream)
    driver.end()


def the_library_outlives_a_reset(portacl, library):
    """The end of this library, and its next beginning, leave the other one's memory and streams alone."""
    array, stream = library.array(SIZE), library.stream()
    library.fill(array, 5, stream)
    library.synchronize(stream)
    for _ in range(2):
        address = portacl.malloc()
        portacl.fill(address, 6, SIZE, None)
        portacl.aclrtResetDeviceForce(0)
        expect(library.bytes(array), bytes([5]) * SIZE, "after a reset")
        portacl.aclFinalize()
        library.fill(array, 9, stream)
        library.synchronize(stream)
        expect(library.bytes(array), bytes([9]) * SIZE, "after the end of this library")
        library.fill(array, 5, stream)
        library.synchronize(stream)
        portacl.start()
    library.end_array(array)
    library.end_stream(stream)


TESTS = (their_stream_works_here, our_stream_works_there, captures_survive_frees_on_other_threads,
         allocators_share_a_device, another_context_may_be_current, the_library_outlives_a_reset)


def main():
    library = of_command(__doc__)
    portacl = Portacl()
    portacl.start()
    if portacl.library.portaclBackendName() != b"cuda":
        print("skipped: PORTACL_BACKEND is not cuda, and the cpu backend has no driver below it")
        sys.exit(77)
    failed = 0
    for test in TESTS:
        name, began = f"Interop.{sys.argv[1]}_{test.__name__}", time.monotonic()
        print(f"[ RUN      ] {name}", flush=True)
        try:
            test(portacl, library)
            verdict = "[       OK ]"
        except AssertionError as error:
            print(error)
            verdict, failed = "[  FAILED  ]", failed + 1
        print(f"{verdict} {name} ({(time.monotonic() - began) * 1000:.0f} ms)", flush=True)
    portacl.aclFinalize()
    library.end()
    print(f"[==========] {len(TESTS)} tests from 1 test suite ran.\n[  PASSED  ] {len(TESTS) - failed} tests.")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
