"""Numbers of 8 and 4 bits, and layers of experts, beside plain torch."""

import device
import direct
import torch
from torch.nn import functional

TYPES = {torch.float32: 1e-5, torch.float16: 5e-3, torch.bfloat16: 5e-2}
HALVES = (torch.float16, torch.bfloat16)
npu = torch.ops.npu


def rand(*shape, dtype=torch.float16):
    return (torch.rand(shape) - 0.3).to(dtype)


def bits(*shape):
    return torch.randint(-128, 128, shape, dtype=torch.int8)


SHIFTS = torch.arange(0, 32, 4)


def packed(numbers):
    """Eight numbers of 4 bits in each int32, the first in the lowest bits."""
    return ((numbers.long() & 15).unflatten(-1, (-1, 8)) << SHIFTS).sum(-1).int()


def unpacked(packed):
    """The numbers of 4 bits in each int32."""
    return ((packed.cpu()[..., None] >> SHIFTS & 15 ^ 8) - 8).flatten(-2).float()


def same(got, want, dtype=torch.float32):
    torch.testing.assert_close(got.cpu().float(), want.float(), rtol=TYPES[dtype], atol=TYPES[dtype])


def rows_are_quantized():
    for dtype in HALVES:
        x = rand(3, 5, 16, dtype=dtype)
        x[0, 0] = 0
        smooth, groups = rand(16, dtype=dtype), rand(2, 16, dtype=dtype)
        ends = torch.tensor([4, 15], dtype=torch.int32)
        of_rows = torch.cat([groups[:1].expand(4, 16), groups[1:].expand(11, 16)]).reshape(3, 5, 16).float()
        for factors, options in ((1, {}), (smooth.float(), {"smooth_scales": smooth.npu()}),
                                 (of_rows, {"smooth_scales": groups.npu(), "group_index": ends.npu()})):
            wide = x.float() * factors
            y, scale = npu.npu_dynamic_quant(x.npu(), **options)
            want = wide.abs().amax(-1) / 127
            same(scale, want)
            same(y.cpu() * want[..., None], wide, dtype)
            assert (y.cpu() - torch.round(wide / want[..., None].clamp_min(1e-30))).abs().max() <= 1
            y, scale, offset = npu.npu_dynamic_quant_asymmetric(x.npu(), **options)
            want = (wide.amax(-1) - wide.amin(-1)) / 255
            same(scale, want)
            same((y.cpu() - offset.cpu()[..., None]) * want[..., None], wide, dtype)
            rows = y.cpu().flatten(0, 1)[1:]
            assert (rows.amax(-1) == 127).all() and (rows.amin(-1) <= -127).all()


def numbers_are_quantized_and_back():
    for dtype in TYPES:
        x = rand(3, 5, 16, dtype=dtype) * 40
        for axis, shape in ((-1, (16,)), (-2, (5, 1)), (-1, (1,))):
            scale, offset = rand(*shape, dtype=dtype) + 1, rand(*shape, dtype=dtype) * 9
            want = x.float() * scale.float() + offset.float()
            got = npu.npu_quantize(x.npu(), scale.flatten().npu(), offset.flatten().npu(), torch.qint8, axis, False).cpu()
            assert got.dtype == torch.int8 and (got - want.clamp(-128, 127)).abs().max() <= 0.5 + 1e-4
            want = x.float() * scale.float()
            got = npu.npu_quantize(x.npu(), scale.flatten().npu(), None, torch.qint8, axis, False).cpu()
            assert (got - want.clamp(-128, 127)).abs().max() <= 0.5 + 1e-4
    for dtype in HALVES:
        x = bits(3, 5, 16)
        for size in (1, 16):
            scale, offset = torch.rand(size), torch.rand(size)
            got = npu.npu_anti_quant(x.npu(), scale.npu(), offset=offset.npu(), dst_dtype=dtype)
            assert got.dtype == dtype
            same(got, (x.float() + offset) * scale, dtype)
            same(npu.npu_anti_quant(x.npu(), scale.npu(), dst_dtype=dtype), x.float() * scale, dtype)
    device.expect_error("aclnnAscendAntiQuantGetWorkspaceSize: The size of tensor", lambda: npu.npu_anti_quant(
        x.npu(), torch.ones(5).npu()))
    device.expect_error("aclnnAscendQuantV3GetWorkspaceSize: The size of tensor", lambda: npu.npu_quantize(
        rand(5, 16).npu(), torch.ones(3).npu(), None, torch.qint8, -1, False))


