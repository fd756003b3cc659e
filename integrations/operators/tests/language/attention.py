"""Attention for training and for inference, beside plain torch."""

import math

import device
import torch

TYPES = {torch.float32: 1e-5, torch.float16: 2e-3, torch.bfloat16: 2e-2}
npu = torch.ops.npu
HEADS, SIZE = 4, 16
SCALE = 1 / math.sqrt(SIZE)
# The pattern that stands for triangles and bands.
PATTERN = torch.ones(2048, 2048, dtype=torch.bool).triu(1)


def rand(*shape, dtype=torch.float32):
    return (torch.rand(shape) - 0.3).to(dtype)


def same(got, want, dtype=torch.float32):
    torch.testing.assert_close(got.detach().cpu().float(), want.detach().float(), rtol=TYPES[dtype], atol=TYPES[dtype])


def reference(query, key, value, hidden=None, shift=None):
    """Attention of heads, with what it is made of: the scores."""
    group = query.size(-3) // key.size(-3)
    key, value = key.repeat_interleave(group, -3), value.repeat_interleave(group, -3)
    scores = query @ key.transpose(-1, -2)
    scores = (scores if shift is None else scores + shift) * SCALE
    if hidden is not None:
        scores = scores.masked_fill(hidden, -math.inf)
    return torch.softmax(scores, -1).nan_to_num() @ value, scores


def hidden_of(mode, queries, keys, before=0, after=0):
    shift = 0 if mode == 2 else keys - queries
    ahead = torch.arange(keys) - torch.arange(queries)[:, None] - shift
    return ahead > 0 if mode in (2, 3) else (ahead > after) | (ahead < -before)


def to_layout(heads, layout):
    return {"BNSD": heads, "BSND": heads.transpose(1, 2), "BSH": heads.transpose(1, 2).flatten(2),
            "SBH": heads.permute(2, 0, 1, 3).flatten(2)}[layout].contiguous()


def inputs(dtype, heads=2, queries=7, keys=9):
    shapes = ((2, HEADS, queries, SIZE), (2, heads, keys, SIZE), (2, heads, keys, SIZE))
    return [rand(*shape, dtype=dtype) for shape in shapes]


def gradients(out, wide, grad):
    return torch.autograd.grad(out, wide, grad)


def check_training(dtype, layout, shift=None, **options):
    heads = inputs(dtype)
    wide = [tensor.float().requires_grad_() for tensor in heads]
    mode, mask = options.get("sparse_mode", 0), options.get("atten_mask")
    hidden = mask
    if mask is not None and mode > 1:
        hidden = hidden_of(mode, 7, 9, options.get("pre_tockens"), options.get("next_tockens"))
    want, scores = reference(*wide, hidden, None if shift is None else shift.float())
    moved = [to_layout(tensor, layout).npu().requires_grad_() for tensor in heads]
    arguments = {name: value.npu() if isinstance(value, torch.Tensor) else value for name, value in options.items()}
    got, most, total = npu.npu_fusion_attention(*moved, HEADS, layout, scale=SCALE,
                                                pse=None if shift is None else shift.npu(), **arguments)[:3]
    same(got, to_layout(want, layout), dtype)
    assert most.shape == total.shape == (2, HEADS, 7, 8)
    same(most, scores.amax(-1, keepdim=True).expand(-1, -1, -1, 8), dtype)
    same(total, (scores - scores.amax(-1, keepdim=True)).exp().sum(-1, keepdim=True).expand(-1, -1, -1, 8), dtype)
    grad = rand(*got.shape, dtype=dtype)
    wanted = gradients(to_layout(want, layout), wide, grad.float())
    for each, slope in zip(gradients(got, moved, grad.npu()), wanted):
        same(each, to_layout(slope, layout), dtype)


def layouts_and_types():
    for dtype in TYPES:
        for layout in ("BNSD", "BSND", "BSH", "SBH"):
            check_training(dtype, layout)


def masks():
    whole = torch.rand(7, 9) > 0.7
    whole[:, 0] = False
    for mask in (whole, whole.expand(2, 1, 7, 9), whole.expand(2, HEADS, 7, 9)):
        for mode in (0, 1):
            check_training(torch.float32, "BNSD", atten_mask=mask, sparse_mode=mode)
    for mode in (2, 3):
        check_training(torch.float16, "BSH", atten_mask=PATTERN, sparse_mode=mode)
        # Without a mask the mode says nothing.
        check_training(torch.float32, "BNSD", sparse_mode=mode)
    check_training(torch.float32, "BNSD", atten_mask=PATTERN, sparse_mode=4, pre_tockens=3, next_tockens=1)
    check_training(torch.float32, "BNSD", shift=rand(2, HEADS, 7, 9))
    check_training(torch.float32, "BNSD", shift=rand(1, HEADS, 7, 9))


