"""NumPy's functions on tensors: each becomes the function of ours that means the same.

What has no such function is an error, and so are NumPy's arrays among the operands: nothing is
copied to the host or to the device unless somebody says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from dml_vk.numpy_protocols import calls, creation
from dml_vk.numpy_protocols.rows import CALLS
from dml_vk.numpy_protocols.ufuncs import ufunc
from dml_vk.tensor import Tensor

__all__ = ["FUNCTIONS", "function", "ufunc"]

FUNCTIONS = {one: call for one, call in CALLS if one is not None}


def function(
    x: Tensor, func: Any, types: Iterable[type], args: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """Any of NumPy's functions but ufuncs, called as NumPy's documentation says.

    Those that create are given x, a tensor, as `like=`.
    """
    if not all(issubclass(one, (Tensor, np.ndarray)) for one in types):
        return NotImplemented
    if func in creation.FUNCTIONS:
        return creation.FUNCTIONS[func](args, {**named, "device": x.device})
    if func not in FUNCTIONS:
        raise calls.no_such(calls.public_name(func))
    return FUNCTIONS[func](args, named)
