"""What the tests of the module `acl` share."""

import sys
import unittest

import acl

HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE = 1, 2, 3
HUGE_FIRST = 0
INVALID_PARAM = 100000


class OnDevice(unittest.TestCase):
    """A case that runs between acl.init and acl.finalize, with device 0 and a stream."""

    def setUp(self):
        self.ok(acl.init())
        self.addCleanup(lambda: self.ok(acl.finalize()))
        self.ok(acl.rt.set_device(0))
        self.stream = self.of(acl.rt.create_stream())

    def ok(self, ret):
        self.assertEqual(ret, 0, acl.get_recent_err_msg() if ret else "")

    def of(self, results):
        """The only result of a call that must succeed."""
        *values, ret = results
        self.ok(ret)
        self.assertEqual(len(values), 1)
        return values[0]

    def device_memory(self, size):
        address = self.of(acl.rt.malloc(size, HUGE_FIRST))
        self.addCleanup(lambda: self.ok(acl.rt.free(address)))
        return address

    def pinned_memory(self, size):
        address = self.of(acl.rt.malloc_host(size))
        self.addCleanup(lambda: self.ok(acl.rt.free_host(address)))
        return address

    def assertTextOf(self, raised, *parts):
        for part in parts:
            self.assertIn(part, str(raised.exception))


def main():
    """Exits with 77 if everything is skipped."""
    result = unittest.main(exit=False).result
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(77 if result.testsRun and len(result.skipped) == result.testsRun else 0)
