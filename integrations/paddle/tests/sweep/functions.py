"""The functions of Paddle's Python interface that compute something."""

import inspect

import paddle

MODULES = ("paddle", "paddle.nn.functional", "paddle.linalg", "paddle.fft", "paddle.signal", "paddle.geometric",
           "paddle.vision.ops", "paddle.incubate.nn.functional", "paddle.incubate", "paddle.metric", "paddle.text")

# They compute nothing, or write files, or depend on the device by their meaning.
LEFT_OUT = {
    "async_save", "batch", "check_shape", "create_parameter", "disable_signal_handler", "disable_static",
    "enable_static", "enable_grad", "finfo", "flops", "from_dlpack", "get_cuda_rng_state", "get_default_dtype",
    "get_device", "get_flags", "get_rng_state", "grad", "iinfo", "in_dynamic_mode", "is_compiled_with_cinn",
    "is_compiled_with_cuda", "is_compiled_with_custom_device", "is_compiled_with_distribute", "is_compiled_with_ipu",
    "is_compiled_with_rocm", "is_compiled_with_xpu", "is_grad_enabled", "load", "no_grad", "save", "seed",
    "set_cuda_rng_state", "set_default_dtype", "set_device", "set_flags", "set_grad_enabled", "set_printoptions",
    "set_rng_state", "summary", "to_dlpack", "LazyGuard", "download", "read_file", "Assert", "assert_",
    "is_autocast_enabled", "get_autocast_cpu_dtype", "get_autocast_gpu_dtype", "is_autocast_cache_enabled",
    "device_guard", "empty", "empty_like", "compile", "set_default_device", "get_default_device", "manual_seed",
    "use_deterministic_algorithms", "are_deterministic_algorithms_enabled", "get_cudnn_version", "autocast",
    "set_grad_enabled", "ones_like_", "synchronize", "to_tensor", "tolist", "is_tensor", "is_complex", "is_integer",
    "is_floating_point", "is_empty", "rank", "numel", "shape", "broadcast_shape", "broadcast_shapes", "typename",
    "is_inference", "new_empty", "empty_strided", "asarray", "tensor", "from_numpy", "vmap", "inference_mode",
    "get_worker_info", "get_num_threads", "set_num_threads", "initial_seed", "random_compile",
    "in_dynamic_or_pir_mode", "in_pir_mode", "get_rng_state_tracker", "is_storage", "HalfTensor",
}


def _public(module):
    for name in sorted(dir(module)):
        function = getattr(module, name)
        if name.startswith("_") or name in LEFT_OUT or inspect.isclass(function) or not callable(function):
            continue
        yield name, function


def functions():
    """(name, function) of each, once."""
    seen = set()
    for path in MODULES:
        module = paddle
        for part in path.split(".")[1:]:
            module = getattr(module, part)
        for name, function in _public(module):
            if name.endswith("_") and not name.startswith("_"):
                continue  # by in_place below
            if id(function) in seen or not inspect.isfunction(inspect.unwrap(function)):
                continue
            seen.add(id(function))
            yield f"{path}.{name}", function


def in_place():
    """(name, function) of the tensor's methods that change it."""
    for name in sorted(dir(paddle.Tensor)):
        if name.endswith("_") and not name.startswith("_") and name[:-1] not in LEFT_OUT:
            function = getattr(paddle.Tensor, name)
            if callable(function):
                yield f"paddle.Tensor.{name}", function
