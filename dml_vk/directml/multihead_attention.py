"""DirectML's multi-head attention."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from dml_vk.directml.attention import SOURCES, Attention, MultiheadAttentionMaskType
from dml_vk.directml.descriptors import BufferTensorDesc, DataType
from dml_vk.directml.elementwise import FLOATS
from dml_vk.errors import LayoutError

__all__ = ["MultiheadAttention", "MultiheadAttention1"]


@dataclass(frozen=True, repr=False)
class MultiheadAttention(Attention, types=FLOATS, mask=(DataType.INT32,)):
    """Attention of as many heads of queries as of keys and values.

    New keys and values are appended to the past ones.
    """

    query: BufferTensorDesc | None
    key: BufferTensorDesc | None
    value: BufferTensorDesc | None
    stacked_query_key: BufferTensorDesc | None
    stacked_key_value: BufferTensorDesc | None
    stacked_query_key_value: BufferTensorDesc | None
    bias: BufferTensorDesc | None
    mask: BufferTensorDesc | None
    relative_position_bias: BufferTensorDesc | None
    past_key: BufferTensorDesc | None
    past_value: BufferTensorDesc | None
    output: BufferTensorDesc
    output_present_key: BufferTensorDesc | None
    output_present_value: BufferTensorDesc | None
    _: KW_ONLY
    scale: float
    mask_filter_value: float = -10000.0
    head_count: int
    mask_type: MultiheadAttentionMaskType = MultiheadAttentionMaskType.NONE

    _tensors = (
        *SOURCES,
        *("bias", "mask", "relative_position_bias", "past_key", "past_value"),
        *("output", "output_present_key", "output_present_value"),
    )
    _optional = tuple([name for name in _tensors if name != "output"])

    @property
    def _heads(self) -> tuple[int, int]:
        return self.head_count, self.head_count

    def _check(self) -> None:
        self._hold_int("head_count", 1)
        super()._check()


@dataclass(frozen=True, repr=False)
class MultiheadAttention1(
    Attention, types=FLOATS, mask=(DataType.INT32,), past_sequence_lengths=(DataType.INT32,)
):
    """Attention whose heads of keys and values are shared by several heads of queries.

    With past_sequence_lengths, new keys and values are written to output_present_key and
    output_present_value at these numbers of steps, whose other elements are those of past_key and
    past_value, or stay as they are without them. A query then sees no key of a later step.
    """

    query: BufferTensorDesc | None
    key: BufferTensorDesc | None
    value: BufferTensorDesc | None
    stacked_query_key: BufferTensorDesc | None
    stacked_key_value: BufferTensorDesc | None
    stacked_query_key_value: BufferTensorDesc | None
    bias: BufferTensorDesc | None
    mask: BufferTensorDesc | None
    relative_position_bias: BufferTensorDesc | None
    past_key: BufferTensorDesc | None
    past_value: BufferTensorDesc | None
    past_sequence_lengths: BufferTensorDesc | None
    output: BufferTensorDesc
    output_present_key: BufferTensorDesc | None
    output_present_value: BufferTensorDesc | None
    _: KW_ONLY
    scale: float
    mask_filter_value: float = -10000.0
    query_head_count: int
    key_value_head_count: int
    mask_type: MultiheadAttentionMaskType = MultiheadAttentionMaskType.NONE

    _tensors = (
        *SOURCES,
        *("bias", "mask", "relative_position_bias", "past_key", "past_value"),
        *("past_sequence_lengths", "output", "output_present_key", "output_present_value"),
    )
    _optional = tuple([name for name in _tensors if name != "output"])

    @property
    def _heads(self) -> tuple[int, int]:
        return self.query_head_count, self.key_value_head_count

    def _check(self) -> None:
        self._hold_int("query_head_count", 1)
        self._hold_int("key_value_head_count", 1)
        if self.query_head_count % self.key_value_head_count:
            rule = "key_value_head_count must divide query_head_count"
            raise LayoutError(self._what, rule, heads=self._heads)
        super()._check()
