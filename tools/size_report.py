#!/usr/bin/env python3
"""The size of the libraries: its section in docs/benchmarks.md, and the check of its limits.

usage: size_report.py limits BUILD                fails if a file of the release build is over its limit
       size_report.py section BUILD DOCUMENT      writes the section; BUILD is build/release, and beside it is
                                                  build/release-without-cuda
       size_report.py modules ARCHIVE SYMBOLS     prints the table of crates and modules alone. ARCHIVE is what cargo
                                                  built, SYMBOLS a file with the names of the API
"""

import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from bench_results import commit, write_section

TITLE = "Size"
TOP = Path(__file__).resolve().parent.parent
# Stripped: file, description, limit, goal, and the bytes of the limit that are for features later than the goals. A
# limit is what there was on 2026-11-28 and 0.3 percent for mends and other compilers; a new feature adds what it needs.
# Measured together, in the archive and in a small program: PORTACL_CHECK with its page, PORTACL_SCHEDULE, rules of real
# drivers, failures of kernels, and unknown variables. Then, again together: the race check without host allocations,
# parameters of kernels from PTX, and fast paths of idle streams, frees and pools. Then the release of launches, and
# waits that are submitted before what ends them: their values, and when the host knows that they are over. Then
# accesses of the program to pinned memory before it waits, and the memory that launches use. Then, for PORTACL_CHECK and
# together, counts of notifies, kernels of graphs, pairs behind open waits, and the log of races. Then a short way of
# checked copies with a table of ranges, and pairs whose earlier operation waits. Then stacks that are never freed. Then
# what several later operations overwrite together. Then a guest's guards, together: descriptors, cancelled threads, forks,
# late destroys, raised privileges, importers, checks of images, lines of Python, memory by place, threads without host
# memory. Then, for CUDA and together, frees beside busy streams, streams that share hardware queues, captures of other
# libraries, and pins that are released inline; and texts with singular and plural. Then tasks with access to memory, pools
# by location, batches in one call of the driver, and room in queues, together. Then the socket that other users cannot
# reach, exports of memory on huge pages, and the places of calls for other libraries, together. Then pool memory that cannot
# fit, where searches of the reserve begin, and further requests for 2 MiB pages, together. Then the texts that name all
# causes and the compared bounds. Then calls of threads in traces, and rates and threads on the page of findings, together. Then
# findings of other libraries, names of processors, and records of processes that have left, together.
FEATURES = 480_000 + 65_000 + 21_000 + 60_000 + 90_000 + 40_000 + 530_000 + 95_000 + 240_000 + 80_000 + 45_000 + 115_000 + \
    40_000
FEATURES_USED = 306_000 + 70_000 + 13_000 + 49_000 + 47_000 + 30_000 + 12_000 + 10_000 + 330_000 + 91_000 + 72_000 + 18_000 + \
    8_000 + 20_000 + 52_000 + 8_000
# In the archive each function has a section with its own header and relocations, which no program contains.
SECTIONS = 3_345_000
FILES = [
    ("lib/libportacl.a", "the archive, stripped", 5_390_000 + SECTIONS + FEATURES, 3_500_000, FEATURES),
    ("benches/bench_small_program", "a small C++ program with the library inside, stripped", 2_362_000 + FEATURES_USED,
     1_500_000, FEATURES_USED),
    ("lib/libportacl.so", "the shared library, stripped", None, None, None),
]

SHT_SYMTAB, SHT_RELA, SHT_NOBITS, SHT_SYMTAB_SHNDX = 2, 4, 8, 18
SHF_ALLOC, SHF_EXECINSTR = 2, 4
RELOCATION, SYMBOL = 24, 24
KINDS = ("code", "constants", "unwinding", "relocations")
STANDARD = ("core", "alloc", "std")
OTHER = "C, and what has no name"
API = "portacl::functions of the API"
API_NAME = re.compile(r"acl[a-zA-Z0-9]+|portacl[A-Z][a-zA-Z0-9]*")
# Smaller crates and modules share a row.
LEAST = 4096


