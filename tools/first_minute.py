#!/usr/bin/env python3
"""The first minute of a new user, with a clock: in a root of Debian that has only git, certificates and sudo, the
commands of README.md and docs/install.md run as the pages have them. What fails or prints something else is a failure.

usage: first_minute.py [JOB...] [--quick] [--write] [--packages FOLDER]

JOB         only these: demo, race, install, cmake, pkg-config, packages, release. Those from race to packages need the
            ones before them
--quick     compile without optimization: this tries the commands, and its times are not those of a user
--write     write the table into docs/first_minute.md; rows of other jobs stay
--packages  where the Debian packages of the job release are; otherwise they are those of the job packages

The root has a network of its own, which counts what a job fetches. Needs root, mmdebstrap and slirp4netns; exits with
77 where one is missing, or Debian cannot be reached.
"""

import argparse
import collections
import datetime
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys

import bench_results
import release_image
from release_common import Missing, Refused, run

TOP = pathlib.Path(__file__).resolve().parent.parent
WORK = TOP / "build/first_minute"
PAGE, INSTALL = "docs/first_minute.md", "docs/install.md"
SUITE, HAS = "bookworm", ("git", "ca-certificates", "sudo")
HELLO = r"hello, device\s*\Z"
# What a user needs before the first command: the tree, and the files of docs/install.md.
BEFORE = 'git clone --quiet "$URL" "$HOME/readme/portacl"'
# Rust without optimization compiles in a fraction of the time. Without any, packing takes minutes.
QUICK = {"LTO": "off", "OPT_LEVEL": "1", "CODEGEN_UNITS": "16", "DEBUG": "0"}
# Runs in namespaces for mounts, processes and the network: waits for the network, then runs the job, and writes its
# seconds and the bytes that it fetched.
STEPS = """
    root=$1 result=$2 at=$3; shift 3
    echo >&3
    for ((i = 0; i < 200; ++i)); do ! grep -q tap0 /proc/net/dev || break; sleep 0.1; done
    mount -t proc proc "$root/proc"; mount --rbind /dev "$root/dev"
    mkdir -p "$root/tree"; mount --bind -o ro "$TREE" "$root/tree"
    echo nameserver 10.0.2.3 >"$root/etc/resolv.conf"
    began=$EPOCHREALTIME status=0
    chroot "$root" /usr/bin/env -i "$@" URL=file:///tree /bin/bash -euo pipefail -c 'cd "$0" && . /root/job' "$at" ||
        status=$?
    echo "$began $EPOCHREALTIME $(sed -n 's/^ *tap0: *\\([0-9]*\\).*/\\1/p' /proc/net/dev)" >"$result"
    exit "$status"
"""


def block(page, label):
    """A code block of a page, by what follows the three backquotes."""
    found = re.findall(rf"^```{re.escape(label)}\n(.*?)^```$", (TOP / page).read_text(), re.MULTILINE | re.DOTALL)
    if len(found) != 1:
        raise Refused(f"{page} has {len(found)} blocks '{label}', 1 is wanted")
    return found[0]


def line(page, command):
    """A line of a page's first block of commands, without its comment."""
    lines = [row.split("#")[0].strip() for row in block(page, "sh").splitlines()]
    if command not in lines:
        raise Refused(f"the commands of {page} do not have '{command}'")
    return command


Job = collections.namedtuple("Job", "name root what page folder commands output")


def jobs():
    """In the order in which a user reads the pages. `output` is a pattern of what a job prints."""
    tree, own = "/root/readme/portacl", "/root/here"

    def demo(name, what, command, output):
        return Job(name, "first", what, "README.md", tree, line("README.md", command), output)

    def install(name, what, output, root="first"):
        return Job(name, root, what, INSTALL, own, block(INSTALL, f"sh {name}"), output)

    return [
        demo("demo", "run a first program", "./dev demo", "all [0-9]+ elements are right"),
        demo("race", "read a report of a race", "./dev demo race", "1 race reported"),
        install("install", "build and install", ""),
        install("cmake", "a program, by CMake", HELLO),
        install("pkg-config", "a program, by pkg-config", HELLO),
        install("packages", "a program, by own Debian packages", HELLO),
        install("release", "a program, by packages of a release", HELLO, "second"),
    ]


