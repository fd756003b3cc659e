"""Programs get the CPU's results: what an operator does in place stays in place, and the device has random numbers."""

import os
import tempfile
import unittest

import numpy
import paddle
from paddle import nn

from support import FIRST, OnDevice, has_cpu_kernels

OPTIMIZERS = {
    "Adadelta": {}, "Adagrad": {"learning_rate": 0.1}, "Adam": {}, "AdamW": {}, "Adamax": {}, "ASGD": {"batch_num": 2},
    "Lamb": {}, "LBFGS": {"max_iter": 3}, "Momentum": {}, "NAdam": {}, "RAdam": {}, "RMSProp": {"learning_rate": 0.01},
    "Rprop": {}, "SGD": {}}


def setUpModule():
    if not has_cpu_kernels():
        if os.environ.get("PORTACL_TEST_KERNELS"):
            raise RuntimeError("the plug-in has not loaded its module with the kernels")
        raise unittest.SkipTest("needs the module with the kernels of this release of Paddle")


def numbers(*shape):
    return paddle.to_tensor(numpy.random.RandomState(3).rand(*shape).astype("float32"))


class Results(OnDevice):
    def compare(self, program, *arguments):
        """The program returns tensors or arrays."""
        found = {}
        for device in ("cpu", FIRST):
            paddle.set_device(device)
            paddle.seed(5)
            found[device] = [numpy.asarray(value) for value in program(*arguments)]
        self.assertEqual(len(found["cpu"]), len(found[FIRST]))
        self.assertGreater(len(found["cpu"]), 0)
        for expected, value in zip(found["cpu"], found[FIRST]):
            # The CPU's kernels round differently where an address is aligned otherwise.
            numpy.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-6)

    def compare_gradients(self, make, *shape):
        def program():
            network = make()
            for _ in range(2):  # the second adds to the gradients of the first
                out = network(numbers(*shape))
                out = out[0] if isinstance(out, tuple) else out
                (out ** 2).sum().backward()
            return [value.grad for value in network.parameters() if value.grad is not None]
        self.compare(program)


class Gradients(Results):
    def test_they_are_added(self):
        for make, shape in ((lambda: nn.Linear(4, 3), (5, 4)), (lambda: nn.Conv2D(2, 3, 3), (2, 2, 6, 6)),
                            (lambda: nn.BatchNorm2D(2), (2, 2, 6, 6)), (lambda: nn.LayerNorm(4), (5, 4)),
                            (lambda: nn.LSTM(4, 3), (2, 5, 4)), (lambda: nn.GRU(4, 3), (2, 5, 4))):
            with self.subTest(make().__class__.__name__):
                self.compare_gradients(make, *shape)

    def test_sparse_ones(self):
        def program(name, options):
            table = nn.Embedding(10, 4, sparse=True)
            trainer = getattr(paddle.optimizer, name)(0.1, parameters=table.parameters(), **options)
            for _ in range(3):
                table(paddle.to_tensor([1, 3, 3])).sum().backward()
                self.assertTrue(table.weight.grad.is_selected_rows())
                trainer.step()
                trainer.clear_grad()
            return [table.weight]
        for name, options in (("SGD", {}), ("Adam", {"lazy_mode": True}), ("Adam", {}), ("Momentum", {})):
            with self.subTest(name, **options):
                self.compare(program, name, options)

    def test_of_recomputed_layers(self):
        def program():
            network = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 2))
            inputs = numbers(5, 4)
            inputs.stop_gradient = False
            paddle.distributed.fleet.utils.recompute(network, inputs).sum().backward()
            return [inputs.grad, *(value.grad for value in network.parameters())]
        self.compare(program)


class Optimizers(Results):
    def test_each(self):
        def program(name, options):
            network = nn.Linear(4, 3)
            trainer = getattr(paddle.optimizer, name)(parameters=network.parameters(), **options)

            def loss():
                trainer.clear_grad()
                value = (network(numbers(5, 4)) ** 2).mean()
                value.backward()
                return value
            before = network.weight.numpy()
            for _ in range(4):
                if name == "LBFGS":
                    trainer.step(loss)
                else:
                    loss()
                    trainer.step()
            self.assertFalse((network.weight.numpy() == before).all(), "it trains")
            return network.parameters()
        names = {name for name in paddle.optimizer.__all__ if name not in ("Optimizer", "Muon")}
        self.assertLessEqual(names, set(OPTIMIZERS))
        for name in names:
            with self.subTest(name):
                self.compare(program, name, OPTIMIZERS[name])
        with self.subTest("RMSProp, centered"):
            self.compare(program, "RMSProp", {"learning_rate": 0.01, "centered": True, "momentum": 0.9})

    def test_that_scale_the_loss(self):
        def program(level):
            network = nn.Linear(4, 3)
            trainer = paddle.optimizer.SGD(0.1, parameters=network.parameters())
            if level == "O2":
                network, trainer = paddle.amp.decorate(network, trainer, level="O2", dtype="bfloat16")
            scaler = paddle.amp.GradScaler(init_loss_scaling=1024.0)
            for _ in range(3):
                with paddle.amp.auto_cast(level=level, dtype="bfloat16"):
                    loss = (network(numbers(5, 4)) ** 2).mean()
                scaled = scaler.scale(loss)
                scaled.backward()
                scaler.step(trainer)
                scaler.update()
                trainer.clear_grad()
            return [value.astype("float32") for value in network.parameters()]
        for level in ("O0", "O1", "O2"):
            with self.subTest(level):
                self.compare(program, level)


