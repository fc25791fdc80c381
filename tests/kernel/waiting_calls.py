"""Calls whose operands are all on the device, where random draws would have some on the host.

By the names of tests/fuzz/targets.py, or for others as the docs write them. Operands are those of
tests/kernel/compiler/right_arguments.py.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

import dml_vk
from dml_vk import linalg, nn
from dml_vk.random import Generator
from tests.kernel.compiler.right_arguments import Given, _regular


def _written(x: Any, key: Any, value: Any) -> None:
    x[key] = value


def _rows(d: Given) -> Any:
    """Rows of small integers, some of them equal."""
    return dml_vk.astype(d.x > 0, "int32")


CALLS: dict[str, Callable[[Given], Any]] = {
    "dml_vk.diag_indices": lambda _: dml_vk.diag_indices(4),
    "dml_vk.diag_indices_from": lambda d: dml_vk.diag_indices_from(_regular(d)),
    "dml_vk.tril_indices": lambda _: dml_vk.tril_indices(4, -1, 6),
    "dml_vk.triu_indices": lambda _: dml_vk.triu_indices(4, 1, 6),
    "dml_vk.tril_indices_from": lambda d: dml_vk.tril_indices_from(d.x),
    "dml_vk.triu_indices_from": lambda d: dml_vk.triu_indices_from(d.x),
    "dml_vk.where": lambda d: dml_vk.where(d.m, d.x, 0),
    "dml_vk.where(condition)": lambda d: dml_vk.where(d.m),
    "dml_vk.take": lambda d: dml_vk.take(d.v, d.i),
    "dml_vk.take(out=)": lambda d: dml_vk.take(d.v, d.i, out=d.v[::-1]),
    "dml_vk.take(mode=)": lambda d: dml_vk.take(d.v, d.i, mode="wrap"),
    "dml_vk.take_along_axis": lambda d: dml_vk.take_along_axis(d.v, d.i),
    "x[mask]": lambda d: d.x[d.m],
    "x[index]": lambda d: d.v[d.i],
    "x[index, index]": lambda d: d.x[d.i[:4] // 2, d.i[:4] // 2],
    "x[index] = v": lambda d: _written(d.v, d.i, d.v),
    "x[mask] = v": lambda d: _written(d.x, d.m, 7),
    "x[mask] = values": lambda d: _written(d.x, dml_vk.ones_like(d.m), d.x.reshape(-1)),
    "x[list]": lambda d: d.v[[1, 2]],
    "dml_vk.put": lambda d: dml_vk.put(d.x, d.i, d.v),
    "dml_vk.put(mode=)": lambda d: dml_vk.put(d.x, d.i, d.v, mode="clip"),
    "dml_vk.compress": lambda d: dml_vk.compress(d.m[:, 0], d.x, axis=0),
    "dml_vk.extract": lambda d: dml_vk.extract(d.m, d.x),
    "dml_vk.delete": lambda d: dml_vk.delete(d.v, d.i[:3]),
    "dml_vk.insert": lambda d: dml_vk.insert(d.v, d.i[:3], 0.5),
    "dml_vk.choose": lambda d: dml_vk.choose(d.i[:6] // 2, d.x),
    "dml_vk.repeat": lambda d: dml_vk.repeat(d.v, d.i),
    "dml_vk.repeat(2)": lambda d: dml_vk.repeat(d.v, 2),
    "dml_vk.trim_zeros": lambda d: dml_vk.trim_zeros(dml_vk.where(d.m, d.x, 0)),
    "dml_vk.unique": lambda d: dml_vk.unique(d.x),
    "dml_vk.unique(axis=)": lambda d: dml_vk.unique(_rows(d), True, True, True, axis=0),
    "dml_vk.isin": lambda d: dml_vk.isin(d.i, d.i[:3]),
    "dml_vk.isin(complex)": lambda d: dml_vk.isin(d.v + 1j, d.v[:3] + 1j),
    "dml_vk.searchsorted": lambda d: dml_vk.searchsorted(d.i, d.i),
    "dml_vk.digitize": lambda d: dml_vk.digitize(d.v, dml_vk.sort(d.x[0])),
    "dml_vk.histogram": lambda d: dml_vk.histogram(d.v),
    "dml_vk.histogram(range=)": lambda d: dml_vk.histogram(d.v, range=(-1, 1)),
    "dml_vk.histogram(weights=)": lambda d: dml_vk.histogram(d.v, weights=d.i),
    "dml_vk.histogram_bin_edges": lambda d: dml_vk.histogram_bin_edges(d.v),
    "dml_vk.histogram2d": lambda d: dml_vk.histogram2d(d.v, d.v),
    "dml_vk.bincount": lambda d: dml_vk.bincount(d.i),
    "dml_vk.bincount(weights=)": lambda d: dml_vk.bincount(d.i, d.v),
    "dml_vk.quantile": lambda d: dml_vk.quantile(d.v, dml_vk.abs(d.v[:2]) / 9),
    "dml_vk.quantile(0.5)": lambda d: dml_vk.quantile(d.v, 0.5),
    "dml_vk.quantile(weights=)": lambda d: dml_vk.quantile(
        d.v, 0.5, method="inverted_cdf", weights=d.i + 1.0
    ),
    "dml_vk.percentile": lambda d: dml_vk.percentile(d.v, dml_vk.abs(d.v[:2])),
    "dml_vk.nanquantile": lambda d: dml_vk.nanquantile(d.v, dml_vk.abs(d.v[:2]) / 9),
    "dml_vk.nanpercentile": lambda d: dml_vk.nanpercentile(d.v, dml_vk.abs(d.v[:2])),
    "dml_vk.nanmedian": lambda d: dml_vk.nanmedian(d.x, axis=1),
    "dml_vk.allclose": lambda d: dml_vk.allclose(d.v, d.v),
    "dml_vk.array_equal": lambda d: dml_vk.array_equal(d.v, d.v),
    "dml_vk.polyval": lambda d: dml_vk.polyval(d.v, d.x),
    "dml_vk.save": lambda d: dml_vk.save("kept.npy", d.v),
    "dml_vk.ix_": lambda d: dml_vk.ix_(d.m[:, 0], d.i),
    "linalg.cholesky": lambda d: linalg.cholesky(_regular(d) @ _regular(d).T),
    "linalg.inv": lambda d: linalg.inv(_regular(d)),
    "linalg.det": lambda d: linalg.det(_regular(d)),
    "linalg.solve": lambda d: linalg.solve(_regular(d), d.x),
    "linalg.qr": lambda d: linalg.qr(d.x),
    "linalg.eig": lambda d: linalg.eig(_regular(d)),
    "linalg.eigh": lambda d: linalg.eigh(_regular(d)),
    "linalg.eigvals": lambda d: linalg.eigvals(_regular(d)),
    "linalg.svd": lambda d: linalg.svd(d.x),
    "linalg.svdvals": lambda d: linalg.svdvals(d.x),
    "linalg.pinv": lambda d: linalg.pinv(d.x),
    "linalg.matrix_rank": lambda d: linalg.matrix_rank(d.x),
    "linalg.lstsq": lambda d: linalg.lstsq(d.x, d.x[:, 0]),
    "nn.embedding": lambda d: nn.embedding(d.i, dml_vk.concat([d.x, d.x])),
    "nn.dropout": lambda d: nn.dropout(d.x, 0.5, generator=Generator(3)),
    "Generator.permutation": lambda d: Generator(3).permutation(d.v),
    "Generator.normal": lambda d: Generator(3).normal(shape=8) + d.v,
    "Generator.uniform": lambda d: Generator(3).uniform(0.0, 2.0, shape=8) + d.v,
    "Generator.integers": lambda d: Generator(3).integers(0, 9, shape=8) + d.i,
    "float(x)": lambda d: float(d.v[0]),
    "int(x)": lambda d: int(d.i[0]),
    "bool(x)": lambda d: bool(d.m[0, 0]),
    "complex(x)": lambda d: complex(d.v[0]),
    "round(x)": lambda d: round(d.v[0]),
    "operator.index(x)": lambda d: operator.index(d.i[0]),
    "format(x)": lambda d: format(d.v[0], ".3f"),
    "repr(x)": lambda d: repr(d.x),
    "v in x": lambda d: 0.5 in d.v,
    "Tensor.to_device": lambda d: d.x.to_device(d.x.device),
    "np.asarray(x)": lambda d: np.asarray(d.x),
    "x + array": lambda d: d.x + np.ones((4, 6), np.float32),
    "list(x)": lambda d: list(d.x),
    "Tensor.item": lambda d: d.v[0].item(),
}
