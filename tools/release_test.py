#!/usr/bin/env python3
"""Tests that release.py changes what it should, and refuses what it should, in small repositories."""

import gzip
import io
import json
import os
import pathlib
import re
import subprocess
import tarfile
import tempfile
import unittest

import release
import release_artefacts
import release_bill
import release_common
import release_image

CARGO = ('[workspace.package]\nversion = "0.1.0"\n\n[package]\nname = "portacl"\nversion.workspace = true\n\n'
         '[dependencies.cudarc]\nversion = "=0.19.10"\n')
LOCK = ('[[package]]\nname = "object"\nversion = "0.1.0"\n\n[[package]]\nname = "portacl"\nversion = "0.1.0"\n\n'
        '[[package]]\nname = "portacl-core"\nversion = "0.1.0"\n')
CHANGES = "# Changelog\n\n## Unreleased\n\n- A change.\n\n## 0.1.0 - 2026-01-31\n\n- The first.\n"
DATE = "2026-02-01"
VCPKG = '{\n  "name": "portacl",\n  "version": "0.1.0"\n}\n'


class Repository(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "tree"
        self.out = pathlib.Path(folder.name) / "out"
        self.out.mkdir()
        self.write("Cargo.toml", CARGO)
        self.write("Cargo.lock", LOCK)
        self.write(release.VCPKG, VCPKG)
        self.write("CHANGELOG.md", CHANGES)
        # In place of the check of the translations: it refuses a tree with a file "behind".
        self.write("tools/chinese.py", "#!/bin/sh\ntest ! -e behind\n")
        (self.root / "tools/chinese.py").chmod(0o755)
        for file, line in release.NUMBERED.items():
            lines = [line.format(part, number) for part, number in zip(release.PARTS, (0, 1, 0))]
            if file.endswith(".h"):
                lines[1] += " /**< About it. */"
            self.write(file, "".join(row + "\n" for row in lines))
        self.git("init", "--quiet")
        self.git("config", "user.name", "test")
        self.git("config", "user.email", "test@localhost")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "Start")

    def write(self, file, text):
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def read(self, file):
        return (self.root / file).read_text()

    def git(self, *arguments):
        return release.run("git", *arguments, cwd=self.root)

    def refused(self, text, *arguments):
        with self.assertRaisesRegex(release.Refused, text):
            release.prepare(self.root, *arguments)


class Prepare(Repository):
    def test_sets_the_version_everywhere_and_dates_the_changelog(self):
        self.assertTrue(release.prepare(self.root, "1.20.3", DATE))
        self.assertEqual(release.current_version(self.root), "1.20.3")
        self.assertEqual(self.read("Cargo.lock"), LOCK.replace('portacl"\nversion = "0.1.0', 'portacl"\nversion = "1.20.3')
                         .replace('portacl-core"\nversion = "0.1.0', 'portacl-core"\nversion = "1.20.3'))
        self.assertEqual(self.read("CHANGELOG.md"), CHANGES.replace("Unreleased", f"1.20.3 - {DATE}"))
        self.assertEqual(self.read("include/portacl/portacl.h"), "#define PORTACL_VERSION_MAJOR 1\n"
                         "#define PORTACL_VERSION_MINOR 20 /**< About it. */\n#define PORTACL_VERSION_PATCH 3\n")
        self.assertIn("PORTACL_VERSION_MINOR: i32 = 20;", self.read("src/ffi/types/portacl.rs"))
        self.assertEqual(self.read(release.VCPKG), VCPKG.replace("0.1.0", "1.20.3"))
        self.write(release.VCPKG, VCPKG)
        self.assertEqual(list(release.inconsistent(self.root, "1.20.3")), [f"{release.VCPKG} has the version 0.1.0"])

    def test_leaves_a_dated_version_as_it_is(self):
        self.write("CHANGELOG.md", CHANGES.replace("Unreleased", f"0.1.0 - {DATE}"))
        self.assertFalse(release.prepare(self.root, "0.1.0", DATE))

    def test_refuses_versions_that_are_not_later(self):
        for version in ("0.1.0", "0.0.9"):
            self.refused("not later than 0.1.0", version, DATE)
        self.refused("not later", "0.0.9", DATE, True)
        self.assertEqual(self.read("CHANGELOG.md"), CHANGES)
        self.assertTrue(release.prepare(self.root, "0.1.0", DATE, True))

    def test_refuses_what_is_no_version(self):
        for version in ("", "1.2", "1.2.3.4", "v1.2.3", "01.2.3", "1.2.3-rc1", "1.2.x"):
            self.refused("is no version", version, DATE)

    def test_refuses_a_changelog_without_the_section(self):
        self.write("CHANGELOG.md", CHANGES.replace("Unreleased", f"0.1.0 - {DATE}"))
        self.refused("no section '## Unreleased'", "0.2.0", DATE)

    def test_refuses_a_changelog_without_changes(self):
        self.write("CHANGELOG.md", CHANGES.replace("- A change.\n", ""))
        self.refused("names no change", "0.2.0", DATE)

    def test_refuses_files_of_another_version(self):
        self.write("CHANGELOG.md", CHANGES.replace("Unreleased", f"0.1.0 - {DATE}"))
        for file in ("Cargo.lock", release.VCPKG, *release.NUMBERED):
            text = self.read(file)
            self.write(file, text.replace("0.1.0", "0.2.0").replace("1", "7"))
            self.refused(file, "0.1.0", DATE)
            self.write(file, text)

    def test_refuses_files_that_lost_their_lines(self):
        for file in ("Cargo.toml", "Cargo.lock", release.VCPKG, *release.NUMBERED):
            self.write(file, "")
            self.refused(file, "0.2.0", DATE)
            self.git("checkout", "--quiet", ".")


