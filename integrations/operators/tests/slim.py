"""The environment of these tests has stand-ins for NVIDIA's libraries (tools/torch_stand_ins.py). What programs ask of CUDA
gets the answer of a machine without a GPU, or an error; nothing crashes."""

import importlib.metadata
import re

import device
import torch
from torch import nn
from torch.nn.parallel import comm


def asked_for(library):
    """The version of a library that this torch asks for, if it is a CUDA build."""
    for requirement in importlib.metadata.requires("torch"):
        if match := re.match(rf"nvidia-{library}-cu\d+ ?\(?==(\d+)\.(\d+)\.(\d+)", requirement):
            return tuple(int(number) for number in match.groups())
    raise AssertionError(f"torch {torch.__version__} asks for no {library}")


def versions_are_those_that_torch_asks_for():
    assert torch.cuda.nccl.version() == asked_for("nccl"), torch.cuda.nccl.version()
    major, minor, patch = asked_for("cudnn")
    assert torch.backends.cudnn.version() == major * 10000 + minor * 100 + patch, torch.backends.cudnn.version()


def there_is_no_cuda():
    assert not torch.cuda.is_available() and torch.cuda.device_count() == 0 and torch.cuda.memory_allocated() == 0
    assert not torch.cuda.nccl.is_available([torch.zeros(2)])
    device.expect_error("CUDA", lambda: torch.zeros(2).cuda())
    device.expect_error("CUDA", lambda: torch.cuda.get_device_properties(0))
    device.expect_error("at::cuda::graph_pool_handle: this torch has no CUDA", torch.cuda.graph_pool_handle)
    device.expect_error("torch::cuda::nccl::get_unique_id: this torch has no CUDA", torch.cuda.nccl.unique_id)


def copies_between_gpus_fail_with_a_text():
    """torch_npu has none of these functions. They returned memory that nothing wrote."""
    x = torch.ones(4).npu()
    for name, call in {
        "broadcast": lambda: comm.broadcast(x, [0, 1]),
        "broadcast_coalesced": lambda: comm.broadcast_coalesced([x], [0, 1]),
        "scatter": lambda: comm.scatter(x, [0, 1]),
        "gather": lambda: comm.gather([x, x.to("npu:1")], 0),
    }.items():
        device.expect_error(f"torch::cuda::{name}: this torch has no CUDA", call)
    assert comm.reduce_add([x, x]).tolist() == [2.0] * 4


def data_parallel_names_what_to_use():
    layer = nn.Linear(3, 2).npu()
    for ids in [None, [0]]:
        model = nn.DataParallel(layer, device_ids=ids)
        device.expect_error("Use DistributedDataParallel", lambda: model(torch.ones(8, 3).npu()))
    assert layer(torch.ones(8, 3).npu()).shape == (8, 2), "the device still works"


if __name__ == "__main__":
    device.main([versions_are_those_that_torch_asks_for, there_is_no_cuda, copies_between_gpus_fail_with_a_text,
                 data_parallel_names_what_to_use])
