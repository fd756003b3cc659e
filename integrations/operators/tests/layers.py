"""Layers that torch computes otherwise on the CPU, beside torch: losses, bags, shared statistics, images."""

import device
import direct
import torch
from torch.nn import functional

TYPES = {torch.float32: 1e-5, torch.float16: 5e-3, torch.bfloat16: 3e-2}
npu = torch.ops.npu


def same(got, want, dtype=torch.float32):
    torch.testing.assert_close(got.detach().cpu().float(), want.detach().float(), rtol=TYPES[dtype], atol=TYPES[dtype])


def cross_entropies():
    for dtype in TYPES:
        for reduction in ("none", "mean", "sum"):
            for ignore, smoothing, weight in ((-100, 0.0, None), (2, 0.2, torch.rand(7) + 0.1)):
                x, target = torch.randn(5, 7).to(dtype), torch.tensor([3, 2, 0, 6, 2])
                wide = x.float().requires_grad_()
                options = {"reduction": reduction, "ignore_index": ignore, "label_smoothing": smoothing}
                want = functional.cross_entropy(wide, target, weight, **options)
                moved = None if weight is None else weight.npu()
                loss, logs = npu.npu_cross_entropy_loss(x.npu(), target.npu(), moved, **options)[:2]
                same(loss.reshape(want.shape), want, dtype), same(logs, torch.log_softmax(wide, -1), dtype)
                grad = torch.rand(want.shape)
                slope, = torch.autograd.grad(want, wide, grad)
                got = npu.npu_cross_entropy_loss_backward(grad.reshape(loss.shape).to(dtype).npu(),
                                                          torch.log_softmax(x.float(), -1).to(dtype).npu(), target.npu(),
                                                          moved, **options)
                same(got, slope, dtype)
    device.expect_error("returnZloss is true", lambda: npu.npu_cross_entropy_loss(x.npu(), target.npu(), return_zloss=True))


def losses_of_sequences():
    for targets, lengths in ((torch.tensor([[1, 2, 2], [3, 1, 0]]), [3, 2]), (torch.tensor([1, 2, 2, 3, 1]), [3, 2])):
        for reduction in ("none", "mean", "sum"):
            x = torch.randn(8, 2, 5).requires_grad_()
            moved = x.detach().npu().requires_grad_()
            options = (torch.tensor([8, 6]), torch.tensor(lengths))
            want = functional.ctc_loss(x.log_softmax(2), targets, *options, reduction=reduction)
            got = functional.ctc_loss(moved.log_softmax(2), targets.npu(), *options, reduction=reduction)
            same(got, want)
            want.sum().backward(), got.sum().backward()
            same(moved.grad, x.grad)
    # A target that is too long has an infinite loss, which counts as 0.
    x, targets = torch.randn(3, 1, 5), torch.tensor([[1, 1, 2]])
    options = {"input_lengths": torch.tensor([3]), "target_lengths": torch.tensor([3])}
    for zero in (False, True):
        got = functional.ctc_loss(x.npu().log_softmax(2), targets.npu(), zero_infinity=zero, **options)
        assert got.item() == (0 if zero else float("inf")), got


def bags():
    indices, offsets = torch.tensor([0, 3, 2, 3, 4, 4]), torch.tensor([0, 2, 2])
    for mode in range(3):
        for last in (False, True):
            for padding in (-1, 3):
                weight = torch.rand(5, 4)
                places = torch.tensor([0, 2, 2, 6]) if last else offsets
                arguments = (False, mode, False, torch.rand(6) if mode == 0 else None, last, padding)
                moved = [each.npu() if isinstance(each, torch.Tensor) else each for each in arguments]
                got = torch.ops.aten._embedding_bag(weight.npu(), indices.npu(), places.npu(), *moved)
                want = torch.ops.aten._embedding_bag(weight, indices, places, *arguments)
                same(got[0], want[0])
                if mode == 2:
                    assert torch.equal(got[3].cpu(), want[3]), (got[3], want[3])
    got = functional.embedding_bag(indices.npu(), weight.npu(), offsets.npu(), mode="mean")
    same(got, functional.embedding_bag(indices, weight, offsets, mode="mean"))


