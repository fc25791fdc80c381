"""Layouts: logical sizes and physical strides, and the maths between them.

A layout maps an index to an offset, in elements: `offset + dot(index, strides)`. It knows nothing
of element types, memory or devices, and needs nothing but the standard library.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal, NoReturn, final

from dml_vk import drawing
from dml_vk.errors import LayoutError, LayoutIndexError, explain
from dml_vk.strides import address, blocks, propagate, reshape
from dml_vk.strides.order import (
    CHANNELS_LAST,
    Ints,
    MemoryFormat,
    OrderLike,
    ascends,
    canonical_strides,
    follows_channels_last,
    magnitudes,
    order_format,
    packed_strides,
    read_order,
    row_major,
    to_dim,
    to_index,
    to_ints,
    to_offset,
    to_order,
    to_sizes,
    to_tuple,
)
from dml_vk.views import Views, one_tuple

__all__ = [
    "Layout",
    "MemoryFormat",
    "broadcast_sizes",
    "channels_first",
    "channels_last",
    "coalesce",
    "concatenate",
    "contiguous_format",
    "elementwise",
    "preserve_format",
]

contiguous_format = MemoryFormat.contiguous_format
channels_first = contiguous_format
channels_last = MemoryFormat.channels_last
preserve_format = MemoryFormat.preserve_format

Rule = Literal["commutative", "torch"]
MOST_OFFSETS = 2**26  # offsets, some gigabytes of them
_STAYS = "a layout must not be changed: its methods give new ones"


@final
class Layout(Views):
    """How a tensor of some sizes lies in memory: strides, offset and order, in elements.

    `order` is the physical order of the dims, outermost first. It carries the intent, which the
    strides of size-1 dims cannot: left out, it is read off the strides as given, and from then on
    each size-1 dim has its canonical stride, `max(1, |stride| * size)` of the next inner dim in
    the order, and 1 where it is the innermost. So layouts of one order that were given different
    strides for size-1 dims are equal. Strides alone decide where elements lie: an order that is
    given may differ from what they say, and speaks up in new layouts.

    >>> from dml_vk.layout import Layout
    >>> Layout((2, 3), (5, 1)).offset_of((1, 2))
    7
    >>> Layout((1, 3, 4, 5), (0, 1, 15, 3))
    Layout((1, 3, 4, 5), (60, 1, 15, 3), order=(0, 2, 3, 1))
    """

    __slots__ = ("offset", "order", "sizes", "strides")

    def __new__(
        cls,
        sizes: Iterable[int],
        strides: Iterable[int] | None = None,
        offset: int = 0,
        order: OrderLike | None = None,
    ) -> Layout:
        sizes, offset = to_sizes("Layout", sizes), to_offset("Layout", offset)
        if order is not None:
            order = to_order("Layout", order, len(sizes))
        if strides is None:
            order = order or row_major(len(sizes))
            return cls._make(sizes, packed_strides(sizes, order), offset, order)
        strides = to_ints("Layout", "strides", strides)
        if len(strides) != len(sizes):
            must = "there must be as many strides as sizes"
            raise LayoutError(explain("Layout", must, sizes=sizes, strides=strides))
        if strides and min(strides) < 0 and 0 not in sizes:
            address.check_lowest(sizes, strides, offset)
        return cls._make(sizes, strides, offset, order or read_order(sizes, strides))

    @classmethod
    def packed(
        cls, sizes: Iterable[int], order: OrderLike | None = None, offset: int = 0
    ) -> Layout:
        """No gaps, in the order named: a MemoryFormat, a permutation, "NHWC" or "nChw16c".

        A blocked name gives the layout of the blocked view: its sizes are (n, C/16, h, w, 16).

        >>> from dml_vk.layout import Layout
        >>> Layout.packed((2, 3, 4, 5), "NHWC").strides
        (60, 1, 15, 3)
        >>> Layout.packed((2, 32, 4, 5), "nChw16c").sizes
        (2, 2, 4, 5, 16)
        """
        sizes, offset = to_sizes("packed", sizes), to_offset("packed", offset)
        if isinstance(order, str) and blocks.is_blocked(order):
            blocking = blocks.parse_blocks("packed", order)
            sizes, found = blocks.blocked_sizes("packed", sizes, blocking), blocking.order
        else:
            rank = len(sizes)
            found = row_major(rank) if order is None else to_order("packed", order, rank)
        return cls._make(sizes, packed_strides(sizes, found), offset, found)

    @property
    def rank(self) -> int:
        return len(self.sizes)

    @property
    def numel(self) -> int:
        return math.prod(self.sizes)

    def offset_of(self, *index: int | Sequence[int]) -> int:
        """The address of one element; negative coordinates count from the end."""
        coordinates = to_ints("offset_of", "index", one_tuple(index))
        if len(coordinates) != len(self.sizes):
            raise LayoutIndexError(
                explain(
                    "offset_of", f"index must have {len(self.sizes)} coordinates", index=coordinates
                )
            )
        return self.offset + sum(
            to_index("offset_of", f"index[{dim}]", at, size) * stride
            for dim, (at, size, stride) in enumerate(zip(coordinates, self.sizes, self.strides))
        )

    def offsets(self) -> list[int]:
        """Every element's address, in logical row-major order."""
        if 0 in self.sizes:
            return []
        if self.numel > MOST_OFFSETS:
            must = f"there must be at most {MOST_OFFSETS} elements to list"
            raise LayoutError(explain("offsets", must, numel=self.numel))
        out = [self.offset]
        for size, stride in zip(self.sizes, self.strides):
            steps = range(0, size * stride, stride) if stride else (0,) * size
            out = [start + step for start in out for step in steps]
        return out

    @property
    def span(self) -> int:
        """Elements from the lowest to the highest address reached, both included; 0 if empty."""
        if 0 in self.sizes:
            return 0
        return 1 + sum(abs(s) * (n - 1) for n, s in zip(self.sizes, self.strides))

    @property
    def is_packed(self) -> bool:
        """One address per element and no gaps, in any order and direction."""
        return address.is_dense(self.sizes, self.strides)

    @property
    def is_dense(self) -> bool:
        """PyTorch's name for `is_packed`: non-overlapping and dense."""
        return self.is_packed

    @property
    def overlaps(self) -> bool:
        """Two different indexes share an address: exact, see `strides.address.overlaps`."""
        return address.overlaps(self.sizes, self.strides)

    @property
    def memory_format(self) -> MemoryFormat | None:
        """The intent: the format that `order` is, None where it has no name."""
        return order_format(self.order)

    def is_contiguous(self, memory_format: OrderLike = contiguous_format) -> bool:
        """Packed in that order: what memory says, whatever `order` intends.

        Formats, names and permutations all will do. False at a rank for which channels_last has
        no meaning.
        """
        order = _order_if_any("is_contiguous", memory_format, len(self.sizes))
        return order is not None and address.is_contiguous(self.sizes, self.strides, order)

    def follows(self, memory_format: OrderLike) -> bool:
        """The strides are in that order, gaps allowed.

        So a slice of the channels of a channels_last layout follows channels_last still.
        """
        order = _order_if_any("follows", memory_format, len(self.sizes))
        if order is None:
            return False
        strides = magnitudes(self.strides)
        if order == CHANNELS_LAST.get(len(order)):
            return follows_channels_last(self.sizes, strides, self.order)
        return ascends(self.sizes, strides, order)

    def like(self, memory_format: OrderLike = preserve_format) -> Layout:
        """The layout of a new tensor of these sizes: these strides if dense, else packed."""
        if memory_format is not preserve_format:
            return _packed(self.sizes, to_order("like", memory_format, len(self.sizes)))
        if self.is_packed:
            return self._make(self.sizes, magnitudes(self.strides), 0, self.order)
        return _packed(self.sizes, self.order)

    def to(self, memory_format: OrderLike) -> tuple[Layout, bool]:
        """(the layout in that order, whether data must move to get there).

        One rule: where memory is contiguous in it already, only `order` is retagged.
        """
        if memory_format is preserve_format:
            return self, False
        order = to_order("to", memory_format, len(self.sizes))
        if address.is_contiguous(self.sizes, self.strides, order):
            return self._make(self.sizes, self.strides, self.offset, order), False
        return _packed(self.sizes, order), 0 not in self.sizes

    def draw(self, labels: Iterable[object] | None = None) -> str:
        """A picture of memory: cells in address order, `·` for padding, `*` for broadcast dims.

        `labels` name the elements in logical row-major order, instead of their indexes.
        """
        names: tuple[object, ...] | None = None
        if labels is not None:
            names = tuple(labels) if isinstance(labels, str) else to_tuple("draw", "labels", labels)
        return drawing.as_text(self, names)

    def _repr_svg_(self) -> str | None:
        """The picture for notebooks; None, and so the repr, where it would be too large."""
        return drawing.as_svg(self) if drawing.fits(self) else None

    @staticmethod
    def _make(sizes: Ints, strides: Ints, offset: int, order: Ints) -> Layout:
        """A layout from parts that are known to be right, but for the strides of size-1 dims."""
        layout = _new(Layout)
        if 1 in sizes:
            strides = canonical_strides(sizes, strides, order)
        _set_sizes(layout, sizes)
        _set_strides(layout, strides)
        # Only views of an empty layout can start below 0, and they address nothing.
        _set_offset(layout, offset if offset > 0 else 0)
        _set_order(layout, order)
        return layout

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(explain("Layout", _STAYS, **{name: value}))

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(explain("Layout", _STAYS, deleted=name))

    def __eq__(self, other: object) -> bool:
        if type(other) is not Layout:
            return NotImplemented
        return (
            self.sizes == other.sizes
            and self.strides == other.strides
            and self.offset == other.offset
            and self.order == other.order
        )

    def __hash__(self) -> int:
        return hash((self.sizes, self.strides, self.offset, self.order))

    def __reduce__(self) -> tuple[type[Layout], tuple[Ints, Ints, int, Ints]]:
        return Layout, (self.sizes, self.strides, self.offset, self.order)

    def __repr__(self) -> str:
        offset = f", offset={self.offset}" if self.offset else ""
        plain = row_major(len(self.sizes))
        telling = self.order != plain or read_order(self.sizes, self.strides) != plain
        order = f", order={self.order}" if telling else ""
        return f"Layout({self.sizes}, {self.strides}{offset}{order})"


