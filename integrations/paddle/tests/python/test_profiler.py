"""What Paddle's profiler shows of the device."""

import json
import pathlib
import tempfile
import unittest

import numpy
import paddle
import paddle.profiler as profiler

from support import FIRST, SECOND, OnDevice, has_cpu_kernels


class Profiler(OnDevice):
    def trace(self, work):
        """The events of Paddle's timeline, as chrome shows it."""
        with tempfile.TemporaryDirectory() as folder:
            recorder = profiler.Profiler(
                targets=[profiler.ProfilerTarget.CPU, profiler.ProfilerTarget.CUSTOM_DEVICE],
                custom_device_types=["portacl"], on_trace_ready=lambda _: None)  # else it writes where we are
            recorder.start()
            work()
            recorder.stop()
            path = str(pathlib.Path(folder, "trace.json"))
            recorder.export(path, format="json")
            return json.loads(pathlib.Path(path).read_text())["traceEvents"]

    def test_streams_and_copies_are_in_the_timeline(self):
        source = numpy.ones(10_000, dtype="float32")

        def work():
            tensor = paddle.to_tensor(source)
            tensor.to(SECOND)
            tensor.numpy()
            # What the plug-in fills: where it has the CPU's kernels, only types that these cannot fill.
            paddle.zeros([5000], dtype=paddle.uint32 if has_cpu_kernels() else paddle.float32)
            stream = paddle.device.Stream(FIRST)
            stream.record_event()
            stream.synchronize()

        events = self.trace(work)
        names = [event.get("name", "") for event in events]
        for expected in ("MEMCPY_HtoD", "MEMCPY_DtoH", "MEMCPY_DtoD", "MEMSET", "record_event", "synchronize_stream"):
            self.assertTrue(any(expected in name for name in names), f"{expected} in {sorted(set(names))}")
        copy = next(event for event in events if "MEMCPY_HtoD" in event.get("name", ""))
        self.assertIn(40_000, [int(v) for v in copy["args"].values() if str(v).isdigit()], copy)

    def test_a_second_trace_starts_empty(self):
        self.trace(lambda: paddle.to_tensor(numpy.ones(100, dtype="float32")))
        events = self.trace(lambda: None)
        self.assertFalse([e for e in events if "MEMCPY" in e.get("name", "")])


if __name__ == "__main__":
    unittest.main()
