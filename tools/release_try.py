"""Installs and uses each artefact of ./dev release, in a root of Debian that has nothing else. Needs root, for chroot.
"""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import tempfile

import release_image
from release_common import Missing, Refused, run, seconds_of

# Releases of Debian later than the image's, on which the packages run too.
LATER = ("trixie",)
# Beside what the image has: for wheels.
MORE = ("python3-pip", "python3-venv")
PROGRAM = """
#include <acl/acl.h>
#include <portacl/portacl.h>
#include <stdio.h>
int main(void) {
    void* memory = NULL;
    if (aclInit(NULL) || aclrtSetDevice(0) || aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST)) return 1;
    if (aclrtFree(memory) || aclrtResetDevice(0) || aclFinalize()) return 2;
#ifndef ONLY_ACL
    int major = -1, minor = -1, patch = -1;
    if (portaclGetVersion(&major, &minor, &patch)) return 3;
    if (major != PORTACL_VERSION_MAJOR || minor != PORTACL_VERSION_MINOR || patch != PORTACL_VERSION_PATCH) return 4;
    printf("%d.%d.%d", major, minor, patch);
#endif
    return 0;
}
"""
# What works without a compiler.
LATER_USE = """
portacl-info | grep -F "$1"
python3 -c 'import acl; assert acl.rt.get_device_count()[1] == 0 and acl.rt.set_device(0) == 0'
"""
# What a user does, with the variables of a new shell: no folder is named, so that pkg-config, the loader and Python
# find portacl where it is installed.
USE = """
cd /root
for name in portacl portacl-static; do
    cc main.c $(pkg-config --cflags --libs "$name") -o "$name"
    [ "$("./$name")" = "$1" ] || { echo "a program with $name says that it is $("./$name")"; exit 1; }
done
ldd portacl | grep -q libportacl.so || { echo "the program with portacl needs no shared library"; exit 1; }
""" + LATER_USE
COMPAT = """
cc -DONLY_ACL main.c -I"$ASCEND_HOME_PATH/include" -L"$ASCEND_HOME_PATH/lib64" -lascendcl -o by_home
LD_LIBRARY_PATH=$ASCEND_HOME_PATH/lib64 ./by_home
"""
PLAIN = (release_image.SEARCH, "HOME=/root", "PORTACL_BACKEND=cpu")


def inside(root, script, *arguments, variables=PLAIN):
    """Runs a script of the shell in a root, with /proc and /dev; mounts and processes end with it."""
    (root / "root/main.c").write_text(PROGRAM)
    steps = """
        mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev"
        root=$1 count=$2; shift 2
        exec chroot "$root" /usr/bin/env -i "${@:1:count}" /bin/sh -euc "${@:count + 1}"
    """
    return run("unshare", "--mount", "--pid", "--fork", "bash", "-euc", steps, "inside", root, len(variables), *variables,
               script, "use", *arguments)


def clean_root(home, root, when, folder):
    """A root with a compiler, CMake, pkg-config and Python, as a folder. Its archive is kept for later runs."""
    suite, packages, _, _ = release_image.recipe(root)
    kept = home / "build/dist/tools" / f"root-{suite}.tar"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        partial = kept.with_name(f"partial-{kept.name}")
        release_image.debian_root(partial, suite, [*packages, *MORE], when)
        partial.rename(kept)
    folder.mkdir()
    run("tar", "-xf", kept, "-C", folder)
    return folder


def archive(root, version, out, clean):
    """Unpacked below /usr/local. After ldconfig the loader finds the library there; Python's folder has to be named."""
    file = out / f"portacl-{version}-linux-{platform.machine()}.tar.gz"
    run("tar", "-xzf", file, "-C", clean / "usr/local", "--strip-components=1")
    home = next((clean / "usr/local").rglob("set_env.sh")).parent
    modules = next((clean / "usr/local").rglob("acl/__init__.py")).parent.parent
    inside(clean, f"ldconfig\n{USE}{COMPAT}", version, variables=(
        *PLAIN, f"PYTHONPATH=/{modules.relative_to(clean)}", f"ASCEND_HOME_PATH=/{home.relative_to(clean)}"))


def packages(root, version, out, clean):
    """Installed by apt, which can fetch nothing: the root has no lists. What they depend on is there."""
    for deb in out.glob(f"*_{run('dpkg', '--print-architecture').strip()}.deb"):
        shutil.copy(deb, clean / "root")
    inside(clean, "apt-get install -qq -y /root/*.deb", variables=(*PLAIN, "DEBIAN_FRONTEND=noninteractive"))
    inside(clean, f"{USE}{COMPAT}", version, variables=(*PLAIN, "ASCEND_HOME_PATH=/usr/lib/portacl/ascend"))


