"""NumPy's functions that create arrays, with `like=` a tensor: results are on its device.

Default dtypes are those of this package.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dml_vk.layout import contiguous_format
from dml_vk.numpy_protocols.calls import Call, ours


def _arange(start: Any = None, stop: Any = None, step: Any = None, **named: Any) -> Any:
    if start is None:
        start, stop = stop, None
    return ours.arange(start, stop, 1 if step is None else step, **named)


def _array(object: Any, copy: Any = True, ndmin: int = 0, **named: Any) -> Any:
    made = ours.asarray(object, copy=copy, **named)
    return ours.reshape(made, (1,) * (ndmin - made.ndim) + made.shape)


def _ascontiguousarray(a: Any, **named: Any) -> Any:
    return ours.asarray(a, memory_format=contiguous_format, **named)


def _eye(N: Any, M: Any = None, **named: Any) -> Any:  # noqa: N803 - NumPy's names
    return ours.eye(N, M, **named)


def _tri(N: Any, m: Any = None, **named: Any) -> Any:  # noqa: N803 - NumPy's names
    return ours.tri(N, m, **named)


_CALLS = {
    "arange": Call("arange", "/ start stop step dtype * device", _arange),
    "array": Call("array", "object / dtype * copy -order -subok ndmin device", _array),
    "asanyarray": Call("asanyarray", "a / dtype -order * device copy", "asarray"),
    "asarray": Call("asarray", "a / dtype -order * device copy", "asarray"),
    "ascontiguousarray": Call("ascontiguousarray", "a / dtype * device", _ascontiguousarray),
    "empty": Call("empty", "shape / dtype -order=rowwise * device", "empty"),
    "eye": Call("eye", "N / M k dtype -order=rowwise * device", _eye),
    "full": Call("full", "shape fill_value / dtype -order=rowwise * device", "full"),
    "identity": Call("identity", "n / dtype * device", "eye"),
    "ones": Call("ones", "shape / dtype -order=rowwise * device", "ones"),
    "tri": Call("tri", "N / M=m k dtype * device", _tri),
    "zeros": Call("zeros", "shape / dtype -order=rowwise * device", "zeros"),
}
FUNCTIONS = {getattr(np, name): call for name, call in _CALLS.items()}
