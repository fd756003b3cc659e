"""The module `acl` without NumPy: conventions, errors, structures, callbacks, threads."""

import ctypes
import inspect
import os
import subprocess
import sys
import threading
import unittest

import acl
from acl import _table
from program import DEVICE_TO_HOST, HOST_TO_DEVICE, HUGE_FIRST, INVALID_PARAM, OnDevice, main


class Conventions(OnDevice):
    def test_a_call_without_result_returns_its_code(self):
        self.assertEqual(acl.rt.synchronize_stream(self.stream), 0)

    def test_results_stand_before_the_code(self):
        free, total, ret = acl.rt.get_mem_info(1)
        self.ok(ret)
        self.assertTrue(0 < free <= total)
        major, minor, patch, ret = acl.get_version()
        self.ok(ret)
        self.assertGreaterEqual((major, minor, patch), (1, 0, 0))

    def test_a_call_without_code_returns_its_value(self):
        self.assertTrue(acl.get_soc_name().startswith("Ascend"))
        self.assertEqual(acl.data_type_size(0), 4)
        self.assertEqual(acl.float16_to_float(acl.float_to_float16(1.5)), 1.5)
        buffer = acl.create_data_buffer(4096, 16)
        self.assertEqual(acl.get_data_buffer_addr(buffer), 4096)
        self.assertEqual(acl.get_data_buffer_size_v2(buffer), 16)
        self.ok(acl.destroy_data_buffer(buffer))

    def test_names_of_programs(self):
        context = self.of(acl.rt.create_context(0))
        self.ok(acl.rt.set_context(context))
        self.assertEqual(acl.rt.get_context(), (context, 0))
        self.ok(acl.rt.destroy_context(context))
        self.assertGreaterEqual(self.of(acl.rt.get_device_count()), 1)
        self.ok(acl.rt.set_device(0))
        self.assertEqual(acl.rt.get_run_mode(), (1, 0))

    def test_a_failed_call_returns_zeros_and_its_code(self):
        self.assertEqual(acl.rt.malloc(0, HUGE_FIRST), (0, INVALID_PARAM))
        self.assertIn("aclrtMalloc: size", acl.get_recent_err_msg())

    def test_null_is_none_or_zero(self):
        for null in (None, 0):
            self.assertEqual(acl.rt.free(null), INVALID_PARAM)
        self.ok(acl.rt.synchronize_stream(None))

    def test_texts(self):
        bus, ret = acl.rt.device_get_pci_bus_id(0, 64)
        self.ok(ret)
        self.assertRegex(bus, r"^[0-9A-Fa-f]{4}:")
        self.assertEqual(acl.rt.device_get_by_pci_bus_id(bus), (0, 0))
        self.assertEqual(acl.rt.device_get_by_pci_bus_id(bus.encode()), (0, 0))

    def test_events_measure_time(self):
        start, end = self.of(acl.rt.create_event()), self.of(acl.rt.create_event())
        self.ok(acl.rt.record_event(start, self.stream))
        self.ok(acl.rt.record_event(end, self.stream))
        self.ok(acl.rt.synchronize_event(end))
        self.assertGreaterEqual(self.of(acl.rt.event_elapsed_time(start, end)), 0.0)
        self.ok(acl.rt.destroy_event(start))
        self.ok(acl.rt.destroy_event(end))

    def test_every_row_of_the_table_is_a_function(self):
        rows = [row.split(" ")[0] for row in _table.FUNCTIONS.split("\n")[1:-1]]
        self.assertGreater(len(rows), 200)
        for name in rows:
            function = getattr(acl.rt if name.startswith("rt.") else acl, name.rpartition(".")[2])
            self.assertTrue(inspect.signature(function) and function.__doc__.startswith("Calls acl"), name)

    def test_torch_is_not_imported(self):
        self.assertNotIn("torch", sys.modules)


class Copies(OnDevice):
    def test_bytes_there_and_back(self):
        text = b"from here to there" * 1000
        device, back = self.device_memory(len(text)), self.pinned_memory(len(text))
        self.ok(acl.rt.memcpy(device, len(text), acl.util.bytes_to_ptr(text), len(text), HOST_TO_DEVICE))
        self.ok(acl.rt.memcpy_async(back, len(text), device, len(text), DEVICE_TO_HOST, self.stream))
        self.ok(acl.rt.synchronize_stream(self.stream))
        self.assertEqual(acl.util.ptr_to_bytes(back, len(text)), text)

    def test_temporary_bytes_live_until_the_copy(self):
        size = 1 << 20
        device, back = self.device_memory(size), self.pinned_memory(size)
        for letter in b"abc":
            ret = acl.rt.memcpy(device, size, acl.util.bytes_to_ptr(bytes([letter]) * size), size, HOST_TO_DEVICE)
            self.ok(ret)
            self.ok(acl.rt.memcpy(back, size, device, size, DEVICE_TO_HOST))
            self.assertEqual(acl.util.ptr_to_bytes(back, size), bytes([letter]) * size)

    def test_device_memory_is_not_read_by_the_host(self):
        device = self.device_memory(64)
        with self.assertRaises(ValueError) as raised:
            acl.util.ptr_to_bytes(device, 64)
        self.assertTextOf(raised, "ptr_to_bytes", f"{device:#x}", "device 0", "malloc_host")
        with self.assertRaises(ValueError):
            acl.util.ptr_to_bytes(0, 64)

    def test_bytes_to_ptr_takes_bytes(self):
        with self.assertRaises(TypeError) as raised:
            acl.util.bytes_to_ptr("text")
        self.assertTextOf(raised, "bytes_to_ptr", "str")