# The slots themselves, past the `__setattr__` that keeps everybody else out.
_new = object.__new__
_set_sizes = Layout.__dict__["sizes"].__set__
_set_strides = Layout.__dict__["strides"].__set__
_set_offset = Layout.__dict__["offset"].__set__
_set_order = Layout.__dict__["order"].__set__


def _packed(sizes: Ints, order: Ints) -> Layout:
    """`Layout.packed` for what is checked already."""
    return Layout._make(sizes, packed_strides(sizes, order), 0, order)


def _order_if_any(what: str, memory_format: OrderLike, rank: int) -> Ints | None:
    if memory_format is channels_last and rank not in CHANNELS_LAST:
        return None
    return to_order(what, memory_format, rank)


def broadcast_sizes(*sizes: Iterable[int]) -> Ints:
    """The sizes that tensors of these sizes have together, by NumPy's rule.

    >>> from dml_vk.layout import broadcast_sizes
    >>> broadcast_sizes((2, 1, 4), (3, 1))
    (2, 3, 4)
    """
    what = "broadcast_sizes"
    return propagate.broadcast_sizes(what, tuple([to_sizes(what, one) for one in sizes]))


def elementwise(*layouts: Layout, rule: Rule = "commutative") -> Layout:
    """The layout of the result of an elementwise operation on these operands.

    "commutative": operands of full size outweigh broadcast ones, channels_last outweighs other
    orders, and any order outweighs row-major, so the order of arguments does not matter.
    "torch": the strides that PyTorch gives.

    >>> from dml_vk.layout import Layout, elementwise
    >>> image, bias = Layout.packed((2, 3, 4, 5), "NHWC"), Layout((3, 1, 1))
    >>> elementwise(bias, image) == elementwise(image, bias) == image
    True
    """
    _check("elementwise", layouts, rule)
    sizes = propagate.broadcast_sizes("elementwise", tuple([layout.sizes for layout in layouts]))
    if rule == "torch":
        strides, order = propagate.torch_elementwise(sizes, layouts)
        return Layout._make(sizes, strides, 0, order)
    return _packed(sizes, propagate.commutative_elementwise(sizes, layouts))


