"""Padding with statistics and ramps, beside NumPy's, to the bit where NumPy's are exact."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import LayoutError
from tests import tier
from tests.chance import chance
from tests.kernel.forms import few_forms

MODES = ("maximum", "minimum", "mean", "median", "linear_ramp")
WIDTHS = (2, (0, 3), ((1, 2), (3, 0)))


@tier.parametrize("mode dtype", MODES, ["float32", "int32", "uint8", "float64", "float16"])
def test_all_modes(mode, dtype):
    array = (chance().normal(size=(4, 5)) * 20).astype("int32").astype(dtype)
    lengths = ({}, {"stat_length": 2}, {"stat_length": ((1, 2), (3, 9))})
    ends = ({}, {"end_values": 5}, {"end_values": ((1, 2), (3, 4))})
    for turn, widths in enumerate(WIDTHS):
        for named in ends if mode == "linear_ramp" else lengths:
            for x in few_forms(array, turn):
                expected = np.pad(array, widths, mode, **named)
                found = np.pad(x, widths, mode, **named)
                assert found.numpy().dtype == expected.dtype
                exact = np.dtype(dtype).kind in "iu" or mode in MODES[:2]
                limit = 0 if exact else 2 * np.finfo(dtype).eps
                np.testing.assert_allclose(found.numpy(), expected, limit, limit)


def test_complex_ramps_empty_and_out():
    array = (chance().normal(size=3) + 2j).astype(np.complex64)
    found = dml_vk.pad(dml_vk.asarray(array), 2, mode="linear_ramp", end_values=1j)
    np.testing.assert_allclose(found.numpy(), np.pad(array, 2, "linear_ramp", end_values=1j), 1e-6)
    x = dml_vk.asarray([1.0, 2.0])
    out = dml_vk.zeros(5)
    assert dml_vk.pad(x, (1, 2), mode="empty", out=out) is out
    assert out.tolist() == [0.0, 1.0, 2.0, 0.0, 0.0]
    assert dml_vk.pad(dml_vk.zeros((0, 2)), ((0, 0), (1, 1)), mode="mean").shape == (0, 4)


@pytest.mark.parametrize(
    ("named", "text"),
    [
        ({"mode": "mean", "stat_length": -1}, "pad: stat_length must not be negative"),
        ({"mode": "maximum", "stat_length": 0}, "pad: stat_length must be positive in this mode"),
        ({"mode": "mean", "stat_length": (1, 2, 3)}, "pad: stat_length must be a positive integer"),
        ({"mode": "linear_ramp", "end_values": (1, 2, 3)}, "pad: end_values must be a number"),
        ({"mode": "linear_ramp", "end_values": "a"}, "pad: end_values must be numbers"),
    ],
)
def test_refusals(named, text):
    with pytest.raises(LayoutError, match=text):
        dml_vk.pad(dml_vk.ones((2, 2)), 1, **named)
    with pytest.raises(LayoutError, match="no dim may be empty"):
        dml_vk.pad(dml_vk.ones((0, 2)), 1, mode="mean")
