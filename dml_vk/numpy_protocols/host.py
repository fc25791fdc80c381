"""Functions that NumPy runs itself: writing files and text, and comparing addresses."""

from __future__ import annotations

from typing import Any

import numpy as np

from dml_vk.numpy_protocols.calls import NOT_GIVEN
from dml_vk.tensor import host
from dml_vk.tensor.core import Tensor


class Download:
    """A function of NumPy's that gets tensors as arrays, as by `x.numpy()`."""

    def __init__(self, name: str) -> None:
        self.what, self.function = f"numpy.{name}", getattr(np, name)

    def __call__(self, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        arrays = {name: _downloaded(value) for name, value in named.items()}
        return self.function(*map(_downloaded, args), **arrays)


def _downloaded(value: Any) -> Any:
    return value.numpy() if isinstance(value, Tensor) else value


def may_share_memory(a: Any, b: Any, max_work: Any = None) -> bool:
    return _compared("may_share_memory", a, b, max_work)


def shares_memory(a: Any, b: Any, max_work: Any = None) -> bool:
    return _compared("shares_memory", a, b, max_work)


def _compared(what: str, a: Any, b: Any, max_work: Any) -> bool:
    """Let NumPy compare addresses, without waiting for pending work."""
    tensors = [one for one in (a, b) if isinstance(one, Tensor)]
    allocations = [one.allocation for one in tensors]
    distinct = len(tensors) == 2 and allocations[0] is not allocations[1]
    if distinct or (len(tensors) == 1 and allocations[0].bytes is None):
        return False
    arrays = [host.addresses(what, one) if isinstance(one, Tensor) else one for one in (a, b)]
    named = {} if max_work is None or max_work is NOT_GIVEN else {"max_work": max_work}
    return bool(getattr(np, what)(*arrays, **named))
