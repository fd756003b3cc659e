#!/usr/bin/env python3
"""Compares the plug-in with the smallest possible one, and with Paddle's own CPU device.

    bench.py BUILD_FOLDER [RUNS [DOCUMENT]]

BUILD_FOLDER is build/paddle/integrations/paddle. Each of RUNS (9) rounds starts one process for each of the three,
one after the other; the ratio is the median of the rounds' ratios, since a busy machine slows a whole round.
Then, what the callbacks that Paddle makes most cost above an empty call. Tells how far it is while it runs,
writes the tables into DOCUMENT between its two marks, and ends with 1 where a goal is missed.
"""

import datetime
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
GOAL_RATIO = 1.05
GOAL_NANOSECONDS = 20.0
SMALLEST = "the smallest plug-in"
MARKS = ("<!-- written by ./dev paddle bench -->\n", "<!-- until here -->\n")


def environment(**more):
    return {**os.environ, "PORTACL_BACKEND": os.environ.get("PORTACL_BACKEND", "cpu"), **more}


def run(command, **variables):
    return subprocess.run(command, env=environment(**variables), check=True, capture_output=True, text=True).stdout


def train(device, plugin_folder):
    """(seconds by the clock, seconds of a processor)"""
    out = run([sys.executable, HERE / "mlp.py", device], CUSTOM_DEVICE_ROOT=str(plugin_folder),
              FLAGS_use_stride_kernel="0", GLOG_minloglevel="1", OMP_NUM_THREADS="1")
    return tuple(map(float, out.split()[-2:]))


def verdict(fine):
    return "met" if fine else "missed"


def training(build, runs):
    """The lines of the table, and whether the goal is met."""
    contestants = {"portacl": ("portacl:0", build / "plugin"),
                   SMALLEST: ("minimal:0", build / "portacl_paddle_minimal"),
                   "Paddle's CPU device": ("cpu", "")}
    times = {name: [] for name in contestants}
    for round_ in range(1, runs + 1):
        for name, arguments in contestants.items():
            print(f"round {round_} of {runs}: {name}", flush=True)
            times[name].append(train(*arguments))

    def ratio(name, which):
        return statistics.median(a[which] / b[which] for a, b in zip(times[name], times[SMALLEST]))

    met = ratio("portacl", 0) <= GOAL_RATIO
    lines = ["| 30 training steps | ms | of the smallest plug-in | goal | | processor ms | of the smallest plug-in |",
             "|---|---|---|---|---|---|---|"]
    for name, found in times.items():
        clock, processor = (statistics.median(values) * 1e3 for values in zip(*found))
        goal = f"at most {GOAL_RATIO} | {verdict(met)}" if name == "portacl" else "|"
        lines.append(f"| {name} | {clock:.2f} | {ratio(name, 0):.3f} | {goal} | {processor:.2f} | {ratio(name, 1):.3f} |")
    return lines, met


def instructions(program, plugin, name):
    """What one call executes: the difference between many calls and few. None without valgrind."""
    if shutil.which("valgrind") is None:
        return None
    counts = []
    for calls in (1000, 3000):
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, plugin, name, str(calls)],
            env=environment(), check=True, capture_output=True, text=True)
        counts.append(int(re.search(r"Collected : (\d+)", done.stderr).group(1)))
    return round((counts[1] - counts[0]) / 2000)


def callbacks(build):
    program, plugin = build / "paddle_plugin_calls", build / "plugin/libpaddle-portacl.so"
    print("callbacks", flush=True)
    lines = ["| callback | ns | above an empty call | goal | | instructions |", "|---|---|---|---|---|---|"]
    met = True
    for line in run([program, plugin]).splitlines():
        name, took, above = line.split()
        goal = "|"
        if name != "empty":
            fine = float(above) <= GOAL_NANOSECONDS
            met = met and fine
            goal = f"at most {GOAL_NANOSECONDS:.0f} | {verdict(fine)}"
        counted = instructions(program, plugin, name)
        lines.append(f"| {name} | {float(took):.1f} | {float(above):+.1f} | {goal} | {'-' if counted is None else counted} |")
    return lines, met


def about(runs):
    commit = run(["git", "-C", HERE, "rev-parse", "--short", "HEAD"]).strip()
    changed = " with local changes" if run(["git", "-C", HERE, "status", "--porcelain", "--untracked-files=no"]) else ""
    model = next((line.split(":", 1)[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), os.uname().machine)
    return (f"{datetime.date.today()}, commit {commit}{changed}. {model}, {os.cpu_count()} CPUs, load "
            f"{os.getloadavg()[0]:.1f} at the end. Medians of {runs} runs of each, alternating; a ratio is the median of "
            "the ratios of the rounds. If the load is not far below the number of CPUs, trust the processor time "
            "and the instructions only.")


def write(document, text):
    begin, end = MARKS
    before, found, rest = document.read_text().partition(begin)
    _, ended, after = rest.partition(end)
    if not found or not ended:
        sys.exit(f"{document} has not both marks: {begin.strip()} and {end.strip()}")
    document.write_text(before + begin + "\n" + text + "\n" + end + after)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1]).resolve()
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 9
    steps, steps_met = training(build, runs)
    calls, calls_met = callbacks(build)
    text = "\n".join([about(runs), "", *steps, "", *calls, ""])
    print("\n" + text)
    if len(sys.argv) > 3:
        write(pathlib.Path(sys.argv[3]), text)
    return 0 if steps_met and calls_met else 1


if __name__ == "__main__":
    sys.exit(main())
