"""Other libraries of a process that use a GPU: PyTorch, CuPy, and the bare driver, behind one set of methods.

A library has streams of its own (`stream`), uses streams of others by their native handles (`external`), and has arrays of
bytes (`array`), on memory of its own or on memory of others (`view`). `allocate` and `free` are its allocator alone.
"""

import contextlib
import ctypes
import sys


class Missing(Exception):
    """The library is not on this machine, or finds no GPU: the text says why."""


class Driver:
    """The driver's own functions, as any library can call them. Exists wherever this library runs on CUDA."""

    name = "driver"

    class Array:
        def __init__(self, address, size):
            self.address, self.size = address, size

    def __init__(self):
        try:
            self.cuda = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise Missing(f"no driver: {error}") from None
        # The fake driver does not record what is captured, so its graphs run nothing.
        self.replays = not hasattr(self.cuda, "fakeCudaFail")
        self.call("cuInit", 0)
        self.context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), 0)

    def call(self, function, *arguments):
        code = getattr(self.cuda, function)(*arguments)
        if code != 0:
            raise AssertionError(f"{function} gave {code}")

    def enter(self):
        self.call("cuCtxSetCurrent", self.context)

    def stream(self):
        self.enter()
        stream = ctypes.c_void_p()
        self.call("cuStreamCreate", ctypes.byref(stream), 1)
        return stream

    def handle(self, stream):
        return stream.value

    def external(self, handle):
        return ctypes.c_void_p(handle)

    def end_stream(self, stream):
        self.enter()
        self.call("cuStreamDestroy_v2", stream)

    def synchronize(self, stream):
        self.enter()
        self.call("cuStreamSynchronize", stream)

    def array(self, size):
        self.enter()
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return self.Array(address.value, size)

    def view(self, address, size):
        return self.Array(address, size)

    def address(self, array):
        return array.address

    def end_array(self, array):
        self.enter()
        self.call("cuMemFree_v2", ctypes.c_uint64(array.address))

    def allocate(self, size):
        return self.array(size)

    def free(self, block):
        self.end_array(block)

    def fill(self, array, value, stream, first=0):
        self.enter()
        self.call("cuMemsetD8Async", ctypes.c_uint64(array.address + first), ctypes.c_ubyte(value),
                  ctypes.c_size_t(array.size - first), stream)

    def bytes(self, array):
        self.enter()
        found = ctypes.create_string_buffer(array.size)
        self.call("cuMemcpyDtoH_v2", found, ctypes.c_uint64(array.address), ctypes.c_size_t(array.size))
        return found.raw

    @contextlib.contextmanager
    def capture(self, stream, graphs):
        """Captures what the body enqueues, in the strictest mode, and appends a graph to `graphs`."""
        self.enter()
        self.call("cuStreamBeginCapture_v2", stream, 0)
        graph = ctypes.c_void_p()
        try:
            yield
        finally:
            self.enter()
            self.call("cuStreamEndCapture", stream, ctypes.byref(graph))
        graphs.append(graph)

    def replay(self, graph, stream):
        run = ctypes.c_void_p()
        self.call("cuGraphInstantiateWithFlags", ctypes.byref(run), graph, ctypes.c_uint64(0))
        self.call("cuGraphLaunch", run, stream)
        self.synchronize(stream)
        self.call("cuGraphExecDestroy", run)

    def end_graph(self, graph):
        self.enter()
        self.call("cuGraphDestroy", graph)

    def give_back(self):
        """Frees what the library keeps for later allocations."""

    def end(self):
        self.call("cuDevicePrimaryCtxRelease_v2", 0)


