"""Kompute's Python package `kp`: whether the one at hand works, and building one that does.

PyPI has its source only, whose own recipe fetches a pybind11 that is too old: built with it, `kp`
imports under NumPy 2 and gives arrays that all show their first element. Here it is built with a
pybind11 that knows both, so that one build serves NumPy 1.26 and 2; that it asks for NumPy below 2
is then no more than a word in its metadata.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from dml_vk import system
from dml_vk.errors import DmlVkError, explain

KP, PYBIND11 = "0.9.0", "3.1.0"
THE_SYSTEMS = "this Python belongs to the system: python3 -m venv .venv"

State = Literal["works", "imports", "absent", "broken", "poisoned"]

# What Kompute would otherwise fetch over git, and an install rule that clashes with fmt's.
_OPTIONS = (
    "KOMPUTE_OPT_USE_BUILT_IN_FMT",
    "KOMPUTE_OPT_USE_BUILT_IN_PYBIND11",
    "KOMPUTE_OPT_USE_BUILT_IN_VULKAN_HEADER",
    "KOMPUTE_OPT_INSTALL",
)

# Run in a process of its own, since all that can go wrong in Kompute kills it.
_CHECK = """
import sys, numpy, kp
if len(sys.argv) > 1:
    manager = kp.Manager(int(sys.argv[1]))
    given = numpy.arange(7, 12, dtype=numpy.uint32)
    data = manager.tensor_t(given, kp.TensorTypes.host).data()
    print("works" if data.strides == (4,) and (data == given).all() else "poisoned")
else:
    print("imports")
"""


def state(device: int | None) -> tuple[State, str]:
    """(how `kp` does in this environment, a word on it); tried on a device if there is one."""
    if importlib.util.find_spec("kp") is None:
        return "absent", ""
    done = subprocess.run(
        [sys.executable, "-c", _CHECK, *([] if device is None else [str(device)])],
        env={**os.environ, "VK_LOADER_LAYERS_DISABLE": "~all~"},
        capture_output=True,
        text=True,
        check=False,
    )
    said: tuple[State, ...] = ("works", "imports", "poisoned")
    for word in said:
        if done.returncode == 0 and done.stdout.strip() == word:
            return word, ""
    last = done.stderr.strip().rpartition("\n")[2]
    return "broken", last or f"it died with {done.returncode}"


def is_the_systems() -> bool:
    """The running Python is of no environment, and only the system may install into it."""
    managed = Path(sysconfig.get_path("stdlib")) / "EXTERNALLY-MANAGED"
    return sys.prefix == sys.base_prefix and managed.is_file()


def lacks() -> str | None:
    """What stands in the way of building `kp` here, and what to do about it; None if nothing."""
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "kp needs a Python with the global lock; this one is free-threaded"
    if importlib.util.find_spec("pip") is None:
        return "pip is missing: python -m ensurepip"
    if is_the_systems():
        return f"{THE_SYSTEMS}, and use that one"
    needs = system.missing(system.BUILD)
    if needs:
        names = ", ".join(need.name for need in needs)
        return f"missing for the build: {names}: {system.how_to_install(needs)}"
    return None


def install(device: int | None, tell: Callable[[str], object]) -> None:
    """A `kp` that works, into the running environment; a wheel once built is used again.

    `tell` is told what is being done.
    """
    wheel = _cached()
    if wheel is not None:
        tell(f"kp {KP}: installing the wheel that was built before")
        _pip("install", "--no-deps", "--force-reinstall", str(wheel))
        if state(device)[0] in ("works", "imports"):
            return
        # The system's libraries are no longer those that it was built with.
        wheel.unlink()
    obstacle = lacks()
    if obstacle is not None:
        raise DmlVkError(explain("kp", "what it is built with must be there", obstacle=obstacle))
    built = _build(tell)
    tell(f"kp {KP}: installing")
    _pip("install", "--no-deps", "--force-reinstall", str(built))


def _cache() -> Path:
    """The folder of this Python's wheels: nothing but what it is made of decides its name."""
    place = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    python = f"{sys.implementation.cache_tag}-{sysconfig.get_platform()}"
    return Path(place) / "dml_vk" / f"kp-{KP}-pybind11-{PYBIND11}-{python}"


def _cached() -> Path | None:
    return next(_cache().glob("kp-*.whl"), None)


def _build(tell: Callable[[str], object]) -> Path:
    """The wheel, built from PyPI's source and kept."""
    tell(f"kp {KP}: fetching pybind11 {PYBIND11}")
    _cache().parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=_cache().parent) as work:
        _pip("install", "--no-deps", "--target", f"{work}/tools", f"pybind11=={PYBIND11}")
        environment = {
            **dict.fromkeys(_OPTIONS, "OFF"),
            "pybind11_DIR": f"{work}/tools/pybind11/share/cmake/pybind11",
            # Its recipe means to name the Python, and fails to; CMake then looks here.
            "VIRTUAL_ENV": sys.prefix,
            "KOMPUTE_PYTHON_NUM_PARALLEL_THREADS": str(os.cpu_count() or 1),
        }
        tell(f"kp {KP}: fetching its source and compiling it, one or two minutes")
        # From source even where pip knows a wheel, which may be poisoned; and in an environment
        # of the build's own, since an old pip takes the one at hand, which may lack setuptools.
        _pip(
            *("wheel", "--use-pep517", "--no-deps", "--no-cache-dir", "--no-binary", "kp"),
            *("--wheel-dir", f"{work}/wheels", f"kp=={KP}"),
            **environment,
        )
        built = next(Path(work, "wheels").glob("kp-*.whl"))
        _cache().mkdir(exist_ok=True)
        return built.replace(_cache() / built.name)


def _pip(*arguments: str, **environment: str) -> None:
    command = [sys.executable, "-m", "pip", "-qq", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, env={**os.environ, **environment}, check=False)
    if done.returncode:
        raise DmlVkError(
            explain("kp", "pip must succeed: it says above why not", command=" ".join(arguments))
        )
