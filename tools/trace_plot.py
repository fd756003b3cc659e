#!/usr/bin/env python3
"""Plots a trace: its rows, bars and arrows over time. Needs matplotlib (tools/bench_setup.sh pools installs it).

usage: trace_plot.py TRACE.json PICTURE.svg [FROM TO]     FROM and TO in milliseconds since its first bar
"""

import json
import sys

import matplotlib

matplotlib.use("svg")
# The same trace produces the same file.
matplotlib.rcParams["svg.hashsalt"] = "portacl"
matplotlib.rcParams["svg.fonttype"] = "none"

import matplotlib.pyplot as pyplot  # noqa: E402  (the backend is chosen before)

COLOURS = {"copy": "#4c78a8", "fill": "#72b7b2", "reduce": "#54a24b", "kernel": "#54a24b", "host": "#b279a2",
           "wait": "#d8d8d8", "program": "#eeca3b", "step": "#f58518", "value": "#9d755d"}


def bars_of(events):
    """(track, name, category, begin, end) of each bar, and of each range of a thread, in microseconds."""
    open_ranges, bars = {}, []
    for event in events:
        track = event["pid"], event["tid"]
        if event["ph"] == "X":
            bars.append((track, event["name"], event["cat"], event["ts"], event["ts"] + event["dur"]))
        elif event["ph"] == "B":
            open_ranges.setdefault(track, []).append(event)
        elif event["ph"] == "E":
            begin = open_ranges[track].pop()
            bars.append((track, begin["name"], begin["cat"], begin["ts"], event["ts"]))
    return bars


def arrows_of(events):
    """((track, time), (track, time)) of each arrow from a record to a wait."""
    sources = {event["id"]: event for event in events if event["ph"] == "s"}
    ends = ((sources[event["id"]], event) for event in events if event["ph"] == "f")
    return [tuple(((e["pid"], e["tid"]), e["ts"]) for e in pair) for pair in ends]


def label_of(events):
    """A function from a track to the text beside its row."""
    rows = {(event["pid"], event["tid"]): event["args"]["name"] for event in events if event["name"] == "thread_name"}
    groups = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}

    def label(track):
        group = groups[track[0]].split(":")[0]
        return f"{group} / {rows[track] if group.startswith('device') else 'thread'}"[:26]

    return label


def plot(events, window):
    """The figure of all bars that begin or end in the window, (from, to) in milliseconds."""
    bars = bars_of(events)
    first = min(bar[3] for bar in bars)
    begin, end = window or (0, (max(bar[4] for bar in bars) - first) / 1000)
    bars = [(track, name, category, (start - first) / 1000, (stop - first) / 1000)
            for track, name, category, start, stop in bars]
    bars = [bar for bar in bars if bar[4] > begin and bar[3] < end]
    order = {(event["pid"], event["tid"]): event["args"]["sort_index"]
             for event in events if event["name"] == "thread_sort_index"}
    tracks = sorted({bar[0] for bar in bars}, key=lambda track: (track[0], order[track]))
    row = {track: place for place, track in enumerate(tracks)}

    figure, axes = pyplot.subplots(figsize=(10, 0.6 + 0.36 * len(tracks)), layout="constrained")
    for track, name, category, start, stop in bars:
        axes.barh(row[track], stop - start, left=start, height=0.76, color=COLOURS.get(category, "#bab0ac"),
                  edgecolor="white", linewidth=0.5)
        if stop - start > 0.008 * len(name) * (end - begin):
            axes.text(max(start, begin) + 0.003 * (end - begin), row[track], name, va="center", fontsize=7,
                      clip_on=True)
    for (from_track, from_time), (to_track, to_time) in arrows_of(events):
        from_time, to_time = (from_time - first) / 1000, (to_time - first) / 1000
        if from_track in row and to_track in row and begin <= from_time <= to_time <= end:
            axes.annotate("", (to_time, row[to_track]), (from_time, row[from_track]),
                          arrowprops={"arrowstyle": "->", "color": "#d62728", "shrinkA": 0, "shrinkB": 0})
    axes.set_xlim(begin, end)
    axes.set_xlabel("time in ms")
    axes.set_yticks(range(len(tracks)), map(label_of(events), tracks))
    axes.invert_yaxis()
    axes.grid(axis="x", color="#eeeeee")
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    return figure


def main():
    if len(sys.argv) not in (3, 5):
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        events = json.load(file)
    window = tuple(map(float, sys.argv[3:])) or None
    plot(events, window).savefig(sys.argv[2], metadata={"Date": None})


if __name__ == "__main__":
    main()
