"""Logarithms of cumulative sums by workgroups: the bits of rounds of `logaddexp`, one by one."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.kernels.plan.doubling import stages_of
from tests import tier
from tests.chance import chance
from tests.kernel.memory import bits
from tests.kernel.profiled import profiled
from tests.profiles import GPU

# Round tiles of one launch, and of the first of two; and columns fewer and more than a tile has.
SHAPES = [((length,), 0) for length in (1, 2, 3, 1000, 2048, 2049, 3073, 4095, 4096, 4097, 7919)]
SHAPES += [((3, 700, 1), 1), ((3, 70, 5), 1), ((2, 513, 8), 1), ((600, 33), 0), ((2, 5000), 1)]


def special(sizes, dtype):
    x = chance().normal(size=sizes) * 10.0 ** chance().integers(-3, 3, sizes)
    which = chance().random(sizes)
    for least, value in ((0.9, -np.inf), (0.999, np.inf), (0.9995, np.nan), (0.85, -0.0)):
        x = np.where((which > least) & (which < least + 0.0004), value, x)
    return x.astype(dtype)


def rounds(x, axis):
    """Combine each element with the one `distance` before, with the function that is promised."""
    result, distance = dml_vk.asarray(x), 1
    while distance < x.shape[axis]:
        near = dml_vk.moveaxis(result, axis, 0)
        later = dml_vk.logaddexp(near[distance:], near[:-distance])
        result = dml_vk.moveaxis(dml_vk.concat([near[:distance], later]), 0, axis)
        distance *= 2
    return result.numpy()


@tier.parametrize("shape dtype", SHAPES, ["float32", "float64"])
def test_the_bits_of_rounds_one_by_one(shape, dtype):
    sizes, axis = shape
    if dtype == "float64":
        sizes = tuple(min(size, 2500) for size in sizes)
    x = special(sizes, dtype)
    expected = rounds(x, axis)
    with profiled(dml_vk.device(), GPU):
        mine = dml_vk.logcumsumexp(dml_vk.asarray(x), axis=axis).numpy()
    assert np.array_equal(np.isnan(mine), np.isnan(expected))
    assert np.array_equal(bits(np.nan_to_num(mine)), bits(np.nan_to_num(expected)))


def test_other_layouts_and_a_result_of_the_caller():
    x = special((6, 50), "float32")
    expected = rounds(x, 0)
    with profiled(dml_vk.device(), GPU):
        room = dml_vk.zeros((6, 100))
        dml_vk.logcumsumexp(dml_vk.asarray(x), out=room[:, ::2])
        across = dml_vk.logcumsumexp(dml_vk.asarray(x.T.copy()).mT)
        assert np.array_equal(room.numpy()[:, ::2], expected, equal_nan=True)
        assert np.array_equal(across.numpy(), expected, equal_nan=True)


@pytest.mark.parametrize(
    ("kind", "length", "inner", "levels"),
    [
        *(("float", 1, 1, []), ("float", 4096, 1, [12]), ("float", 4097, 1, [10, 3])),
        *(("float", 2**24, 1, [10, 7, 7]), ("double", 2**22, 1, [9, 7, 6])),
        *(("float", 512, 64, [9]), ("float", 513, 64, [7, 3])),
    ],
)
def test_rounds_of_launches(kind, length, inner, levels):
    stages = stages_of(kind, length, inner)
    assert [stage.levels for stage in stages] == levels
    assert [stage.columns for stage in stages] == [
        inner << sum(levels[:k]) for k in range(len(levels))
    ]
