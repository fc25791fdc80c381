"""Gradients of functions beside finite differences; each public function has a case or a reason."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from tests.kernel.gradients.differences import check, drawn

INDEX = np.array([[2, 0, 2], [1, 1, 0]])
MASK = np.array([[True, False, True], [False, True, True]])


def assigned(x, v):
    y = dml_vk.zeros((3, 4), dtype=x.dtype)
    y[:2, :3] = x
    y[1] = v
    y[2, :3] = x[0] * v[:3]
    return y


def masked(x, v):
    y = dml_vk.zeros((2, 3), dtype=x.dtype)
    y[...] = x
    y[dml_vk.asarray(MASK)] = v[0]
    return y


# A name with a number after it is another case of the same function.
CASES = {
    "add": (lambda x, y: x + y[0] + 2, (2, 3), (2, 3)),
    "astype": (lambda x: dml_vk.astype(x, "complex128"), (2, 3)),
    "where": (lambda x, y: dml_vk.where(dml_vk.asarray(MASK), x, y), (2, 3), (1, 3)),
    "where 2": (lambda x: dml_vk.where(dml_vk.asarray(MASK), x, 2.0), (3,)),
    "clip": (lambda x: dml_vk.clip(x, 0.4, 0.6), (4, 4)),
    "clip 2": (lambda x, low: dml_vk.clip(x, low, 0.8), (4, 4), (4,)),
    "sum": (lambda x: dml_vk.sum(x, axis=(0, 2)), (2, 3, 4)),
    "sum 2": (lambda x: dml_vk.sum(x, axis=1, keepdims=True), (2, 3, 4)),
    "prod": (lambda x: dml_vk.prod(x, axis=(0, 2)), (2, 3, 2)),
    "max": (lambda x: dml_vk.max(x, axis=1), (3, 4)),
    "max 2": (lambda x: dml_vk.max(x, axis=(0, 1), keepdims=True), (3, 4)),
    "min": (lambda x: dml_vk.min(x), (3, 4)),
    "mean": (lambda x: dml_vk.mean(x, axis=0), (3, 4)),
    "var": (lambda x: dml_vk.var(x, axis=1, correction=1), (3, 4)),
    "std": (lambda x: dml_vk.std(x, axis=0, keepdims=True), (3, 4)),
    "ptp": (lambda x: dml_vk.ptp(x, axis=0), (3, 4)),
    "average": (lambda x, w: dml_vk.average(x, axis=0, weights=w), (3, 4), (3,)),
    "cumulative_sum": (lambda x: dml_vk.cumulative_sum(x, axis=1, include_initial=True), (3, 4)),
    "cumulative_prod": (lambda x: dml_vk.cumulative_prod(x, axis=0), (3, 4)),
    "diff": (lambda x: dml_vk.diff(x, n=2, prepend=0.5), (3, 4)),
    "sort": (lambda x: dml_vk.sort(x, axis=0, descending=True), (3, 4)),
    "top_k": (lambda x: dml_vk.top_k(x, 2)[0], (3, 4)),
    "matmul": (dml_vk.matmul, (2, 3, 4), (4, 5)),
    "matmul 2": (dml_vk.matmul, (4,), (2, 4, 5)),
    "matmul 3": (dml_vk.matmul, (3, 4), (4,)),
    "matmul 4": (dml_vk.matmul, (4,), (4,)),
    "vecdot": (lambda x, y: dml_vk.vecdot(x, y, axis=-1), (2, 3), (3,)),
    "tensordot": (lambda x, y: dml_vk.tensordot(x, y, ((0, 2), (1, 0))), (2, 3, 4), (4, 2, 5)),
    "einsum": (lambda x, y: dml_vk.einsum("...ij,jk->...ki", x, y), (2, 3, 4), (4, 5)),
    "einsum 2": (lambda x: dml_vk.einsum("iij->j", x), (3, 3, 2)),
    "einsum 3": (lambda x, y, z: dml_vk.einsum("i,ij,j", x, y, z), (3,), (3, 4), (4,)),
    "einsum 4": (lambda x, y: dml_vk.einsum("ij,kj->i", x, y), (2, 3), (4, 1)),
    "dot": (dml_vk.dot, (2, 3), (3,)),
    "inner": (dml_vk.inner, (2, 3), (4, 3)),
    "vdot": (dml_vk.vdot, (2, 3), (2, 3)),
    "outer": (dml_vk.outer, (2,), (3,)),
    "matrix_transpose": (dml_vk.matrix_transpose, (2, 3)),
    "concat": (lambda x, y: dml_vk.concat([x, y, x], axis=1), (2, 3), (2, 1)),
    "concat 2": (lambda x, y: dml_vk.concat([x, y], axis=None), (2, 3), (2,)),
    "stack": (lambda x, y: dml_vk.stack([x, y, x], axis=1), (2, 3), (2, 3)),
    "hstack": (lambda x, y: dml_vk.hstack([x, y]), (2, 3), (2, 1)),
    "vstack": (lambda x, y: dml_vk.vstack([x, y]), (2, 3), (3,)),
    "dstack": (lambda x, y: dml_vk.dstack([x, y]), (2, 3), (2, 3)),
    "column_stack": (lambda x, y: dml_vk.column_stack([x, y]), (2, 3), (2,)),
    "pad": (lambda x: dml_vk.pad(x, ((1, 2), (0, 1))), (2, 3)),
    "pad 2": (lambda x: dml_vk.pad(x, 1, mode="reflect"), (2, 3)),
    "pad 3": (lambda x: dml_vk.pad(x, 2, mode="edge"), (2, 3)),
    "pad 4": (lambda x: dml_vk.pad(x, 2, mode="wrap"), (2, 3)),
    "roll": (lambda x: dml_vk.roll(x, (1, -1), axis=(0, 1)), (2, 3)),
    "roll 2": (lambda x: dml_vk.roll(x, 2), (2, 3)),
    "repeat": (lambda x: dml_vk.repeat(x, 3, axis=1), (2, 3)),
    "tile": (lambda x: dml_vk.tile(x, (2, 3)), (2, 3)),
    "reshape": (lambda x: x.T.reshape(-1) ** 2, (2, 3)),
    "flip": (lambda x: dml_vk.flip(x, axis=1) * x, (2, 3)),
    "permute_dims": (lambda x: dml_vk.permute_dims(x, (1, 0)) @ x, (2, 3)),
    "broadcast_to": (lambda x: dml_vk.broadcast_to(x, (4, 2, 3)) ** 2, (2, 3)),
    "expand_dims": (lambda x: dml_vk.expand_dims(x, axis=0), (2, 3)),
    "squeeze": (lambda x: dml_vk.squeeze(x, 0), (1, 3)),
    "moveaxis": (lambda x: dml_vk.moveaxis(x, 0, -1), (2, 3, 4)),
    "swapaxes": (lambda x: dml_vk.swapaxes(x, 0, -1), (2, 3, 4)),
    "ravel": (dml_vk.ravel, (2, 3)),
    "rot90": (dml_vk.rot90, (2, 3)),
    "fliplr": (dml_vk.fliplr, (2, 3)),
    "flipud": (dml_vk.flipud, (2, 3)),
    "diag": (dml_vk.diag, (3, 3)),
    "diag 2": (dml_vk.diag, (3,)),
    "diagonal": (lambda x: dml_vk.diagonal(x, 1), (3, 3)),
    "unstack": (lambda x: dml_vk.unstack(x)[1], (3, 3)),
    "split": (lambda x: dml_vk.split(x, 3, axis=1)[2], (2, 3)),
    "sliding_window_view": (lambda x: dml_vk.sliding_window_view(x, 3) ** 2, (7,)),
    "tril": (dml_vk.tril, (3, 3)),
    "triu": (dml_vk.triu, (3, 3)),
    "take": (lambda x: dml_vk.take(x, [2, 0, 2], axis=1), (2, 3)),
    "take 2": (lambda x: dml_vk.take(x.T, [2, 0, 4]), (2, 3)),
    "take_along_axis": (
        lambda x: dml_vk.take_along_axis(x, dml_vk.asarray(INDEX), axis=1),
        (2, 3),
    ),
    "getitem": (lambda x: x[1:, ::-2] * x[0, 1], (3, 4)),
    "getitem 2": (lambda x: x[dml_vk.asarray([2, 0, 2]), :2], (3, 4)),
    "getitem 3": (lambda x: x[dml_vk.asarray(MASK)], (2, 3)),
    "setitem": (assigned, (2, 3), (4,)),
    "setitem 2": (masked, (2, 3), (4,)),
    "real": (dml_vk.real, (2, 3)),
    "copy": (lambda x: x.clone() * x.contiguous(dml_vk.channels_last), (2, 3, 2, 2)),
    "broadcast_arrays": (lambda x, y: dml_vk.broadcast_arrays(x, y)[0], (2, 1), (3,)),
    "atleast_1d": (dml_vk.atleast_1d, ()),
    "atleast_2d": (dml_vk.atleast_2d, (3,)),
    "atleast_3d": (dml_vk.atleast_3d, (3,)),
    "square": (lambda x: x * x + x * 2 - x, (2, 3)),
}


@pytest.mark.parametrize("name", CASES)
def test_of_floats(name):
    function, *shapes = CASES[name]
    check(function, [drawn(shape, "f", seed) for seed, shape in enumerate(shapes)])


COMPLEX = (
    "add astype where sum prod mean var std matmul vecdot tensordot einsum concat stack reshape "
    "flip getitem setitem real vdot cumulative_sum cumulative_prod pad take roll"
)


@pytest.mark.parametrize("name", COMPLEX.split())
def test_of_complex_numbers(name):
    function, *shapes = CASES[name]
    check(function, [drawn(shape, "c", seed) for seed, shape in enumerate(shapes)])
