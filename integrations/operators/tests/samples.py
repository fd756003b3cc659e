"""samples.py [DOCUMENT] [OPERATOR...]: the samples of torch.testing on the device and on the CPU. Writes the rows of
the operators (all, if none is named) into the document's table, and prints why samples fail.

An operator that fails may stop the streams of its device. The samples after it run in another process then. The
processes are forks, because importing torch.testing takes seconds. They import torch_npu, which cannot be used in a
fork of a process that has imported it, so each has several operators."""

import collections
import itertools
import multiprocessing
import os
import pathlib
import re
import signal
import sys
import traceback
import warnings

os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
import torch  # noqa: E402
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402

MARKS = "<!-- begin: integrations/operators/tests/samples.py -->", "<!-- end -->"
# Names in torch.testing; what torch_npu computes with the operators of libopapi.
OPERATORS = """
abs acos add addcdiv addcmul addmm addmv all amax amin any arange argmax argmin asin atan atan2 baddbmm bitwise_and
bitwise_not bitwise_or bitwise_xor bmm cat ceil chunk clamp cos cosh cummax cummin cumprod cumsum div dot eq erf erfc
exp expand expm1 eye fill flip floor floor_divide fmod frac full_like gather ge gt index_add index_put index_select
isclose isfinite kthvalue le lerp linspace linalg.vector_norm log log10 log1p log2 logical_and logical_not logical_or
logical_xor logsumexp lt masked_fill masked_select matmul max maximum mean median min minimum mm mul mv nan_to_num
nansum ne neg nn.functional.adaptive_avg_pool2d nn.functional.avg_pool2d nn.functional.batch_norm
nn.functional.binary_cross_entropy nn.functional.conv1d nn.functional.conv2d nn.functional.cross_entropy
nn.functional.elu nn.functional.embedding nn.functional.gelu nn.functional.glu nn.functional.group_norm
nn.functional.hardswish nn.functional.hardtanh nn.functional.kl_div nn.functional.l1_loss nn.functional.layer_norm
nn.functional.leaky_relu nn.functional.logsigmoid nn.functional.max_pool2d nn.functional.mish nn.functional.mse_loss
nn.functional.nll_loss nn.functional.pad nn.functional.relu nn.functional.rms_norm
nn.functional.scaled_dot_product_attention nn.functional.silu nn.functional.smooth_l1_loss nn.functional.softplus
nonzero ones_like permute pow prod reciprocal remainder repeat repeat_interleave roll round rsqrt scatter scatter_add
sigmoid sign sin sinh slice softmax sort split sqrt stack std sub sum tan tanh topk tril triu trunc unbind var where
zero_ zeros_like log_softmax acosh asinh atanh erfinv sinc signbit isneginf isposinf angle logaddexp logaddexp2 gcd
xlogy complex polar logit nn.functional.hardsigmoid nn.functional.celu nn.functional.hardshrink nn.functional.softshrink
nn.functional.prelu nn.functional.threshold take put index_copy index_fill masked_scatter unique unique_consecutive
searchsorted bincount histc isin aminmax nanmedian trace linalg.cross addr addbmm nn.functional.pdist renorm linalg.inv
linalg.slogdet triangular_solve linalg.qr nn.functional.upsample_nearest nn.functional.upsample_bilinear
nn.functional.interpolate nn.functional.unfold nn.functional.grid_sample nn.functional.avg_pool3d
nn.functional.max_pool3d nn.functional.adaptive_avg_pool3d nn.functional.adaptive_max_pool2d
nn.functional.adaptive_max_pool3d nn.functional.max_unpool2d nn.functional.channel_shuffle
nn.functional.soft_margin_loss nn.functional.multilabel_margin_loss nn.functional.binary_cross_entropy_with_logits
_chunk_cat _native_batch_norm_legit _softmax_backward_data _unsafe_masked_index _unsafe_masked_index_put_accumulate
_upsample_bilinear2d_aa argsort argwhere as_strided_copy as_strided_scatter bfloat16 block_diag bool bucketize byte
cartesian_prod char clamp_max clamp_min clone column_stack combinations conj_physical constant_pad_nd corrcoef
count_nonzero cov cross cumulative_trapezoid deg2rad diag diag_embed diagflat diagonal_copy diagonal_scatter diff double
dstack einsum exp2 expand_copy flatten fliplr flipud float float_power gradient grid_sampler_2d half hstack inner int
isinf isnan kron ldexp linalg.matrix_norm linalg.matrix_power linalg.multi_dot linalg.norm linalg.solve_triangular
linalg.svd linalg.vander linalg.vecdot long masked.amax masked.amin masked.argmax masked.argmin masked.cumprod
masked.cumsum masked.log_softmax masked.logaddexp masked.logsumexp masked.mean masked.median masked.norm
masked.normalize masked.prod masked.softmax masked.softmin masked.std masked.sum masked.var
max_pool2d_with_indices_backward meshgrid msort nanmean nanquantile narrow_copy native_batch_norm native_layer_norm
nn.functional.adaptive_avg_pool1d nn.functional.adaptive_max_pool1d nn.functional.avg_pool1d nn.functional.bilinear
nn.functional.conv3d nn.functional.conv_transpose1d nn.functional.conv_transpose2d nn.functional.conv_transpose3d
nn.functional.cosine_embedding_loss nn.functional.cosine_similarity nn.functional.ctc_loss nn.functional.embedding_bag
nn.functional.gaussian_nll_loss nn.functional.hinge_embedding_loss nn.functional.instance_norm nn.functional.linear
nn.functional.local_response_norm nn.functional.margin_ranking_loss nn.functional.max_unpool1d
nn.functional.max_unpool3d nn.functional.multi_head_attention_forward nn.functional.multilabel_soft_margin_loss
nn.functional.normalize nn.functional.one_hot nn.functional.pairwise_distance nn.functional.pixel_shuffle
nn.functional.pixel_unshuffle nn.functional.poisson_nll_loss nn.functional.relu6 nn.functional.selu
nn.functional.softmin nn.functional.softsign nn.functional.tanhshrink nn.functional.triplet_margin_loss
nn.functional.triplet_margin_with_distance_loss outer permute_copy quantile rad2deg rot90 rsub select_scatter sgn short
signal.windows.bartlett signal.windows.blackman signal.windows.cosine signal.windows.exponential signal.windows.gaussian
signal.windows.general_cosine signal.windows.general_hamming signal.windows.hamming signal.windows.hann
signal.windows.kaiser signal.windows.nuttall slice_scatter special.ndtr split_with_sizes_copy square squeeze_copy
std_mean sum_to_size take_along_dim tensordot tile transpose_copy trapezoid true_divide unbind_copy unfold_copy
unravel_index unsqueeze_copy var_mean vdot view_copy vstack
""".split()
# Types with the largest difference from the CPU.
DTYPES = {"float32": 1e-5, "float16": 1e-2, "bfloat16": 2e-2, "int64": 1e-5, "bool": 1e-5}
MOST = 30
SECONDS = 120
OPERATORS_OF_A_PROCESS = 12