def gated_units_are_quantized():
    for dtype in TYPES:
        x, smooth = rand(6, 32, dtype=dtype), torch.rand(2, 16) + 0.5
        for left in (False, True):
            halves = x.float().chunk(2, -1)
            gated = functional.silu(halves[0 if left else 1]) * halves[1 if left else 0]
            of_rows = torch.cat([smooth[:1].expand(4, 16), smooth[1:].expand(2, 16)])
            for options, factors in (({}, 1), ({"smooth_scales": smooth[:1].npu()}, smooth[:1]),
                                     ({"smooth_scales": smooth.npu(), "group_index": torch.tensor([4, 6]).int().npu()},
                                      of_rows),
                                     ({"smooth_scales": smooth.npu(), "group_index": torch.tensor([4, 2]).int().npu(),
                                       "group_list_type": 1}, of_rows)):
                y, scale = npu.npu_swiglu_quant(x.npu(), activate_left=left, quant_mode=1, **options)
                want = gated * factors
                same(scale, want.abs().amax(-1) / 127)
                assert (y.cpu() * scale.cpu()[:, None] - want).abs().max() <= scale.cpu().max() / 2 + 1e-5
    for offsets, words in (({}, "quantMode is static; allowed: dynamic"), ({"offsets": smooth[:1].npu()}, "offsets is not supp")):
        device.expect_error(words, lambda: npu.npu_swiglu_quant(x.npu(), quant_mode=0, **offsets, **(
            {"smooth_scales": smooth[:1].npu()} if offsets else {})))


