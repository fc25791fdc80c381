"""Sequences of complex numbers: interpolated, differentiated, integrated, correlated; rounding."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.errors import DTypeError, LayoutError
from dml_vk.layout import channels_last
from tests import tier
from tests.kernel.complex.numbers import INF, NAN, SPECIAL, WIDE, assert_bits, both, part, usual

TRAPEZOID = getattr(np, "trapezoid", None) or np.trapz  # the name in an older NumPy
FEW = {"complex64": 1e-5, "complex128": 1e-13}


def close(found, expected, dtype: str) -> None:
    assert found.dtype.numpy_name == dtype
    assert found.shape == expected.shape
    one, two = both(found.numpy()), both(expected)
    assert np.allclose(one, two, rtol=FEW[dtype], atol=FEW[dtype], equal_nan=True)


@pytest.mark.parametrize("dtype", WIDE)
def test_parts_are_rounded(dtype):
    array = np.array(SPECIAL, dtype).reshape(4, 16)
    array = np.concatenate([array, usual(dtype, (4, 16), 2)])
    x = dml_vk.asarray(array)
    assert_bits(dml_vk.round(x).numpy(), np.round(array))
    assert_bits(dml_vk.around(x.T).numpy(), np.round(array.T))
    many = dml_vk.reshape(x, (2, *[1] * 6, 4, 16)).mT
    assert_bits(dml_vk.round(many).numpy(), np.round(many.numpy()))
    finite = array[np.isfinite(array)]
    out = dml_vk.empty(finite.shape, dtype)
    for decimals in (2, -1):
        assert dml_vk.around(dml_vk.asarray(finite), decimals, out=out) is out
        assert np.allclose(out.numpy(), np.round(finite, decimals), rtol=FEW[dtype], atol=0)
    assert np.round(x, 1).tolist()[5][0] == x.round(1).tolist()[5][0]


@pytest.mark.parametrize("dtype", WIDE)
@tier.examples(6)
@given(
    left=st.sampled_from([None, 3, 1 - 2j]),
    right=st.sampled_from([None, 2.5, 1j]),
    period=st.sampled_from([None, None, 3.5]),
)
def test_values_between_points_are_interpolated_by_parts(dtype, left, right, period):
    real = part(dtype)
    xp = np.array([0.0, 1.0, 2.5, 4.0, 4.5, 6.0], real)
    fp = usual(dtype, 6, 1)
    fp[3] = complex(INF, fp[3].imag)
    x = np.array([[-1.0, 0.0, 0.25, NAN], [1.0, 2.0, 3.0, 4.0], [4.25, 6.0, 7.0, 5.0]], real)
    points = dml_vk.asarray(xp), dml_vk.asarray(fp)
    found = dml_vk.interp(dml_vk.asarray(x).T, *points, left, right, period)
    close(found, np.interp(x.T, xp, fp, left, right, period), dtype)
    out = dml_vk.empty(x.shape, dtype)
    assert dml_vk.interp(dml_vk.asarray(x), *points, left, right, period, out=out) is out
    assert_bits(out.numpy().T, found.numpy())


def test_points_and_ends_of_real_functions_are_real():
    x = dml_vk.asarray([0.5, 1.5])
    with pytest.raises(DTypeError, match=r"^interp: left must be a real number; got left=1j"):
        dml_vk.interp(x, x, x, left=1j)
    for operands in ((x * 1j, x, x), (x, x * 1j, x)):
        with pytest.raises(DTypeError, match=r"^interp: dtype must be one of int8"):
            dml_vk.interp(*operands)


@pytest.mark.parametrize("dtype", WIDE)
def test_derivatives_and_integrals(dtype):
    array = usual(dtype, (4, 6), 1)
    x, wide = dml_vk.asarray(array), array.astype("complex128")
    at = np.array([0.0, 1.0, 1.5, 3.0, 3.25, 4.0])
    path = usual(dtype, 6, 1)
    for steps in ((), (0.5,), (2 - 1j,), (at,), (path,)):
        ours = [dml_vk.asarray(one, dtype) if isinstance(one, np.ndarray) else one for one in steps]
        for order in (1, 2):
            expected = np.gradient(wide, *steps, axis=1, edge_order=order)
            scale = float(abs(expected).max())
            found = dml_vk.gradient(x, *ours, axis=1, edge_order=order)
            close(found / scale, expected / scale, dtype)
    close(dml_vk.trapezoid(x, dx=0.5j), TRAPEZOID(wide, dx=0.5j), dtype)
    close(dml_vk.trapezoid(x, dml_vk.asarray(path)), TRAPEZOID(wide, path), dtype)
    ends = dml_vk.ediff1d(x, to_end=1j, to_begin=x[0])
    assert_bits(ends.numpy(), np.ediff1d(array, to_end=np.asarray(1j, dtype), to_begin=array[0]))
    real = dml_vk.asarray([0.0, 1.0, 4.0])
    assert dml_vk.gradient(real, 1j).tolist() == [-1j, -2j, -3j]
    assert dml_vk.gradient(real, 1j).dtype is dml_vk.complex64


def test_derivatives_are_written_to_tensors_that_may_be_operands():
    array = np.arange(24.0, dtype="float32").reshape(4, 6) ** 2
    x = dml_vk.asarray(array)
    rows, columns = np.gradient(array)
    outs = x, dml_vk.empty((4, 6))
    found = dml_vk.gradient(x, out=outs)
    assert found[0] is x
    assert found[1] is outs[1]
    assert np.allclose(x.numpy(), rows)
    assert np.allclose(found[1].numpy(), columns)
    y = dml_vk.asarray(array)
    assert dml_vk.gradient(y, 2.0, axis=0, out=y) is y
    assert np.allclose(y.numpy(), rows / 2)
    half = dml_vk.asarray(array.astype("float16"))
    assert dml_vk.gradient(half, axis=1, out=(half,)) is half
    whole = dml_vk.asarray([1, 4, 9])
    assert dml_vk.gradient(whole, out=dml_vk.empty(3)).tolist() == [3.0, 4.0, 5.0]
    with pytest.raises(LayoutError, match=r"^gradient: out must have one tensor for each axis"):
        dml_vk.gradient(x, out=x)
    with pytest.raises(LayoutError, match=r"^gradient: out must have the shape \(4, 6\)"):
        dml_vk.gradient(x, axis=0, out=x[:2])
    with pytest.raises(DTypeError, match=r"^gradient: out must have the dtype complex64"):
        dml_vk.gradient(x, 1j, axis=0, out=x)


@pytest.mark.parametrize("dtype", WIDE)
@tier.examples(6)
@given(first=st.integers(1, 9), second=st.integers(1, 9))
def test_correlations_conjugate_the_second_sequence(dtype, first, second):
    a, v = usual(dtype, first, 1), usual(dtype, second, 1)
    x, y = dml_vk.asarray(a), dml_vk.asarray(v)
    real = dml_vk.real(y)
    for mode in ("full", "same", "valid"):
        close(dml_vk.correlate(x, y, mode), np.correlate(a, v, mode), dtype)
        close(dml_vk.correlate(real, x, mode), np.correlate(v.real, a, mode), dtype)
        close(dml_vk.convolve(x, real, mode), np.convolve(a, v.real, mode), dtype)
        close(dml_vk.convolve(x, y, mode), np.convolve(a, v, mode), dtype)


@pytest.mark.parametrize("dtype", WIDE)
def test_powers_and_pieces(dtype):
    array = usual(dtype, 5, 1)
    x = dml_vk.asarray(array)
    close(dml_vk.vander(x, 4), np.vander(array, 4), dtype)
    close(dml_vk.vander(x, increasing=True), np.vander(array, increasing=True), dtype)
    close(dml_vk.polyval(x, x), np.polyval(array, array), dtype)
    assert_bits(dml_vk.insert(x, 2, 1 - 1j).numpy(), np.insert(array, 2, 1 - 1j))
    assert_bits(dml_vk.append(x, 1j).numpy(), np.append(array, np.asarray(1j, dtype)))
    for name in ("kron", "outer", "inner", "vdot", "dot"):
        expected = getattr(np, name)(array, array.real)
        close(getattr(dml_vk, name)(x, dml_vk.real(x)), expected, dtype)
    assert dml_vk.arange(1, 3, 0.5, dtype=dtype).tolist() == [1, 1.5, 2, 2.5]
    images = dml_vk.asarray(usual(dtype, (2, 3, 2, 2), 1), memory_format=channels_last)
    close(np.trace(images, axis1=2, axis2=3), np.trace(images.numpy(), axis1=2, axis2=3), dtype)
