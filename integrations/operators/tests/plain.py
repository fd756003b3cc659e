"""What works with every release of torch_npu, without operators: devices, copies, streams, events, memory. An operator
names itself, and the release that libopapi is built for.

Torch from 2.14 on replaces kernels of CUDA builds by others when it is imported; those of PyPI's torch without NVIDIA's
libraries have none. TORCH_PYTHON_NATIVE_USER_GRAPH_ORDER_FN=plain.no_replacements leaves them as they are.
"""

import sys


def no_replacements(_operator, _key, _replacements):
    return []


def everything():
    import device
    import torch

    values = torch.arange(6.0)
    devices = torch.npu.device_count()
    assert devices == 4, devices
    x = values.npu()
    assert x.device == torch.device("npu:0") and torch.equal(x.cpu(), values)
    pinned = values.pin_memory()
    assert pinned.is_pinned()
    side, event = torch.npu.Stream(), torch.npu.Event()
    with torch.npu.stream(side):
        y = pinned.to("npu:0", non_blocking=True)
        event.record()
    torch.npu.current_stream().wait_event(event)
    back = torch.empty(6, pin_memory=True)
    back.copy_(y, non_blocking=True)
    torch.npu.synchronize()
    assert torch.equal(back, values) and event.query()
    assert torch.equal(x.to("npu:1").cpu(), values)
    free, total = torch.npu.mem_get_info()
    assert 0 < free < total and torch.npu.memory_allocated() > 0
    device.expect_error("out of memory", lambda: torch.empty(2 * total, dtype=torch.uint8, device="npu"))
    release = torch.__version__.split("+")[0]
    device.expect_error(f", not for {release}: Add does not run; install torch and torch_npu ", lambda: (x + 1).cpu())
    print(f"torch {torch.__version__}, torch_npu {sys.modules['torch_npu'].__version__}: {devices} devices copy")


if __name__ == "__main__":
    everything()
