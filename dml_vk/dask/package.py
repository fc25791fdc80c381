"""Imports of packages that dml_vk.dask needs and dml_vk does not."""

from __future__ import annotations

import importlib
from typing import Any


def imported(module: str, package: str) -> Any:
    """Import a module that needs a package, or say how to install that."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        rule = f"the package {package} must be installed, as by: pip install dml-vk[dask]"
        raise ImportError(f"dml_vk.dask: {rule}; got error={error}", name=package) from None


imported("dask.array", "dask")
