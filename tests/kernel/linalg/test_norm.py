"""NumPy's `norm`: of vectors along an axis, of matrices over two, beside NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import dml_vk
from dml_vk import linalg
from dml_vk.errors import DmlVkError
from dml_vk.layout import channels_last
from tests import tier
from tests.chance import chance
from tests.kernel.forms import few_forms

ORDERS = (None, 1, -1, 2, -2, 0, 3, 0.5, np.inf, -np.inf, "fro", "nuc", "x")
AXES = (None, 0, -1, (0,), (0, 1), (1, 0), (-1, -3), (0, 2), (0, 0), 5)


def outcome(call, *given):
    """The numbers, or that there are none."""
    try:
        with np.errstate(all="ignore"):
            return np.asarray(call(*given))
    except (ValueError, IndexError, np.linalg.LinAlgError, DmlVkError):
        return None


@pytest.mark.parametrize("dtype", tier.some(["float32", "complex64", "int32", "float64"], 3))
def test_all_orders_over_all_axes(dtype):
    whole = chance().normal(size=(3, 4, 5, 2)) * 4
    whole = whole.view(np.complex128)[..., 0] if dtype == "complex64" else whole[..., 0]
    whole = whole.astype(dtype)
    for turn, array in enumerate((whole, whole[0], whole[0, 0], whole[:0])):
        wide = array.astype(np.result_type(dtype, np.float64))
        cases = tier.some([*itertools.product(ORDERS, AXES, (False, True))], 130)
        for order, axis, keepdims in cases:
            expected = outcome(np.linalg.norm, wide, order, axis, keepdims)
            for x in few_forms(array, turn):
                found = outcome(linalg.norm, x, order, axis, keepdims)
                case = dtype, array.shape, order, axis, keepdims
                assert (found is None) == (expected is None), case
                if found is not None:
                    assert found.shape == expected.shape, case
                    np.testing.assert_allclose(found, expected, 2e-5, 1e-6, err_msg=str(case))


def test_results_go_to_out_and_keep_formats():
    images = dml_vk.asarray(chance().normal(size=(2, 3, 4, 5)), memory_format=channels_last)
    out = dml_vk.empty((2, 1, 4, 1), images.dtype)
    assert linalg.norm(images, "nuc", (3, 1), True, out=out) is out
    np.testing.assert_allclose(out.numpy(), np.linalg.norm(images.numpy(), "nuc", (3, 1), True))
    assert np.linalg.norm(images, axis=1, keepdims=True).memory_format is channels_last
    flat = dml_vk.empty((2, 4), images.dtype)
    assert (
        linalg.norm(images, 1, (3, 1), out=flat).tolist() == linalg.norm(images, 1, (3, 1)).tolist()
    )
    compiled = dml_vk.compile(lambda x: linalg.norm(x, 1, (0, 2)))
    assert compiled(images).tolist() == linalg.norm(images, 1, (0, 2)).tolist()


def test_integers_are_not_rounded_before_they_are_squared():
    array = np.array([2**24 + 1, 3, -(2**30) - 1])
    x = dml_vk.asarray(array)
    for order in (None, 1, np.inf):
        assert linalg.norm(x, order).item() == np.float32(np.linalg.norm(array, order))
