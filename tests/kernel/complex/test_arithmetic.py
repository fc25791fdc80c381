"""Complex arithmetic: sums of parts, products as written, quotients within an ULP, infinities."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.errors import DTypeError
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.kernel.complex.numbers import (
    DTYPES,
    INF,
    NAN,
    SPECIAL,
    assert_bits,
    in_layout,
    part,
    ulps,
    usual,
)
from tests.kernel.memory import bits, check_writes


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Each operation rounded, which NumPy leaves to the processor."""
    a, b = np.broadcast_arrays(a, b)
    with np.errstate(all="ignore"):
        real = a.real * b.real - a.imag * b.imag
        imag = a.real * b.imag + a.imag * b.real
    return np.stack([real, imag], -1).view(a.dtype)[..., 0]


def quotient(a: complex, b: complex) -> complex:
    """Exact, and then rounded to float64."""
    x, y, c, d = map(Fraction, (a.real, a.imag, b.real, b.imag))
    size = c * c + d * d
    return complex((x * c + y * d) / size, (y * c - x * d) / size)


OPERATIONS = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": product,
    "equal": lambda a, b: a == b,
    "not_equal": lambda a, b: a != b,
    "logical_and": np.logical_and,
    "negative": lambda a, b: -a,
    "conj": lambda a, b: np.conj(a),
    "square": lambda a, b: product(a, a),
    "positive": lambda a, b: a,
}


