"""DirectML's buffer tensor descriptors: the description of a tensor in a buffer.

Sizes and strides are in elements and always in logical order: NCHW, NCDHW.
"""

from __future__ import annotations

import enum
import functools
import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from dml_vk.arguments import Ints, to_int, to_ints
from dml_vk.dtypes import DTYPES, DType, uint8
from dml_vk.errors import DTypeError, LayoutError
from dml_vk.layout import Layout

MAX_DIMENSION_COUNT = 8
MAX_ELEMENTS = 2**32 - 1


class DataType(enum.Enum):
    """The element types, with DirectML's numbers.

    For the 4-bit types, the first element is the low half of its byte.
    """

    FLOAT32 = 1
    FLOAT16 = 2
    UINT32 = 3
    UINT16 = 4
    UINT8 = 5
    INT32 = 6
    INT16 = 7
    INT8 = 8
    FLOAT64 = 9
    UINT64 = 10
    INT64 = 11
    UINT4 = 12
    INT4 = 13

    @property
    def bits(self) -> int:
        return int("".join(filter(str.isdigit, self.name)))


class TensorFlags(enum.Flag):
    """The flags of a descriptor, with DirectML's numbers."""

    NONE = 0
    OWNED_BY_DML = 1


@dataclass(frozen=True, init=False)
class BufferTensorDesc:
    """One tensor in a buffer, checked as DirectML checks DML_BUFFER_TENSOR_DESC.

    `name` is used in messages, so that an operator can say which of its tensors is wrong. Two
    descriptors are equal if they describe the same tensor: packed strides may be left out, and
    those of size-1 dims do not count.

    >>> from dml_vk.directml import BufferTensorDesc, DataType
    >>> BufferTensorDesc(DataType.FLOAT32, (1, 1, 3, 5)).total_tensor_size_in_bytes
    60
    >>> BufferTensorDesc(DataType.FLOAT32, (1, 0, 3, 5), name="Output")
    Traceback (most recent call last):
        ...
    dml_vk.errors.LayoutError: Output: sizes must be from 1 to 4294967295; got sizes[1]=0
    """

    data_type: DataType
    sizes: Ints = field(compare=False)
    strides: Ints | None = field(compare=False)
    flags: TensorFlags
    total_tensor_size_in_bytes: int
    guaranteed_base_offset_alignment: int
    name: str = field(compare=False, repr=False)
    layout: Layout = field(compare=False, repr=False)
    # Compared instead of sizes and strides: the strides of size-1 dims do not affect its order.
    _addresses: Layout = field(repr=False)

    def __init__(
        self,
        data_type: DataType,
        sizes: Iterable[int],
        strides: Iterable[int] | None = None,
        flags: TensorFlags = TensorFlags.NONE,
        total_tensor_size_in_bytes: int | None = None,
        guaranteed_base_offset_alignment: int = 0,
        *,
        name: str = "BufferTensorDesc",
    ) -> None:
        set_field = functools.partial(object.__setattr__, self)
        set_field("name", name)
        set_field("data_type", check_data_type(name, data_type))
        sizes = check_sizes(name, sizes)
        if not 1 <= len(sizes) <= MAX_DIMENSION_COUNT:
            raise LayoutError(
                name, f"a tensor must have 1 to {MAX_DIMENSION_COUNT} sizes", sizes=sizes
            )
        strides = check_strides(name, sizes, strides)
        if elements_spanned(sizes, strides) > MAX_ELEMENTS:
            raise LayoutError(
                name,
                f"the tensor must span at most {MAX_ELEMENTS} elements",
                sizes=sizes,
                strides=strides,
            )
        set_field("sizes", sizes)
        set_field("strides", strides)
        set_field("flags", check_flags(name, flags))
        total = self._checked_total(total_tensor_size_in_bytes)
        set_field("total_tensor_size_in_bytes", total)
        alignment = self._checked_alignment(guaranteed_base_offset_alignment)
        set_field("guaranteed_base_offset_alignment", alignment)
        set_field("layout", Layout(sizes, strides))
        set_field("_addresses", Layout(sizes, strides, order=range(len(sizes))))

    @property
    def dimension_count(self) -> int:
        return len(self.sizes)

    @property
    def element_count(self) -> int:
        """The number of logical elements, including broadcast ones."""
        return math.prod(self.sizes)

    @property
    def minimum_implied_size_in_bytes(self) -> int:
        return bytes_for(self.data_type, elements_spanned(self.sizes, self.strides))

    def _checked_total(self, size: int | None) -> int:
        least = self.minimum_implied_size_in_bytes
        if size is None:
            return least
        total = to_int(self.name, "total_tensor_size_in_bytes", size)
        most = bytes_for(self.data_type, MAX_ELEMENTS)
        if not least <= total <= most:
            raise LayoutError(
                self.name,
                f"total_tensor_size_in_bytes must be from {least}, which the sizes and strides "
                f"imply, to {most}",
                total_tensor_size_in_bytes=total,
            )
        return total

    def _checked_alignment(self, value: int) -> int:
        alignment = to_int(self.name, "guaranteed_base_offset_alignment", value)
        least = -(-self.data_type.bits // 8)
        if alignment and (not least <= alignment <= MAX_ELEMENTS or alignment & (alignment - 1)):
            raise LayoutError(
                self.name,
                f"guaranteed_base_offset_alignment must be 0 or a power of two from {least}, "
                f"the element size, to {2**31}",
                guaranteed_base_offset_alignment=alignment,
            )
        return alignment


def calc_buffer_tensor_size(
    data_type: DataType, sizes: Iterable[int], strides: Iterable[int] | None = None
) -> int:
    """Return the minimum size of a buffer for this tensor in bytes, a multiple of 4.

    It is computed exactly; the C++ helper wraps the index of the last element at 32 bits.

    >>> from dml_vk.directml import DataType, calc_buffer_tensor_size
    >>> calc_buffer_tensor_size(DataType.UINT8, (2, 3), (5, 1))  # 5 + 3: the end has no padding
    8
    """
    what = "calc_buffer_tensor_size"
    checked = check_sizes(what, sizes)
    spanned = elements_spanned(checked, check_strides(what, checked, strides))
    return bytes_for(check_data_type(what, data_type), spanned)


def elements_spanned(sizes: Ints, strides: Ints | None) -> int:
    if strides is None:
        return math.prod(sizes)
    return 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides))