def later_packages(root, version, out, clean):
    """Installed by apt in roots of later releases of Debian, with what they depend on there."""
    del clean
    native = run("dpkg", "--print-architecture").strip()
    for suite in LATER:
        with tempfile.TemporaryDirectory() as work:
            folder = pathlib.Path(work) / "root"
            release_image.debian_root(folder, suite, [], seconds_of(root), out.glob(f"*_{native}.deb"))
            inside(folder, LATER_USE, version)


def needed_glibc(root, version, out, clean):
    """The packages of both processors need the C library that docs/install.md names."""
    del version, clean
    said = re.search(r"need glibc ([0-9.]+[0-9])", (root / "docs/install.md").read_text())
    for deb in out.glob("libportacl*.deb"):
        depends = run("dpkg-deb", "--field", deb, "Depends")
        if not said or f"libc6 (>= {said[1]})" not in depends:
            raise Refused(f"{deb.name} depends on {depends.strip()}; docs/install.md says glibc {said and said[1]}")


def foreign_packages(root, version, out, clean):
    """Those of arm64 in a root of that processor. apt resolves what they depend on; the program runs under qemu-user."""
    del clean
    release_image.needs("qemu-aarch64")
    suite, _, _, _ = release_image.recipe(root)
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work) / "root"
        release_image.debian_root(folder, suite, [], seconds_of(root), out.glob("*_arm64.deb"), "arm64", "extract")
        text = run("qemu-aarch64", "-L", folder, folder / "usr/bin/portacl-info",
                   env={**os.environ, "PORTACL_BACKEND": "cpu"})
        if version not in text:
            raise Refused(f"portacl-info for arm64 prints no {version}:\n{text}")


def wheel(root, version, out, clean):
    """Installed by pip in an environment without a network."""
    shutil.copy(next(out.glob("portacl-*.whl")), clean / "root")
    shutil.copy(root / "integrations/python/tests/installed.py", clean / "root")
    del version
    inside(clean, "python3 -m venv /root/venv && /root/venv/bin/pip install --quiet --no-index /root/portacl-*.whl"
                  " && /root/venv/bin/python /root/installed.py")


def image(root, version, out, clean):
    """Unpacked, its root has the package, and its command runs; and by an engine, where one runs."""
    del root, clean
    file = next(out.glob(f"portacl-{version}-oci-*.tar"))
    with tempfile.TemporaryDirectory() as work:
        bundle = pathlib.Path(work) / "bundle"
        variables, command = release_image.unpack(file, version, bundle)
        text = inside(bundle / "rootfs", 'exec "$@"', *command, variables=variables)
        if version not in text:
            raise Refused(f"the image's command prints no {version}:\n{text}")
        inside(bundle / "rootfs", USE + COMPAT, version, variables=variables)
    for engine in ("podman", "docker"):
        if shutil.which(engine) and not subprocess.run([engine, "info"], capture_output=True, check=False).returncode:
            loaded = run(engine, "load", "--input", file).split()[-1]
            if version not in run(engine, "run", "--rm", loaded):
                raise Refused(f"the image does not run with {engine}")
            return
    print("   not run by an engine: neither podman nor docker runs here")


TRIES = {
    # What is tried: the files that it needs, how, and whether in a clean root.
    "archive": ("*-linux-*.tar.gz", archive, True),
    "packages": ("*_{native}.deb", packages, True),
    "packages in later releases of Debian": ("*_{native}.deb", later_packages, False),
    "what the packages need": ("*.deb", needed_glibc, False),
    "packages for arm64": ("*_arm64.deb", foreign_packages, False),
    "wheel": ("*.whl", wheel, True),
    "image": ("*-oci-*.tar", image, False),
}


def everything(root, home, version, out):
    """Tries what is in `out`; returns what could not be tried, and why."""
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode:
        return ["nothing is tried in a clean root: this needs root and mount namespaces"]
    left_out = []
    native = run("dpkg", "--print-architecture").strip() if shutil.which("dpkg") else ""
    for name, (pattern, use, needs_root) in TRIES.items():
        if not list(out.glob(pattern.format(native=native))) or (use is foreign_packages and native == "arm64"):
            continue
        print(f"== try {name}", flush=True)
        with tempfile.TemporaryDirectory() as work:
            try:
                clean = clean_root(home, root, seconds_of(root), pathlib.Path(work) / "root") if needs_root else None
                use(root, version, out, clean)
            except Missing as why:
                left_out.append(f"trying the {name}: {why}")
    return left_out
