#!/usr/bin/env python3
"""Compares the plug-in with the smallest possible one, and with Paddle's own CPU device.

    bench.py BUILD_FOLDER [RUNS]

BUILD_FOLDER is build/paddle/plugins/paddle. Each of RUNS (9) rounds starts one process for each of the three,
one after the other; the ratio is the median of the rounds' ratios, since a busy machine slows a whole round.
Then, what the callbacks that Paddle makes most cost above an empty call. Ends with 1 where a goal is missed.
"""

import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
GOAL_RATIO = 1.05
GOAL_NANOSECONDS = 20.0


def seconds(device, plugin_folder):
    environment = {
        **os.environ, "CUSTOM_DEVICE_ROOT": str(plugin_folder), "FLAGS_use_stride_kernel": "0",
        "GLOG_minloglevel": "1", "PORTACL_BACKEND": os.environ.get("PORTACL_BACKEND", "cpu"), "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, HERE / "mlp.py", device], env=environment, check=True,
                          capture_output=True, text=True)
    return float(done.stdout.split()[-1])


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 9
    contestants = {"portacl": ("portacl:0", build / "plugin"),
                   "the smallest plug-in": ("minimal:0", build / "portacl_paddle_minimal"),
                   "Paddle's CPU device": ("cpu", "")}
    times = {name: [] for name in contestants}
    for _ in range(runs):
        for name, arguments in contestants.items():
            times[name].append(seconds(*arguments))
    smallest = times["the smallest plug-in"]
    print(f"30 training steps of a small network, medians of {runs} interleaved runs")
    for name, found in times.items():
        ratio = statistics.median(a / b for a, b in zip(found, smallest))
        print(f"{name:22} {statistics.median(found) * 1e3:8.2f} ms  {ratio:6.3f} of the smallest plug-in")
    ratio = statistics.median(a / b for a, b in zip(times["portacl"], smallest))
    met = ratio <= GOAL_RATIO
    print(f"goal: at most {GOAL_RATIO}: {'met' if met else 'missed'}")

    print("\nnanoseconds of a call, and above an empty one")
    calls = subprocess.run([build / "paddle_plugin_calls", build / "plugin/libpaddle-portacl.so"],
                           env={**os.environ, "PORTACL_BACKEND": os.environ.get("PORTACL_BACKEND", "cpu")}, check=True,
                           capture_output=True, text=True)
    for line in calls.stdout.splitlines():
        name, took, above = line.split()
        fine = float(above) <= GOAL_NANOSECONDS
        met = met and fine
        print(f"{name:22} {float(took):8.1f} {float(above):8.1f}  {'' if name == 'empty' else 'met' if fine else 'missed'}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