class Refused(OnDevice):
    def test_numbers_are_not_cut(self):
        for call, size in ((acl.rt.malloc, -1), (acl.rt.malloc, 1 << 64)):
            with self.assertRaises(OverflowError) as raised:
                call(size, HUGE_FIRST)
            self.assertTextOf(raised, "acl.rt.malloc: size", str(size), "18446744073709551615")
        with self.assertRaises(OverflowError):
            acl.rt.set_device(1 << 32)

    def test_other_types(self):
        for arguments, name in (((1.5, 0), "size"), (("4", 0), "size"), ((4, None), "policy")):
            with self.assertRaises(TypeError) as raised:
                acl.rt.malloc(*arguments)
            self.assertTextOf(raised, f"acl.rt.malloc: {name}", "int")
        with self.assertRaises(TypeError) as raised:
            acl.init(7)
        self.assertTextOf(raised, "acl.init: config_path", "7")

    def test_number_of_arguments(self):
        with self.assertRaises(TypeError) as raised:
            acl.rt.malloc(4096)
        self.assertTextOf(raised, "acl.rt.malloc(size, policy)", "2", "1")

    def test_lengths_of_texts(self):
        with self.assertRaises(OverflowError) as raised:
            acl.rt.device_get_pci_bus_id(0, 1 << 30)
        self.assertTextOf(raised, "device_get_pci_bus_id", "len", str(1 << 30))
        self.assertEqual(acl.rt.device_get_pci_bus_id(0, 0)[1], INVALID_PARAM)

    def test_what_is_missing_says_why(self):
        for module, name, why in ((acl, "mdl", "models"), (acl, "media", "decoders"), (acl, "op", "operators"),
                                  (acl.rt, "reg_stream_state_callback", "aclrtStreamStateCallback"),
                                  (acl, "app_log", "any number"), (acl.rt, "frobnicate", "no attribute")):
            with self.assertRaises(AttributeError) as raised:
                getattr(module, name)
            self.assertTextOf(raised, name, why)
        self.assertFalse(hasattr(acl, "mdl"))


class Structures(OnDevice):
    PROPERTIES = {"handle_type": 0, "allocation_type": 0, "mem_attr": 1, "location": {"id": 0, "type": 1}}

    def test_results_are_dictionaries(self):
        attributes = self.of(acl.rt.pointer_get_attributes(self.device_memory(64)))
        self.assertEqual(attributes["location"], {"id": 0, "type": 1})
        self.assertEqual(len(self.of(acl.rt.device_get_uuid(0))["bytes"]), 16)
        self.assertIn("cube_utilization", self.of(acl.rt.get_device_utilization_rate(0)))

    def test_arguments_are_dictionaries(self):
        size = self.of(acl.rt.mem_get_allocation_granularity(self.PROPERTIES, 0))
        handle = self.of(acl.rt.malloc_physical(size, self.PROPERTIES, 0))
        found = self.of(acl.rt.mem_get_allocation_properties_from_handle(handle))
        self.assertEqual(found["location"], self.PROPERTIES["location"])
        self.ok(acl.rt.free_physical(handle))

    def test_structures_by_value(self):
        size = 2 << 20
        managed = self.of(acl.rt.mem_alloc_managed(size, 1))
        self.ok(acl.rt.mem_managed_advise(managed, size, 0, {"type": 1, "id": 0}))
        self.ok(acl.rt.free(managed))

    def test_an_address_is_a_structure_too(self):
        rows, capacity = ctypes.create_string_buffer(4 * 112), 4
        count = self.of(acl.rt.get_mem_usage_info(0, ctypes.addressof(rows), capacity))
        self.assertGreaterEqual(count, 1)
        self.assertTrue(rows.raw.startswith(b"device\0"))

    def test_wrong_fields(self):
        for properties, error, text in (({"kind": 1}, ValueError, "'kind'"),
                                        ({"handle_type": 1 << 40}, OverflowError, "['handle_type']"),
                                        ({"location": {"id": -1}}, OverflowError, "['location']['id']"),
                                        ({"location": 5}, TypeError, "['location'] is 5"),
                                        ("text", TypeError, "prop")):
            with self.assertRaises(error) as raised:
                acl.rt.malloc_physical(4096, properties, 0)
            self.assertTextOf(raised, text)


