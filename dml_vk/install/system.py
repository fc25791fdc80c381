"""Requirements outside Python: how to detect them, and the packages that provide them."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dml_vk.driver import vulkan

# Package managers of Debian and Ubuntu, Fedora, Arch, and macOS, in the order of `Need.packages`.
# Only the first is tested.
MANAGERS = {
    "apt-get": "apt-get install",
    "dnf": "dnf install",
    "pacman": "pacman -S",
    "brew": "brew install",
}
_WITHOUT_ROOT = ("brew",)
# Each overrides the drivers' manifests that the loader reads; the first that is set wins.
DRIVER_VARIABLES = ("VK_DRIVER_FILES", "VK_ICD_FILENAMES")
_HOMEBREW = "/opt/homebrew"  # on Apple silicon; on Intel it is /usr/local


@dataclass(frozen=True)
class Need:
    """A requirement that no Python package provides."""

    name: str
    packages: tuple[str, str, str, str]  # that provide it, per package manager; "" if it needs none
    is_met: Callable[[], bool]


def _command(*names: str) -> Callable[[], bool]:
    """Test whether one of these is on the PATH; on Windows the build finds its own tools."""
    return lambda: sys.platform == "win32" or any(map(shutil.which, names))


def _header(name: str) -> Callable[[], bool]:
    return lambda: any((folder / name).is_file() for folder in _include_folders())


def _include_folders() -> list[Path]:
    folders = [sysconfig.get_path("include"), "/usr/include", "/usr/local/include"]
    if sys.platform == "darwin":
        folders.append(f"{_HOMEBREW}/include")
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
    for variable, default in () if sys.platform == "win32" else _bases():
        folders += [f"{base}/vulkan/{kind}" for base in _listed(variable) or default]
    files = {path: None for folder in folders for path in sorted(Path(folder).glob("*.json"))}
    added = _listed("VK_ADD_DRIVER_FILES") if kind == "icd.d" else []
    return [*map(Path, added), *files]


def _bases() -> Iterator[tuple[str, Sequence[str]]]:
    """Environment variables that list folders of manifests, with the folders if one is not set."""
    home = os.path.expanduser("~")
    is_mac = sys.platform == "darwin"
    yield "XDG_CONFIG_HOME", [f"{home}/.config"]
    yield "XDG_CONFIG_DIRS", ["/etc/xdg"]
    yield "", [f"{_HOMEBREW}/etc", "/usr/local/etc", "/etc"] if is_mac else ["/etc"]
    yield "XDG_DATA_HOME", [f"{home}/.local/share"]
    shared = ["/usr/local/share", "/usr/share"]
    yield "XDG_DATA_DIRS", [f"{_HOMEBREW}/share", *shared] if is_mac else shared


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
        ("libvulkan1", "vulkan-loader", "vulkan-icd-loader", "vulkan-loader"),
        lambda: vulkan.load() is not None,
    ),
    Need(
        "a Vulkan driver",
        ("mesa-vulkan-drivers", "mesa-vulkan-drivers", "vulkan-swrast", "molten-vk"),
        _has_driver,
    ),
)
BUILD = (
    Need("CMake", ("cmake", "cmake", "cmake", "cmake"), _command("cmake")),
    # Homebrew itself needs Apple's tools, which have a make and a compiler.
    Need("make", ("make", "make", "make", ""), _command("make")),
    Need("a C++ compiler", ("g++", "gcc-c++", "gcc", ""), _command("c++", "g++", "clang++")),
    Need(
        "Vulkan's headers",
        ("libvulkan-dev", "vulkan-headers", "vulkan-headers", "vulkan-headers"),
        _header("vulkan/vulkan.hpp"),
    ),
    Need("fmt's headers", ("libfmt-dev", "fmt-devel", "fmt", "fmt"), _header("fmt/core.h")),
    Need(
        "Python's headers",
        ("python3-dev", "python3-devel", "python", "python"),
        _header("Python.h"),
    ),
)
_SPIRV_TOOLS = ("spirv-tools",) * 4
SHADERS = (
    Need(
        "glslangValidator",
        ("glslang-tools", "glslang", "glslang", "glslang"),
        _command("glslangValidator"),
    ),
    Need("spirv-opt", _SPIRV_TOOLS, _command("spirv-opt")),
    Need("spirv-val", _SPIRV_TOOLS, _command("spirv-val")),
)
VALIDATION = (
    Need(
        "Khronos's validation layer",
        (
            "vulkan-validationlayers",
            "vulkan-validation-layers",
            "vulkan-validation-layers",
            "vulkan-validationlayers",
        ),
        _has_validation,
    ),
)


def missing(needs: Iterable[Need] = (*RUN, *BUILD, *SHADERS, *VALIDATION)) -> list[Need]:
    return [need for need in needs if not need.is_met()]


def packages(needs: Iterable[Need], manager: str = "apt-get") -> list[str]:
    """The packages that provide these, without duplicates."""
    column = list(MANAGERS).index(manager)
    return list(dict.fromkeys(filter(None, (need.packages[column] for need in needs))))


def typed(path: str | Path) -> str:
    """A path as a shell word, relative to the working directory if it is below it."""
    whole = Path(path)
    with contextlib.suppress(OSError, ValueError):  # the directory is gone, or not a parent
        below = whole.relative_to(Path.cwd())
        return _quoted(str(below) if len(below.parts) > 1 else os.path.join(".", below))
    return _quoted(str(whole))


def _quoted(word: str) -> str:
    if sys.platform != "win32":
        return shlex.quote(word)
    from subprocess import list2cmdline  # the import takes 3 ms, and few need it

    return list2cmdline([word])


def how_to_install(needs: Iterable[Need]) -> str:
    """The command to type if the package manager is known, else what to look for."""
    needs = list(needs)
    # On Windows, a pacman that is found belongs to MSYS2, with packages of other names.
    for manager, command in () if sys.platform == "win32" else MANAGERS.items():
        named = packages(needs, manager)
        if named and shutil.which(manager):
            is_root = manager in _WITHOUT_ROOT or os.geteuid() == 0
            return f"{'' if is_root else 'sudo '}{command} {' '.join(named)}"
    return f"install {', '.join(need.name for need in needs)}"
