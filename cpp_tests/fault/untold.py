"""Refusals that no call of a program has to tell of: each names what is refused, the calls of the API in
which that is so, and the reason.

A program that says which call it makes (did.h) is held to the calls; and a sweep over it fails if it makes a call
of an exemption that is not a matter of time, and none of its failures needed that. Samples do not say it: some
exemptions hold for them, too, by what is refused, and where that is asked for again, it has to be seen to be.
"""

import re
from typing import NamedTuple


class Untold(NamedTuple):
    backend: str  # "cpu" or "cuda", or "driver" for the functions of the driver
    refused: str  # the site, or the function
    calls: str  # a pattern that the call has to begin with, or "thread " and the name of one of the library's own
    why: str
    # Whether it holds, too, where nobody says what is called; AGAIN: if the site is then called once more
    # than in a run without failures.
    in_samples: object = False
    # Whether it happens in every sweep, or is a matter of time.
    steady: bool = True


AGAIN = "again"

# pool_calls.h asks for so much.
MORE_THAN_THERE_IS = r"portaclMallocAsync\(&one, size_t\{1\} << 39"
# Of memory that this library has not made the driver is asked.
ABOUT_OTHER_MEMORY = r"aclrt(CmoSetDesc|SetMemcpyDesc|PointerGetAttributes|Memcpy|Memset)"
FROM_DEVICE = r"aclrtMalloc\("
FROM_POOL = r"(aclrtMemPoolMallocAsync|portaclMallocAsync)\("
# Whatever gives or takes memory, streams, events or kernels looks first what can go back by now.
TIDYING = (r"acl(Finalize|mdlRI(Destroy|Update)|rt(Free|Malloc|Mem(Alloc|Pool)|GetMem(Info|Usage)|(Unm|M)apMem|ReleaseMem"
           r"|Host(Unr|R)egister|Binary|Create|Destroy|LaunchKernel|Reset|Synchronize))|portacl(Malloc|Free)Async\(")
# Before an operation whose end depends on the program what its stream has given back is marked.
DEPENDING = (r"acl(rt(LaunchHostFunc|LaunchCallback|StreamWaitEvent|ValueWait|WaitAndResetNotify|RecordNotify|CntNotify"
             r"|RandomNum|Memcpy|Memset)|mdlRIExecute)")
# Whatever is called meanwhile, the one lets go of graphs, and the other waits for what a task group does.
THREADS_OF_GRAPHS = "thread portacl-(graph|host-fn)$"
STILL_NEEDED = "asked whether queued work still needs memory; where that is not known the memory waits until nothing runs"

ALL = (
    Untold("cpu", "device.alloc", FROM_POOL, "a pool asks for more than it needs, and then for what it needs",
           in_samples=AGAIN),
    Untold("cpu", "shared_memory.alloc", FROM_POOL, "likewise", in_samples=AGAIN),
    # Only captured requests read the attributes.
    Untold("cuda", "pool.get", FROM_POOL, "high marks of graph memory: the allocation stands without them",
           in_samples=True, steady=False),
    Untold("driver", "cuMemPoolGetAttribute", FROM_POOL, "high marks of graph memory: the allocation stands without them",
           in_samples=True, steady=False),
    # Whether something waits to be used again is a matter of time.
    Untold("cpu", "device.alloc", FROM_DEVICE, "what waits to be used again goes back, and then it is asked for once more",
           in_samples=AGAIN, steady=False),
    Untold("cuda", "device.alloc", FROM_DEVICE, "likewise", in_samples=AGAIN, steady=False),
    Untold("cpu", "device.alloc", MORE_THAN_THERE_IS, "there is not so much memory, whoever refuses it",
           steady=False),
    Untold("cpu", "stream.settle", MORE_THAN_THERE_IS, "memory that is not waited for is not there"),
    Untold("driver", "cuMemGetInfo_v2", MORE_THAN_THERE_IS, "asked for the text: the call fails in any case"),
    Untold("driver", "cuEventSynchronize", MORE_THAN_THERE_IS, "memory that is not waited for is not there",
           steady=False),
    Untold("driver", "cuCtxGetCurrent", r"aclrtBinaryGetFunction\(", "comes before cuFuncGetParamInfo, a probe",
           in_samples=True, steady=False),
    *(Untold("driver", function, ABOUT_OTHER_MEMORY, "comes before cuPointerGetAttribute, a probe",
             in_samples=True, steady=False)
      for function in ("cuCtxGetCurrent", "cuCtxSetCurrent")),
    Untold("driver", "cuGraphExecUpdate_v2", r"aclmdlRIUpdate\(", "what cannot be changed is made anew", in_samples=True),
    *(Untold("driver", function, calls, STILL_NEEDED, in_samples=True, steady=False)
      for function in ("cuEventCreate", "cuEventQuery", "cuEventRecord", "cuStreamQuery", "cuCtxGetCurrent",
                       "cuCtxSetCurrent")
      for calls in (TIDYING, THREADS_OF_GRAPHS)),
    *(Untold("driver", function, DEPENDING, "frees that cannot be marked are not waited for when memory is short",
             in_samples=True, steady=False)
      for function in ("cuEventCreate", "cuEventRecord", "cuCtxGetCurrent", "cuCtxSetCurrent")),
)

ANNOUNCED = re.compile(r"portacl: PORTACL_FAULT: call|fake_cuda: fault: call")
OWN_THREAD = re.compile(r"^fake_cuda: fault: call .* in (thread portacl-.*)$", re.MULTILINE)


def calls_in(output):
    """The calls of the API that a program says it makes."""
    return [line.removeprefix("doing: ") for line in output.splitlines() if line.startswith("doing: ")]


def call_of(output):
    """The call of the API that met the failure; None where the program does not say what it calls."""
    call = None
    for line in output.splitlines():
        if line.startswith("doing: "):
            call = line.removeprefix("doing: ")
        elif ANNOUNCED.match(line):
            return call
    return call


def own_thread(output):
    """The thread of the library that met the failure, if it was one: then no call did."""
    met = OWN_THREAD.search(output)
    return met and met.group(1)


def met_by(output):
    who = own_thread(output) or call_of(output)
    return "" if who is None else f", which {who} met"


class Exemptions:
    """Those of one sweep, over a program that says so much in a clean run; and which of them it needed."""

    def __init__(self, backend, clean_output):
        self.of_backend = [one for one in ALL if one.backend == backend]
        calls = calls_in(clean_output)
        self.come_to = {one for one in self.of_backend if any(re.match(one.calls, call) for call in calls)}
        self.needed = set()

    def steady(self, refused):
        return any(one.refused == refused and one.steady for one in self.of_backend)

    def cover(self, refused, output, asked_again):
        """Whether the failure that this output is of needed not be told."""
        who = own_thread(output) or call_of(output)
        covering = [one for one in self.of_backend if one.refused == refused and
                    (re.match(one.calls, who) if who is not None else
                     asked_again if one.in_samples is AGAIN else one.in_samples)]
        self.needed.update(covering)
        return bool(covering)

    def unneeded(self, tried):
        """Steady ones that the program comes to and no failure needed, of what was `tried` with every call of it."""
        return [one for one in self.of_backend
                if one in self.come_to and one.steady and one.refused in tried and one not in self.needed]
