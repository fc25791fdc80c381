"""Calls of functions with NumPy's arrays, made with tensors, and what comes out of both."""

from __future__ import annotations

import warnings
from operator import attrgetter
from typing import Any

import array_api_compat.numpy
import numpy as np

import dml_vk
from dml_vk.tensor.core import Tensor


def numpys(name: str) -> Any:
    """NumPy's function; where an older NumPy has none of the name, what stands in for it."""
    find = attrgetter(name)
    try:
        return find(np)
    except AttributeError:
        return find(array_api_compat.numpy)


def given(value: Any) -> Any:
    """Tensors in place of NumPy's arrays, wherever they are."""
    if isinstance(value, np.ndarray):
        return dml_vk.asarray(value)
    return [given(one) for one in value] if isinstance(value, list) else value


def check_same(name: str, found: Any, expected: Any) -> None:
    """Tensors where NumPy has arrays, of its shapes and dtypes and near its values."""
    if isinstance(expected, tuple | list):
        assert isinstance(found, tuple | list), name
        assert len(found) == len(expected), name
        for one, two in zip(found, expected):
            check_same(name, one, two)
    elif isinstance(found, Tensor):
        assert found.shape == expected.shape, name
        assert found.dtype.numpy_name == expected.dtype.name, name
        assert np.allclose(found.numpy(), expected, rtol=1e-5, atol=1e-6), name
    else:
        assert not isinstance(expected, np.ndarray), name
        assert getattr(found, "numpy_name", found) == getattr(expected, "name", expected), name


def check_call(name: str, call: list[Any], ours: Any, theirs: str = "") -> None:
    """A function of ours, or of NumPy's on tensors. The last of a call may be a dict of options."""
    named = call[-1] if isinstance(call[-1], dict) else {}
    placed = call[: len(call) - bool(named)]
    with warnings.catch_warnings():
        # What newer versions of NumPy advise against, older programs still call.
        warnings.simplefilter("ignore", DeprecationWarning)
        expected = numpys(theirs or name)(*placed, **named)
    function = attrgetter(name)(ours)
    check_same(
        name, function(*given(placed), **{key: given(one) for key, one in named.items()}), expected
    )
