"""NumPy's arrays and lists beside a tensor: they are uploaded to its device.

They become tensors as by `asarray`, so that their dtypes promote like those of tensors, and numbers
in lists have the default dtypes. The trace lists each upload as "host", and a strict one refuses
it, since nobody asked for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dml_vk.array.creation import host_array, layout_of_array, uploaded
from dml_vk.errors import ErrorsAs
from dml_vk.layout import preserve_format
from dml_vk.observe.copies import HOST, refuse_if_strict
from dml_vk.tensor.core import Tensor

_OF_HOST = (np.ndarray, list, tuple)


def beside(what: str, *operands: Any) -> Sequence[Any]:
    """Return the operands, with arrays and lists as tensors if there is a tensor among them."""
    if not any(map(is_of_host, operands)):
        return operands
    near = next((one for one in operands if isinstance(one, Tensor)), None)
    if near is None:
        return operands
    return [beside_tensor(what, one, near) if is_of_host(one) else one for one in operands]


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
