#!/usr/bin/env python3
"""PORTACL_CHECK=collectives names lines of Python: two ranks, which are threads, make calls that do not fit.

usage: lines_of_python.py LIBHCCL
"""

import ctypes
import os
import re
import sys
import threading

FLOAT, SUM, COUNT = 4, 0, 1024


class Ranks:
    """Two ranks of one device, and the text of the failure of each."""

    def __init__(self, path):
        # A handle of libhccl finds the functions of the runtime that it links as well.
        self.library = ctypes.CDLL(path)
        self.library.aclGetRecentErrMsg.restype = ctypes.c_char_p
        self.comms = (ctypes.c_void_p * 2)()
        self.texts = ["", ""]

    def require(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        assert code == 0, f"{name} returned {code}: {self.library.aclGetRecentErrMsg()}"

    def sum_all(self, memory, comm, stream):
        self.require("HcclAllReduce", memory, memory, ctypes.c_uint64(COUNT), FLOAT, SUM, comm, stream)

    def copy_to_all(self, memory, comm, stream):
        self.require("HcclBroadcast", memory, ctypes.c_uint64(COUNT), FLOAT, 0, comm, stream)

    def run(self, rank):
        self.require("aclrtSetDevice", 0)
        stream, memory, comm = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p(self.comms[rank])
        self.require("aclrtCreateStream", ctypes.byref(stream))
        self.require("aclrtMalloc", ctypes.byref(memory), ctypes.c_size_t(4 * COUNT), 0)
        # A rank waits for the call of the other one, so that the first of both does not fail yet.
        (self.sum_all if rank == 0 else self.copy_to_all)(memory, comm, stream)
        code = self.library.aclrtSynchronizeStream(stream)
        self.texts[rank] = f"{code}: {self.library.aclGetRecentErrMsg().decode()}"

    def start(self):
        self.require("aclInit", None)
        self.require("aclrtSetDevice", 0)
        self.require("HcclCommInitAll", 2, (ctypes.c_int32 * 2)(0, 0), self.comms)
        threads = [threading.Thread(target=self.run, args=(rank,)) for rank in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for comm in self.comms:
            self.require("HcclCommDestroy", ctypes.c_void_p(comm))


def main():
    os.environ["PORTACL_CHECK"] = "collectives"
    ranks = Ranks(sys.argv[1])
    ranks.start()
    here = re.escape(os.path.basename(__file__))
    wanted = (
        rf"^1: .*rank 0: HcclAllReduce float32 1024 sum at [^ ]*{here}:\d+:Ranks\.require .*"
        rf"rank 1: HcclBroadcast float32 1024 root 0 at [^ ]*{here}:\d+:Ranks\.require "
    )
    for text in ranks.texts:
        assert re.search(wanted, text), text


main()
