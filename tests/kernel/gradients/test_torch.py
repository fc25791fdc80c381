"""Gradients beside PyTorch's, of operands in the layouts and dtypes that users have."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import dml_vk
from dml_vk import nn
from tests import tier
from tests.torch_gradients import answers

CASES = answers.cases()
STORED = answers.load()


def as_it_is(array, dtype):
    return dml_vk.asarray(array, dtype=dtype), lambda x: x


def permuted(array, dtype):
    dims = tuple(reversed(range(array.ndim)))
    return dml_vk.asarray(array.T.copy(), dtype=dtype), lambda x: dml_vk.permute_dims(x, dims)


def channels_last(array, dtype):
    x = dml_vk.asarray(array, dtype=dtype)
    return x.to(dml_vk.channels_last) if array.ndim == 4 else x, lambda x: x


def strided(array, dtype):
    """Every second element of rows that are turned round, between others."""
    wide = np.full((*array.shape[:-1], 2 * array.shape[-1] + 1), 7, array.dtype)
    wide[..., 1::2] = array[..., ::-1]
    return dml_vk.asarray(wide, dtype=dtype), lambda x: x[..., -2::-2]


WAYS = [
    ("float64", as_it_is),
    ("float32", channels_last),
    ("float32", strided),
    ("float64", permuted),
]
COMPLEX = {"float64": "complex128", "float32": "complex64"}


def ways_of(number):
    """The next two ways in turn, or in the first tier one."""
    return [WAYS[k % len(WAYS)] for k in range(number, number + 1 + tier.is_all())]


def gradients(case, operands, views, scope):
    """Our gradients with respect to tensors of which the operands are views."""

    def loss(*tensors):
        own = {n: view(x) for n, view, x in zip(case.operands, views, tensors)}
        result = eval(case.ours, {**scope, **own})
        factors = answers.weights(result.shape, result.dtype.kind)
        total = dml_vk.sum(result * dml_vk.asarray(factors, dtype=result.dtype))
        return dml_vk.real(total) if total.dtype.kind == "c" else total

    return dml_vk.grad(loss, tuple(range(len(operands))))(*operands)


@functools.cache
def scope_of(dtype):
    """What calls name beside their operands."""
    constants = {name: dml_vk.asarray(x) for name, x in answers.CONSTANTS.items()}
    floats = {n: x.astype(dtype) for n, x in constants.items() if x.dtype.kind == "f"}
    return {"dv": dml_vk, "nn": nn, "float": float, **constants, **floats}


def test_all_answers_are_stored():
    assert list(STORED) == list(CASES)


@pytest.mark.parametrize("label", tier.some(CASES, 24))
def test_gradients_are_pytorchs(label):
    case = CASES[label]
    for dtype, way in ways_of(list(CASES).index(label)):
        if case.is_single:
            dtype = "float32"
        near = 1e-7 if dtype == "float64" else 2e-4
        pairs = []
        for array in case.operands.values():
            own = COMPLEX[dtype] if array.dtype.kind == "c" else dtype
            pairs.append((way if array.ndim else as_it_is)(array, own))
        operands, views = [list(each) for each in zip(*pairs)]
        slopes = gradients(case, operands, views, scope_of(dtype))
        for view, gradient, expected in zip(views, slopes, STORED[label]):
            own = view(gradient).numpy()
            largest = np.abs(own[np.isfinite(own)]).max(initial=1e-3)
            error = near * largest * own.size**0.5
            told = answers.digest(own)
            np.testing.assert_allclose(told, expected, rtol=near, atol=error, err_msg=str(way))
