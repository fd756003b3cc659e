#!/usr/bin/env python3
"""A picture of a trace: its rows, bars and arrows over time.

usage: trace_plot.py TRACE.json [FROM TO] >PICTURE.svg     FROM and TO in milliseconds since its first bar
"""

import html
import json
import sys

WIDTH, LEFT, ROW, GAP, TOP = 1000, 150, 26, 8, 28
COLOURS = {"copy": "#4c78a8", "fill": "#72b7b2", "reduce": "#54a24b", "kernel": "#54a24b", "host": "#b279a2",
           "wait": "#d8d8d8", "program": "#eeca3b", "step": "#f58518", "value": "#9d755d"}


def bars_of(events):
    """(track, name, category, begin, end) of everything that has a length; ranges of threads included."""
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


def main():
    if len(sys.argv) not in (2, 4):
        sys.exit(__doc__)
    events = json.load(open(sys.argv[1], encoding="utf-8"))
    bars = bars_of(events)
    first = min(bar[3] for bar in bars)
    begin, end = (first, max(bar[4] for bar in bars))
    if len(sys.argv) == 4:
        begin, end = (first + float(text) * 1000 for text in sys.argv[2:])
    bars = [bar for bar in bars if bar[4] > begin and bar[3] < end]
    names = {(event["pid"], event["tid"]): event["args"]["name"] for event in events if event["name"] == "thread_name"}
    groups = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
    order = {(event["pid"], event["tid"]): event["args"]["sort_index"]
             for event in events if event["name"] == "thread_sort_index"}
    rows = sorted({bar[0] for bar in bars}, key=lambda track: (track[0], order[track]))
    tops = {track: TOP + index * (ROW + GAP) for index, track in enumerate(rows)}
    height = TOP + len(rows) * (ROW + GAP) + 6

    def x(time):
        return LEFT + (min(max(time, begin), end) - begin) / (end - begin) * (WIDTH - LEFT - 10)

    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="11">')
    print('<defs><marker id="head" markerWidth="6" markerHeight="6" refX="5" refY="3" orient="auto">'
          '<path d="M0,0 L6,3 L0,6 z" fill="#d62728"/></marker></defs>')
    print(f'<rect width="{WIDTH}" height="{height}" fill="white"/>')
    for tick in range(6):
        time = begin + (end - begin) * tick / 5
        print(f'<line x1="{x(time):.1f}" y1="18" x2="{x(time):.1f}" y2="{height}" stroke="#eeeeee"/>'
              f'<text x="{x(time):.1f}" y="13" text-anchor="middle" fill="#666666">{(time - begin) / 1000:.1f} ms</text>')
    for track in rows:
        group = groups[track[0]].split(":")[0]
        name = names[track] if group.startswith("device") else "thread"
        print(f'<text x="4" y="{tops[track] + 17}" fill="#333333">{html.escape(f"{group} / {name}"[:26])}</text>')
    for track, name, category, start, stop in bars:
        left, right = x(start), x(stop)
        print(f'<rect x="{left:.1f}" y="{tops[track]}" width="{max(right - left, 0.7):.1f}" height="{ROW}" '
              f'fill="{COLOURS.get(category, "#bab0ac")}" stroke="white" stroke-width="0.5">'
              f'<title>{html.escape(name)}: {stop - start:.1f} us</title></rect>')
        if right - left > 6 * len(name) + 4:
            print(f'<text x="{left + 3:.1f}" y="{tops[track] + 17}" fill="#222222">{html.escape(name)}</text>')
    sources = {event["id"]: event for event in events if event["ph"] == "s"}
    for event in events:
        if event["ph"] != "f":
            continue
        source = sources[event["id"]]
        ends = [((e["pid"], e["tid"]), e["ts"]) for e in (source, event)]
        if any(track not in tops or not begin <= time <= end for track, time in ends):
            continue
        (from_track, from_time), (to_track, to_time) = ends
        print(f'<line x1="{x(from_time):.1f}" y1="{tops[from_track] + ROW / 2}" x2="{x(to_time):.1f}" '
              f'y2="{tops[to_track] + ROW / 2}" stroke="#d62728" stroke-width="1" marker-end="url(#head)"/>')
    print("</svg>")


if __name__ == "__main__":
    main()