class Object:
    """Sections, symbols and relocations of a relocatable ELF object with 64 bits."""

    def __init__(self, path):
        self.bytes = Path(path).read_bytes()
        table, = struct.unpack_from("<Q", self.bytes, 0x28)
        first = self.header(table)
        count, names = struct.unpack_from("<HH", self.bytes, 0x3C)
        # With many sections the file's header has no room for two numbers: they are in the first section's header.
        count, names = count or first["size"], first["link"] if names == 0xFFFF else names
        self.sections = [self.header(table + 64 * index) for index in range(count)]
        for section in self.sections:
            section["text"] = self.string(self.sections[names]["offset"] + section["name"])
        self.symbols = self.read_symbols()

    def header(self, at):
        names = ("name", "type", "flags", "address", "offset", "size", "link", "info", "align", "entry")
        return dict(zip(names, struct.unpack_from("<IIQQQQIIQQ", self.bytes, at)))

    def string(self, at):
        return self.bytes[at:self.bytes.index(0, at)].decode(errors="replace")

    def read_symbols(self):
        """The section of each symbol, 0 for none, and its name."""
        wide = next((section for section in self.sections if section["type"] == SHT_SYMTAB_SHNDX), None)
        table = next(section for section in self.sections if section["type"] == SHT_SYMTAB)
        names = self.sections[table["link"]]["offset"]
        found = []
        for index in range(table["size"] // SYMBOL):
            name, _, _, section = struct.unpack_from("<IBBH", self.bytes, table["offset"] + SYMBOL * index)
            if section == 0xFFFF:
                section, = struct.unpack_from("<I", self.bytes, wide["offset"] + 4 * index)
            elif section >= 0xFF00:
                section = 0
            found.append((section, self.string(names + name)))
        return found

    def relocations(self):
        """The section of each relocation and the section that its symbol is in."""
        for table in self.sections:
            if table["type"] == SHT_RELA and self.sections[table["info"]]["flags"] & SHF_ALLOC:
                for index in range(table["size"] // RELOCATION):
                    _, symbol = struct.unpack_from("<II", self.bytes, table["offset"] + RELOCATION * index + 8)
                    yield table["info"], self.symbols[symbol][0]


def crates():
    """The crates in the library: those of the lock file, and those inside the standard library."""
    names = re.findall(r'^name = "(.*)"', (TOP / "Cargo.lock").read_text(), flags=re.MULTILINE)
    of_std = ["addr2line", "gimli", "hashbrown", "miniz_oxide", "rustc_demangle", "std_detect", "panic_unwind"]
    return {name.replace("-", "_") for name in names} | set(of_std)


CRATES = crates()


def demangled(names):
    text = subprocess.run(["c++filt"], input="\n".join(names), check=True, stdout=subprocess.PIPE, text=True).stdout
    return dict(zip(names, text.split("\n")))


def module_of(name):
    """`portacl_core::graph` of a demangled name. Generic code of the standard library that works on a type of another
    crate, such as its destructor, belongs to that crate."""
    paths = [re.sub(r"\[\w+\]", "", path) for path in re.findall(r"(?:\w+(?:\[\w+\])?::)+\w+", name)]
    parts = [path.split("::") for path in paths]
    known = [path for path in parts if path[0] in CRATES] or [path for path in parts if path[0] in STANDARD]
    if not known:
        return "std" if "[" in name or "::h" in name else OTHER
    path = known[0]
    # The crates of this repository are listed by module.
    return "::".join(path[:2]) if path[0].startswith("portacl") else path[0]


def owners(object_):
    """The module of each section that has one."""
    label = {}
    for section, name in object_.symbols:
        if section and name and not name.startswith("."):
            label.setdefault(section, name)
    readable = demangled(sorted(set(label.values())))
    owner = {section: API if API_NAME.fullmatch(name) else module_of(readable[name]) for section, name in label.items()}
    users = defaultdict(list)
    for place, target in object_.relocations():
        if target and target != place:
            users[target].append(place)
    # Constants without a name belong to the first named section that uses them.
    for _ in range(4):
        for section, places in users.items():
            known = next((owner[place] for place in places if place in owner), None)
            if section not in owner and known:
                owner[section] = known
    return owner


def weights(path):
    """Bytes by module and kind."""
    object_ = Object(path)
    owner = owners(object_)
    total = defaultdict(Counter)
    frames = Counter()
    for place, target in object_.relocations():
        total[owner.get(place, OTHER)]["relocations"] += RELOCATION
        if object_.sections[place]["text"] == ".eh_frame" and object_.sections[target]["flags"] & SHF_EXECINSTR:
            frames[target] += 1
    for index, section in enumerate(object_.sections):
        name = section["text"]
        if not section["flags"] & SHF_ALLOC or section["type"] == SHT_NOBITS:
            continue
        if name == ".eh_frame":
            for target, count in frames.items():
                total[owner.get(target, OTHER)]["unwinding"] += section["size"] * count / frames.total()
            continue
        kind = "code" if name.startswith(".text") else "unwinding" if "except_table" in name else "constants"
        total[owner.get(index, OTHER)][kind] += section["size"]
    return total


def linked(archive, symbols, folder):
    """One object of what the API needs, with all names, as make_libraries.sh makes it in its first step."""
    names = Path(folder) / "roots.rsp"
    names.write_text("".join(f"-u {name}\n" for name in Path(symbols).read_text().split()))
    path = Path(folder) / "linked.o"
    subprocess.run(["ld", "-r", "--gc-sections", "--force-group-allocation", f"@{names}", archive, "-o", path], check=True)
    return path


def row(name, kinds):
    cells = [f"{kinds[kind] / 1024:.0f}" for kind in KINDS]
    print(f"| {name} | " + " | ".join(cells) + f" | {kinds.total() / 1024:.0f} |")


def rows(groups, rest_name, show):
    """A row for each large group, and one for the others."""
    rest = Counter()
    for name, kinds in sorted(groups.items(), key=lambda item: -item[1].total()):
        if kinds.total() >= LEAST:
            show(name, kinds)
        else:
            rest.update(kinds)
    if rest:
        row(rest_name, rest)


def print_modules(archive, symbols):
    with tempfile.TemporaryDirectory() as folder:
        total = weights(linked(archive, symbols, folder))
    by_crate = defaultdict(Counter)
    for module, kinds in total.items():
        by_crate[module.split("::")[0]].update(kinds)
    print("| crate or module | " + " | ".join(KINDS) + " | all |")
    print("|---|" + "---:|" * (len(KINDS) + 1))

    def crate(name, kinds):
        row(f"**{name}**", kinds)
        inside = {module: kinds for module, kinds in total.items() if module.startswith(name + "::")}
        rows(inside, f"{name}: smaller modules", row)

    rows(by_crate, "**smaller crates**", crate)


def stripped_size(path):
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copy(os.path.realpath(path), folder)
        subprocess.run(["strip", "--strip-unneeded" if "lib/" in str(path) else "--strip-all", copy], check=True)
        return os.stat(copy).st_size


def check_limits(build):
    failed = False
    for file, what, limit, *_ in FILES:
        if limit is not None:
            size = stripped_size(build / file)
            failed |= size > limit
            print(f"{what}: {size:,} bytes, at most {limit:,} are allowed")
    return failed


def print_size(build, floor=None):
    """`floor` is the folder of the program that ./dev bench compares with."""
    print("| what | bytes | without later features | goal |")
    print("|---|---:|---:|---|")
    for file, what, _, goal, later in FILES:
        size = stripped_size(build / file)
        verdict = "" if goal is None else f"at most {goal:,}: {'met' if size <= goal else f'missed by {size - goal:,}'}"
        print(f"| {what} | {size:,} | {'' if later is None else f'{size - later:,}'} | {verdict} |")
    for file, what, *_ in FILES:
        size = stripped_size(build.with_name("release-without-cuda") / file)
        print(f"| {what}, without the `cuda` backend (`-DPORTACL_CUDA=OFF`) | {size:,} | | |")
    if floor:
        print("| for comparison: a C++ program with one Rust function that catches panics and starts a thread | "
              f"{(floor / 'rust_floor').stat().st_size:,} | | |")
    print(f"""
At commit {commit()}. The program contains both backends, since it selects one when it starts, and the part of Rust's \
standard library that turns a panic into a text. Of the rest it contains only what it uses. The archive contains all \
functions, each in a section of its own, so that programs contain only what they use. Headers and relocations of these \
sections are more than half of it, and no part of a linked program. Compiling for size makes both \
smaller, but 16-bit reductions and small copies clearly slower. Less inlining (LLVM's threshold 50 instead of 225) \
makes the code 9 percent smaller, and most calls 5 to 17 percent longer in instructions. Both were rejected. \
Merging the sections that the same functions of the API need makes the archive a third smaller and no program: the 312 \
lines for it were removed. `./dev check size` holds the limits.

Later features are those after commit 96c0283: `PORTACL_CHECK`, `PORTACL_SCHEDULE` and others. They take \
{FEATURES:,} bytes of the archive and {FEATURES_USED:,} of the small program, which were measured when they came \
(`FEATURES` in `tools/size_report.py`). Without them, and with fewer sections, the archive had 5,270,000 bytes and the \
program 2,300,000 then.

Where the bytes are, in KiB. A relocation takes 24 bytes. Generic code counts for the crate that it was generated for.
""")
    print_modules(TOP / "target/release/libportacl.a", build / "lib/symbols.txt")


def main():
    match sys.argv[1:]:
        case ["limits", build]:
            return check_limits(Path(build))
        case ["section", build, document]:
            write_section(Path(document), TITLE, lambda: print_size(Path(build)))
        case ["modules", archive, symbols]:
            print_modules(archive, symbols)
        case _:
            print(__doc__)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
