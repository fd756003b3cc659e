"""Calls operators of libopapi without torch_npu, which calls some of them only where newer ones are missing."""

import ctypes

import torch

TYPES = {torch.float32: 0, torch.float16: 1, torch.int8: 2, torch.int32: 3, torch.uint8: 4, torch.int64: 9, torch.bool: 12,
         torch.bfloat16: 27}
ND = 2
OPERATORS, RUNTIME = ctypes.CDLL("libopapi.so"), ctypes.CDLL("libascendcl.so")
for _name in ("aclCreateTensor", "aclCreateIntArray", "aclCreateScalar", "aclCreateTensorList"):
    getattr(OPERATORS, _name).restype = ctypes.c_void_p
RUNTIME.aclGetRecentErrMsg.restype = ctypes.c_char_p


def numbers(values):
    return (ctypes.c_int64 * len(values))(*values)


def tensor(value):
    """Keeps the memory of `value`, which must live until the operator has run."""
    elements = [value.untyped_storage().nbytes() // value.element_size()]
    return ctypes.c_void_p(OPERATORS.aclCreateTensor(
        numbers(value.shape), ctypes.c_uint64(value.dim()), TYPES[value.dtype], numbers(value.stride()),
        ctypes.c_int64(value.storage_offset()), ND, numbers(elements), ctypes.c_uint64(1),
        ctypes.c_void_p(value.untyped_storage().data_ptr())))


def argument(value):
    """An argument of C. A list of tensors is an aclTensorList, one of ints an aclIntArray, a type a number."""
    if value is None:
        return ctypes.c_void_p()
    if isinstance(value, torch.Tensor):
        return tensor(value)
    if isinstance(value, torch.dtype):
        return ctypes.c_int(TYPES[value])
    if isinstance(value, list) and all(isinstance(each, torch.Tensor) for each in value):
        made = (ctypes.c_void_p * len(value))(*(tensor(each).value for each in value))
        return ctypes.c_void_p(OPERATORS.aclCreateTensorList(made, ctypes.c_uint64(len(value))))
    if isinstance(value, list):
        return ctypes.c_void_p(OPERATORS.aclCreateIntArray(numbers(value), ctypes.c_uint64(len(value))))
    if isinstance(value, bool):
        return ctypes.c_bool(value)
    if isinstance(value, str):
        return ctypes.c_char_p(value.encode())
    return (ctypes.c_int64 if isinstance(value, int) else ctypes.c_double)(value)


def check(code):
    if code != 0:
        raise RuntimeError(f"{code}: {(RUNTIME.aclGetRecentErrMsg() or b'').decode()}")


def call(name, *arguments):
    """Runs an operator on the current stream, and waits. The objects are not destroyed."""
    torch.npu.synchronize()
    size, executor = ctypes.c_uint64(), ctypes.c_void_p()
    check(getattr(OPERATORS, f"{name}GetWorkspaceSize")(*map(argument, arguments), ctypes.byref(size),
                                                        ctypes.byref(executor)))
    stream = ctypes.c_void_p(torch.npu.current_stream().npu_stream)
    check(getattr(OPERATORS, name)(None, size, executor, stream))
    torch.npu.synchronize()
