"""A plugin of pytest: tests that are written for CuPy get tensors instead, by the name cupy.

What CuPy has of NumPy's names is NumPy's here, uploaded: only the arrays matter.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

import dml_vk.dask
from dml_vk.dtypes import DType
from dml_vk.tensor.core import Tensor

MAKERS = ("arange", "array", "asanyarray", "asarray", "empty", "eye", "full", "ones", "zeros")


def _down(value: Any) -> Any:
    return value.numpy() if isinstance(value, Tensor) else value


def _uploaded(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*given: Any, **named: Any) -> Any:
        found = function(*map(_down, given), **{key: _down(one) for key, one in named.items()})
        return dml_vk.asarray(found) if isinstance(found, np.ndarray) else found

    return call


class _Random:
    """NumPy's generator, or its functions, with results as tensors."""

    def __init__(self, source: Any) -> None:
        self._source = source

    def __getattr__(self, name: str) -> Any:
        return _uploaded(getattr(self._source, name))


class _RandomModule(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        return _uploaded(getattr(np.random, name))


class _Module(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


def pytest_configure() -> None:
    """What collects doctests imports this file too, which must change nothing for other tests."""
    random = _RandomModule("cupy.random")
    random.RandomState = lambda *given: _Random(np.random.RandomState(*given))
    random.default_rng = lambda *given: _Random(np.random.default_rng(*map(_down, given)))
    random.random = lambda size, dtype=float: dml_vk.asarray(np.random.random(size).astype(dtype))
    cupy = _Module("cupy")
    cupy.__version__ = "13.0"
    cupy.ndarray = Tensor
    cupy.asnumpy = lambda x, **_: np.asarray(_down(x))
    for name in (
        "arange",
        "array",
        "asanyarray",
        "asarray",
        "empty",
        "eye",
        "full",
        "ones",
        "zeros",
    ):
        setattr(cupy, name, _uploaded(getattr(np, name)))
    cupy.random = random
    no_gpu = types.SimpleNamespace(CUDARuntimeError=RuntimeError, getDeviceCount=lambda: 0)
    cupy.cuda = types.SimpleNamespace(runtime=no_gpu)
    sys.modules["cupy"] = cupy
    Tensor.get = Tensor.numpy  # CuPy's name for it
    DType.__str__ = lambda self: self.name  # Dask's tests compare dtypes by their text