def statistics_of_parts():
    """What synchronized batch normalization computes, in two processes' parts of a batch."""
    for dtype in (torch.float32, torch.float16):
        x = torch.rand(6, 3, 4, 4).to(dtype)
        weight, bias, running = torch.rand(3), torch.rand(3), [torch.rand(3), torch.rand(3)]
        wide = [x.float().requires_grad_(), weight.clone().requires_grad_(), bias.clone().requires_grad_()]
        wanted = [each.clone() for each in running]
        want = functional.batch_norm(wide[0], *wanted, wide[1], wide[2], True, 0.1, 1e-5)
        parts, moved = [x[:2].npu(), x[2:].npu()], [each.npu() for each in running]
        means, deviations = zip(*(torch.batch_norm_stats(part, 1e-5) for part in parts))
        counts = torch.tensor([32.0, 64.0]).npu()
        mean, deviation = torch.batch_norm_gather_stats_with_counts(parts[0], torch.stack(means), torch.stack(deviations),
                                                                    *moved, 0.1, 1e-5, counts)
        for each, expected in zip(moved, wanted):
            same(each, expected)
        out = [torch.batch_norm_elemt(part, weight.npu(), bias.npu(), mean, deviation, 1e-5) for part in parts]
        same(torch.cat(out), want, dtype)
        grad = torch.rand(6, 3, 4, 4).to(dtype)
        grads = grad[:2].npu(), grad[2:].npu()
        sums = [torch.batch_norm_backward_reduce(slope, part, mean, deviation, weight.npu(), True, True, True)
                for slope, part in zip(grads, parts)]
        dy, dy_xmu, dweight, dbias = (sum(each) for each in zip(*sums))
        got = [torch.batch_norm_backward_elemt(slope, part, mean, deviation, weight.npu(), dy, dy_xmu, counts.int())
               for slope, part in zip(grads, parts)]
        slopes = torch.autograd.grad(want, wide, grad.float())
        for each, slope in zip((torch.cat(got), dweight, dbias), slopes):
            same(each, slope, torch.float16)


def images():
    cases = [dict(size=(3, 3)), dict(size=(6, 7)), dict(scale_factor=1.7), dict(scale_factor=0.7)]
    for options in cases:
        for mode, more in (("nearest-exact", {}), ("bilinear", {"antialias": True}), ("bicubic", {"antialias": True})):
            for corners in ((None,) if mode == "nearest-exact" else (False, True)):
                x = torch.rand(2, 3, 5, 5).requires_grad_()
                moved = x.detach().npu().requires_grad_()
                want = functional.interpolate(x, mode=mode, align_corners=corners, **options, **more)
                got = functional.interpolate(moved, mode=mode, align_corners=corners, **options, **more)
                same(got, want)
                grad = torch.rand_like(want)
                want.backward(grad), got.backward(grad.npu())
                same(moved.grad, x.grad)
    for shape, sizes in (((2, 3, 5), (7,)), ((2, 3, 5, 4, 3), (7, 3, 5))):
        x = torch.rand(shape).requires_grad_()
        moved = x.detach().npu().requires_grad_()
        for options in (dict(size=sizes), dict(scale_factor=1.7)):
            want, got = (functional.interpolate(each, mode="nearest-exact", **options) for each in (x, moved))
            same(got, want)
            grad = torch.rand_like(want)
            for each, slope in zip(torch.autograd.grad(got, moved, grad.npu()), torch.autograd.grad(want, x, grad)):
                same(each, slope)


def gradients():
    """Gradients that torch_npu has operators for."""
    for dtype in TYPES:
        x, target = torch.randn(3, 5).to(dtype), torch.randint(2, (3, 5)).to(dtype) * 2 - 1
        for reduction in ("none", "mean", "sum"):
            wide, moved = x.float().clone().requires_grad_(), x.npu().requires_grad_()
            want = functional.soft_margin_loss(wide, target.float(), reduction=reduction)
            got = functional.soft_margin_loss(moved, target.npu(), reduction=reduction)
            grad = torch.rand(want.shape).to(dtype)
            want.backward(grad.float()), got.backward(grad.npu())
            same(got, want, dtype), same(moved.grad, wide.grad, dtype)
        rows = torch.randn(3, 4).to(dtype)
        for repeats, dim in ((torch.tensor([2, 0, 3]), 0), (torch.tensor([1, 2, 0, 4]), -1), (torch.tensor([3]), 1)):
            wide, moved = rows.float().clone().requires_grad_(), rows.npu().requires_grad_()
            want = torch.repeat_interleave(wide, repeats, dim)
            got = torch.repeat_interleave(moved, repeats.npu(), dim)
            grad = torch.randn(want.shape).to(dtype)
            want.backward(grad.float()), got.backward(grad.npu())
            same(moved.grad, wide.grad, dtype)
    x, weight, bias, grad = (torch.randn(shape) for shape in ((5, 2, 3), (3, 3, 4), (4,), (5, 2, 4)))
    want = torch.ops.aten.conv_tbc_backward(grad, x, weight, bias, 1)
    got = torch.ops.aten.conv_tbc_backward(grad.npu(), x.npu(), weight.npu(), bias.npu(), 1)
    for each, expected in zip(got, want):
        same(each, expected)


