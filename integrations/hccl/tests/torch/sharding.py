"""torch.distributed with the backend hccl: models and states that are spread over ranks, against one process; several
groups and streams; communicators that come and go."""

import os
import shutil
import sys
import tempfile

import distributed
import library
import ranks

STEPS = 6


def losses_of_all(torch, dist, losses, size):
    """The mean of each loss over the ranks."""
    together = torch.stack(losses)
    dist.all_reduce(together)
    return (together / size).tolist()


def same(found, wanted, what, bound=1e-5):
    difference = max(abs(one - other) for one, other in zip(found, wanted, strict=True))
    assert difference < bound, f"{what}: {difference}"


def sharded():
    """fully_shard trains as one process; its state is saved, and loaded by another model, which goes on."""
    torch, dist, rank, size = ranks.join()
    import torch.distributed.checkpoint as checkpoint
    from torch.distributed.fsdp import fully_shard

    def sharded_model():
        net, batch = distributed.model(torch)
        net = net.npu()
        for layer in net:
            if list(layer.parameters()):
                fully_shard(layer)
        return fully_shard(net), batch

    def train(net, batch, first):
        rows = 16 // size
        part = slice(rank * rows, rank * rows + rows)
        losses = distributed.train(torch, net, lambda step: batch(first + step), part, STEPS)
        return losses_of_all(torch, dist, losses, size)

    net, batch = distributed.model(torch)
    alone = [loss.item() for loss in distributed.train(torch, net.npu(), batch, slice(0, 16), 2 * STEPS)]
    net, batch = sharded_model()
    held = sum(each.to_local().numel() for each in net.parameters())
    whole = sum(each.numel() for each in net.parameters())
    assert held < whole * 0.8, f"a rank has {held} of {whole} elements"
    same(train(net, batch, 0), alone[:STEPS], "fully_shard")

    folder = [tempfile.mkdtemp() if rank == 0 else None]
    dist.broadcast_object_list(folder, 0)
    checkpoint.save({"net": net.state_dict()}, checkpoint_id=folder[0])
    want = train(net, batch, STEPS)
    same(want, alone[STEPS:], "fully_shard, later")
    torch.manual_seed(rank)
    other, _ = sharded_model()
    with torch.no_grad():
        for each in other.parameters():
            each.mul_(0.5)
    state = {"net": other.state_dict()}
    checkpoint.load(state, checkpoint_id=folder[0])
    other.load_state_dict(state["net"])
    same(train(other, batch, STEPS), want, "after checkpoint.load", 1e-7)
    dist.barrier()
    if rank == 0:
        shutil.rmtree(folder[0])
    dist.destroy_process_group()


def sampled():
    """DistributedSampler: DDP trains as one process that takes the samples of all ranks in each step."""
    torch, dist, rank, size = ranks.join()
    from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

    torch.manual_seed(1)
    # Not a multiple of the ranks: some samples come twice.
    data = TensorDataset(torch.randn(37, 16), torch.randn(37, 4), torch.arange(37))

    def batches(of):
        sampler = DistributedSampler(data, num_replicas=size, rank=of, seed=3)
        loader = DataLoader(data, batch_size=4, sampler=sampler, drop_last=True)
        for epoch in range(2):
            sampler.set_epoch(epoch)
            yield from loader

    def losses(net, steps):
        optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
        found = []
        for inputs, wanted in steps:
            loss = torch.nn.functional.mse_loss(net(inputs.npu()), wanted.npu())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            found.append(loss.detach())
        return found

    of_all = list(zip(*(batches(of) for of in range(size)), strict=True))
    taken = {index.item() for step in of_all for _, _, indices in step for index in indices}
    assert len(taken) > 30, taken
    net, _ = distributed.model(torch)
    alone = losses(net.npu(), ([torch.cat(column) for column in list(zip(*step))[:2]] for step in of_all))
    net, _ = distributed.model(torch)
    spread = torch.nn.parallel.DistributedDataParallel(net.npu(), device_ids=[rank])
    together = losses(spread, (batch[:2] for batch in batches(rank)))
    same(losses_of_all(torch, dist, together, size), [loss.item() for loss in alone], "DistributedSampler")
    dist.destroy_process_group()


def exchanges():
    """Batches of point to point, tensors without elements, and four groups on four streams."""
    torch, dist, rank, size = ranks.join()
    received = [torch.zeros(other + 1).npu() for other in range(size)]
    operations = []
    for other in range(size):
        if other != rank:
            operations.append(dist.P2POp(dist.isend, torch.full((rank + 1,), float(rank)).npu(), other))
            operations.append(dist.P2POp(dist.irecv, received[other], other))
    for work in dist.batch_isend_irecv(operations):
        work.wait()
    for other in range(size):
        assert other == rank or received[other].tolist() == [float(other)] * (other + 1), received

    nothing = torch.empty(0).npu()
    dist.all_reduce(nothing)
    dist.broadcast(nothing, 0)
    dist.all_gather([torch.empty(0).npu() for _ in range(size)], nothing)
    dist.all_to_all_single(torch.empty(0).npu(), nothing, [0] * size, [0] * size)
    # One rank sends all it has to the next one.
    sends, receives = [0] * size, [0] * size
    if rank == 0:
        sends[1] = 5
    if rank == 1:
        receives[0] = 5
    found = torch.zeros(sum(receives)).npu()
    dist.all_to_all_single(found, torch.full((sum(sends),), 7.0).npu(), receives, sends)
    assert found.tolist() == [7.0] * sum(receives)

    groups = [dist.new_group() for _ in range(4)]
    values = [torch.full((1000,), float(index + 1)).npu() for index in range(4)]
    for group in groups:
        dist.barrier(group)
    streams = [torch.npu.Stream() for _ in groups]
    torch.npu.synchronize()
    works = []
    for turn in range(4):
        # A rank begins with another group than the others.
        index = (turn + rank) % 4
        with torch.npu.stream(streams[index]):
            works.append(dist.all_reduce(values[index], group=groups[index], async_op=True))
    for work in works:
        work.wait()
    torch.npu.synchronize()
    for index, value in enumerate(values):
        assert value.tolist() == [float(size * (index + 1))] * 1000
    # A run may end without destroy_process_group.


def comes_and_goes():
    """Communicators over the Gloo inside torch leave no descriptors and threads."""
    torch, dist, _, size = ranks.join()
    value = torch.ones(1).npu()
    torch.npu.synchronize()
    counts = []
    for time in range(200):
        communicator = library.Communicator(torch, dist, str(time))
        value.fill_(1)
        # The library's calls do not pass through torch_npu's queue.
        torch.npu.synchronize()
        communicator.sum(value)
        communicator.destroy()
        assert value.item() == size
        if time in (20, 199):
            counts.append([len(os.listdir(f"/proc/self/{each}")) for each in ("fd", "task")])
    # The last ones can still be ending.
    for before, after in zip(*counts):
        assert after <= before + 10, f"descriptors and threads: {counts}"
    dist.destroy_process_group()


FUNCTIONS = ["sharded", "sampled", "exchanges"]

if __name__ == "__main__":
    if os.environ.get("PORTACL_TEST_RANK"):
        globals()[sys.argv[1]]()
    elif sys.argv[1:] == ["comes_and_goes"]:
        ranks.main(["comes_and_goes"], (2,))
    else:
        ranks.main(sys.argv[1:] or FUNCTIONS)
