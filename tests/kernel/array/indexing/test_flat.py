"""`x.flat`: the elements in row-major order, to be read, written and iterated over."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DTypeError, LayoutError, LayoutIndexError
from tests.chance import chance

LAYOUTS = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.T,
    "reversed": lambda x: x[::-1, ::-1],
    "strided": lambda x: x[1:, ::2],
    "a column": lambda x: x[:, 1],
    "nothing": lambda x: x[:0],
    "one": lambda x: x[1:2, 2:3],
}
KEYS = {
    "an index": 3,
    "the last": -1,
    "all": slice(None),
    "a part": slice(1, 9, 3),
    "backwards": slice(None, None, -2),
    "a list": [2, 0, 1],
    "nothing": slice(2, 2),
}


def pair(layout):
    values = chance().integers(-99, 99, (4, 5))
    x = dml_vk.asarray(values)
    return x, values, LAYOUTS[layout](x), LAYOUTS[layout](values)


def fits(key, size):
    if isinstance(key, slice):
        return True
    return all(-size <= one < size for one in np.atleast_1d(key))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_reading(layout):
    _, _, x, expected = pair(layout)
    flat, numpys = x.flat, expected.flat
    assert len(flat) == len(numpys)
    assert [one.item() for one in flat] == list(numpys)
    assert flat.copy().tolist() == numpys.copy().tolist()
    assert np.asarray(flat).tolist() == np.asarray(numpys).tolist()
    assert flat.base is x
    for name, key in KEYS.items():
        if fits(key, expected.size):
            assert flat[key].tolist() == np.asarray(numpys[key]).tolist(), name
        else:
            with pytest.raises(LayoutIndexError):
                flat[key]


@pytest.mark.parametrize("value", [7, np.int64(8), [1, 2], [[3], [4], [5]], list(range(30))])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_writing(layout, value):
    for name, key in KEYS.items():
        for is_tensor in (False, True):
            x, values, view, expected = pair(layout)
            if not fits(key, expected.size) or (isinstance(key, int) and np.size(value) > 1):
                continue
            given = value
            if is_tensor and isinstance(value, list):
                given = dml_vk.asarray(value)
            view.flat[key] = given
            expected.flat[key] = value
            assert x.tolist() == values.tolist(), name


@pytest.mark.parametrize("layout", LAYOUTS)
def test_assigning(layout):
    x, values, view, expected = pair(layout)
    view.flat = [1, 2, 3]
    expected.flat = [1, 2, 3]
    assert x.tolist() == values.tolist()


def test_what_is_read_is_a_copy():
    x = dml_vk.asarray([[1, 2], [3, 4]])
    parts = [x.flat[1:], x.flat[0], x.flat.copy(), *x.flat]
    x[...] = 9
    assert [one.tolist() for one in parts] == [[2, 3, 4], 1, [1, 2, 3, 4], 1, 2, 3, 4]


def test_errors_leave_the_tensor_as_it_was():
    x = dml_vk.asarray([[1, 2], [3, 4]]).T
    with pytest.raises(LayoutError, match="flat: values must not be empty"):
        x.flat[1:] = []
    with pytest.raises(LayoutIndexError):
        x.flat[4] = 1
    with pytest.raises(DTypeError, match="cannot store a number of this kind"):
        x.flat[0] = 0.5
    with pytest.raises(TypeError):
        x.flat + 1
    assert x.tolist() == [[1, 3], [2, 4]]
    assert repr(x.flat) == "<the elements of a tensor of shape (2, 2), along one axis>"


def test_conjugate():
    z = dml_vk.asarray([1 + 2j, -1j])
    assert z.conjugate().tolist() == [1 - 2j, 1j]