class RandomNumbers(Results):
    def test_they_are_the_cpus_and_repeat_with_the_state(self):
        def program():
            first = paddle.rand([5])
            state = paddle.get_rng_state()
            second, third = paddle.rand([5]), paddle.nn.functional.dropout(paddle.ones([64]), 0.5)
            paddle.set_rng_state(state)
            self.assert_equal(paddle.rand([5]), second.numpy())
            self.assert_equal(paddle.nn.functional.dropout(paddle.ones([64]), 0.5), third.numpy())
            return [first, second, third, paddle.randn([3]), paddle.randperm(9), paddle.randint(0, 9, [5]),
                    paddle.bernoulli(paddle.full([9], 0.5)), paddle.multinomial(paddle.ones([5]), 3)]
        self.compare(program)


class HalfPrecision(Results):
    """Kernels of single precision serve it where the CPU has none: their results, rounded."""

    TYPES = {"float16": 1e-3, "bfloat16": 8e-3}

    def compare_rounded(self, program):
        """Results on the device in half precision beside those of the CPU in single precision."""
        for name, tolerance in self.TYPES.items():
            with self.subTest(name):
                paddle.set_device("cpu")
                expected = [value.numpy() for value in program("float32")]
                paddle.set_device(FIRST)
                found = program(name)
                self.assertGreater(len(found), 0)
                for one, value in zip(expected, found):
                    self.assert_on(value, FIRST)
                    self.assertEqual(value.dtype, getattr(paddle, name))
                    numpy.testing.assert_allclose(value.astype("float32").numpy(), one, rtol=tolerance, atol=tolerance)

    def values(self, name, *shape):
        # Numbers that half precision has.
        tensor = paddle.to_tensor((numpy.random.RandomState(3).randint(1, 64, shape) / 64).astype("float32"))
        tensor = tensor.astype(name)
        tensor.stop_gradient = False
        return tensor

    def test_operators(self):
        operators = {
            "add": lambda x: x + x, "divide": lambda x: x / (x + 1), "matmul": lambda x: x @ x, "exp": paddle.exp,
            "softmax": nn.functional.softmax, "gelu": nn.functional.gelu, "max": lambda x: x.max(axis=1),
            "cumsum": lambda x: x.cumsum(axis=0), "where": lambda x: paddle.where(x > 0.5, x, -x)}
        for name, operator in operators.items():
            with self.subTest(operator=name):
                def program(dtype, operator=operator):
                    x = self.values(dtype, 4, 4)
                    out = operator(x)
                    out.sum().backward()
                    return [out, x.grad]
                self.compare_rounded(program)

    def test_operators_in_place(self):
        def program(dtype):
            x = self.values(dtype, 4, 4).detach()
            same = x.add_(self.values(dtype, 4, 4).detach()).scale_(0.5)
            x[1] = 7.0
            x.clip_(0.1, 0.5)
            self.assertIs(same, x)
            return [x]
        self.compare_rounded(program)

    def test_layers_and_their_statistics(self):
        for make, shape in ((lambda: nn.Linear(4, 3), (5, 4)), (lambda: nn.Conv2D(2, 3, 3), (2, 2, 6, 6)),
                            (lambda: nn.LayerNorm(4), (5, 4)), (lambda: nn.Embedding(9, 4), None)):
            def program(dtype, make=make, shape=shape):
                paddle.seed(5)
                network = make()
                for value in network.parameters():
                    value.set_value(numpy.random.RandomState(5).randint(-8, 8, value.shape).astype("float32") / 16)
                network.to(dtype=dtype)
                for _ in range(2):
                    out = network(self.values(dtype, *shape) if shape else paddle.to_tensor([1, 3, 3]))
                    (out * 0.125).sum().backward()
                return [out, *(value.grad for value in network.parameters())]
            with self.subTest(make().__class__.__name__):
                self.compare_rounded(program)
        with self.subTest("the mean and the variance of a batch are in single precision"):
            norm = nn.BatchNorm2D(2)
            inputs = self.values("float16", 2, 2, 3, 3)
            norm(inputs).sum().backward()
            self.assertEqual(norm._mean.dtype, paddle.float32)
            self.assertEqual(inputs.grad.dtype, paddle.float16)
            numpy.testing.assert_allclose(
                norm._mean.numpy(), 0.1 * inputs.numpy().astype("float32").mean((0, 2, 3)), rtol=1e-5)

    def test_masters_of_parameters_are_updated(self):
        # A step that half precision has no number for is kept by the master.
        for name in ("Momentum", "Adam", "AdamW", "Lamb"):
            with self.subTest(name):
                network = nn.Linear(1, 64)
                network.to(dtype="float16")
                parameter = network.weight
                trainer = getattr(paddle.optimizer, name)(1e-5, parameters=[parameter], multi_precision=True)
                before = parameter.astype("float32").numpy()
                for _ in range(8):
                    (parameter * 1.0).sum().backward()
                    trainer.step()
                    trainer.clear_grad()
                master = trainer._master_weights[parameter.name].numpy()
                self.assertEqual(master.dtype, numpy.float32)
                self.assertTrue((master < before).all(), "each step counts")
                numpy.testing.assert_array_equal(parameter.numpy(), master.astype("float16"))

    def test_automatic_mixed_precision(self):
        for dtype in self.TYPES:
            self.assertTrue(getattr(paddle.amp, f"is_{dtype}_supported")())
        # Paddle turns bfloat16 off on devices of plug-ins, with a warning.
        for level in ("O1", "O2"):
            with self.subTest(level):
                network = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
                trainer = paddle.optimizer.Adam(0.01, parameters=network.parameters(), multi_precision=True)
                if level == "O2":
                    network, trainer = paddle.amp.decorate(network, trainer, level="O2", dtype="float16")
                scaler = paddle.amp.GradScaler(init_loss_scaling=1024.0)
                losses = []
                for _ in range(30):
                    with paddle.amp.auto_cast(level=level, dtype="float16"):
                        self.assertEqual((numbers(4, 4) @ numbers(4, 4)).dtype, paddle.float16)
                        loss = ((network(numbers(32, 4)).astype("float32") - 2.0) ** 2).mean()
                    scaler.scale(loss).backward()
                    scaler.step(trainer)
                    scaler.update()
                    trainer.clear_grad()
                    losses.append(float(loss))
                self.assertLess(losses[-1], losses[0] / 2)


