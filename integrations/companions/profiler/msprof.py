"""usage: msprof --export=on|--analyze=on --output=FOLDER

Writes what torch_npu.profiler reads, from the trace of portacl in FOLDER (PROF_*, which aclprofInit makes):

  mindstudio_profiler_output/msprof_TIME.json      the timeline: operations by stream, calls, arrows between both
  mindstudio_profiler_output/op_summary_TIME.csv   one line for each operation

torch_npu.profiler runs it, and makes trace_view.json, kernel_details.csv, operator_details.csv and step_trace_time.csv of
both. `--analyze=on` is for collectives, which the timeline has: it does nothing.
"""

import csv
import datetime
import json
import pathlib
import re
import sys

OUTPUT = "mindstudio_profiler_output"
# What torch_npu names the columns.
COLUMNS = ["Device_id", "Op Name", "OP Type", "Task Type", "Task Start Time(us)", "Task Duration(us)",
           "Task Wait Time(us)", "Block Dim"]
# The kinds of operations of a trace. Operations of other kinds wait, and compute nothing.
TASK_TYPES = {"kernel": "AI_CORE", "reduce": "AI_CORE", "host": "HOST_FUNC", "copy": "MEMCPY_ASYNC",
              "fill": "MEMSET_ASYNC", "graph": "MODEL_EXECUTE"}
# The row of torch_npu's overview of what a device does.
OVERVIEW = 1 << 24


def microseconds(nanoseconds):
    """As text, because torch_npu compares these times digit by digit."""
    return f"{nanoseconds // 1000}.{nanoseconds % 1000:03d}"


class Clock:
    """The time of day of a trace's times."""

    def __init__(self, folder):
        start = json.loads((folder / "host" / "start_info").read_text())
        self.difference = start["collectionTimeBegin"] * 1000 - start["clockMonotonic"]

    def __call__(self, event):
        return round(event["ts"] * 1000) + self.difference


class Timeline:
    def __init__(self, folder):
        self.clock = Clock(folder)
        self.events = []
        self.operations = []
        self.devices = {}
        for file in sorted(folder.glob("portacl-*.json")):
            read = [event for event in json.loads(file.read_text()) if event]
            names = {event["pid"]: event["args"]["name"] for event in read if event.get("name") == "process_name"}
            self.devices |= {pid: int(match[1]) for pid, name in names.items() if (match := re.match(r"device (\d+):", name))}
            for event in read:
                self.take(event)
        for pid, device in self.devices.items():
            self.events.append({"ph": "M", "pid": pid, "tid": 0, "name": "process_labels", "args": {"labels": f"NPU {device}"}})
            self.overview(pid)

    def take(self, event):
        if "ts" in event:
            event = {**event, "ts": microseconds(self.clock(event))}
        if event.get("cat") == "submission":
            event.update(cat="HostToDevice", name="HostToDevice")
        elif event.get("cat") == "call":
            event["name"] = f"AscendCL@{event['name']}"
        elif event["pid"] in self.devices and event.get("cat") in TASK_TYPES:
            event["args"] = {"Task Type": TASK_TYPES[event["cat"]], **event.get("args", {})}
            self.operations.append(event)
        self.events.append(event)

    def overview(self, pid):
        """When a device computes, and when it does nothing between two operations."""
        end, spans = None, []
        for event in sorted((event for event in self.operations if event["pid"] == pid), key=lambda event: float(event["ts"])):
            start = int(event["ts"].replace(".", ""))
            stop = start + round(event["dur"] * 1000)
            if end is None or start > end:
                spans += [("Free", end, start)] if end is not None else []
                spans.append(("Computing", start, stop))
            elif stop > end:
                spans[-1] = ("Computing", spans[-1][1], stop)
            end = stop if end is None else max(end, stop)
        for name, start, stop in spans:
            self.events.append({"ph": "X", "pid": pid, "tid": OVERVIEW, "name": name, "ts": microseconds(start),
                                "dur": (stop - start) / 1000, "args": {}})
        self.events.append({"ph": "M", "pid": pid, "tid": OVERVIEW, "name": "thread_name", "args": {"name": "computes"}})

    def summary(self):
        """A line for each operation: how long its stream did nothing before it is its time of waiting."""
        ends = {}
        for event in sorted(self.operations, key=lambda event: float(event["ts"])):
            stream = event["pid"], event["tid"]
            start = float(event["ts"])
            wait = max(start - ends.get(stream, start), 0)
            ends[stream] = start + event["dur"]
            arguments = event["args"]
            yield [self.devices[event["pid"]], event["name"], event["name"], arguments["Task Type"], event["ts"] + "\t",
                   f"{event['dur']:.3f}", f"{wait:.3f}", arguments.get("blocks", 1)]


def export(folder):
    timeline = Timeline(folder)
    output = folder / OUTPUT
    output.mkdir(mode=0o750, exist_ok=True)
    time = datetime.datetime.now().strftime("%Y%m%d%H%M%S")
    (output / f"msprof_{time}.json").write_text(json.dumps(timeline.events))
    # torch_npu waits for this file.
    with open(output / f"op_summary_{time}.csv.part", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(timeline.summary())
    (output / f"op_summary_{time}.csv.part").rename(output / f"op_summary_{time}.csv")


def main(arguments):
    if arguments == ["--help"]:
        print(__doc__)
        return 0
    options = dict(argument.split("=", 1) for argument in arguments if "=" in argument)
    folder = options.pop("--output", None)
    if folder is None or options not in ({"--export": "on"}, {"--analyze": "on"}):
        print(f"msprof: the arguments are {' '.join(arguments)}; allowed: --export=on or --analyze=on, and --output=FOLDER. "
              "There are no other results, such as databases: leave out export_type in torch_npu.profiler", file=sys.stderr)
        return 2
    if "--analyze" in options:
        return 0
    try:
        export(pathlib.Path(folder))
    except (OSError, ValueError, KeyError) as error:
        print(f"msprof: --output is {folder}, and {error}; allowed: a folder PROF_* with portacl-*.json and host/start_info. "
              "Profile again", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
