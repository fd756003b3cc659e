"""paddle.distributed: several processes, each a rank with a device of its own."""

import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = str(HERE / "distributed.py")
# What a machine without the module of collectives for Paddle says.
NO_MODULE = "a communicator of several ranks needs the Gloo library"


def free_ports(count):
    """Ports that nothing uses now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Launch(unittest.TestCase):
    def launch(self, function, size=2):
        """Runs a function in processes of Paddle's launcher; returns what they printed."""
        with tempfile.TemporaryDirectory() as logs:
            done = subprocess.run(
                [sys.executable, "-m", "paddle.distributed.launch", "--devices", ",".join(map(str, range(size))),
                 "--log_dir", logs, "--master", f"127.0.0.1:{free_ports(1)[0]}", PROGRAM, function],
                timeout=300, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
            output = done.stdout + "".join(log.read_text(errors="replace") for log in pathlib.Path(logs).iterdir())
        if NO_MODULE in output:
            self.skipTest(NO_MODULE)
        self.assertEqual(done.returncode, 0, output)
        return output

    def test_collectives(self):
        output = self.launch("collectives")
        for rank in range(2):
            self.assertIn(f"rank {rank} of 2 has done all", output)

    def test_data_parallel(self):
        output = self.launch("data_parallel")
        for rank in range(2):
            self.assertIn(f"rank {rank} of 2 has learned", output)


class Failure(unittest.TestCase):
    def test_a_killed_rank_fails_the_others(self):
        ports = free_ports(3)
        endpoints = [f"127.0.0.1:{port}" for port in ports[:2]]
        started = []
        for rank, endpoint in enumerate(endpoints):
            environment = {
                "PADDLE_MASTER": f"127.0.0.1:{ports[2]}", "PADDLE_TRAINER_ID": str(rank), "PADDLE_TRAINERS_NUM": "2",
                "PADDLE_CURRENT_ENDPOINT": endpoint, "PADDLE_TRAINER_ENDPOINTS": ",".join(endpoints),
                "PADDLE_DISTRI_BACKEND": "xccl", "PADDLE_XCCL_BACKEND": "portacl", "FLAGS_selected_portacls": str(rank)}
            started.append(subprocess.Popen(
                [sys.executable, PROGRAM, "killed"], env={**os.environ, **environment},
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"))
        try:
            outputs = [process.communicate(timeout=120)[0] for process in started]
        finally:
            for process in started:
                process.kill()
        if NO_MODULE in outputs[0]:
            self.skipTest(NO_MODULE)
        self.assertEqual([process.returncode for process in started], [3, -9], outputs)
        self.assertIn("rank 0 knows", outputs[0])
        self.assertIn("HcclAllReduce: the process of rank 1 has ended", outputs[0])


if __name__ == "__main__":
    unittest.main()
