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
            self.skipTest("this Paddle returns them for CUDA only")
        second_device = paddle.device.memory_allocated(SECOND)
        tensor = paddle.zeros([1 << 20], dtype="float32")
        self.assertGreaterEqual(paddle.device.memory_allocated(FIRST), before + (4 << 20))
        self.assertGreaterEqual(paddle.device.max_memory_allocated(FIRST), before + (4 << 20))
        self.assertGreaterEqual(paddle.device.memory_reserved(FIRST), 4 << 20)
        self.assertEqual(paddle.device.memory_allocated(SECOND), second_device)
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
    def test_it_is_an_exception_with_words_and_work_goes_on(self):
        for strategy in ("auto_growth", "naive_best_fit"):
            with self.subTest(strategy=strategy):
                status, output = in_new_process(
                    """if True:
                    import paddle
                    paddle.set_device('portacl:0')
                    try:
                        paddle.zeros([64 << 20], dtype='float32')
                        print('no exception')
                    except MemoryError as what:
                        print('exception:', 'Out of memory error on portacl' in str(what))
                    print('and then', float((paddle.ones([1000]) * 2).sum()))
                    """,
                    PORTACL_CPU_MEMORY="64M", FLAGS_allocator_strategy=strategy)
                self.assertEqual(status, 0, output)
                self.assertIn("exception: True", output)
                self.assertIn("and then 2000.0", output)
                lines = [line for line in output.splitlines() if line.startswith("portacl for Paddle:")]
                self.assertEqual(len(lines), 1, output)
                for word in ("device_memory_allocate", "268435", "device 0", "67108864"):
                    self.assertIn(word, lines[0])

    def test_what_tensors_have_left_behind_serves_another_size(self):
        status, output = in_new_process(
            """if True:
            import paddle
            paddle.set_device('portacl:0')
            tensors = [paddle.empty([1 << 20], dtype='float32') for _ in range(12)]
            del tensors
            print('had', paddle.zeros([10 << 20], dtype='float32').shape)
            """,
            PORTACL_CPU_MEMORY="64M")
        self.assertEqual(status, 0, output)
        self.assertIn("had [10485760]", output.replace("paddle.Size(", ""))


class Capacity(unittest.TestCase):
    CODE = """if True:
        import sys, paddle
        paddle.set_device('portacl:0')
        mib, tensors = int(sys.argv[1]), []
        try:
            while len(tensors) < 10_000:
                tensors.append(paddle.empty([mib << 18], dtype='float32'))
        except MemoryError:
            pass
        print('filled', len(tensors) * mib)
        """

    def test_tensors_fill_95_percent_of_a_device(self):
        # naive_best_fit adds 256 bytes to each tensor, so that the last of few large ones has no room.
        for strategy, mib, memory in (
            ("auto_growth", 1, 64), ("auto_growth", 4, 64), ("auto_growth", 16, 64),
            ("naive_best_fit", 1, 64), ("naive_best_fit", 4, 512), ("naive_best_fit", 16, 512),
        ):
            with self.subTest(strategy=strategy, mib=mib):
                status, output = in_new_process(
                    self.CODE, str(mib), FLAGS_allocator_strategy=strategy, PORTACL_CPU_MEMORY=f"{memory}M")
                self.assertEqual(status, 0, output)
                filled = int(output.split("filled ")[1].split()[0])
                self.assertGreaterEqual(filled, memory * 95 / 100)
                self.assertLessEqual(filled, memory)


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
