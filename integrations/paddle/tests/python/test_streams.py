"""Streams, events and stream_guard."""

import unittest

import numpy
import paddle

from support import FIRST, SECOND, OnDevice


class Streams(OnDevice):
    def test_a_new_stream_is_idle(self):
        stream = paddle.device.Stream(FIRST)
        self.assertTrue(stream.query())
        stream.synchronize()

    def test_the_current_stream_and_stream_guard(self):
        before = str(paddle.device.current_stream(FIRST))
        stream = paddle.device.Stream(FIRST)
        self.assertNotEqual(str(stream), before)
        tensor = paddle.to_tensor(numpy.arange(1000, dtype="float32"))
        with paddle.device.stream_guard(stream):
            self.assertEqual(str(paddle.device.current_stream(FIRST)), str(stream))
            result = tensor * 2.0 + 1.0
        self.assertEqual(str(paddle.device.current_stream(FIRST)), before)
        stream.synchronize()
        self.assert_equal(result, numpy.arange(1000, dtype="float32") * 2 + 1)

    def test_set_stream(self):
        stream = paddle.device.Stream(FIRST)
        before = paddle.device.set_stream(stream)
        try:
            self.assert_equal(paddle.to_tensor([1.0]) + 1.0, [2.0])
        finally:
            paddle.device.set_stream(before)

    def test_streams_of_two_devices(self):
        streams = {device: paddle.device.Stream(device) for device in (FIRST, SECOND)}
        for device, stream in streams.items():
            paddle.set_device(device)
            with paddle.device.stream_guard(stream):
                self.assert_equal(paddle.full([4], 2.0) * 3.0, [6.0] * 4)
            stream.synchronize()

    def test_many_come_and_go(self):
        for _ in range(200):
            self.assertTrue(paddle.device.Stream(FIRST).query())

    def test_copies_between_devices_in_streams(self):
        stream = paddle.device.Stream(SECOND)
        for round_ in range(10):
            source = paddle.full([50_000], float(round_))
            paddle.set_device(SECOND)
            with paddle.device.stream_guard(stream):
                target = source.to(SECOND)
                result = target + 1.0
            stream.synchronize()
            self.assertTrue((result.numpy() == round_ + 1).all())
            paddle.set_device(FIRST)


class Events(OnDevice):
    def test_never_recorded_counts_as_complete(self):
        event = paddle.device.Event()
        self.assertTrue(event.query())
        event.synchronize()

    def test_record_and_wait(self):
        first, second = paddle.device.Stream(FIRST), paddle.device.Stream(FIRST)
        event = paddle.device.Event()
        with paddle.device.stream_guard(first):
            tensor = paddle.full([100_000], 3.0)
            event.record(first)
        second.wait_event(event)
        with paddle.device.stream_guard(second):
            result = tensor + 1.0
        second.synchronize()
        event.synchronize()
        self.assertTrue(event.query())
        self.assertTrue((result.numpy() == 4.0).all())

    def test_record_event_of_a_stream(self):
        stream = paddle.device.Stream(FIRST)
        event = stream.record_event()
        event.synchronize()
        self.assertTrue(event.query())

    def test_an_event_belongs_to_the_stream_that_records_it(self):
        for current in (FIRST, SECOND):
            paddle.set_device(current)
            for device in (FIRST, SECOND):
                stream = paddle.device.Stream(device)
                event = stream.record_event()
                event.synchronize()
                self.assertTrue(event.query())
                paddle.device.Stream(FIRST).wait_event(event)

    def test_wait_stream_destroys_its_event_at_once(self):
        first, second = paddle.device.Stream(FIRST), paddle.device.Stream(FIRST)
        for round_ in range(50):
            with paddle.device.stream_guard(first):
                tensor = paddle.full([10_000], float(round_))
            second.wait_stream(first)
            with paddle.device.stream_guard(second):
                result = tensor * 2.0
            second.synchronize()
            self.assertTrue((result.numpy() == round_ * 2).all())


if __name__ == "__main__":
    unittest.main()
