"""What a rank of test_distributed.py runs: `distributed.py FUNCTION`, in each process that the launcher starts."""

import os
import signal
import sys

import numpy
import paddle
import paddle.distributed as dist

TYPES = ["uint8", "int8", "int16", "int32", "int64", "float32", "float64", "float16", "bfloat16"]


def values(rank, count=4):
    return [(rank * 5 + index) % 3 + 1 for index in range(count)]


def columns(size, count=4):
    """For each element, its values on all ranks."""
    return list(zip(*(values(rank, count) for rank in range(size))))


def tensor(numbers, kind="float32"):
    # The CPU has no operators for some types.
    if kind == "bfloat16":
        bits = numpy.array(numbers, dtype="float32").view("uint32") >> 16
        return paddle.to_tensor(bits.astype("uint16").view("uint16"), dtype="bfloat16")
    return paddle.to_tensor(numpy.array(numbers, dtype=kind))


def numbers_of(found):
    array = found.numpy()
    if found.dtype == paddle.bfloat16:
        array = (array.astype("uint32") << 16).view("float32")
    return array.tolist()


def same(found, wanted, what):
    got = numbers_of(found)
    assert got == [type(got[0])(number) for number in wanted], f"{what}: {got} in place of {list(wanted)}"


def reductions(rank, size):
    kinds = {dist.ReduceOp.SUM: sum, dist.ReduceOp.MAX: max, dist.ReduceOp.MIN: min, dist.ReduceOp.PROD: numpy.prod}
    for kind in TYPES:
        for reduction, of in kinds.items():
            wanted = [of(column) for column in columns(size)]
            own = tensor(values(rank), kind)
            dist.all_reduce(own, op=reduction)
            same(own, wanted, f"all_reduce {kind} {reduction}")
        if kind == "int16":
            continue  # Paddle itself splits no tensors of it
        gathered = []
        dist.all_gather(gathered, tensor(values(rank), kind))
        for other in range(size):
            same(gathered[other], values(other), f"all_gather {kind}")
    for root in range(size):
        own = tensor(values(rank))
        dist.reduce(own, dst=root)
        if rank == root:
            same(own, [sum(column) for column in columns(size)], "reduce")
        own = tensor(values(rank))
        dist.broadcast(own, src=root)
        same(own, values(root), "broadcast")
    part = paddle.empty([4])
    dist.reduce_scatter(part, tensor(values(rank, 4 * size)))
    same(part, [sum(column) for column in columns(size, 4 * size)][4 * rank:4 * rank + 4], "reduce_scatter")


def exchanges(rank, size):
    right, left = (rank + 1) % size, (rank - 1) % size
    received = paddle.empty([4])
    if rank % 2 == 0:
        dist.send(tensor(values(rank)), dst=right)
        dist.recv(received, src=left)
    else:
        dist.recv(received, src=left)
        dist.send(tensor(values(rank)), dst=right)
    same(received, values(left), "send and recv")
    received = paddle.empty([4])
    # For devices of plug-ins Paddle makes no group of the operations, so their order matters.
    transfers = [dist.P2POp(dist.isend, tensor(values(rank)), right), dist.P2POp(dist.irecv, received, left)]
    for task in dist.batch_isend_irecv(transfers if rank % 2 == 0 else transfers[::-1]):
        task.wait()
    same(received, values(left), "batch_isend_irecv")
    exchanged = []
    dist.alltoall(exchanged, [tensor(values(rank + other)) for other in range(size)])
    for other in range(size):
        same(exchanged[other], values(other + rank), "alltoall")
    single = paddle.empty([size])
    dist.alltoall_single(single, tensor(values(rank, size)))
    same(single, [values(other, size)[rank] for other in range(size)], "alltoall_single")
    part = paddle.empty([4])
    dist.scatter(part, [tensor(values(other)) for other in range(size)] if rank == 0 else None, src=0)
    same(part, values(rank), "scatter")


def collectives():
    """Each collective of Paddle, objects, and a group of one rank."""
    dist.init_parallel_env()
    rank, size = dist.get_rank(), dist.get_world_size()
    reductions(rank, size)
    exchanges(rank, size)
    found = []
    dist.all_gather_object(found, {"rank": rank, "text": "x" * 100 * rank})
    assert [each["rank"] for each in found] == list(range(size)), found
    alone = [dist.new_group([other]) for other in range(size)][rank]
    both = dist.new_group(list(range(size)))
    own = tensor(values(rank))
    dist.all_reduce(own, group=alone)
    same(own, values(rank), "a group of one rank")
    dist.all_reduce(own, group=both)
    same(own, [sum(column) for column in columns(size)], "a group of all ranks")
    dist.barrier()
    print(f"rank {rank} of {size} has done all", flush=True)


def train(network, inputs, labels, steps=5):
    trainer = paddle.optimizer.Momentum(0.05, parameters=network.parameters())
    for _ in range(steps):
        loss = paddle.nn.functional.cross_entropy(network(inputs), labels)
        loss.backward()
        trainer.step()
        trainer.clear_grad()
    return [parameter.numpy() for parameter in network.parameters()]


def network():
    paddle.seed(7)
    return paddle.nn.Sequential(paddle.nn.Linear(16, 32), paddle.nn.ReLU(), paddle.nn.Linear(32, 4))


def data_parallel():
    """Ranks with a part of the batch each learn as one process with the whole batch."""
    dist.init_parallel_env()
    rank, size = dist.get_rank(), dist.get_world_size()
    random = numpy.random.RandomState(3)
    inputs = random.randn(8 * size, 16).astype("float32")
    labels = random.randint(0, 4, [8 * size]).astype("int64")
    own = slice(8 * rank, 8 * rank + 8)
    learned = train(paddle.DataParallel(network()), paddle.to_tensor(inputs[own]), paddle.to_tensor(labels[own]))
    wanted = train(network(), paddle.to_tensor(inputs), paddle.to_tensor(labels))
    for one, other in zip(learned, wanted):
        numpy.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
    print(f"rank {rank} of {size} has learned", flush=True)


def killed():
    """The last rank is killed while the others wait for it."""
    dist.init_parallel_env()
    rank, size = dist.get_rank(), dist.get_world_size()
    dist.all_reduce(tensor(values(rank)))
    paddle.device.synchronize()
    if rank == size - 1:
        os.kill(os.getpid(), signal.SIGKILL)
    own = tensor(values(rank))
    try:
        dist.all_reduce(own)
        paddle.device.synchronize()
    except OSError as error:
        print(f"rank {rank} knows: {error}", flush=True)
        os._exit(3)


if __name__ == "__main__":
    {"collectives": collectives, "data_parallel": data_parallel, "killed": killed}[sys.argv[1]]()
