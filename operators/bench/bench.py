"""bench.py [ROUNDS]: what the device costs beside torch on the CPU, in one process, medians of rounds in turn."""

import os
import statistics
import sys
import time

os.environ.setdefault("TASK_QUEUE_ENABLE", "0")

import torch

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tests"))
import device  # noqa: E402, F401
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 15


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


def main():
    print("work | CPU torch | device | ratio\n---|---|---|---")
    for work in (step, product, short, copy):
        cpu, count = work("cpu")
        npu, _ = work("npu")
        seconds(cpu, count), seconds(npu, count)
        times = [(seconds(cpu, count), seconds(npu, count)) for _ in range(ROUNDS)]
        one, other = (statistics.median(column) * 1e6 for column in zip(*times))
        print(f"{work.__doc__.strip('.')} | {one:.1f} us | {other:.1f} us | {other / one:.2f}", flush=True)


main()
