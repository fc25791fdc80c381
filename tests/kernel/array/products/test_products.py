"""`vecdot`, `tensordot` and `matrix_transpose`: the bits of the reference, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.dtypes import float32
from dml_vk.errors import DTypeError, LayoutError, LayoutIndexError
from dml_vk.layout import Layout, channels_last
from dml_vk.testing import products
from tests.kernel.matrices import assert_bits, every_other, operand, packed, turned


def test_vecdot():
    (x, a), (y, b) = operand(every_other(3, 4, 70)), operand(turned(4, 70))
    expected = products.sum_of(a * b)
    assert products.sum_of(a[..., :0]).tolist() == np.zeros(a.shape[:-1]).tolist()
    assert_bits(dml_vk.vecdot(x, y).numpy(), expected, "last")
    moved = [dml_vk.asarray(np.moveaxis(one, -1, -2)) for one in (a, b)]
    assert_bits(dml_vk.vecdot(*moved, axis=-2).numpy(), expected, "last but one")
    x, a = operand(packed(3, 5))
    out = dml_vk.empty((5,), float32)
    assert dml_vk.vecdot(x, x, axis=0, out=out) is out
    assert_bits(out.numpy(), products.sum_of((a * a).T), "first")


def test_tensordot():
    (x, a), (y, b) = operand(packed(3, 4, 5)), operand(packed(4, 5, 6))
    rows, columns = a.reshape(3, 20), b.reshape(20, 6)
    assert_bits(dml_vk.tensordot(x, y).numpy(), products.matmul(rows, columns), "2")
    assert_bits(
        dml_vk.tensordot(x, y, axes=((2, 1), (1, 0))).numpy(),
        products.matmul(a.transpose(0, 2, 1).reshape(3, 20), b.transpose(1, 0, 2).reshape(20, 6)),
        "the other way round",
    )
    found = dml_vk.tensordot(x, x, axes=(0, 0))
    expected = products.matmul(a.reshape(3, 20).T, a.reshape(3, 20)).reshape(4, 5, 4, 5)
    assert_bits(found.numpy(), expected, "one axis of each, by its number")
    outer = np.multiply.outer(a, b)
    assert_bits(dml_vk.tensordot(x, y, axes=0).numpy(), outer, "0")
    found = dml_vk.tensordot(x, y, axes=[[-1], [1]])
    expected = products.matmul(a.reshape(12, 5), b.transpose(1, 0, 2).reshape(5, 24))
    assert_bits(found.numpy(), expected.reshape(3, 4, 4, 6), "one")
    assert found.layout == Layout((3, 4, 4, 6))
    with dml_vk.trace() as log:
        nchw = operand(packed(2, 3, 4, 5, order=channels_last))[0]
        dml_vk.tensordot(nchw, nchw, axes=((1, 2), (1, 2)))
    assert [entry.op for entry in log.entries if entry.reason == "layout"] == ["tensordot"] * 2


def test_matrix_transpose_is_a_view():
    x, a = operand(packed(2, 3, 4))
    y = dml_vk.matrix_transpose(x)
    assert y.allocation is x.allocation
    assert np.array_equal(y.numpy(), a.transpose(0, 2, 1))


def test_wrong_operands():
    x, y = operand(packed(2, 3))[0], operand(packed(2, 3, 4))[0]
    small = operand(packed())[0]
    wrong = {
        "vecdot: axis must be from -2 to 1": (
            LayoutIndexError,
            lambda: dml_vk.vecdot(x, x, axis=2),
        ),
        "vecdot: axis must be from -2 to -1": (
            LayoutIndexError,
            lambda: dml_vk.vecdot(x, y, axis=0),
        ),
        "vecdot: axis must be an integer": (LayoutError, lambda: dml_vk.vecdot(x, y, axis="a")),
        "vecdot: x1 and x2 must have the same size along axis": (
            LayoutError,
            lambda: dml_vk.vecdot(x, y),
        ),
        "vecdot: sizes must agree": (
            LayoutError,
            lambda: dml_vk.vecdot(x, operand(packed(3, 3))[0]),
        ),
        "tensordot: axes must be from 0 to 2": (
            LayoutError,
            lambda: dml_vk.tensordot(x, y, axes=3),
        ),
        "tensordot: axes must be an integer": (
            LayoutError,
            lambda: dml_vk.tensordot(x, y, axes=1.5),
        ),
        "tensordot: axes must be an integer or a pair of sequences of axes": (
            LayoutError,
            lambda: dml_vk.tensordot(x, y, axes=(1,)),
        ),
        "tensordot: axes must list as many axes of x1 as of x2": (
            LayoutError,
            lambda: dml_vk.tensordot(x, y, axes=((0, 1), (0,))),
        ),
        "tensordot: axes must not repeat": (
            LayoutError,
            lambda: dml_vk.tensordot(x, y, axes=((0, 0), (0, 1))),
        ),
        "tensordot: contracted axes must have the same size in x1 and x2": (
            LayoutError,
            lambda: dml_vk.tensordot(x, y, axes=1),
        ),
        "matrix_transpose: x must have at least two dims": (
            LayoutError,
            lambda: dml_vk.matrix_transpose(small),
        ),
        "matrix_transpose: x must be a Tensor": (
            DTypeError,
            lambda: dml_vk.matrix_transpose(None),
        ),
    }
    for message, (error, call) in wrong.items():
        with pytest.raises(error, match=message):
            call()
