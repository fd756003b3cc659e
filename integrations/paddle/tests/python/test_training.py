"""Small networks learn on the device exactly as on the CPU."""

import unittest

import numpy
import paddle

from support import FIRST, SECOND, OnDevice, in_new_process


def mlp():
    return paddle.nn.Sequential(paddle.nn.Linear(16, 32), paddle.nn.ReLU(), paddle.nn.Linear(32, 4))


def cnn():
    return paddle.nn.Sequential(
        paddle.nn.Conv2D(1, 4, 3, padding=1), paddle.nn.BatchNorm2D(4), paddle.nn.ReLU(),
        paddle.nn.MaxPool2D(2), paddle.nn.Flatten(), paddle.nn.Linear(4 * 4 * 4, 4))


def losses(device, make, shape, optimizer, steps=8, **clear_grad):
    paddle.set_device(device)
    random = numpy.random.RandomState(3)
    network = make()
    network.set_state_dict({
        name: random.randn(*value.shape).astype("float32") * 0.1 + (1.0 if name.endswith("_variance") else 0.0)
        for name, value in network.state_dict().items()})
    inputs = paddle.to_tensor(random.randn(*shape).astype("float32"))
    labels = paddle.to_tensor(random.randint(0, 4, [shape[0]]).astype("int64"))
    trainer = optimizer(network.parameters())
    found = []
    for _ in range(steps):
        loss = paddle.nn.functional.cross_entropy(network(inputs), labels)
        loss.backward()
        trainer.step()
        trainer.clear_grad(**clear_grad)
        found.append(float(loss))
    return found


def sgd(parameters):
    return paddle.optimizer.SGD(0.1, parameters=parameters)


def adam(parameters):
    return paddle.optimizer.Adam(0.01, parameters=parameters)


def momentum(parameters):
    return paddle.optimizer.Momentum(0.05, parameters=parameters)


class Training(OnDevice):
    # The CPU's kernels round differently where an address is aligned otherwise.
    TOLERANCE = 1e-5

    def compare(self, *arguments, **options):
        expected = losses("cpu", *arguments, **options)
        self.assertLess(expected[-1], expected[0], "it learns")
        for device in (FIRST, SECOND):
            numpy.testing.assert_allclose(
                losses(device, *arguments, **options), expected, rtol=self.TOLERANCE, err_msg=device)

    def test_mlp(self):
        for optimizer in (sgd, adam, momentum):
            with self.subTest(optimizer.__name__):
                self.compare(mlp, (32, 16), optimizer)

    def test_mlp_that_drops_its_gradients(self):
        self.compare(mlp, (32, 16), sgd, set_to_zero=False)

    def test_cnn(self):
        self.compare(cnn, (8, 1, 8, 8), sgd)

    def test_in_a_stream_of_its_own(self):
        expected = losses("cpu", mlp, (32, 16), sgd)
        paddle.set_device(FIRST)
        stream = paddle.device.Stream(FIRST)
        with paddle.device.stream_guard(stream):
            found = losses(FIRST, mlp, (32, 16), sgd)
        stream.synchronize()
        numpy.testing.assert_allclose(found, expected, rtol=self.TOLERANCE)


class ClearGrad(OnDevice):
    def test_gradients_of_every_type_are_zero_where_the_device_has_them(self):
        for name in ("float16", "bfloat16", "float32", "float64", "complex64", "complex128"):
            with self.subTest(name):
                weight = paddle.ones([5000]).astype(name)
                weight.stop_gradient = False
                # Without the module with the kernels, half precision has casts only.
                wide = weight if name.startswith("complex") else weight.astype("float64")
                (wide * 3.0).sum().backward()
                self.assertEqual(weight.grad.dtype, weight.dtype)
                self.assert_equal(weight.grad.astype("float64"), numpy.full(5000, 3.0))
                weight.clear_gradient(set_to_zero=True)
                self.assert_equal(weight.grad.astype("complex128"), numpy.zeros(5000))
                self.assert_on(weight.grad, FIRST)


class RunCheck(unittest.TestCase):
    def test_run_check_needs_one_visible_device(self):
        for one in ({"PORTACL_CPU_DEVICES": "1"}, {"ASCEND_RT_VISIBLE_DEVICES": "1"}):
            with self.subTest(**one):
                status, output = in_new_process("import paddle; paddle.utils.run_check()", **one)
                self.assertEqual(status, 0, output)
                self.assertIn("PaddlePaddle works well on 1 portacl.", output)
                self.assertIn("PaddlePaddle is installed successfully!", output)


if __name__ == "__main__":
    unittest.main()
