"""What inference engines call between and in the steps of a model, beside plain torch."""

import device
import direct
import torch

TYPES = {torch.float32: 1e-5, torch.float16: 5e-3, torch.bfloat16: 3e-2}
npu = torch.ops.npu


def same(got, want, dtype=torch.float32):
    torch.testing.assert_close(got.cpu().float(), want.float(), rtol=TYPES[dtype], atol=TYPES[dtype])


def sequences_advance():
    """The first sequences take the tokens that a sampler chose."""
    sequences, queries, size = 5, 3, 4
    tokens, positions, slots = (torch.randint(99, (sequences,)) for _ in range(3))
    lengths, blocks = torch.randint(0, 11, (sequences,)), torch.randint(50, (sequences, 3))
    sampled = torch.randint(99, (queries, 1))
    state = [each.npu() for each in (tokens, positions, lengths, slots)]
    npu.npu_advance_step_flashattn(state[0], sampled.npu(), *state[1:], blocks.npu(), sequences, queries, size)
    for i in range(queries):
        place = int(lengths[i])
        tokens[i], positions[i], lengths[i] = sampled[i, 0], place, place + 1
        slots[i] = blocks[i, place // size] * size + place % size
    for each, want in zip(state, (tokens, positions, lengths, slots)):
        assert torch.equal(each.cpu(), want), (each, want)
    device.expect_error("numQueries is 0", lambda: npu.npu_advance_step_flashattn(
        state[0], sampled.npu(), *state[1:], blocks.npu(), sequences, 0, size))


def keys_and_values_go_to_blocks():
    """In both orders of a block: all numbers of a token, or groups of 16 numbers of all tokens."""
    for dtype in TYPES:
        key, value = torch.rand(6, 2, 32).to(dtype), torch.rand(6, 2, 16).to(dtype)
        slots = torch.randperm(24)[:6].int()
        caches = torch.zeros(3, 8, 2, 32, dtype=dtype), torch.zeros(3, 8, 2, 16, dtype=dtype)
        moved = [each.npu() for each in caches]
        direct.call("aclnnScatterPaKvCache", key.npu(), moved[0], slots.npu(), value.npu(), moved[1], None, None, None,
                    "Norm", "None", [1, 1], [0, 0])
        groups = torch.zeros(3, 4, 8, 16, dtype=dtype).npu(), torch.zeros(3, 2, 8, 16, dtype=dtype).npu()
        npu.npu_scatter_pa_kv_cache(key.npu(), value.npu(), *groups, slots.npu())
        for rows, cache, plain, grouped in zip((key, value), caches, moved, groups):
            for i, slot in enumerate(slots.tolist()):
                cache[slot // 8, slot % 8] = rows[i]
            assert torch.equal(plain.cpu(), cache)
            assert torch.equal(grouped.cpu().permute(0, 2, 1, 3).reshape(cache.shape), cache)
    device.expect_error("must be 64, the product of the last two sizes of key", lambda: npu.npu_scatter_pa_kv_cache(
        key.npu(), value.npu(), groups[1], groups[1], slots.npu()))


def groups_of_matrices():
    for dtype in TYPES:
        x, weight, bias = (torch.rand(shape).to(dtype) for shape in ((6, 8), (3, 8, 5), (3, 5)))
        rows = [x[:1], x[1:1], x[1:]]
        want = torch.cat([rows[i].float() @ weight[i].float() for i in range(3)])
        for groups, kind in (([1, 1, 6], 0), ([1, 0, 5], 1)):
            got, = npu.npu_grouped_matmul([x.npu()], [weight.npu()], group_list=torch.tensor(groups).npu(), split_item=3,
                                          group_type=0, group_list_type=kind)
            same(got, want, dtype)
        matrices = [each.npu() for each in weight]
        got, = npu.npu_grouped_matmul([x.npu()], matrices, group_list=[1, 1, 6], split_item=3)
        same(got, want, dtype)
        got = npu.npu_grouped_matmul([x[:2].npu(), x[2:].npu()], matrices[:2], group_type=-1)
        for each, part, matrix in zip(got, (x[:2], x[2:]), weight):
            same(each, part.float() @ matrix.float(), dtype)
        old = torch.empty(6, 5, dtype=dtype).npu()
        biases = [each.npu() for each in bias]
        want = torch.cat([rows[i].float() @ weight[i].float() + bias[i].float() for i in range(3)])
        direct.call("aclnnGroupedMatmulV4", [x.npu()], matrices, biases, *[None] * 5, torch.tensor([1, 1, 6]).npu(),
                    *[None] * 3, 3, 0, 0, 1, [old], None, None)
        same(old, torch.relu(want), dtype)
    device.expect_error("groupList has 2 elements; it must have 3", lambda: npu.npu_grouped_matmul(
        [x.npu()], matrices, group_list=[1, 6], split_item=3))


def batches_in_other_orders():
    for dtype in TYPES:
        x, weight = torch.rand(4, 2, 8).to(dtype), torch.rand(2, 8, 6).to(dtype)
        want = torch.bmm(x.float().transpose(0, 1), weight.float()).transpose(0, 1)
        got = npu.npu_transpose_batchmatmul(x.npu(), weight.npu(), perm_x1=[1, 0, 2], perm_y=[1, 0, 2])
        same(got, want, dtype)
        got = npu.npu_transpose_batchmatmul(x.transpose(0, 1).contiguous().npu(), weight.npu(), perm_y=[1, 0, 2])
        same(got, want, dtype)
        got = npu.npu_transpose_batchmatmul(x.npu(), weight.npu(), perm_x1=[1, 0, 2], perm_y=[1, 0, 2],
                                            batch_split_factor=2)
        same(got, want.reshape(4, 2, 6).transpose(0, 1), dtype)


def halves_are_rotated_in_place():
    for dtype in TYPES:
        query, key, cos, sin = (torch.rand(shape).to(dtype) for shape in ((2, 3, 4, 8), (2, 3, 2, 8), (2, 3, 1, 8), (2, 3, 1, 8)))
        moved = query.npu(), key.npu()
        direct.call("aclnnApplyRotaryPosEmb", *moved, cos.npu(), sin.npu(), 1)
        for got, x in zip(moved, (query, key)):
            half = torch.cat([-x[..., 4:], x[..., :4]], -1).float()
            same(got, x.float() * cos.float() + half * sin.float(), dtype)


if __name__ == "__main__":
    device.main([sequences_advance, keys_and_values_go_to_blocks, groups_of_matrices, batches_in_other_orders,
                 halves_are_rotated_in_place])
