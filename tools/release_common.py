"""What the scripts of ./dev release share: commands, the version, the date."""

import datetime
import gzip
import re
import subprocess
import tarfile

HEADING = re.compile(r"^## (.*)$", re.MULTILINE)
DATED = re.compile(r"(\d+\.\d+\.\d+) - (\d{4}-\d{2}-\d{2})")


class Refused(Exception):
    """Why a version cannot be released."""


class Missing(Exception):
    """What this machine lacks for one artefact."""


def run(*command, cwd=None, **options):
    """The output of a command that has to succeed."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, text=True, capture_output=True, check=False,
                          **options)
    if done.returncode != 0:
        raise Refused(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


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


def date_of(root):
    """The date of the version, as a time: it stands in CHANGELOG.md, and nowhere else."""
    heading = sections(root)[0][0]
    match = DATED.fullmatch(heading)
    if not match:
        raise Refused(f"CHANGELOG.md begins with '## {heading}', which has no date")
    return datetime.datetime.fromisoformat(match[2]).replace(tzinfo=datetime.timezone.utc)


def seconds_of(root):
    """The same as SOURCE_DATE_EPOCH, which tools write in place of the present time."""
    return int(date_of(root).timestamp())


def oldest_glibc(*files):
    """The oldest glibc with which these libraries and programs run, by the symbols that they use."""
    found = re.findall(r"GLIBC_([0-9]+[.][0-9]+)", run("objdump", "-T", *files))
    return max(found, key=lambda version: tuple(map(int, version.split("."))))


def compress(path, data):
    """The same data produces the same file: without name and time."""
    with open(path, "wb") as file, gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as out:
        out.write(data)


def pack(path, folder, name, when):
    """A tar archive of a folder: sorted by name, of one time and one owner."""

    def plain(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = when
        return entry

    with tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as archive:
        archive.add(folder, arcname=name, filter=plain)
