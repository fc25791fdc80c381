"""Conversions between element types."""

from __future__ import annotations

import dml_vk as dv
from dml_vk.dtypes import DType
from dml_vk.onnx.context import Context
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor


@operator("Cast")
def cast(node: Context, x: Tensor) -> Tensor:
    return _cast(x, node.dtype(node["to"]))


@operator("CastLike", first=15)
def cast_like(node: Context, x: Tensor, target: Tensor) -> Tensor:
    return _cast(x, target.dtype)


@operator("BitCast", first=26)
def bit_cast(node: Context, x: Tensor) -> Tensor:
    return dv.asarray(x).contiguous().view(dtype=node.dtype(node["to"]))


def _cast(x: Tensor, dtype: DType) -> Tensor:
    return dv.astype(x, dtype, copy=False)
