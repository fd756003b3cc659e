"""30 training steps of a small network on a device, several times after two to warm up. Prints the least
seconds by the clock, and the least seconds of a processor.

usage: mlp.py DEVICE
"""

import sys
import time

import numpy
import paddle


def steps(network, trainer, inputs, targets, count=30):
    started, worked = time.perf_counter(), time.process_time()
    for _ in range(count):
        loss = ((network(inputs) - targets) ** 2).mean()
        loss.backward()
        trainer.step()
        trainer.clear_grad()
    float(loss)
    return time.perf_counter() - started, time.process_time() - worked


def main():
    paddle.set_device(sys.argv[1])
    random = numpy.random.RandomState(3)
    network = paddle.nn.Sequential(
        paddle.nn.Linear(64, 128), paddle.nn.ReLU(), paddle.nn.Linear(128, 64), paddle.nn.ReLU(),
        paddle.nn.Linear(64, 1))
    trainer = paddle.optimizer.SGD(0.01, parameters=network.parameters())
    inputs = paddle.to_tensor(random.randn(64, 64).astype("float32"))
    targets = paddle.to_tensor(random.randn(64, 1).astype("float32"))
    for _ in range(2):
        steps(network, trainer, inputs, targets)
    # The least of several: what others do to the machine only adds.
    print(*(min(times) for times in zip(*(steps(network, trainer, inputs, targets) for _ in range(10)))))


if __name__ == "__main__":
    main()