class Release(Repository):
    def build_of(self, version):
        build = self.root.parent / "build"
        build.mkdir(exist_ok=True)
        (build / "CMakeCache.txt").write_text(f"CMAKE_PROJECT_VERSION:STATIC={version}\n")
        return build

    def release(self, built, *words):
        options = release.arguments([*words, "--build", str(self.build_of(built)), "--out", str(self.out)])
        return release.release(self.root, "0.2.0", options, DATE)

    def test_refuses_a_tree_with_changes(self):
        self.write("more", "")
        with self.assertRaisesRegex(release.Refused, "not committed"):
            self.release("0.2.0")

    def test_refuses_translations_that_are_behind(self):
        self.write("behind", "")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "Change a page")
        with self.assertRaisesRegex(release.Refused, "chinese.py check --strict failed"):
            self.release("0.2.0")

    def test_refuses_a_version_that_has_a_tag(self):
        self.git("tag", "v0.2.0")
        with self.assertRaisesRegex(release.Refused, "a tag v0.2.0 already"):
            self.release("0.2.0")

    def test_refuses_a_build_of_another_version_before_it_commits(self):
        with self.assertRaisesRegex(release.Refused, "a build of 0.1.0"):
            self.release("0.1.0")
        self.assertEqual(self.git("tag"), "")
        self.assertEqual(self.git("rev-list", "--count", "HEAD").strip(), "1")

    def test_a_dry_run_changes_a_copy(self):
        self.write("not committed", "but copied")
        before = self.git("status", "--porcelain"), self.git("rev-parse", "HEAD")
        with self.assertRaisesRegex(release.Refused, "a build of 0.1.0"):
            self.release("0.1.0", "--dry")
        copy = self.root / "build/dist/tree"
        self.assertIn(f"## 0.2.0 - {DATE}", (copy / "CHANGELOG.md").read_text())
        self.assertEqual((copy / "not committed").read_text(), "but copied")
        (self.root / ".gitignore").write_text("/build/\n")
        self.assertEqual(self.git("status", "--porcelain"), "?? .gitignore\n" + before[0])
        self.assertEqual(self.git("rev-parse", "HEAD"), before[1])
        self.assertEqual(self.read("CHANGELOG.md"), CHANGES)


