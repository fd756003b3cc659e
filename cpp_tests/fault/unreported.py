"""Failures that no call of a program must report: each row names what fails, the calls of the API in which it
need not be reported, and the reason.

For a program that prints its calls (did.h), an exemption applies only to these calls. A sweep over such a program fails
if the program makes a call of a steady exemption and no failure needed the exemption. Samples do not print their calls:
some exemptions apply to them by what fails, some only if the same site is then called again.
"""

import re
from typing import NamedTuple


class Unreported(NamedTuple):
    backend: str  # "cpu" or "cuda", or "driver" for the functions of the driver
    refused: str  # the site, or the function
    calls: str  # a pattern for the beginning of the call, or "thread " and the name of a library thread
    why: str
    # Whether it also applies to programs that do not print their calls; AGAIN: if the site is then called one time more
    # than in a run without failures.
    in_samples: object = False
    # Whether it occurs in every sweep, or depends on timing.
    steady: bool = True


AGAIN = "again"

# The size that calls/pool.h requests.
MORE_THAN_THERE_IS = r"portaclMallocAsync\(&one, size_t\{1\} << 39"
# Calls that query the driver about memory of other libraries.
ABOUT_OTHER_MEMORY = r"aclrt(CmoSetDesc|SetMemcpyDesc|PointerGetAttributes|Memcpy|Memset)"
FROM_DEVICE = r"aclrtMalloc\("
FROM_POOL = r"(aclrtMemPoolMallocAsync|portaclMallocAsync)\("
# Calls that allocate or free memory, streams, events or kernels first release what is no longer in use.
TIDYING = (r"acl(Finalize|mdlRI(Destroy|Update)|rt(Free|Malloc|Mem(Alloc|Pool)|GetMem(Info|Usage)|(Unm|M)apMem|ReleaseMem"
           r"|Host(Unr|R)egister|Binary|Create|Destroy|LaunchKernel|Reset|Synchronize))|portacl(Malloc|Free)Async\(")
# Before an operation that depends on the program, an event is recorded after the frees of its stream.
DEPENDING = (r"acl(rt(LaunchHostFunc|LaunchCallback|StreamWaitEvent|ValueWait|WaitAndResetNotify|RecordNotify|CntNotify"
             r"|RandomNum|Memcpy|Memset)|mdlRI(Execute|CaptureTaskUpdateEnd))|portaclLaunchTask")
OPENING = r"aclrt(SetDevice|CreateContext|SetCurrentContext|ResetDevice)"
OWN_KERNELS = "kernels of the library are loaded with the device; what needs one loads it again, and returns the failure"
# During any call, one thread releases graphs, and the other waits for work of a task group.
THREADS_OF_GRAPHS = "thread portacl-(graph|host-fn)$"
STILL_NEEDED = "queries whether pending work still uses memory; if that is unknown, the memory is kept until all streams are idle"

