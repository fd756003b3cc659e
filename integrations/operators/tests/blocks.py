"""Blocks of language models that torch has no function for, beside plain torch."""

import device
import torch
from torch.nn import functional

TYPES = {torch.float32: 1e-5, torch.float16: 2e-2, torch.bfloat16: 5e-2}
npu = torch.ops.npu


def rand(*shape, dtype=torch.float32):
    return (torch.rand(shape) - 0.3).to(dtype)


def same(got, want, dtype=torch.float32):
    torch.testing.assert_close(got.cpu().float(), want.float(), rtol=TYPES[dtype], atol=TYPES[dtype])


def norm(x, factor, epsilon):
    rstd = (x.float().pow(2).mean(-1, keepdim=True) + epsilon).rsqrt()
    return x.float() * rstd * factor.float(), rstd


def normalizations():
    for dtype in TYPES:
        x, y, gamma = rand(3, 5, 16, dtype=dtype), rand(3, 5, 16, dtype=dtype), rand(16, dtype=dtype)
        got, rstd, total = npu.npu_add_rms_norm(x.npu(), y.npu(), gamma.npu(), 1e-3)
        want, wanted = norm(x.float() + y.float(), gamma, 1e-3)
        same(got, want, dtype), same(rstd, wanted, dtype), same(total, x.float() + y.float(), dtype)
        got, rstd = npu.npu_gemma_rms_norm(x.npu(), gamma.npu(), 1e-3)
        want, wanted = norm(x, gamma.float() + 1, 1e-3)
        same(got, want, dtype), same(rstd, wanted, dtype)
    x, weight, bias = rand(2, 6, 4, 4), rand(6), rand(6)
    got = npu.npu_group_norm_silu(x.npu(), weight.npu(), bias.npu(), 3, 1e-5)[0]
    same(got, functional.silu(functional.group_norm(x, 3, weight, bias, 1e-5)))


def rotations():
    for dtype in TYPES:
        x, cos, sin = rand(2, 3, 4, 8, dtype=dtype), rand(1, 3, 1, 8, dtype=dtype), rand(1, 3, 1, 8, dtype=dtype)
        first, second = x.chunk(2, -1)
        want = x.float() * cos.float() + torch.cat((-second, first), -1).float() * sin.float()
        same(npu.npu_rotary_mul(x.npu(), cos.npu(), sin.npu()), want, dtype)
        partner = torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)
        want = x.float() * cos.float() + partner.float() * sin.float()
        same(npu.npu_rotary_mul(x.npu(), cos.npu(), sin.npu(), "interleave"), want, dtype)


def gated_units():
    for dtype in TYPES:
        for dim in (-1, 1):
            x = rand(3, 4, 8, dtype=dtype)
            want = x.clone().float().requires_grad_()
            first, second = want.chunk(2, dim)
            out = functional.silu(first) * second
            grad = rand(*out.shape, dtype=dtype)
            out.backward(grad.float())
            same(npu.npu_swiglu(x.npu(), dim), out.detach(), dtype)
            same(npu.npu_swiglu_backward(grad.npu(), x.npu(), dim), want.grad, dtype)
    for left in (False, True):
        for approximate, name in ((0, "none"), (1, "tanh")):
            x = rand(3, 8)
            want = x.clone().requires_grad_()
            first, second = want.chunk(2, -1)
            gelu = functional.gelu(first if left else second, approximate=name)
            out = gelu * (second if left else first)
            grad = rand(3, 4)
            out.backward(grad)
            got, active = npu.npu_geglu(x.npu(), -1, approximate, left)
            same(got, out.detach()), same(active, gelu.detach())
            same(npu.npu_geglu_grad(grad.npu(), x.npu(), active, -1, approximate, left), want.grad)


def rows_are_updated_at_places():
    x, rows = rand(5, 4), rand(2, 4)
    want = x.clone()
    want[torch.tensor([3, 1])] = rows
    same(npu.npu_scatter_nd_update(x.npu(), torch.tensor([[3], [1]]).npu(), rows.npu()), want)
    want = x.clone()
    want[torch.tensor([3, 1]), torch.tensor([0, 2])] = rows[:, 0]
    same(npu.npu_scatter_nd_update(x.npu(), torch.tensor([[3, 0], [1, 2]]).npu(), rows[:, 0].npu()), want)


def experts_are_chosen():
    x = rand(6, 8)
    y, expert, row = npu.npu_moe_gating_top_k_softmax(x.npu(), None, 2)
    want, chosen = torch.softmax(x, -1).topk(2)
    same(y, want)
    assert expert.cpu().tolist() == chosen.tolist()
    assert row.cpu().tolist() == [[i, i + 6] for i in range(6)]
    tokens = torch.tensor([0, 0, 1, 3, 3, 3], dtype=torch.int32)
    assert npu.npu_moe_compute_expert_tokens(tokens.npu(), 5).cpu().tolist() == [2, 3, 3, 6, 6]


if __name__ == "__main__":
    device.main([normalizations, rotations, gated_units, rows_are_updated_at_places, experts_are_chosen])
