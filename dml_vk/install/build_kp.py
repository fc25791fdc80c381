"""Kompute's Python package `kp`: testing an installed one, and building one that works.

PyPI only has its source. dml_vk needs it completed by the patch in kompute/, and its build fetches
a pybind11 that is too old: the resulting `kp` imports under NumPy 2, but gives arrays with stride
0. Here it is patched and built with a newer pybind11, so that one build works with NumPy 1.26 and
2. Its metadata still requires NumPy below 2, which has no effect.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from dml_vk.environment import cache_folder
from dml_vk.errors import DmlVkError
from dml_vk.install import system, unified_diff
from dml_vk.install.kp_version import KP, PATCH, local_version, version

PYBIND11 = "3.1.0"
SYSTEM_PYTHON = "this Python belongs to the system: python3 -m venv .venv"

# "stock": not completed by this patch. "poisoned": its arrays are wrong.
State = Literal["works", "imports", "absent", "broken", "stock", "poisoned"]

# CMake options to switch off: dependencies that Kompute would fetch with git, and an install rule
# that conflicts with fmt's.
_OPTIONS = (
    "KOMPUTE_OPT_USE_BUILT_IN_FMT",
    "KOMPUTE_OPT_USE_BUILT_IN_PYBIND11",
    "KOMPUTE_OPT_USE_BUILT_IN_VULKAN_HEADER",
    "KOMPUTE_OPT_INSTALL",
)

# Run in a separate process, since a kp that is broken or not completed may crash it.
_CHECK = """
import sys, numpy, kp
if kp.__version__ != sys.argv[1]:
    print("stock")
elif len(sys.argv) > 2:
    manager = kp.Manager(int(sys.argv[2]))
    given = numpy.arange(7, 12, dtype=numpy.uint32)
    data = manager.tensor_t(given, kp.TensorTypes.host).data()
    print("works" if data.strides == (4,) and (data == given).all() else "poisoned")
else:
    print("imports")
"""


def state(device: int | None) -> tuple[State, str]:
    """(the state of `kp` in this environment, details); tested on a device if there is one."""
    if importlib.util.find_spec("kp") is None:
        return "absent", ""
    arguments = [] if device is None else [str(device)]
    done = subprocess.run(
        [sys.executable, "-c", _CHECK, version(), *arguments],
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "VK_LOADER_LAYERS_DISABLE": "~all~"},
        capture_output=True,
        encoding="utf-8",
        errors="replace",  # drivers print too
        check=False,
    )
    outcomes: tuple[State, ...] = ("works", "imports", "stock", "poisoned")
    for outcome in outcomes:
        if done.returncode == 0 and done.stdout.strip() == outcome:
            return outcome, ""
    last = done.stderr.strip().rpartition("\n")[2]
    return "broken", last or f"it died with {done.returncode}"


def is_system_python() -> bool:
    """Whether this Python is not in a virtual environment, and is managed by the system."""
    managed = Path(sysconfig.get_path("stdlib")) / "EXTERNALLY-MANAGED"
    return sys.prefix == sys.base_prefix and managed.is_file()


def obstacle() -> str | None:
    """What prevents building `kp` here, and what to do about it; None if nothing."""
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "kp needs a Python with the global lock; this one is free-threaded"
    if importlib.util.find_spec("pip") is None:
        return "pip is missing: python -m ensurepip"
    if is_system_python():
        return f"{SYSTEM_PYTHON}, and use that one"
    needs = system.missing(system.BUILD)
    if needs:
        names = ", ".join(need.name for need in needs)
        return f"missing for the build: {names}: {system.how_to_install(needs)}"
    return None


def install(device: int | None, report: Callable[[str], object]) -> None:
    """Install a working `kp` into the running environment, from a cached wheel if there is one.

    `report` is called with each step.
    """
    wheel = cached()
    if wheel is not None:
        report(f"kp {KP}: installing the wheel that was built before")
        _pip("install", "--no-deps", "--force-reinstall", str(wheel))
        if state(device)[0] in ("works", "imports"):
            return
        # The system's libraries have changed since it was built.
        wheel.unlink(missing_ok=True)  # another process may have come to the same
    missing = obstacle()
    if missing is not None:
        raise DmlVkError("kp", "build tools are missing", obstacle=missing)
    built = _build(report)
    report(f"kp {KP}: installing")
    _pip("install", "--no-deps", "--force-reinstall", str(built))


def _cache() -> Path:
    """The folder of wheels for this Python and these versions, of which the patch is one."""
    python = f"{sys.implementation.cache_tag}-{sysconfig.get_platform()}"
    return cache_folder() / f"kp-{version()}-pybind11-{PYBIND11}-{python}"


def cached() -> Path | None:
    """The wheel that was built before, if any."""
    return next(_cache().glob("kp-*.whl"), None)


def source(report: Callable[[str], object]) -> Path:
    """PyPI's source archive, from the cache if it is there."""
    archive = _cache().parent / f"kp-{KP}.tar.gz"
    if not archive.is_file():
        report(f"kp {KP}: fetching its source")
        archive.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=archive.parent) as work:
            # --no-binary: a wheel cannot be patched. --use-pep517 isolates the build, for which an
            # old pip would use the running environment, which may lack setuptools.
            _pip(
                *("download", "--use-pep517", "--no-deps", "--no-cache-dir", "--no-binary", "kp"),
                *("--dest", work, f"kp=={KP}"),
            )
            Path(work, archive.name).replace(archive)
    return archive


