"""NumPy's modes of indexes that are out of range: an error, or another index instead."""

from __future__ import annotations

from typing import Any

from dml_vk.array.clipping import clip
from dml_vk.array.elementwise import remainder
from dml_vk.errors import RangeError
from dml_vk.tensor.core import Tensor


def check_mode(what: str, mode: Any) -> None:
    if not isinstance(mode, str) or mode not in ("raise", "wrap", "clip"):
        raise RangeError(what, "mode must be 'raise', 'wrap' or 'clip'", mode=mode)


def moved(mode: str, index: Tensor, size: int) -> Tensor:
    """Return integers modulo the size, for "wrap", or the nearest index."""
    return remainder(index, size) if mode == "wrap" else clip(index, 0, size - 1)
