"""Requirements outside Python: how to detect them, and the packages that provide them."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from dml_vk.driver import vulkan

# Package managers of Debian and Ubuntu, Fedora, and Arch, in the order of `Need.packages`. Only the
# first is tested.
MANAGERS = {"apt-get": "apt-get install", "dnf": "dnf install", "pacman": "pacman -S"}
# Each overrides the drivers' manifests that the loader reads; the first that is set wins.
DRIVER_VARIABLES = ("VK_DRIVER_FILES", "VK_ICD_FILENAMES")


@dataclass(frozen=True)
class Need:
    """A requirement that no Python package provides."""

    name: str
    packages: tuple[str, str, str]  # that provide it, per package manager
    is_met: Callable[[], bool]


def _command(*names: str) -> Callable[[], bool]:
    """Test whether one of these is on the PATH; on Windows the build finds its own tools."""
    return lambda: sys.platform == "win32" or any(map(shutil.which, names))


def _header(name: str) -> Callable[[], bool]:
    return lambda: any((folder / name).is_file() for folder in _include_folders())


def _include_folders() -> list[Path]:
    folders = [sysconfig.get_path("include"), "/usr/include", "/usr/local/include"]
    folders += _listed("CPATH", "CPLUS_INCLUDE_PATH")
    folders += [f"{prefix}/include" for prefix in _listed("CMAKE_PREFIX_PATH", "VULKAN_SDK")]
    return [Path(folder) for folder in folders]


def manifests(kind: str) -> list[Path]:
    """The manifests that the loader reads: of drivers ("icd.d") or layers ("explicit_layer.d").

    On Windows they are in the registry, and are not listed here.
    """
    if kind == "icd.d":
        for variable in DRIVER_VARIABLES:
            if chosen := _listed(variable):
                return [Path(path) for path in chosen]
    folders = [*_listed("VK_LAYER_PATH")] if kind == "explicit_layer.d" else []
    home = os.path.expanduser("~")
    for variable, default in (
        ("XDG_CONFIG_HOME", f"{home}/.config"),
        ("XDG_CONFIG_DIRS", "/etc/xdg"),
        ("", "/etc"),
        ("XDG_DATA_HOME", f"{home}/.local/share"),
        ("XDG_DATA_DIRS", "/usr/local/share:/usr/share"),
    ):
        folders += [f"{base}/vulkan/{kind}" for base in _listed(variable) or default.split(":")]
    found = {path: None for folder in folders for path in sorted(Path(folder).glob("*.json"))}
    added = _listed("VK_ADD_DRIVER_FILES") if kind == "icd.d" else []
    return [*map(Path, added), *found]


def _listed(*variables: str) -> list[str]:
    """The paths that environment variables list."""
    return [
        path
        for variable in variables
        for path in os.environ.get(variable, "").split(os.pathsep)
        if path
    ]


def _has_driver() -> bool:
    return sys.platform == "win32" or any(path.is_file() for path in manifests("icd.d"))


def _has_validation() -> bool:
    return any("validation" in path.name for path in manifests("explicit_layer.d"))


RUN = (
    Need(
        "a Vulkan loader",
        ("libvulkan1", "vulkan-loader", "vulkan-icd-loader"),
        lambda: vulkan.load() is not None,
    ),
    Need(
        "a Vulkan driver",
        ("mesa-vulkan-drivers", "mesa-vulkan-drivers", "vulkan-swrast"),
        _has_driver,
    ),
)
BUILD = (
    Need("CMake", ("cmake", "cmake", "cmake"), _command("cmake")),
    Need("make", ("make", "make", "make"), _command("make")),
    Need(
        "a C++ compiler",
        ("g++", "gcc-c++", "gcc"),
        _command("c++", "g++", "clang++"),
    ),
    Need(
        "Vulkan's headers",
        ("libvulkan-dev", "vulkan-headers", "vulkan-headers"),
        _header("vulkan/vulkan.hpp"),
    ),
    Need("fmt's headers", ("libfmt-dev", "fmt-devel", "fmt"), _header("fmt/core.h")),
    Need("Python's headers", ("python3-dev", "python3-devel", "python"), _header("Python.h")),
)
SHADERS = (
    Need("glslangValidator", ("glslang-tools", "glslang", "glslang"), _command("glslangValidator")),
    Need("spirv-opt", ("spirv-tools", "spirv-tools", "spirv-tools"), _command("spirv-opt")),
    Need("spirv-val", ("spirv-tools", "spirv-tools", "spirv-tools"), _command("spirv-val")),
)
VALIDATION = (
    Need(
        "Khronos's validation layer",
        ("vulkan-validationlayers", "vulkan-validation-layers", "vulkan-validation-layers"),
        _has_validation,
    ),
)


def missing(needs: Iterable[Need] = (*RUN, *BUILD, *SHADERS, *VALIDATION)) -> list[Need]:
    return [need for need in needs if not need.is_met()]


def packages(needs: Iterable[Need], manager: str = "apt-get") -> list[str]:
    """The packages that provide these, without duplicates."""
    column = list(MANAGERS).index(manager)
    return list(dict.fromkeys(need.packages[column] for need in needs))


def typed(path: str | Path) -> str:
    """A path as a shell word, relative to the working directory if it is below it."""
    whole = Path(path)
    with contextlib.suppress(OSError, ValueError):  # the directory is gone, or not a parent
        below = whole.relative_to(Path.cwd())
        return shlex.quote(str(below) if len(below.parts) > 1 else os.path.join(".", below))
    return shlex.quote(str(whole))


def how_to_install(needs: Iterable[Need]) -> str:
    """The command to type if the package manager is known, else what to look for."""
    needs = list(needs)
    for manager, command in MANAGERS.items():
        if shutil.which(manager):
            root = "" if os.geteuid() == 0 else "sudo "
            return f"{root}{command} {' '.join(packages(needs, manager))}"
    return f"install {', '.join(need.name for need in needs)}"