class Programs(Results):
    def static(self, build, feed, runs):
        """The results of a program on the current device."""
        on_cpu = paddle.get_device() == "cpu"
        paddle.enable_static()
        try:
            main, start = paddle.static.Program(), paddle.static.Program()
            main.random_seed = start.random_seed = 5
            with paddle.static.program_guard(main, start):
                fetched = build()
            executor = paddle.static.Executor(paddle.CPUPlace() if on_cpu else paddle.CustomPlace("portacl", 0))
            executor.run(start)
            return [value for _ in range(runs) for value in executor.run(main, feed=feed, fetch_list=fetched)]
        finally:
            paddle.disable_static()

    def test_static_ones_train(self):
        def build(name):
            inputs = paddle.static.data("x", [4, 3], "float32")
            hidden = nn.functional.dropout(paddle.static.nn.fc(inputs, 8, activation="relu"), 0.3)
            loss = (paddle.static.nn.fc(hidden, 1) ** 2).mean()
            getattr(paddle.optimizer, name)(0.1).minimize(loss)
            return [loss]

        def program(name):
            losses = self.static(lambda: build(name), {"x": numpy.ones((4, 3), "float32")}, 4)
            self.assertNotEqual(losses[0], losses[-1], "it trains")
            return losses
        for name in ("SGD", "Momentum", "Adam"):
            with self.subTest(name):
                self.compare(program, name)

    def test_static_ones_branch_and_loop(self):
        def build():
            inputs = paddle.static.data("x", [4], "float32")
            total = paddle.static.nn.cond(inputs.sum() > 3, lambda: inputs * 2, lambda: inputs - 1)
            count = paddle.zeros([1], "int64")
            _, total = paddle.static.nn.while_loop(
                lambda i, _: i < 3, lambda i, value: [i + 1, value * 2], [count, total])
            return [total]
        self.compare(lambda: self.static(build, {"x": numpy.ones(4, "float32")}, 1))

    def test_those_of_to_static_keep_statistics(self):
        def program():
            network = paddle.jit.to_static(nn.Sequential(nn.Conv2D(1, 2, 3), nn.BatchNorm2D(2)), full_graph=True)
            trainer = paddle.optimizer.SGD(0.1, parameters=network.parameters())
            for _ in range(3):
                (network(numbers(2, 1, 6, 6)) ** 2).sum().backward()
                trainer.step()
                trainer.clear_grad()
            self.assertTrue((network[1]._mean.numpy() != 0).all())
            return network.parameters()  # with the statistics
        self.compare(program)

    def test_saved_ones_infer(self):
        def program():
            network = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
            network.eval()
            inputs = numbers(3, 4)
            with tempfile.TemporaryDirectory() as folder:
                path = f"{folder}/network"
                paddle.jit.save(network, path, input_spec=[paddle.static.InputSpec([None, 4], "float32")])
                loaded = paddle.jit.load(path)(inputs)
                paddle.save(network.state_dict(), f"{path}.pdparams")
                values = paddle.load(f"{path}.pdparams")
                config = paddle.inference.Config(f"{path}.json", f"{path}.pdiparams")
                config.disable_glog_info()
                if paddle.get_device() != "cpu":
                    config.enable_custom_device("portacl", 0)
                predictor = paddle.inference.create_predictor(config)
                predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(inputs.numpy())
                predictor.run()
                predicted = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
            return [network(inputs), loaded, predicted, *values.values()]
        self.compare(program)


if __name__ == "__main__":
    unittest.main()
