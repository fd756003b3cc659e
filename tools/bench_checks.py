#!/usr/bin/env python3
"""./dev bench checks [LAUNCHES]: what PORTACL_CHECK costs: the benchmarks of copies, graphs and pools with and without it.

The programs run in turns without a check and with each, LAUNCHES times (3 by default). Writes the section "Measured" of
docs/checking_costs.md. --programs FOLDER: where bench_streams, bench_graph, bench_mem_pool and bench_check_memory are.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess

from bench_results import commit, machine, number, write_section

TOP = pathlib.Path(__file__).resolve().parent.parent
CHECKS = ("0", "races", "init", "races,init,sync")
MOST = 3
# Program, its arguments, and the results that are listed: all whose names begin with one of these.
PROGRAMS = (
    ("streams", [], ("record x", "copy + synchronise")),
    ("graph", [], ("issued", "replayed")),
    ("mem_pool", ["steady", "1"], ("allocation",)),
)

# Mebibytes of device memory, and the bytes of each write. The host waits for none of them.
WRITES = ((256, 64), (256, 1024), (1024, 4096))
MOST_PERCENT = {"races": 10, "init": 13}


def launch(folder, program, arguments, check):
    environment = os.environ | {"PORTACL_BACKEND": "cpu", "PORTACL_CPU_MEMORY": "64G", "PORTACL_CHECK": check}
    output = subprocess.run([folder / f"bench_{program}", *arguments], cwd=TOP, env=environment, check=True,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    if program == "mem_pool":
        return {("allocation or free of a pool, steady", None): float(output.removesuffix(" ns\n"))}
    rows = (json.loads(line) for line in output.splitlines() if line.startswith("{"))
    return {(row["name"], row.get("at")): row["value"] for row in rows if row["unit"] == "ns"}


def resident(folder, mebibytes, piece, check):
    environment = os.environ | {"PORTACL_BACKEND": "cpu", "PORTACL_CPU_MEMORY": "64G", "PORTACL_CHECK": check}
    command = [folder / "bench_check_memory", str(mebibytes), str(piece)]
    output = subprocess.run(command, cwd=TOP, env=environment, check=True, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True).stdout
    return json.loads(output)["value"]


def measure_memory(folder):
    """(mebibytes, bytes of a write) -> check -> percent of the device memory."""
    found = {}
    for mebibytes, piece in WRITES:
        print(f"memory: writes of {piece} B to {mebibytes} MiB", flush=True)
        without = resident(folder, mebibytes, piece, "0")
        found[mebibytes, piece] = {
            check: 100 * (resident(folder, mebibytes, piece, check) - without) / (mebibytes << 20)
            for check in MOST_PERCENT}
    return found


def print_memory(found):
    print("Host memory, in percent of the device memory in use, after writes of which the host has waited for "
          "none, each beside bytes that nothing writes. "
          + ", ".join(f"`{check}`: at most {most}" for check, most in MOST_PERCENT.items()) + ".\n")
    print("| device memory | writes of | " + " | ".join(f"`{check}`" for check in MOST_PERCENT) + " |")
    print("|---|---|" + "---|" * len(MOST_PERCENT))
    for (mebibytes, piece), percents in found.items():
        row = " | ".join(f"{percents[check]:.1f} %" for check in MOST_PERCENT)
        print(f"| {mebibytes} MiB | {piece} B | {row} |")
    print()


def measure(folder, launches):
    """(name, point) -> check -> one value per launch."""
    found = {}
    for round_ in range(launches):
        for program, arguments, names in PROGRAMS:
            for check in CHECKS:
                print(f"launch {round_ + 1} of {launches}: bench_{program}, PORTACL_CHECK={check}", flush=True)
                for key, value in launch(folder, program, arguments, check).items():
                    if key[0].startswith(names):
                        found.setdefault(key, {}).setdefault(check, []).append(value)
    return found


def point(name, at):
    return name if at is None else f"{name}, {at}"


def print_table(found):
    print(f"By `./dev bench checks`, at commit {commit()}, on {machine()}. Each column is the median of the ratios to "
          f"the time without a check; the goal is at most {MOST}.\n")
    print("| what | without | " + " | ".join(f"`{check}`" for check in CHECKS[1:]) + " |")
    print("|---|---|" + "---|" * len(CHECKS[1:]))
    missed = [0, 0]
    for (name, at), values in found.items():
        ratios = [statistics.median(b / a for a, b in zip(values["0"], values[check])) for check in CHECKS[1:]]
        missed = [count + (ratio > MOST) for count, ratio in zip(missed, ratios)]
        print(f"| {point(name, at)} | {number(statistics.median(values['0']))} | "
              + " | ".join(f"{ratio:.3g}" for ratio in ratios) + " |")
    print(f"\n`races` takes more than {MOST} times as long in {missed[0]} of {len(found)} rows, `init` in {missed[1]}.\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("launches", nargs="?", type=int, default=3)
    parser.add_argument("--programs", type=pathlib.Path, default=TOP / "build/release/benches")
    arguments = parser.parse_args()
    folder = arguments.programs.resolve()
    found, memory = measure(folder, arguments.launches), measure_memory(folder)

    def write():
        print_table(found)
        print_memory(memory)

    write_section(TOP / "docs/checking_costs.md", "Measured", write)
    print("docs/checking_costs.md: the section \"Measured\" is written")


if __name__ == "__main__":
    main()
