#!/usr/bin/env python3
"""./dev release: sets the version, dates the changelog, commits, tags, and writes the archives with their checksums.

usage: release.py [VERSION] [--dry] [--build DIRECTORY] [--out DIRECTORY]

VERSION     what to release; without it the version in Cargo.toml. The first section of CHANGELOG.md is either
            "## Unreleased", which becomes "## VERSION - DATE", or has that heading already.
--dry       do everything in a copy of the tree: the tree itself gets no change, no commit and no tag.
--build     take the binary package from this build of the release profile instead of build/release.
--out       where archives and checksums go; build/dist/VERSION, with --dry build/dist/dry.

Afterwards the folder has portacl-VERSION.tar.gz (the sources), portacl-VERSION-linux-MACHINE.tar.gz (the install
tree), NOTES.md (this version's changes) and SHA256SUMS. Nothing is pushed.
"""

import argparse
import datetime
import gzip
import hashlib
import json
import os
import pathlib
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile

HEADING = re.compile(r"^## (.*)$", re.MULTILINE)
DATED = re.compile(r"(\d+\.\d+\.\d+) - (\d{4}-\d{2}-\d{2})")
PARTS = ("MAJOR", "MINOR", "PATCH")
# A crate of this project in Cargo.lock: its name and version.
LOCKED = r'^name = "(portacl[^"]*)"\nversion = "(.*)"'
VCPKG = "integrations/packaging/vcpkg/vcpkg.json"
# Files with the three numbers: the source of the header, and the header.
NUMBERED = {
    "src/ffi/types/portacl.rs": "pub const PORTACL_VERSION_{}: i32 = {};",
    "include/portacl/portacl.h": "#define PORTACL_VERSION_{} {}",
}


class Refused(Exception):
    """Why a version cannot be released."""


def run(*command, cwd=None, **options):
    """The output of a command that has to succeed."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, text=True, capture_output=True, check=False,
                          **options)
    if done.returncode != 0:
        raise Refused(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def numbers(version):
    """The three numbers of MAJOR.MINOR.PATCH."""
    if not re.fullmatch(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}", version):
        raise Refused(f"'{version}' is no version: MAJOR.MINOR.PATCH is wanted, such as 1.2.3")
    return tuple(map(int, version.split(".")))


def current_version(root):
    """The version in Cargo.toml, by the line that CMake reads too."""
    found = re.findall(r'^version = "(\d+\.\d+\.\d+)"', (root / "Cargo.toml").read_text(), re.MULTILINE)
    if len(found) != 1:
        raise Refused(f"Cargo.toml has {len(found)} lines 'version = \"...\"', 1 is wanted")
    return found[0]


def sections(root):
    """(heading, text) of the versions in CHANGELOG.md, the latest first."""
    parts = HEADING.split((root / "CHANGELOG.md").read_text())
    return list(zip(parts[1::2], parts[2::2]))


def substitute(path, pattern, replacement, count=1):
    """Replaces a pattern that must occur `count` times."""
    text, done = re.subn(pattern, replacement, path.read_text(), flags=re.MULTILINE)
    if done != count:
        raise Refused(f"{path}: found {done} times what is wanted {count} times: {pattern}")
    path.write_text(text)


def locked(root):
    """The versions of this project's crates in Cargo.lock, by name."""
    found = dict(re.findall(LOCKED, (root / "Cargo.lock").read_text(), re.MULTILINE))
    if "portacl" not in found:
        raise Refused("Cargo.lock does not have the crate portacl")
    return found


def set_version(root, version):
    """Writes the version into all files that name it."""
    substitute(root / "Cargo.toml", r'^version = "\d.*"', f'version = "{version}"')
    substitute(root / "Cargo.lock", LOCKED, rf'name = "\1"\nversion = "{version}"', len(locked(root)))
    substitute(root / VCPKG, r'^  "version": ".*"', f'  "version": "{version}"')
    for file, line in NUMBERED.items():
        for part, number in zip(PARTS, numbers(version)):
            # A comment may follow.
            pattern = r"^" + re.escape(line.format(part, "@")).replace("@", r"\d+") + r"(?=$| /\*)"
            substitute(root / file, pattern, line.format(part, number))


