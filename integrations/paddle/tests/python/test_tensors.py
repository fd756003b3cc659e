"""Devices, copies, data types, tensors without elements."""

import unittest

import numpy
import paddle

from support import FIRST, SECOND, OnDevice, in_new_process


class Devices(OnDevice):
    def test_there_are_several(self):
        self.assertEqual(paddle.device.get_all_custom_device_type(), ["portacl"])
        devices = paddle.device.get_available_custom_device()
        self.assertIn(FIRST, devices)
        self.assertIn(SECOND, devices)

    def test_set_and_get(self):
        paddle.set_device(SECOND)
        self.assertEqual(paddle.get_device(), SECOND)
        self.assert_on(paddle.to_tensor([1.0]), SECOND)
        paddle.set_device(FIRST)
        self.assert_on(paddle.to_tensor([1.0]), FIRST)

    def test_a_device_that_is_not_there(self):
        status, output = in_new_process("""if True:
            import paddle
            paddle.set_device('portacl:0')
            try:
                paddle.to_tensor([1.0], place=paddle.CustomPlace('portacl', 4096))
            except Exception as what:
                print('and then', float(paddle.ones([1000]).sum()))
            """)
        # Paddle's own refusal; 3.0 ends the process with it.
        self.assertIn("Invalid CustomPlace(portacl, 4096)", output)
        if paddle.__version__.startswith("3.0."):
            self.assertEqual(status, 255, output)
        else:
            self.assertEqual(status, 0, output)
            self.assertIn("and then 1000.0", output)

    def test_synchronize(self):
        paddle.device.synchronize(FIRST)
        paddle.device.synchronize(SECOND)


class Copies(OnDevice):
    def test_between_two_devices_and_the_cpu(self):
        for size in (1, 1000, 3_000_000):
            expected = numpy.arange(size, dtype="float32")
            here = paddle.to_tensor(expected)
            there = here.to(SECOND)
            back = there.to(FIRST)
            on_cpu = there.cpu()
            for tensor, device in ((here, FIRST), (there, SECOND), (back, FIRST), (on_cpu, "cpu")):
                self.assert_on(tensor, device)
                self.assert_equal(tensor, expected)

    def test_a_copy_is_one(self):
        tensor = paddle.to_tensor([1.0, 2.0])
        copy = tensor.clone()
        tensor[0] = 5.0
        self.assert_equal(tensor, [5.0, 2.0])
        self.assert_equal(copy, [1.0, 2.0])

    def test_source_freed_right_after_a_copy_between_devices(self):
        for round_ in range(20):
            expected = numpy.full(200_000, round_, dtype="float32")
            source = paddle.to_tensor(expected)
            target = source.to(SECOND)
            del source
            other = paddle.to_tensor(numpy.full(200_000, -1, dtype="float32"))
            self.assert_equal(target, expected)
            del other

    def test_from_numpy_and_back_while_the_source_changes(self):
        source = numpy.zeros(100_000, dtype="int64")
        for round_ in range(20):
            source[:] = round_
            tensor = paddle.to_tensor(source)
            source[:] = -1
            self.assertTrue((tensor.numpy() == round_).all())


