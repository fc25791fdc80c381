"""Functions of bools, which are NumPy's: products are `and`, sums `or`, and False is below True."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from tests.chance import chance
from tests.kernel.forms import few_forms


def bools(*sizes):
    return chance().random(sizes) < 0.5


def check(call, *arrays, **options):
    with np.errstate(all="ignore"):
        expected = np.asarray(getattr(np, call)(*arrays, **options))
    for turn in (0, 1):
        given = zip(*[few_forms(one, turn) for one in arrays])
        for tensors in given:
            found = getattr(np, call)(*tensors, **options)
            assert (found.dtype.numpy_name, found.shape) == (expected.dtype.name, expected.shape)
            assert np.array_equal(found.numpy(), expected), (call, options)


@pytest.mark.parametrize("name", ["max", "min", "nanmax", "nanmin", "argmax", "nanargmin"])
def test_extremes(name):
    array = bools(3, 4, 5)
    array[:, 1], array[:, 2] = True, False
    for axis in (None, 0, 1, 2):
        check(name, array, axis=axis)
    if name in ("max", "min"):
        check(name, array, axis=(0, 2), keepdims=True)
        out = dml_vk.empty((3,), bool)
        x = dml_vk.asarray(array)
        assert getattr(dml_vk, name)(x, (1, 2), out=out).tolist() == [name == "max"] * 3
        with pytest.raises(ValueError, match="zero-size reduction has no identity"):
            getattr(dml_vk, name)(x[:, :0], axis=1)


def test_products():
    a, b = bools(4, 7), bools(7, 300)
    b[:, 0] = True
    check("matmul", a, b)
    check("dot", a, b)
    many = np.ones((2, 256), bool)  # as many true terms as a byte cannot count
    check("matmul", many, many.T)
    check("vdot", a, bools(4, 7))
    check("inner", a, bools(3, 7))
    check("outer", a, bools(5))
    check("kron", a, bools(2, 3))
    check("tensordot", a, b, axes=1)
    check("matmul", a, chance().integers(-5, 5, (7, 2)))
    x, y = dml_vk.asarray(a), dml_vk.asarray(b)
    for subscripts in ("ij,jk->ik", "ij,jk->ijk", "ij,jk->"):
        found = dml_vk.einsum(subscripts, x, y).numpy()
        assert np.array_equal(found, np.einsum(subscripts, a, b))
    out = dml_vk.empty((4, 300), bool)
    assert dml_vk.matmul(x, y, out=out) is out
    assert np.array_equal(out.numpy(), a @ b)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_sequences(mode):
    for first, second in ((9, 4), (3, 8), (1, 1)):
        a, b = bools(first), bools(second)
        check("convolve", a, b, mode=mode)
        check("correlate", a, b, mode=mode)
        check("convolve", a, chance().integers(-5, 5, second), mode=mode)
    for one in (np.float32(2.5), np.array(3)):
        for other in (np.arange(4), np.linspace(0, 1, 3)):
            x, y = dml_vk.asarray(np.asarray(one)), dml_vk.asarray(other)
            for found, pair in (
                (dml_vk.convolve(x, y, mode), (one, other)),
                (dml_vk.convolve(y, x, mode), (other, one)),
            ):
                assert np.allclose(found.numpy(), np.convolve(*pair, mode))


def test_differences_and_limits():
    array = bools(3, 6)
    check("diff", array)
    check("diff", array, n=2, axis=0)
    low, high = bools(6), bools(6)
    check("clip", array, low, high)
    x = dml_vk.asarray(array)
    for limits in ((True, None), (None, False), (False, True)):
        assert np.array_equal(dml_vk.clip(x, *limits).numpy(), np.clip(array, *limits))
    assert dml_vk.clip(x).tolist() == x.tolist()
