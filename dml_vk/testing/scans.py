"""Reference results of scans, bit for bit, in NumPy; `dml_vk.ops.scan` specifies the order."""

from __future__ import annotations

from typing import Any

import numpy as np

from dml_vk.testing.arrays import Array

BLOCK = 64


def scan(
    function: np.ufunc, array: object, axis: int = -1, dtype: Any = None, *, exclusive: bool = False
) -> Array:
    """Scan with `np.add`, `np.multiply`, `np.maximum` or `np.minimum`, inclusive or exclusive.

    >>> import numpy as np
    >>> from dml_vk.testing.scans import scan
    >>> scan(np.add, np.arange(5)).tolist(), scan(np.add, np.arange(5), exclusive=True).tolist()
    ([0, 1, 3, 6, 10], [0, 0, 1, 3, 6])
    """
    values = np.asarray(array)
    kind = np.dtype(values.dtype if dtype is None else dtype)
    work = np.dtype(np.float32) if kind == np.float16 else kind
    rows = np.moveaxis(values.astype(work), axis, -1)
    with np.errstate(all="ignore"):
        scanned = _rows(function, rows, exclusive)
        return np.ascontiguousarray(np.moveaxis(scanned, -1, axis).astype(kind))


def _rows(function: np.ufunc, rows: Array, exclusive: bool) -> Array:
    """Scan along the last axis."""
    identity = _identity(function, rows.dtype)
    length = rows.shape[-1]
    count = -(-length // BLOCK)
    blocks = np.full((*rows.shape[:-1], count * BLOCK), identity)
    blocks[..., :length] = rows
    blocks = blocks.reshape(*rows.shape[:-1], count, BLOCK)
    within = function.accumulate(blocks, axis=-1)
    if count > 1:
        before = _rows(function, within[..., -1], True)
    else:
        before = np.full((*rows.shape[:-1], count), identity)
    if exclusive:
        within = np.concatenate([np.full_like(within[..., :1], identity), within[..., :-1]], -1)
    scanned: Array = function(before[..., None], within)
    return scanned.reshape(*rows.shape[:-1], count * BLOCK)[..., :length]


def _identity(function: np.ufunc, kind: np.dtype[Any]) -> object:
    """The neutral element; for sums of floats it is -0.0."""
    if function is np.multiply:
        return kind.type(1)
    if function in (np.maximum, np.minimum):
        ends = (-np.inf, np.inf) if kind.kind == "f" else (np.iinfo(kind).min, np.iinfo(kind).max)
        return kind.type(ends[function is np.minimum])
    return kind.type(-0.0 if kind.kind == "f" else 0)
