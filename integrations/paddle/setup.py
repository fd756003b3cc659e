"""Builds the plug-in with the project's CMake files. The plug-in's table of slots has what it needs of the headers of
all supported releases of Paddle, so no Paddle is needed here."""

import pathlib
import re
import subprocess

from setuptools import Distribution, Extension, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
BUILD = PROJECT / "build" / "paddle-package"


def version():
    return re.search(r'^version = "(.*)"', (PROJECT / "Cargo.toml").read_text(), re.M).group(1)


class Plugin(build_ext):
    def get_ext_filename(self, name):
        return "libpaddle-portacl.so"

    def build_extension(self, extension):
        target = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve()
        subprocess.run(
            ["cmake", "-S", PROJECT, "-B", BUILD, "-DCMAKE_BUILD_TYPE=Release", "-DPORTACL_PADDLE=ON",
             "-DPORTACL_PADDLE_WITHOUT_HEADER=ON", "-DPORTACL_BUILD_SAMPLES=OFF",
             f"-DPORTACL_CARGO_TARGET_DIR={PROJECT / 'target'}"],
            check=True)
        subprocess.run(["cmake", "--build", BUILD, "--target", "portacl_paddle"], check=True)
        plugin = BUILD / "integrations/paddle/plugin"
        target.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(str(plugin / "libpaddle-portacl.so"), str(target))
        # What moves data between ranks, where libgloo-dev is installed.
        module = plugin / "portacl/libportacl_gloo.so"
        if module.exists():
            (target.parent / "portacl").mkdir(exist_ok=True)
            self.copy_file(str(module), str(target.parent / "portacl"))


class Binary(Distribution):
    def has_ext_modules(self):
        return True


BUILD.mkdir(parents=True, exist_ok=True)
setup(version=version(), packages=[], py_modules=[], distclass=Binary, cmdclass={"build_ext": Plugin},
      ext_modules=[Extension("paddle_custom_device.libpaddle-portacl", sources=[])],
      options={"build": {"build_base": str(BUILD / "python")}, "egg_info": {"egg_base": str(BUILD)}})