class Root:
    """A root of Debian as a folder, from an archive that is kept for later runs."""

    def __init__(self, name, tree):
        kept = TOP / "build/dist/tools" / f"bare-{SUITE}.tar"
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            partial = kept.with_name(f"partial-{kept.name}")
            release_image.debian_root(partial, SUITE, HAS, 0)
            partial.rename(kept)
        self.folder, self.tree = WORK / name, tree
        self.folder.mkdir()
        run("tar", "-xf", kept, "-C", self.folder)
        # The network of this machine may have a certificate authority of its own.
        shutil.copy("/etc/ssl/certs/ca-certificates.crt", self.folder / "etc/ssl/certs/ca-certificates.crt")
        # What a user answers when apt asks.
        (self.folder / "etc/apt/apt.conf.d/90answer").write_text('APT::Get::Assume-Yes "true";\n')
        hello = self.folder / "root/here/hello"
        hello.mkdir(parents=True)
        (hello / "hello.cpp").write_text(block(INSTALL, "cpp"))
        (hello / "CMakeLists.txt").write_text(block(INSTALL, "cmake"))

    def use(self, folder, commands, log, variables=()):
        """Runs commands; returns seconds, processor seconds, megabytes, and the output, which is also in the log."""
        (self.folder / "root/job").write_text(commands)
        result, (reads, writes) = WORK / "result", os.pipe()
        result.unlink(missing_ok=True)
        before = processor_seconds()
        with open(log, "w+", encoding="utf-8", errors="replace") as output:
            job = subprocess.Popen(
                ["unshare", "--net", "--mount", "--pid", "--fork", "bash", "-euc", f"exec 3>&{writes}\n{STEPS}", "job",
                 self.folder, result, folder, "HOME=/root", release_image.SEARCH, "LANG=C.UTF-8", *variables],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, pass_fds=[writes],
                env={**os.environ, "TREE": str(self.tree)})
            os.close(writes)
            # The network can be connected as soon as the namespace exists.
            os.read(reads, 1)
            os.close(reads)
            nothing = {name: subprocess.DEVNULL for name in ("stdin", "stdout", "stderr")}
            connect = ["slirp4netns", "--configure", "--mtu=65520", str(job.pid), "tap0"]
            with subprocess.Popen(connect, **nothing) as net:
                status = job.wait()
                used = processor_seconds() - before
                net.terminate()
            output.seek(0)
            text = output.read()
        if status:
            raise Refused(f"status {status}; {log} ends:\n" + "\n".join(text.splitlines()[-30:]))
        began, ended, fetched = result.read_text().split()
        return float(ended) - float(began), used, int(fetched) / 1e6, text


