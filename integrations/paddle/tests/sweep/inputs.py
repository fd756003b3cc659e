"""Arguments for functions of Paddle's Python interface, found by the names of their parameters and by trying."""

import inspect
import itertools
import zlib

import numpy
import paddle

MOST_TRIES = 60
TYPES = ("float32", "int64", "float64", "bool", "complex64")


class Tensor:
    """A tensor that is made on the device that is chosen then."""

    def __init__(self, array, role="input"):
        self.array = array
        self.role = role

    def make(self, stop_gradient):
        tensor = paddle.to_tensor(self.array)
        tensor.stop_gradient = stop_gradient or not (tensor.is_floating_point() or tensor.is_complex())
        return tensor


def array(shape, dtype, seed, spread=0.8):
    random = numpy.random.RandomState(zlib.crc32(repr((shape, dtype, seed)).encode()) % 2**31)
    values = 0.1 + spread * random.rand(*shape)
    if dtype == "bool":
        return values > 0.5
    if dtype.startswith("int") or dtype.startswith("uint"):
        return (values * 10).astype(dtype)
    if dtype.startswith("complex"):
        return (values + 1j * (0.1 + 0.5 * random.rand(*shape))).astype(dtype)
    return values.astype(dtype)


def positive_definite(dtype):
    matrix = array([3, 3], dtype, "spd")
    if dtype in ("bool",):
        return matrix
    return (matrix @ matrix.T.conj() + 3 * numpy.eye(3)).astype(dtype)


def indices(shape, most, seed=0, dtype="int64"):
    return Tensor(numpy.random.RandomState(seed).randint(0, most, shape).astype(dtype), "index")


def first(dtype):
    """Values of the first argument."""
    yield Tensor(array([2, 3], dtype, 0))
    yield Tensor(positive_definite(dtype))
    yield Tensor(array([2, 4, 6, 6], dtype, 0))
    yield Tensor(array([2, 4, 6], dtype, 0))
    yield Tensor(array([6], dtype, 0))
    yield Tensor(array([2, 4, 4, 4, 4], dtype, 0))


def like(found, dtype, seed):
    return Tensor(array(list(found.array.shape), dtype, seed)) if isinstance(found, Tensor) else found


def tensors_for(name, head, dtype):
    """Values of a further tensor, in the order in which they are tried."""
    shape = list(head.array.shape)
    yield like(head, dtype, name)
    if len(shape) >= 2:
        yield Tensor(array(shape[:-2] + [shape[-1], 4], dtype, name))
    if len(shape) >= 3:
        yield Tensor(array([3, shape[1]] + [3] * (len(shape) - 2), dtype, name))
        yield Tensor(array([shape[1]], dtype, name))
    yield Tensor(array([shape[-1]], dtype, name))
    yield Tensor(array([1], dtype, name))


def labels(head, _dtype):
    shape = list(head.array.shape)
    yield like(head, str(head.array.dtype), "label")
    yield indices(shape[:1], shape[-1])
    yield indices(shape[:1] + [1], shape[-1])
    yield Tensor(array(shape, "float32", "label"))
    yield Tensor((2 * (array(shape, "float32", "label") > 0.5) - 1).astype(str(head.array.dtype)))


def index_values(head, _dtype):
    yield indices([2], 2)
    yield indices([2, 3], 2)
    yield indices(list(head.array.shape), min(head.array.shape))
    yield indices([2, 1], 2)
    yield indices([2], 2, dtype="int32")


