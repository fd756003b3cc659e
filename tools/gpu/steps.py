"""What a run does, in the order of what is least known about a card."""

import dataclasses
import pathlib
import re
import shutil

from program import PROCESS

TITLES = {1: "facts, the driver's queues, and the assumptions of the fake driver",
          2: "what shared queues once stopped", 3: "what failed or stopped in earlier runs on cards, alone, 32 queues",
          4: "beside PyTorch, CuPy and the bare driver", 5: "benchmarks and allocators",
          6: "programs under compute-sanitizer", 7: "the suite"}
# The share of a run's time that a step may take before the next one begins. What is left of it runs after the last one.
SHARES = {1: .12, 2: .09, 3: .1, 4: .07, 5: .09, 6: .09, 7: 1}
# The tests of each row of the table of calls that waited behind another library's queue.
SHARED_QUEUES = ("free_in_use", "peer", "virtual_memory_access", "graph_group", "graph_condition", "graph_control",
                 "stream_wait", "memcpy", "stream_order", "many_streams", "op_timeout", "kernel_trap",
                 "stream_attribute", "native", "native_capture", "native_context", "foreign_context", "mem_pool_end",
                 "mem_pool_attribute")
SANITIZED = ("reduce", "random_num", "memcpy_indirect", "kernel", "kernel_launch", "malloc_variants", "memset",
             "memcpy_2d", "mem_pool", "graph")
LAUNCHES = SANITIZED[:5]
# They take all memory of a device, or end it.
ALONE = re.compile(r"(.*full_device|memory_limit|memory_capacity|kernel_trap|device_utilization)_test")
# Their tests are about processes, their memory, environment and end: a process for each source, without a context.
ABOUT_PROCESSES = ("process_tests", "check_tests")
CHUNK = 100  # tests of a process


@dataclasses.dataclass
class Item:
    step: int
    name: str
    command: list = ()   # a program that runs as a whole,
    program: str = ""    # or a program of the suite with some of its tests
    tests: list = ()
    before: list = ()    # what the program runs under
    patience: int = 0
    queues: str = ""     # CUDA_DEVICE_MAX_CONNECTIONS
    alone: bool = False
    hold: str = "1"      # a context is held while the tests run; "all": also by processes that they start; "": none


@dataclasses.dataclass(frozen=True)
class Test:
    folder: str   # the program that has all tests of a folder
    program: str  # the name under which it has those of one source
    name: str
    kind: str     # "inside", or "process": starts processes
    assumed: bool

    def alone(self):
        return bool(ALONE.fullmatch(self.program))


def suite():
    rows = (line.split("\t") for line in pathlib.Path("suite.tsv").read_text().splitlines())
    return [Test(folder, program, name, kind, assumed == "1") for folder, program, name, kind, assumed in rows]


def lines(name):
    return [line.split("\t") for line in pathlib.Path(name).read_text().splitlines()]


def by(tests, key):
    groups = {}
    for test in tests:
        groups.setdefault(key(test), []).append(test.name)
    return groups


def of_sources(step, prefix, tests, programs, **more):
    """An item for each of these sources."""
    found = by(tests, lambda test: test.program)
    processes = {test.program for test in tests if test.folder in ABOUT_PROCESSES or test.alone()}
    for noun in programs:
        if (program := f"{noun}_test") in found:
            more["hold"] = "" if program in processes else "1"
            yield Item(step, f"{prefix}.{noun}", program=f"tests/{program}", tests=found[program], **more)


def sanitizer():
    installed = map(str, pathlib.Path("/usr/local").glob("cuda*/bin/compute-sanitizer"))
    return shutil.which("compute-sanitizer") or next(installed, None)


def under_sanitizer(tests):
    """Programs under its tools. Negative tests make calls that the driver refuses, so only errors of kernels and copies
    count."""
    tool = sanitizer()
    for name, more, programs in (("memcheck", ["--report-api-errors", "no"], SANITIZED), ("racecheck", [], LAUNCHES),
                                 ("synccheck", [], LAUNCHES)):
        before = [tool, "--tool", name, *more, "--error-exitcode", "99"]
        inside = [test for test in tests if test.kind == "inside"]
        yield from of_sources(6, name, inside, programs, before=before, patience=120) if tool else ()


def whole_suite(tests):
    """What says most first: each call once, tests that share a process, samples, tests that start processes."""
    programs = [Item(7, name, command=[f"./{program}", *arguments], patience=PROCESS)
                for name, program, *arguments in lines("cuda.txt") if arguments or not program.endswith("_test")]
    yield from (item for item in programs if item.name.startswith("every_call."))
    shared = [test for test in tests if not test.alone() and test.folder not in ABOUT_PROCESSES]
    for kind, size, more in (("inside", CHUNK, {}), ("process", CHUNK // 4, {"hold": "all", "patience": PROCESS})):
        for folder, names in by([test for test in shared if test.kind == kind], lambda test: test.folder).items():
            for first in range(0, len(names), size):
                part = f"{folder.removesuffix('_tests')}.{kind}.{first // size + 1}"
                yield Item(7, part, program=f"tests/{folder}", tests=names[first:first + size], **more)
        yield from (item for item in programs if kind == "inside" and not item.name.startswith("every_call."))
    for alone in False, True:
        own = [test for test in tests if test not in shared and test.alone() == alone]
        # Each of many small programs of check_test opens the device.
        own.sort(key=lambda test: test.folder == "check_tests")
        for program, names in by(own, lambda test: test.program).items():
            yield Item(7, program.removesuffix("_test"), program=f"tests/{program}", tests=names, alone=alone, hold="",
                       patience=PROCESS)


def items(python):
    """Everything, in its order."""
    tests = suite()
    interop = [python, "tests/interop/interop.py"]
    allocators = [python, "tests/interop/allocators.py"]
    yield Item(1, "facts", [python, "tests/interop/driver_facts.py"], patience=120, alone=True)
    yield Item(1, "queues", [python, "tests/interop/queue_probe.py", "--limit", "40"], patience=60, alone=True)
    assumed = [test for test in tests if test.assumed and not test.alone()]
    for folder, names in by(assumed, lambda test: test.folder).items():
        yield Item(1, f"assumed.{folder.removesuffix('_tests')}", program=f"tests/{folder}", tests=names, patience=PROCESS)
    yield from of_sources(2, "shared", tests, SHARED_QUEUES, patience=PROCESS)
    failed = pathlib.Path("failed.txt").read_text().split()
    yield from of_sources(3, "again", tests, failed, queues="32", alone=True, patience=PROCESS)
    for library in "driver", "torch", "cupy":
        yield Item(4, f"interop.{library}", [*interop, library], patience=120, alone=True)
    yield Item(5, "bench.cuda", ["benches/bench_cuda"], patience=180, alone=True)
    for library in "driver", "torch", "cupy":
        yield Item(5, f"bench.{library}", [*allocators, library], patience=120, alone=True)
    yield Item(5, "bench.entry", ["benches/bench_entry"], patience=60, alone=True)
    yield from under_sanitizer(tests)
    yield from whole_suite(tests)
