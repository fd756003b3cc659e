#!/usr/bin/env python3
"""Runs the steps of action.yml as the host of a workflow does, with bash, in a folder of its own.

usage: try.py FOLDER    needs PyYAML

The steps run for a build, for what it installed as an archive and as a Debian package, and with a cache, which is a folder
here. Each runs twice, the second time within 20 seconds. Programs are built and run with nothing but the variables that the
steps have given. CMAKE_BUILD_TYPE and PORTACL_CARGO_TARGET_DIR make the build shorter.
"""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile

import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
MOST = 20
# What a shell of the host has from the beginning.
KEPT = ("PATH", "HOME", "LANG", "CARGO_HOME", "RUSTUP_HOME", "CARGO_BUILD_JOBS", "CMAKE_BUILD_PARALLEL_LEVEL",
        "CARGO_PROFILE_DEV_DEBUG", "CMAKE_BUILD_TYPE", "PORTACL_CARGO_TARGET_DIR", "TMPDIR")
PROGRAM = '#include <acl/acl.h>\nint main() { uint32_t n = 0; return aclrtGetDeviceCount(&n) || n != 2 || aclrtSetDevice(1); }\n'
# CMake would also look beside the folders of PATH, which a job may change.
FIND_PACKAGE = ("cmake_minimum_required(VERSION 3.16)\nproject(program CXX)\n"
                "set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)\nfind_package(portacl CONFIG REQUIRED)\n"
                "add_executable(program program.cpp)\ntarget_link_libraries(program PRIVATE portacl::shared)\n")


def fail(text):
    sys.exit(f"action: {text}")


class Job:
    """A job: its variables, which steps change, and the folder of its host."""

    def __init__(self, folder, cache):
        self.folder, self.cache = folder, cache
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.variables = {name: os.environ[name] for name in KEPT if name in os.environ}
        self.variables["RUNNER_TEMP"] = str(folder)

    def shell(self, script, **more):
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], cwd=self.folder, check=False,
                              env={**self.variables, **more}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def step(self, step, inputs, outputs):
        """Runs a step, and returns its outputs."""
        def value(match):
            word = match[1].strip()
            if word.startswith("inputs."):
                return inputs[word.removeprefix("inputs.")]
            found = re.fullmatch(r"steps\.(\w+)\.outputs\.(\w+)", word) or fail(f"{word} is not understood here")
            return outputs[found[1]].get(found[2], "")

        def filled(text):
            return re.sub(r"\$\{\{([^}]*)\}\}", value, text)

        if "if" in step:
            name, wanted = re.fullmatch(r"(\S+) == '(\w*)'", step["if"]).groups()
            if filled(f"${{{{ {name} }}}}") != wanted:
                return {}
        if "uses" in step:
            return self.cached(step, {name: filled(text) for name, text in step["with"].items()})
        files = {name: self.folder / name for name in ("GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT")}
        for file in files.values():
            file.write_text("")
        given = {name: filled(text) for name, text in step.get("env", {}).items()}
        status, text = self.shell(step["run"], GITHUB_ACTION_PATH=str(HERE), **given,
                                  **{name: str(file) for name, file in files.items()})
        if status:
            fail(f"the step '{step['name']}' ended with {status}:\n{text}")
        self.variables.update(line.split("=", 1) for line in files["GITHUB_ENV"].read_text().splitlines())
        for line in files["GITHUB_PATH"].read_text().splitlines():
            self.variables["PATH"] = f"{line}:{self.variables['PATH']}"
        return dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())

    def cached(self, step, settings):
        """What actions/cache does: takes the folder of the key now, and keeps it at the end of the job."""
        if not step["uses"].startswith("actions/cache@"):
            fail(f"{step['uses']} is not understood here")
        self.keep = (pathlib.Path(settings["path"]), self.cache / settings["key"])
        if self.keep[1].exists() and not self.keep[0].exists():
            shutil.copytree(self.keep[1], self.keep[0], symlinks=True)
        return {}

    def end(self):
        if not self.keep[1].exists():
            shutil.copytree(*self.keep, symlinks=True)

    def action(self, **given):
        """Runs the action; returns its outputs and the seconds that it took."""
        action = yaml.safe_load((HERE / "action.yml").read_text())
        inputs = {name: given.get(name, entry["default"]) for name, entry in action["inputs"].items()}
        outputs, began = {}, time.monotonic()
        for step in action["runs"]["steps"]:
            outputs[step.get("id", step["name"])] = self.step(step, inputs, outputs)
        return {name: outputs[step][word] for name, (step, word) in
                {name: re.search(r"steps\.(\w+)\.outputs\.(\w+)", entry["value"]).groups()
                 for name, entry in action["outputs"].items()}.items() if word in outputs[step]}, time.monotonic() - began


def programs_run(job, what):
    """Programs find portacl in all ways that the documents name."""
    for name, text in {"program.cpp": PROGRAM, "CMakeLists.txt": FIND_PACKAGE}.items():
        (job.folder / name).write_text(text)
    ways = {
        "find_package": "cmake -S . -B by_cmake && cmake --build by_cmake && by_cmake/program",
        "pkg-config": "c++ program.cpp $(pkg-config --cflags --libs portacl) -o by_pkg_config && by_pkg_config",
        "ASCEND_HOME_PATH": 'c++ program.cpp -I"$ASCEND_HOME_PATH/include" -L"$ASCEND_HOME_PATH/lib64" -lascendcl -o by_home '
                            "&& by_home",
        "FindAscend": f'cmake -S "{ROOT}/cpp_tests/consumer/ascend" -B by_find -DSNIPPET=find_module && cmake --build by_find '
                      "&& by_find/program",
        "import acl": "python3 -c 'import acl; assert acl.rt.get_device_count() == (2, 0)'",
        "portacl-info": "portacl-info",
    }
    for name, script in ways.items():
        status, text = job.shell(script.replace("&& by_", "&& ./by_"))
        if status:
            fail(f"{what}: {name}: ended with {status}:\n{text}")
        print(f"action: {what}: {name}: ok")