class Callbacks(OnDevice):
    def test_host_functions_run_in_order_with_any_argument(self):
        seen = []
        for item in ([1, 2], "text", None):
            self.ok(acl.rt.launch_host_func(self.stream, seen.append, item))
        self.ok(acl.rt.synchronize_stream(self.stream))
        self.assertEqual(seen, [[1, 2], "text", None])

    def test_callbacks_run_on_a_thread_of_the_program(self):
        seen, ends = [], threading.Event()

        def serve(arguments):
            acl.rt.set_context(arguments[0])
            while not ends.is_set():
                acl.rt.process_report(arguments[1])

        thread = self.of(acl.util.start_thread(serve, [self.of(acl.rt.get_context()), 10]))
        self.ok(acl.rt.subscribe_report(thread, self.stream))
        for name in ("first", "second"):
            self.ok(acl.rt.launch_callback(lambda data: seen.append((threading.get_ident(), *data)), [name], 1,
                                           self.stream))
        self.ok(acl.rt.synchronize_stream(self.stream))
        self.assertEqual(seen, [(thread, "first"), (thread, "second")])
        self.ok(acl.rt.unsubscribe_report(thread, self.stream))
        ends.set()
        self.ok(acl.util.stop_thread(thread))
        self.assertEqual(acl.util.stop_thread(thread), INVALID_PARAM)

    def test_a_refused_callback_is_released(self):
        not_subscribed = 107015
        before = len(acl._callbacks._pending)
        self.assertEqual(acl.rt.launch_callback(print, [], 1, self.stream), not_subscribed)
        self.assertEqual(acl.rt.launch_host_func(self.stream, None, None), INVALID_PARAM)
        self.assertEqual(len(acl._callbacks._pending), before)
        with self.assertRaises(TypeError) as raised:
            acl.rt.launch_host_func(self.stream, 5, None)
        self.assertTextOf(raised, "acl.rt.launch_host_func: fn", "5")

    def test_an_exception_does_not_stop_the_stream(self):
        hook, reported = sys.unraisablehook, []
        sys.unraisablehook = lambda what: reported.append(what.exc_type)
        try:
            self.ok(acl.rt.launch_host_func(self.stream, lambda _: 1 // 0, None))
            self.ok(acl.rt.synchronize_stream(self.stream))
        finally:
            sys.unraisablehook = hook
        self.assertEqual(reported, [ZeroDivisionError])

    def test_exception_callbacks_are_set_and_removed(self):
        self.ok(acl.rt.set_exception_info_callback(print))
        self.ok(acl.rt.set_exception_info_callback(None))
        self.assertEqual(acl.rt.get_task_id_from_exception_info(None), 0xFFFFFFFF)

    def test_a_second_session_works(self):
        self.ok(acl.finalize())
        self.assertFalse(acl._callbacks._pending)
        self.ok(acl.init(""))
        self.ok(acl.rt.set_device(0))
        self.device_memory(64)


# What a test asks before it runs: is this one of the processors that it is for?
PROFILE = """
import acl
assert acl.init() == 0
vector, ret = acl.rt.get_device_info(0, 201)
cube, again = acl.rt.get_device_info(0, 102)
assert ret == again == 0
print(acl.get_soc_name(), vector // cube, *acl.get_cann_attribute(1))
"""


class Profile(unittest.TestCase):
    def test_answers_follow_the_name_of_the_processor(self):
        for name, vector_cores, bfloat16 in (("Ascend910B3", 2, 1), ("Ascend910_9391", 2, 1), ("Ascend310P3", 1, 0)):
            with self.subTest(name):
                done = subprocess.run([sys.executable, "-c", PROFILE], env={**os.environ, "PORTACL_SOC_NAME": name},
                                      capture_output=True, text=True, timeout=120)
                self.assertEqual(done.stdout.split(), [name, str(vector_cores), str(bfloat16), "0"], done.stderr)


# A program like a data loader: it asks for devices, forks workers, and uses the device in them.
FORKS = """
import multiprocessing
import os
import acl

def work(number):
    assert acl.init() == 0, acl.get_recent_err_msg()
    assert acl.rt.set_device(0) == 0, acl.get_recent_err_msg()
    memory, ret = acl.rt.malloc(1 << 20, 0)
    assert ret == 0 and acl.rt.free(memory) == 0
    assert acl.finalize() == 0
    return number + 1

count, ret = acl.rt.get_device_count()
assert ret == 0 and count >= 1 and acl.get_soc_name()
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(work, range(4)) == [1, 2, 3, 4]
assert work(0) == 1
"""


class Fork(unittest.TestCase):
    def test_workers_use_devices_that_their_parent_has_counted(self):
        if os.environ.get("PORTACL_BACKEND", "auto") not in ("auto", "cpu"):
            self.skipTest("a driver that has started does not work in a forked child")
        done = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    main()
