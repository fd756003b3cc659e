"""Reports name the functions of Python: the file, the line and the function, before those of extensions."""

import ctypes
import gc
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
HERE = str(FOLDER / pathlib.Path(__file__).name)
LOG = tempfile.NamedTemporaryFile(prefix="portacl_stacks_")
os.environ.update(PORTACL_CHECK="misuse", PORTACL_CHECK_LOG=LOG.name, PORTACL_CHECK_LIMIT="100000")

import acl  # noqa: E402: the library reads its settings at its first call

EXTENSION = os.environ["PORTACL_TEST_EXTENSION"]
# A call of the first holds the lock of the interpreter, as a call of an extension does; one of the second does not.
HOLDING, RELEASING = ctypes.PyDLL(EXTENSION), ctypes.CDLL(EXTENSION)


def line_of(function, text):
    """`FILE:LINE:NAME` of the line with this text in a function."""
    code = function.__code__
    lines = pathlib.Path(HERE).read_text().splitlines()
    number = next(at for at in range(code.co_firstlineno, len(lines)) if text in lines[at]) + 1
    return f"{HERE}:{number}:{getattr(code, 'co_qualname', code.co_name)}"


def run(program, *arguments, **variables):
    """Runs a program of Python; returns its output, which it ends in time with status 0."""
    done = subprocess.run([sys.executable, *arguments, "-c", program] if program else [sys.executable, *arguments],
                          env={**os.environ, "PORTACL_CHECK_LOG": "", **variables}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=120)
    assert done.returncode == 0, (done.returncode, done.stdout)
    return done.stdout


