"""Gather what a bare machine needs: wheels, and libraries that it may not have."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = ("numpy", "pytest", "pytest-benchmark", "pytest-xdist", "hypothesis", "mpmath")
LOADER = "libvulkan.so.1"
DOCUMENTS = Path("/usr/share/doc")
SYSTEM = re.compile(r"lib(c|m|dl|rt|pthread)\.")  # of a Linux that runs Python at all
CACHED_KP = "from dml_vk.install import build_kp; print(build_kp.cached() or '')"


def pack(folder: Path, versions: list[str]) -> int:
    """Fill a folder with wheels for these versions of Python; others are kept there."""
    libraries = folder / "lib"
    libraries.mkdir(parents=True, exist_ok=True)
    for version in versions:
        interpreter = find_python(version)
        if interpreter is None:
            print(f"dev: no Python {version} here, which must fetch its wheels", file=sys.stderr)
            return 1
        pip = (interpreter, "-m", "pip", "--quiet", "--disable-pip-version-check")
        wheels = ("download", "--only-binary", ":all:", "--dest", folder)
        subprocess.run([*pip, *wheels, "pip", *REQUIREMENTS], check=True)
        built = kp_for(interpreter, folder)
        if built is None:
            print(f"dev: without kp for Python {version}: only the runtime vulkan will run")
        else:
            shutil.copy(built, folder)
            for path in needed_by(built):
                carry(path, libraries)
    carry(loaded(LOADER), libraries)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(
        f"dev: {folder} has {size / 2**20:.0f} MiB; carry it with the checkout, and run ./dev gpu"
    )
    return 0


def find_python(version: str) -> str | None:
    """An interpreter of this version that can make environments."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    candidates = [
        sys.executable,
        shutil.which(f"python{version}"),
        *map(str, sorted(pyenv.glob(f"versions/{version}.*/bin/python"))),
    ]
    ask = "import ensurepip, sys, venv; print(*sys.version_info[:2], sep='.')"
    for candidate in filter(None, candidates):
        said = subprocess.run([candidate, "-c", ask], capture_output=True, text=True, check=False)
        if said.stdout.strip() == version:
            return candidate
    return None


def kp_for(interpreter: str, wheels: Path) -> Path | None:
    """The wheel of a completed kp, built now if it was not before; None if that fails."""
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([interpreter, "-m", "venv", work], check=True)
        python = Path(work) / "bin" / "python"
        offline = ("--no-index", "--find-links", str(wheels))
        subprocess.run([python, "-m", "pip", "install", "-q", *offline, "numpy"], check=True)
        fix = [python, "-m", "dml_vk", "doctor", "--fix"]
        subprocess.run(fix, cwd=ROOT, stdout=subprocess.DEVNULL, check=False)
        told = subprocess.run(
            [python, "-c", CACHED_KP], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
    path = told.stdout.strip()
    return Path(path) if path else None


def needed_by(wheel: Path) -> Iterator[Path]:
    """The libraries that a wheel's modules are linked with, but those of any system."""
    with tempfile.TemporaryDirectory() as work:
        with zipfile.ZipFile(wheel) as members:
            members.extractall(work)
        for module in Path(work).rglob("*.so"):
            told = subprocess.run(["ldd", module], capture_output=True, text=True, check=True)
            for name, path in re.findall(r"(\S+) => (/\S+)", told.stdout):
                if not SYSTEM.match(name):
                    yield Path(path)


def loaded(name: str) -> Path:
    """Where the system finds a library."""
    ctypes.CDLL(name)
    maps = Path("/proc/self/maps").read_text().splitlines()
    stem = name.partition(".")[0]
    return Path(next(line.split()[-1] for line in maps if f"/{stem}.so" in line))


def carry(path: Path, libraries: Path) -> None:
    """Copy a library under the name that it is linked by, with its licence."""
    name = soname(path.name)
    shutil.copy(path.resolve(), libraries / name)
    package = re.sub(r"\.so\.", "", name)
    for document in DOCUMENTS.glob(f"{package}/copyright"):
        shutil.copy(document, libraries / f"{name}.copyright")


def soname(name: str) -> str:
    """`libvulkan.so.1.3.239` is linked as `libvulkan.so.1`."""
    return ".".join(name.split(".")[:3])
