"""The functions of libhccl, called without torch in a process with it."""

import ctypes

FLOAT, SUM = 4, 0


class Communicator:
    """One of the ranks of a torch.distributed group of all. `name` is a new one for each communicator."""

    def __init__(self, torch, dist, name):
        self.library = ctypes.CDLL("libhccl.so")
        self.runtime = ctypes.CDLL("libascendcl.so")
        self.runtime.aclGetRecentErrMsg.restype = ctypes.c_char_p
        self.stream = ctypes.c_void_p(torch.npu.current_stream().npu_stream)
        self.handle = ctypes.c_void_p()
        store = dist.PrefixStore("communicators", dist.distributed_c10d._get_default_store())
        info = ctypes.create_string_buffer(4108)
        if dist.get_rank() == 0:
            self.call("HcclGetRootInfo", info)
            store.set(name, info.raw.hex())
        else:
            info.raw = bytes.fromhex(store.get(name).decode())
        size, rank = (ctypes.c_uint32(number) for number in (dist.get_world_size(), dist.get_rank()))
        self.call("HcclCommInitRootInfo", size, info, rank, ctypes.byref(self.handle))

    def call(self, name, *arguments):
        code = getattr(self.library if name.startswith("Hccl") else self.runtime, name)(*arguments)
        assert code == 0, f"{name} returned {code}: {self.runtime.aclGetRecentErrMsg()}"

    def sum(self, tensor):
        """Adds the floats of all ranks in place, and waits."""
        memory, count = ctypes.c_void_p(tensor.data_ptr()), ctypes.c_uint64(tensor.numel())
        self.call("HcclAllReduce", memory, memory, count, FLOAT, SUM, self.handle, self.stream)
        self.call("aclrtSynchronizeStream", self.stream)

    def destroy(self):
        self.call("HcclCommDestroy", self.handle)
