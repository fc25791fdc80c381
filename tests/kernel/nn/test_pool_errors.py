"""What pooling refuses, in the words of its arguments, before any work is queued."""

from __future__ import annotations

import re

import numpy as np
import pytest

import dml_vk
from dml_vk import nn
from dml_vk.errors import DmlVkError

X = np.ones((2, 3, 6, 6), np.float32)
BAD = {
    "max_pool: x must be a Tensor": lambda x: nn.max_pool(X, 2),
    "max_pool: x must have 3 to 5 dims": lambda x: nn.max_pool(x[0, 0], 2),
    "max_pool: spatial dims of x must not be empty": lambda x: nn.max_pool(x[:, :, :0], 2),
    "max_pool: dtype must be one of int8": lambda x: nn.max_pool(x.astype("int64"), 2),
    "avg_pool: dtype must be one of float16": lambda x: nn.avg_pool(x.astype("int32"), 2),
    "lp_pool: dtype must be one of float16": lambda x: nn.lp_pool(x.astype("int32"), 2, 2),
    "max_pool: kernel_size must be an integer": lambda x: nn.max_pool(x, (2, 2, 2)),
    "max_pool: kernel_size must be from 1": lambda x: nn.max_pool(x, 0),
    "max_pool: stride must be from 1": lambda x: nn.max_pool(x, 2, stride=(1, 0)),
    "max_pool: dilation must be an integer": lambda x: nn.max_pool(x, 2, dilation="2"),
    "max_pool: padding must be from 0": lambda x: nn.max_pool(x, 2, padding=-1),
    "max_pool: padding must be smaller": lambda x: nn.max_pool(x, 2, padding=2),
    "max_pool: padding must be numbers": lambda x: nn.max_pool(x, 2, padding="full"),
    "max_pool: windows must fit": lambda x: nn.max_pool(x, 7),
    "max_pool: ceil_mode must be a bool": lambda x: nn.max_pool(x, 2, ceil_mode=1),
    "max_pool: return_indices must be a bool": lambda x: nn.max_pool(x, 2, return_indices=0),
    "max_pool: out must be None if": lambda x: nn.max_pool(x, 2, return_indices=True, out=x),
    "max_pool: out must have the shape": lambda x: nn.max_pool(x, 2, out=x),
    "max_pool: windows must have at most": lambda x: nn.max_pool(
        dml_vk.ones((1, 1, 1)).expand((1, 1, 2**25)), 2**24 + 1
    ),
    "avg_pool: out must have the dtype": lambda x: nn.avg_pool(
        x, 2, out=dml_vk.empty((2, 3, 3, 3), dtype="float16")
    ),
    "avg_pool: out has overlapping elements": lambda x: nn.avg_pool(
        x, 2, out=dml_vk.empty((1, 3, 3, 3)).expand((2, 3, 3, 3))
    ),
    "avg_pool: count_include_pad must be": lambda x: nn.avg_pool(x, 2, count_include_pad=None),
    "lp_pool: p must be a real number": lambda x: nn.lp_pool(x, "2", 2),
    "lp_pool: p must be from": lambda x: nn.lp_pool(x, 0, 2),
    "adaptive_avg_pool: output_size must be": lambda x: nn.adaptive_avg_pool(x, (None, None, 1)),
    "adaptive_max_pool: output_size must be": lambda x: nn.adaptive_max_pool(x, -1),
    "adaptive_max_pool: out must be None": lambda x: nn.adaptive_max_pool(
        x, 2, return_indices=True, out=x
    ),
    "adaptive_max_pool: windows of different sizes": lambda x: nn.adaptive_max_pool(
        dml_vk.ones((1, 1, 1)).expand((1, 1, 2**20)), 2**12 + 1
    ),
    "global_avg_pool: dtype must be one of": lambda x: nn.global_avg_pool(x.astype("int8")),
    "global_avg_pool: out must have the shape": lambda x: nn.global_avg_pool(x, out=x),
    "global_max_pool: spatial dims": lambda x: nn.global_max_pool(x[..., :0]),
    "max_unpool: indices must have the shape": lambda x: nn.max_unpool(
        x, dml_vk.zeros((2, 3, 6, 1), dtype="int64"), 6
    ),
    "max_unpool: dtype must be one of int64": lambda x: nn.max_unpool(x, x, 6),
    "max_unpool: output_size must be": lambda x: nn.max_unpool(
        x, dml_vk.zeros(x.shape, dtype="int64"), (6,)
    ),
}


@pytest.mark.parametrize("rule", BAD)
def test_bad_arguments_are_errors_in_their_own_words(rule):
    x = dml_vk.asarray(X)
    with pytest.raises(DmlVkError, match="^" + re.escape(rule)):
        BAD[rule](x)
    assert np.array_equal(x.numpy(), X)


@pytest.mark.parametrize("wrong", [-1, 16, 2**32, -(2**63)])
def test_indices_out_of_range_leave_the_result_as_it_was(wrong):
    x = dml_vk.ones((1, 1, 2, 2))
    out = dml_vk.full((1, 1, 4, 4), 7.0)
    indices = dml_vk.asarray(np.array([[[[0, 5], [10, wrong]]]]))
    with pytest.raises(DmlVkError, match=r"^max_unpool: index is out of bounds"):
        nn.max_unpool(x, indices, 4, out=out)
    assert (out.numpy() == 7).all()