def processor_seconds():
    """What finished child processes have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def busy_seconds():
    """What all programs of this machine have used since it started."""
    fields = list(map(int, pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:8]))
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def repository(folder):
    """A repository with this tree, also with what is not committed."""
    folder.mkdir()
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=TOP)
    for file in filter(None, listed.split("\0")):
        if (TOP / file).exists():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(TOP / file, folder / file, follow_symlinks=False)
    run("git", "init", "--quiet", cwd=folder)
    run("git", "add", "--all", cwd=folder)
    run("git", "-c", "user.name=portacl", "-c", "user.email=portacl", "commit", "--quiet", "--message", "This tree",
        cwd=folder)
    return folder


def measure(options):
    """Runs the jobs; returns their rows of the table, by name."""
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    tree, roots, rows = repository(WORK / "tree"), {}, {}
    variables = [f"CARGO_PROFILE_RELEASE_{name}={value}" for name, value in QUICK.items()] if options.quick else []
    packages = options.packages or WORK / "first/root/here/portacl/build/package"
    for job in jobs():
        if options.job and job.name not in options.job:
            continue
        print(f"== {job.name}: {job.what} ({job.page})", flush=True)
        if job.root not in roots:
            root = roots[job.root] = Root(job.root, tree)
            if job.root == "first":
                root.use("/root", BEFORE, WORK / "clone.log")
            else:
                for deb in packages.glob(f"*_{run('dpkg', '--print-architecture').strip()}.deb"):
                    shutil.copy(deb, root.folder / "root/here")
        others, log = processor_seconds() - busy_seconds(), WORK / f"{job.name}.log"
        seconds, used, megabytes, text = roots[job.root].use(job.folder, job.commands, log, variables)
        share = (others + busy_seconds() - processor_seconds()) / seconds / os.cpu_count()
        if not re.search(job.output, text):
            raise Refused(f"{job.page}: {log} has no '{job.output}'")
        warning = re.search(r"^.*\b[Ww]arning: .*$", text, re.MULTILINE)
        if warning:
            raise Refused(f"{job.page}: '{job.name}' prints '{warning[0]}'")
        if job.name == "demo":
            check_fetched(megabytes)
        rows[job.name] = (f"{seconds:.0f} | {used:.0f} | {megabytes:.0f} MB | {share:.0%} |"
                          f" {datetime.date.today()}, {bench_results.commit()} |")
        print(f"   {rows[job.name]}", flush=True)
    return rows


def check_fetched(megabytes):
    """README.md says how much the first command fetches, in tenths of a GB."""
    said = re.search(r"for the demo ([0-9.]+[0-9]) GB", (TOP / "README.md").read_text())
    if not said or not 0 <= float(said[1]) * 1000 - megabytes < 100:
        raise Refused(f"README.md says that the demo fetches {said and said[1]} GB; it fetches {megabytes:.0f} MB")


def beginning(job):
    """The first columns of a row: what comes from the pages."""
    commands = re.sub(r" \\\n +", " ", job.commands)
    shown = "<br>".join(f"`{row.split('  #')[0].strip()}`" for row in commands.splitlines())
    return f"| {job.what} ([{job.page}]({os.path.relpath(job.page, 'docs')})) | {shown} | "


def write(rows):
    """Puts the rows into the page's table. A job that was not measured with these commands has a row that says so."""
    page = TOP / PAGE
    before, begin, rest = page.read_text().partition("<!-- begin: tools/first_minute.py -->\n")
    old, end, after = rest.partition("<!-- end -->")
    table = ["", "| job | commands | seconds | processor seconds | fetched | other programs | measured, commit |",
             "|---|---|---|---|---|---|---|"]
    for job in jobs():
        first = beginning(job)
        kept = [row.removeprefix(first) for row in old.splitlines() if row.startswith(first)]
        table.append(first + rows.get(job.name, kept[0] if kept else "| | | | not measured |"))
    page.write_text(f"{before}{begin}" + "\n".join(table) + f"\n\n{end}{after}")


def compare():
    """Fails if the page has other commands than the pages that it names."""
    text = (TOP / PAGE).read_text()
    for job in jobs():
        if beginning(job) not in text:
            raise Refused(f"{PAGE} has no row '{beginning(job)}': tools/first_minute.py --write measures the jobs")


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0], add_help=False)
    parser.add_argument("job", nargs="*", choices=[[], *(job.name for job in jobs())])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--packages", type=pathlib.Path)
    return parser.parse_args()


def main():
    try:
        options = arguments()
        if options.write and options.quick:
            raise Refused("--quick measures no times that a page could have: leave out --quick or --write")
        if not options.write:
            compare()
        if os.geteuid():
            raise Missing("it installs packages in a root of Debian, which needs root")
        release_image.needs("slirp4netns", "mmdebstrap", "unshare")
        rows = measure(options)
        if options.write:
            write(rows)
    except Missing as why:
        print(why)
        sys.exit(77)
    except Refused as why:
        sys.exit(f"first minute: {why}")
    shutil.rmtree(WORK)


if __name__ == "__main__":
    main()
