"""The strides of output tensors: DirectML's helper and DirectMLX's policies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.directml.descriptors import (
    DataType,
    TensorFlags,
    calc_buffer_tensor_size,
    check_data_type,
    check_flags,
    check_sizes,
)
from dml_vk.errors import LayoutError
from dml_vk.strides.order import OrderLike, packed_strides, to_order


class TensorProperties(NamedTuple):
    """The properties of a tensor that a policy decides."""

    strides: Ints | None
    total_tensor_size_in_bytes: int
    guaranteed_base_offset_alignment: int


class TensorPolicy:
    """The two built-in policies. A policy is any function with their signature.

    >>> from dml_vk.directml import DataType, TensorFlags, TensorPolicy
    >>> TensorPolicy.interleaved_channel(DataType.FLOAT32, TensorFlags.NONE, (2, 3, 4, 5))
    TensorProperties(strides=(60, 1, 15, 3), total_tensor_size_in_bytes=480, \
guaranteed_base_offset_alignment=0)
    """

    @staticmethod
    def default(data_type: DataType, flags: TensorFlags, sizes: Iterable[int]) -> TensorProperties:
        """No strides: packed, with the last dim innermost."""
        check_flags("TensorPolicy.default", flags)
        return TensorProperties(None, calc_buffer_tensor_size(data_type, sizes), 0)

    @staticmethod
    def interleaved_channel(
        data_type: DataType, flags: TensorFlags, sizes: Iterable[int]
    ) -> TensorProperties:
        """Packed with dim 1 innermost, at any rank: NHWC, NDHWC, and so on."""
        what = "TensorPolicy.interleaved_channel"
        check_data_type(what, data_type)
        check_flags(what, flags)
        checked = check_sizes(what, sizes)
        rank = len(checked)
        order = (0, *range(2, rank), 1) if rank > 1 else tuple(range(rank))
        strides = packed_strides(checked, order)
        return TensorProperties(strides, calc_buffer_tensor_size(data_type, checked, strides), 0)


def calculate_strides(
    layout: OrderLike, sizes: Iterable[int], broadcast: Iterable[bool] | None = None
) -> Ints:
    """Return packed strides for an order such as "NCHW" or "NHWC", 0 for broadcast dims.

    The other dims are packed as if the broadcast ones had size 1.

    >>> from dml_vk.directml import calculate_strides
    >>> calculate_strides("NHWC", (2, 3, 4, 5), (False, False, True, False))
    (15, 1, 0, 3)
    """
    what = "calculate_strides"
    checked = check_sizes(what, sizes)
    flags = (False,) * len(checked) if broadcast is None else broadcast
    try:
        # Not bool(flag), which would accept a string or a sequence of flags.
        repeated = tuple([bool(flag.__bool__()) for flag in flags])
    except (AttributeError, TypeError, ValueError):
        raise LayoutError(
            what, "broadcast must be a sequence of flags", broadcast=broadcast
        ) from None
    if len(repeated) != len(checked):
        raise LayoutError(
            what,
            "sizes and broadcast must have the same length",
            sizes=checked,
            broadcast=repeated,
        )
    stored = tuple([1 if repeat else size for size, repeat in zip(checked, repeated)])
    strides = packed_strides(stored, to_order(what, layout, len(checked)))
    return tuple([0 if repeat else stride for stride, repeat in zip(strides, repeated)])
