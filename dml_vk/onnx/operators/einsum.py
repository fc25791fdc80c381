"""Einsum."""

from __future__ import annotations

import dml_vk as dv
from dml_vk.onnx.context import Context
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor


@operator("Einsum", first=12)
def einsum(node: Context, *xs: Tensor) -> Tensor:
    return dv.einsum(node["equation"].replace(" ", ""), *xs)
