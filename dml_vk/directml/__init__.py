"""DirectML's tensor descriptions and operators, under DirectML's names."""

from typing import TYPE_CHECKING, Any

from dml_vk.directml.descriptors import (
    BufferTensorDesc,
    DataType,
    TensorFlags,
    calc_buffer_tensor_size,
)
from dml_vk.directml.operators import (
    ElementWiseIdentity,
    FillValueConstant,
    FillValueSequence,
    RandomGenerator,
    RandomGeneratorType,
)
from dml_vk.directml.policies import TensorPolicy, TensorProperties, calculate_strides

if TYPE_CHECKING:
    from dml_vk.directml.buffer import Buffer

__all__ = [
    "Buffer",
    "BufferTensorDesc",
    "DataType",
    "ElementWiseIdentity",
    "FillValueConstant",
    "FillValueSequence",
    "RandomGenerator",
    "RandomGeneratorType",
    "TensorFlags",
    "TensorPolicy",
    "TensorProperties",
    "calc_buffer_tensor_size",
    "calculate_strides",
]


def __getattr__(name: str) -> Any:
    # It needs NumPy: imported when first asked for.
    if name != "Buffer":
        raise AttributeError(f"module 'dml_vk.directml' has no attribute {name!r}")
    from dml_vk.directml.buffer import Buffer

    globals()[name] = Buffer
    return Buffer


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
