"""Kernels on disk: what was made of shipped modules, for processes to come.

A file is named by a hash of all that goes into it: what is asked for, the modules, and this code.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from pathlib import Path

from dml_vk import cache_files, environment
from dml_vk.kernels.codegen import library

MOST_BYTES = 64 * 2**20  # of all files
MOST_FILE_BYTES = 4 * 2**20
LOOK_FILES = 64  # after so many new ones, the oldest of all go if there are too many
KERNELS = Path(__file__).parents[1]
SPIRV = KERNELS.with_name("spirv")


class Saved:
    """A folder of files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._written = 0
        self._is_writable = True  # until it was not

    def get(self, name: str) -> bytes:
        return cache_files.read(self._folder / name, MOST_FILE_BYTES)

    def put(self, name: str, data: bytes) -> None:
        if not self._is_writable or len(data) > MOST_FILE_BYTES:
            return
        self._is_writable = cache_files.write(self._folder / name, data)
        if self._written % LOOK_FILES == 0:
            cache_files.trim(self._folder, MOST_BYTES)
        self._written += 1


def get(
    asked: tuple[object, ...], modules: Sequence[str], make: Callable[[], bytes]
) -> tuple[bytes, bool]:
    """Return what `make` makes of these modules, and whether it is from disk.

    `asked` has all else that it depends on. Objects there must differ if their texts do not.
    """
    if not environment.saves():
        return make(), False
    store = _opened(environment.cache_folder() / "kernels")
    name = _name(asked, tuple(modules))
    saved = store.get(name)
    if saved:
        return saved, True
    new = make()
    store.put(name, new)
    return new, False


@lru_cache(maxsize=4)
def _opened(folder: Path) -> Saved:
    return Saved(folder)


def _name(asked: tuple[object, ...], modules: tuple[str, ...]) -> str:
    import hashlib  # takes 3 ms

    parts = (_code(), asked, [(module, _content(module)) for module in modules])
    return hashlib.sha256(repr(parts).encode()).hexdigest()


@cache
def _content(module: str) -> str:
    import hashlib

    return hashlib.sha256(library.load(module)).hexdigest()


@cache
def _code() -> str:
    """A hash of all code that has to do with kernels, which takes 2 ms."""
    import hashlib

    digest = hashlib.sha256(vars(sys.modules["dml_vk"])["__version__"].encode())
    for folder in (KERNELS, SPIRV):
        for path in sorted(folder.rglob("*.py")):
            data = path.read_bytes()
            digest.update(f"\n{path.relative_to(folder).as_posix()} {len(data)}\n".encode())
            digest.update(data)
    return digest.hexdigest()