def twice(folder, cache, what, **inputs):
    """Runs the action twice in a job, and programs. Returns the job, and the action's outputs."""
    job = Job(folder, cache)
    outputs, seconds = job.action(devices="2", **inputs)
    programs_run(job, what)
    before = dict(job.variables)
    again, second = job.action(devices="2", **inputs)
    print(f"action: {what}: {seconds:.0f} s, the second time {second:.1f} s")
    if second > MOST:
        fail(f"{what}: the second run takes {second:.0f} s; allowed: at most {MOST} s")
    if outputs != again:
        fail(f"{what}: the second run has other outputs: {outputs}, {again}")
    for name in ("LD_LIBRARY_PATH", "PKG_CONFIG_PATH", "PYTHONPATH"):
        if job.variables[name] != before[name] or len(set(before[name].split(":"))) != len(before[name].split(":")):
            fail(f"{what}: {name} has a folder twice: {job.variables[name]}")
    return job, outputs


def refused(job, text, **inputs):
    """A run that has to fail with a text."""
    action = yaml.safe_load((HERE / "action.yml").read_text())
    given = {f"PORTACL_INPUT_{name.upper()}": inputs.get(name, "") for name in action["inputs"]}
    status, printed = job.shell(f'"{HERE}/install.sh"', **given)
    if status == 0 or text not in printed:
        fail(f"{inputs}: install.sh ended with status {status}; it must fail and print '{text}'. It printed:\n{printed}")
    print(f"action: refused: {printed.strip().splitlines()[-1]}")


def debian_package(prefix, folder):
    """A package with the files of an installation below /usr."""
    tree = folder / "tree"
    shutil.copytree(prefix, tree / "usr", symlinks=True)
    (tree / "DEBIAN").mkdir()
    (tree / "DEBIAN/control").write_text(
        "Package: portacl\nVersion: 1\nArchitecture: all\nMaintainer: none\nDescription: portacl\n")
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", "-Znone", tree, folder / "portacl.deb"], check=True,
                   stdout=subprocess.DEVNULL)
    return folder / "portacl.deb"


def wheel(folder):
    """A wheel with the Python package, without libraries: what the action has to find is its environment."""
    file = folder / "portacl-1-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        for path in sorted((ROOT / "integrations/python/portacl").glob("*.py")):
            archive.write(path, f"portacl/{path.name}")
        archive.writestr("portacl-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: portacl\nVersion: 1\n")
        archive.writestr("portacl-1.dist-info/WHEEL",
                         "Wheel-Version: 1.0\nGenerator: try\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("portacl-1.dist-info/RECORD", "")
    return file


def archive(prefix, folder):
    """What a release has, and its sum."""
    file = folder / "portacl.tar.gz"
    with tarfile.open(file, "w:gz", compresslevel=1) as out:
        out.add(prefix, arcname="portacl-1-linux")
    return file, hashlib.sha256(file.read_bytes()).hexdigest()


def wheel_runs(folder, made, cache):
    job = Job(folder, cache)
    subprocess.run([sys.executable, "-m", "venv", job.folder / "venv"], check=True)
    job.variables["PATH"] = f"{job.folder / 'venv/bin'}:{job.variables['PATH']}"
    job.action(package=str(wheel(made)))
    status, _ = job.shell('[[ $LD_LIBRARY_PATH == *site-packages/portacl* && -n $TASK_QUEUE_ENABLE ]]')
    if status:
        fail(f"a wheel: the variables of torch are missing: {job.variables}")
    print("action: a wheel: torch's variables: ok")


def cache_runs(folder, cache):
    """A job of another day has the cache alone."""
    job = Job(folder, cache)
    _, seconds = job.action(devices="2")
    programs_run(job, "the cache")
    if seconds > MOST:
        fail(f"with the cache the action takes {seconds:.0f} s; allowed: at most {MOST} s")
    print(f"action: the cache: {seconds:.1f} s")


def main(folder):
    shutil.rmtree(folder, ignore_errors=True)
    made, cache = folder / "packages", folder / "cache"
    for place in (made, cache):
        place.mkdir(parents=True)
    job, outputs = twice(folder / "build", cache, "a build")
    job.end()
    file, total = archive(outputs["folder"], made)
    package = debian_package(outputs["folder"], made)
    cache_runs(folder / "build", cache)
    job, _ = twice(folder / "archive", cache, "an archive", package=str(file), sha256=total)
    refused(job, "action: sha256 of", package=str(file), sha256="0" * 64)
    refused(job, "allowed: a file that exists", package=str(made / "none.deb"))
    refused(job, "allowed: .tar.gz, .deb, .whl", package=str(HERE / "action.yml"))
    twice(folder / "address", cache, "an address", package=file.as_uri(), sha256=total)
    twice(folder / "debian", cache, "a Debian package", package=str(package))
    wheel_runs(folder / "wheel", made, cache)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]).resolve())
