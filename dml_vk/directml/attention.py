"""How DirectML's attention is checked and computed: in float32, and rounded once."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from dml_vk.arguments import Ints
from dml_vk.directml.descriptors import BufferTensorDesc, DataType
from dml_vk.directml.fields import OverTensors
from dml_vk.directml.rounding import widened, write_rounded
from dml_vk.errors import LayoutError, RangeError

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor

__all__ = ["MultiheadAttentionMaskType"]

# Which of query, key and value each tensor has, stacked in this order.
SOURCES = {
    "query": "q",
    "key": "k",
    "value": "v",
    "stacked_query_key": "qk",
    "stacked_key_value": "kv",
    "stacked_query_key_value": "qkv",
}


class MultiheadAttentionMaskType(enum.Enum):
    """What the mask has, with DirectML's numbers."""

    NONE = 0
    KEY_SEQUENCE_LENGTH = 1
    KEY_SEQUENCE_END_START = 2
    KEY_QUERY_SEQUENCE_LENGTH_START_END = 3
    BOOLEAN = 4


class Attention(OverTensors):
    """softmax(query * key + bias + mask) * value, for each head.

    Keys whose mask is a range have the score `mask_filter_value` outside of it; a boolean mask adds
    it where it is 0. Of KEY_QUERY_SEQUENCE_LENGTH_START_END, only the lengths of keys are read: the
    other numbers are where sequences begin in tensors without padding.
    """

    query: BufferTensorDesc | None
    mask: BufferTensorDesc | None
    past_key: BufferTensorDesc | None
    output_present_key: BufferTensorDesc | None
    scale: float
    mask_filter_value: float
    mask_type: MultiheadAttentionMaskType

    @property
    def _heads(self) -> tuple[int, int]:
        """How many heads queries have, and how many keys and values."""
        raise NotImplementedError

    @property
    def _appends_in_place(self) -> bool:
        """Whether new keys and values are written at a number of steps into the present ones."""
        return "past_sequence_lengths" in self._given

    def _check(self) -> None:
        for name in ("scale", "mask_filter_value"):
            self._hold(name, DataType.FLOAT32)
            if math.isnan(getattr(self, name)):
                raise RangeError(self._what, f"{name} must not be NaN", **{name: math.nan})
        self._check_enum("mask_type", MultiheadAttentionMaskType)
        self._check_sources()
        q, k, v = self._sizes
        heads, own = self._heads
        batch, queries, width = q
        if width % heads or k[-1] != width // heads * own or v[-1] % own:
            rule = "heads must divide query, key and value, and be as long in query as in key"
            raise LayoutError(self._what, rule, query=q, key=k, value=v, heads=(heads, own))
        if (k[0], *k[:2]) != (batch, *v[:2]):
            rule = "key and value must have the batch of query, and be equally many"
            raise LayoutError(self._what, rule, query=q, key=k, value=v)
        depths = {"key": k[-1] // own, "value": v[-1] // own}
        total = self._check_states(batch, own, k[1], depths)
        self._check_trailing("output", (batch, queries, depths["value"] * heads))
        if "bias" in self._given:
            self._check_trailing("bias", (width + k[-1] + v[-1],))
        scores = (batch, heads, queries, total)
        if "relative_position_bias" in self._given:
            self._check_mask_sizes("relative_position_bias", scores)
        self._check_mask(scores)

    def _check_sources(self) -> None:
        letters = "".join([held for name, held in SOURCES.items() if name in self._given])
        if sorted(letters) != ["k", "q", "v"]:
            rule = "query, key and value must each have a tensor, of its own or stacked"
            names = tuple([name for name in SOURCES if name in self._given])
            raise LayoutError(self._what, rule, tensors=names)
        heads, own = self._heads
        for name, held in SOURCES.items():
            if name not in self._given:
                continue
            sizes = self._desc(name).sizes
            if len(held) == 1:
                self._check_ranks((3, 4, 5), "3 to 5", name)
                self._check_trailing(name, sizes[-3:])
            elif len(sizes) != 5 or sizes[2] != own or sizes[3] != len(held):
                rule = f"{name} must have the sizes {{batch, steps, {own}, {len(held)}, size}}"
                raise LayoutError(self._what, rule, sizes=sizes)
            elif "q" in held and heads != own:
                rule = f"{name} must have as many heads of queries as of keys"
                raise LayoutError(self._what, rule, heads=(heads, own))

    @property
    def _sizes(self) -> list[Ints]:
        """Batch, steps and width of query, key and value."""
        whole = {}
        for name, held in SOURCES.items():
            if name in self._given:
                sizes = self._desc(name).sizes
                shape = sizes[-3:] if len(held) == 1 else (*sizes[:2], sizes[2] * sizes[4])
                whole.update(dict.fromkeys(held, shape))
        return [whole[letter] for letter in "qkv"]

    def _check_states(self, batch: int, own: int, new: int, depths: dict[str, int]) -> int:
        """Check past and present keys and values; return how many there are to be seen."""
        for pair in (("past_key", "past_value"), ("output_present_key", "output_present_value")):
            present = [name for name in pair if name in self._given]
            if len(present) == 1:
                rule = f"{pair[0]} and {pair[1]} must both have a descriptor, or none"
                raise LayoutError(self._what, rule, tensor=present[0])
        past = 0 if self.past_key is None else self.past_key.sizes[-2]
        if self._appends_in_place:
            self._check_trailing("past_sequence_lengths", self._of_batch(batch))
            if self.output_present_key is None:
                rule = "output_present_key must have a descriptor if past_sequence_lengths has one"
                raise LayoutError(self._what, rule, output_present_key=None)
            total = self.output_present_key.sizes[-2]
            past = past and total
        else:
            total = past + new
        for state, steps in (("past", past), ("output_present", total)):
            for kind, depth in depths.items():
                if f"{state}_{kind}" in self._given:
                    self._check_trailing(f"{state}_{kind}", (batch, own, steps, depth))
        return total

    def _of_batch(self, batch: int) -> Ints:
        """The sizes of numbers for a batch: a row or a column."""
        sizes = self._desc("past_sequence_lengths").sizes
        return (batch, 1) if sizes[-1] == 1 and len(sizes) > 1 else (batch,)

    def _check_trailing(self, name: str, wanted: Ints) -> None:
        """Check the last sizes of a tensor, whose other ones are 1."""
        sizes = self._desc(name).sizes
        extra = len(sizes) - len(wanted)
        if not 0 <= extra <= 5 - len(wanted) or sizes != (1,) * extra + tuple(wanted):
            rule = f"{name} must have the sizes {tuple(wanted)}, after ones up to 5 dims"
            raise LayoutError(self._what, rule, sizes=sizes)

    def _check_mask_sizes(self, name: str, scores: Ints) -> None:
        sizes = self._desc(name).sizes
        extra = len(sizes) - 4
        last = sizes[max(extra, 0) :]
        fits = all(size in (1, to) for size, to in zip(last[::-1], scores[::-1]))
        if extra > 1 or any(size != 1 for size in sizes[: max(extra, 0)]) or not fits:
            rule = f"{name} must broadcast to the sizes of scores, {scores}"
            raise LayoutError(self._what, rule, sizes=sizes)

    def _check_mask(self, scores: Ints) -> None:
        kind, batch = self.mask_type, scores[0]
        if (kind is MultiheadAttentionMaskType.NONE) != (self.mask is None):
            rule = "mask must have a descriptor unless mask_type is NONE"
            raise LayoutError(self._what, rule, mask_type=kind.name)
        if kind is MultiheadAttentionMaskType.BOOLEAN:
            self._check_mask_sizes("mask", scores)
        elif kind is MultiheadAttentionMaskType.KEY_SEQUENCE_LENGTH:
            self._check_trailing("mask", (batch,))
        elif kind is MultiheadAttentionMaskType.KEY_SEQUENCE_END_START:
            self._check_trailing("mask", (2, batch))
        elif kind is MultiheadAttentionMaskType.KEY_QUERY_SEQUENCE_LENGTH_START_END:
            self._check_trailing("mask", (3 * batch + 2,))

    def _compute(self, *tensors: Any) -> None:
        from dml_vk.array.manipulation.shapes import concat
        from dml_vk.nn.attention import scaled_dot_product_attention

        named = dict(zip(self._tensors, tensors))
        q, k, v = self._operands(named)
        states = []
        for new, kind in ((k, "key"), (v, "value")):
            past, present = [named[f"{state}_{kind}"] for state in ("past", "output_present")]
            past, present = [_of_4_dims(x) for x in (past, present)]
            if self._appends_in_place:
                new = _inserted(new, present if past is None else past, _lengths(named))
            elif past is not None:
                new = concat([*widened(past), new], axis=2)
            states.append(new)
            if present is not None:
                write_rounded(self._what, (new, present))
        k, v = states
        if self._appends_in_place:
            # What lies beyond the new steps is not a number yet.
            ended = _steps(k) >= _lengths(named) + self._sizes[1][1]
            k, v = [_where(ended, 0.0, x) for x in (k, v)]
        k, added = self._masked(named, q, k)
        groups = self._heads[0] // self._heads[1]
        q = q.reshape((q.shape[0], -1, groups, *q.shape[2:]))
        if added is not None:
            shape = (*[1] * (4 - added.ndim), *added.shape)
            split = (-1, groups) if shape[1] > 1 else (1, 1)
            added = added.reshape((shape[0], *split, *shape[2:]))
        result = scaled_dot_product_attention(
            q, k[:, :, None], v[:, :, None], mask=added, scale=self.scale
        )
        batch, _, _, queries, depth = result.shape
        joined = result.reshape((batch, -1, queries, depth)).transpose(1, 2)
        out = named["output"].reshape((batch, queries, -1))
        write_rounded(self._what, (joined.reshape(out.shape), out))

    def _operands(self, named: dict[str, Any]) -> Iterator[Tensor]:
        """Query, key and value, (batch, heads, steps, size), plus their bias."""
        parts: dict[str, Tensor] = {}
        for name, held in SOURCES.items():
            if named[name] is None:
                continue
            (x,) = widened(named[name])
            if len(held) == 1:
                heads = self._heads[held != "q"]
                batch, steps, width = x.shape[-3:]
                parts[held] = x.reshape((batch, steps, heads, width // heads))
            else:
                parts.update({letter: x[:, :, :, index] for index, letter in enumerate(held)})
        start, bias = 0, named["bias"]
        for letter in "qkv":
            x = parts[letter]
            if bias is not None:
                width = x.shape[2] * x.shape[3]
                (own,) = widened(bias.reshape((-1,))[start : start + width])
                x, start = x + own.reshape(x.shape[2:]), start + width
            yield x.transpose(1, 2)

    def _masked(self, named: dict[str, Any], q: Tensor, k: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return the keys, 0 where a range ends, and what is added to the scores."""
        filtered, added = self.mask_filter_value, None
        if named["relative_position_bias"] is not None:
            (bias,) = widened(named["relative_position_bias"])
            added = bias.reshape(bias.shape[-4:])
        mask = named["mask"]
        if self.mask_type is MultiheadAttentionMaskType.BOOLEAN:
            mask = mask.reshape(mask.shape[-4:]) if mask.ndim > 4 else mask
            number = _where(mask == 0, filtered, 0.0)
            added = number if added is None else added + number
        elif mask is not None:
            # A score of 0 plus the value is the value, which replaces the score.
            outside = self._outside(mask.reshape((-1,)), k)
            k = _where(outside, 0.0, k)
            number = _where(outside.mT, filtered, 0.0)
            if added is not None:
                number = _where(outside.mT, filtered, added)
            added = number
        if self._appends_in_place:
            from dml_vk.array.creation.grids import arange

            last = arange(q.shape[2], dtype="int32", device=q.device).reshape((1, 1, -1, 1))
            ahead = _steps(k).mT > last + _lengths(named)
            added = _where(ahead, -math.inf, 0.0 if added is None else added)
        return k, added

    def _outside(self, mask: Tensor, k: Tensor) -> Tensor:
        """Whether each key is beyond the range of the mask, (batch, 1, keys, 1)."""
        batch = k.shape[0]
        end = mask[:batch].reshape((batch, 1, 1, 1))
        outside = _steps(k) >= end
        if self.mask_type is MultiheadAttentionMaskType.KEY_SEQUENCE_END_START:
            outside = outside | (_steps(k) < mask[batch:].reshape((batch, 1, 1, 1)))
        return outside


def _of_4_dims(x: Any) -> Any:
    return None if x is None else x.reshape(x.shape[-4:])


def _where(condition: Tensor, x: Tensor | float, y: Tensor | float) -> Tensor:
    from dml_vk.array.math.elementwise import where

    result: Tensor = where(condition, x, y)
    return result


def _steps(k: Tensor) -> Tensor:
    """The numbers of the keys, (1, 1, keys, 1)."""
    from dml_vk.array.creation.grids import arange

    return arange(k.shape[2], dtype="int32", device=k.device).reshape((1, 1, -1, 1))


def _lengths(named: dict[str, Any]) -> Tensor:
    lengths: Tensor = named["past_sequence_lengths"]
    return lengths.reshape((-1, 1, 1, 1))


def _inserted(new: Tensor, past: Tensor, lengths: Tensor) -> Tensor:
    """Return the past states, in which the new ones follow as many as `lengths` says."""
    from dml_vk.array.indexing.take import take_along_axis
    from dml_vk.array.manipulation.shapes import broadcast_to
    from dml_vk.array.math.clipping import clip

    (wide,) = widened(past)
    index = _steps(wide) - lengths
    count = new.shape[2]
    inside = (index >= 0) & (index < count)
    source = broadcast_to(clip(index, 0, count - 1), (*new.shape[:2], *index.shape[2:3], 1))
    source = broadcast_to(source, (*source.shape[:3], new.shape[3]))
    return _where(inside, take_along_axis(new, source, axis=2), wide)