@tier.parametrize("name dtype", OPERATIONS, DTYPES)
@tier.examples(8)
@given(data=st.data())
def test_any_layout_and_nothing_beside_it(name, dtype, data):
    layout = data.draw(targets(max_rank=4))
    cut = data.draw(st.integers(0, layout.rank))
    a, one = in_layout(dtype, data.draw(layouts(sizes=layout.sizes)), usual(dtype, layout.sizes))
    other = layout.sizes[cut:]
    b, two = in_layout(dtype, data.draw(layouts(sizes=other)), usual(dtype, other))
    expected = np.array(OPERATIONS[name](one, two), order="C")
    function = getattr(dml_vk, name)
    operands = (a,) if name in ("negative", "conj", "square", "positive") else (a, b)
    if expected.dtype == bool:
        assert np.array_equal(function(*operands).numpy(), expected)
        return
    check_writes(
        lambda y: function(*operands, out=y.view(dtype)),
        layout,
        np.dtype(dtype).itemsize,
        bits(expected),
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_quotients_are_within_an_ulp(dtype):
    wide = {"complex64": 60, "complex128": 500}[dtype]
    for spread in (4, wide):
        a, b = usual(dtype, 300, spread), usual(dtype, 300, spread)
        a[:3], b[:3] = [1 + 1e-30j, 1, 1e38 + 1e38j], [1 + 1e-30j, 1e-30 + 1e-38j, 1e38 - 1e38j]
        expected = np.array([quotient(x, y) for x, y in zip(a.tolist(), b.tolist())])
        assert ulps(dml_vk.divide(dml_vk.asarray(a), dml_vk.asarray(b)).numpy(), expected) <= 1
        inverse = np.array([quotient(1, y) for y in b.tolist()])
        assert ulps(dml_vk.reciprocal(dml_vk.asarray(b)).numpy(), inverse) <= 1


@pytest.mark.parametrize("dtype", DTYPES)
def test_special_values_are_c99s(dtype):
    a = np.repeat(np.array(SPECIAL, dtype), len(SPECIAL))
    b = np.tile(np.array(SPECIAL, dtype), len(SPECIAL))
    x, y = dml_vk.asarray(a), dml_vk.asarray(b)
    infinite, other = np.isinf(a), np.isinf(b)
    zero, nothing = a == 0, b == 0
    finite, bounded = np.isfinite(a), np.isfinite(b)
    found = dml_vk.multiply(x, y).numpy()
    usual_ones = finite & bounded
    assert_bits(found[usual_ones], product(a, b)[usual_ones])
    # An infinity times anything but zero and NaN is an infinity, whatever its other part is.
    far = infinite & other | infinite & bounded & ~nothing | other & finite & ~zero
    assert np.isinf(found[far]).all()
    found = dml_vk.divide(x, y).numpy()
    assert np.isinf(found[infinite & bounded]).all()
    assert (found[finite & other] == 0).all()
    assert np.isinf(found[finite & ~zero & nothing]).all()
    assert np.isnan(found[zero & nothing]).all()
    assert np.isnan(found[infinite & other]).all()
    for function in ("isnan", "isinf", "isfinite", "logical_not"):
        assert np.array_equal(getattr(dml_vk, function)(x).numpy(), getattr(np, function)(a))


def test_one_infinite_part_is_enough():
    x = dml_vk.asarray([complex(INF, NAN), complex(NAN, -INF), 1 + 1j, 2j, 0j])
    y = dml_vk.asarray([2 + 0j, 1j, complex(INF, NAN), 0j, 0j])
    found = dml_vk.multiply(x, y).numpy()
    assert found[:3].real.tolist() == [INF, INF, INF]
    found = dml_vk.divide(x, y).numpy()
    assert found[0].real == INF
    assert found[2].tolist() == 0
    assert found[3].imag == INF
    assert np.isnan(found[4])


@pytest.mark.parametrize("dtype", DTYPES)
def test_operands_of_other_kinds(dtype):
    array = usual(dtype, (3, 4))
    x, real = dml_vk.asarray(array), part(dtype)
    for number in (2, 0.5, True, 1j, 2 - 3j, np.complex64(1 + 1j), np.float16(0.25)):
        plain = getattr(number, "item", lambda number=number: number)()
        same = np.full((), plain, dtype)
        for found, expected in (
            (x + number, array + same),
            (number * x, product(np.broadcast_to(same, array.shape), array)),
            (number - x, same - array),
            (x == number, array == same),
        ):
            assert found.dtype.numpy_name in (dtype, "bool")
            assert np.array_equal(found.numpy(), expected)
    for other in ("bool", "uint8", "int64", "float16", real, "complex64"):
        values = np.arange(4).astype(other)
        y = dml_vk.asarray(values)
        for found in (x + y, y + x):
            assert_bits(found.numpy(), array + values.astype(dtype))
    assert (dml_vk.zeros(2, "float64") + 1j).dtype is dml_vk.complex128
    assert (dml_vk.zeros(2, "int8") + 1j).tolist() == [1j, 1j]
    assert (dml_vk.zeros(2, "float16") * 1j).dtype is dml_vk.complex64
    assert (dml_vk.zeros(2, "float64") + x[0, :2]).dtype is dml_vk.complex128


@pytest.mark.parametrize("dtype", DTYPES)
def test_in_place(dtype):
    array = np.array([1 + 2j, 3 - 4j], dtype)
    x = dml_vk.asarray(array)
    y = x
    y += 1
    y *= 2j
    y -= dml_vk.asarray([1.5, 2], "float32")
    y /= dml_vk.asarray([2, 4])
    assert y is x
    assert np.allclose(x.numpy(), ((array + 1) * 2j - [1.5, 2]) / [2, 4])
    with pytest.raises(DTypeError, match=r"add: cannot cast the in-place result to float32; got"):
        dml_vk.real(dml_vk.zeros(2, "complex64")).__iadd__(1j)


def test_where_takes_numbers_for_either_and_any_condition():
    for dtype in DTYPES:
        mask = dml_vk.asarray([True, False])
        x = dml_vk.asarray([1 + 1j, 2j], dtype)
        assert dml_vk.where(mask, 1j, x).tolist() == [1j, 2j]
        assert dml_vk.where(mask, x, 3).tolist() == [1 + 1j, 3]
        assert dml_vk.where(mask, 2j, 3).tolist() == [2j, 3]
        assert dml_vk.where(mask, dml_vk.ones(2, "float16"), x).tolist() == [1, 2j]
        assert dml_vk.where(mask, dml_vk.ones(2, "complex64"), x).tolist() == [1, 2j]
        assert dml_vk.where(dml_vk.asarray([0j, -0.0 + 1j], dtype), 1, 2).tolist() == [2, 1]


def test_what_has_no_complex_meaning_says_so():
    x = dml_vk.asarray([1j])
    for name in (
        *("less", "less_equal", "greater", "greater_equal", "floor_divide", "remainder", "maximum"),
        *("minimum", "fmod", "copysign", "nextafter", "hypot", "atan2", "logaddexp"),
        *("bitwise_and", "bitwise_or"),
    ):
        with pytest.raises(DTypeError, match=f"^{name}: dtype must be one of .*; got dtype=dml_vk"):
            getattr(dml_vk, name)(x, x)
    for name in ("floor", "ceil", "trunc", "signbit", "bitwise_invert", "relu"):
        with pytest.raises(DTypeError, match=f"^{name}: dtype must be one of"):
            getattr(dml_vk, name)(x)
