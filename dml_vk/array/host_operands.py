"""NumPy's arrays, scalars and lists beside a tensor.

Arrays and lists are uploaded to its device. They become tensors as by `asarray`, so that their
dtypes promote like those of tensors, and numbers in lists have the default dtypes. The trace lists
each upload as "host", and a strict one refuses it, since nobody asked for it. Scalars, and arrays
of no dims, are numbers with a dtype, which promotes like that of a tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dml_vk.array.creation import full, host_array, layout_of_array, uploaded
from dml_vk.errors import ErrorsAs
from dml_vk.layout import preserve_format
from dml_vk.observe.copies import HOST, refuse_if_strict
from dml_vk.promotion import common_dtype
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import PYTHON
from dml_vk.tensor.operands import is_scalar, plain, scalar_dtype

_OF_HOST = (np.ndarray, list, tuple)


def beside(what: str, *operands: Any) -> Sequence[Any]:
    """Return the operands as tensors and Python's numbers if there is a tensor among them."""
    near = next((one for one in operands if isinstance(one, Tensor)), None)
    return operands if near is None else with_dtypes(with_arrays(what, operands, near), near)


def with_arrays(what: str, operands: Sequence[Any], near: Tensor) -> Sequence[Any]:
    """Return the operands with arrays and lists as tensors on the device of `near`."""
    if not any(map(is_of_host, operands)):
        return operands
    return [beside_tensor(what, one, near) if is_of_host(one) else one for one in operands]


def with_dtypes(operands: Sequence[Any], near: Tensor) -> Sequence[Any]:
    """Return the operands with NumPy's scalars as Python's numbers.

    Where the result has another dtype for their dtypes, they become tensors on the device of
    `near`, which need no upload.
    """
    scalars = [one for one in operands if is_scalar(one)]
    if not scalars:
        return operands
    tensors = [one.dtype for one in operands if isinstance(one, Tensor)]
    python = [one for one in operands if type(one) in PYTHON]
    found = common_dtype("operands", [*tensors, *map(scalar_dtype, scalars)], python)
    if common_dtype("operands", tensors, [*python, *map(plain, scalars)]) is found:
        return [plain(one) if is_scalar(one) else one for one in operands]
    return [
        full((), plain(one), scalar_dtype(one), device=near.device) if is_scalar(one) else one
        for one in operands
    ]


def with_integers(what: str, *operands: Any) -> Sequence[Any]:
    """Return the operands with arrays, and NumPy's integers, as tensors."""
    near = next(one for one in operands if isinstance(one, Tensor))
    return [
        full((), plain(one), scalar_dtype(one), device=near.device)
        if is_scalar(one) and one.dtype.kind in "iu"
        else one
        for one in with_arrays(what, operands, near)
    ]


def number_beside(what: str, number: Any, near: Tensor) -> Tensor:
    """Return a number as a tensor with no dims, of the dtype that it has beside a tensor."""
    own = plain(number)
    with ErrorsAs(what):
        return full((), own, common_dtype(what, [near.dtype], [own]), device=near.device)


def is_of_host(operand: Any) -> bool:
    """Whether an operand has elements on the host. Arrays of no dims are numbers."""
    return isinstance(operand, _OF_HOST) and getattr(operand, "ndim", 1) > 0


def beside_tensor(what: str, given: Any, near: Tensor) -> Tensor:
    """Upload an array or a list to the device of a tensor."""
    with ErrorsAs(what):
        array, dtype = host_array(given, None)
        layout = layout_of_array(array)
    refuse_if_strict(what, HOST, layout, array.size * dtype.itemsize)
    return uploaded(what, array, dtype, near.device, preserve_format)
