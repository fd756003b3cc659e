"""The module `acl` with NumPy: arrays over pinned memory, without copies."""

import unittest

import acl
from program import DEVICE_TO_HOST, HOST_TO_DEVICE, OnDevice, main

try:
    import numpy
except ImportError:
    numpy = None

FLOAT32 = 11
UBYTE = 2


@unittest.skipIf(numpy is None, "no NumPy; tools/python.sh install fetches it")
class Arrays(OnDevice):
    def test_an_array_over_pinned_memory_is_no_copy(self):
        address = self.pinned_memory(4096)
        array = acl.util.ptr_to_numpy(address, (4, 256), FLOAT32)
        self.assertEqual((array.shape, array.dtype, array.ctypes.data), ((4, 256), numpy.float32, address))
        self.assertTrue(array.flags.writeable)
        array[:] = 7
        self.assertEqual(acl.util.ptr_to_bytes(address, 4), numpy.float32(7).tobytes())
        self.assertEqual(acl.util.numpy_to_ptr(array), address)

    def test_there_and_back(self):
        count = 1000
        here = acl.util.ptr_to_numpy(self.pinned_memory(4 * count), (count,), FLOAT32)
        back = acl.util.ptr_to_numpy(self.pinned_memory(4 * count), (count,), numpy.float32)
        device = self.device_memory(4 * count)
        here[:] = numpy.arange(count)
        self.ok(acl.rt.memcpy_async(device, here.nbytes, acl.util.numpy_to_ptr(here), here.nbytes, HOST_TO_DEVICE,
                                    self.stream))
        self.ok(acl.rt.memcpy_async(acl.util.numpy_to_ptr(back), back.nbytes, device, back.nbytes, DEVICE_TO_HOST,
                                    self.stream))
        self.ok(acl.rt.synchronize_stream(self.stream))
        numpy.testing.assert_array_equal(back, here)

    def test_a_temporary_array_lives_until_the_copy(self):
        size = 1 << 20
        device, back = self.device_memory(size), self.pinned_memory(size)
        for number in (1, 2, 3):
            pointer = acl.util.numpy_to_ptr(numpy.full(size // 4, number, numpy.float32))
            self.ok(acl.rt.memcpy(device, size, pointer, size, HOST_TO_DEVICE))
            self.ok(acl.rt.memcpy(back, size, device, size, DEVICE_TO_HOST))
            self.assertTrue((acl.util.ptr_to_numpy(back, (size // 4,), FLOAT32) == number).all())

    def test_numbers_of_numpy_are_ints(self):
        size = numpy.prod((4, 8)) * numpy.int64(4)
        self.assertIsInstance(size, numpy.int64)
        self.device_memory(size)

    def test_arrays_with_gaps_are_refused(self):
        with self.assertRaises(ValueError) as raised:
            acl.util.numpy_to_ptr(numpy.zeros((4, 4))[:, 1])
        self.assertTextOf(raised, "numpy_to_ptr", "ascontiguousarray")
        with self.assertRaises(TypeError) as raised:
            acl.util.numpy_to_ptr([1, 2])
        self.assertTextOf(raised, "numpy_to_ptr", "list", "numpy.ndarray")

    def test_shapes_and_types_are_checked(self):
        address = self.pinned_memory(64)
        for shape, kind in (((-1,), FLOAT32), ((4,), 999), ((4,), -1)):
            with self.assertRaises(ValueError) as raised:
                acl.util.ptr_to_numpy(address, shape, kind)
            self.assertTextOf(raised, "ptr_to_numpy")
        self.assertEqual(acl.util.ptr_to_numpy(address, (), FLOAT32).shape, ())
        self.assertEqual(acl.util.ptr_to_numpy(address, (64,), UBYTE).dtype, numpy.uint8)

    def test_device_memory_is_no_array(self):
        with self.assertRaises(ValueError) as raised:
            acl.util.ptr_to_numpy(self.device_memory(64), (16,), FLOAT32)
        self.assertTextOf(raised, "ptr_to_numpy", "device 0")


if __name__ == "__main__":
    main()
