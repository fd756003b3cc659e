"""The Python package: `run`, `env`, `doctor` and `demo` of `python -m portacl`, and torch_npu with nothing set but the path of
the libraries."""

import csv
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

# Convolutions, because torch_npu computes those in other formats where it may.
PROGRAM = """
import sys, torch, torch_npu
x = torch.ones(1, 1, 3, 3).npu()
print(torch.conv2d(x, x).item(), sys.argv[1:], __name__)
sys.exit(7)
"""


def portacl(*arguments, status=0, **environment):
    done = subprocess.run([sys.executable, "-m", "portacl", *arguments], capture_output=True, text=True,
                          env={**os.environ, **environment})
    assert done.returncode == status, f"{arguments}: status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def expect(words, text):
    assert words in text, f"no {words!r} in\n{text}"


def a_program_runs(path):
    # Nothing else: torch_npu warns of nothing.
    assert portacl("run", path, "-x", "two words", status=7) == "9.0 ['-x', 'two words'] __main__\n"


def a_shell_sets_the_environment(path):
    command = f'eval "$({sys.executable} -m portacl env)"; {sys.executable} {path}'
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert done.stdout + done.stderr == "9.0 [] __main__\n", done.stdout + done.stderr


def another_toolkit_is_left_out(path, folder):
    """A folder of another toolkit would bring its libraries; one of portacl stays."""
    def home(chosen):
        lines = portacl("env", ASCEND_HOME_PATH=chosen).splitlines()
        return {line.split("=")[1] for line in lines if line.startswith(("export ASCEND_HOME", "export ASCEND_OPP"))}

    own = os.environ["PYTHONPATH"] + "/portacl/ascend"
    for other in ["", folder, folder + "/missing"]:
        assert home(other) == {own, own + "/opp"}, home(other)
    pathlib.Path(folder, "ascend_portacl_install.info").write_text("version=8.3.0\n")
    assert home(folder) == {folder, folder + "/opp"}, home(folder)
    text = portacl("run", path, "version", status=7, ASCEND_HOME_PATH="/nowhere")
    assert text == "9.0 ['version'] __main__\n", text


PROFILE = """
import sys, torch, torch_npu
from torch_npu.profiler import ProfilerActivity, profile, tensorboard_trace_handler
with profile(activities=[getattr(ProfilerActivity, name) for name in sys.argv[2:]],
             on_trace_ready=tensorboard_trace_handler(sys.argv[1])):
    x = torch.ones(8, 8).pin_memory().npu(non_blocking=True)
    (torch.relu(x @ x) + 1).sum().item()
"""


def a_profile_has_the_operators(path, folder):
    text = portacl("run", path, folder, "CPU")
    traces = list(pathlib.Path(folder).glob("*/ASCEND_PROFILER_OUTPUT/trace_view.json"))
    assert len(traces) == 1 and "rror" not in text, text
    names = {event["name"] for event in json.loads(traces[0].read_text())}
    assert {"aten::matmul", "aten::relu", "aten::add"} <= names, names


def a_profile_of_the_device_has_its_operations(path, folder):
    """torch_npu reads its own results and those of portacl, and joins both."""
    text = portacl("run", path, folder, "CPU", "NPU")
    assert "rror" not in text and "portacl:" not in text, text
    output, = pathlib.Path(folder).glob("*/ASCEND_PROFILER_OUTPUT")
    check_timeline(json.loads((output / "trace_view.json").read_text()))
    rows = {name: list(csv.DictReader((output / f"{name}.csv").read_text().splitlines()))
            for name in ["kernel_details", "operator_details", "step_trace_time"]}
    cores = [row["Accelerator Core"] for row in rows["kernel_details"]]
    assert cores.count("AI_CORE") >= 4 and cores.count("MEMCPY_ASYNC") >= 1, cores
    times = {row["Name"]: float(row["Device Total Duration(us)"]) for row in rows["operator_details"]}
    assert times["aten::matmul"] > 0 and times["aclnnRelu"] > 0 and times["aten::ones"] == 0, times
    assert float(rows["step_trace_time"][0]["Computing"]) > 0, rows["step_trace_time"]