def flat(value):
    """The tensors of a result."""
    if isinstance(value, torch.Tensor):
        return [value]
    return [tensor for each in value for tensor in flat(each)] if isinstance(value, (list, tuple)) else []


def samples(name):
    """(type, operator, sample) of all samples of an operator."""
    for operator in (each for each in op_db if each.name == name):
        for dtype in DTYPES:
            kind = getattr(torch, dtype)
            if kind in operator.dtypes:
                for sample in itertools.islice(operator.sample_inputs("cpu", kind, requires_grad=False), MOST):
                    yield dtype, operator, sample


def compute(operator, sample, where):
    """The results of a sample on a device."""
    from device import move

    keywords = {key: where if key == "device" else value for key, value in move(sample.kwargs, where).items()}
    return flat(operator(move(sample.input, where), *move(sample.args, where), **keywords))


def works():
    """Whether streams of the device still run."""
    try:
        return (torch.ones(1).npu() + 1).item() == 2
    except Exception:
        return False


def judge(dtype, operator, sample):
    """Why a sample does not pass, or None. The second value is whether the CPU computes it."""
    try:
        wanted = compute(operator, sample, "cpu")
    except Exception:
        return None, False
    try:
        got = [each.cpu() for each in compute(operator, sample, "npu")]
        for one, other in zip(wanted, got, strict=True):
            torch.testing.assert_close(other.to(one.dtype), one, rtol=DTYPES[dtype], atol=DTYPES[dtype], equal_nan=True)
        return None, True
    except Exception as error:
        return " ".join(str(error).split())[:300], True