def inconsistent(root, version):
    """The files that name another version."""
    found = {f"Cargo.lock: {crate}": other for crate, other in locked(root).items()}
    found[VCPKG] = json.loads((root / VCPKG).read_text())["version"]
    for name, other in found.items():
        if other != version:
            yield f"{name} has the version {other}"
    for file, line in NUMBERED.items():
        text = [row.split(" /*")[0] for row in (root / file).read_text().splitlines()]
        for part, number in zip(PARTS, numbers(version)):
            if line.format(part, number) not in text:
                yield f"{file} has no line '{line.format(part, number)}'"
    heading, changes = sections(root)[0]
    match = DATED.fullmatch(heading)
    if not match or match[1] != version:
        yield f"CHANGELOG.md begins with '## {heading}' and not with '## {version} - DATE'"
    if not re.search(r"^- ", changes, re.MULTILINE):
        yield f"CHANGELOG.md names no change under '## {heading}'"


def prepare(root, version, date, rehearsal=False):
    """Changes the tree to that version. True if there was anything to change. A rehearsal may use the tree's version, because
    a build of it is available."""
    before, heading = current_version(root), sections(root)[0][0]
    if heading == "Unreleased":
        if numbers(version) < numbers(before) or (version == before and not rehearsal):
            raise Refused(f"{version} is not later than {before}, which is in Cargo.toml")
        set_version(root, version)
        substitute(root / "CHANGELOG.md", r"^## Unreleased$", f"## {version} - {date}")
    elif version != before:
        raise Refused(f"CHANGELOG.md has no section '## Unreleased' that could become {version}")
    problems = list(inconsistent(root, version))
    if problems:
        raise Refused("\n".join(problems))
    return heading == "Unreleased"


def commit(root, version, changed):
    """Commits the change, if there is one, and tags the version."""
    if changed:
        run("git", "commit", "--all", "--quiet", "--message", f"Release {version}", cwd=root)
    run("git", "tag", "--annotate", f"v{version}", "--message", f"portacl {version}", cwd=root)


def compress(path, data):
    """The same data produces the same file: without name and time."""
    with open(path, "wb") as file, gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as out:
        out.write(data)


def built(root, build, version, target):
    """The release build, made if none is given."""
    if build is None:
        build = root / "build/release"
        run("cmake", "--preset", "release", f"-DPORTACL_CARGO_TARGET_DIR={target}", cwd=root)
        run("cmake", "--build", build, cwd=root)
    cache = (build / "CMakeCache.txt").read_text()
    found = re.search(r"^CMAKE_PROJECT_VERSION:STATIC=(.*)$", cache, re.MULTILINE)[1]
    if found != version:
        raise Refused(f"{build} is a build of {found}, not of {version}")
    return build


def source_archive(root, version, out):
    """The tagged files, as git has them."""
    name = f"portacl-{version}"
    tar = subprocess.run(["git", "archive", "--format=tar", f"--prefix={name}/", f"v{version}"], cwd=root,
                         stdout=subprocess.PIPE, check=True).stdout
    compress(out / f"{name}.tar.gz", tar)


def binary_archive(root, build, version, out):
    """The install tree, as `cmake --install` makes it."""
    name = f"portacl-{version}-linux-{platform.machine()}"
    when = int(run("git", "log", "-1", "--format=%ct", f"v{version}", cwd=root))

    def plain(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = when
        return entry

    with tempfile.TemporaryDirectory() as stage:
        run("cmake", "--install", build, "--prefix", pathlib.Path(stage) / name)
        shutil.copy2(root / "CHANGELOG.md", pathlib.Path(stage) / name)
        tar = out / f"{name}.tar"
        with tarfile.open(tar, "w", format=tarfile.GNU_FORMAT) as archive:
            # Sorted by name, folder after folder.
            archive.add(pathlib.Path(stage) / name, arcname=name, filter=plain)
        compress(out / f"{name}.tar.gz", tar.read_bytes())
        tar.unlink()


def notes(root, version, out):
    """The changes of the version, for its release page."""
    libc = platform.libc_ver()
    text = sections(root)[0][1].strip()
    (out / "NOTES.md").write_text(
        f"# portacl {version}\n\n{text}\n\nThe binary package was built with {libc[0]} {libc[1]} and needs it or a later one.\n")


def checksums(out):
    """SHA256SUMS, which `sha256sum --check` reads."""
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(out.iterdir())]
    (out / "SHA256SUMS").write_text("".join(lines))


