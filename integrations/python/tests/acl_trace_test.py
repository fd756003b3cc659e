"""Traces name the lines of Python that make calls, with PORTACL_TRACE_PYTHON=1."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = """
import acl

def fill(stream, memory):
    return acl.rt.memset_async(memory, 4096, 1, 4096, stream)

assert acl.rt.set_device(0) == 0
stream, ret = acl.rt.create_stream()
memory, ret = acl.rt.malloc(4096, 0)
assert fill(stream, memory) == 0
assert acl.rt.synchronize_stream(stream) == 0
assert acl.rt.memset(memory, 4096, 2, 4096) == 0
"""


class Traces(unittest.TestCase):
    def calls(self, **variables):
        """The bars of calls in the trace of the program, by name."""
        with tempfile.TemporaryDirectory() as folder:
            program, trace = pathlib.Path(folder) / "program.py", pathlib.Path(folder) / "trace.json"
            program.write_text(PROGRAM)
            done = subprocess.run([sys.executable, program], timeout=120, stderr=subprocess.PIPE, text=True,
                                  env=os.environ | {"PORTACL_TRACE": str(trace)} | variables)
            self.assertEqual(done.returncode, 0, done.stderr)
            events = json.loads(trace.read_text())
        return {event["name"]: event for event in events if event.get("cat") == "call"}

    def test_lines_of_calls(self):
        calls = self.calls(PORTACL_TRACE_PYTHON="1")
        inner, outer = calls["aclrtMemsetAsync"]["args"]["python"]
        self.assertRegex(inner, r"/program\.py:5:fill$")
        self.assertRegex(outer, r"/program\.py:10:<module>$")
        frame, = calls["aclrtMemset"]["args"]["python"]
        self.assertRegex(frame, r"/program\.py:12:<module>$")

    def test_none_without_the_variable(self):
        for variables in ({}, {"PORTACL_TRACE_PYTHON": "0"}):
            calls = self.calls(**variables)
            self.assertNotIn("python", calls["aclrtMemsetAsync"].get("args", {}))


if __name__ == "__main__":
    unittest.main()