def run(work, write):
    """Writes a line with operator, type and result for each sample, for each operator from some number on. Stops where
    a sample has stopped the streams."""
    warnings.filterwarnings("ignore")
    import device  # noqa: F401

    for name, begin in work:
        torch.manual_seed(0)
        for number, (dtype, operator, sample) in itertools.islice(enumerate(samples(name)), begin, None):
            write(f"{name} {dtype} ")
            signal.alarm(SECONDS)
            why, is_one = judge(dtype, operator, sample)
            signal.alarm(0)
            if why:
                print(f"{name} {number} {dtype}: {why}", file=sys.stderr, flush=True)
            write("failed\n" if why else "passed\n" if is_one else "none\n")
            if why and not works():
                return
        write(f"{name} all end\n")


def fork(work):
    """The lines of `run` in another process."""
    read, write = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            run(work, lambda text: os.write(write, text.encode()))
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(write)
    with open(read) as file:
        lines = file.read().splitlines()
    os.waitpid(process, 0)
    return lines


def measure(names):
    """{operator: {type: [passed, all]}}"""
    done, counts = dict.fromkeys(names, 0), {name: collections.defaultdict(lambda: [0, 0]) for name in names}
    while done:
        lines = fork(list(done.items()))
        assert lines, f"{', '.join(done)}: no sample ran; the text above says why"
        for line in lines:
            # A line without a result: the process died.
            name, dtype, *result = line.split()
            if result == ["end"]:
                del done[name]
                continue
            done[name] += 1
            if result != ["none"]:
                counts[name][dtype][0] += result == ["passed"]
                counts[name][dtype][1] += 1
    return {name: dict(counts[name]) for name in names}


def update(document, measured):
    """Replaces the rows of these operators in the table, and the sum of all rows."""
    before, rest = document.read_text().split(MARKS[0])
    table, after = rest.split(MARKS[1])
    rows = dict(re.findall(r"^\| ([a-z_.0-9A-Z]+) (\|.*\|)$", table, re.M))
    rows.pop("operator", None)
    for name, counts in measured.items():
        cells = [" of ".join(map(str, counts[dtype])) if dtype in counts else "" for dtype in DTYPES]
        rows[name] = "| " + " | ".join(cells) + " |"
    rows = {name: rows[name] for name in OPERATORS if name in rows}
    pairs = re.findall(r"(\d+) of (\d+)", " ".join(rows.values()))
    passed, total = (sum(int(pair[i]) for pair in pairs) for i in (0, 1))
    lines = [f"{passed} of {total} samples of {len(rows)} operators.", "", "| operator | " + " | ".join(DTYPES) + " |",
             "|---|" + "---|" * len(DTYPES), *(f"| {name} {cells}" for name, cells in rows.items())]
    document.write_text(before + "\n".join([MARKS[0], "", *lines, "", MARKS[1]]) + after)


def main(document, names):
    missing = sorted(set(names) - {each.name for each in op_db})
    assert not missing, f"torch.testing has no operator {', '.join(missing)}"
    measured = {}
    parts = [names[i:i + OPERATORS_OF_A_PROCESS] for i in range(0, len(names), OPERATORS_OF_A_PROCESS)]
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        for part in pool.imap(measure, parts):
            for name, counts in part.items():
                measured[name] = counts
                text = ", ".join(f"{dtype} {passed} of {total}" for dtype, (passed, total) in counts.items())
                print(f"{len(measured):3} of {len(names)} {name}: {text}", flush=True)
    if document:
        update(document, measured)


if __name__ == "__main__":
    documents = [pathlib.Path(each) for each in sys.argv[1:] if each.endswith(".md")]
    main(documents[0] if documents else None, [each for each in sys.argv[1:] if not each.endswith(".md")] or OPERATORS)
