"""Builds a program with the package, and runs it."""

import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


class PortaclTest(ConanFile):
    """The consumer."""

    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeDeps", "CMakeToolchain"

    def requirements(self):
        """The package under test."""
        self.requires(self.tested_reference_str)

    def layout(self):
        """One folder for each configuration."""
        cmake_layout(self)

    def build(self):
        """Configures and builds."""
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        """Runs the program."""
        if can_run(self):
            self.run(os.path.join(self.cpp.build.bindir, "program"), env="conanrun")
