"""Operands on the host: NumPy's arrays and scalars, and lists, in a call with a tensor.

Arrays and lists are uploaded to its device. They become tensors as by `asarray`, so that their
dtypes promote like those of tensors, and numbers in lists have the default dtypes. The trace lists
each upload as "host", and a strict one refuses it, since nobody asked for it. Scalars, and arrays
of no dims, are numbers with a dtype, which promotes like that of a tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np

from dml_vk.array.creation.array_layouts import layout_of_array
from dml_vk.array.creation.arrays import full, host_array, uploaded
from dml_vk.errors import ErrorsAs
from dml_vk.layout import preserve_format
from dml_vk.observe.copies import HOST, refuse_if_strict
from dml_vk.promotion import common_dtype
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import PYTHON, ArrayLike
from dml_vk.tensor.operands import Operand, is_scalar, plain, scalar_dtype

_OF_HOST = (np.ndarray, list, tuple)


def upload_operands(what: str, *operands: object) -> Sequence[Any]:
    """Return the operands as tensors and Python's numbers, if there is a tensor among them.

    Arrays and lists are uploaded to its device; NumPy's scalars promote with it.
    """
    near = next((operand for operand in operands if isinstance(operand, Tensor)), None)
    return operands if near is None else with_dtypes(with_arrays(what, operands, near), near)


def with_arrays(what: str, operands: Sequence[object], near: Tensor) -> Sequence[Any]:
    """Return the operands with arrays and lists as tensors on the device of `near`."""
    if not any(map(is_on_host, operands)):
        return operands
    return [
        upload_array(what, operand, near) if is_on_host(operand) else operand
        for operand in operands
    ]


def with_dtypes(operands: Sequence[object], near: Tensor) -> Sequence[Any]:
    """Return the operands with NumPy's scalars as Python's numbers.

    Where the result has another dtype for their dtypes, they become tensors on the device of
    `near`, which need no upload.
    """
    scalars = [operand for operand in operands if is_scalar(operand)]
    if not scalars:
        return operands
    tensors = [operand.dtype for operand in operands if isinstance(operand, Tensor)]
    python = [operand for operand in operands if type(operand) in PYTHON]
    common = common_dtype("operands", [*tensors, *map(scalar_dtype, scalars)], python)
    if common_dtype("operands", tensors, [*python, *map(plain, scalars)]) is common:
        return [plain(operand) if is_scalar(operand) else operand for operand in operands]
    return [
        full((), plain(operand), scalar_dtype(operand), device=near.device)
        if is_scalar(operand)
        else operand
        for operand in operands
    ]


def with_integers(what: str, *operands: Operand) -> Sequence[Any]:
    """Return the operands with arrays, and NumPy's integers, as tensors."""
    near = next(operand for operand in operands if isinstance(operand, Tensor))
    return [
        full((), plain(operand), scalar_dtype(operand), device=near.device)
        if is_scalar(operand) and operand.dtype.kind in "iu"
        else operand
        for operand in with_arrays(what, operands, near)
    ]


def number_as_tensor(what: str, number: object, near: Tensor) -> Tensor:
    """Return a number as a 0-D tensor, of the dtype to which it promotes with a tensor."""
    own = plain(number)
    with ErrorsAs(what):
        return full((), own, common_dtype(what, [near.dtype], [own]), device=near.device)


def is_on_host(operand: object) -> TypeGuard[ArrayLike]:
    """Whether an operand has elements on the host. Arrays of no dims are numbers."""
    return isinstance(operand, _OF_HOST) and getattr(operand, "ndim", 1) > 0


def upload_array(what: str, values: ArrayLike, near: Tensor) -> Tensor:
    """Upload an array or a list to the device of a tensor."""
    with ErrorsAs(what):
        array, dtype = host_array(values, None)
        layout = layout_of_array(array)
    refuse_if_strict(what, HOST, layout, array.size * dtype.itemsize)
    return uploaded(what, array, dtype, near.device, preserve_format)
