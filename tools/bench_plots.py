"""The plots of docs/benchmarks.md."""

import matplotlib

matplotlib.use("svg")
# The same figures give the same file.
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


def copy_latency(series, file):
    in_microseconds = {title: {size: ns / 1e3 for size, ns in points.items()} for title, points in series.items()}
    _plot(in_microseconds, "copy + synchronise, us", file)


def copy_rate(series, file):
    in_gigabytes = {title: {size: size / ns for size, ns in points.items()} for title, points in series.items()}
    _plot(in_gigabytes, "GB/s", file)