def completed(archive: Path, folder: Path) -> Path:
    """The source tree of the archive, unpacked into a folder and patched."""
    with tarfile.open(archive) as members:
        for member in members.getmembers():
            path = (folder / member.name).resolve()
            if not path.is_relative_to(folder.resolve()):
                rule = "the source must unpack into one folder"
                raise DmlVkError("kp", rule, member=member.name)
            data = members.extractfile(member) if member.isfile() else None
            if data is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data.read())
    tree = folder / f"kp-{KP}"
    unified_diff.apply(PATCH.read_text(encoding="utf-8"), tree)
    return tree


def _build(report: Callable[[str], object]) -> Path:
    """Build the wheel from PyPI's source and the patch, and cache it."""
    archive = source(report)
    report(f"kp {KP}: fetching pybind11 {PYBIND11}")
    with tempfile.TemporaryDirectory(dir=_cache().parent) as work:
        tree = completed(archive, Path(work))
        _pip("install", "--no-deps", "--target", f"{work}/tools", f"pybind11=={PYBIND11}")
        environment = {
            **dict.fromkeys(_OPTIONS, "OFF"),
            "pybind11_DIR": f"{work}/tools/pybind11/share/cmake/pybind11",
            # Kompute's build fails to pass the Python to CMake, which then looks here.
            "VIRTUAL_ENV": sys.prefix,
            "KOMPUTE_PYTHON_NUM_PARALLEL_THREADS": str(os.cpu_count() or 1),
            "KOMPUTE_PYTHON_LOCAL_VERSION": local_version(),
        }
        report(f"kp {KP}: compiling it, one or two minutes")
        _pip(
            *("wheel", "--use-pep517", "--no-deps", "--no-cache-dir"),
            *("--wheel-dir", f"{work}/wheels", str(tree)),
            **environment,
        )
        built = next(Path(work, "wheels").glob("kp-*.whl"))
        _cache().mkdir(exist_ok=True)
        return built.replace(_cache() / built.name)


def _pip(*arguments: str, **environment: str) -> None:
    command = [sys.executable, "-m", "pip", "-qq", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, env={**os.environ, **environment}, check=False)
    if done.returncode:
        raise DmlVkError("kp", "pip failed: see its output above", command=" ".join(arguments))