class DataTypes(OnDevice):
    VALUES = {
        "bool": [True, False, True],
        "uint8": [0, 7, 255],
        "int8": [-128, 0, 127],
        "int16": [-30000, 0, 30000],
        "int32": [-2_000_000_000, 0, 2_000_000_000],
        "int64": [-(2**60), 0, 2**60],
        "float16": [-1.5, 0.0, 65504.0],
        "float32": [-1.5, 0.0, 3.4e38],
        "float64": [-1.5, 0.0, 1.7e308],
        "complex64": [1 + 2j, 0, -3j],
        "complex128": [1 + 2j, 0, -3j],
    }

    def test_every_type_there_and_back(self):
        for name, values in self.VALUES.items():
            with self.subTest(name):
                expected = numpy.array(values, dtype=name)
                tensor = paddle.to_tensor(expected)
                self.assertEqual(tensor.dtype, getattr(paddle, name))
                self.assert_on(tensor, FIRST)
                self.assert_equal(tensor, expected)
                self.assert_equal(tensor.to(SECOND), expected)
                self.assert_equal(tensor.cpu(), expected)

    # Those that numpy has not, or that Paddle takes for others when they come from there or by name.
    CAST_ONLY = {
        "uint16": [0, 7, 60000],
        "uint32": [0, 7, 4_000_000_000],
        "uint64": [0, 7, 2**52],
        "bfloat16": [1.5, -2.0, 0.0],
        "float8_e4m3fn": [1.5, -2.0, 0.0],
        "float8_e5m2": [1.5, -2.0, 0.0],
    }

    def test_every_type_that_comes_by_a_cast(self):
        for name, values in self.CAST_ONLY.items():
            if not hasattr(paddle, name):
                continue  # a later release has it
            with self.subTest(name):
                tensor = paddle.to_tensor(values, dtype="float64").astype(getattr(paddle, name))
                self.assertEqual(tensor.dtype, getattr(paddle, name))
                for there, device in ((tensor, FIRST), (tensor.to(SECOND), SECOND), (tensor.cpu(), "cpu")):
                    self.assert_on(there, device)
                    self.assert_equal(there.astype("float64"), values)

    def test_no_type_of_paddles_is_forgotten(self):
        known = set(self.VALUES) | set(self.CAST_ONLY) | {"pstring", "undefined"}  # no numbers
        there = {t.name.lower() for t in vars(paddle).values() if isinstance(t, paddle.dtype)}
        self.assertGreaterEqual(len(there), 12)
        self.assertEqual(there - known, set())

    def test_filling_every_type(self):
        fills = {name: 3 for name in (*self.VALUES, *self.CAST_ONLY)}
        fills.update(bool=1, complex64=1.5 - 2j, complex128=1.5 - 2j, float16=-1.5, bfloat16=-1.5)
        unsigned = paddle.__version__ >= "3.3"  # before, Paddle does not survive such kernels
        for name, value in fills.items():
            if not hasattr(paddle, name) or name in ("uint16", "uint32", "uint64") and not unsigned:
                continue
            for device in (FIRST, SECOND):
                with self.subTest(name, device=device):
                    paddle.set_device(device)
                    for count in (1, 1000, 70_000):
                        tensor = paddle.full([count], value, dtype=getattr(paddle, name))
                        self.assert_on(tensor, device)
                        self.assertEqual(tensor.dtype, getattr(paddle, name))
                        self.assert_equal(tensor.astype("complex128"), numpy.full(count, value, dtype="complex128"))
                    self.assert_equal(paddle.zeros([5], dtype=getattr(paddle, name)).astype("float64"), numpy.zeros(5))

    def test_filling_in_place(self):
        tensor = paddle.to_tensor(numpy.arange(5000, dtype="float32"))
        tensor.fill_(2.5)
        self.assert_equal(tensor, numpy.full(5000, 2.5, dtype="float32"))
        tensor.zero_()
        self.assert_equal(tensor, numpy.zeros(5000, dtype="float32"))


class Operators(OnDevice):
    """They run on the CPU; their results are on the device."""

    def test_results_stay_on_the_device(self):
        for device in (FIRST, SECOND):
            paddle.set_device(device)
            tensor = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
            product = paddle.matmul(tensor, tensor)
            self.assert_on(product, device)
            self.assert_equal(product, [[7.0, 10.0], [15.0, 22.0]])
            self.assert_equal(product.sum(), 54.0)

    def test_in_place(self):
        tensor = paddle.to_tensor([1.0, 2.0])
        tensor.add_(paddle.to_tensor([10.0, 10.0]))
        self.assert_equal(tensor, [11.0, 12.0])
        tensor.scale_(2.0)
        self.assert_equal(tensor, [22.0, 24.0])
        tensor[1] = 5.0
        self.assert_equal(tensor, [22.0, 5.0])

    def test_reductions_transposes_and_slices(self):
        values = numpy.arange(24, dtype="float32").reshape(2, 3, 4)
        tensor = paddle.to_tensor(values)
        self.assert_equal(tensor.sum(axis=1), values.sum(axis=1))
        self.assert_equal(tensor.transpose([2, 0, 1]), values.transpose(2, 0, 1))
        self.assert_equal(tensor[:, 1:, ::2], values[:, 1:, ::2])
        self.assert_equal(paddle.concat([tensor, tensor], axis=2), numpy.concatenate([values, values], 2))


class Views(OnDevice):
    def test_they_are_copies_and_work_without_a_word_in_the_environment(self):
        self.assertEqual(paddle.get_flags("FLAGS_use_stride_kernel"), {"FLAGS_use_stride_kernel": False})
        values = numpy.arange(6, dtype="float32").reshape(2, 3)
        for device in (FIRST, "cpu"):
            paddle.set_device(device)
            tensor = paddle.to_tensor(values)
            self.assert_equal(tensor.T, values.T)
            self.assert_equal(tensor @ tensor.T, values @ values.T)
            view = tensor.reshape([6])[1:4]
            tensor.zero_()
            self.assert_equal(view, [1.0, 2.0, 3.0])


class NoElements(OnDevice):
    def test_tensors_of_size_zero(self):
        for shape in ([0], [0, 3], [2, 0, 4]):
            with self.subTest(shape):
                tensor = paddle.to_tensor(numpy.zeros(shape, dtype="float32"))
                self.assertEqual(list(tensor.shape), shape)
                self.assertEqual(list((tensor + 1.0).shape), shape)
                self.assertEqual(list(tensor.to(SECOND).shape), shape)
                self.assertEqual(list(tensor.cpu().numpy().shape), shape)
                self.assertEqual(list(tensor.clone().shape), shape)

    def test_filling_none(self):
        self.assertEqual(list(paddle.full([0, 3], 1.0).shape), [0, 3])


if __name__ == "__main__":
    unittest.main()
