"""Pooling in both memory formats. PyTorch is in the table if it is installed.

Bytes are counted as read once and written.
"""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from bench.cases import FORMATS, OTHERS, channels_last, measure

SIZES = (1, 64, 112, 112)
# case: (function, kernel size, other arguments)
CASES = {
    "maxima, 3x3 by 2": ("max_pool", 3, {"stride": 2, "padding": 1}),
    "maxima, 2x2": ("max_pool", 2, {}),
    "means, 3x3 by 2": ("avg_pool", 3, {"stride": 2, "padding": 1}),
}


@pytest.mark.parametrize("who", ["dml_vk", *OTHERS])
@pytest.mark.parametrize("order", FORMATS)
@pytest.mark.parametrize("case", CASES)
def test_pool(benchmark, case, order, who):
    name, kernel, options = CASES[case]
    array = np.random.default_rng(1).standard_normal(SIZES, np.float32)
    array = channels_last(array) if order == "NHWC" else array
    function = getattr(dml_vk.nn, name)
    expected = function(dml_vk.asarray(array), kernel, **options)
    out = dml_vk.empty_like(expected)
    calls = {
        "dml_vk": lambda xp, x: function(x, kernel, **options, out=out),
        "torch": lambda xp, x: getattr(xp.nn.functional, f"{name}2d")(x, kernel, **options),
    }
    nbytes = array.nbytes + expected.nbytes
    result = measure(benchmark, "pool", f"{case}, {order}", who, calls, [array], nbytes)
    assert np.array_equal(result, expected.numpy())