def a_query_without_keys_is_0():
    query, key, value = (tensor.npu() for tensor in inputs(torch.float32, HEADS, 9, 7))
    got = npu.npu_fusion_attention(query, key, value, HEADS, "BNSD", scale=SCALE, atten_mask=PATTERN.npu(),
                                   sparse_mode=3)[0]
    assert not got[:, :, :2].any() and got[:, :, 2:].all()


def parts_of_keys_are_one_softmax():
    """The gradient takes the maxima, sums and results of all keys, as rings of devices pass them."""
    query, key, value = inputs(torch.float32, HEADS)
    wide = [tensor.clone().requires_grad_() for tensor in (query, key, value)]
    out, scores = reference(*wide)
    grad = rand(*out.shape)
    wanted = gradients(out, wide, grad)
    most = scores.amax(-1, keepdim=True)
    total = (scores - most).exp().sum(-1, keepdim=True)
    saved = {"softmax_max": most.expand(-1, -1, -1, 8).contiguous().npu(),
             "softmax_sum": total.expand(-1, -1, -1, 8).contiguous().npu(), "attention_in": out.detach().npu()}
    dq = torch.zeros_like(query)
    for begin, end in ((0, 4), (4, 9)):
        part = [tensor[:, :, begin:end].contiguous().npu() for tensor in (key, value)]
        got = npu.npu_fusion_attention_grad(query.npu(), *part, grad.npu(), HEADS, "BNSD", scale_value=SCALE, **saved)
        dq += got[0].cpu()
        same(got[1], wanted[1][:, :, begin:end]), same(got[2], wanted[2][:, :, begin:end])
    same(dq, wanted[0])


def the_second_version_is_the_first():
    query, key, value = (tensor.npu() for tensor in inputs(torch.float32))
    first = npu.npu_fusion_attention(query, key, value, HEADS, "BNSD", scale=SCALE)[:3]
    second = npu.npu_fusion_attention_v2(query, key, value, HEADS, "BNSD", scale=SCALE, pse_type=1)[:3]
    assert all(torch.equal(a, b) for a, b in zip(first, second))
    grad, shift = rand(*query.shape).npu(), rand(2, HEADS, 7, 9).npu()
    rows = {"softmax_max": first[1], "softmax_sum": first[2], "attention_in": first[0], "scale_value": SCALE}
    one = npu.npu_fusion_attention_grad(query, key, value, grad, HEADS, "BNSD", **rows)[:3]
    two = npu.npu_fusion_attention_grad_v2(query, key, value, grad, HEADS, "BNSD", pse_type=1, **rows)[:3]
    assert all(torch.equal(a, b) for a, b in zip(one, two))
    device.expect_error("pseType is 0", lambda: npu.npu_fusion_attention_v2(
        query, key, value, HEADS, "BNSD", pse=shift, scale=SCALE, pse_type=0))


def dropout_has_a_gradient():
    query, key, value = (tensor.npu().requires_grad_() for tensor in inputs(torch.float32, HEADS, 32, 32))
    out = npu.npu_fusion_attention(query, key, value, HEADS, "BNSD", scale=SCALE, keep_prob=0.5)[0]
    # The result is linear in the values, with the weights that dropout has left.
    direction = rand(*value.shape).npu()
    out.backward(torch.ones_like(out))
    plain = npu.npu_fusion_attention(query, key, value, HEADS, "BNSD", scale=SCALE)[0]
    assert not torch.allclose(out, plain)
    torch.testing.assert_close((value.grad * value).sum().cpu(), out.sum().cpu(), rtol=1e-4, atol=1e-4)
    assert direction.shape == query.grad.shape and query.grad.isfinite().all()


