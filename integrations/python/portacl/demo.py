"""Trains a small model on the CPU and on the device, side by side."""

import sys

try:
    import torch
    import torch_npu  # noqa: F401
except ImportError as error:
    sys.exit(f"portacl: torch or torch_npu cannot be imported: {error}; 'python -m portacl doctor' lists the missing "
             "packages")
from torch import nn
from torch.nn import functional

STEPS = 100


def trainer(where):
    """A function that trains one step and returns the loss."""
    torch.manual_seed(0)
    random = torch.Generator().manual_seed(1)
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 3)).to(where)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

    def step():
        x = torch.randn(64, 20, generator=random)
        y = x[:, :3].argmax(1)
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(x.to(where)), y.to(where))
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def main():
    cpu, device = trainer("cpu"), trainer("npu")
    print("training an MLP with Adam to find the largest of three numbers")
    for number in range(1, STEPS + 1):
        losses = cpu(), device()
        done = 30 * number // STEPS
        print(f"\r[{'#' * done}{'.' * (30 - done)}] step {number:3}: loss {losses[1]:.6f} on "
              f"{torch.npu.get_device_name(0)}, {losses[0]:.6f} on the CPU", end="", flush=True)
    print()
    return abs(losses[0] - losses[1]) > 1e-5


raise SystemExit(main())
