"""Pooling against PyTorch: to the bit where sums are exact, with its indices."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk import nn
from dml_vk.layout import channels_last
from tests import tier, torch_pooling

CASES = torch_pooling.load(6)


def ours(case, x):
    """(values, indices or None)"""
    function = case["function"]
    if function == "max":
        return nn.max_pool(x, **case["given"], return_indices=True)
    if function == "adaptive_max":
        return nn.adaptive_max_pool(x, case["sizes"], return_indices=True)
    if function == "adaptive_avg":
        return nn.adaptive_avg_pool(x, case["sizes"]), None
    if function == "lp":
        return nn.lp_pool(x, 2, **case["given"]), None
    return nn.avg_pool(x, **case["given"]), None


@pytest.mark.parametrize("function", torch_pooling.FUNCTIONS)
def test_results_are_pytorchs_in_both_formats(function):
    cases = [case for case in CASES if case["function"] == function]
    assert len(cases) == 6
    for case, one in tier.crossed(cases, (dml_vk.contiguous_format, channels_last)):
        expected = np.array(list(map(float, case["values"].split())), np.float32)
        expected = expected.reshape(case["sizes_found"])
        x = dml_vk.asarray(torch_pooling.numbers(case), memory_format=one)
        values, indices = ours(case, x)
        found = values.numpy()
        # PyTorch divides by the sizes of windows dim by dim, and takes roots by powers.
        close = {"adaptive_avg": 2.0**-22, "lp": 2.0**-22}.get(function, 0)
        np.testing.assert_allclose(found, expected, rtol=close, equal_nan=True)
        there = ~np.isnan(expected)
        assert np.array_equal(np.signbit(found[there]), np.signbit(expected[there])), case
        if case["indices"] is not None:
            assert indices.numpy().ravel().tolist() == case["indices"], case
