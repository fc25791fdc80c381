"""Sums, products and other functions of several complex elements, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DTypeError, RangeError
from dml_vk.layout import channels_last
from dml_vk.testing.products import sum_of
from tests import tier
from tests.kernel.complex.numbers import NAN, WIDE, assert_bits, usual

SIZES = (2, 3, 5, 7)
TOLERANCE = {"complex64": 2e-6, "complex128": 1e-14}


def close(found, expected: np.ndarray, dtype: str) -> None:
    assert found.shape == expected.shape
    assert found.dtype.numpy_name == dtype
    assert np.allclose(found.numpy(), expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", WIDE)
def test_sums_products_and_means(dtype):
    array = usual(dtype, SIZES, 1)
    wide = array.astype("complex128")
    x = dml_vk.asarray(array, memory_format=channels_last)
    for axis in tier.some((None, 1, (1, 2), (0, 3)), 3):
        close(dml_vk.sum(x, axis=axis), wide.sum(axis), dtype)
        close(dml_vk.mean(x, axis=axis), wide.mean(axis), dtype)
        found = dml_vk.prod(x, axis=axis, keepdims=True).numpy()
        assert np.allclose(found, wide.prod(axis, keepdims=True), rtol=1e-4)
    assert dml_vk.sum(x, axis=1).memory_format is not None
    # Sums are those of the parts, in the order of real sums.
    parts = dml_vk.sum(dml_vk.real(x), axis=2), dml_vk.sum(dml_vk.imag(x), axis=2)
    whole = dml_vk.sum(x, axis=2)
    for one, two in zip(parts, (dml_vk.real(whole), dml_vk.imag(whole))):
        assert one.tolist() == two.tolist()
    out = dml_vk.empty((2, 5, 7), dtype)
    assert dml_vk.prod(x, axis=1, out=out) is out
    assert np.allclose(out.numpy(), wide.prod(1), rtol=1e-4)


def test_reductions_in_other_dtypes_and_of_nothing():
    x = dml_vk.asarray([1 + 2j, 3 - 1j], "complex128")
    assert dml_vk.sum(x, dtype="complex64").dtype is dml_vk.complex64
    assert dml_vk.prod(x, dtype="complex64").item() == 5 + 5j
    assert dml_vk.sum(dml_vk.ones(3, "int8"), dtype="complex64").item() == 3
    assert dml_vk.sum(dml_vk.ones(3), dtype="complex128").item() == 3
    none = dml_vk.zeros((0, 2), "complex64")
    assert dml_vk.sum(none, axis=0).tolist() == [0, 0]
    assert dml_vk.prod(none, axis=0).tolist() == [1, 1]
    assert dml_vk.prod(none).item() == 1
    assert dml_vk.prod(dml_vk.zeros((2, 0), "complex64"), axis=0).shape == (0,)
    assert np.isnan(dml_vk.mean(none).numpy())
    with pytest.raises(DTypeError, match=r"^sum: cannot cast complex elements to a real dtype"):
        dml_vk.sum(x, dtype="float64")
    with pytest.raises(DTypeError, match=r"^cumulative_sum: cannot cast complex elements"):
        dml_vk.cumulative_sum(x, dtype="float64")


@pytest.mark.parametrize("dtype", WIDE)
def test_cumulative_functions(dtype):
    array = usual(dtype, (3, 70), 0)
    x = dml_vk.asarray(array)
    wide = array.astype("complex128")
    assert np.allclose(dml_vk.cumulative_sum(x, axis=1).numpy(), wide.cumsum(1), 1e-5, 1e-5)
    assert np.allclose(dml_vk.cumulative_prod(x, axis=1).numpy(), wide.cumprod(1), 1e-4)
    first = dml_vk.cumulative_prod(x, axis=0, include_initial=True).numpy()
    assert np.allclose(first, np.concatenate([np.ones((1, 70)), wide.cumprod(0)]), 1e-4)
    assert_bits(dml_vk.diff(x).numpy(), np.diff(array))
    dml_vk.cumulative_prod(x, axis=1, out=x)
    assert np.allclose(x.numpy(), wide.cumprod(1), 1e-4)


@pytest.mark.parametrize("dtype", WIDE)
def test_truth_and_places(dtype):
    array = np.array([[0, 1j, 2], [complex(-0.0, 0.0), complex(0, NAN), -0.0]], dtype)
    x = dml_vk.asarray(array)
    assert dml_vk.all(x, axis=0).tolist() == [False, True, False]
    assert dml_vk.any(x, axis=1).tolist() == [True, True]
    assert dml_vk.count_nonzero(x).item() == 3
    assert [one.tolist() for one in dml_vk.nonzero(x)] == [[0, 0, 1], [1, 2, 1]]


@pytest.mark.parametrize("dtype", WIDE)
def test_distinct_values_are_in_numpys_order(dtype):
    array = np.array([[2 + 1j, 1, 2 - 1j], [1, 2 + 1j, -3j]], dtype)
    x = dml_vk.asarray(array)
    values, places, inverse, counts = np.unique(array, True, True, True)
    found = dml_vk.unique_all(x)
    assert_bits(found.values.numpy(), values)
    assert found.indices.tolist() == places.tolist()
    assert found.inverse_indices.numpy().ravel().tolist() == inverse.ravel().tolist()
    assert found.counts.tolist() == counts.tolist()
    nan = dml_vk.asarray([complex(NAN, 1), complex(NAN, 1)], dtype)
    assert dml_vk.unique_values(nan).shape == (2,)
    assert dml_vk.unique(nan).shape == (1,)


@pytest.mark.parametrize("dtype", WIDE)
def test_matrix_products(dtype):
    a, b = usual(dtype, (2, 5, 7), 1), usual(dtype, (7, 4), 1)
    x, y = dml_vk.asarray(a), dml_vk.asarray(b)
    wide = a.astype("complex128"), b.astype("complex128")
    close(dml_vk.matmul(x, y), wide[0] @ wide[1], dtype)
    close(x.mT @ dml_vk.asarray(np.asfortranarray(a)), wide[0].swapaxes(1, 2) @ wide[0], dtype)
    close(dml_vk.matmul(x[0, 0, :], y), wide[0][0, 0] @ wide[1], dtype)
    close(dml_vk.tensordot(x, y, axes=1), np.tensordot(*wide, axes=1), dtype)
    close(dml_vk.einsum("bij,jk->kb", x, y), np.einsum("bij,jk->kb", *wide), dtype)
    close(dml_vk.einsum("bij->j", x), wide[0].sum((0, 1)), dtype)
    close(dml_vk.einsum("bij,bij->bij", x, x), wide[0] ** 2, dtype)
    close(dml_vk.vecdot(x[0], x[1]), np.sum(wide[0][0].conj() * wide[0][1], -1), dtype)
    close(dml_vk.linalg.outer(y[:, 0], y[:, 1]), np.outer(wide[1][:, 0], wide[1][:, 1]), dtype)
    close(dml_vk.linalg.trace(x), np.trace(wide[0], axis1=1, axis2=2), dtype)
    real = dml_vk.asarray(b.real.copy())
    close(dml_vk.matmul(x, real), wide[0] @ b.real.astype("float64"), dtype)
    z = dml_vk.asarray(usual(dtype, (7, 7), 1))
    expected = z.numpy().astype("complex128") @ z.numpy()
    dml_vk.matmul(z, z, out=z)
    close(z, expected, dtype)
    assert dml_vk.matmul(x[:, :, :0], y[:0]).numpy().any() == np.False_


def test_products_add_parts_beside_each_other():
    """The order of the sum is that of real products of twice as many terms."""
    a, b = usual("complex64", 70, 1), usual("complex64", 70, 1)
    found = dml_vk.matmul(dml_vk.asarray(a), dml_vk.asarray(b)).numpy()
    first = np.stack([a.real, a.imag], -1).ravel()
    for part, second in (("real", (b.real, -b.imag)), ("imag", (b.imag, b.real))):
        terms = first * np.stack(second, -1).ravel()
        assert getattr(found, part) == sum_of(terms)


def test_norms_are_real():
    array = usual("complex64", (3, 4), 1)
    x = dml_vk.asarray(array)
    for order in (2, 1, 0, 3, np.inf, -np.inf):
        found = dml_vk.linalg.vector_norm(x, axis=1, ord=order)
        assert found.dtype is dml_vk.float32
        assert np.allclose(found.numpy(), np.linalg.norm(array, order, axis=1), rtol=1e-5)
    assert np.allclose(dml_vk.linalg.matrix_norm(x).item(), np.linalg.norm(array), rtol=1e-5)
    assert np.allclose(dml_vk.linalg.matrix_norm(x, ord=1).item(), np.linalg.norm(array, 1))


def test_comparisons_within_a_tolerance():
    x = dml_vk.asarray([1 + 1j, 2j])
    assert dml_vk.allclose(x, x * (1 + 1e-7))
    assert not dml_vk.allclose(x, x + 1e-3j)
    assert dml_vk.isclose(x, 2j).tolist() == [False, True]
    assert dml_vk.array_equal(x * NAN, x * NAN, equal_nan=True)
    assert dml_vk.allclose(dml_vk.asarray(x, "complex128"), x)


def test_leaving_out_nan():
    x = dml_vk.asarray([1 + 1j, complex(NAN, 2), 3j])
    assert dml_vk.nansum(x).item() == 1 + 4j
    assert dml_vk.nanprod(x).item() == -3 + 3j
    assert dml_vk.nanmean(x).item() == 0.5 + 2j


def test_normal_numbers_are_those_of_parts():
    x = dml_vk.random.Generator(5).normal((3, 5), "complex64", mean=1 + 2j, std=2)
    floats = dml_vk.random.Generator(5).normal((3, 5, 2), std=np.sqrt(2)).numpy()
    assert np.allclose(x.numpy() - (1 + 2j), floats.view("complex64")[..., 0], atol=1e-6)
    with pytest.raises(RangeError, match=r"^normal: std must not be negative; got std=-1"):
        dml_vk.random.Generator(5).normal(3, "complex128", std=-1)
    many = dml_vk.random.Generator(5).normal(40000, dml_vk.complex64)
    assert abs(float(dml_vk.mean(dml_vk.square(dml_vk.abs(many)))) - 1) < 0.02


def test_normal_numbers_of_float64_have_its_precision():
    """By the formula of docs/random.md, from the floats that `random` draws."""
    form = {"memory_format": channels_last}
    x = dml_vk.random.Generator(5).normal(SIZES, "complex128", mean=1 - 2j, std=3, **form)
    assert x.memory_format is channels_last
    u = dml_vk.random.Generator(5).random((*SIZES, 2), "float64").numpy()
    size, angle = 3 * np.sqrt(-np.log1p(-u[..., 0])), 2 * np.pi * u[..., 1]
    assert np.allclose(x.numpy(), size * np.exp(1j * angle) + (1 - 2j), rtol=1e-14, atol=1e-14)
    out = dml_vk.empty(40000, "complex128")
    generator = dml_vk.random.Generator(6)
    assert generator.normal(out=out, dtype="complex128") is out
    follows = dml_vk.random.Generator(6)
    follows.bits(160000)
    assert generator.bits(4).tolist() == follows.bits(4).tolist()
    parts = out.numpy().view("float64")
    assert abs(parts.std() - 0.5**0.5) < 0.01
    assert abs(parts.mean()) < 0.01
    assert abs(np.corrcoef(parts[::2], parts[1::2])[0, 1]) < 0.02