ALL = (
    Unreported("cpu", "device.alloc", FROM_POOL, "a pool first requests more than it needs, then only what it needs",
           in_samples=AGAIN),
    Unreported("cpu", "shared_memory.alloc", FROM_POOL, "as above", in_samples=AGAIN),
    Unreported("cpu", "device.alloc_managed", FROM_POOL, "as above", in_samples=AGAIN),
    # Only captured requests read the attributes.
    Unreported("cuda", "pool.get", FROM_POOL, "high marks of graph memory: the allocation stands without them",
           in_samples=True, steady=False),
    Unreported("driver", "cuMemPoolGetAttribute", FROM_POOL, "high marks of graph memory: the allocation stands without them",
           in_samples=True, steady=False),
    # A driver without a compiler for PTX has everything but these kernels. A sample with kernels calls it again.
    Unreported("driver", "cuModuleLoadData", OPENING, OWN_KERNELS, in_samples=True, steady=False),
    Unreported("driver", "cuModuleGetFunction", OPENING, OWN_KERNELS, in_samples=True, steady=False),
    Unreported("driver", "cuCtxGetCurrent", OPENING, OWN_KERNELS, in_samples=True, steady=False),
    # Whether there is cached memory depends on timing.
    Unreported("cpu", "device.alloc", FROM_DEVICE, "cached memory is freed, then the device is called again",
           in_samples=AGAIN, steady=False),
    Unreported("cuda", "device.alloc", FROM_DEVICE, "as above", in_samples=AGAIN, steady=False),
    Unreported("cpu", "device.alloc", MORE_THAN_THERE_IS, "the device has less memory, so the call fails in any case",
           steady=False),
    Unreported("cpu", "stream.drain_up_to", MORE_THAN_THERE_IS, "memory that is not waited for is not available"),
    Unreported("driver", "cuMemGetInfo_v2", MORE_THAN_THERE_IS, "queried for the error text: the call fails in any case"),
    Unreported("driver", "cuEventSynchronize", MORE_THAN_THERE_IS, "memory that is not waited for is not available",
           steady=False),
    Unreported("driver", "cuCtxGetCurrent", r"aclrtBinaryGetFunction\(", "comes before cuFuncGetParamInfo, a probe",
           in_samples=True, steady=False),
    *(Unreported("driver", function, ABOUT_OTHER_MEMORY, "comes before cuPointerGetAttribute, a probe",
             in_samples=True, steady=False)
      for function in ("cuCtxGetCurrent", "cuCtxSetCurrent")),
    Unreported("driver", "cuGraphExecUpdate_v2", r"aclmdlRIUpdate\(", "a graph that cannot be updated is instantiated again", in_samples=True),
    *(Unreported("driver", function, calls, STILL_NEEDED, in_samples=True, steady=False)
      for function in ("cuEventCreate", "cuEventQuery", "cuEventRecord", "cuStreamIsCapturing", "cuStreamQuery",
                       "cuCtxGetCurrent", "cuCtxSetCurrent")
      for calls in (TIDYING, THREADS_OF_GRAPHS)),
    *(Unreported("driver", function, "thread portacl-events$", "the event is queried again", in_samples=True, steady=False)
      for function in ("cuEventQuery", "cuCtxGetCurrent", "cuCtxSetCurrent")),
    *(Unreported("driver", function, DEPENDING, "frees without an event are not waited for when memory is short",
             in_samples=True, steady=False)
      for function in ("cuEventCreate", "cuEventRecord", "cuStreamIsCapturing", "cuCtxGetCurrent", "cuCtxSetCurrent")),
)

ANNOUNCED = re.compile(r"portacl: PORTACL_FAULT: call|fake_cuda: fault: call")
OWN_THREAD = re.compile(r"^fake_cuda: fault: call .* in (thread portacl-.*)$", re.MULTILINE)


def calls_in(output):
    """The calls of the API that a program prints."""
    return [line.removeprefix("doing: ") for line in output.splitlines() if line.startswith("doing: ")]


def call_of(output):
    """The call of the API that met the failure; None if the program does not print its calls."""
    call = None
    for line in output.splitlines():
        if line.startswith("doing: "):
            call = line.removeprefix("doing: ")
        elif ANNOUNCED.match(line):
            return call
    return call


def own_thread(output):
    """The library thread that met the failure; None if a call met it."""
    met = OWN_THREAD.search(output)
    return met and met.group(1)


def met_by(output):
    who = own_thread(output) or call_of(output)
    return "" if who is None else f", which {who} met"


class Exemptions:
    """The exemptions of one sweep, by the calls that the program prints in a clean run; and which of them were needed."""

    def __init__(self, backend, clean_output):
        self.of_backend = [one for one in ALL if one.backend == backend]
        calls = calls_in(clean_output)
        self.reached = {one for one in self.of_backend if any(re.match(one.calls, call) for call in calls)}
        self.needed = set()

    def steady(self, refused):
        return any(one.refused == refused and one.steady for one in self.of_backend)

    def cover(self, refused, output, asked_again):
        """Whether the failure of the run with this output need not be reported."""
        who = own_thread(output) or call_of(output)
        covering = [one for one in self.of_backend if one.refused == refused and
                    (re.match(one.calls, who) if who is not None else
                     asked_again if one.in_samples is AGAIN else one.in_samples)]
        self.needed.update(covering)
        return bool(covering)

    def unneeded(self, tried):
        """Steady exemptions whose calls the program makes and that no failure needed, of the sites that were `tried` completely."""
        return [one for one in self.of_backend
                if one in self.reached and one.steady and one.refused in tried and one not in self.needed]