def bytes_for(data_type: DataType, elements: int) -> int:
    """Round up to whole 32-bit words, in bytes: DirectML binds nothing smaller."""
    return -(-elements * data_type.bits // 32) * 4


def dtype_of(data_type: DataType) -> DType:
    """The library's dtype for a data type of whole bytes."""
    return DTYPES[data_type.name.lower()]


def elements_of(desc: BufferTensorDesc) -> tuple[Layout, DType]:
    """The layout and the dtype of a tensor in its buffer; of 4-bit types, of whole bytes."""
    if desc.data_type.bits >= 8:
        return desc.layout, dtype_of(desc.data_type)
    return Layout((-(-elements_spanned(desc.sizes, desc.strides) // 2),)), uint8


def check_data_type(what: str, data_type: DataType) -> DataType:
    if not isinstance(data_type, DataType):
        raise DTypeError(what, "data_type must be a DataType", data_type=data_type)
    return data_type


def check_sizes(what: str, sizes: Iterable[int]) -> Ints:
    return _check_range(what, "sizes", to_ints(what, "sizes", sizes), 1)


def check_strides(what: str, sizes: Ints, strides: Iterable[int] | None) -> Ints | None:
    if strides is None:
        return None
    checked = _check_range(what, "strides", to_ints(what, "strides", strides), 0)
    if len(checked) != len(sizes):
        raise LayoutError(
            what, "sizes and strides must have the same length", sizes=sizes, strides=checked
        )
    return checked


def _check_range(what: str, name: str, values: Ints, least: int) -> Ints:
    """Check that numbers fit the unsigned 32-bit integers that DirectML stores them in."""
    for dim, value in enumerate(values):
        if not least <= value <= MAX_ELEMENTS:
            raise LayoutError(
                what, f"{name} must be from {least} to {MAX_ELEMENTS}", **{f"{name}[{dim}]": value}
            )
    return values


def check_flags(what: str, flags: TensorFlags) -> TensorFlags:
    # Looked up rather than converted: enum.Flag takes unknown bits in some releases of Python 3.11.
    for flag in (TensorFlags.NONE, TensorFlags.OWNED_BY_DML):
        if flags is flag or (isinstance(flags, int) and flags == flag.value):
            return flag
    raise LayoutError(what, "flags must be TensorFlags.NONE or OWNED_BY_DML", flags=flags)