PROGRAM = """
#include <acl/acl.h>
#include <portacl/portacl.h>
#include <stdio.h>
int main(void) {
    void* memory = NULL;
    if (aclInit(NULL) || aclrtSetDevice(0) || aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST)) return 1;
    if (aclrtFree(memory) || aclrtResetDevice(0) || aclFinalize()) return 2;
    int major = -1, minor = -1, patch = -1;
    if (portaclGetVersion(&major, &minor, &patch)) return 3;
    if (major != PORTACL_VERSION_MAJOR || minor != PORTACL_VERSION_MINOR || patch != PORTACL_VERSION_PATCH) return 4;
    printf("%d.%d.%d", major, minor, patch);
    return 0;
}
"""


def verify(root, version, out):
    """Unpacks the archives: the checksums match, no file is missing, and a program runs with the package."""
    run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=out)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for archive in out.glob("*.tar.gz"):
            run("tar", "-xzf", archive, "-C", folder)
        source = folder / f"portacl-{version}"
        files = {str(path.relative_to(source)) for path in source.rglob("*") if not path.is_dir()}
        tracked = set(run("git", "ls-tree", "-r", "-z", "--name-only", f"v{version}", cwd=root).strip("\0").split("\0"))
        if files != tracked:
            raise Refused(f"the source archive differs from the tree: {sorted(files ^ tracked)[:10]}")
        problems = list(inconsistent(source, version))
        if problems:
            raise Refused("\n".join(problems))
        package = folder / f"portacl-{version}-linux-{platform.machine()}"
        (folder / "main.c").write_text(PROGRAM)
        libraries = next(package.rglob("libportacl.a")).parent
        environment = {**os.environ, "PKG_CONFIG_PATH": str(libraries / "pkgconfig"), "PORTACL_BACKEND": "cpu",
                       "LD_LIBRARY_PATH": str(libraries)}
        for name in ("portacl", "portacl-static"):
            flags = shlex.split(run("pkg-config", "--cflags", "--libs", name, env=environment))
            run(os.environ.get("CC", "cc"), folder / "main.c", *flags, "-o", folder / name, env=environment)
            said = run(folder / name, env=environment)
            if said != version:
                raise Refused(f"a program with {name} says that it is {said}")


def copy_of_tree(root, copy):
    """A copy of the tree with uncommitted changes, as a separate repository."""
    shutil.rmtree(copy, ignore_errors=True)
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=root)
    for file in filter(None, listed.split("\0")):
        if (root / file).exists():
            (copy / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / file, copy / file, follow_symlinks=False)
    run("git", "init", "--quiet", copy)
    run("git", "config", "user.name", "dry run", cwd=copy)
    run("git", "config", "user.email", "dry-run@localhost", cwd=copy)
    run("git", "add", "--all", cwd=copy)
    run("git", "commit", "--quiet", "--message", "A copy", cwd=copy)


def release(root, version, dry, build, out, date):
    """All steps; returns the version and the folder of the files."""
    tree = root
    if dry:
        tree = root / "build/dist/tree"
        copy_of_tree(root, tree)
    elif run("git", "status", "--porcelain", cwd=root).strip():
        raise Refused("the tree has changes that are not committed")
    else:
        run(root / "tools/chinese.py", "check", "--strict", cwd=root)
    rehearsal = dry and version is None
    version = version or current_version(tree)
    numbers(version)
    if run("git", "tag", "--list", f"v{version}", cwd=tree).strip():
        raise Refused(f"there is a tag v{version} already")
    changed = prepare(tree, version, date, rehearsal)
    build = built(tree, build, version, root / "target")
    commit(tree, version, changed)
    out = out or root / "build/dist" / ("dry" if dry else version)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    source_archive(tree, version, out)
    binary_archive(tree, build, version, out)
    notes(tree, version, out)
    checksums(out)
    verify(tree, version, out)
    return version, out


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0], add_help=False)
    parser.add_argument("version", nargs="?")
    parser.add_argument("--dry", action="store_true")
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    try:
        version, out = release(root, options.version, options.dry, options.build, options.out,
                               datetime.date.today().isoformat())
    except Refused as why:
        sys.exit(f"release: {why}")
    print((out / "SHA256SUMS").read_text(), end="")
    if options.dry:
        print(f"release: a dry run of {version}: the tree has not changed; the files are in {out}")
    else:
        print(f"release: {version} is committed and tagged, the files are in {out}; to publish: git push origin v{version}")


if __name__ == "__main__":
    main()
