"""Threads, forked children, the end of the process, and refusals when the plug-in is loaded."""

import concurrent.futures
import os
import pathlib
import sys
import unittest

import numpy
import paddle

from support import FIRST, SECOND, OnDevice, in_new_process

ROOT = pathlib.Path(__file__).resolve().parents[4]


class Threads(OnDevice):
    def test_a_thread_for_each_device(self):
        def work(number):
            place = paddle.CustomPlace("portacl", number % 2)  # set_device is for all threads
            total = paddle.to_tensor(numpy.zeros(1000, dtype="float32"), place=place)
            step = paddle.to_tensor(numpy.full(1000, number, dtype="float32"), place=place)
            for _ in range(20):
                total = total + step
            return total.place.custom_device_id(), float(total.sum())

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for number, (place, total) in enumerate(pool.map(work, range(16))):
                self.assertEqual(place, number % 2)
                self.assertEqual(total, number * 20 * 1000)

    def test_a_tensor_of_another_thread(self):
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            tensor = pool.submit(lambda: paddle.full([100], 4.0)).result()
        self.assertTrue((tensor.numpy() == 4.0).all())


class Fork(OnDevice):
    def test_a_child_frees_in_silence_and_the_parent_notices_nothing(self):
        status, output = in_new_process("""if True:
            import os, sys
            import numpy, paddle
            paddle.set_device('portacl:0')
            tensors = [paddle.full([100_000], float(n)) for n in range(4)]
            stream = paddle.device.Stream('portacl:0')
            event = stream.record_event()
            sys.stdout.flush()
            child = os.fork()
            if child == 0:
                # Not the stream: Paddle itself waits in its destructor for threads that stayed behind.
                del tensors, event
                if hasattr(paddle.device, 'empty_cache'):
                    paddle.device.empty_cache()
                os._exit(0)
            _, status = os.waitpid(child, 0)
            assert status == 0, status
            for n, tensor in enumerate(tensors):
                assert (tensor.numpy() == n).all()
            stream.synchronize()
            print('the parent goes on')
            """)
        self.assertEqual(status, 0, output)
        self.assertIn("the parent goes on", output)
        self.assertNotIn("portacl for Paddle:", output)

    def test_work_in_a_child_is_refused_in_words(self):
        status, output = in_new_process("""if True:
            import os, sys
            import paddle
            paddle.set_device('portacl:0')
            tensor = paddle.ones([10])
            sys.stdout.flush()
            child = os.fork()
            if child == 0:
                try:
                    tensor.numpy()
                except Exception as what:
                    os._exit(7)
                os._exit(0)
            print('child', os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), float(tensor.sum()))
            """)
        self.assertEqual(status, 0, output)
        self.assertIn("child 7 10.0", output)
        self.assertIn("fork", output)


class Exit(unittest.TestCase):
    def test_is_clean_with_everything_in_use(self):
        status, output = in_new_process("""if True:
            import paddle
            tensors, streams = [], []
            for device in ('portacl:0', 'portacl:1'):
                paddle.set_device(device)
                tensors.append(paddle.full([1000], 1.0) * 2.0)
                streams.append(paddle.device.Stream(device))
                streams[-1].record_event()
            print('done')
            """)
        self.assertEqual(status, 0, output)
        self.assertIn("done", output)
        # Warnings of Paddle name files, whose folders may have any name.
        for folder in (os.getcwd(), sys.prefix, str(ROOT)):
            output = output.replace(folder, "")
        # A checked process says at its end what a file suppresses.
        self.assertNotRegex(output, "portacl(?!: PORTACL_CHECK: nothing reported;)")

    def test_is_clean_with_nothing_used(self):
        status, output = in_new_process("import paddle; print('done')")
        self.assertEqual((status, output.strip().splitlines()[-1]), (0, "done"), output)


class Refusals(unittest.TestCase):
    def test_without_a_backend_paddle_goes_on_without_the_device(self):
        status, output = in_new_process(
            "import paddle; print(paddle.device.get_all_custom_device_type(), float(paddle.ones([3]).sum()))",
            PORTACL_CPU_DEVICES="none")
        self.assertEqual(status, 0, output)
        self.assertIn("PORTACL_CPU_DEVICES", output)
        self.assertIn("[] 3.0", output)

    def test_another_table_of_callbacks_is_refused_in_words(self):
        folder = os.environ.get("PORTACL_TEST_STRANGER")
        if not folder:
            self.skipTest("needs the plug-in for a table of another size: PORTACL_TEST_STRANGER")
        status, output = in_new_process(
            "import paddle; print(paddle.device.get_all_custom_device_type(), float(paddle.ones([3]).sum()))",
            CUSTOM_DEVICE_ROOT=folder)
        self.assertEqual(status, 0, output)
        self.assertIn("portacl for Paddle: no device is registered: this Paddle's table of callbacks has", output)
        self.assertIn("[] 3.0", output)


if __name__ == "__main__":
    unittest.main()
