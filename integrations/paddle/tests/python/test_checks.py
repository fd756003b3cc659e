"""PORTACL_CHECK sees what Paddle does with memory: planted faults are reported, and corrected programs are not."""

import unittest

from support import HERE, in_new_process

SUPPRESSED = HERE.parent.parent / "checks.supp"


class Checks(unittest.TestCase):
    def check(self, faulty, fixed, report):
        begin = "import paddle; paddle.set_device('portacl:0')\n"
        for code, is_faulty in ((faulty, True), (fixed, False)):
            with self.subTest(code=code):
                status, output = in_new_process(begin + code, PORTACL_CHECK="races,init", PORTACL_CHECK_EXIT="99",
                                                PORTACL_CHECK_SUPPRESS=str(SUPPRESSED))
                self.assertEqual(status, 99 if is_faulty else 0, output)
                self.assertEqual("portacl: " + report in output, is_faulty, output)

    def test_a_read_of_memory_without_contents(self):
        for read in ("{} + 1.0", "{}.numpy()"):
            self.check(read.format("paddle.empty([1000])"), read.format("paddle.zeros([1000])"), "init: ")

    def test_two_streams_without_order(self):
        streams = """if True:
            first, second = paddle.device.Stream('portacl:0'), paddle.device.Stream('portacl:0')
            with paddle.device.stream_guard(first):
                tensor = paddle.full([100_000], 3.0)
            {}
            with paddle.device.stream_guard(second):
                result = tensor + 1.0
            paddle.device.synchronize()
            """
        self.check(streams.format("pass"), streams.format("second.wait_stream(first)"), "race: ")


if __name__ == "__main__":
    unittest.main()