def concatenate(layouts: Iterable[Layout], dim: int, rule: Rule = "commutative") -> Layout:
    """The layout of the result of joining these along a dim; the rules are `elementwise`'s.

    Under "torch" the result is channels_last only if every input is, and inputs of sizes (0,)
    fit any rank.

    >>> from dml_vk.layout import Layout, concatenate
    >>> image = Layout.packed((2, 3, 4, 5), "NHWC")
    >>> concatenate([image, Layout((2, 1, 4, 5))], 1)
    Layout((2, 4, 4, 5), (80, 1, 20, 4), order=(0, 2, 3, 1))
    """
    given = to_tuple("concatenate", "layouts", layouts)
    _check("concatenate", given, rule)
    parts = [one for one in given if rule != "torch" or one.sizes != (0,)] or given[:1]
    rank = len(parts[0].sizes)
    sizes = propagate.concatenated_sizes(
        [one.sizes for one in parts], to_dim("concatenate", dim, rank)
    )
    if rule == "torch":
        order = propagate.torch_concatenate(given, rank)
    else:
        order = propagate.commutative_concatenate(parts, rank)
    return _packed(sizes, order)


def coalesce(*layouts: Layout) -> tuple[Layout, ...]:
    """The same layouts in the fewest dims that serve all of them.

    post: result[k].offsets() == layouts[k].offsets()

    >>> from dml_vk.layout import Layout, coalesce
    >>> coalesce(Layout((2, 3, 4)), Layout((2, 3, 4), (12, 4, 1), offset=5))
    (Layout((24,), (1,)), Layout((24,), (1,), offset=5))
    """
    _check("coalesce", layouts)
    sizes = layouts[0].sizes
    for layout in layouts:
        if layout.sizes != sizes:
            raise LayoutError(
                explain(
                    "coalesce",
                    "the layouts must have equal sizes",
                    sizes=tuple(layout.sizes for layout in layouts),
                )
            )
    merged, operands = reshape.coalesce(sizes, tuple([layout.strides for layout in layouts]))
    return tuple(
        [
            Layout._make(merged, strides, layout.offset, order)
            for layout, (strides, order) in zip(layouts, operands)
        ]
    )


def _check(what: str, layouts: tuple[Layout, ...], rule: Rule = "commutative") -> None:
    for layout in layouts:
        if type(layout) is not Layout:
            raise LayoutError(explain(what, "each operand must be a Layout", operand=layout))
    if not layouts:
        raise LayoutError(explain(what, "there must be an operand", layouts=layouts))
    if not isinstance(rule, str) or rule not in ("commutative", "torch"):
        raise LayoutError(explain(what, "rule must be 'commutative' or 'torch'", rule=rule))
