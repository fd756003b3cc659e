"""samples.py [DOCUMENT] [OPERATOR...]: the samples of torch.testing on the device and on the CPU. Writes the rows of
the operators (all, if none is named) into the document's table, and prints why samples fail.

A failed operator stops the streams of its device, so the samples after it run in another process. The processes are
forks, because importing torch.testing takes seconds. They import torch_npu, which cannot be used in a fork of a process
that has imported it."""

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
""".split()
# Types with the largest difference from the CPU.
DTYPES = {"float32": 1e-5, "float16": 1e-2, "bfloat16": 2e-2, "int64": 1e-5, "bool": 1e-5}
MOST = 30
SECONDS = 120


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


def run(name, begin, write):
    """Writes a line with type and result for each sample from number `begin` on, up to one that the device refuses."""
    warnings.filterwarnings("ignore")
    import device  # noqa: F401

    torch.manual_seed(0)
    for number, (dtype, operator, sample) in itertools.islice(enumerate(samples(name)), begin, None):
        try:
            wanted = compute(operator, sample, "cpu")
        except Exception:
            write(f"{dtype} none\n")  # The CPU does not compute it either.
            continue
        write(f"{dtype} ")
        signal.alarm(SECONDS)
        try:
            got = [each.cpu() for each in compute(operator, sample, "npu")]
        except Exception as error:
            print(f"{name} {number} {dtype}: {' '.join(str(error).split())[:300]}", file=sys.stderr, flush=True)
            return write("failed\n")
        try:
            for one, other in zip(wanted, got, strict=True):
                torch.testing.assert_close(other.to(one.dtype), one, rtol=DTYPES[dtype], atol=DTYPES[dtype], equal_nan=True)
            write("passed\n")
        except Exception as error:
            print(f"{name} {number} {dtype}: {' '.join(str(error).split())[:300]}", file=sys.stderr, flush=True)
            write("failed\n")
    write("end\n")


def fork(name, begin):
    """The lines of `run` in another process."""
    read, write = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            run(name, begin, lambda text: os.write(write, text.encode()))
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(write)
    with open(read) as file:
        lines = file.read().splitlines()
    os.waitpid(process, 0)
    return lines


def measure(name):
    """{type: [passed, all]} of an operator."""
    lines = []
    while lines[-1:] != ["end"]:
        more = fork(name, len(lines))
        assert more, f"{name}: no sample ran; the text above says why"
        # A line without a result: the process died.
        lines += more
    counts = collections.defaultdict(lambda: [0, 0])
    for line in lines[:-1]:
        dtype, *result = line.split()
        if result != ["none"]:
            counts[dtype][0] += result == ["passed"]
            counts[dtype][1] += 1
    return dict(counts)


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
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        for number, (name, counts) in enumerate(zip(names, pool.imap(measure, names)), 1):
            measured[name] = counts
            text = ", ".join(f"{dtype} {passed} of {total}" for dtype, (passed, total) in counts.items())
            print(f"{number:3} of {len(names)} {name}: {text}", flush=True)
    if document:
        update(document, measured)


if __name__ == "__main__":
    documents = [pathlib.Path(each) for each in sys.argv[1:] if each.endswith(".md")]
    main(documents[0] if documents else None, [each for each in sys.argv[1:] if not each.endswith(".md")] or OPERATORS)
