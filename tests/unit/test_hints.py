"""Calls as in another library are answered with our names of parameters."""

from __future__ import annotations

import pytest

import dml_vk
from dml_vk import nn
from dml_vk.errors import DTypeError
from dml_vk.hints import hinted

X = dml_vk.ones((1, 2, 4, 4))
ANSWERS = {
    "sum: dim is PyTorch's name: here it is axis; got dim=0": lambda: dml_vk.sum(X, dim=0),
    "mean: dim is PyTorch's name: here it is axis; got dim=1": lambda: X.mean(dim=1),
    "sum: keepdim is .*: here it is keepdims": lambda: dml_vk.sum(X, 0, keepdim=True),
    "permute_dims: dims is PyTorch's name: here it is axes": lambda: dml_vk.permute_dims(X, dims=1),
    "softmax: dim is PyTorch's name": lambda: nn.softmax(X, dim=1),
    "softmax: pass further arguments by name, such as axis=": lambda: nn.softmax(X, 1),
    "max_pool: pass further .*, such as stride=; got argument=2": lambda: nn.max_pool(X, 2, 2),
    "unstack: pass further arguments by name, such as axis=": lambda: dml_vk.unstack(X, 1),
}


@pytest.mark.parametrize("text", ANSWERS)
def test_answers(text):
    with pytest.raises(DTypeError, match=f"^{text}"):
        ANSWERS[text]()


def test_other_errors_stay_as_they_are():
    with pytest.raises(DTypeError, match="sum: x must be a Tensor"):
        dml_vk.sum([1, 2])
    with pytest.raises(TypeError, match="unexpected keyword argument 'size'"):
        dml_vk.sum(X, size=3)

    @hinted
    def wrong(x, *, axis=0):
        raise TypeError("of its own")

    with pytest.raises(TypeError, match="of its own"):
        wrong(X)
