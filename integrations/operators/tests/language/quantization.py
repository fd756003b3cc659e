"""Numbers of 8 bits, and layers of experts, beside plain torch."""

import device
import torch
from torch.nn import functional

TYPES = {torch.float32: 1e-5, torch.float16: 5e-3, torch.bfloat16: 5e-2}
HALVES = (torch.float16, torch.bfloat16)
npu = torch.ops.npu


def rand(*shape, dtype=torch.float16):
    return (torch.rand(shape) - 0.3).to(dtype)


def bits(*shape):
    return torch.randint(-128, 128, shape, dtype=torch.int8)


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
    device.expect_error("y is of the type Int", lambda: npu.npu_dynamic_quant(x.npu(), dst_type=torch.quint4x2))


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
    device.expect_error("y is of the type Int", lambda: npu.npu_quantize(
        rand(3, 16).npu(), torch.ones(16).npu(), None, torch.quint4x2, -1, False))
    device.expect_error("x is of the type Int", lambda: npu.npu_anti_quant(
        torch.zeros(3, 2, dtype=torch.int32).npu(), torch.ones(16).npu()))
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
    device.expect_error("weight is of the type Int", lambda: npu.npu_weight_quant_batchmatmul(
        x.npu(), torch.zeros(64, 1, dtype=torch.int32).npu(), rand(8, dtype=torch.bfloat16).npu()))


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
    device.main([rows_are_quantized, numbers_are_quantized_and_back, gated_units_are_quantized, weights_of_8_bits, products_of_8_bits, layers_of_experts])
