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
    for dtype in (torch.float16, torch.bfloat16):
        x, y, gamma = rand(3, 5, 16, dtype=dtype), rand(3, 5, 16, dtype=dtype), rand(16, dtype=dtype)
        wide, narrow, rstd, total = npu.npu_add_rms_norm_cast(x.npu(), y.npu(), gamma.npu(), 1e-3)
        want, wanted = norm(x.float() + y.float(), gamma, 1e-3)
        assert wide.dtype == torch.float32 and torch.equal(narrow, wide.to(dtype))
        same(wide, want), same(rstd, wanted), same(total, x.float() + y.float(), dtype)
    x, weight, bias = rand(2, 6, 4, 4), rand(6), rand(6)
    got = npu.npu_group_norm_silu(x.npu(), weight.npu(), bias.npu(), 3, 1e-5)[0]
    same(got, functional.silu(functional.group_norm(x, 3, weight, bias, 1e-5)))


def groups_with_a_gate():
    for dtype in TYPES:
        x, weight, bias = rand(2, 6, 4, 4, dtype=dtype), rand(6, dtype=dtype), rand(6, dtype=dtype)
        wide = [each.float().requires_grad_() for each in (x, weight, bias)]
        normal = functional.group_norm(wide[0], 3, wide[1], wide[2], 1e-5)
        want = normal * torch.sigmoid(1.5 * normal)
        out, mean, rstd = npu.npu_group_norm_swish(x.npu(), 3, weight.npu(), bias.npu(), 1e-5, 1.5)
        same(out, want.detach(), dtype)
        parts = x.float().reshape(2, 3, -1)
        same(mean, parts.mean(-1), dtype), same(rstd, (parts.var(-1, correction=0) + 1e-5).rsqrt(), dtype)
        grad = rand(2, 6, 4, 4, dtype=dtype)
        # The statistics in half precision are not exact.
        mean, rstd = parts.mean(-1).to(dtype), (parts.var(-1, correction=0) + 1e-5).rsqrt().to(dtype)
        got = npu.npu_group_norm_swish_grad(grad.npu(), x.npu(), 3, weight.npu(), bias.npu(), mean.npu(), rstd.npu(),
                                            [True, True, True], 1.5)
        for each, slope in zip(got, torch.autograd.grad(want, wide, grad.float())):
            same(each, slope, dtype)


def deep_layers():
    for dtype in TYPES:
        inputs = [rand(3, 5, 16, dtype=dtype) for _ in range(2)] + [rand(16, dtype=dtype) for _ in range(2)]
        wide = [each.float().requires_grad_() for each in inputs]
        x, gx, beta, gamma = wide
        want = functional.layer_norm(0.4 * x + gx, (16,), gamma, beta, 1e-6)
        moved = [each.npu() for each in inputs]
        mean, rstd, out = npu.npu_deep_norm(*moved, 0.4, 1e-6)
        same(out, want.detach(), dtype)
        total = (0.4 * x + gx).detach()
        same(mean, total.mean(-1, keepdim=True)), same(rstd, (total.var(-1, keepdim=True, correction=0) + 1e-6).rsqrt())
        grad = rand(3, 5, 16, dtype=dtype)
        got = npu.npu_deep_norm_backward(grad.npu(), moved[0], moved[1], moved[3], mean, rstd, 0.4)
        for each, slope in zip(got, torch.autograd.grad(want, wide, grad.float())):
            same(each, slope, dtype)


def rotations():
    for dtype in TYPES:
        x, cos, sin = rand(2, 3, 4, 8, dtype=dtype), rand(1, 3, 1, 8, dtype=dtype), rand(1, 3, 1, 8, dtype=dtype)
        first, second = x.chunk(2, -1)
        want = x.float() * cos.float() + torch.cat((-second, first), -1).float() * sin.float()
        same(npu.npu_rotary_mul(x.npu(), cos.npu(), sin.npu()), want, dtype)
        partner = torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)
        want = x.float() * cos.float() + partner.float() * sin.float()
        same(npu.npu_rotary_mul(x.npu(), cos.npu(), sin.npu(), "interleave"), want, dtype)


