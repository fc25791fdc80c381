"""Functions that NumPy runs itself: writing files and text, and comparing addresses."""

from __future__ import annotations

import numpy as np

from dml_vk.numpy_protocols.calls import NOT_GIVEN, Arguments, Options
from dml_vk.tensor import host
from dml_vk.tensor.core import Tensor


class Download:
    """A function of NumPy's that gets tensors as arrays, as by `x.numpy()`."""

    def __init__(self, name: str) -> None:
        self.what, self.function = f"numpy.{name}", getattr(np, name)

    def __call__(self, args: Arguments, named: Options) -> object:
        arrays = {name: _downloaded(value) for name, value in named.items()}
        return self.function(*map(_downloaded, args), **arrays)


def _downloaded(value: object) -> object:
    return value.numpy() if isinstance(value, Tensor) else value


def may_share_memory(a: Tensor, b: Tensor, max_work: int | None = None) -> bool:
    return _compared("may_share_memory", a, b, max_work)


def shares_memory(a: Tensor, b: Tensor, max_work: int | None = None) -> bool:
    return _compared("shares_memory", a, b, max_work)


def _compared(what: str, a: Tensor, b: Tensor, max_work: int | None) -> bool:
    """Let NumPy compare addresses, without waiting for pending work."""
    tensors = [operand for operand in (a, b) if isinstance(operand, Tensor)]
    allocations = [operand.allocation for operand in tensors]
    distinct = len(tensors) == 2 and allocations[0] is not allocations[1]
    if distinct or (len(tensors) == 1 and allocations[0].bytes is None):
        return False
    arrays = [
        host.addresses(what, operand) if isinstance(operand, Tensor) else operand
        for operand in (a, b)
    ]
    named = {} if max_work is None or max_work is NOT_GIVEN else {"max_work": max_work}
    return bool(getattr(np, what)(*arrays, **named))
