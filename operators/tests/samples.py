"""samples.py [DOCUMENT] [OPERATOR...]: the samples of torch.testing on the device and on the CPU. Writes the table of
operators into the document. Each operator has a process, because a failure stops the streams of its device."""

import collections
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import warnings

MARKS = "<!-- begin: operators/tests/samples.py -->", "<!-- end -->"
# Names in torch.testing; what torch_npu computes with the operators of libopapi.
OPERATORS = """
abs acos add addcdiv addcmul addmm addmv all amax amin any arange argmax argmin asin atan atan2 baddbmm bitwise_and
bitwise_not bitwise_or bitwise_xor bmm cat ceil chunk clamp cos cosh cummax cummin cumprod cumsum div dot eq erf erfc exp
expand expm1 eye fill flip floor floor_divide fmod frac full_like gather ge gt index_add index_put index_select isclose
isfinite kthvalue le lerp linspace linalg.vector_norm log log10 log1p log2 logical_and logical_not logical_or logical_xor
logsumexp lt masked_fill masked_select matmul max maximum mean median min minimum mm mul mv nan_to_num nansum ne neg
nn.functional.adaptive_avg_pool2d nn.functional.avg_pool2d nn.functional.batch_norm nn.functional.binary_cross_entropy
nn.functional.conv1d nn.functional.conv2d nn.functional.cross_entropy nn.functional.elu nn.functional.embedding
nn.functional.gelu nn.functional.glu nn.functional.group_norm nn.functional.hardswish nn.functional.hardtanh
nn.functional.kl_div nn.functional.l1_loss nn.functional.layer_norm nn.functional.leaky_relu nn.functional.logsigmoid
nn.functional.max_pool2d nn.functional.mish nn.functional.mse_loss nn.functional.nll_loss nn.functional.pad
nn.functional.relu nn.functional.rms_norm nn.functional.scaled_dot_product_attention nn.functional.silu
nn.functional.smooth_l1_loss nn.functional.softplus nonzero ones_like permute pow prod reciprocal remainder repeat
repeat_interleave roll round rsqrt scatter scatter_add sigmoid sign sin sinh slice softmax sort split sqrt stack std sub
sum tan tanh topk tril triu trunc unbind var where zero_ zeros_like log_softmax
""".split()
DTYPES = ["float32", "float16", "bfloat16", "int64", "bool"]
MOST = 30


def flat(value):
    """The tensors of a result."""
    import torch

    if isinstance(value, torch.Tensor):
        return [value]
    return [tensor for each in value for tensor in flat(each)] if isinstance(value, (list, tuple)) else []


def passes(operator, sample, bound):
    """Whether the device computes a sample as the CPU does; None: the CPU does not compute it."""
    import torch
    from device import move

    def run(where):
        keywords = {key: where if key == "device" else value for key, value in move(sample.kwargs, where).items()}
        return flat(operator(move(sample.input, where), *move(sample.args, where), **keywords))

    try:
        wanted = run("cpu")
    except Exception:
        return None
    try:
        for want, got in zip(wanted, run("npu"), strict=True):
            torch.testing.assert_close(got.cpu().to(want.dtype), want, rtol=bound, atol=bound, equal_nan=True)
    except Exception as error:
        print(f"{operator.formatted_name}: {str(error)[:2000]}", file=sys.stderr)
        return False
    return True


def measure(name):
    """Prints "DTYPE passed samples" for one operator."""
    warnings.filterwarnings("ignore")
    import device  # noqa: F401
    import torch
    from torch.testing._internal.common_methods_invocations import op_db

    counts = collections.OrderedDict()
    for operator in (each for each in op_db if each.name == name):
        for dtype in DTYPES:
            kind = getattr(torch, dtype)
            if kind not in operator.dtypes:
                continue
            bound = {"float16": 1e-2, "bfloat16": 2e-2}.get(dtype, 1e-5)
            samples = list(operator.sample_inputs("cpu", kind, requires_grad=False))[:MOST]
            results = [result for result in (passes(operator, each, bound) for each in samples) if result is not None]
            passed, total = counts.get(dtype, (0, 0))
            counts[dtype] = passed + sum(results), total + len(results)
    for dtype, (passed, total) in counts.items():
        print(dtype, passed, total)


def row(name):
    """A line of the table."""
    command = [sys.executable, __file__, "--one", name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    counts = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines() if line.split()[:1][0] in DTYPES}
    cells = [" of ".join(counts[dtype]) if dtype in counts else "" for dtype in DTYPES]
    print(name, *[cell or "-" for cell in cells], sep="\t", flush=True)
    return f"| {name} | " + " | ".join(cells) + " |", counts


def main(document, names):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = list(pool.map(row, names))
    lines = ["| operator | " + " | ".join(DTYPES) + " |", "|---|" + "---|" * len(DTYPES)] + [line for line, _ in rows]
    passed, total = (sum(int(count[i]) for _, counts in rows for count in counts.values()) for i in (0, 1))
    print(f"{passed} of {total} samples")
    if document:
        text = document.read_text()
        before, rest = text.split(MARKS[0])
        table = "\n".join([MARKS[0], "", f"{passed} of {total} samples of {len(names)} operators.", "", *lines, "", MARKS[1]])
        document.write_text(before + table + rest.split(MARKS[1])[1])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        measure(sys.argv[2])
    else:
        paths = [pathlib.Path(each) for each in sys.argv[1:] if each.endswith(".md")]
        main(paths[0] if paths else None, [each for each in sys.argv[1:] if not each.endswith(".md")] or OPERATORS)