PLAIN = {
    "axis": [0, 1, [0], -1], "dim": [0, 1], "axis0": [0], "axis1": [1], "dim0": [0], "dim1": [1],
    "axes": [[0, 1], [0]], "shape": [[2, 3], [3, 2], [6]], "size": [2, [2, 2], [12, 12]], "output_size": [2, 3],
    "out_shape": [[2, 4, 6, 6]], "perm": [[1, 0], [0, 2, 1], [0, 2, 3, 1]], "num_or_sections": [2, 3],
    "chunks": [2, 3], "repeats": [2], "repeat_times": [[2, 1]], "num": [3, 2], "k": [1, 2], "n": [2, 1], "depth": [4],
    "num_classes": [4], "kernel_size": [2, 3], "kernel_sizes": [2], "upscale_factor": [2], "downscale_factor": [2],
    "groups": [2], "num_groups": [2], "stride": [1, [1, 1]], "shifts": [1], "start": [0, 1.0], "stop": [5, 2.0],
    "end": [5], "num_rows": [3], "num_columns": [3], "row": [3], "col": [3], "offset": [0], "value": [1, 0.5],
    "fill_value": [2, 1.5], "min": [0.2], "max": [0.7], "low": [0], "high": [5], "mean": [0.0], "std": [1.0],
    "pad": [[1, 1], [1, 1, 1, 1], [1, 1, 1, 1, 1, 1]], "padding": [1, [1, 1, 1, 1]],
    "normalized_shape": [[3], [6], [6, 6]], "equation": ["ij,kj->ik", "ij->ji"],
    "dtype": ["float32", "int32", "int64"], "p": [2.0, 0.5], "q": [0.5], "num_samples": [2], "shard_id": [0],
    "index_num": [6], "nshards": [2], "starts": [[0, 1]], "ends": [[2, 3]], "strides": [[1, 1]], "source": [0],
    "destination": [1], "sections": [2, [1]], "prob": [0.5], "alpha": [0.5], "beta": [0.5], "scale": [2.0],
    "frame_length": [4], "hop_length": [2], "n_fft": [4], "step": [1], "rank": [2], "num_heads": [2],
    "epsilon": [1e-5], "window_size": [2], "seg_num": [2], "shift_ratio": [0.25], "act": ["relu"], "window": ["hann"],
    "win_length": [8], "exponent": [2], "pow": [2], "decimals": [1], "boundaries": None, "blank": [0],
    "unflatten_shape": [[1, 2]], "block_shape": [[2, 2]], "crop": [[0, 0]], "max_norm": [0.5], "threshold": [0.5],
    "prefix": [None], "key": [0], "diagonal": [0], "M": [4], "n_iter": [2], "func": [None], "dilations": [1],
    "paddings": [0], "return_type": ["float32"], "pool_size": [2], "spatial_scale": [1.0], "pooled_height": [2],
    "rtol": [1e-5], "input_dim": [4], "nperseg": [4], "bins": [4], "ord": [2, "fro"], "num_or_indices": [2, [1]],
    "batch_size": [2], "repeats_": [2], "a_min": [0.2], "a_max": [0.7], "s": [None, [2, 3]],
    "target_tensor_shape": [[2, 3]], "dims": [[0, 1]], "newshape": [[3, 2]], "new_shape": [[3, 2]], "minlength": [0],
    "correction": [1], "atol": [1e-5], "tau": [0.5], "T": [2],
}
MAY_BE_TENSORS = {"mean", "alpha", "scale", "min", "max", "value", "low", "high"}
LISTS = {"inputs", "tensors", "xs", "arrays", "input_list", "arys"}
LABELS = {"label", "labels", "target", "targets", "class_labels"}
INDICES = {"index", "indices", "ids", "segment_ids", "src_index", "dst_index", "sorted_sequence_index", "bin_ids"}


def candidates(name, head, dtype):
    if name in PLAIN and PLAIN[name] is not None:
        return [*PLAIN[name], *tensors_for(name, head, dtype)] if name in MAY_BE_TENSORS else PLAIN[name]
    if name in LABELS:
        return list(labels(head, dtype))
    if name in INDICES or "index" in name:
        return list(index_values(head, dtype))
    if name in ("mask", "condition", "cond"):
        return [Tensor(array(list(head.array.shape), "bool", name))]
    if name in ("running_mean", "running_var"):
        return [Tensor(array([head.array.shape[1] if head.array.ndim > 1 else 1], dtype, name))]
    if name in LISTS:
        return [[head, like(head, dtype, name)]]
    return list(tensors_for(name, head, dtype))


def required(function):
    """The names of the parameters without defaults; None: they are not known."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    names = []
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.KEYWORD_ONLY):
            continue
        if parameter.default is parameter.empty:
            names.append(parameter.name)
    return [name for name in names if name != "self"]


def argument_lists(function, dtype):
    """Lists of arguments to try, about MOST_TRIES."""
    names = required(function)
    if names is None:
        names = ["x"]
    tries = []
    for head in first(dtype):
        rest = [candidates(name, head, dtype) for name in names[1:]]
        if not names:
            return [[]]
        heads = [head]
        if names[0] in LISTS:
            heads = [[head, like(head, dtype, 1)]]
        elif names[0] in PLAIN and PLAIN[names[0]]:
            heads = PLAIN[names[0]]
        elif names[0] in ("mask", "condition"):
            heads = [Tensor(array(list(head.array.shape), "bool", 0))]
        elif names[0] in LABELS or names[0] in INDICES:
            heads = candidates(names[0], head, dtype)
        for begin in heads:
            tries.append([[begin, *more] for more in itertools.islice(itertools.product(*rest), MOST_TRIES // 4)])
    # One of each shape first.
    mixed = [one for group in itertools.zip_longest(*tries) for one in group if one is not None]
    return mixed[:MOST_TRIES]
