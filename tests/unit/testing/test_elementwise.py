"""The references of operators: answers that are known, by hand or by definition."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dml_vk.kernels.operators import OPERATORS
from dml_vk.testing.elementwise import cast, reference, ulps_apart
from tests.each import each
from tests.real_dtypes import DTYPES

CASES = [
    (operator, dtype)
    for operator in OPERATORS.values()
    for dtype in DTYPES.values()
    if operator.takes(dtype) and operator.name not in ("cast", "whole_power")
]


@each("operator dtype", CASES)
def test_every_operator_has_an_answer_in_every_dtype_it_takes(operator, dtype):
    ones = np.array([0, 1, 3, 2]).astype(dtype.numpy_name)
    found = reference(operator.name, *[ones] * operator.arity)
    assert found.shape == (4,)
    assert found.dtype == DTYPES[operator.result or dtype.name].numpy_name


@pytest.mark.parametrize(
    ("name", "operands", "expected"),
    [
        ("trunc_divide", ([7, -7, 7, -7, 5, -128], [2, 2, -2, -2, 0, -1]), [3, -3, -3, 3, 0, -128]),
        ("floor_divide", ([7, -7, 7, -7, 5, -128], [2, 2, -2, -2, 0, -1]), [3, -4, -4, 3, 0, -128]),
        ("remainder", ([7, -7, 7, -7, 5, -128], [2, 2, -2, -2, 0, -1]), [1, 1, -1, -1, 0, 0]),
        ("pow", ([2, 2, 1, -1, -1, 0, -2], [7, -1, -9, -3, -2, -1, 3]), [-128, 0, 1, -1, 1, 0, -8]),
        ("bitwise_left_shift", ([1, 1, -3, 1], [3, 8, 1, -1]), [8, 0, -6, 0]),
        ("bitwise_right_shift", ([-128, -128, 9, 9], [2, 9, 8, -1]), [-32, -1, 0, 0]),
        ("bitwise_count", ([7, -1, -128],), [3, 1, 1]),
        ("difference_square", ([100, 3], [90, 5]), [100, 4]),
        ("clip_grad", ([1, 2, 3, 4], [5, 6, 7, 8]), [0, 6, 7, 0]),
    ],
)
def test_of_integers(name, operands, expected):
    parameters = {"min": 1, "max": 4} if name == "clip_grad" else {}
    found = reference(name, *[np.int8(operand) for operand in operands], **parameters)
    assert found.tolist() == expected


@pytest.mark.parametrize(
    ("name", "operands", "parameters", "expected"),
    [
        ("maximum", ([0.0, -0.0, 1.0], [-0.0, 0.0, np.nan]), {}, [0.0, 0.0, np.nan]),
        ("minimum", ([0.0, -0.0, 1.0], [-0.0, 0.0, np.nan]), {}, [-0.0, -0.0, np.nan]),
        ("nextafter", ([0.0, -0.0], [-0.0, 0.0]), {}, [-0.0, 0.0]),
        ("relu", ([-1.0, -0.0, 2.0, np.nan],), {}, [0.0, 0.0, 2.0, np.nan]),
        ("elu", ([-np.inf, 0.0, 2.0],), {"alpha": 3.0}, [-3.0, 0.0, 2.0]),
        ("shrink", ([-2.0, 0.5, 2.0],), {"bias": 0.5, "threshold": 1.0}, [-1.5, 0.0, 1.5]),
        ("hard_sigmoid", ([-9.0, 0.0, 9.0],), {}, [0.0, 0.5, 1.0]),
        ("hard_swish", ([-9.0, 9.0],), {}, [-0.0, 9.0]),
        ("softsign", ([-np.inf, 3.0, -1.0],), {}, [-1.0, 0.75, -0.5]),
        ("sigmoid", ([-np.inf, 0.0, np.inf],), {}, [0.0, 0.5, 1.0]),
        ("softplus", ([0.0, np.inf],), {"steepness": 2.0}, [math.log(2) / 2, np.inf]),
        ("gelu", ([-np.inf, 0.0, np.inf],), {}, [-0.0, 0.0, np.inf]),
        ("rsqrt", ([4.0, 0.0, -1.0],), {}, [0.5, np.inf, np.nan]),
        ("where", ([2.0, 0.0, np.nan], [1.0, 1.0, 1.0], [3.0, 3.0, 3.0]), {}, [1.0, 3.0, 1.0]),
    ],
)
def test_of_floats(name, operands, parameters, expected):
    for kind in (np.float16, np.float32):
        found = reference(name, *[np.array(operand, kind) for operand in operands], **parameters)
        assert found.dtype == kind
        assert np.array_equal(found, np.array(expected, kind), equal_nan=True)
        assert np.all((np.signbit(found) == np.signbit(expected)) | np.isnan(found))


def test_float16_is_computed_in_float32_and_rounded_once():
    a, b = np.float16(2049 - 1), np.float16(1.5)
    assert reference("mean_of_two", a, b) == np.float16(1024.75)
    big = np.float16(60000)
    assert reference("mean_of_two", big, big) == big


def test_operands_promote_and_broadcast():
    found = reference("subtract", np.uint8([[1], [2]]), np.int8([3, 4, 5]))
    assert found.dtype == np.int16
    assert found.tolist() == [[-2, -3, -4], [-1, -2, -3]]


@pytest.mark.parametrize(
    ("given", "to", "expected"),
    [
        (np.float32([-1.9, 1.9, 300, -300, np.nan, np.inf]), "int8", [-1, 1, 127, -128, 0, 127]),
        (np.float32([-1, np.inf]), "uint64", [0, 2**64 - 1]),
        (np.float64([2.0**63, -(2.0**63), 2.0**62]), "int64", [2**63 - 1, -(2**63), 2**62]),
        (np.float32([0.0, -0.0, 0.5, np.nan]), "bool_", [False, False, True, True]),
        (np.int32([-1, 256, 257]), "uint8", [255, 0, 1]),
        (
            np.float32([65519, 65520, 2.0**-25, -(2.0**-24)]),
            "float16",
            [65504, np.inf, 0, -(2**-24)],
        ),
        (np.int64([2**24 + 1, 2**53 + 1]), "float32", [2.0**24, 2.0**53]),
        (np.array([True, False]), "float64", [1.0, 0.0]),
    ],
)
def test_casts(given, to, expected):
    found = cast(given, to)
    assert found.dtype == DTYPES[to].numpy_name
    assert found.tolist() == expected


def test_steps_between_floats():
    ones = np.float32([1, 1, -1, 0.0, np.inf, np.nan, np.nan, 1])
    near = np.nextafter(ones, np.float32(2))
    assert ulps_apart(ones, near)[:4].tolist() == [1, 1, 1, 1]
    others = np.float32([1, -1, 1, -0.0, np.finfo(np.float32).max, np.nan, 1, np.nan])
    found = ulps_apart(ones, others)
    assert found.tolist() == [0, 2 * 0x3F800000, 2 * 0x3F800000, 0, 1, 0, np.inf, np.inf]
    assert ulps_apart(np.float16([1]), np.float16([1.002])).tolist() == [2]
