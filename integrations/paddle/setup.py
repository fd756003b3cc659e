"""Builds the plug-in with the project's CMake files, and the module with the kernels of the Paddle of this Python. The
plug-in itself needs no Paddle: its table of slots has what it needs of the headers of all supported releases."""

import pathlib
import re
import subprocess
import sys

from setuptools import Distribution, Extension, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
BUILD = PROJECT / "build" / "paddle-package"


def version():
    return re.search(r'^version = "(.*)"', (PROJECT / "Cargo.toml").read_text(), re.M).group(1)


def headers_of_paddle():
    """Its folder; empty if there is none. -I: past the environment that pip builds in."""
    find = "import importlib.util as u; s = u.find_spec('paddle'); print(s.submodule_search_locations[0] if s else '')"
    done = subprocess.run([sys.executable, "-I", "-c", find], check=True, stdout=subprocess.PIPE, text=True)
    found = done.stdout.strip()
    include = pathlib.Path(found) / "include"
    return str(include) if found and (include / "paddle/phi/backends/device_ext.h").exists() else ""


class Plugin(build_ext):
    def get_ext_filename(self, name):
        return "libpaddle-portacl.so"

    def build_extension(self, extension):
        target = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve()
        headers = headers_of_paddle()
        subprocess.run(
            ["cmake", "-S", PROJECT, "-B", BUILD, "-DCMAKE_BUILD_TYPE=Release", "-DPORTACL_PADDLE=ON",
             f"-DPORTACL_PADDLE_INCLUDE_DIR={headers}", f"-DPORTACL_PADDLE_WITHOUT_HEADER={'OFF' if headers else 'ON'}",
             "-DPORTACL_BUILD_SAMPLES=OFF",
             f"-DPORTACL_CARGO_TARGET_DIR={PROJECT / 'target'}"],
            check=True)
        targets = ["portacl_paddle", *(["portacl_paddle_kernels"] if headers else [])]
        subprocess.run(["cmake", "--build", BUILD, "--target", *targets], check=True)
        plugin = BUILD / "integrations/paddle/plugin"
        target.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(str(plugin / "libpaddle-portacl.so"), str(target))
        # What moves data between ranks, where libgloo-dev is installed, and the kernels.
        for module in ("libportacl_gloo.so", *(["libportacl_paddle_kernels.so"] if headers else [])):
            if (plugin / "portacl" / module).exists():
                (target.parent / "portacl").mkdir(exist_ok=True)
                self.copy_file(str(plugin / "portacl" / module), str(target.parent / "portacl"))


class Binary(Distribution):
    def has_ext_modules(self):
        return True


BUILD.mkdir(parents=True, exist_ok=True)
setup(version=version(), packages=[], py_modules=[], distclass=Binary, cmdclass={"build_ext": Plugin},
      ext_modules=[Extension("paddle_custom_device.libpaddle-portacl", sources=[])],
      options={"build": {"build_base": str(BUILD / "python")}, "egg_info": {"egg_base": str(BUILD)}})
