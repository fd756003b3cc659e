"""Container images, and the roots of Debian in which ./dev release tries what it made: by mmdebstrap and umoci, without
an engine.

The last stage of integrations/packaging/docker/Dockerfile says what is in the image, so both ways lead to the same one.
"""

import json
import os
import re
import shutil
import tempfile
from pathlib import Path

from release_common import Missing, Refused, pack, run

DOCKERFILE = "integrations/packaging/docker/Dockerfile"
MIRROR = "http://deb.debian.org"
# Debian's own images have it as a variable.
SEARCH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# What the slim image of Debian leaves out too, but for the documents of packages.
LEFT_OUT = ("/usr/share/man/*", "/usr/share/locale/*", "/usr/share/info/*")


def recipe(root):
    """The last stage of the Dockerfile: the release of Debian, packages, variables, the command."""
    text = re.sub(r" *\\\n *", " ", (root / DOCKERFILE).read_text()).split("\nFROM ")[-1]
    suite = re.match(r"debian:([a-z]+)-slim\n", text)
    installed = re.search(r"apt-get install ([^&]*)&&", text)
    command = re.search(r"^CMD (\[.*\])$", text, re.MULTILINE)
    if not suite or not installed or not command:
        raise Refused(f"{DOCKERFILE}: its last stage needs FROM debian:NAME-slim, apt-get install and CMD")
    packages = [word for word in installed[1].split() if re.match(r"[a-z]", word)]
    variables = [word for line in re.findall(r"^ENV (.*)$", text, re.MULTILINE) for word in line.split()]
    return suite[1], packages, variables, json.loads(command[1])


def needs(*commands):
    """Fails if one of these commands is missing."""
    missing = [name for name in commands if not shutil.which(name)]
    if missing:
        raise Missing(f"there is no {', '.join(missing)}; ./dev setup release installs it on Debian")


def debian_root(target, suite, packages, when, debs=(), architecture=None, variant="minbase"):
    """A root of Debian with these packages and these package files, as a folder or a tar archive, by the name. Without
    network it cannot be had. The variant `extract` runs nothing, so it also works for another processor."""
    needs("mmdebstrap", "dpkg-scanpackages")
    lines = [f"deb {MIRROR}/debian {suite} main", f"deb {MIRROR}/debian {suite}-updates main",
             f"deb {MIRROR}/debian-security {suite}-security main"]
    with tempfile.TemporaryDirectory() as local:
        # apt drops its rights before it reads.
        os.chmod(local, 0o755)
        names = []
        for deb in debs:
            shutil.copy(deb, local)
            names.append(run("dpkg-deb", "--field", deb, "Package").strip())
        options = []
        if debs:
            Path(local, "Packages").write_text(run("dpkg-scanpackages", "--multiversion", ".", cwd=local))
            lines.append(f"deb [trusted=yes] copy:{local} ./")
            options.append('--customize-hook=sed -i "/copy:/d" "$1/etc/apt/sources.list"')
        if architecture:
            options.append(f"--architectures={architecture}")
        options += [f"--dpkgopt=path-exclude={pattern}" for pattern in LEFT_OUT]
        try:
            run("mmdebstrap", "--quiet", f"--variant={variant}", f"--include={','.join([*packages, *names])}", *options,
                suite, target, *lines, env={**os.environ, "SOURCE_DATE_EPOCH": str(when)})
        except Refused as why:
            if re.search(r"Could not resolve|Temporary failure|Failed to fetch", str(why)):
                raise Missing(f"Debian's packages cannot be fetched from {MIRROR}") from why
            raise


def docker_manifest(layout, version):
    """The list of the same blobs by which each release of Docker loads the archive, with a name for the image."""

    def blob(entry):
        return "blobs/" + entry["digest"].replace(":", "/")

    index = json.loads((layout / "index.json").read_text())
    manifest = json.loads((layout / blob(index["manifests"][0])).read_text())
    return json.dumps([{"Config": blob(manifest["config"]), "RepoTags": [f"portacl:{version}"],
                        "Layers": [blob(layer) for layer in manifest["layers"]]}])


def image(root, version, when, debs, architecture, out):
    """portacl-VERSION-oci-ARCHITECTURE.tar: an OCI archive, which podman, Docker and skopeo load."""
    needs("umoci", "mmdebstrap")
    suite, packages, variables, command = recipe(root)
    date = run("date", "-u", "-d", f"@{when}", "+%Y-%m-%dT%H:%M:%SZ").strip()
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        layer, layout = work / "layer.tar", work / "image"
        debian_root(layer, suite, packages, when, debs)
        name = f"{layout}:{version}"
        run("umoci", "init", "--layout", layout)
        run("umoci", "new", "--image", name)
        history = ("--history.author", "portacl", "--history.created", date, "--history.created_by")
        run("umoci", "raw", "add-layer", "--image", name, *history, "./dev release", layer)
        settings = [word for variable in (SEARCH, *variables) for word in ("--config.env", variable)]
        settings += [word for argument in command for word in ("--config.cmd", argument)]
        for label, text in {"title": "portacl", "version": version, "licenses": "Apache-2.0"}.items():
            settings += ["--config.label", f"org.opencontainers.image.{label}={text}"]
        # Debian and umoci have the same names of processors.
        run("umoci", "config", "--image", name, "--created", date, "--author", "portacl", "--architecture", architecture,
            "--os", "linux", *settings, *history, "the settings of its Dockerfile")
        run("umoci", "gc", "--layout", layout)
        (layout / "manifest.json").write_text(docker_manifest(layout, version))
        file = out / f"portacl-{version}-oci-{architecture}.tar"
        pack(file, layout, ".", when)
    return file


def unpack(archive, version, bundle):
    """Unpacks an image: the root is bundle/rootfs. Returns its variables and its command."""
    needs("umoci")
    with tempfile.TemporaryDirectory() as layout:
        run("tar", "-xf", archive, "-C", layout)
        run("umoci", "unpack", "--image", f"{layout}:{version}", bundle)
    process = json.loads((bundle / "config.json").read_text())["process"]
    return process["env"], process["args"]
