"""Pooling in both memory formats. PyTorch is in the table if it is installed.

Bytes are counted as read once and written.
"""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

import dml_vk
from bench.cases import describe, finish

HAS_TORCH = importlib.util.find_spec("torch") is not None
WHO = ("dml_vk", "torch") if HAS_TORCH else ("dml_vk",)
SIZES = (1, 64, 112, 112)
FORMATS = {"NCHW": dml_vk.contiguous_format, "NHWC": dml_vk.channels_last}
# case: (function, kernel size, other arguments)
CASES = {
    "maxima, 3x3 by 2": ("max_pool", 3, {"stride": 2, "padding": 1}),
    "maxima, 2x2": ("max_pool", 2, {}),
    "means, 3x3 by 2": ("avg_pool", 3, {"stride": 2, "padding": 1}),
}


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("order", FORMATS)
@pytest.mark.parametrize("case", CASES)
def test_pool(benchmark, case, order, who):
    name, kernel, given = CASES[case]
    array = np.random.default_rng(1).standard_normal(SIZES, np.float32)
    x = dml_vk.asarray(array, memory_format=FORMATS[order])
    function = getattr(dml_vk.nn, name)
    expected = function(x, kernel, **given)
    nbytes = x.nbytes + expected.nbytes
    describe(benchmark, "pool", f"{case}, {order}", who, nbytes)
    if who == "torch":
        import torch

        image = torch.from_numpy(array)
        if order == "NHWC":
            image = image.contiguous(memory_format=torch.channels_last)
        pool = getattr(torch.nn.functional, f"{name}2d")
        result = benchmark(pool, image, kernel, **given)
    else:
        result = dml_vk.empty_like(expected)

        def call():
            function(x, kernel, **given, out=result)
            dml_vk.synchronize()

        benchmark(call)
    finish(benchmark, nbytes)
    assert np.array_equal(result.numpy(), expected.numpy())
