"""Statistics, out of memory, and both of Paddle's allocators."""

import os
import unittest

import numpy
import paddle

from support import FIRST, SECOND, OnDevice, in_new_process


class Statistics(OnDevice):
    def test_they_follow_tensors(self):
        before = paddle.device.memory_allocated(FIRST) if hasattr(paddle.device, "memory_allocated") else None
        if before is None:
            self.skipTest("this Paddle tells them for CUDA only")
        elsewhere = paddle.device.memory_allocated(SECOND)
        tensor = paddle.zeros([1 << 20], dtype="float32")
        self.assertGreaterEqual(paddle.device.memory_allocated(FIRST), before + (4 << 20))
        self.assertGreaterEqual(paddle.device.max_memory_allocated(FIRST), before + (4 << 20))
        self.assertGreaterEqual(paddle.device.memory_reserved(FIRST), 4 << 20)
        self.assertEqual(paddle.device.memory_allocated(SECOND), elsewhere)
        del tensor
        self.assertEqual(paddle.device.memory_allocated(FIRST), before)

    def test_empty_cache_gives_memory_back(self):
        if not hasattr(paddle.device, "empty_cache"):
            self.skipTest("this Paddle has it for CUDA only")
        tensor = paddle.zeros([1 << 20], dtype="float32")
        del tensor
        reserved = paddle.device.memory_reserved(FIRST)
        paddle.device.empty_cache()
        self.assertLess(paddle.device.memory_reserved(FIRST), reserved)


class OutOfMemory(unittest.TestCase):
    def test_it_is_an_exception_and_work_goes_on(self):
        status, output = in_new_process(
            """if True:
            import paddle
            paddle.set_device('portacl:0')
            try:
                paddle.zeros([64 << 20], dtype='float32')
                print('no exception')
            except Exception as what:
                print('exception:', type(what).__name__)
            print('and then', float((paddle.ones([1000]) * 2).sum()))
            """,
            PORTACL_CPU_MEMORY="64M")
        self.assertEqual(status, 0, output)
        self.assertIn("exception:", output)
        self.assertIn("and then 2000.0", output)


class Allocators(unittest.TestCase):
    CODE = """if True:
        import numpy, paddle
        paddle.set_device('portacl:1')
        tensors = []
        for round_ in range(60):
            size = 1 << (round_ % 21)
            tensors.append((round_, paddle.full([size], float(round_))))
            if round_ % 3 == 0:
                tensors.pop(0)
        for value, tensor in tensors:
            assert (tensor.numpy() == value).all(), value
        print('all', len(tensors), 'right')
        """

    def test_both_strategies(self):
        for strategy in ("auto_growth", "naive_best_fit"):
            for memory in ("1G", "128M"):
                with self.subTest(strategy=strategy, memory=memory):
                    status, output = in_new_process(
                        self.CODE, FLAGS_allocator_strategy=strategy, PORTACL_CPU_MEMORY=memory)
                    self.assertEqual(status, 0, output)
                    self.assertIn("all 40 right", output)


if __name__ == "__main__":
    unittest.main()