class Stacks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        assert acl.init() == 0

    @classmethod
    def tearDownClass(cls):
        assert acl.finalize() == 0

    def setUp(self):
        self.seen = len(pathlib.Path(LOG.name).read_text().splitlines())

    def frames(self):
        """The stack of the only report since the test began, or since the last call."""
        lines = pathlib.Path(LOG.name).read_text().splitlines()[self.seen:]
        self.seen += len(lines)
        self.assertEqual(len(lines), 1, lines)
        operation, = json.loads(lines[0])["operations"]
        return operation["frames"]

    def assert_python(self, frames, *expected):
        """These functions are first; none is one of CPython."""
        self.assertEqual(frames[:len(expected)], list(expected))
        for frame in frames:
            self.assertNotRegex(frame, "(^|:)_?Py[A-Z]|ffi_call|cfunction_|_ctypes|/acl/_")

    def test_of_the_module_acl(self):
        acl.rt.free(None)
        self.assert_python(self.frames(), line_of(Stacks.test_of_the_module_acl, "acl.rt.free"))

    def test_without_the_lock(self):
        RELEASING.Fail()
        frames = self.frames()
        self.assert_python(frames, line_of(Stacks.test_without_the_lock, "RELEASING"))
        self.assertRegex(frames[-1], r"^.*extension.c:\d+:Fail$")

    def test_with_the_lock(self):
        HOLDING.Fail()
        frames = self.frames()
        self.assert_python(frames, line_of(Stacks.test_with_the_lock, "HOLDING"))
        self.assertRegex(frames[-1], r"^.*extension.c:\d+:Fail$")

    def test_lines_of_a_loop_are_told_apart(self):
        # The stack of C is the same for both.
        # One line is one place, even where the interpreter takes other ways after some rounds.
        call = HOLDING.Fail
        for _ in range(100):
            call()  # the first
            call()  # the second
        lines = pathlib.Path(LOG.name).read_text().splitlines()[self.seen:]
        frames = [json.loads(line)["operations"][0]["frames"][0] for line in lines]
        test = Stacks.test_lines_of_a_loop_are_told_apart
        self.assertEqual(frames, [line_of(test, "# the first"), line_of(test, "# the second")])

    def test_a_pending_exception_stays(self):
        with self.assertRaisesRegex(ValueError, "pending"):
            HOLDING.FailWithPendingException()
        self.assert_python(self.frames(), line_of(Stacks.test_a_pending_exception_stays, "HOLDING"))

    def test_in_an_exception_that_is_handled(self):
        try:
            raise KeyError("first")
        except KeyError as error:
            RELEASING.Fail()
            self.assertIs(sys.exc_info()[1], error)
        self.assert_python(self.frames(), line_of(Stacks.test_in_an_exception_that_is_handled, "RELEASING"))

    def test_generators(self):
        def values():
            yield HOLDING.Fail()
            yield RELEASING.Fail()

        generator = values()
        next(generator)
        test = Stacks.test_generators
        of_values = f"{test.__code__.co_qualname}.<locals>.values" if hasattr(test.__code__, "co_qualname") else "values"
        for text in ("HOLDING", "RELEASING"):
            if text == "RELEASING":
                list(generator)
            inner = line_of(test, text).rsplit(":", 1)[0] + ":" + of_values
            outer = line_of(test, "next(" if text == "HOLDING" else "list(")
            self.assert_python(self.frames(), inner, outer)

    def test_threads_of_python(self):
        def work():
            RELEASING.Fail()

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        frames = self.frames()
        self.assertRegex(frames[0], r"acl_stacks_test.py:\d+:.*work$")
        self.assertRegex(frames[1], r"threading.py:\d+:(Thread.)?run$")
        self.assert_python(frames)

    def test_a_thread_without_an_interpreter(self):
        libc, thread = ctypes.CDLL(None), ctypes.c_ulong()
        libc.pthread_create(ctypes.byref(thread), None, RELEASING.FailInThread, None)
        libc.pthread_join(thread, None)
        frames = self.frames()
        self.assertRegex(frames[0], r"^.*extension.c:\d+:FailInThread$")
        self.assertFalse([frame for frame in frames if ".py:" in frame], frames)

    def test_many_threads(self):
        def work():
            for _ in range(50):
                RELEASING.Fail()
                HOLDING.Fail()

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
            self.assertFalse(thread.is_alive())
        self.seen = len(pathlib.Path(LOG.name).read_text().splitlines())

    @unittest.skipIf(sys.version_info < (3, 11), "frames are objects before they are read")
    def test_no_collection_runs_inside(self):
        def call(levels):
            return call(levels - 1) if levels else HOLDING.Fail()

        # Python 3.11 creates an object for each frame that is read: enough for a collection, which would run code of
        # the program inside of a call.
        deep, collected, before = 100, [], gc.get_threshold()
        gc.callbacks.append(lambda phase, info: collected.append(phase))
        gc.set_threshold(gc.get_count()[0] + deep // 2)
        try:
            call(deep)
            found = list(collected)
        finally:
            gc.set_threshold(*before)
            gc.callbacks.pop()
        self.assertEqual(found, [])
        self.assertTrue(gc.isenabled())
        self.assertEqual(len([frame for frame in self.frames() if frame.endswith("call")]), deep + 1)


class Processes(unittest.TestCase):
    def test_leaks_name_the_line(self):
        out = run("import acl\nacl.init()\nacl.rt.set_device(0)\n"
                  "def leak():\n    return acl.rt.malloc(100, 0), acl.rt.create_stream()\n"
                  "leak()\nacl.rt.reset_device(0)\nacl.finalize()", PORTACL_CHECK="0", PORTACL_LEAK_CHECK="1")
        self.assertEqual(out.count("<string>:5:leak\n    <string>:6:<module>\n"), 2, out)

    def test_profiles_have_python_outside_of_c(self):
        with tempfile.NamedTemporaryFile() as file:
            run("import acl\nacl.init()\nacl.rt.set_device(0)\n"
                "def grow():\n    return acl.rt.malloc(100, 0)\n"
                "p, _ = grow()\nacl.rt.free(p)\nacl.rt.reset_device(0)\nacl.finalize()",
                PORTACL_CHECK="0", PORTACL_MEMORY_HOOK=f"profile:{file.name}")
            out = pathlib.Path(file.name).read_text()
        self.assertRegex(out, r"\n  <string>:6:<module> \(.*\n    <string>:5:grow \(")

    def test_races_name_both_lines(self):
        sample = FOLDER.parents[2] / "samples/python/race.py"
        out = run("", "-m", "portacl", "run", "--check", "races", str(sample))
        self.assertRegex(out, r"race\.py:\d+:(Model\.)?clear\n +.*race\.py:\d+:main\n +.*race\.py:\d+:<module>\n"
                              r"  aclrtMemcpyAsync, .*\n +.*race\.py:\d+:(Model\.)?download\n")
        self.assertIn("PORTACL_CHECK: 1 race reported", out)
        self.assertEqual(run("", "-m", "portacl", "run", "--check", "races", str(sample), "fixed"), "")

    def test_the_runner_sets_what_stacks_need(self):
        show = "import os; print([os.environ.get(n) for n in ('PORTACL_CHECK', 'TASK_QUEUE_ENABLE')])"
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write(show)
            file.flush()
            self.assertEqual(run("", "-m", "portacl", "run", "--check", "races,init", file.name, PORTACL_CHECK="0"),
                             "['races,init', '0']\n")
            self.assertEqual(run("", "-m", "portacl", "run", "--check", "init", file.name, TASK_QUEUE_ENABLE="2"),
                             "['init', '2']\n")
            self.assertEqual(run("", "-m", "portacl", "run", file.name, PORTACL_CHECK="races"), "['races', '0']\n")
            done = subprocess.run([sys.executable, "-m", "portacl", "env"], capture_output=True, text=True)
            self.assertIn("export TASK_QUEUE_ENABLE=0\n", done.stdout)
        done = subprocess.run([sys.executable, "-m", "portacl", "run", "--check", "races"], capture_output=True, text=True)
        self.assertEqual((done.returncode, "usage: " in done.stderr), (2, True))

    def test_calls_while_the_interpreter_ends(self):
        # Destructors of modules, functions of atexit, threads that still run, and the destructors of C after all.
        program = """
import atexit, ctypes, os, threading
lib = ctypes.CDLL(os.environ["PORTACL_TEST_EXTENSION"])
lib.aclInit(None)
class Late:
    def __del__(self, fail=lib.Fail):
        fail()
late = Late()
late.cycle = late
atexit.register(lib.Fail)
lib.FailAtExit()
def work():
    while True:
        lib.Fail()
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
lib.Fail()
"""
        for _ in range(10):
            out = run(program)
            # Functions of CPython are shown only where none of Python is on the stack, or no longer readable: the
            # interpreter ends, or has ended the states of other threads.
            for report in out.split("portacl: ")[1:]:
                if "ffi_call" in report:
                    self.assertRegex(report, "Py_?Finalize|pythread_wrapper|thread_run")
            self.assertRegex(out, r"\n    <string>:[0-9]+:work\n")
            self.assertRegex(out, r"\n    .*extension.c:[0-9]+:FailLate\n")
            self.assertIn("failed calls reported", out)

    def test_a_thread_that_keeps_the_lock_and_waits_for_a_call_ends(self):
        # The call of the other thread begins without the lock. This one has it, and waits for that call to return.
        out = run("""
import ctypes, os, sys, threading
holding, releasing = (load(os.environ["PORTACL_TEST_EXTENSION"]) for load in (ctypes.PyDLL, ctypes.CDLL))
holding.aclInit(None)
for _ in range(5):
    flag = ctypes.c_int(0)
    thread = threading.Thread(target=lambda: releasing.FailAndSet(ctypes.byref(flag)))
    # The other thread gives the lock back in its call, and this one must not lose it before.
    sys.setswitchinterval(60)
    thread.start()
    holding.HoldUntil(ctypes.byref(flag))
    sys.setswitchinterval(0.005)
    thread.join()
""")
        self.assertIn("    <Python functions that could not be read", out)

    def test_a_forked_child(self):
        program = """
import ctypes, os
lib = ctypes.CDLL(os.environ["PORTACL_TEST_EXTENSION"])
lib.aclInit(None)
lib.Fail()
child = os.fork()
lib.Fail()
if child:
    assert os.waitpid(child, 0)[1] == 0
"""
        self.assertRegex(run(program), r"(?s)<string>:5:<module>.*<string>:7:<module>")


if __name__ == "__main__":
    unittest.main()
