"""DirectML's tensor descriptions, under DirectML's names."""

from dml_vk.directml.descriptors import (
    BufferTensorDesc,
    DataType,
    TensorFlags,
    calc_buffer_tensor_size,
)
from dml_vk.directml.policies import TensorPolicy, TensorProperties, calculate_strides

__all__ = [
    "BufferTensorDesc",
    "DataType",
    "TensorFlags",
    "TensorPolicy",
    "TensorProperties",
    "calc_buffer_tensor_size",
    "calculate_strides",
]
