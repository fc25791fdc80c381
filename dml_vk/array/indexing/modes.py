"""NumPy's modes of indexes that are out of range: an error, or another index instead."""

from __future__ import annotations

from dml_vk.array.math.clipping import clip
from dml_vk.array.math.elementwise import astype, remainder
from dml_vk.dtypes import int64
from dml_vk.errors import RangeError
from dml_vk.tensor.core import Tensor


def check_mode(what: str, mode: object) -> None:
    if not isinstance(mode, str) or mode not in ("raise", "wrap", "clip"):
        raise RangeError(what, "mode must be 'raise', 'wrap' or 'clip'", mode=mode)


def in_range(mode: str, index: Tensor, size: int) -> Tensor:
    """Return integers modulo the size, for "wrap", or the nearest index, as int64."""
    wide = astype(index, int64, copy=False)  # small integers may not hold the size
    return remainder(wide, size) if mode == "wrap" else clip(wide, 0, size - 1)
