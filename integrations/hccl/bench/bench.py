"""bench.py [DOCUMENT.md]: collectives of the device beside torch's own Gloo on the CPU, in the same processes, medians
of rounds in turn. Writes the table of the document."""

import datetime
import json
import os
import pathlib
import statistics
import sys
import time

os.environ.setdefault("TASK_QUEUE_ENABLE", "0")

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/torch"))
import library  # noqa: E402
import ranks  # noqa: E402

ROUNDS = 15
HEAD = ("| work | ranks | torch's Gloo | the device | | goal | |", "|---|---|---|---|---|---|---|")
MARKS = "<!-- times -->", "<!-- end of times -->"


class Bench:
    """A rank that measures. Each work is a pair of functions: over Gloo, and on the device."""

    def __init__(self):
        self.torch, self.dist, self.rank, self.size = ranks.join()
        self.gloo = self.dist.new_group(backend="gloo")

    def seconds(self, run, count):
        self.dist.barrier(self.gloo)
        begin = time.perf_counter()
        for _ in range(count):
            run()
        return (time.perf_counter() - begin) / count

    def compare(self, one, other, count):
        """The median times of both, and of their ratios."""
        for run in (one, other):
            self.seconds(run, count)
        rounds = [(self.seconds(one, count), self.seconds(other, count)) for _ in range(ROUNDS)]
        medians = [statistics.median(column) for column in zip(*rounds)]
        return *medians, statistics.median(b / a for a, b in rounds)

    def all_reduce(self, elements, count):
        host = self.torch.ones(elements)
        device = self.torch.ones(elements).npu()

        def run():
            self.dist.all_reduce(device)
            self.torch.npu.synchronize()

        return self.compare(lambda: self.dist.all_reduce(host, group=self.gloo), run, count)

    def call(self, count):
        """The call of the library, without torch_npu."""
        host = self.torch.ones(1)
        device = self.torch.ones(1).npu()
        communicator = library.Communicator(self.torch, self.dist, "bench")
        gloo = lambda: self.dist.all_reduce(host, group=self.gloo)  # noqa: E731
        found = self.compare(gloo, lambda: communicator.sum(device), count)
        communicator.destroy()
        return found

    def without_network(self, count):
        """The time of an all_reduce of 4 B in a group whose other ranks do not exist."""
        os.environ["PORTACL_HCCL"] = f"fake:{self.rank}/{self.size}"
        group = self.dist.new_group()
        device = self.torch.ones(1).npu()

        def run():
            self.dist.all_reduce(device, group=group)
            self.torch.npu.synchronize()

        run()
        del os.environ["PORTACL_HCCL"]
        return statistics.median(self.seconds(run, count) for _ in range(ROUNDS))

    def step(self, where, group):
        """A training step of an MLP, batch 256, hidden 512."""
        nn = self.torch.nn
        self.torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
        net = nn.parallel.DistributedDataParallel(net.to(where), process_group=group)
        optimizer = self.torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
        x, y = self.torch.randn(256, 512).to(where), self.torch.randint(0, 10, (256,)).to(where)

        def run():
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            return loss.item()

        return run

    def overlap(self):
        """A product and an all_reduce of about the same time, one after the other, and on two streams."""
        torch = self.torch
        a = torch.randn(1024, 1024).npu()
        out = torch.empty_like(a)
        values = torch.ones(4 << 20).npu()
        streams = torch.npu.Stream(), torch.npu.Stream()

        def in_turn():
            torch.mm(a, a, out=out)
            torch.npu.synchronize()
            self.dist.all_reduce(values)
            torch.npu.synchronize()

        def together():
            with torch.npu.stream(streams[1]):
                self.dist.all_reduce(values, async_op=True)
            with torch.npu.stream(streams[0]):
                torch.mm(a, a, out=out)
            torch.npu.synchronize()

        return self.compare(in_turn, together, 3)


def measure():
    """What a rank measures. Rank 0 prints it."""
    bench = Bench()
    found = {"large": bench.all_reduce(16 << 20, 2)}
    if bench.size == 2:
        found["call"] = bench.call(200)
        found["small"] = bench.all_reduce(1, 200)
        found["without_network"] = bench.without_network(200)
        found["step"] = bench.compare(bench.step("cpu", bench.gloo), bench.step("npu", None), 5)
        found["overlap"] = bench.overlap()
    if bench.rank == 0:
        print(json.dumps(found), flush=True)
    bench.dist.destroy_process_group()


def verdict(is_met):
    return "met" if is_met else "missed"


def rows(size, found):
    def time_of(seconds):
        return f"{seconds * 1e6:.0f} us" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"

    def row(work, key, more, goal, is_met):
        one, other, _ = found[key]
        return f"| {work} | {size} | {time_of(one)} | {time_of(other)} | {more} | {goal} | {is_met} |"

    def ratio(work, key, most):
        value = found[key][2]
        return row(work, key, f"{value:.2f} times", f"at most {most} times", verdict(value <= most))

    yield ratio("all_reduce of 64 MiB", "large", 1.1)
    if "small" not in found:
        return
    own = time_of(found["without_network"])
    works = {"call": "all_reduce of 4 B: HcclAllReduce and aclrtSynchronizeStream",
             "small": f"the same through torch_npu, which needs {own} if nothing is sent"}
    for key, work in works.items():
        over = (found[key][1] - found[key][0]) * 1e6
        yield row(work, key, f"{over:+.0f} us", "at most 30 us more", verdict(over <= 30))
    yield ratio("a step of DDP: MLP, batch 256, hidden 512", "step", 1.15)
    one, other, value = found["overlap"]
    # Each rank needs a processor for the product and one for the sum.
    free = os.cpu_count() >= 2 * size
    judged = verdict(value <= 0.8) if free else f"not judged: {os.cpu_count()} processors"
    yield (f"| product and all_reduce on the device, one after the other and on two streams | {size} | "
           f"{time_of(one)} | {time_of(other)} | {value:.2f} times | at most 0.8 times | {judged} |")


def main(document):
    table = list(HEAD)
    for size in (2, 4):
        results = ranks.finish(ranks.start([sys.argv[0]], size))
        for output, status in results:
            if status != 0:
                print(output)
                sys.exit(status)
        line = next(line for line in results[0][0].splitlines() if line.startswith("{"))
        table += rows(size, json.loads(line))
    print("\n".join(table))
    if document:
        path = pathlib.Path(document)
        before, rest = path.read_text().split(MARKS[0])
        head = (f"{datetime.date.today()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the end, one "
                f"thread of torch in each rank, TASK_QUEUE_ENABLE=0. Medians of {ROUNDS} rounds in turn.")
        path.write_text(before + "\n".join([MARKS[0], "", head, "", *table, "", MARKS[1]]) + rest.split(MARKS[1])[1])


if __name__ == "__main__":
    if os.environ.get("PORTACL_TEST_RANK"):
        measure()
    else:
        main(sys.argv[1] if len(sys.argv) > 1 else None)
