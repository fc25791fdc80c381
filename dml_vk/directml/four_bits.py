"""Elements of 4 bits: two in each byte, of which the first is the low half."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dml_vk.directml.descriptors import BufferTensorDesc
from dml_vk.layout import Layout

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor

MOST_SIGNED = 7


def unpacked(octets: Tensor, desc: BufferTensorDesc) -> Tensor:
    """Return the elements of a tensor in these bytes as uint8 or int8."""
    from dml_vk.array.math.elementwise import astype, bitwise_xor, subtract

    values = _elements(_halves(octets), desc.layout)
    if desc.data_type.name.startswith("U"):
        return values
    # Two's complement: the upper half of the numbers stands for negative ones.
    return subtract(astype(bitwise_xor(values, MOST_SIGNED + 1), "int8"), MOST_SIGNED + 1)


def write_packed(what: str, values: Tensor, octets: Tensor, desc: BufferTensorDesc) -> None:
    """Write values to the elements of a tensor; other halves of its bytes stay."""
    from dml_vk.array.math.elementwise import astype, bitwise_and, bitwise_left_shift, bitwise_or
    from dml_vk.ops.copy import copy_elements

    halves = _halves(octets)
    low = bitwise_and(astype(values, "uint8"), 15)
    copy_elements(what, low, _elements(halves, desc.layout))
    pairs = halves.reshape((-1, 2))
    packed = bitwise_or(pairs[:, 0], bitwise_left_shift(pairs[:, 1], 4))
    copy_elements(what, packed, octets)


def _halves(octets: Tensor) -> Tensor:
    """Return the halves of bytes, one after the other, each as a byte."""
    from dml_vk.array.manipulation.shapes import stack
    from dml_vk.array.math.elementwise import bitwise_and, bitwise_right_shift

    pairs = stack([bitwise_and(octets, 15), bitwise_right_shift(octets, 4)], axis=-1)
    return pairs.reshape((-1,))


def _elements(halves: Tensor, layout: Layout) -> Tensor:
    own = halves.layout.offset
    return halves.over(Layout(layout.sizes, layout.strides, own + layout.offset))
