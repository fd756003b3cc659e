"""torchvision, an extension module beside torch whose libraries link more of CUDA than torch's own: it loads, and its models
compute as on the CPU."""

import sys

import device
import torch

try:
    import torchvision
except ImportError as error:
    print(f"skipped: {error}; ./dev torch installs torchvision")
    sys.exit(77)
from torchvision import io, ops


def its_operators_are_there():
    boxes = torch.tensor([[0.0, 0, 10, 10], [1, 1, 11, 11], [50, 50, 60, 60]])
    assert ops.nms(boxes, torch.tensor([0.9, 0.8, 0.7]), 0.5).tolist() == [0, 2]
    image = torch.arange(48, dtype=torch.uint8).reshape(3, 4, 4)
    assert torch.equal(io.decode_png(io.encode_png(image)), image)


def a_model_computes_as_on_the_cpu():
    torch.manual_seed(0)
    model = torchvision.models.resnet18(weights=None).eval()
    x = torch.randn(1, 3, 64, 64)
    with torch.no_grad():
        want, got = model(x), model.npu()(x.npu()).cpu()
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)


if __name__ == "__main__":
    device.main([its_operators_are_there, a_model_computes_as_on_the_cpu])
