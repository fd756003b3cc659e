"""torch.distributed with the backend hccl: each collective against its definition, and models against one process."""

import os
import sys

import ranks


def collectives():
    """Each collective of torch, several types and reductions."""
    torch, dist, rank, size = ranks.join()
    types = [torch.int8, torch.int32, torch.int64, torch.float32, torch.float16, torch.bfloat16]
    reductions = {dist.ReduceOp.SUM: sum, dist.ReduceOp.MAX: max, dist.ReduceOp.MIN: min}

    def values(of, count=6):
        return [(of * 5 + index) % 7 + 1 for index in range(count)]

    def tensor(numbers, kind=torch.float32):
        return torch.tensor(numbers, dtype=kind).npu()

    def same(found, wanted, what):
        assert found.cpu().tolist() == list(wanted), f"{what}: {found.cpu().tolist()} in place of {list(wanted)}"

    for kind in types:
        for reduction, of in reductions.items():
            all_values = [[of(column) for column in zip(*(values(other) for other in range(size)))]]
            own = tensor(values(rank), kind)
            dist.all_reduce(own, reduction)
            same(own, all_values[0], f"all_reduce {kind} {reduction}")
        gathered = [torch.empty(6, dtype=kind).npu() for _ in range(size)]
        dist.all_gather(gathered, tensor(values(rank), kind))
        for other in range(size):
            same(gathered[other], values(other), f"all_gather {kind}")
    whole = torch.empty(6 * size).npu()
    dist.all_gather_into_tensor(whole, tensor(values(rank)))
    same(whole, sum((values(other) for other in range(size)), []), "all_gather_into_tensor")
    part = torch.empty(6).npu()
    dist.reduce_scatter_tensor(part, tensor(values(rank, 6 * size)))
    columns = [sum(column) for column in zip(*(values(other, 6 * size) for other in range(size)))]
    same(part, columns[6 * rank:6 * rank + 6], "reduce_scatter_tensor")
    for root in range(size):
        own = tensor(values(rank))
        dist.broadcast(own, root)
        same(own, values(root), "broadcast")
        own = tensor(values(rank))
        dist.reduce(own, root)
        if rank == root:
            same(own, [sum(column) for column in zip(*(values(other) for other in range(size)))], "reduce")
    exchanged = torch.empty(size).npu()
    dist.all_to_all_single(exchanged, tensor(values(rank, size)))
    same(exchanged, [values(other, size)[rank] for other in range(size)], "all_to_all_single")
    sends = [(rank + other) % 3 for other in range(size)]
    receives = [(other + rank) % 3 for other in range(size)]
    exchanged = torch.empty(sum(receives)).npu()
    dist.all_to_all_single(exchanged, tensor([float(rank)] * sum(sends)), receives, sends)
    same(exchanged, [float(other) for other in range(size) for _ in range(receives[other])], "all_to_all_single, sizes")
    right, left = (rank + 1) % size, (rank - 1) % size
    received = torch.empty(6).npu()
    if rank % 2 == 0:
        dist.send(tensor(values(rank)), right)
        dist.recv(received, left)
    else:
        dist.recv(received, left)
        dist.send(tensor(values(rank)), right)
    same(received, values(left), "send and recv")
    dist.barrier()
    if rank == 0:
        print(f"collectives: {size} ranks")
    dist.destroy_process_group()


def objects():
    """Objects, groups of some ranks, and a run that ends without destroy_process_group."""
    torch, dist, rank, size = ranks.join()
    found = [None] * size
    dist.all_gather_object(found, {"rank": rank, "text": "x" * (rank * 100)})
    assert [each["rank"] for each in found] == list(range(size))
    assert len(found[-1]["text"]) == 100 * (size - 1)
    sent = [{"from": 0, "numbers": [1, 2, 3]}] if rank == 0 else [None]
    dist.broadcast_object_list(sent, 0)
    assert sent[0] == {"from": 0, "numbers": [1, 2, 3]}
    even = dist.new_group([other for other in range(size) if other % 2 == 0])
    if rank % 2 == 0:
        own = torch.ones(3).npu() * rank
        dist.all_reduce(own, group=even)
        assert own[0].item() == sum(range(0, size, 2))
    dist.barrier()


