"""A function of vectors along an axis, beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DTypeError, LayoutError
from tests.chance import chance


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_results_of_all_shapes(axis):
    array = chance().normal(size=(2, 3, 4)).astype(np.float32)
    x = dml_vk.asarray(array)
    for function in (
        lambda row: row.sum(),
        lambda row: row[::-1] * 2,
        lambda row, by: row[:1, None] * by,
        lambda row: [1, 2],
        lambda row: 7,
    ):
        more = (3,) if function.__code__.co_argcount == 2 else ()
        expected = np.apply_along_axis(function, axis, array, *more)
        for call in (dml_vk.apply_along_axis, np.apply_along_axis):
            np.testing.assert_allclose(call(function, axis, x, *more).numpy(), expected, 1e-5)


def test_refusals():
    x = dml_vk.ones((2, 0))
    with pytest.raises(LayoutError, match="arr must have elements apart from the axis"):
        dml_vk.apply_along_axis(dml_vk.sum, 0, x)
    with pytest.raises(DTypeError, match="func1d must be a function"):
        dml_vk.apply_along_axis(3, 0, dml_vk.ones(2))
    with pytest.raises(np.exceptions.AxisError if hasattr(np, "exceptions") else np.AxisError):
        dml_vk.apply_along_axis(dml_vk.sum, 1, dml_vk.ones(2))
