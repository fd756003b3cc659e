"""What ./dev release makes of a tree. Version and date come from Cargo.toml and CHANGELOG.md in it, so the unpacked
source archive makes the same files again, byte for byte."""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import tempfile

import release_bill
import release_image
from release_common import Missing, Refused, compress, current_version, pack, run, seconds_of

# Debian's name of a processor -> the preset that packs for it.
PRESETS = {"amd64": "package", "arm64": "package-aarch64"}
CROSS = "aarch64-unknown-linux-gnu"


def source_archive(root, version, out):
    """The tagged files, as git has them."""
    name = f"portacl-{version}"
    tar = subprocess.run(["git", "archive", "--format=tar", f"--prefix={name}/", f"v{version}"], cwd=root,
                         stdout=subprocess.PIPE, check=True).stdout
    compress(out / f"{name}.tar.gz", tar)


def configured(root, preset, build, target, *options):
    """Configures and builds a preset, with cargo's work in `target`."""
    run("cmake", "--preset", preset, "-B", build, f"-DPORTACL_CARGO_TARGET_DIR={target}", *options, cwd=root)
    run("cmake", "--build", build, cwd=root)
    return build


def built(root, build, target):
    """The build of the install tree, made if none is given: without tests, samples and benches, which are not in it."""
    if build is None:
        build = configured(root, "release", root / "build/archive", target, "-DPORTACL_TEST_PACKAGE=OFF",
                           "-DPORTACL_BUILD_BENCHES=OFF", "-DPORTACL_BUILD_SAMPLES=OFF")
    cache = (build / "CMakeCache.txt").read_text()
    found = re.search(r"^CMAKE_PROJECT_VERSION:STATIC=(.*)$", cache, re.MULTILINE)[1]
    if found != current_version(root):
        raise Refused(f"{build} is a build of {found}, not of {current_version(root)}")
    return build


def binary_archive(root, build, version, out):
    """The install tree, as `cmake --install` makes it."""
    name = f"portacl-{version}-linux-{platform.machine()}"
    with tempfile.TemporaryDirectory() as stage:
        stage = pathlib.Path(stage)
        run("cmake", "--install", build, "--prefix", stage / name)
        shutil.copy2(root / "CHANGELOG.md", stage / name)
        pack(stage / "tar", stage / name, name, seconds_of(root))
        compress(out / f"{name}.tar.gz", (stage / "tar").read_bytes())


def debian_packages(root, architecture, target, out):
    """The packages of cpack; for another processor than this one's by Debian's cross compiler."""
    release_image.needs("dpkg", "dpkg-deb", "dpkg-shlibdeps")
    if architecture != run("dpkg", "--print-architecture").strip():
        release_image.needs("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-g++")
        if not pathlib.Path(run("rustc", "--print", "target-libdir", "--target", CROSS, cwd=root).strip()).is_dir():
            raise Missing(f"Rust's standard library for {CROSS} is missing: rustup target add {CROSS}")
    preset = PRESETS[architecture]
    build = configured(root, preset, root / "build" / preset, target)
    with tempfile.TemporaryDirectory() as packed:
        date = {"SOURCE_DATE_EPOCH": str(seconds_of(root))}
        run("cpack", "-G", "DEB", "-B", packed, cwd=build, env={**os.environ, **date})
        debs = sorted(pathlib.Path(packed).glob("*.deb"))
        if not debs or any(not deb.name.endswith(f"_{architecture}.deb") for deb in debs):
            raise Refused(f"cpack made no packages for {architecture}, but {[deb.name for deb in debs]}")
        for deb in debs:
            shutil.copy(deb, out)


def wheel(root, home, target, out):
    """The Python package, by ./dev torch wheel. Its operators are compiled with a torch that is below `home`, the tree
    that has installed it."""
    done = subprocess.run([home / "tools/torch.sh", "install"], capture_output=True, text=True, check=False)
    if done.returncode == 77:
        raise Missing(done.stderr.strip().splitlines()[-1])
    if done.returncode:
        raise Refused(f"tools/torch.sh install failed:\n{done.stdout}{done.stderr}")
    if root != home:
        (root / "build/torch").mkdir(parents=True, exist_ok=True)
        for venv in (home / "build/torch").glob("venv-*"):
            link = root / "build/torch" / venv.name
            if not link.exists():
                link.symlink_to(venv)
    run(root / "tools/torch.sh", "wheel", cwd=root, env={
        **os.environ, "CMAKE_ARGS": f"-DPORTACL_CARGO_TARGET_DIR={target}", "SOURCE_DATE_EPOCH": str(seconds_of(root))})
    for file in (root / "dist").glob("portacl-*.whl"):
        shutil.copy(file, out)


def binaries(root, home, target, out, only=()):
    """Everything else than the archives, in this order; returns what is left out, and why. `only` names some of it."""
    version, when, left_out = current_version(root), seconds_of(root), []
    native = run("dpkg", "--print-architecture").strip() if shutil.which("dpkg") else platform.machine()

    def native_debs():
        return sorted(out.glob(f"*_{native}.deb"))

    def image():
        if not native_debs():
            raise Missing("there are no Debian packages for it")
        release_image.image(root, version, when, native_debs(), native, out)

    makers = {
        "bill": lambda: release_bill.bill(root, version, home / "build/dist/tools/cyclonedx", out),
        **{f"debian-{name}": lambda name=name: debian_packages(root, name, target, out) for name in PRESETS},
        "image": image,
        "wheel": lambda: wheel(root, home, target, out),
    }
    for name, make in makers.items():
        if only and name not in only:
            continue
        print(f"== {name}", flush=True)
        try:
            make()
        except Missing as why:
            left_out.append(f"{name}: {why}")
    return left_out


def again(source, home, work, out):
    """Makes everything from the unpacked source archive, in another folder and with nothing of the first build."""
    shutil.rmtree(work, ignore_errors=True)
    second = work / "out"
    second.mkdir(parents=True)
    run("tar", "-xzf", source, "-C", work)
    tree = work / source.name.removesuffix(".tar.gz")
    version = current_version(tree)
    print("== the archive again", flush=True)
    binary_archive(tree, built(tree, None, work / "target"), version, second)
    binaries(tree, home, work / "target", second)
    return sorted(name for name in {path.name for path in second.iterdir()} | {path.name for path in out.iterdir()}
                  if name not in (source.name, "NOTES.md", "SHA256SUMS") and not same(second / name, out / name))


def same(one, other):
    """Whether both files exist with the same contents."""
    return one.exists() and other.exists() and one.read_bytes() == other.read_bytes()