def sums_are_normalized():
    for dtype in TYPES:
        x, y, gamma, beta = (torch.rand(shape).to(dtype) for shape in ((2, 3, 16), (2, 3, 16), (16,), (16,)))
        out, mean, rstd, total = npu.npu_add_layer_norm(x.npu(), y.npu(), gamma.npu(), beta.npu(), 1e-3, True)
        wide = x.float() + y.float()
        want = torch.native_layer_norm(wide, (16,), gamma.float(), beta.float(), 1e-3)
        for each, expected in zip((out, mean, rstd), want):
            same(each, expected, dtype)
        same(total, wide, dtype)
    device.expect_error("x2 has the shape [2, 2, 16]; it must have the shape of x1", lambda: npu.npu_add_layer_norm(
        x.npu(), y[:, :2].npu(), gamma.npu(), beta.npu()))


def bounds_that_are_tensors():
    for dtype in TYPES:
        x, bound = torch.randn(3, 5).to(dtype), torch.randn(5).to(dtype)
        same(x.npu().clamp_min_(bound.npu()), x.clamp_min(bound), dtype)
        same(x.npu().clamp_max_(bound.npu()), x.clamp_max(bound), dtype)
    whole = torch.arange(-6, 6, dtype=torch.int64).reshape(3, 4)
    assert torch.equal(whole.npu().clamp_min_(torch.tensor([0, 1, 2, 3]).npu()).cpu(),
                       whole.clamp_min(torch.tensor([0, 1, 2, 3])))
    device.expect_error("aclnnInplaceClampMinTensorGetWorkspaceSize: ", lambda: x.npu().clamp_min_(torch.ones(4).npu()))


def sums_without_negative_numbers():
    for dtype in TYPES:
        x, y = torch.randn(3, 5).to(dtype), torch.randn(5).to(dtype)
        same(torch.ops.aten._add_relu(x.npu(), y.npu(), alpha=2), torch.relu(x.float() + 2 * y.float()), dtype)
        same(torch.ops.aten._add_relu_(x.npu(), y.npu()), torch.relu(x.float() + y.float()), dtype)


def channels_are_convolved_alone():
    for dtype in TYPES:
        x, weight, bias = (torch.randn(shape).to(dtype) for shape in ((2, 4, 7, 6), (8, 1, 3, 2), (8,)))
        for options in ((1, 0, 1), ([2, 1], [1, 0], [1, 2])):
            pairs = [each if isinstance(each, list) else [each, each] for each in options]
            for each in (None, bias):
                want = functional.conv2d(x.float(), weight.float(), None if each is None else each.float(), *options,
                                         groups=4)
                got = torch.ops.aten._conv_depthwise2d(x.npu(), weight.npu(), [3, 2], None if each is None else each.npu(),
                                                       *pairs)
                same(got, want, dtype)
    device.expect_error("kernelSize must be the last two sizes of weight", lambda: direct.call(
        "aclnnConvDepthwise2d", x.npu(), weight.npu(), [2, 2], None, [1, 1], [0, 0], [1, 1], got, 0))


def least_and_most():
    for dtype in (*TYPES, torch.int64):
        x = (torch.randn(3, 5) * 9).to(dtype)
        least, most = torch.empty((), dtype=dtype).npu(), torch.empty((), dtype=dtype).npu()
        direct.call("aclnnAminmaxAll", x.npu(), least, most)
        assert least.item() == x.min().item() and most.item() == x.max().item()
        for dim, keep in ((0, False), (-1, True)):
            want = torch.aminmax(x, dim=dim, keepdim=keep)
            least, most = (torch.empty(want.min.shape, dtype=dtype).npu() for _ in range(2))
            direct.call("aclnnAminmaxDim", x.npu(), dim, keep, least, most)
            assert torch.equal(least.cpu(), want.min) and torch.equal(most.cpu(), want.max)


if __name__ == "__main__":
    device.main([cross_entropies, losses_of_sequences, bags, statistics_of_parts, images, gradients,
                 sums_are_normalized, bounds_that_are_tensors, sums_without_negative_numbers,
                 channels_are_convolved_alone, least_and_most])