def rotations_have_gradients():
    for dtype in (torch.float32, torch.float16):
        for name, mode in (("half", 0), ("interleave", 1)):
            inputs = rand(2, 3, 4, 8, dtype=dtype), rand(1, 3, 1, 8, dtype=dtype), rand(1, 3, 1, 8, dtype=dtype)
            x, cos, sin = wide = [each.float().requires_grad_() for each in inputs]
            first, second = x.chunk(2, -1)
            partner = torch.cat((-second, first), -1) if mode == 0 else torch.stack(
                (-x[..., 1::2], x[..., ::2]), -1).flatten(-2)
            grad = rand(2, 3, 4, 8, dtype=dtype)
            wanted = torch.autograd.grad(x * cos + partner * sin, wide, grad.float())
            moved = [each.npu().requires_grad_() for each in inputs]
            out = npu.npu_rotary_mul(*moved, name)
            for each, slope in zip(torch.autograd.grad(out, moved, grad.npu()), wanted):
                same(each, slope, dtype)


def queries_and_keys_are_rotated():
    for dtype in (torch.float16, torch.bfloat16):
        for name in ("half", "interleave"):
            query, key = rand(2, 3, 4, 128, dtype=dtype), rand(2, 3, 2, 128, dtype=dtype)
            cos, sin = rand(2, 3, 1, 128, dtype=dtype), rand(2, 3, 1, 128, dtype=dtype)
            wants = [npu.npu_rotary_mul(each.npu(), cos.npu(), sin.npu(), name).cpu() for each in (query, key)]
            got = npu.npu_apply_rotary_pos_emb(query.npu(), key.npu(), cos.npu(), sin.npu(), "BSND", name)
            assert all(torch.equal(each.cpu(), want) for each, want in zip(got, wants))


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


def rotations_by_a_table():
    """The frequencies one after the other."""
    tokens, head, size = 6, 64, 32
    for dtype in TYPES:
        query, key, table = rand(tokens, 3 * head, dtype=dtype), rand(tokens, head, dtype=dtype), rand(20, size, dtype=dtype)
        for positions, sections in ((torch.randint(20, (tokens,)), None), (torch.randint(20, (3, tokens)), [5, 8, 3])):
            for mode in ("half", "interleave"):
                got = npu.npu_mrope(positions.npu(), query.npu(), key.npu(), table.npu(), head, mrope_section=sections,
                                    rotary_mode=mode)
                for x, out in zip((query, key), got):
                    heads = x.float().reshape(tokens, -1, head)
                    want = heads.clone()
                    for i in range(size // 2):
                        which = 0 if sections is None else 0 if i < 5 else 1 if i < 13 else 2
                        row = table.float()[positions if sections is None else positions[which]]
                        cos, sin = row[:, None, i], row[:, None, size // 2 + i]
                        a, b = (i, i + size // 2) if mode == "half" else (2 * i, 2 * i + 1)
                        want[..., a] = heads[..., a] * cos - heads[..., b] * sin
                        want[..., b] = heads[..., b] * cos + heads[..., a] * sin
                    same(out, want.reshape(x.shape), dtype)
    device.expect_error("mropeSection must have 3 elements of at least 0 with the sum 16", lambda: npu.npu_mrope(
        positions.npu(), query.npu(), key.npu(), table.npu(), head, mrope_section=[5, 8, 4]))


def rows_are_gathered():
    index = torch.tensor([[4, 0, 2], [2, 3, 1]])
    for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.int8, torch.int64, torch.bool, torch.complex64):
        x = torch.randint(9, (5, 4)).to(dtype)
        for each in (index, index.int()):
            assert torch.equal(npu.npu_gather_sparse_index(x.npu(), each.npu()).cpu(), x[index])


def caches_are_updated():
    for dtype in (torch.float32, torch.float16, torch.int8):
        cache, parts = torch.arange(2 * 3 * 5 * 4).reshape(2, 3, 5, 4).to(dtype), torch.ones(2, 3, 2, 4).to(dtype)
        want = cache.clone()
        for i, begin in enumerate((3, 1)):
            want[i, :, begin:begin + 2] = parts[i]
        got = npu.scatter_update(cache.npu(), torch.tensor([3, 1]).npu(), parts.npu(), -2)
        assert torch.equal(got.cpu(), want)
        moved = cache.npu()
        npu.scatter_update_(moved, torch.tensor([3, 1], dtype=torch.int32).npu(), parts.npu(), 2)
        assert torch.equal(moved.cpu(), want)
    device.expect_error("indices has the shape [3]; it must be [2]", lambda: npu.scatter_update_(
        moved, torch.tensor([3, 1, 2]).npu(), parts.npu(), 2))


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
    device.main([normalizations, groups_with_a_gate, deep_layers, rotations, rotations_have_gradients,
                 queries_and_keys_are_rotated, gated_units, rows_are_updated_at_places, caches_are_updated,
                 experts_are_chosen, rotations_by_a_table, rows_are_gathered])
