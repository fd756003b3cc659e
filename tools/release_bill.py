"""portacl-VERSION.cdx.json: the bill of materials, in CycloneDX, by the library of that project.

It has the crates of which code is in the libraries, by `cargo tree` for both processors, without what only builds or
tests; and Rust's standard library, which is in them too.
"""

import json
import pathlib
import re
import sys

from release_common import Missing, Refused, current_version, date_of, run

PINNED = "cyclonedx-python-lib==11.12.0"
# The crates of the two libraries.
SHIPPED = ("portacl", "portacl-cxx")
TARGETS = ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu")


def locked_crates(root):
    """(name, version) -> checksum, or None for a crate of the tree, of Cargo.lock."""
    found = {}
    for block in (root / "Cargo.lock").read_text().split("[[package]]")[1:]:
        fields = dict(re.findall(r'^(name|version|checksum) = "(.*)"$', block, re.MULTILINE))
        found[fields["name"], fields["version"]] = fields.get("checksum")
    return found


def tree_of(text):
    """(crates, edges) of `cargo tree --prefix depth`: crates (name, version) -> licence, and which one needs which."""
    crates, edges, path = {}, {}, []
    for line in filter(None, text.splitlines()):
        match = re.match(r"(\d+)\t(\S+) v(\S+)[^\t]*\t([^\t]*?)( \(\*\))?$", line)
        if not match:
            raise Refused(f"cargo tree prints a line that has another form: {line}")
        crate = match[2], match[3]
        crates[crate] = match[4]
        edges.setdefault(crate, set())
        del path[int(match[1]):]
        if path:
            edges[path[-1]].add(crate)
        path.append(crate)
    return crates, edges


def shipped(root):
    """The same for what is shipped, on all processors."""
    crates, edges = {}, {}
    for target in TARGETS:
        for package in SHIPPED:
            text = run("cargo", "tree", "--locked", "--edges", "normal,no-proc-macro", "--package", package,
                       "--target", target, "--prefix", "depth", "--format", "\t{p}\t{l}", cwd=root)
            some, needs = tree_of(text)
            crates.update(some)
            for crate, others in needs.items():
                edges.setdefault(crate, set()).update(others)
    return crates, edges


def python_with_cyclonedx(folder):
    """A Python that has the library; it is fetched once."""
    python, complete = folder / "bin/python", folder / "complete"
    if not complete.exists() or complete.read_text() != PINNED:
        try:
            run(sys.executable, "-m", "venv", "--clear", folder)
            run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PINNED)
        except Refused as why:
            raise Missing(f"{PINNED} cannot be had from PyPI") from why
        complete.write_text(PINNED)
    return python


def bill(root, version, tools, out):
    """Writes the file: this file runs again, in the Python that has the library."""
    crates, edges = shipped(root)
    sums = locked_crates(root)
    given = {
        "version": version, "date": date_of(root).isoformat(),
        "crates": [{"name": name, "version": of, "licence": licence, "sha256": sums[name, of],
                    "needs": sorted(map(list, edges[name, of]))} for (name, of), licence in sorted(crates.items())],
        "rust": re.match(r"rustc (\S+)", run("rustc", "--version", cwd=root))[1],
    }
    file = out / f"portacl-{version}.cdx.json"
    file.write_text(run(python_with_cyclonedx(tools), pathlib.Path(__file__), input=json.dumps(given)))
    return file


def check(root, file):
    """The bill has what is shipped, in the versions and with the sums of Cargo.lock."""
    found = json.loads(file.read_text())
    if found["metadata"]["component"]["version"] != current_version(root):
        raise Refused(f"{file.name} is of {found['metadata']['component']['version']}, not of {current_version(root)}")
    listed = [found["metadata"]["component"], *found["components"]]
    sums = locked_crates(root)
    named = {}
    for component in listed:
        if not component["purl"].startswith("pkg:cargo/"):
            continue
        crate = component["name"], component["version"]
        named[crate] = next((entry["content"] for entry in component.get("hashes", [])), None)
        if crate not in sums or named[crate] != sums[crate]:
            raise Refused(f"{file.name} has {crate[0]} {crate[1]}, which Cargo.lock does not have so")
    differ = set(named) ^ set(shipped(root)[0])
    if differ:
        raise Refused(f"{file.name} differs from what is shipped: {sorted(differ)[:5]}")


def write(given):
    """The text of the file. Everything in it comes from what is given, so it is the same each time."""
    import datetime
    import uuid
    from cyclonedx.model import HashAlgorithm, HashType
    from cyclonedx.model.bom import Bom
    from cyclonedx.model.component import Component, ComponentType
    from cyclonedx.model.license import LicenseExpression
    from cyclonedx.output import make_outputter
    from cyclonedx.schema import OutputFormat, SchemaVersion
    from packageurl import PackageURL

    def component(name, version, licence, **more):
        purl = PackageURL(more.pop("of", "cargo"), name=name, version=version)
        return Component(name=name, version=version, licenses=[LicenseExpression(licence)] if licence else [],
                         purl=purl, bom_ref=str(purl), type=ComponentType.LIBRARY, **more)

    made = {}
    for crate in given["crates"]:
        hashes = [HashType(alg=HashAlgorithm.SHA_256, content=crate["sha256"])] if crate["sha256"] else []
        licence = crate["licence"].replace("/", " OR ")
        made[crate["name"], crate["version"]] = component(crate["name"], crate["version"], licence, hashes=hashes)
    rust = component("rust-std", given["rust"], "MIT OR Apache-2.0", of="generic")
    top = made["portacl", given["version"]]
    bom = Bom(components=[entry for entry in made.values() if entry is not top] + [rust],
              serial_number=uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(given, sort_keys=True)))
    bom.metadata.component = top
    bom.metadata.timestamp = datetime.datetime.fromisoformat(given["date"])
    for crate in given["crates"]:
        needs = [made[tuple(other)] for other in crate["needs"]]
        bom.register_dependency(made[crate["name"], crate["version"]], [*needs, rust])
    bom.register_dependency(rust)
    return make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string(indent=2) + "\n"


if __name__ == "__main__":
    print(write(json.load(sys.stdin)), end="")
