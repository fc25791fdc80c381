"""Operands and results of functions that compute in float32."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.dtypes import DType, float16, float32
from dml_vk.layout import Layout
from dml_vk.promotion import common_dtype
from dml_vk.tensor.core import Tensor, tensor_over
from dml_vk.tensor.operands import check_dtype, to_tensors


def network_dtype(what: str, operands: Sequence[Tensor]) -> DType:
    """Return the dtype of the result of operands of float32 or float16 on one device."""
    tensors = to_tensors(what, operands)
    for tensor in tensors:
        check_dtype(what, tensor.dtype, (float16, float32))
    return common_dtype(what, [tensor.dtype for tensor in tensors])


def sums_for(what: str, target: Tensor) -> Tensor:
    """Return where sums of float32 are computed: the target, or memory like it."""
    if target.dtype is float32:
        return target
    layout = target.layout
    packed = Layout.packed(layout.sizes, layout.order)
    return tensor_over(what, packed, float32, target.device, target.allocation)
