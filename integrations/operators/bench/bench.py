"""bench.py CALLS [DOCUMENT.md]: what the device costs beside torch on the CPU, in one process, medians of rounds in turn.
CALLS is the program of calls.cpp, for calls from C. Writes the table of the document."""

import datetime
import itertools
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

os.environ.setdefault("TASK_QUEUE_ENABLE", "0")

import torch

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tests"))
import device  # noqa: E402, F401
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402

ROUNDS = 15
HEAD = "| work | torch on the CPU | the device | ratio | goal | |", "|---|---|---|---|---|---|"
MARKS = "<!-- times -->", "<!-- end of times -->"


def step(where):
    """A training step of an MLP, batch 256, hidden 512."""
    model = nn.Sequential(nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)).to(where)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    x, y = torch.randn(256, 512).to(where), torch.randint(0, 10, (256,)).to(where)

    def run():
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss.item()

    return run, 10


def product(where):
    """mm of 512 x 512."""
    a = torch.randn(512, 512).to(where)
    out = torch.empty_like(a)
    return lambda: torch.mm(a, a, out=out), 10


def short(where):
    """add of 16 floats."""
    a = torch.randn(16).to(where)
    out = torch.empty_like(a)
    return lambda: torch.add(a, a, out=out), 2000


def copy(where):
    """A copy of 64 MiB to the device."""
    a = torch.ones(16 << 20)
    out = torch.empty(16 << 20, device=where)
    return lambda: out.copy_(a), 3


def seconds(run, count):
    torch.npu.synchronize()
    begin = time.perf_counter()
    for _ in range(count):
        run()
    torch.npu.synchronize()
    return (time.perf_counter() - begin) / count


def verdict(value, most):
    return "met" if value <= most else "missed"


def through_torch():
    """Rows of the table: the work, torch's time, the device's, the goal, and whether it is met."""
    goals = {step: 1.25, product: 1.05, copy: 1 / 0.9}
    for work in (step, product, short, copy):
        cpu, count = work("cpu")
        npu, _ = work("npu")
        seconds(cpu, count), seconds(npu, count)
        times = [(seconds(cpu, count), seconds(npu, count)) for _ in range(ROUNDS)]
        one, other = (statistics.median(column) * 1e6 for column in zip(*times))
        ratio = statistics.median(npu / cpu for cpu, npu in times)
        if work in goals:
            goal = f"ratio at most {goals[work]:.2f} | {verdict(ratio, goals[work])}"
        else:
            goal = f"at most 7 us | {verdict(other, 7)}"
        yield f"| {work.__doc__.strip('.')} | {one:.1f} us | {other:.1f} us | {ratio:.2f} | {goal} |"


def through_c(calls):
    text = subprocess.run([calls], check=True, capture_output=True, text=True).stdout
    numbers = [int(each) for each in re.findall(r"(-?\d+) ns", text)]
    operator, aten, over = numbers
    return (f"| `aclnnAdd` of 16 floats from C, create to destroy, beside `at::add_out` | {aten / 1e3:.2f} us | "
            f"{operator / 1e3:.2f} us | {operator / aten:.2f} | at most 1.2 us more | {verdict(over, 1200)} |")


def main(calls, document):
    rows = []
    for row in itertools.chain(HEAD, through_torch(), [through_c(calls)]):
        print(row, flush=True)
        rows.append(row)
    if document:
        path = pathlib.Path(document)
        before, rest = path.read_text().split(MARKS[0])
        head = (f"{datetime.date.today()}, torch {torch.__version__}, {os.cpu_count()} CPUs, load "
                f"{os.getloadavg()[0]:.1f} at the end, TASK_QUEUE_ENABLE=0. Medians of {ROUNDS} rounds in turn.")
        path.write_text(before + "\n".join([MARKS[0], "", head, "", *rows, "", MARKS[1]]) + rest.split(MARKS[1])[1])


main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None)