class Torch:
    """PyTorch: its caching allocator, its streams and graphs."""

    name = "torch"
    replays = True

    def __init__(self):
        try:
            import torch
        except ImportError as error:
            raise Missing(f"PyTorch is not installed: {error}") from None
        except Exception as error:  # An extension of PyTorch's that does not load.
            raise Missing(f"PyTorch does not load: {error}") from None
        if not torch.cuda.is_available():
            raise Missing(f"PyTorch {torch.__version__} finds no GPU (torch.cuda.is_available())")
        self.torch = torch
        torch.cuda.init()

    def enter(self):
        self.torch.cuda.set_device(0)

    def stream(self):
        return self.torch.cuda.Stream()

    def handle(self, stream):
        return stream.cuda_stream

    def external(self, handle):
        return self.torch.cuda.ExternalStream(handle)

    def end_stream(self, stream):
        """Torch has a fixed number of streams, which it keeps."""

    def synchronize(self, stream):
        stream.synchronize()

    def array(self, size):
        return self.torch.empty(size, dtype=self.torch.uint8, device="cuda")

    def view(self, address, size):
        class Memory:
            __cuda_array_interface__ = {"shape": (size,), "typestr": "|u1", "data": (address, False), "version": 3}

        return self.torch.as_tensor(Memory(), device="cuda")

    def address(self, array):
        return array.data_ptr()

    def end_array(self, array):
        """The last reference ends it."""

    def allocate(self, size):
        return self.torch.cuda.caching_allocator_alloc(size)

    def free(self, block):
        self.torch.cuda.caching_allocator_delete(block)

    def fill(self, array, value, stream, first=0):
        with self.torch.cuda.stream(stream):
            array[first:].fill_(value)

    def bytes(self, array):
        self.torch.cuda.synchronize()
        return array.cpu().numpy().tobytes()

    @contextlib.contextmanager
    def capture(self, stream, graphs):
        graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(graph, stream=stream):
            yield
        graphs.append(graph)

    def replay(self, graph, stream):
        with self.torch.cuda.stream(stream):
            graph.replay()
        stream.synchronize()

    def end_graph(self, graph):
        graph.reset()

    def give_back(self):
        self.torch.cuda.empty_cache()

    def end(self):
        self.torch.cuda.synchronize()


class CuPy:
    """CuPy: its memory pool, its streams and graphs."""

    name = "cupy"
    replays = True

    def __init__(self):
        try:
            import cupy
            self.version = cupy.cuda.runtime.runtimeGetVersion()
            count = cupy.cuda.runtime.getDeviceCount()
        except ImportError as error:
            raise Missing(f"CuPy is not installed: {error}") from None
        except Exception as error:  # CuPy's own, of a module that exists only with CUDA.
            raise Missing(f"CuPy finds no GPU: {error}") from None
        if count == 0:
            raise Missing("CuPy finds no GPU")
        self.cupy = cupy

    def enter(self):
        self.cupy.cuda.Device(0).use()

    def stream(self):
        return self.cupy.cuda.Stream(non_blocking=True)

    def handle(self, stream):
        return stream.ptr

    def external(self, handle):
        return self.cupy.cuda.ExternalStream(handle)

    def end_stream(self, stream):
        """The last reference ends it."""

    def synchronize(self, stream):
        stream.synchronize()

    def array(self, size):
        return self.cupy.empty(size, dtype=self.cupy.uint8)

    def view(self, address, size):
        memory = self.cupy.cuda.UnownedMemory(address, size, None)
        return self.cupy.ndarray(size, self.cupy.uint8, self.cupy.cuda.MemoryPointer(memory, 0))

    def address(self, array):
        return array.data.ptr

    def end_array(self, array):
        """The last reference ends it."""

    def allocate(self, size):
        return self.cupy.get_default_memory_pool().malloc(size)

    def free(self, block):
        """The last reference, which the caller passes, ends it."""

    def fill(self, array, value, stream, first=0):
        with stream:
            array[first:].fill(value)

    def bytes(self, array):
        self.cupy.cuda.runtime.deviceSynchronize()
        return array.get().tobytes()

    @contextlib.contextmanager
    def capture(self, stream, graphs):
        with stream:
            stream.begin_capture()
            try:
                yield
            finally:
                graph = stream.end_capture()
        graphs.append(graph)

    def replay(self, graph, stream):
        graph.launch(stream)
        stream.synchronize()

    def end_graph(self, graph):
        """The last reference ends it."""

    def give_back(self):
        self.cupy.get_default_memory_pool().free_all_blocks()

    def end(self):
        self.cupy.cuda.runtime.deviceSynchronize()


LIBRARIES = {library.name: library for library in (Driver, Torch, CuPy)}


def of_command(usage):
    """The library that the program's argument names. Ends the program with `usage`, or skips it if there is none."""
    if len(sys.argv) != 2 or sys.argv[1] not in LIBRARIES:
        sys.exit(usage)
    try:
        return LIBRARIES[sys.argv[1]]()
    except Missing as reason:
        print(f"skipped: {reason}")
        sys.exit(77)
