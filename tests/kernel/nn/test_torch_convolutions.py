"""Convolutions as PyTorch computes them, in both formats."""

from __future__ import annotations

import numpy as np

import dml_vk
from dml_vk import nn
from dml_vk.layout import Layout
from tests import tier, torch_convolutions

CASES = torch_convolutions.load()


def last(sizes):
    """A layout with the channels innermost."""
    rank = len(sizes)
    return Layout.packed(sizes, (0, *range(2, rank), 1))


@tier.parametrize("case is_last", tier.some(range(torch_convolutions.COUNT), 12), [False, True])
def test_pytorch_gives_the_same(case, is_last):
    asked = CASES[case]
    x, weight = [
        torch_convolutions.numbers(asked[name], at) for at, name in enumerate(("x", "weight"))
    ]
    bias = None
    if asked["has_bias"]:
        bias = dml_vk.asarray(torch_convolutions.numbers(torch_convolutions.outputs_of(asked), 2))
    expected = np.float32(asked["y"]).reshape(asked["shape"])
    given = planes = dml_vk.asarray(x)
    if is_last:
        given = dml_vk.empty(x.size).over(last(x.shape))
        given[...] = planes
    function = nn.conv_transpose if asked["transposed"] else nn.conv
    found = function(given, dml_vk.asarray(weight), bias, **asked["options"])
    assert np.array_equal(found.numpy(), expected)