def model(torch):
    """A model, and a function that returns the batch of a step."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4))

    def batch(step):
        torch.manual_seed(100 + step)
        return torch.randn(16, 16), torch.randn(16, 4)

    return net, batch


def train(torch, net, batch, part, steps=10):
    """The losses of some steps on a part of each batch."""
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    losses = []
    for step in range(steps):
        inputs, wanted = (each[part].npu() for each in batch(step))
        loss = torch.nn.functional.mse_loss(net(inputs), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return losses


def trains_as_one(wrap):
    """A model that `wrap` spreads over the ranks trains as one process with the whole batch."""
    torch, dist, rank, size = ranks.join()
    net, batch = model(torch)
    alone = train(torch, net.npu(), batch, slice(0, 16))
    net, batch = model(torch)
    rows = 16 // size
    losses = train(torch, wrap(torch, net.npu(), rank), batch, slice(rank * rows, rank * rows + rows))
    for step, loss in enumerate(losses):
        dist.all_reduce(loss)
        difference = abs(loss.item() / size - alone[step].item())
        assert difference < 1e-5, f"step {step}: {difference}"
    dist.destroy_process_group()


def data_parallel():
    """DistributedDataParallel."""
    trains_as_one(lambda torch, net, rank: torch.nn.parallel.DistributedDataParallel(net, device_ids=[rank]))


def fully_sharded():
    """FullyShardedDataParallel."""
    def wrap(_torch, net, rank):
        from torch.distributed.fsdp import FullyShardedDataParallel

        return FullyShardedDataParallel(net, device_id=rank)

    trains_as_one(wrap)


def one_rank():
    """A world of one process."""
    torch, dist, _, size = ranks.join()
    assert size == 1
    own = torch.arange(3.0).npu()
    dist.all_reduce(own)
    assert own.cpu().tolist() == [0, 1, 2]
    net, batch = model(torch)
    train(torch, torch.nn.parallel.DistributedDataParallel(net.npu(), device_ids=[0]), batch, slice(0, 16), 2)
    dist.destroy_process_group()


def killed():
    """The last rank ends in the middle; the others fail with a text that names it."""
    torch, dist, rank, size = ranks.join()
    own = torch.ones(4).npu()
    dist.all_reduce(own)
    torch.npu.synchronize()
    if rank == size - 1:
        os.kill(os.getpid(), 9)
    try:
        dist.all_reduce(own)
        torch.npu.synchronize()
    except RuntimeError as error:
        print(f"failed as it must: {error}", flush=True)
        os._exit(21)
    sys.exit("the operation did not fail")


def kill():
    """Starts worlds of which one rank is killed."""
    for size in (2, 4):
        results = ranks.finish(ranks.start([sys.argv[0], "killed"], size))
        if any(status == 77 for _, status in results):
            print(results[0][0])
            sys.exit(77)
        assert results[-1][1] == -9, results[-1]
        for rank, (output, status) in enumerate(results[:-1]):
            assert status != 0 and f"rank {size - 1}" in output, f"rank {rank} of {size} ended with {status}:\n{output}"
        print(f"killed, {size} ranks: passed", flush=True)
    print("2 passed, 0 failed")


FUNCTIONS = ["collectives", "objects", "data_parallel", "fully_sharded"]

if __name__ == "__main__":
    if os.environ.get("PORTACL_TEST_RANK"):
        globals()[sys.argv[1]]()
    elif sys.argv[1:] == ["kill"]:
        kill()
    elif sys.argv[1:] == ["one_rank"]:
        ranks.main(["one_rank"], (1,))
    else:
        ranks.main(sys.argv[1:] or FUNCTIONS)
