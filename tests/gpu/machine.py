"""Make a bare machine run Python programs of ours: an environment, libraries and a driver."""

from __future__ import annotations

import glob
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.gpu.pack import REQUIREMENTS, ROOT

# Where drivers are described beside the places that a loader knows.
MANIFESTS = ("/usr/local/*/share/vulkan/icd.d", "/opt/*/share/vulkan/icd.d", "/opt/*/icd.d")
# A driver's library may be there without a description; the second needs no display.
LIBRARIES = ("libGLX_nvidia.so.0", "libEGL_nvidia.so.0")
LIBRARY_FOLDERS = ("lib64", "lib", "lib/x86_64-linux-gnu")
DEVICES = ("-m", "dml_vk", "devices", "--json")
LISTING, INSTALLING = 30, 120  # seconds for a driver to list devices, and for pip

Environment = dict[str, str]


class UnusableError(Exception):
    """No step can run on this machine."""


def make_python(wheels: Path, work: Path) -> Path:
    """A virtual environment with the carried wheels alone, of the first Python that they fit."""
    installers = sorted(wheels.glob("pip-*.whl"))
    if not installers:
        raise UnusableError(
            f"no wheels in {wheels}: ./dev gpu --pack gathers them, on another machine"
        )
    told = []
    for interpreter in _interpreters():
        folder = work / "venv"
        shutil.rmtree(folder, ignore_errors=True)
        python = folder / "bin" / "python"
        environment = {"PYTHONPATH": str(installers[-1])}
        offline = ("--no-index", "--find-links", str(wheels), "--disable-pip-version-check", "-q")
        install = [str(python), "-m", "pip", "--isolated", "install", *offline]
        for command in (
            [interpreter, "-m", "venv", "--without-pip", str(folder)],
            [*install, *REQUIREMENTS],
        ):
            done = _run(command, environment, INSTALLING)
            if done.returncode:
                told.append(f"{interpreter}: {(done.stderr or done.stdout).strip()[-300:]}")
                break
        else:
            # It is optional, and its metadata asks for a NumPy that it does not need.
            _run([*install, "--no-deps", "kp"], environment, INSTALLING)
            return python
    raise UnusableError("no Python here takes the carried wheels: " + "; ".join(told))


def _interpreters() -> Iterator[str]:
    names = ["python3", *(f"python3.{minor}" for minor in range(10, 15)), "/usr/bin/python3"]
    found = dict.fromkeys([sys.executable, *filter(None, map(shutil.which, names))])
    yield from found


def lacking(python: Path, carried: Path, work: Path) -> Environment:
    """A folder with the carried libraries that this machine lacks, for the linker to look in."""
    own = work / "lib"
    own.mkdir()
    for library in sorted(carried.glob("*.so.*")):
        if library.suffix != ".copyright" and not _loads(python, library.name):
            shutil.copy(library, own)
    return _beside(own)


def _loads(python: Path, name: str) -> bool:
    code = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"
    return not _run([str(python), "-c", code, name], {}, LISTING).returncode


def _beside(*folders: Path, environment: Environment | None = None) -> Environment:
    before = (environment or os.environ).get("LD_LIBRARY_PATH", "")
    paths = [*map(str, folders), *filter(None, [before])]
    return {"LD_LIBRARY_PATH": os.pathsep.join(paths)}


def find_driver(
    python: Path, environment: Environment, work: Path
) -> tuple[Environment, list[Any]]:
    """(what makes the loader find a driver, the devices): of a GPU if any does, else any."""
    best: tuple[Environment, list[Any]] = {}, []
    for more in _drivers(environment, work):
        devices = _devices(python, {**environment, **more})
        if any(device["type"] != "cpu" for device in devices):
            return more, devices
        if devices and not best[1]:
            best = more, devices
    if not best[1]:
        raise UnusableError("no Vulkan driver here shows a device: name one by VK_DRIVER_FILES")
    return best


def _drivers(environment: Environment, work: Path) -> Iterator[Environment]:
    yield {}
    if os.environ.get("VK_DRIVER_FILES"):
        return
    folders = [folder for pattern in MANIFESTS for folder in sorted(glob.glob(pattern))]
    for path in [path for folder in folders for path in sorted(Path(folder).glob("*.json"))]:
        near = [path.parents[3] / folder for folder in LIBRARY_FOLDERS]
        yield {**_named(path), **_beside(*near, environment=environment)}
    for name in LIBRARIES:
        path = work / f"{name}.json"
        driver = {"library_path": name, "api_version": "1.3.0"}
        path.write_text(json.dumps({"file_format_version": "1.0.0", "ICD": driver}))
        yield _named(path)


def _named(path: Path) -> Environment:
    return {"VK_DRIVER_FILES": str(path), "VK_ICD_FILENAMES": str(path)}


def _devices(python: Path, environment: Environment) -> list[Any]:
    done = _run([str(python), *DEVICES], environment, LISTING)
    return list(json.loads(done.stdout)) if done.returncode == 0 else []


def _run(
    command: list[str], environment: Environment, seconds: float
) -> subprocess.CompletedProcess[str]:
    """Run a command in the checkout; one that hangs has failed."""
    try:
        return subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"it took more than {seconds:.0f} s")