def weights_of_8_bits():
    for dtype in HALVES:
        x, weight, bias = rand(3, 64, dtype=dtype), bits(64, 8), rand(8, dtype=dtype)
        if dtype == torch.bfloat16:
            bias = bias.float()
        for rows, group in ((1, 0), (2, 32)):
            scale, offset = rand(rows, 8, dtype=dtype) / 64, rand(rows, 8, dtype=dtype)
            each = lambda tensor: tensor.float().repeat_interleave(64 // rows, 0)
            want = x.float() @ ((weight.float() + each(offset)) * each(scale)) + bias.float()
            got = npu.npu_weight_quant_batchmatmul(x.npu(), weight.npu(), scale.npu(), offset.npu(), None, None, bias.npu(),
                                                   group, 0)
            same(got, want, dtype)
            want = x.float() @ (weight.float() * each(scale))
            same(npu.npu_weight_quant_batchmatmul(x.npu(), weight.t().contiguous().npu().t(), scale.npu(),
                                                  antiquant_group_size=group), want, dtype)
    device.expect_error("weight is of the type Byte; allowed: int8", lambda: npu.npu_weight_quant_batchmatmul(
        x.npu(), torch.zeros(64, 8, dtype=torch.uint8).npu(), rand(8, dtype=torch.bfloat16).npu()))


def numbers_of_4_bits():
    for dtype in HALVES:
        x = rand(3, 5, 16, dtype=dtype)
        y, scale = npu.npu_dynamic_quant(x.npu(), dst_type=torch.quint4x2)
        assert y.dtype == torch.int32 and y.shape == (3, 5, 2), y
        wide, want = x.float(), x.float().abs().amax(-1) / 7
        same(scale, want)
        assert (unpacked(y) - torch.round(wide / want[..., None])).abs().max() == 0
        y, scale, offset = npu.npu_dynamic_quant_asymmetric(x.npu(), dst_type=torch.quint4x2)
        want = (wide.amax(-1) - wide.amin(-1)) / 15
        same(scale, want)
        assert ((unpacked(y) - offset.cpu()[..., None]) * want[..., None] - wide).abs().max() <= want.max() / 2 + 1e-5
        scale, offset = rand(16, dtype=dtype) + 9, rand(16, dtype=dtype)
        y = npu.npu_quantize(x.npu(), scale.npu(), offset.npu(), torch.quint4x2, -1, False)
        want = wide * scale.float() + offset.float()
        assert (unpacked(y) - want.clamp(-8, 7)).abs().max() <= 0.5 + 1e-4
        numbers = torch.randint(-8, 8, (3, 5, 16))
        got = npu.npu_anti_quant(packed(numbers).npu(), scale.float().npu(), dst_dtype=dtype)
        assert got.shape == (3, 5, 16)
        same(got, numbers * scale.float(), dtype)
    y = torch.empty(3, 1, dtype=torch.int32).npu()
    device.expect_error("the last size of x must be divisible by 8", lambda: direct.call(
        "aclnnAscendQuant", rand(3, 12).npu(), torch.ones(12).npu(), None, False, "round", torch.int32, y))


def weights_of_4_bits():
    for dtype in HALVES:
        x, numbers = rand(3, 64, dtype=dtype), torch.randint(-8, 8, (64, 8))
        for rows, group in ((1, 0), (2, 32)):
            scale = rand(rows, 8, dtype=dtype) / 8
            want = x.float() @ (numbers * scale.float().repeat_interleave(64 // rows, 0))
            for weight in (packed(numbers).npu(), packed(numbers.t().contiguous()).npu().t()):
                same(npu.npu_weight_quant_batchmatmul(x.npu(), weight, scale.npu(), antiquant_group_size=group), want, dtype)


def products_of_8_bits():
    for dtype in HALVES:
        left, right, scale, rows = bits(3, 300), bits(300, 8), torch.rand(8) / 1e5, torch.rand(3)
        whole, bias = torch.randint(-9999, 9999, (8,), dtype=torch.int32), torch.rand(8)
        product = left.double() @ right.double()
        got = npu.npu_quant_matmul(left.npu(), right.npu(), scale.npu(), pertoken_scale=rows.npu(), bias=bias.npu(),
                                   output_dtype=dtype)
        same(got, product * scale * rows[:, None] + bias, dtype)
        got = npu.npu_quant_matmul(left.npu(), right.npu(), scale.npu(), pertoken_scale=rows.npu(), bias=whole.npu(),
                                   output_dtype=dtype)
        same(got, (product + whole) * scale * rows[:, None], dtype)
    # The scale goes through numbers of 64 bits.
    packed = npu.npu_trans_quant_param(scale.npu())
    assert torch.equal(packed.cpu().int().view(torch.float32), scale)
    for each in (scale, packed):
        got = npu.npu_quant_matmul(left.npu(), right.npu(), each.npu(), output_dtype=torch.float16)
        same(got, product * scale, torch.float16)
    device.expect_error("offset is not supported", lambda: npu.npu_trans_quant_param(scale.npu(), scale.npu()))
    got = npu.npu_quant_matmul(left.npu(), right.npu(), scale.bfloat16().npu(), output_dtype=torch.bfloat16)
    same(got, product * scale.bfloat16().double(), torch.bfloat16)


def places_are_quantized_as_torch_does():
    x = torch.randn(3, 4, 5) * 9
    for kind, whole in ((torch.qint8, torch.int8), (torch.quint8, torch.uint8), (torch.qint32, torch.int32)):
        for axis in (0, 1, 2):
            scales, zeros = torch.rand(x.size(axis)) + 0.1, torch.randint(0, 9, (x.size(axis),), dtype=torch.int32)
            want = torch.quantize_per_channel(x, scales.double(), zeros.long(), axis, kind).int_repr()
            got = torch.empty(x.shape, dtype=whole).npu()
            direct.call("aclnnQuantize", x.npu(), scales.npu(), zeros.npu(), whole, axis, got)
            # Torch multiplies by the inverse of a scale.
            assert (got.cpu().long() - want.long()).abs().max() <= 1, (got, want)
            assert (got.cpu() == want).float().mean() > 0.95
    device.expect_error("axis is 3", lambda: direct.call("aclnnQuantize", x.npu(), scales.npu(), None, torch.int8, 3, got))


def what_older_programs_call():
    """The same as the newer operators."""
    x, scale, offset = rand(3, 16).npu(), (rand(16) + 1).npu(), rand(16).npu()
    got = torch.empty(3, 16, dtype=torch.int8).npu()
    direct.call("aclnnAscendQuant", x * 40, scale, offset, False, "round", torch.int8, got)
    assert torch.equal(got.cpu(), npu.npu_quantize(x * 40, scale, offset, torch.qint8, -1, False).cpu())
    scale, packed_scale = torch.rand(8).npu(), torch.empty(8, dtype=torch.int64).npu()
    direct.call("aclnnTransQuantParamV2", scale, None, packed_scale)
    assert torch.equal(packed_scale.cpu(), npu.npu_trans_quant_param(scale).cpu())


def normalized(x1, x2, gamma, beta=None):
    total = x1.float() + x2.float()
    want = total * torch.rsqrt((total ** 2).mean(-1, keepdim=True) + 1e-6) * gamma.float()
    return total, want if beta is None else want + beta.float()


def sums_are_normalized_and_quantized():
    for dtype in HALVES:
        x1, x2, gamma, beta = (rand(*shape, dtype=dtype) for shape in ((4, 32), (4, 32), (32,), (32,)))
        scales, zeros = torch.rand(32) / 20 + 0.01, torch.randint(-9, 9, (32,), dtype=torch.int32)
        for each in (None, beta):
            for divides in (True, False):
                factors = scales if divides else 1 / scales
                moved = [x1.npu(), x2.npu(), gamma.npu(), factors.npu(), zeros.npu(), each if each is None else each.npu()]
                if divides:
                    y1, _, total = npu.npu_add_rms_norm_quant(*moved)
                else:
                    y1, total = torch.empty_like(y1), torch.empty_like(total)
                    direct.call("aclnnAddRmsNormQuantV2", *moved[:4], None, moved[4], None, moved[5], -1, 1e-6, False, y1,
                                torch.empty_like(y1), total, None)
                want, normal = normalized(x1, x2, gamma, each)
                same(total, want, dtype)
                assert (y1.cpu() - (normal / scales + zeros).clamp(-128, 127)).abs().max() <= 0.5 + 1e-3
                if each is None:
                    old = [torch.empty_like(part) for part in (y1, y1, total)]
                    direct.call("aclnnAddRmsNormQuant", *moved[:4], None, moved[4], None, -1, 1e-6, divides, *old)
                    assert torch.equal(old[0], y1) and torch.equal(old[2], total)
        smooth = [rand(32, dtype=dtype) + 1 for _ in range(2)]
        for mask in ([True, False], [True, True]):
            options = {f"smooth_scale{i + 1}": smooth[i].npu() for i in range(2) if mask[i]}
            results = npu.npu_add_rms_norm_dynamic_quant(x1.npu(), x2.npu(), gamma.npu(), beta=beta.npu(), output_mask=mask,
                                                         **options)
            want, normal = normalized(x1, x2, gamma, beta)
            same(results[2], want, dtype)
            for i in range(2):
                if mask[i]:
                    scaled = normal * smooth[i].float()
                    same(results[3 + i], scaled.abs().amax(-1) / 127)
                    assert (results[i].cpu() * results[3 + i].cpu()[:, None] - scaled).abs().max() <= results[
                        3 + i].cpu().max() / 2 + 1e-5
    device.expect_error("gamma has the shape [31]", lambda: npu.npu_add_rms_norm_quant(
        x1.npu(), x2.npu(), gamma[1:].npu(), scales.npu(), None, None))


def sums_of_products_are_gated_and_quantized():
    x = torch.randint(-99, 99, (6, 32), dtype=torch.int32)
    columns, rows, smooth = torch.rand(2, 32) / 50, torch.rand(6), torch.rand(2, 16) + 0.5
    groups = torch.tensor([4, 2])
    for options in ({}, {"group_index": groups.npu()}):
        of = groups if options else torch.tensor([6, 0])
        wide = x * columns.repeat_interleave(of, 0) * rows[:, None]
        for left in (False, True):
            halves = wide.chunk(2, -1)
            want = functional.silu(halves[0 if left else 1]) * halves[1 if left else 0] * smooth.repeat_interleave(of, 0)
            arguments = {"weight_scale": (columns if options else columns[:1]).npu(), "activation_scale": rows.npu(),
                         "quant_scale": (smooth if options else smooth[:1]).npu()}
            y, scale = npu.npu_dequant_swiglu_quant(x.npu(), activate_left=left, quant_mode=1, **arguments, **options)
            same(scale, want.abs().amax(-1) / 127)
            assert (y.cpu() * scale.cpu()[:, None] - want).abs().max() <= scale.cpu().max() / 2 + 1e-5
            old = torch.empty_like(y), torch.empty_like(scale)
            direct.call("aclnnDequantSwigluQuant", x.npu(), arguments["weight_scale"], rows.npu(), None,
                        arguments["quant_scale"], None, options.get("group_index"), left, "dynamic", *old)
            assert torch.equal(old[0], y) and torch.equal(old[1], scale)
    bias = torch.randint(-99, 99, (32,), dtype=torch.int32)
    halves = ((x + bias) * columns[0] * rows[:, None]).chunk(2, -1)
    y, scale = npu.npu_dequant_swiglu_quant(x.npu(), weight_scale=columns[:1].npu(), activation_scale=rows.npu(),
                                            bias=bias.npu(), quant_mode=1)
    same(scale, (functional.silu(halves[1]) * halves[0]).abs().amax(-1) / 127)
    for words, more in (("quantMode is static", {"quant_mode": 0}), ("swigluMode is 1", {"quant_mode": 1, "swiglu_mode": 1})):
        device.expect_error(words, lambda: npu.npu_dequant_swiglu_quant(
            x.npu(), weight_scale=columns[:1].npu(), activation_scale=rows.npu(), **more))


def blocks_are_quantized():
    for dtype in HALVES:
        for shape in ((5, 300), (2, 3, 128)):
            x = rand(*shape, dtype=dtype)
            x[..., 0, :] = 0
            y, scale = npu.npu_dynamic_block_quant(x.npu())
            padded = functional.pad(x.float(), (0, -shape[-1] % 128)).unflatten(-1, (-1, 128))
            want = padded.abs().amax(-1) / 127
            same(scale, want)
            rounded = torch.round(padded / want.clamp_min(1e-30)[..., None]).flatten(-2)[..., :shape[-1]]
            assert (y.cpu() - rounded).abs().max() <= 1 and scale.shape == want.shape


def layers_of_experts():
    functions = {"relu": functional.relu, "gelu": functional.gelu, "silu": functional.silu}
    for dtype in HALVES:
        x, first, second = rand(6, 4, dtype=dtype), rand(3, 4, 8, dtype=dtype), rand(3, 8, 4, dtype=dtype)
        biases = rand(3, 8, dtype=dtype), rand(3, 4, dtype=dtype)
        moved = [each.float().npu() if dtype == torch.bfloat16 else each.npu() for each in biases]
        for name, function in functions.items():
            def layers(rows, i):
                return function(rows.float() @ first[i].float() + biases[0][i].float()) @ second[i].float() + biases[1][i].float()
            got = npu.npu_ffn(x.npu(), first[0].npu(), second[0].npu(), name, bias1=moved[0][0].contiguous(),
                              bias2=moved[1][0].contiguous())
            same(got, layers(x, 0), dtype)
            want = torch.cat([layers(x[:1], 0), layers(x[1:1], 1), layers(x[1:], 2)])
            for tokens in ({"expert_tokens": [1, 0, 5]}, {"expert_tokens_index": [1, 1, 6]}):
                same(npu.npu_ffn(x.npu(), first.npu(), second.npu(), name, bias1=moved[0], bias2=moved[1], **tokens), want,
                     dtype)
    device.expect_error("activation is swiglu", lambda: npu.npu_ffn(x.npu(), first[0].npu(), second[0].npu(), "swiglu"))
    device.expect_error("with the sum 6, the number of rows in x", lambda: npu.npu_ffn(
        x.npu(), first.npu(), second.npu(), "relu", expert_tokens=[1, 0, 4]))


if __name__ == "__main__":
    device.main([rows_are_quantized, numbers_are_quantized_and_back, gated_units_are_quantized, weights_of_8_bits, numbers_of_4_bits,
                 weights_of_4_bits, products_of_8_bits, layers_of_experts,
                 places_are_quantized_as_torch_does, what_older_programs_call, sums_are_normalized_and_quantized,
                 sums_of_products_are_gated_and_quantized, blocks_are_quantized])
