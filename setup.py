# SPDX-License-Identifier: Apache-2.0
"""Builds the Python package: CMake makes the extension, with the library inside it.

There is no pyproject.toml on purpose: pip would then want to fetch setuptools anew for every build,
and this package is to be built from Debian's packages alone (python3-setuptools, python3-wheel).
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

HERE = os.path.dirname(os.path.abspath(__file__))


def version():
    with open(os.path.join(HERE, "include", "onefold.h"), encoding="utf-8") as header:
        return re.search(r'ONEFOLD_VERSION "([^"]+)"', header.read()).group(1)


# What the build asks for: a program or a pkg-config name, and the Debian package that has it.
NEEDS = (("cmake", "cmake"), ("pkg-config", "pkg-config"), ("cc", "gcc"), ("c:zlib", "zlib1g-dev"),
         ("c:openblas", "libopenblas-dev"), ("c:lapacke", "liblapacke-dev"), ("c:hdf5", "libhdf5-dev"),
         ("h:Python.h", "python3-dev"))


def is_here(need):
    """Whether a program, a library or a header of Python is on this system."""
    kind, _, name = need.rpartition(":")
    if kind == "h":
        return os.path.exists(os.path.join(sysconfig.get_path("include"), name))
    if kind == "c":
        return bool(shutil.which("pkg-config")) and subprocess.call(["pkg-config", "--exists", name]) == 0
    return bool(shutil.which(os.environ.get("CC", name).split()[0] if name == "cc" else name))


def check_needs():
    """Ends with one sentence where the build could not work."""
    missing = [package for need, package in NEEDS if not is_here(need)]
    if missing:
        sys.exit("onefold is built from source here, and needs what these Debian packages have: "
                 f"sudo apt-get install {' '.join(missing)}")


class BuildExtension(build_ext):
    """Lets CMake build bindings/python, and puts the extension where setuptools wants it."""

    def build_extension(self, ext):
        folder = os.path.abspath(self.build_temp) + "-cmake"  # as deep as build/release: a compiler cache serves both
        os.makedirs(folder, exist_ok=True)
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        subprocess.check_call(
            ["cmake", "-S", HERE, "-B", folder, *generator, "-DCMAKE_BUILD_TYPE=Release",
             "-DONEFOLD_PYTHON=ON", "-DONEFOLD_TESTS=OFF", f"-DPython3_EXECUTABLE={sys.executable}",
             *shlex.split(os.environ.get("CMAKE_ARGS", ""))])
        subprocess.check_call(["cmake", "--build", folder, "--target", "onefold_python"])
        place = self.get_ext_fullpath(ext.name)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        shutil.copyfile(os.path.join(folder, "bindings", "python", "_onefold.abi3.so"), place)


class BuildPackage(build_py):
    """Takes the bundled digits along."""

    def run(self):
        super().run()
        place = os.path.join(self.build_lib, "onefold", "data")
        os.makedirs(place, exist_ok=True)
        shutil.copyfile(os.path.join(HERE, "data", "digits", "digits.mat"),
                        os.path.join(place, "digits.mat"))


if {"egg_info", "bdist_wheel", "build", "build_ext", "install"} & set(sys.argv[1:]) and not os.environ.get("CMAKE_ARGS"):
    check_needs()

with open(os.path.join(HERE, "README.md"), encoding="utf-8") as readme:
    DESCRIPTION = readme.read()

setup(
    name="onefold",
    version=version(),
    description="Multi-view clustering: one set of labels from several views of the same samples",
    long_description=DESCRIPTION,
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    python_requires=">=3.11",
    install_requires=["numpy"],
    package_dir={"": "bindings/python"},
    packages=["onefold"],
    package_data={"onefold": ["py.typed"]},
    ext_modules=[Extension("onefold._onefold", sources=[], py_limited_api=True)],
    cmdclass={"build_ext": BuildExtension, "build_py": BuildPackage},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
    zip_safe=False,
)
