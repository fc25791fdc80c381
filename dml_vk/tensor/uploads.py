"""New tensors with elements from the host."""

from __future__ import annotations

from dml_vk.dtypes import DType
from dml_vk.layout import Layout
from dml_vk.ops.view import View, allocation_bytes
from dml_vk.runtime.device import Device
from dml_vk.tensor import host
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array


def uploaded_as(
    what: str, array: Array, own: Layout, layout: Layout, dtype: DType, device: Device
) -> Tensor:
    """Upload an array, of which `own` is the layout, to a new tensor with another one."""
    allocation = device.allocate_for_host(what, allocation_bytes(layout, dtype))
    new = Tensor(View(device, allocation, layout, dtype))
    host.write(what, new, array, own)
    return new