class Archives(Repository):
    def setUp(self):
        super().setUp()
        changed = release.prepare(self.root, "0.2.0", DATE)
        release.commit(self.root, "0.2.0", changed)

    def test_a_release_is_a_commit_and_a_tag(self):
        self.assertEqual(self.git("log", "--format=%s").splitlines(), ["Release 0.2.0", "Start"])
        self.assertEqual(self.git("cat-file", "-t", "v0.2.0").strip(), "tag")
        self.assertEqual(self.git("status", "--porcelain"), "")

    def test_sources_are_the_tagged_files_and_the_same_each_time(self):
        self.write("later", "")
        release.source_archive(self.root, "0.2.0", self.out)
        first = (self.out / "portacl-0.2.0.tar.gz").read_bytes()
        release.source_archive(self.root, "0.2.0", self.out)
        self.assertEqual((self.out / "portacl-0.2.0.tar.gz").read_bytes(), first)
        with tarfile.open(fileobj=io.BytesIO(gzip.decompress(first))) as archive:
            names = {entry.name for entry in archive if entry.isfile()}
        self.assertEqual(names, {f"portacl-0.2.0/{file}" for file in
                                 ("Cargo.toml", "Cargo.lock", "CHANGELOG.md", "tools/chinese.py", release.VCPKG,
                                  *release.NUMBERED)})

    def test_checksums_are_those_of_sha256sum(self):
        release.source_archive(self.root, "0.2.0", self.out)
        release.notes(self.root, "0.2.0", self.out)
        release.checksums(self.out)
        subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=self.out, check=True)
        self.assertEqual(len((self.out / "SHA256SUMS").read_text().splitlines()), 2)

    def test_notes_are_the_changes_of_this_version(self):
        release.notes(self.root, "0.2.0", self.out)
        text = (self.out / "NOTES.md").read_text()
        self.assertIn("- A change.", text)
        self.assertNotIn("- The first.", text)

    def test_verify_notices_a_changed_archive(self):
        release.source_archive(self.root, "0.2.0", self.out)
        release.checksums(self.out)
        path = self.out / "portacl-0.2.0.tar.gz"
        path.write_bytes(path.read_bytes() + b"\0")
        with self.assertRaisesRegex(release.Refused, "sha256sum"):
            release.verify(self.root, "0.2.0", self.out)

    def test_verify_notices_a_missing_file(self):
        release.source_archive(self.root, "0.2.0", self.out)
        self.write("late", "")
        self.git("add", "late")
        self.git("commit", "--quiet", "--message", "Late")
        self.git("tag", "--force", "--annotate", "v0.2.0", "--message", "moved")
        release.checksums(self.out)
        with self.assertRaisesRegex(release.Refused, "differs from the tree: .'late'"):
            release.verify(self.root, "0.2.0", self.out)


TREE = ("0\tportacl v0.2.0 (/tree)\tApache-2.0\n1\tlibc v0.2.1\tMIT OR Apache-2.0\n1\tportacl-core v0.2.0 (/tree/src/core)\tApache-2.0\n"
        "2\tlibc v0.2.1\tMIT OR Apache-2.0 (*)\n1\tmemchr v2.8.3\tUnlicense OR MIT\n")


class Bill(Repository):
    def setUp(self):
        super().setUp()
        release.commit(self.root, "0.2.0", release.prepare(self.root, "0.2.0", DATE))
        self.write("Cargo.lock", LOCK.replace("0.1.0", "0.2.0") + "".join(
            f'\n[[package]]\nname = "{name}"\nversion = "{version}"\nchecksum = "{name}"\n'
            for name, version in (("libc", "0.2.1"), ("memchr", "2.8.3"))))
        self.addCleanup(setattr, release_bill, "shipped", release_bill.shipped)
        release_bill.shipped = lambda root: release_bill.tree_of(TREE)
        self.crates = {("portacl-core", "0.2.0"): None, ("libc", "0.2.1"): "libc", ("memchr", "2.8.3"): "memchr"}

    def bill(self):
        def component(name, version, checksum=None):
            return {"name": name, "version": version, "purl": f"pkg:cargo/{name}@{version}",
                    "hashes": [{"alg": "SHA-256", "content": checksum}] if checksum else []}

        file = self.out / "portacl-0.2.0.cdx.json"
        file.write_text(json.dumps({
            "metadata": {"component": component("portacl", release.current_version(self.root))},
            "components": [component(*crate, checksum) for crate, checksum in self.crates.items()]}))
        return file

    def test_cargo_tree_is_read_with_what_needs_what(self):
        crates, edges = release_bill.tree_of(TREE)
        self.assertEqual(crates["libc", "0.2.1"], "MIT OR Apache-2.0")
        self.assertEqual(edges["portacl", "0.2.0"], {("libc", "0.2.1"), ("portacl-core", "0.2.0"), ("memchr", "2.8.3")})
        self.assertEqual(edges["portacl-core", "0.2.0"], {("libc", "0.2.1")})
        with self.assertRaisesRegex(release.Refused, "another form"):
            release_bill.tree_of("libc v0.2.1\n")

    def test_accepts_what_cargo_lock_has(self):
        release_bill.check(self.root, self.bill())

    def test_refuses_another_version_or_sum_or_crate(self):
        for change, text in (({("libc", "0.2.2"): "libc"}, "libc 0.2.2, which Cargo.lock"), ({("libc", "0.2.1"): "other"}, "libc 0.2.1"),
                             ({("object", "0.1.0"): None}, "object 0.1.0, which Cargo.lock")):
            before = dict(self.crates)
            self.crates.update(change)
            with self.assertRaisesRegex(release.Refused, text):
                release_bill.check(self.root, self.bill())
            self.crates = before
        del self.crates["memchr", "2.8.3"]
        with self.assertRaisesRegex(release.Refused, "differs from what is shipped: .*memchr"):
            release_bill.check(self.root, self.bill())


