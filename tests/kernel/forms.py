"""The same elements as tensors of many layouts, and arrays to make them of."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import dml_vk
from dml_vk.layout import channels_last
from tests import tier


def forms(array: np.ndarray) -> Iterator[dml_vk.Tensor]:
    """Packed, column-major, backwards, with gaps, and channels_last where there is such a thing."""
    yield dml_vk.asarray(np.array(array, order="C"))
    yield dml_vk.asarray(np.array(array, order="F"))
    if not array.ndim:
        return
    yield dml_vk.flip(dml_vk.asarray(np.flip(array).copy()))
    wide = np.repeat(array, 3, axis=-1)
    wide[..., 1::3] = 1
    yield dml_vk.asarray(wide)[..., ::3]
    if array.ndim == 4:
        yield dml_vk.asarray(array, memory_format=channels_last)


def few_forms(array: np.ndarray, turn: int) -> Iterator[dml_vk.Tensor]:
    """The one whose turn it is; of float32, with --all, all of them, of which it is the last.

    For functions made of others, which have tests of their own in every dtype and form: a pair of
    the two takes pipelines of its own, and a software driver hardly does anything but make them.
    """
    every = list(forms(array))
    count = len(every) if array.dtype == np.float32 and tier.is_all() else 1
    yield from (every * 2)[: turn % len(every) + len(every) + 1][-count:]


def mixed(dtype: str, sizes: tuple[int, ...], seed: int = 0, nan: float = 0.0) -> np.ndarray:
    """Random numbers, none of them 0, of which this share are NaN."""
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.random(sizes) < 0.5
    if np.dtype(dtype).kind in "iu":
        return rng.integers(1, 100, sizes).astype(dtype)
    array = rng.normal(size=sizes).astype(dtype)
    array[rng.random(sizes) < nan] = np.nan
    return array
