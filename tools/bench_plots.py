"""The plots of docs/benchmarks.md, and of replayed allocation logs."""

import math

import matplotlib

matplotlib.use("svg")
# The same figures produce the same file.
matplotlib.rcParams["svg.hashsalt"] = "portacl"
matplotlib.rcParams["svg.fonttype"] = "none"

import matplotlib.pyplot as pyplot  # noqa: E402  (the backend is chosen before)


def _size(value, _=None):
    for limit, unit in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if value >= limit:
            return f"{value / limit:g} {unit}"
    return f"{value:g} B"


def _plot(series, label, file):
    """One line per runtime over the sizes of a copy; `series`: title -> {bytes: value}."""
    figure, axes = pyplot.subplots(figsize=(7.5, 4.2), layout="constrained")
    for (title, points), marker in zip(series.items(), "os^x"):
        own = title == "portacl"
        axes.plot(list(points), list(points.values()), marker=marker, markersize=4, label=title,
                  linewidth=2 if own else 1.2, linestyle="--" if title == "memcpy alone" else "-",
                  zorder=3 if own else 2)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(_size)
    axes.set_xlabel("bytes copied from pinned host memory to the device")
    axes.set_ylabel(label)
    axes.grid(True, which="major", alpha=0.3)
    axes.legend()
    figure.savefig(file, metadata={"Date": None, "Creator": None})
    pyplot.close(figure)


def pool_curve(means, slow, file):
    """Time per call over the number of allocations; `means`, `slow` (99.9th percentile): title -> {n: ns}."""
    figure, axes = pyplot.subplots(figsize=(7.5, 4.6), layout="constrained")
    for (title, points), marker in zip(means.items(), "os^x"):
        own = title == "portacl"
        line, = axes.plot(list(points), list(points.values()), marker=marker, markersize=4, label=title,
                          linewidth=2 if own else 1.2, zorder=3 if own else 2)
        if title in slow:
            axes.plot(list(slow[title]), list(slow[title].values()), color=line.get_color(), linestyle="--",
                      linewidth=1.2, label=f"{title}, 99.9 of 100 calls are faster")
    first, *rest = means["portacl"]
    guide = {n: means["portacl"][first] * math.log(n) / math.log(first) for n in (first, *rest)}
    axes.plot(list(guide), list(guide.values()), color="grey", linestyle=":", linewidth=1.2, label="c log n")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("n: 2n steps, about 0.92 n blocks live at the end")
    axes.set_ylabel("ns per allocation or free")
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize="small")
    figure.savefig(file, metadata={"Date": None, "Creator": None})
    pyplot.close(figure)


def scale_curves(series, file):
    """Time per call over the number of objects; `series`: title -> {n: ns}."""
    figure, axes = pyplot.subplots(figsize=(7.5, 5.2), layout="constrained")
    colors = {kind: f"C{index}" for index, kind in enumerate(dict.fromkeys(title.split(":")[0] for title in series))}
    for title, points in series.items():
        axes.plot(list(points), list(points.values()), marker="o", markersize=3, label=title, linewidth=1.2,
                  color=colors[title.split(":")[0]], linestyle="-" if title.endswith("replace") else "--")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("objects that are alive")
    axes.set_ylabel("ns per call")
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize="x-small", ncols=2)
    figure.savefig(file, metadata={"Date": None, "Creator": None})
    pyplot.close(figure)


def replay(requested, reserved, file):
    """Requested bytes and the pools' bytes over time; both {nanoseconds: bytes}, `reserved` by title."""
    figure, axes = pyplot.subplots(figsize=(7.5, 4.2), layout="constrained")

    def scaled(points):
        return [ns / 1e6 for ns in points], [size / (1 << 20) for size in points.values()]

    axes.fill_between(*scaled(requested), step="pre", color="lightgrey", label="requested")
    for title, points in reserved.items():
        own = title == "portacl"
        axes.step(*scaled(points), where="pre", label=f"{title}, reserved", linewidth=2 if own else 1.2,
                  zorder=3 if own else 2)
    axes.set_xlabel("ms since the log began")
    axes.set_ylabel("MiB")
    axes.set_ylim(bottom=0)
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize="small")
    figure.savefig(file, metadata={"Date": None, "Creator": None})
    pyplot.close(figure)


def copy_latency(series, file):
    in_microseconds = {title: {size: ns / 1e3 for size, ns in points.items()} for title, points in series.items()}
    _plot(in_microseconds, "copy + synchronise, us", file)


def copy_rate(series, file):
    in_gigabytes = {title: {size: size / ns for size, ns in points.items()} for title, points in series.items()}
    _plot(in_gigabytes, "GB/s", file)
