"""errors.py CASE: what fails on the device is an error in Python. A failed operator stops the streams of its context, as
on the original, so each case has a process."""

import sys

import device
import torch
from torch.nn import functional


def class_index():
    scores, classes = torch.randn(4, 5).npu(), torch.tensor([0, 1, 2, 9]).npu()
    device.expect_error("aclnnNLLLoss: Target 9 is out of bounds", lambda: functional.cross_entropy(scores, classes).item())


def index():
    rows = torch.randn(4, 5).npu()
    # torch_npu prints the text, and raises the code.
    device.expect_error("561000", lambda: rows[torch.tensor([0, 7]).npu()].cpu().sum().item())


def memory():
    device_memory = torch.npu.mem_get_info()[1]
    device.expect_error("NPU out of memory", lambda: torch.empty(2 * device_memory, dtype=torch.uint8, device="npu"))
    assert (torch.ones(3).npu() + 1).sum().item() == 6, "the device still works"


def missing():
    image, boxes = torch.randn(1, 4, 8, 8).npu(), torch.tensor([[0.0, 0, 0, 4, 4]]).npu()
    device.expect_error("aclnnROIAlign", lambda: torch.ops.npu.npu_roi_align(image, boxes, 1.0, 3, 3, 2, 0))
    assert (torch.ones(3).npu() + 1).sum().item() == 6, "the device still works"


def shapes():
    """What depends on shapes, types and arguments costs the call, and nothing else."""
    a, b, images = torch.ones(4, 5).npu(), torch.ones(3).npu(), torch.ones(2, 3, 8, 8).npu()
    batch, weight = torch.ones(2, 4, 5).npu(), torch.ones(4, 5, 3, 3).npu()
    rows = torch.tensor([0, 1]).npu()
    calls = {
        "add": lambda: a + b,
        "mm": lambda: torch.mm(a, a),
        "linear": lambda: functional.linear(a, torch.ones(2, 3).npu()),
        "bmm": lambda: torch.bmm(batch, batch),
        "conv": lambda: functional.conv2d(images, weight),
        "cat": lambda: torch.cat([a, torch.ones(4, 6).npu()]),
        "attention": lambda: functional.scaled_dot_product_attention(batch, batch, torch.ones(2, 7, 5).npu()),
        "gather": lambda: torch.gather(a, 0, torch.zeros(2, 7, dtype=torch.long).npu()),
        "embedding": lambda: functional.embedding(a, a),
        "flip": lambda: torch.flip(a, [2]),
        "all": lambda: torch.all(a, dim=2),
        "max": lambda: torch.max(torch.ones(0).npu()),
        "index_select": lambda: torch.index_select(a, 3, rows),
    }
    for name, call in calls.items():
        device.expect_error("", lambda: call().sum().item())
        assert (torch.ones(3).npu() + 1).sum().item() == 6, f"the device still works after {name}"


if __name__ == "__main__":
    device.main([globals()[sys.argv[1]]])
