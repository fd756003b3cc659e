"""The process of sweep.py that makes the calls: calls.py ONLY FIRST. Prints a line of JSON before and after each."""

import json
import os
import sys

import numpy
import paddle
from functions import functions, in_place
from inputs import TYPES, Tensor, argument_lists
from written import ARGUMENTS

DEVICE = "portacl:0"
SEED = 7
STATIC_TYPES = ("float32", "int64")
TOLERANCE = {"float32": 2e-5, "complex64": 2e-5, "float16": 1e-2}


def say(**line):
    os.write(1, (json.dumps(line) + "\n").encode())


def made(values, stop_gradient):
    if isinstance(values, Tensor):
        return values.make(stop_gradient)
    if isinstance(values, (list, tuple)):
        return type(values)(made(value, stop_gradient) for value in values)
    return values


def tensors_in(values, kinds=None):
    if isinstance(values, kinds or (paddle.Tensor, paddle.pir.Value)):
        yield values
    elif isinstance(values, (list, tuple)):
        for value in values:
            yield from tensors_in(value, kinds)


def array_of(tensor):
    if tensor.is_sparse():
        tensor = tensor.to_dense()
    if tensor.dtype in (paddle.bfloat16, paddle.float16):
        tensor = tensor.astype("float32")
    return tensor.numpy()


def dynamic(function, arguments):
    inputs = made(arguments, False)
    found = function(*inputs)
    outputs = list(tensors_in(found))
    results = [array_of(output) for output in outputs if output._is_initialized()]
    results += [numpy.array(value) for value in tensors_in(found, (bool, int, float, complex))]
    total = None
    for output in outputs:
        has_gradient = output.is_floating_point() or output.is_complex()
        if output._is_initialized() and not output.stop_gradient and has_gradient:
            part = output.abs().sum() if output.is_complex() else output.sum()
            total = part if total is None else total + part.astype(total.dtype)
    if total is not None:
        # Twice: gradients are added to those that are there.
        total.backward(retain_graph=True)
        total.backward()
        results += [array_of(each.grad) for each in tensors_in(inputs) if each.grad is not None]
    return results


def changing(method, arguments):
    inputs = made(arguments, True)
    outputs = list(tensors_in(method(*inputs)))
    return [array_of(output) for output in outputs] + [array_of(each) for each in tensors_in(inputs)]


def symbols(values, feed):
    if isinstance(values, Tensor):
        name = f"x{len(feed)}"
        feed[name] = values.array
        return paddle.static.data(name, list(values.array.shape), str(values.array.dtype))
    if isinstance(values, (list, tuple)):
        return type(values)(symbols(value, feed) for value in values)
    return values


def static(function, arguments):
    place = paddle.CPUPlace() if paddle.get_device() == "cpu" else paddle.CustomPlace("portacl", 0)
    paddle.enable_static()
    try:
        main, start, feed = paddle.static.Program(), paddle.static.Program(), {}
        main.random_seed = start.random_seed = SEED
        with paddle.static.program_guard(main, start):
            inputs = symbols(arguments, feed)
            outputs = list(tensors_in(function(*inputs)))
        executor = paddle.static.Executor(place)
        executor.run(start)
        return executor.run(main, feed=feed, fetch_list=outputs) if outputs else []
    finally:
        paddle.disable_static()


def on(device, mode, function, arguments):
    paddle.set_device(device)
    paddle.seed(SEED)
    numpy.random.seed(SEED)
    return mode(function, arguments)


def difference(expected, found):
    """What is not equal; empty if all is."""
    if len(expected) != len(found):
        return f"{len(found)} results, {len(expected)} on the CPU"
    for number, (one, other) in enumerate(zip(expected, found)):
        one, other = numpy.asarray(one), numpy.asarray(other)
        if one.dtype != other.dtype or one.shape != other.shape:
            return f"result {number}: {other.dtype} {other.shape}, {one.dtype} {one.shape} on the CPU"
        tolerance = TOLERANCE.get(str(one.dtype), 1e-9)
        if not numpy.allclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True):
            return f"result {number}: {other.ravel()[:4]}, {one.ravel()[:4]} on the CPU"
    return ""


class Call:
    def __init__(self, name, mode, function, number):
        self.name, self.mode, self.function, self.number = name, mode, function, number

    def begin(self, where):
        say(begin={"name": self.name, "mode": self.mode.__name__, "number": self.number, "where": where})

    def end(self, result, text=""):
        say(name=self.name, mode=self.mode.__name__, result=result, text=text)

    def compare(self, arguments):
        """Whether the CPU takes the arguments."""
        self.begin("cpu")
        try:
            expected = on("cpu", self.mode, self.function, arguments)
            again = on("cpu", self.mode, self.function, arguments)
        except Exception:  # whatever a function raises that gets the wrong arguments
            return False
        if not expected or difference(expected, again):
            return False
        self.begin("device")
        try:
            found = on(DEVICE, self.mode, self.function, arguments)
        except Exception as error:
            lines = [line for line in str(error).strip().splitlines() if line.strip()]
            self.end("refused", f"{type(error).__name__}: {lines[-1] if lines else ''}"[:300])
            return True
        text = difference(expected, found)
        self.end("wrong" if text else "equal", text)
        return True


def tries_for(name, function, dtype):
    if name in ARGUMENTS:
        return [ARGUMENTS[name]] if dtype == TYPES[0] else []
    return argument_lists(function, dtype)


def find(name, function, dtype, number):
    """Compares with the first arguments that the CPU takes, and then as a static program."""
    known = known_tries.get(name)
    tries = tries_for(name, function, dtype)
    if known is not None and known < len(tries):
        tries.insert(0, tries[known])
    for arguments in tries:
        if Call(f"{name}, {dtype}", dynamic, function, number).compare(arguments):
            known_tries.setdefault(name, tries.index(arguments))
            if dtype in STATIC_TYPES:
                Call(f"{name}, {dtype}", static, function, number).compare(arguments)
            return


def find_in_place(name, method, dtype, number):
    for arguments in tries_for(name, method, dtype):
        if Call(f"{name}, {dtype}", changing, method, number).compare(arguments):
            return


# By function: which of its lists of arguments was taken first.
known_tries = {}


def main():
    only, start = sys.argv[1], int(sys.argv[2])
    todo = [(find, *each) for each in functions()] + [(find_in_place, *each) for each in in_place()]
    todo = [(*each, dtype) for each in todo if only in each[1] for dtype in TYPES]
    for number, (look, name, function, dtype) in enumerate(todo[start:], start):
        look(name, function, dtype, number)
        say(end=number)


if __name__ == "__main__":
    main()
