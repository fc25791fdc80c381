"""linalg: what NumPy's functions give, by the sums of `dml_vk.sum` where floats are added."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dml_vk
from dml_vk import linalg
from dml_vk.dtypes import DTYPES, float16, float32
from dml_vk.errors import DTypeError, LayoutError, LayoutIndexError, RangeError
from dml_vk.layout import Layout, channels_last
from tests import tier
from tests.chance import chance
from tests.kernel.elementwise import source_of
from tests.kernel.memory import bits

INT = DTYPES["int32"]


def operand(layout, dtype=float32):
    if not isinstance(layout, Layout):
        layout = Layout.packed(layout)
    if dtype.kind == "f":
        values = chance().normal(size=layout.sizes)
    else:
        values = chance().integers(-99, 99, layout.sizes) | 1
    return source_of(dtype, layout, np.asarray(values).astype(dtype.name))


def test_the_names_of_the_main_namespace_are_the_same():
    for name in ("matmul", "matrix_transpose", "tensordot", "vecdot"):
        assert getattr(linalg, name) is getattr(dml_vk, name)
    assert dml_vk.linalg is linalg


def test_outer():
    (x, a), (y, b) = operand((7,), INT), operand(Layout.packed((10,)).slice(0, None, None, 2), INT)
    assert np.array_equal(linalg.outer(x, y).numpy(), np.multiply.outer(a, b))
    out = dml_vk.empty((7, 5), INT)
    assert linalg.outer(x, y, out=out) is out
    assert np.array_equal(out.numpy(), np.multiply.outer(a, b))


def test_diagonal_is_a_view():
    x, a = operand((2, 4, 5), INT)
    for offset in (-9, -4, -1, 0, 2, 5):
        view = linalg.diagonal(x, offset=offset)
        assert np.array_equal(view.numpy(), np.diagonal(a, offset, -2, -1))
        assert view.allocation is x.allocation


def test_trace():
    x, a = operand((2, 4, 5), INT)
    for offset in (-1, 0, 9):
        found = linalg.trace(x, offset=offset)
        assert np.array_equal(found.numpy(), np.trace(a, offset, -2, -1))
        assert found.dtype.name == "int64"
    x, a = operand((5, 5))
    found = linalg.trace(x, dtype="float64").numpy()
    assert found == np.trace(a.astype(np.float64))
    out = dml_vk.empty((), float32)
    assert linalg.trace(x, out=out) is out
    assert np.array_equal(bits(out.numpy()), bits(dml_vk.sum(linalg.diagonal(x)).numpy()))


def test_cross():
    for a_sizes, b_sizes, axis in (
        *(((3,), (3,), -1), ((3,), (3,), 0), ((4, 3), (3,), -1), ((4, 3), (5, 1, 3), -1)),
        *(((3, 4), (3, 4), 0), ((2, 3, 4), (3, 1), -2)),
    ):
        (x, a), (y, b) = operand(a_sizes, INT), operand(b_sizes, INT)
        found = linalg.cross(x, y, axis=axis)
        assert np.array_equal(found.numpy(), np.cross(a, b, axis=axis)), (a_sizes, b_sizes)
    image = Layout.packed((2, 3, 4, 5), channels_last)
    (x, a), (y, b) = operand(image, INT), operand(image, INT)
    assert linalg.cross(x, y, axis=1).memory_format is channels_last
    expected = np.cross(a, b, axis=1)
    assert linalg.cross(x, y, axis=1, out=x) is x
    assert np.array_equal(x.numpy(), expected)


NORMS = (2, 1, 0, math.inf, -math.inf, 3, 2.5, -1, -2)


def test_vector_norm():
    x, a = operand((3, 4, 5))
    wide = a.astype(np.float64)
    axes = (None, 0, -1, (0, 2), (1, 2), (2, 0, 1))
    for order, axis, keepdims in tier.crossed(NORMS, tier.some(axes, 4), (False, True)):
        found = linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=order).numpy()
        expected = _vector_norm(wide, axis, keepdims, order)
        assert found.shape == expected.shape, (order, axis)
        np.testing.assert_allclose(found, expected, 2e-6, err_msg=f"{order}, {axis}")
    assert linalg.vector_norm(x, axis=()).numpy().shape == a.shape
    assert linalg.vector_norm(dml_vk.zeros((2, 0), dtype=float32), axis=1).tolist() == [0.0, 0.0]


def _vector_norm(a, axis, keepdims, order):
    given = {"axis": axis, "keepdims": keepdims}
    if order == 0:
        return np.sum(a != 0, **given).astype(float)
    if math.isinf(order):
        return (np.max if order > 0 else np.min)(np.abs(a), **given)
    return np.sum(np.abs(a) ** order, **given) ** (1 / order)


def test_matrix_norm():
    x, a = operand((2, 4, 5))
    for order in ("fro", 1, -1, math.inf, -math.inf):
        for keepdims in (False, True):
            found = linalg.matrix_norm(x, ord=order, keepdims=keepdims).numpy()
            expected = np.linalg.norm(a.astype(np.float64), order, (-2, -1), keepdims)
            assert found.shape == expected.shape
            np.testing.assert_allclose(found, expected, 1e-6)


def test_norms_keep_dtype_format_and_room():
    x, _ = operand(Layout.packed((2, 3, 4, 5), channels_last))
    assert linalg.vector_norm(x, axis=1, keepdims=True).memory_format is channels_last
    for order in NORMS:
        out = dml_vk.empty((2, 4, 5), float32)
        assert linalg.vector_norm(x, axis=1, ord=order, out=out) is out
        assert np.array_equal(out.numpy(), linalg.vector_norm(x, axis=1, ord=order).numpy())
    large = dml_vk.asarray(np.float16([[300.0, 400.0], [1.0, -2.0]]))  # squares beyond float16
    for found, expected in (
        (linalg.vector_norm(large, axis=1), np.float16([500.0, 5**0.5])),
        (linalg.vector_norm(large, ord=math.inf), np.float16(400.0)),
        (linalg.matrix_norm(large, ord=1), np.float16(402.0)),
    ):
        assert found.dtype is float16
        assert np.array_equal(found.numpy(), expected)
    for call in (linalg.vector_norm, linalg.matrix_norm):
        out = dml_vk.empty((), float16)
        assert call(large, out=out) is out
        assert out.tolist() == np.float16(250005.0**0.5)


def test_wrong_operands():
    x, y = operand((2, 3))[0], operand((3,))[0]
    whole, flags = operand((3,), INT)[0], dml_vk.asarray([[True]])
    matrix = dml_vk.empty((2, 2), float32)
    for message, error, call in (
        ("outer: x1 and x2 must be 1-D", LayoutError, lambda: linalg.outer(x, y)),
        ("outer: x2 must be a Tensor", DTypeError, lambda: linalg.outer(y, 1)),
        (
            r"outer: out must have the shape \(3, 3\)",
            LayoutError,
            lambda: linalg.outer(y, y, out=x),
        ),
        ("diagonal: x must have at least two dims", LayoutError, lambda: linalg.diagonal(y)),
        ("diagonal: offset must be an int", LayoutError, lambda: linalg.diagonal(x, offset=0.5)),
        ("diagonal: x must be a Tensor", DTypeError, lambda: linalg.diagonal([[1]])),
        ("trace: out must be a Tensor", DTypeError, lambda: linalg.trace(x, out=1)),
        ("trace: x must have at least two dims", LayoutError, lambda: linalg.trace(y)),
        ("trace: dtype must be one of", DTypeError, lambda: linalg.trace(flags)),
        ("cross: x1 and x2 must have three", LayoutError, lambda: linalg.cross(x, x, axis=0)),
        ("cross: axis must be from -1 to -1", LayoutIndexError, lambda: linalg.cross(x, y, axis=0)),
        ("cross: axis must be an integer", LayoutError, lambda: linalg.cross(x, y, axis=None)),
        ("cross: axis must be from -1 to 0", LayoutIndexError, lambda: linalg.cross(y, y, axis=1)),
        (
            "cross: cannot mix uint64 with signed integers",
            DTypeError,
            lambda: linalg.cross(y.astype("int8"), y.astype("uint64")),
        ),
        (r"cross: out must have the shape \(3,\)", LayoutError, lambda: linalg.cross(y, y, out=x)),
        ("vector_norm: ord must be", RangeError, lambda: linalg.vector_norm(x, ord="fro")),
        ("vector_norm: ord must be", RangeError, lambda: linalg.vector_norm(x, ord=10**400)),
        ("vector_norm: axis must be", LayoutIndexError, lambda: linalg.vector_norm(x, axis=2)),
        ("vector_norm: axis must not", LayoutError, lambda: linalg.vector_norm(x, axis=(0, 0))),
        (
            "vector_norm: zero-size reduction has no identity",
            RangeError,
            lambda: linalg.vector_norm(dml_vk.empty((0,), float32), ord=-math.inf),
        ),
        (
            r"vector_norm: out must have the shape \(1, 3\)",
            LayoutError,
            lambda: linalg.vector_norm(x, axis=0, keepdims=True, out=y),
        ),
        ("matrix_norm: x must have at least two dims", LayoutError, lambda: linalg.matrix_norm(y)),
        (
            "matrix_norm: out must have the dtype",
            DTypeError,
            lambda: linalg.matrix_norm(x, out=whole.over(Layout(()))),
        ),
        *(
            (
                "matrix_norm: ord must be .*nuc",
                RangeError,
                lambda order=order: linalg.matrix_norm(matrix, ord=order),
            )
            for order in (3, 0, None, [1], math.nan, "euclid")
        ),
    ):
        with pytest.raises(error, match=message):
            call()
