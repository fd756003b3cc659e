"""Saving, loading, and DataLoader."""

import pathlib
import tempfile
import unittest

import numpy
import paddle

from support import FIRST, SECOND, OnDevice


class SaveAndLoad(OnDevice):
    def test_a_tensor(self):
        with tempfile.TemporaryDirectory() as folder:
            path = str(pathlib.Path(folder, "tensor.pdt"))
            expected = numpy.arange(1000, dtype="float32")
            paddle.save(paddle.to_tensor(expected), path)
            loaded = paddle.load(path)
            self.assert_equal(loaded, expected)
            paddle.set_device("cpu")
            self.assert_equal(paddle.load(path), expected)

    def test_a_network_and_its_optimizer(self):
        network = paddle.nn.Linear(8, 4)
        trainer = paddle.optimizer.Adam(parameters=network.parameters())
        network(paddle.ones([2, 8])).sum().backward()
        trainer.step()
        with tempfile.TemporaryDirectory() as folder:
            paths = [str(pathlib.Path(folder, name)) for name in ("network.pdparams", "trainer.pdopt")]
            paddle.save(network.state_dict(), paths[0])
            paddle.save(trainer.state_dict(), paths[1])
            for device in (SECOND, "cpu"):
                paddle.set_device(device)
                other = paddle.nn.Linear(8, 4)
                other.set_state_dict(paddle.load(paths[0]))
                for name, value in network.state_dict().items():
                    self.assert_on(other.state_dict()[name], device)
                    self.assert_equal(other.state_dict()[name], value.numpy())
                again = paddle.optimizer.Adam(parameters=other.parameters())
                again.set_state_dict(paddle.load(paths[1]))


class Numbers(paddle.io.Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        return numpy.full([3], index, dtype="float32"), numpy.int64(index)


class DataLoader(OnDevice):
    def check(self, **options):
        loader = paddle.io.DataLoader(Numbers(), batch_size=8, **options)
        seen = []
        for values, labels in loader:
            self.assert_on(values, FIRST)
            numbers = labels.numpy().reshape(-1)
            numpy.testing.assert_array_equal(
                (values * 2.0).numpy(), numpy.repeat(numbers[:, None], 3, 1).astype("float32") * 2)
            seen.extend(numbers.tolist())
        self.assertEqual(sorted(seen), list(range(40)))

    def test_in_this_process(self):
        self.check(num_workers=0, shuffle=True)

    def test_with_forked_workers(self):
        paddle.ones([4]).numpy()  # the device is in use when they are forked
        self.check(num_workers=2)

    def test_without_shared_memory(self):
        self.check(num_workers=2, use_shared_memory=False)


if __name__ == "__main__":
    unittest.main()
