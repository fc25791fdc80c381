"""Registration with libraries that must be told of a kind of array, when they are imported.

Most libraries find out by the array API or NumPy's protocols. The modules of this package are for
the others. It does not matter whether the library or dml_vk is imported first.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

# Module of a library, after which this package's module of that name has to run.
_AFTER = {
    "dask.base": "dask",
    "dask.array": "dask_array",
    "distributed.protocol": "distributed",
    "einops._backends": "einops",
    "einx": "einx",
}
_searched: set[str] = set()


class _Finder:
    """Finds modules as the other finders do, and has them followed by a registration."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        if name not in _AFTER or name in _searched:
            return None
        _searched.add(name)  # for the other finders, of which this one is one
        try:
            found = (finder.find_spec(name, path, target) for finder in sys.meta_path)
            spec = next(filter(None, found), None)
        finally:
            _searched.discard(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_register(module: Any) -> None:
                execute(module)
                _register(name)

            vars(spec.loader)["exec_module"] = execute_and_register
        return spec


def _register(name: str) -> None:
    importlib.import_module(f"dml_vk.clients.{_AFTER[name]}")


def watch() -> None:
    """Register with the libraries that are there, and with others once they are imported."""
    for name in _AFTER:
        if name in sys.modules:
            _register(name)
    sys.meta_path.insert(0, _Finder)
