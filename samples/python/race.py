"""A race between two streams, and its report: the lines of Python that submitted the two operations.

    PORTACL_CHECK=races python3 race.py

    portacl: race: aclrtMemcpyAsync reads memory that aclrtMemsetAsync writes, and nothing orders one after the other
      4096 bytes at 0x7f6fa5800000, offset 0 of an allocation of 4096 bytes (memory of device 0)
      aclrtMemsetAsync, operation 1 of stream 0x200000001000001 (id 1, device 0)
        race.py:34:Model.clear
        race.py:50:main
        race.py:66:<module>
      aclrtMemcpyAsync, operation 1 of stream 0x200000001000002 (id 2, device 0)
        race.py:39:Model.download
        race.py:54:main
        race.py:66:<module>
      to order them: record an event in stream ...

usage: race.py [fixed]      with "fixed" the second stream waits for the first, and nothing is reported
"""

import sys

import acl

SIZE = 4096
DEVICE_TO_HOST = 2


class Model:
    def __init__(self):
        self.gradients, ret = acl.rt.malloc(SIZE, 0)
        self.host, ret = acl.rt.malloc_host(SIZE)

    def clear(self, stream):
        ret = acl.rt.memset_async(self.gradients, SIZE, 0, SIZE, stream)
        assert ret == 0, acl.get_recent_err_msg()

    def download(self, stream):
        # It reads what the other stream writes.
        ret = acl.rt.memcpy_async(self.host, SIZE, self.gradients, SIZE, DEVICE_TO_HOST, stream)
        assert ret == 0, acl.get_recent_err_msg()


def main(is_fixed):
    acl.init()
    acl.rt.set_device(0)
    training, ret = acl.rt.create_stream()
    copying, ret = acl.rt.create_stream()
    event, ret = acl.rt.create_event()
    model = Model()
    model.clear(training)
    acl.rt.record_event(event, training)
    if is_fixed:
        acl.rt.stream_wait_event(copying, event)
    model.download(copying)
    acl.rt.synchronize_device()
    acl.rt.free(model.gradients)
    acl.rt.free_host(model.host)
    acl.rt.destroy_event(event)
    acl.rt.destroy_stream(copying)
    acl.rt.destroy_stream(training)
    acl.rt.reset_device(0)
    acl.finalize()


if __name__ == "__main__":
    main(sys.argv[1:] == ["fixed"])
