"""How people write programs, for `mypy --strict` to agree with: run by `./dev check`, never run."""

from __future__ import annotations

import numpy as np

import dml_vk as dv
from dml_vk import Device, Layout, MemoryFormat, Tensor
from dml_vk.random import Generator


def normalised(images: Tensor, scale: Tensor | float = 1.0) -> Tensor:
    mean: Tensor = images.mean(axis=(2, 3), keepdims=True)
    centred = images - mean
    spread: Tensor = dv.sqrt(dv.mean(centred * centred, axis=(2, 3), keepdims=True) + 1e-5)
    centred /= spread
    centred[..., 0] = 0.0
    result: Tensor = 1.0 - centred * scale
    return dv.where(dv.isfinite(result), result, 0.0)


def facts(x: Tensor) -> tuple[tuple[int, ...], int, float, MemoryFormat | None, Device, Layout]:
    array: np.ndarray[tuple[int, ...], np.dtype[np.float32]] = x.numpy()
    first: Tensor = x[0, ::2, None, array > 1]
    smaller: Tensor = first < 2.0
    assert bool(smaller.any())
    return x.shape, x.ndim, float(x.sum()), x.memory_format, x.device, x.layout


def made() -> list[Tensor]:
    generator = Generator(seed=7)
    a = generator.normal((4, 3, 8, 8), memory_format=dv.channels_last)
    b = dv.concat([a, dv.zeros_like(a)], axis=1)
    values, counts = dv.unique_counts(dv.asarray([1, 2, 1]))
    exact: bool = dv.settings.exact
    with dv.settings(exact=not exact):
        matrix: Tensor = a[0, 0] @ a[0, 1].T
    with dv.trace(strict=True) as log, dv.device(0):
        nbytes: int = sum(entry.nbytes for entry in log.entries)
    summary: str = log.summary()
    assert nbytes >= len(summary)
    pieces: tuple[Tensor, ...] = b.chunk(2, dim=1)
    return [a, b, values, counts, matrix, *pieces, dv.einsum("ij,jk", matrix, matrix)]
