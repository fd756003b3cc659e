"""What the tests of torch.distributed share: `main` runs functions of a test in a process for each rank."""

import datetime
import os
import pathlib
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "operators/tests"))

LIMIT = 300


def free_port():
    """A port that nothing uses now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def start(arguments, size, environment=None):
    """Starts the processes of all ranks."""
    common = {**os.environ, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "WORLD_SIZE": str(size),
              "OMP_NUM_THREADS": "1", "PORTACL_TEST_RANK": "1", **(environment or {})}
    return [subprocess.Popen([sys.executable, *arguments], env={**common, "RANK": str(rank), "LOCAL_RANK": str(rank)},
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for rank in range(size)]


def finish(processes):
    """Waits for them, and returns what each printed and its status."""
    results = []
    for process in processes:
        try:
            output, _ = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            for other in processes:
                other.kill()
            output, _ = process.communicate()
            output += "\n(a rank did not end)"
        results.append((output, process.returncode))
    return results


def run(arguments, size, environment=None):
    """Runs all ranks, each of which must succeed."""
    for rank, (output, status) in enumerate(finish(start(arguments, size, environment))):
        if status == 77:
            print(output)
            sys.exit(77)
        if status != 0:
            sys.exit(f"rank {rank} of {size} ended with {status}:\n{output}")


def join(timeout=120):
    """Joins the process group of a rank, with a device of its own. Returns torch, torch.distributed, rank and size."""
    import device  # noqa: F401
    import torch
    import torch.distributed as dist

    rank = int(os.environ["RANK"])
    torch.npu.set_device(rank)
    dist.init_process_group("hccl", timeout=datetime.timedelta(seconds=timeout))
    return torch, dist, rank, dist.get_world_size()


def main(functions, sizes=(2, 4)):
    """Runs each function in worlds of these sizes. The test runs it if PORTACL_TEST_RANK is set."""
    count = 0
    for name in functions:
        for size in sizes:
            run([sys.argv[0], name], size)
            print(f"{name}, {size} ranks: passed", flush=True)
            count += 1
    print(f"{count} passed, 0 failed")
