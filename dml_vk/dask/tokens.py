"""Sizes and hashes of tensors, for Dask."""

from __future__ import annotations

import numpy as np
from dask.sizeof import sizeof
from dask.tokenize import normalize_token

from dml_vk.dtypes import DType
from dml_vk.layout import Layout
from dml_vk.ops.view import held_bytes
from dml_vk.runtime.device import Device
from dml_vk.tensor.core import Tensor


def _token(x: Tensor) -> object:
    """Hash values, dtype and memory format: elements in another order are another array."""
    values = normalize_token(np.ascontiguousarray(np.asarray(x)))
    return "dml_vk.Tensor", x.dtype.name, x.layout.like().strides, normalize_token(x.device), values


def _dtype_token(dtype: DType) -> object:
    return "dml_vk.DType", dtype.name


def _layout_token(layout: Layout) -> object:
    return "dml_vk.Layout", layout.sizes, layout.strides, layout.offset, layout.order


def _device_token(device: Device) -> object:
    return "dml_vk.Device", device.index, device.name


def register() -> None:
    """Register the sizes of tensors, and the hashes of tensors and their attributes."""
    sizeof.register(Tensor, held_bytes)
    normalize_token.register(Tensor, _token)
    normalize_token.register(DType, _dtype_token)
    normalize_token.register(Device, _device_token)
    normalize_token.register(Layout, _layout_token)