def check_sequences(dtype, mode, second, **options):
    ends, key_ends = [3, 3, 8, 12], [4, 4, 10, 15]
    query, key, value = rand(13, HEADS, SIZE, dtype=dtype), rand(15, 2, SIZE, dtype=dtype), rand(15, 2, SIZE, dtype=dtype)
    wide = [tensor.float().requires_grad_() for tensor in (query, key, value)]
    mask = (PATTERN[:6, :7] if mode == 0 else PATTERN) if mode is not None else None
    parts = []
    for begin, end, first, last in zip([0, *ends], ends, [0, *key_ends], key_ends):
        if end > begin:
            part = [tensor.transpose(0, 1) for tensor in (wide[0][begin:end], wide[1][first:last], wide[2][first:last])]
            hidden = None
            if mask is not None:
                hidden = mask[:end - begin, :last - first] if mode == 0 else hidden_of(mode, end - begin, last - first)
            parts.append(reference(*part, hidden)[0].transpose(0, 1))
    want = torch.cat([*parts, torch.zeros(1, HEADS, SIZE)])
    moved = [tensor.npu().requires_grad_() for tensor in (query, key, value)]
    function = npu.npu_fusion_attention_v2 if second else npu.npu_fusion_attention
    got = function(*moved, HEADS, "TND", scale=SCALE, atten_mask=None if mask is None else mask.npu(),
                   sparse_mode=mode or 0, actual_seq_qlen=ends, actual_seq_kvlen=key_ends, **options)[0]
    same(got, want, dtype)
    grad = rand(*got.shape, dtype=dtype)
    for each, slope in zip(gradients(got, moved, grad.npu()), gradients(want, wide, grad.float())):
        same(each, slope, dtype)


def sequences_of_several_lengths():
    for dtype in TYPES:
        check_sequences(dtype, None, False)
        check_sequences(dtype, 3, False)
    for mode in (0, 2):
        check_sequences(torch.float32, mode, False)
        check_sequences(torch.float32, mode, True)
    check_sequences(torch.float32, 3, False, softmax_layout="TND")
    query = rand(8, HEADS, SIZE).npu()
    # Sequences at the end that do not count have the length 0.
    got = npu.npu_fusion_attention(query, query, query, HEADS, "TND", scale=SCALE, actual_seq_qlen=[3, 0],
                                   actual_seq_kvlen=[3, 0])
    same(got[0][:3], reference(*[query[:3].cpu().transpose(0, 1)] * 3)[0].transpose(0, 1))
    assert not got[0][3:].any()
    rows = npu.npu_fusion_attention(query, query, query, HEADS, "TND", scale=SCALE, actual_seq_qlen=[8],
                                    actual_seq_kvlen=[8])[1]
    like_query = npu.npu_fusion_attention(query, query, query, HEADS, "TND", scale=SCALE, actual_seq_qlen=[8],
                                          actual_seq_kvlen=[8], softmax_layout="TND")[1]
    assert torch.equal(rows.view(HEADS, 8, 8), like_query.transpose(0, 1))


def fused(*tensors, **options):
    """Both versions of the fused operator, which must do the same."""
    names = {"num_heads": "num_query_heads", "scale": "softmax_scale", "actual_seq_lengths": "actual_seq_qlen",
             "actual_seq_lengths_kv": "actual_seq_kvlen", "softmax_lse_flag": "return_softmax_lse"}
    results = npu.npu_fused_infer_attention_score(*tensors, **options)
    second = npu.npu_fused_infer_attention_score_v2(*tensors, **{names.get(name, name): option
                                                                 for name, option in options.items()})
    for got, want in zip(second, results):
        assert torch.equal(got.cpu(), want.cpu()), (got, want)
    return results


def prompts():
    for dtype in TYPES:
        query, key, value = inputs(dtype)
        want = reference(query.float(), key.float(), value.float())[0]
        for layout in ("BNSD", "BSND", "BSH"):
            moved = [to_layout(tensor, layout).npu() for tensor in (query, key, value)]
            options = {"num_heads": HEADS, "num_key_value_heads": 2, "input_layout": layout}
            same(npu.npu_prompt_flash_attention(*moved, scale_value=SCALE, **options), to_layout(want, layout), dtype)
            got, _ = fused(*moved, scale=SCALE, **options)
            same(got, to_layout(want, layout), dtype)
        moved = [tensor.npu() for tensor in (query, key, value)]
        got, _ = fused(*moved, scale=SCALE, num_heads=HEADS, num_key_value_heads=2,
                                                     input_layout="BNSD_BSND")
        same(got, want.transpose(1, 2), dtype)


