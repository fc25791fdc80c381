"""Convolutions as PyTorch computes them, in both formats."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk import nn
from dml_vk.layout import Layout
from tests import torch_convolutions

CASES = torch_convolutions.load()


def last(sizes):
    """A layout with the channels innermost."""
    rank = len(sizes)
    return Layout.packed(sizes, (0, *range(2, rank), 1))


@pytest.mark.parametrize("case", range(torch_convolutions.COUNT))
def test_pytorch_gives_the_same(case):
    asked = CASES[case]
    x, weight = [
        torch_convolutions.numbers(asked[name], at) for at, name in enumerate(("x", "weight"))
    ]
    bias = None
    if asked["has_bias"]:
        bias = dml_vk.asarray(torch_convolutions.numbers(torch_convolutions.outputs_of(asked), 2))
    expected = np.float32(asked["y"]).reshape(asked["shape"])
    planes = dml_vk.asarray(x)
    pixels = dml_vk.empty(x.size).over(last(x.shape))
    pixels[...] = planes
    for one in (planes, pixels):
        function = nn.conv_transpose if asked["transposed"] else nn.conv
        found = function(one, dml_vk.asarray(weight), bias, **asked["options"])
        assert np.array_equal(found.numpy(), expected)
