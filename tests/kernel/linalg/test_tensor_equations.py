"""Linear equations of tensors, beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk import linalg
from dml_vk.errors import LayoutError, RangeError
from tests.chance import chance
from tests.kernel.forms import few_forms


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_equations_of_tensors(dtype):
    for sizes, result, axes in (
        ((2, 3, 6), (2, 3), None),
        ((2, 3, 3, 1, 2), (2, 3), None),
        ((4, 2, 2), (2, 2), (0,)),
        ((4, 4), (4,), None),
        ((2, 3, 6, 1), (6, 1), (0, 1)),
        ((2, 6, 3), (2, 3), 1),
    ):
        a, b = (chance().normal(size=one).astype(dtype) for one in (sizes, result))
        expected = np.linalg.tensorsolve(a, b, None if axes is None else np.atleast_1d(axes))
        for x, y in zip(few_forms(a, 1), few_forms(b, 1)):
            found = linalg.tensorsolve(x, y, axes).numpy()
            assert (found.dtype, found.shape) == (dtype, expected.shape)
            np.testing.assert_allclose(found, expected, rtol=2e-3 if dtype == "float32" else 1e-9)
    x = dml_vk.asarray(a)
    np.testing.assert_array_equal(np.linalg.tensorsolve(x, b, (1,)).numpy(), found)
    out = dml_vk.empty((3, 2), dtype).T[:, :1][:, 0]
    assert linalg.tensorsolve(x[:, :2, :1], dml_vk.asarray(b)[:, :1], 1, out=out) is out


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_inverses_of_tensors(dtype):
    for sizes, ind in (((4, 6, 8, 3), 2), ((24, 8, 3), 1), ((2, 3, 6), 2), ((5, 5), 1)):
        a = chance().normal(size=sizes).astype(dtype)
        expected = np.linalg.tensorinv(a, ind)
        for x in few_forms(a, 1):
            found = linalg.tensorinv(x, ind).numpy()
            assert (found.dtype, found.shape) == (dtype, expected.shape)
            atol = abs(expected).max() * (1e-3 if dtype == "float32" else 1e-10)
            np.testing.assert_allclose(found, expected, rtol=0, atol=atol)
    np.testing.assert_array_equal(np.linalg.tensorinv(dml_vk.asarray(a), ind=1).numpy(), found)


def test_equations_that_do_not_fit():
    x = dml_vk.ones((2, 3, 6))
    with pytest.raises(LayoutError, match=r"^tensorsolve: x1 must have as many equations"):
        linalg.tensorsolve(x, dml_vk.ones((2, 2)))
    with pytest.raises(LayoutError, match=r"^tensorinv: x must have as many elements in its first"):
        linalg.tensorinv(x, 1)
    with pytest.raises(RangeError, match=r"^tensorinv: ind must be positive; got ind=0"):
        linalg.tensorinv(x, 0)
    with pytest.raises(np.linalg.LinAlgError, match=r"^tensorsolve: "):
        linalg.tensorsolve(x, dml_vk.ones((2, 3)))
