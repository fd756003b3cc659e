#!/usr/bin/env python3
"""./dev release: sets the version, dates the changelog, commits, tags, and writes the artefacts with their checksums.

usage: release.py [VERSION] [--dry [--all]] [--again] [--build DIRECTORY] [--out DIRECTORY]

VERSION     what to release; without it the version in Cargo.toml. The first section of CHANGELOG.md is either
            "## Unreleased", which becomes "## VERSION - DATE", or has that heading already.
--dry       do everything in a copy of the tree: the tree itself gets no change, no commit and no tag. Without --all it
            leaves out what takes long: Debian packages, image, wheel, bill of materials, and the tries in clean roots.
--again     make everything a second time from the source archive, in another folder: the files have to be the same.
--build     take the install tree from this build of the release profile.
--out       where the files go; build/dist/VERSION, with --dry build/dist/dry.

Afterwards the folder has portacl-VERSION.tar.gz (the sources), portacl-VERSION-linux-MACHINE.tar.gz (the install
tree), Debian packages for amd64 and arm64, a wheel, portacl-VERSION-oci-MACHINE.tar (a container image),
portacl-VERSION.cdx.json (the bill of materials), NOTES.md (this version's changes) and SHA256SUMS. What this machine
cannot make is left out, with a reason. Nothing is pushed.
"""

import argparse
import datetime
import hashlib
import json
import os
import pathlib
import platform
import re
import shlex
import shutil
import sys
import tempfile

import release_artefacts
import release_bill
import release_try
from release_artefacts import binary_archive, built, source_archive
from release_common import DATED, Refused, current_version, oldest_glibc, run, sections

PARTS = ("MAJOR", "MINOR", "PATCH")
# A crate of this project in Cargo.lock: its name and version.
LOCKED = r'^name = "(portacl[^"]*)"\nversion = "(.*)"'
VCPKG = "integrations/packaging/vcpkg/vcpkg.json"
# Files with the three numbers: the source of the header, and the header.
NUMBERED = {
    "src/ffi/types/portacl.rs": "pub const PORTACL_VERSION_{}: i32 = {};",
    "include/portacl/portacl.h": "#define PORTACL_VERSION_{} {}",
}


def numbers(version):
    """The three numbers of MAJOR.MINOR.PATCH."""
    if not re.fullmatch(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}", version):
        raise Refused(f"'{version}' is no version: MAJOR.MINOR.PATCH is wanted, such as 1.2.3")
    return tuple(map(int, version.split(".")))


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


def notes(root, version, out):
    """The changes of the version, for its release page."""
    text = sections(root)[0][1].strip()
    with tempfile.TemporaryDirectory() as folder:
        needs = ""
        for archive in out.glob("*-linux-*.tar.gz"):
            run("tar", "-xzf", archive, "-C", folder)
            needs = "\n\nThe binary package needs glibc {} or later.".format(
                oldest_glibc(*(next(pathlib.Path(folder).rglob(name)) for name in ("libportacl.so", "portacl-info"))))
    (out / "NOTES.md").write_text(f"# portacl {version}\n\n{text}{needs}\n")


def checksums(out):
    """SHA256SUMS, which `sha256sum --check` reads."""
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(out.iterdir())]
    (out / "SHA256SUMS").write_text("".join(lines))


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
        (folder / "main.c").write_text(release_try.PROGRAM)
        libraries = next(package.rglob("libportacl.a")).parent
        environment = {**os.environ, "PKG_CONFIG_PATH": str(libraries / "pkgconfig"), "PORTACL_BACKEND": "cpu",
                       "LD_LIBRARY_PATH": str(libraries)}
        for name in ("portacl", "portacl-static"):
            flags = shlex.split(run("pkg-config", "--cflags", "--libs", name, env=environment))
            run(os.environ.get("CC", "cc"), folder / "main.c", *flags, "-o", folder / name, env=environment)
            said = run(folder / name, env=environment)
            if said != version:
                raise Refused(f"a program with {name} says that it is {said}")
    for bill in out.glob("*.cdx.json"):
        release_bill.check(root, bill)


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


def release(root, version, options, date):
    """All steps; returns the version, the folder of the files, and what is left out."""
    tree, dry = root, options.dry
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
    build = built(tree, options.build, root / "target")
    out = options.out or root / "build/dist" / ("dry" if dry else version)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    binary_archive(tree, build, version, out)
    left_out = []
    if options.all or not dry:
        left_out += release_artefacts.binaries(tree, root, root / "target", out)
        left_out += release_try.everything(tree, root, version, out)
    # What cannot be made or does not work ends the release before it has a tag.
    commit(tree, version, changed)
    source_archive(tree, version, out)
    notes(tree, version, out)
    checksums(out)
    verify(tree, version, out)
    if options.again:
        different = release_artefacts.again(out / f"portacl-{version}.tar.gz", root, root / "build/dist/again", out)
        if different:
            raise Refused(f"made again from the source archive, these files differ: {' '.join(different)}")
        print("release: made again from the source archive, all files are the same")
    return version, out, left_out


def arguments(words=None):
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0], add_help=False)
    parser.add_argument("version", nargs="?")
    for name in ("--dry", "--all", "--again"):
        parser.add_argument(name, action="store_true")
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    return parser.parse_args(words)


def main():
    options = arguments()
    root = pathlib.Path(__file__).resolve().parent.parent
    # Files have the same rights, whoever makes them.
    os.umask(0o022)
    try:
        version, out, left_out = release(root, options.version, options, datetime.date.today().isoformat())
    except Refused as why:
        sys.exit(f"release: {why}")
    print((out / "SHA256SUMS").read_text(), end="")
    for reason in left_out:
        print(f"release: left out: {reason}")
    if options.dry:
        print(f"release: a dry run of {version}: the tree has not changed; the files are in {out}")
    else:
        print(f"release: {version} is committed and tagged, the files are in {out}; to publish: git push origin v{version}")


if __name__ == "__main__":
    main()
