"""NumPy's functions on tensors: each is forwarded to the equivalent function of this package.

Functions without an equivalent raise an error, and so do NumPy arrays among the operands: nothing
is implicitly copied between host and device.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from dml_vk.numpy_protocols import calls, creation
from dml_vk.numpy_protocols.calls import Adapter, Arguments, Options
from dml_vk.numpy_protocols.rows import CALLS
from dml_vk.numpy_protocols.ufuncs import ufunc
from dml_vk.tensor.core import Tensor

__all__ = ["FUNCTIONS", "function", "ufunc"]

FUNCTIONS = {numpy: call for numpy, call in CALLS if numpy is not None}


def function(
    x: Tensor, func: Adapter, types: Iterable[type], args: Arguments, named: Options
) -> object:
    """Implement `__array_function__`: any function of NumPy's, called as NumPy documents it.

    Functions that create arrays were called with x as `like=`.
    """
    if not all(issubclass(kind, (Tensor, np.ndarray)) for kind in types):
        return NotImplemented
    if func in creation.FUNCTIONS:
        return creation.FUNCTIONS[func](args, {**named, "device": x.device})
    if func not in FUNCTIONS:
        raise calls.no_such(calls.public_name(func))
    return FUNCTIONS[func](args, named)
