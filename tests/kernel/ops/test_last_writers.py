"""Assignments by an index of single elements: of several to one element, the last stays.

Where many elements are written, all cells of the target are visited, else those that are written.
"""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.layout import Layout
from tests.chance import chance
from tests.kernel.memory import bits

DTYPES = ["bool", "int8", "uint16", "float16", "float32", "int64", "complex128"]


def some(dtype, count):
    return chance().integers(0, 2 if dtype == "bool" else 100, count).astype(dtype)


def check(x, index, values, start=0):
    """Write within larger memory, whose other elements must stay."""
    count = x.size - start
    tensor = dml_vk.asarray(x)
    part = tensor[start:]
    part[dml_vk.asarray(index)] = (
        values if isinstance(values, dml_vk.Tensor) else dml_vk.asarray(values)
    )
    expected = x.copy()
    expected[start:][index] = np.asarray(values)
    assert part.shape == (count,)
    assert np.array_equal(bits(tensor.numpy()), bits(expected))


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_last_one_stays_whatever_the_sizes(dtype):
    for cells in (1, 2, 15, 16, 17, 97, 1009):
        for count in {1, cells // 5 + 1, cells // 4 + 1, cells, 3 * cells}:
            index = chance().integers(-cells, cells, count)
            check(some(dtype, cells), index, some(dtype, count))
            check(some(dtype, cells), index, some(dtype, 1)[0:1])


@pytest.mark.parametrize("dtype", DTYPES)
def test_targets_that_do_not_start_at_a_quad_or_end_at_one(dtype):
    for start in (1, 4, 16):
        index = chance().integers(0, 53, 80)
        check(some(dtype, 53 + start), index, some(dtype, 80), start)
    x = some(dtype, 64)
    tensor = dml_vk.asarray(x)
    index = chance().integers(0, 37, 50)
    values = some(dtype, 50)
    tensor[:37][dml_vk.asarray(index)] = dml_vk.asarray(values)
    x[:37][index] = values
    assert np.array_equal(bits(tensor.numpy()), bits(x))


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_values_in_any_layout(dtype):
    memory = some(dtype, 400)
    values = dml_vk.asarray(memory)
    index = chance().integers(0, 60, (10, 13))
    layouts = [
        Layout((10, 13), (13, 1), 7),
        Layout((10, 13), (26, 2), 3),
        Layout((10, 13), (-13, -1), 300),
        Layout((10, 13), (1, 10)),
        Layout((10, 13), (0, 1)),
    ]
    for layout in layouts:
        check(some(dtype, 60), index, values.over(layout))


def test_pairs_of_indexes():
    for dtype in ("int8", "float32"):
        x, values = some(dtype, 33 * 17).reshape(33, 17), some(dtype, 900)
        pairs = chance().integers(0, 33, 900), chance().integers(-17, 17, 900)
        for turned in (False, True):
            expected = (x.T if turned else x).copy()
            found = dml_vk.asarray(x)
            found = found.mT if turned else found
            key = pairs[::-1] if turned else pairs
            found[tuple(dml_vk.asarray(one) for one in key)] = dml_vk.asarray(values)
            expected[key] = values
            assert np.array_equal(found.numpy(), expected)


def test_cells_apart_are_written_one_by_one():
    x, values, index = some("float32", 300), some("float32", 200), chance().integers(0, 100, 200)
    tensor = dml_vk.asarray(x)
    tensor[::3][dml_vk.asarray(index)] = dml_vk.asarray(values)
    x[::3][index] = values
    assert np.array_equal(tensor.numpy(), x)