class Date(Repository):
    def test_the_date_is_the_one_of_the_changelog(self):
        release.prepare(self.root, "0.2.0", DATE)
        self.assertEqual(release_common.date_of(self.root).isoformat(), f"{DATE}T00:00:00+00:00")
        self.assertEqual(release_common.seconds_of(self.root), 1769904000)
        self.write("CHANGELOG.md", CHANGES)
        with self.assertRaisesRegex(release.Refused, "'## Unreleased', which has no date"):
            release_common.date_of(self.root)

    def test_the_oldest_c_library_is_the_latest_version_of_a_symbol(self):
        self.assertRegex(release_common.oldest_glibc("/bin/sh"), r"^2\.[0-9]+$")
        self.addCleanup(setattr, release_common, "run", release_common.run)
        release_common.run = lambda *command: "GLIBC_2.9 a\nGLIBC_2.34 b\nGLIBC_2.2.5 c\nGLIBCXX_3.4.30 d\n"
        self.assertEqual(release_common.oldest_glibc("a"), "2.34")

    def test_an_archive_depends_on_the_files_alone(self):
        archives = []
        for names, seconds in (("ab", 1), ("ba", 2)):
            folder = self.out / names
            for name in names:
                (folder / name).mkdir(parents=True)
                (folder / name / "file").write_text(name)
                os.utime(folder / name / "file", (seconds, seconds))
            release_common.pack(self.out / "tar", folder, "name", 3)
            archives.append((self.out / "tar").read_bytes())
        self.assertEqual(*archives)
        self.assertNotEqual(archives[0], b"")


class Artefacts(Repository):
    def test_the_dockerfile_says_what_is_in_the_image(self):
        root = pathlib.Path(release.__file__).resolve().parent.parent
        suite, packages, variables, command = release_image.recipe(root)
        self.assertEqual((suite, command), ("bookworm", ["portacl-info"]))
        self.assertEqual(packages, ["build-essential", "cmake", "pkg-config"])
        self.assertIn("ASCEND_HOME_PATH=/usr/lib/portacl/ascend", variables)
        self.assertTrue(all("=" in variable for variable in variables), variables)
        text = (root / release_image.DOCKERFILE).read_text()
        for lost in ("apt-get install", "CMD ", "debian:bookworm-slim\nCOPY"):
            self.write(release_image.DOCKERFILE, text.replace(lost, ""))
            with self.assertRaisesRegex(release.Refused, "needs FROM debian:NAME-slim, apt-get install and CMD"):
                release_image.recipe(self.root)

    def test_the_bill_has_a_folder_that_it_may_clear(self):
        release.commit(self.root, "0.2.0", release.prepare(self.root, "0.2.0", DATE))
        self.addCleanup(setattr, release_bill, "bill", release_bill.bill)
        given = []
        release_bill.bill = lambda root, version, tools, out: given.append(tools)
        release_artefacts.binaries(self.root, self.root, self.out, self.out, ("bill",))
        # The folder above has the roots of Debian that are kept.
        self.assertEqual(given, [self.root / "build/dist/tools/cyclonedx"])

    def test_the_dockerfile_builds_with_what_the_build_needs(self):
        root = pathlib.Path(release.__file__).resolve().parent.parent
        needed = re.search(r"^needed=\((.*?)\)", (root / "tools/setup.sh").read_text(), re.MULTILINE | re.DOTALL)[1].split()
        first = (root / release_image.DOCKERFILE).read_text().split("\nFROM ")[1]
        packages = {entry.split(":")[1] for entry in needed} - {"git"}
        self.assertIn("file", packages)
        self.assertEqual(packages - set(first.split()), set())

    def test_what_cannot_be_made_here_is_left_out_with_a_reason(self):
        release.commit(self.root, "0.2.0", release.prepare(self.root, "0.2.0", DATE))
        path, os.environ["PATH"] = os.environ["PATH"], str(self.out)
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        left_out = release_artefacts.binaries(self.root, self.root, self.out, self.out, ("debian-amd64", "debian-arm64", "image"))
        self.assertEqual(left_out, [
            "debian-amd64: there is no dpkg, dpkg-deb, dpkg-shlibdeps; ./dev setup release installs it on Debian",
            "debian-arm64: there is no dpkg, dpkg-deb, dpkg-shlibdeps; ./dev setup release installs it on Debian",
            "image: there are no Debian packages for it"])

    def test_files_are_the_same_or_not(self):
        one, other = self.out / "one", self.out / "other"
        one.write_text("text")
        self.assertFalse(release_artefacts.same(one, other))
        other.write_text("text")
        self.assertTrue(release_artefacts.same(one, other))
        other.write_text("Text")
        self.assertFalse(release_artefacts.same(one, other))


if __name__ == "__main__":
    unittest.main()
