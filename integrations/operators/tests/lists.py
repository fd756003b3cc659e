"""Operators of lists (torch._foreach_*) do for each tensor what they do on the CPU, also in place."""

import device
import torch

UNARY = """abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac log log10 log1p log2 neg reciprocal round sigmoid
sign sin sinh sqrt tan tanh trunc""".split()
BINARY = "add sub mul div maximum minimum pow clamp_min clamp_max".split()
# torch_npu computes these with a number by operators of one tensor that have no function in libopapi.
NO_NUMBER_IN_PLACE = {"minimum", "clamp_max"}
TYPES = {torch.float32: 1e-5, torch.float16: 1e-2, torch.bfloat16: 2e-2}


def values(dtype, seed):
    """Tensors of several shapes: a view with strides, one without elements, one of one element."""
    torch.manual_seed(seed)
    shapes = [(3, 4), (5,), (), (0, 2)]
    return [(torch.rand(shape) * 0.8 + 0.1).to(dtype) for shape in shapes] + [torch.rand(6, 4).to(dtype)[::2].t() + 0.1]


def on_device(value):
    if isinstance(value, list):
        return [on_device(each) for each in value]
    return value.npu() if isinstance(value, torch.Tensor) and value.dim() + value.numel() > 0 else value


def check(name, dtype, *arguments, **keywords):
    function = getattr(torch, f"_foreach_{name}")
    want, got = function(*arguments, **keywords), function(*map(on_device, arguments), **keywords)
    for one, other in zip(want, got, strict=True):
        torch.testing.assert_close(other.cpu(), one, rtol=TYPES[dtype], atol=TYPES[dtype], equal_nan=True,
                                   msg=lambda text: f"{name}: {text}")
    in_place = getattr(torch, f"_foreach_{name}_", None)
    is_number = len(arguments) == 2 and isinstance(arguments[1], float)
    if in_place and isinstance(arguments[0], list) and not (is_number and name in NO_NUMBER_IN_PLACE):
        changed = on_device([each.clone() for each in arguments[0]])
        in_place(changed, *map(on_device, arguments[1:]), **keywords)
        for one, other in zip(want, changed, strict=True):
            torch.testing.assert_close(other.cpu(), one, rtol=TYPES[dtype], atol=TYPES[dtype], equal_nan=True)


def functions_of_one_list():
    for dtype in TYPES:
        signed = [each - 0.5 for each in values(dtype, 0)]
        for name in UNARY:
            check(name, dtype, [each * 3 for each in signed] if name in ("ceil", "floor", "frac", "round", "trunc") else signed)


def functions_of_two_lists_and_of_numbers():
    for dtype in TYPES:
        x, y = values(dtype, 1), values(dtype, 2)
        for name in BINARY:
            check(name, dtype, x, y)
            check(name, dtype, x, 0.7)
            check(name, dtype, x, [0.3, 0.5, 0.7, 0.9, 1.1])
        check("add", dtype, x, y, alpha=0.5)
        check("sub", dtype, x, y, alpha=0.5)
        check("pow", dtype, 1.5, x)


def functions_of_three_lists():
    for dtype in TYPES:
        x, y, z = (values(dtype, seed) for seed in (3, 4, 5))
        check("lerp", dtype, x, y, 0.3)
        check("lerp", dtype, x, y, z)
        for name in ("addcmul", "addcdiv"):
            check(name, dtype, x, y, z, 0.7)
            check(name, dtype, x, y, z, [0.3, 0.5, 0.7, 0.9, 1.1])


def lists_are_copied_and_cleared():
    x, y = values(torch.float32, 6), on_device(values(torch.float32, 7))
    torch._foreach_copy_(y, on_device(x))
    for one, other in zip(x, y, strict=True):
        assert torch.equal(other.cpu(), one)
    torch._foreach_zero_(y)
    assert all(not other.cpu().any() for other in y)


def optimizers_of_lists_step():
    """SGD with momentum and AdamW, whose steps are operators of lists."""
    def train(where, make):
        torch.manual_seed(8)
        weights = [torch.rand(shape).to(where).requires_grad_() for shape in ((4, 3), (5,))]
        optimizer = make(weights)
        for _ in range(3):
            optimizer.zero_grad()
            sum((weight * weight).sum() for weight in weights).backward()
            optimizer.step()
        return [weight.detach().cpu() for weight in weights]

    for make in (lambda weights: torch.optim.SGD(weights, lr=0.1, momentum=0.9, foreach=True),
                 lambda weights: torch.optim.AdamW(weights, lr=0.1, foreach=True)):
        for one, other in zip(train("cpu", make), train("npu", make), strict=True):
            torch.testing.assert_close(other, one, rtol=1e-5, atol=1e-5)


if __name__ == "__main__":
    device.main([
        functions_of_one_list,
        functions_of_two_lists_and_of_numbers,
        functions_of_three_lists,
        lists_are_copied_and_cleared,
        optimizers_of_lists_step,
    ])
