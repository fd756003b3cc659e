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
    values = torch.randn(3, 3).npu()
    device.expect_error("no operator runs by its name, so UniqueWithCountsAndSorting does not", lambda: torch.unique(values))


def shapes():
    device.expect_error("", lambda: torch.add(torch.ones(4, 5).npu(), torch.ones(3).npu()).sum().item())
    assert (torch.ones(3).npu() + 1).sum().item() == 6, "the device still works"


if __name__ == "__main__":
    device.main([globals()[sys.argv[1]]])
