"""Calls of public functions with right arguments, where random draws do not find any.

Each is a function of tensors: `x` (4, 6) of float32, `v` (8,) of float32, `i` (8,) of int64, all
different and from 0 on, and `m` (4, 6) of bool. Functions that take no tensor make one for them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

import dml_vk
from dml_vk import fft, linalg

PATH = "right.npy"


class Given:
    """The tensors of a call; those of the next call have other values."""

    def __init__(self, call: int) -> None:
        rng = np.random.default_rng(call)
        self.x = dml_vk.asarray(rng.standard_normal((4, 6)).astype(np.float32))
        self.v = dml_vk.asarray(rng.standard_normal(8).astype(np.float32))
        self.i = dml_vk.asarray(rng.permutation(8))
        self.m = dml_vk.asarray(rng.integers(0, 2, (4, 6)).astype(bool))


def _written(call: Callable[..., Any], *given: Any) -> Any:
    """What a function returns that writes its first operand, and that."""
    return call(*given), given[0]


def _loaded(d: Given) -> Any:
    if not os.path.exists(PATH):
        np.save(PATH, np.arange(8, dtype=np.float32))
    return d.v + dml_vk.load(PATH)


def _regular(d: Given) -> Any:
    return d.x[:, :4] + 9 * dml_vk.eye(4)


def _rising(x: Any) -> Any:
    return dml_vk.cumulative_sum(dml_vk.abs(x))


CALLS: dict[str, Callable[[Given], Any]] = {
    "dml_vk.apply_along_axis": lambda d: dml_vk.apply_along_axis(dml_vk.sort, 1, d.x),
    "dml_vk.broadcast_shapes": lambda d: d.x * len(dml_vk.broadcast_shapes((2, 1), (3,))),
    "dml_vk.ix_": lambda d: d.x[dml_vk.ix_([3, 0], d.i[:4] // 2)],
    "dml_vk.diag_indices": lambda d: _regular(d)[dml_vk.diag_indices(4)],
    "dml_vk.diag_indices_from": lambda d: _regular(d)[dml_vk.diag_indices_from(_regular(d))],
    "dml_vk.tril_indices": lambda d: d.x[dml_vk.tril_indices(4, -1, 6)],
    "dml_vk.triu_indices": lambda d: d.x[dml_vk.triu_indices(4, 1, 6)],
    "dml_vk.tril_indices_from": lambda d: d.x[dml_vk.tril_indices_from(d.x)],
    "dml_vk.triu_indices_from": lambda d: d.x[dml_vk.triu_indices_from(d.x)],
    "dml_vk.choose": lambda d: dml_vk.choose(d.i[:6], d.x, mode="wrap"),
    "dml_vk.piecewise": lambda d: dml_vk.piecewise(d.x, [d.m, d.x > 0], [1, lambda x: x * 2, 3]),
    "dml_vk.unwrap": lambda d: dml_vk.unwrap(d.x * 9, axis=0),
    "dml_vk.einsum": lambda d: dml_vk.einsum("ij,kj,j->ki", d.x, d.x, d.v[:6]),
    "dml_vk.asarray": lambda d: (dml_vk.asarray(d.x), d.x + dml_vk.asarray([1, 2, 3, 4, 5, 6])),
    "dml_vk.empty": lambda d: _written(np.copyto, dml_vk.empty(8), d.v),
    "dml_vk.full": lambda d: (d.v + dml_vk.full(8, 0.5), dml_vk.full((), 3)),
    "dml_vk.ones": lambda d: d.v + dml_vk.ones(8),
    "dml_vk.zeros": lambda d: d.v + dml_vk.zeros(8),
    "dml_vk.arange": lambda d: d.v + dml_vk.arange(8, 0, -1),
    "dml_vk.eye": lambda d: d.v + dml_vk.eye(8),
    "dml_vk.linspace": lambda d: d.v * dml_vk.linspace(-1, 1, 8),
    "dml_vk.logspace": lambda d: d.v * dml_vk.logspace(-1, 1, 8),
    "dml_vk.geomspace": lambda d: d.v * dml_vk.geomspace(1, 9, 8),
    "dml_vk.tri": lambda d: d.v * dml_vk.tri(8, k=1),
    "dml_vk.indices": lambda d: d.x * dml_vk.indices((4, 6)),
    "dml_vk.bartlett": lambda d: d.v * dml_vk.bartlett(8),
    "dml_vk.blackman": lambda d: d.v * dml_vk.blackman(8),
    "dml_vk.hamming": lambda d: d.v * dml_vk.hamming(8),
    "dml_vk.hanning": lambda d: d.v * dml_vk.hanning(8),
    "dml_vk.kaiser": lambda d: d.v * dml_vk.kaiser(8, 3.5),
    "fft.fftfreq": lambda d: d.v * fft.fftfreq(8),
    "fft.rfftfreq": lambda d: d.v[:5] * fft.rfftfreq(8),
    "dml_vk.load": _loaded,
    "dml_vk.meshgrid": lambda d: dml_vk.meshgrid(d.v, d.x[0], d.i),
    "dml_vk.bincount": lambda d: dml_vk.bincount(d.i, d.v, 3),
    "dml_vk.histogram2d": lambda d: dml_vk.histogram2d(d.v, d.v),
    "dml_vk.atleast_1d": lambda d: dml_vk.atleast_1d(d.x, d.v[3], d.i),
    "dml_vk.atleast_2d": lambda d: dml_vk.atleast_2d(d.x, d.v[3], d.i),
    "dml_vk.atleast_3d": lambda d: dml_vk.atleast_3d(d.x, d.v[3], d.i),
    "dml_vk.broadcast_arrays": lambda d: dml_vk.broadcast_arrays(d.x, d.v[:6], d.m),
    "dml_vk.fill_diagonal": lambda d: _written(dml_vk.fill_diagonal, d.x, d.v[0]),
    "dml_vk.place": lambda d: _written(dml_vk.place, d.x, d.m, d.v),
    "dml_vk.put": lambda d: _written(dml_vk.put, d.x, d.i, d.v),
    "dml_vk.putmask": lambda d: _written(dml_vk.putmask, d.x, d.m, d.v),
    "dml_vk.put_along_axis": lambda d: _written(dml_vk.put_along_axis, d.v, d.i, d.x[0, 0], 0),
    "dml_vk.tensordot": lambda d: dml_vk.tensordot(d.x, d.x, axes=([0, 1], [0, 1])),
    "linalg.tensordot": lambda d: linalg.tensordot(d.x, d.x, axes=([0], [0])),
    "linalg.eigvalsh": lambda d: linalg.eigvalsh(_regular(d)),
    "linalg.tensorinv": lambda d: linalg.tensorinv(_regular(d).reshape(2, 2, 4)),
    "linalg.tensorsolve": lambda d: linalg.tensorsolve(
        _regular(d).reshape(4, 2, 2), d.v[:4].reshape(2, 2), (0,)
    ),
    "dml_vk.vecdot": lambda d: dml_vk.vecdot(d.x, d.x[::-1]),
    "linalg.vecdot": lambda d: linalg.vecdot(d.x, d.v[:6]),
    "dml_vk.cov": lambda d: dml_vk.cov(d.x, d.x[1:], bias=True),
    "dml_vk.gradient": lambda d: dml_vk.gradient(d.x, _rising(d.v[:4]), 0.5, edge_order=2),
    "dml_vk.trapezoid": lambda d: dml_vk.trapezoid(d.x, d.v[:6]),
    "dml_vk.interp": lambda d: dml_vk.interp(d.x, _rising(d.v), d.v),
    "dml_vk.in1d": lambda d: dml_vk.in1d(d.i, d.i[:4]),
    "dml_vk.isin": lambda d: dml_vk.isin(d.i, d.i[3:], invert=True),
    "dml_vk.intersect1d": lambda d: dml_vk.intersect1d(d.i, d.i[:4]),
    "dml_vk.setdiff1d": lambda d: dml_vk.setdiff1d(d.i, d.i[:4]),
    "dml_vk.setxor1d": lambda d: dml_vk.setxor1d(d.i, d.i[:4]),
    "dml_vk.union1d": lambda d: dml_vk.union1d(d.i, d.i[:4]),
    "dml_vk.argpartition": lambda d: dml_vk.argpartition(d.x, 2, axis=0),
    "dml_vk.partition": lambda d: dml_vk.partition(d.x, (1, 3)),
    "dml_vk.lexsort": lambda d: dml_vk.lexsort((d.v, d.i)),
    "dml_vk.append": lambda d: dml_vk.append(d.x, d.v),
    "dml_vk.delete": lambda d: dml_vk.delete(d.x, slice(1, 3), axis=1),
    "dml_vk.insert": lambda d: dml_vk.insert(d.x, 2, d.v[:4], axis=1),
    "dml_vk.ravel_multi_index": lambda d: dml_vk.ravel_multi_index((d.i, d.i[::-1]), (8, 9)),
    "dml_vk.unravel_index": lambda d: dml_vk.unravel_index(d.i, (2, 4)),
    "dml_vk.select": lambda d: dml_vk.select([d.m, d.x > 0], [d.x, d.x * 2], -1),
    "dml_vk.convolve": lambda d: dml_vk.convolve(d.v, d.v[:3]),
    "dml_vk.correlate": lambda d: dml_vk.correlate(d.v, d.v[:3], "same"),
    "dml_vk.swapaxes": lambda d: dml_vk.swapaxes(d.x, 0, 1),
    "Tensor.swapaxes": lambda d: d.x.swapaxes(0, 1) + 1,
    "dml_vk.dot": lambda d: dml_vk.dot(d.x, d.v[:6]),
    "dml_vk.inner": lambda d: dml_vk.inner(d.x, d.v[:6]),
    "dml_vk.kron": lambda d: dml_vk.kron(d.x, d.v[:2]),
    "dml_vk.outer": lambda d: dml_vk.outer(d.x, d.v),
    "dml_vk.vdot": lambda d: dml_vk.vdot(d.v, d.v[::-1]),
    "dml_vk.cross": lambda d: dml_vk.cross(d.x[:, :3], d.x[:, 3:]),
    "linalg.cross": lambda d: linalg.cross(d.x[:3], d.v[:3, None], axis=0),
    "dml_vk.top_k": lambda d: dml_vk.top_k(d.x, 3),
    "Tensor.item": lambda d: d.v[0].item(),
}
# What cannot take part, and why.
LEFT_OUT = {
    "no tensors": [
        *("dml_vk.can_cast", "dml_vk.finfo", "dml_vk.iinfo", "dml_vk.isdtype"),
        *("dml_vk.result_type", "dml_vk.__array_namespace_info__", "dml_vk.pinned"),
        "dml_vk.pin",
    ],
    "devices": [
        *("dml_vk.devices", "dml_vk.device", "dml_vk.default_device", "dml_vk.memory_stats"),
        "dml_vk.synchronize",
    ],
    "compilers": ["dml_vk.compile", "dml_vk.fuse", "dml_vk.compile_glsl", "dml_vk.kernel"],
    "functions of functions": [
        *("dml_vk.checkpoint", "dml_vk.custom_vjp", "dml_vk.grad", "dml_vk.hessian"),
        *("dml_vk.jacobian", "dml_vk.jvp", "dml_vk.stop_gradient", "dml_vk.value_and_grad"),
        "dml_vk.vjp",
    ],
    "tensors cannot": ["Tensor", "operator.delitem"],
    "result without values": ["dml_vk.empty_like", "Tensor.__dlpack__"],
}