def prompts_with_masks_and_lengths():
    query, key, value = inputs(torch.float32)
    moved = [tensor.npu() for tensor in (query, key, value)]
    options = {"scale": SCALE, "num_heads": HEADS, "num_key_value_heads": 2, "input_layout": "BNSD"}
    whole = torch.rand(2, 1, 7, 9) > 0.7
    whole[..., 0] = False
    got, logarithms = fused(*moved, atten_mask=whole.npu(), softmax_lse_flag=True, **options)
    want, scores = reference(query, key, value, whole)
    same(got, want), same(logarithms, torch.logsumexp(scores, -1, keepdim=True))
    # A padded mask, and lengths: what is beyond them is 0.
    padded = torch.ones(2, 8, 16, dtype=torch.bool)
    padded[:, :7, :9] = whole[:, 0]
    got, _ = fused(*moved, atten_mask=padded.npu(), actual_seq_lengths=[5, 7],
                                                 actual_seq_lengths_kv=[6, 9], **options)
    for i, (queries, keys) in enumerate(((5, 6), (7, 9))):
        want, _ = reference(query[i, :, :queries], key[i, :, :keys], value[i, :, :keys], whole[i, :, :queries, :keys])
        same(got[i, :, :queries], want)
    assert not got[0, :, 5:].any()
    for mode in (2, 3):
        got, _ = fused(*moved, atten_mask=PATTERN.npu(), sparse_mode=mode, **options)
        same(got, reference(query, key, value, hidden_of(mode, 7, 9))[0])
    # Without these more keys are hidden than the mask does.
    got = npu.npu_prompt_flash_attention(*moved, num_heads=HEADS, num_key_value_heads=2, input_layout="BNSD",
                                         scale_value=SCALE, atten_mask=torch.zeros(7, 9, dtype=torch.bool).npu())
    same(got, reference(query, key, value, hidden_of(2, 7, 9))[0])
    device.expect_error("mask is null", lambda: npu.npu_fused_infer_attention_score(*moved, sparse_mode=3, **options))
    # What is added to the scores, for all sequences or for each.
    for sequences in (1, 2):
        shift = rand(sequences, HEADS, 7, 9)
        want = torch.nn.functional.scaled_dot_product_attention(
            query, key.repeat_interleave(HEADS // 2, 1), value.repeat_interleave(HEADS // 2, 1), attn_mask=shift,
            scale=SCALE)
        same(fused(*moved, pse_shift=shift.npu(), **options)[0], want)
    device.expect_error("pseShift has the shape", lambda: npu.npu_fused_infer_attention_score(
        *moved, pse_shift=rand(1, HEADS, 6, 9).npu(), **options))
    second = {"num_query_heads": HEADS, "num_key_value_heads": 2, "input_layout": "BNSD"}
    device.expect_error("mask is null", lambda: npu.npu_fused_infer_attention_score_v2(*moved, sparse_mode=3, **second))


def parts_of_keys_are_joined():
    """Attention over all keys is what attention over parts of them is joined to."""
    for dtype in TYPES:
        query, key, value = inputs(dtype)
        want, scores = reference(query.float(), key.float(), value.float())
        sums, parts = [], []
        for begin, end in ((0, 4), (4, 5), (5, 9)):
            out, some = reference(query.float(), key[:, :, begin:end].float(), value[:, :, begin:end].float())
            sums.append(torch.logsumexp(some, -1).flatten().npu()), parts.append(out.flatten(0, 2).npu())
        got, _ = npu.npu_attention_update(sums, parts, 0)
        same(got, want.flatten(0, 2))
    device.expect_error("updateType is 1; allowed: 0", lambda: npu.npu_attention_update(sums, parts, 1))
    device.expect_error("localOut must have the sizes of lse", lambda: npu.npu_attention_update(
        [sums[0][:3]], [parts[0]], 0))


def heads_are_split():
    for dtype in TYPES:
        qkv, bias = rand(2, 5, 24).to(dtype), rand(24).to(dtype)
        got = torch._transform_bias_rescale_qkv(qkv.npu(), bias.npu(), 2)
        want = torch._transform_bias_rescale_qkv(qkv.float(), bias.float(), 2)
        for one, other in zip(got, want):
            assert one.shape == other.shape == (2, 2, 5, 4) and one.dtype == dtype
            same(one, other, dtype)


def single_tokens():
    for dtype in TYPES:
        query, key, value = inputs(dtype, queries=1)
        moved = [tensor.npu() for tensor in (query, key, value)]
        options = {"num_heads": HEADS, "num_key_value_heads": 2, "input_layout": "BNSD"}
        got = npu.npu_incre_flash_attention(*moved, actual_seq_lengths=[5, 9], scale_value=SCALE, **options)
        both, _ = fused(*moved, actual_seq_lengths_kv=[5, 9], scale=SCALE, **options)
        for i, length in enumerate((5, 9)):
            want = reference(query[i].float(), key[i, :, :length].float(), value[i, :, :length].float())[0]
            same(got[i], want, dtype), same(both[i], want, dtype)
        mask = torch.rand(2, 9) > 0.7
        mask[:, 0] = False
        want = reference(query.float(), key.float(), value.float(), mask[:, None, None])[0]
        for shape in (mask, mask[:, None], mask[:, None, None]):
            same(npu.npu_incre_flash_attention(*moved, atten_mask=shape.npu(), scale_value=SCALE, **options), want, dtype)


def caches_in_blocks():
    lengths, block = [5, 9, 32], 16
    table = torch.tensor([[4, 9], [1, 9], [0, 3]], dtype=torch.int32)
    query = rand(3, HEADS, 1, SIZE)
    cache = rand(2, 6, 2, block, SIZE)
    flat = cache.transpose(2, 3).flatten(3).contiguous()
    wants = []
    for i, length in enumerate(lengths):
        # The last number of a row that needs no second block is read by nobody.
        rows = [cache[kind, table[i, :(length + block - 1) // block].long()].transpose(0, 1).flatten(1, 2)[:, :length]
                for kind in (0, 1)]
        wants.append(reference(query[i], *rows)[0])
    want = torch.stack(wants)
    options = {"num_heads": HEADS, "num_key_value_heads": 2, "block_table": table.npu(), "block_size": block}
    for keys, values in (cache, flat):
        got = npu.npu_incre_flash_attention(query.npu(), keys.npu(), values.npu(), actual_seq_lengths=lengths,
                                            scale_value=SCALE, input_layout="BNSD", **options)
        same(got, want)
    got, _ = fused(to_layout(query, "BSH").npu(), flat[0].npu(), flat[1].npu(), scale=SCALE,
                                                 actual_seq_lengths_kv=lengths, input_layout="BSH", **options)
    same(got, to_layout(want, "BSH"))
    got, _ = fused(query.squeeze(2).npu(), flat[0].npu(), flat[1].npu(), scale=SCALE,
                                                 actual_seq_lengths=[1, 2, 3], actual_seq_lengths_kv=lengths,
                                                 input_layout="TND", **options)
    same(got, want.squeeze(2))
    device.expect_error("actualSeqLengths) has the element 32; allowed: 0 to 16", lambda: npu.npu_incre_flash_attention(
        query.npu(), flat[0].npu(), flat[1].npu(), actual_seq_lengths=lengths, scale_value=SCALE, input_layout="BNSD",
        **{**options, "block_table": table[:, :1].contiguous().npu()}))


def packed_prompts():
    ends, key_ends = [3, 8], [4, 10]
    query, key, value = rand(8, HEADS, SIZE), rand(10, 2, SIZE), rand(10, 2, SIZE)
    for mode in (0, 3):
        want, sums = [], []
        for begin, end, first, last in zip([0, *ends], ends, [0, *key_ends], key_ends):
            part = [tensor.transpose(0, 1) for tensor in (query[begin:end], key[first:last], value[first:last])]
            out, scores = reference(*part, hidden_of(3, end - begin, last - first) if mode else None)
            want.append(out.transpose(0, 1)), sums.append(torch.logsumexp(scores, -1).t().unsqueeze(-1))
        got, logarithms = fused(
            query.npu(), key.npu(), value.npu(), actual_seq_lengths=ends, actual_seq_lengths_kv=key_ends,
            atten_mask=PATTERN.npu() if mode else None, num_heads=HEADS, num_key_value_heads=2, scale=SCALE,
            input_layout="TND", sparse_mode=mode, softmax_lse_flag=True)
        same(got, torch.cat(want)), same(logarithms, torch.cat(sums))
    for words, changed in (("actualSeqLengthsKv has the element 3; with TND each element must be at least the one "
                            "before, here 4", {"actual_seq_lengths_kv": [4, 3]}),
                           ("at most 8, the first size of query", {"actual_seq_lengths": [3, 9]}),
                           ("its second size must be 4, numKeyValueHeads", {"num_key_value_heads": 4})):
        device.expect_error(words, lambda: fused(query.npu(), key.npu(), value.npu(), **{
            "actual_seq_lengths": ends, "actual_seq_lengths_kv": key_ends, "num_heads": HEADS, "num_key_value_heads": 2,
            "scale": SCALE, "input_layout": "TND", **changed}))


if __name__ == "__main__":
    device.main([layouts_and_types, masks, a_query_without_keys_is_0, parts_of_keys_are_one_softmax,
                 the_second_version_is_the_first, dropout_has_a_gradient, sequences_of_several_lengths, prompts,
                 prompts_with_masks_and_lengths, single_tokens, caches_in_blocks, packed_prompts, parts_of_keys_are_joined,
                 heads_are_split])