def check_timeline(events):
    bars = {(event["pid"], event["tid"], event["ts"]): event for event in events if event.get("ph") == "X"}
    arrows = [event for event in events if event.get("name") == "torch_to_npu"]
    starts = {event["id"]: (event["pid"], event["tid"], event["ts"]) for event in arrows if event["ph"] == "s"}
    computed = {}
    for end in arrows:
        if end["ph"] == "f":
            bar, operator = bars[end["pid"], end["tid"], end["ts"]], bars[starts[end["id"]]]
            computed.setdefault(operator["name"], []).append((bar, float(bar["ts"]) - float(operator["ts"])))
    # torch_npu names the operators that it calls. An arrow leads from each one to what the device computes for it.
    for name in ["aclnnMatmul", "aclnnRelu", "aclnnAdds", "aclnnReduceSum"]:
        assert any(bar["args"]["Task Type"] == "AI_CORE" for bar, _ in computed[name]), (name, computed)
        # One clock: the device computes after the call began, and at most a minute later.
        assert all(0 <= late < 60e6 for _, late in computed[name]), (name, computed)
    copies = [bar for bar in bars.values() if bar.get("args", {}).get("Task Type") == "MEMCPY_ASYNC"]
    assert any(bar["name"] == "copy host to device" and bar["args"]["bytes"] == 256 for bar in copies), copies


def a_profile_of_the_device_without_msprof_says_where_it_is(path, folder):
    done = subprocess.run([sys.executable, path, folder, "CPU", "NPU"], capture_output=True, text=True,
                          env={**os.environ, "PATH": "/nowhere", "LD_LIBRARY_PATH": os.environ["PYTHONPATH"] + "/portacl/lib"})
    expect("portacl: torch_npu.profiler writes no trace_view.json, because PATH has no msprof", done.stderr)
    traces = list(pathlib.Path(folder).glob("*/portacl-*.json"))
    assert len(traces) == 1, traces
    categories = [event.get("cat") for event in json.loads(traces[0].read_text())]
    assert categories.count("kernel") >= 3 and "copy" in categories, categories


def msprof_refuses_what_it_lacks(folder):
    program = os.environ["PYTHONPATH"] + "/portacl/ascend/tools/profiler/bin/msprof"
    for arguments, status, words in [
        (["--export=on", f"--output={folder}"], 1, f"msprof: --output is {folder}, and "),
        (["--export=on", "--type=db", f"--output={folder}"], 2, "allowed: --export=on or --analyze=on, and --output=FOLDER"),
        ([], 2, "allowed: "),
    ]:
        done = subprocess.run([program, *arguments], capture_output=True, text=True)
        assert done.returncode == status and words in done.stderr, (arguments, done)


def a_doctor_finds_what_is_missing():
    text = portacl("doctor")
    expect("torch_npu computes; number of devices: 4", text)
    assert "MISSING" not in text, text
    # A broken installation: what torch_npu says is in the text.
    text = portacl("doctor", status=1, PORTACL_CPU_DEVICES="none")
    expect("MISSING torch_npu does not compute: exit status 1", text)
    expect("PORTACL_CPU_DEVICES", text)
    sys.path.insert(0, os.environ["PYTHONPATH"])
    from portacl import doctor

    doctor.LIBRARIES = pathlib.Path("/nowhere")
    assert doctor.of_library("hccl") == ("/nowhere/libhccl.so: missing; install the package portacl again", False)
    assert doctor.of_package("portacl-none", "pip install it") == ("portacl-none: missing; pip install it", False)
    text, is_well = doctor.of_package("packaging", "pip install another")
    assert not is_well and "libopapi is built for 2.7.1; pip install another" in text, text


def a_demo_trains():
    expect(" on Ascend910_9391, ", portacl("demo").split("step 100: loss ")[1])


def wrong_usage_is_refused():
    for arguments in [(), ("run",), ("doctor", "x"), ("unknown",)]:
        expect("usage: python -m portacl COMMAND", portacl(*arguments, status=2))


if __name__ == "__main__":
    if importlib.util.find_spec("torch_npu") is None:
        print(f"skipped: {sys.executable} has no torch_npu")
        sys.exit(77)
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(PROGRAM)
        file.flush()
        a_program_runs(file.name)
        a_shell_sets_the_environment(file.name)
        with tempfile.TemporaryDirectory() as folder:
            another_toolkit_is_left_out(file.name, folder)
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file, tempfile.TemporaryDirectory() as folder:
        file.write(PROFILE)
        file.flush()
        a_profile_has_the_operators(file.name, folder + "/operators")
        a_profile_of_the_device_has_its_operations(file.name, folder + "/device")
        a_profile_of_the_device_without_msprof_says_where_it_is(file.name, folder + "/bare")
        msprof_refuses_what_it_lacks(folder)
    a_doctor_finds_what_is_missing()
    a_demo_trains()
    wrong_usage_is_refused()
    print("10 passed, 0 failed")
