"""Calls as in another library are answered with our names of parameters."""

from __future__ import annotations

import inspect
import pickle

import pytest

import dml_vk
from dml_vk import linalg, nn
from dml_vk.errors import DTypeError
from dml_vk.hints import hinted

X = dml_vk.ones((1, 2, 4, 4))
ANSWERS = {
    "sum: dim is PyTorch's name: here it is axis; got dim=0": lambda: dml_vk.sum(X, dim=0),
    "mean: dim is PyTorch's name: here it is axis; got dim=1": lambda: X.mean(dim=1),
    "sum: keepdim is .*: here it is keepdims": lambda: dml_vk.sum(X, 0, keepdim=True),
    "permute_dims: dims is PyTorch's name: here it is axes": lambda: dml_vk.permute_dims(X, dims=1),
    "squeeze: dim is PyTorch's name: here it is axis": lambda: dml_vk.squeeze(X, dim=0),
    "softmax: dim is PyTorch's name": lambda: nn.softmax(X, dim=1),
    "softmax: pass further arguments by name, such as axis=": lambda: nn.softmax(X, 1),
    "max_pool: pass further .*, such as stride=; got argument=2": lambda: nn.max_pool(X, 2, 2),
    "unstack: pass further arguments by name, such as axis=": lambda: dml_vk.unstack(X, 1),
}


@pytest.mark.parametrize("text", ANSWERS)
def test_answers(text):
    with pytest.raises(DTypeError, match=f"^{text}"):
        ANSWERS[text]()


def test_no_function_passes_through_more_than_one():
    for module in (dml_vk, linalg, nn):
        for name in module.__all__:
            own = getattr(getattr(module, name), "__wrapped__", None)
            assert not hasattr(own, "__wrapped__"), name


def test_other_errors_stay_as_they_are():
    with pytest.raises(DTypeError, match="sum: x must be a Tensor"):
        dml_vk.sum([1, 2])
    with pytest.raises(TypeError, match="unexpected keyword argument 'size'"):
        dml_vk.sum(X, size=3)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        dml_vk.sum(x=X)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'axis'"):
        dml_vk.squeeze(X)
    with pytest.raises(TypeError, match="takes from 1 to 2 positional arguments but 3 were given"):
        dml_vk.transpose(X, 0, 1)

    @hinted
    def wrong(x, y=2, /, z=3, *, axis=4, other):
        """What it does."""
        raise TypeError(f"of its own: {x, y, z, axis, other}")

    with pytest.raises(TypeError, match=r"of its own: \(1, 2, 3, 4, 5\)"):
        wrong(1, other=5)
    with pytest.raises(TypeError, match=r"of its own: \(1, 6, 7, 8, 9\)"):
        wrong(1, 6, z=7, other=9, axis=8)
    assert str(inspect.signature(wrong)) == "(x, y=2, /, z=3, *, axis=4, other)"
    assert (wrong.__doc__, wrong.__name__) == ("What it does.", "wrong")
    assert pickle.loads(pickle.dumps(dml_vk.sum)) is dml_vk.sum
