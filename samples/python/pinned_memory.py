"""The module `acl`: NumPy arrays over pinned host memory, copied to a device and back by a stream.

The program calls nothing that is not in the original, so it runs on Ascend devices as well.
"""

import acl
import numpy

ACL_MEM_MALLOC_HUGE_FIRST = 0
ACL_MEMCPY_HOST_TO_DEVICE = 1
ACL_MEMCPY_DEVICE_TO_HOST = 2
NPY_FLOAT32 = 11
COUNT = 1 << 20


def check(ret, what):
    if ret != 0:
        raise SystemExit(f"{what} failed with {ret}: {acl.get_recent_err_msg()}")


def pinned_array(count):
    """An array over memory that devices reach directly. The array is no copy: what it holds is what devices see."""
    address, ret = acl.rt.malloc_host(4 * count)
    check(ret, "malloc_host")
    return address, acl.util.ptr_to_numpy(address, (count,), NPY_FLOAT32)


def main():
    check(acl.init(), "init")
    check(acl.rt.set_device(0), "set_device")
    stream, ret = acl.rt.create_stream()
    check(ret, "create_stream")
    start, ret = acl.rt.create_event()
    check(ret, "create_event")
    end, ret = acl.rt.create_event()
    check(ret, "create_event")

    there, source = pinned_array(COUNT)
    back, target = pinned_array(COUNT)
    size = source.nbytes
    device, ret = acl.rt.malloc(size, ACL_MEM_MALLOC_HUGE_FIRST)
    check(ret, "malloc")

    source[:] = numpy.arange(COUNT)
    check(acl.rt.record_event(start, stream), "record_event")
    check(acl.rt.memcpy_async(device, size, there, size, ACL_MEMCPY_HOST_TO_DEVICE, stream), "memcpy_async")
    check(acl.rt.memcpy_async(back, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST, stream), "memcpy_async")
    check(acl.rt.record_event(end, stream), "record_event")
    # Before this call returns, neither array may be used: the copies are in the stream.
    check(acl.rt.synchronize_stream(stream), "synchronize_stream")

    milliseconds, ret = acl.rt.event_elapsed_time(start, end)
    check(ret, "event_elapsed_time")
    print(f"{size / 1e6:.1f} MB to {acl.get_soc_name()} and back in {milliseconds:.2f} ms")
    print("the arrays are equal" if numpy.array_equal(source, target) else "the arrays differ")

    check(acl.rt.free(device), "free")
    check(acl.rt.destroy_event(start), "destroy_event")
    check(acl.rt.destroy_event(end), "destroy_event")
    check(acl.rt.destroy_stream(stream), "destroy_stream")
    # The arrays end with their memory.
    equal = numpy.array_equal(source, target)
    del source, target
    check(acl.rt.free_host(there), "free_host")
    check(acl.rt.free_host(back), "free_host")
    check(acl.rt.reset_device(0), "reset_device")
    check(acl.finalize(), "finalize")
    return 0 if equal else 1


if __name__ == "__main__":
    raise SystemExit(main())
