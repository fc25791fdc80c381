"""Statistics of complex numbers, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.errors import DTypeError
from dml_vk.layout import channels_last
from tests import tier
from tests.kernel.complex.numbers import EITHER, INF, NAN, SPECIAL, assert_bits, part, usual

SIZES = (2, 3, 4, 5)
AXES = [None, 1, (0, 3), (2, 1)]


def close(found, expected, dtype: str) -> None:
    """The result of a computation in this dtype: NumPy's is one of float64."""
    assert found.dtype.numpy_name == dtype
    assert found.shape == expected.shape
    few = {"4": 3e-6, "8": 1e-13}[str(np.finfo(dtype).dtype.itemsize)]
    assert np.allclose(found.numpy(), expected, rtol=few, atol=few, equal_nan=True)


@pytest.mark.filterwarnings("ignore:Degrees of freedom <= 0")
@pytest.mark.parametrize("dtype", EITHER)
@tier.examples(6)
@given(axis=st.sampled_from(AXES), less=st.sampled_from([0, 1, 2.5]), kept=st.booleans())
def test_variances_are_real(dtype, axis, less, kept):
    array = usual(dtype, SIZES, 1)
    wide = array.astype("complex128")
    x = dml_vk.asarray(array, memory_format=channels_last)
    found = dml_vk.var(x, axis=axis, correction=less, keepdims=kept)
    close(found, wide.var(axis, ddof=less, keepdims=kept), part(dtype))
    rows = dml_vk.asarray(array)
    assert found.tolist() == dml_vk.var(rows, axis=axis, correction=less, keepdims=kept).tolist()
    spread = dml_vk.std(x, axis=axis, correction=less, keepdims=kept)
    close(spread, wide.std(axis, ddof=less, keepdims=kept), part(dtype))
    assert_bits(spread.numpy(), np.sqrt(found.numpy()))
    lost = array.copy()
    lost[0, 1, 2:, 1:4] = complex(NAN, 1)
    lost[1, 0, 0] = complex(1, NAN)
    y = dml_vk.asarray(lost, memory_format=channels_last)
    wide = lost.astype("complex128")
    for name in ("nanvar", "nanstd"):
        found = getattr(dml_vk, name)(y, axis=axis, correction=less, keepdims=kept)
        expected = getattr(np, name)(wide, axis, ddof=less, keepdims=kept)
        close(found, expected, part(dtype))
    close(dml_vk.nanmean(y, axis=axis), np.nanmean(wide, axis), dtype)


def test_variances_have_outs_of_floats_and_bounds():
    x = dml_vk.asarray([[1 + 1j, 3 - 1j], [2j, 4]])
    out = dml_vk.empty((2, 1))
    assert dml_vk.var(x, axis=1, keepdims=True, out=out) is out
    assert out.tolist() == [[2.0], [5.0]]
    assert dml_vk.nanvar(x, axis=1, keepdims=True, out=out).tolist() == [[2.0], [5.0]]
    assert np.isnan(dml_vk.var(dml_vk.zeros(0, "complex64")).item())
    assert dml_vk.var(x[0, 0]).item() == 0
    assert dml_vk.var(x, correction=9).item() == INF
    with pytest.raises(DTypeError, match=r"^var: out must have the dtype float32"):
        dml_vk.var(x, out=dml_vk.empty((), "complex64"))
    # A part that is infinite makes the deviation of the whole NaN.
    assert np.isnan(dml_vk.var(dml_vk.asarray([complex(INF, 1), 1])).item())
    assert np.var(x).item() == x.var().item() == np.var(x.numpy())
    assert np.std(x, dtype="complex128").dtype is dml_vk.float64


@pytest.mark.parametrize("dtype", EITHER)
def test_weighted_means(dtype):
    array, other = usual(dtype, SIZES, 1), usual(dtype, SIZES, 1)
    x = dml_vk.asarray(array, memory_format=channels_last)
    real = abs(other.real).astype("float32")
    wide = array.astype("complex128")
    for axis in AXES:
        for weights in (real, other):
            found, total = dml_vk.average(x, axis, dml_vk.asarray(weights), True, keepdims=True)
            expected = np.average(wide, axis, weights.astype("complex128"), True, keepdims=True)
            scale = float(abs(expected[0]).max()) + 1
            close(found / scale, expected[0] / scale, dtype)
            close(total, expected[1], dtype)
    heavy = dml_vk.asarray(other)
    found = dml_vk.average(dml_vk.asarray(array.real.copy()), weights=heavy)
    assert np.allclose(found.numpy(), np.average(array.real, weights=other), rtol=1e-4)
    assert dml_vk.average(dml_vk.asarray([1, 3]), weights=dml_vk.asarray([1j, 1j])).item() == 2


@pytest.mark.parametrize("dtype", EITHER)
def test_covariances(dtype):
    array, other = usual(dtype, (3, 40), 1), usual(dtype, (2, 40), 1)
    x, y, wide = dml_vk.asarray(array), dml_vk.asarray(other), array.astype("complex128")
    close(dml_vk.cov(x), np.cov(wide), dtype)
    close(dml_vk.cov(x.T, rowvar=False, ddof=3), np.cov(wide, ddof=3), dtype)
    close(dml_vk.cov(x, dml_vk.real(y)), np.cov(wide, other.real.astype("float64")), dtype)
    close(dml_vk.corrcoef(x, y), np.corrcoef(wide, other.astype("complex128")), dtype)
    often = np.arange(40) % 3 + 1
    much = np.linspace(1, 2, 40, dtype="float32")
    found = dml_vk.cov(x, fweights=dml_vk.asarray(often), aweights=dml_vk.asarray(much))
    close(found, np.cov(wide, fweights=often, aweights=much), dtype)
    assert dml_vk.corrcoef(x[0]).item() == 1
    # Both parts are clipped.
    same = dml_vk.corrcoef(dml_vk.stack([x[0], x[0] * 1j, x[0] * (1 + 1j)])).numpy()
    assert max(abs(same.real).max(), abs(same.imag).max()) <= 1
    assert np.cov(x).tolist() == dml_vk.cov(x).tolist()
    real = dml_vk.cov(dml_vk.asarray([[1.0, 2.0], [3.0, 5.0]]), dtype="complex64")
    assert real.tolist() == [[0.5, 1.0], [1.0, 2.0]]


@pytest.mark.parametrize("dtype", EITHER)
@tier.examples(6)
@given(
    numbers=st.fixed_dictionaries(
        {}, optional={"nan": st.just(7), "posinf": st.just(INF), "neginf": st.just(-3)}
    )
)
def test_each_part_that_is_no_number_is_replaced(dtype, numbers):
    array = np.array(SPECIAL, dtype).reshape(8, 8)
    x = dml_vk.asarray(array)
    assert_bits(dml_vk.nan_to_num(x.T, **numbers).numpy(), np.nan_to_num(array.T, **numbers))
    assert dml_vk.nan_to_num(x, out=x, **numbers) is x
    assert_bits(x.numpy(), np.nan_to_num(array, **numbers))


def test_numpys_functions_of_nan_take_complex_tensors():
    array = np.array([[1 + 2j, complex(NAN, 1)], [3j, complex(2, NAN)]], "complex64")
    x = dml_vk.asarray(array)
    reductions = ["sum", "prod", "mean", "var", "std", "cumsum", "cumprod"]
    for name in ["nan_to_num", *[f"nan{name}" for name in reductions]]:
        call = getattr(np, name)
        assert np.allclose(np.asarray(call(x)), call(array), rtol=1e-6), name
