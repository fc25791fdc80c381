"""Modules of the package that import the one which uses them: looked into when first needed."""

from __future__ import annotations

import importlib
from typing import Any


class Late:
    """Stands for a module, and keeps what was once found there.

    >>> from dml_vk.late import Late
    >>> Late("dml_vk.limits").MINIMUM.max_push_bytes
    128
    """

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(importlib.import_module(self._module), name)
        setattr(self, name, found)
        return found
