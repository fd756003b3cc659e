"""Conan recipe: `conan create integrations/packaging/conan`. Cargo, which the build calls, is the machine's own."""

import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain
from conan.tools.files import copy, load

# What the build needs of the tree.
SOURCES = ("CMakeLists.txt", "Cargo.toml", "Cargo.lock", "LICENSE", "build.rs", "benches/*", "cmake/*", "include/*",
           "integrations/*", "programs/*", "samples/*", "src/*", "tools/companions.py")


class Portacl(ConanFile):
    """The library, static and shared."""

    name = "portacl"
    description = "The Ascend runtime API (acl*, aclrt*) on CPUs and on NVIDIA GPUs"
    license = "Apache-2.0"
    settings = "os", "arch", "compiler", "build_type"
    # The static library is what CMake links by default; the shared one is beside it.
    package_type = "static-library"

    def set_version(self):
        """The version of Cargo.toml."""
        text = load(self, os.path.join(self.recipe_folder, "../../../Cargo.toml"))
        self.version = re.search(r'^version = "(.*)"', text, re.M).group(1)

    def export_sources(self):
        """Copies the tree of which this recipe is a part."""
        for pattern in SOURCES:
            copy(self, pattern, os.path.join(self.recipe_folder, "../../.."), self.export_sources_folder)

    def layout(self):
        """In the tree itself, the sources are three folders up."""
        self.folders.root = "../../.."
        self.folders.source = "."
        self.folders.build = "build/conan"
        self.folders.generators = "build/conan/generators"

    def generate(self):
        """The options of portacl's own build."""
        toolchain = CMakeToolchain(self, generator="Ninja")
        toolchain.user_presets_path = False
        for name in ("BUILD_SAMPLES", "PROGRAMS", "CXX"):
            toolchain.cache_variables[f"PORTACL_{name}"] = False
        if target := os.environ.get("PORTACL_CARGO_TARGET_DIR"):
            toolchain.cache_variables["PORTACL_CARGO_TARGET_DIR"] = target
        toolchain.generate()

    def build(self):
        """Configures and builds."""
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        """Installs."""
        CMake(self).install()

    def package_info(self):
        """portacl's own CMake configuration is in the package."""
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/portacl"]
        self.cpp_info.libs = ["portacl"]
