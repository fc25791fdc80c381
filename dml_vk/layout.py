"""Layouts: logical sizes and physical strides, and the arithmetic on them.

A layout maps an index to an offset, in elements: `offset + dot(index, strides)`. It knows nothing
of element types, memory or devices, and only needs the standard library.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal, NoReturn, final

from dml_vk.arguments import Ints, to_dim, to_index, to_ints, to_offset, to_sizes, to_tuple
from dml_vk.errors import LayoutError, LayoutIndexError, explain
from dml_vk.strides import address, blocks, drawing, propagate, reshape
from dml_vk.strides.order import (
    CHANNELS_LAST,
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
    to_order,
)
from dml_vk.strides.views import Views, one_tuple

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
MOST_OFFSETS = 2**26  # a list of some gigabytes
_IMMUTABLE = "a Layout cannot be changed: its methods return new ones"


@final
class Layout(Views):
    """The sizes, strides, offset and order of a tensor in memory, in elements.

    `order` is the physical order of the dims, outermost first. It expresses the intended format
    where strides cannot, at dims of size 1. By default it is inferred from the strides. Then each
    size-1 dim gets its canonical stride: `max(1, |stride| * size)` of the next inner dim in the
    order, and 1 if it is the innermost. So layouts with the same order that were given different
    strides for size-1 dims are equal. Only the strides determine where elements lie: a given order
    may differ from that of the strides, and then determines the order of new layouts.

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
            rule = "sizes and strides must have the same length"
            raise LayoutError("Layout", rule, sizes=sizes, strides=strides)
        if strides and min(strides) < 0 and 0 not in sizes:
            address.check_lowest(sizes, strides, offset)
        return cls._make(sizes, strides, offset, order or read_order(sizes, strides))

    @classmethod
    def packed(
        cls, sizes: Iterable[int], order: OrderLike | None = None, offset: int = 0
    ) -> Layout:
        """A layout without gaps, in this order: a MemoryFormat, a permutation, "NHWC" or "nChw16c".

        A blocked name returns the layout of the blocked view: its sizes are (n, C/16, h, w, 16).

        >>> from dml_vk.layout import Layout
        >>> Layout.packed((2, 3, 4, 5), "NHWC").strides
        (60, 1, 15, 3)
        >>> Layout.packed((2, 32, 4, 5), "nChw16c").sizes
        (2, 2, 4, 5, 16)
        """
        sizes, offset = to_sizes("packed", sizes), to_offset("packed", offset)
        if isinstance(order, str) and blocks.is_blocked(order):
            blocking = blocks.parse_blocks("packed", order)
            sizes, dims = blocks.blocked_sizes("packed", sizes, blocking), blocking.order
        else:
            rank = len(sizes)
            dims = row_major(rank) if order is None else to_order("packed", order, rank)
        return cls._make(sizes, packed_strides(sizes, dims), offset, dims)

    @property
    def rank(self) -> int:
        return len(self.sizes)

    @property
    def numel(self) -> int:
        return math.prod(self.sizes)

    def offset_of(self, *index: int | Sequence[int]) -> int:
        """Return the address of an element; negative indexes count from the end."""
        coordinates = to_ints("offset_of", "index", one_tuple(index))
        if len(coordinates) != len(self.sizes):
            raise LayoutIndexError(
                "offset_of", f"index must have {len(self.sizes)} coordinates", index=coordinates
            )
        return self.offset + sum(
            to_index("offset_of", f"index[{dim}]", at, size) * stride
            for dim, (at, size, stride) in enumerate(zip(coordinates, self.sizes, self.strides))
        )

    def offsets(self) -> list[int]:
        """Return the addresses of all elements, in logical row-major order."""
        if 0 in self.sizes:
            return []
        if self.numel > MOST_OFFSETS:
            rule = f"cannot list more than {MOST_OFFSETS} elements"
            raise LayoutError("offsets", rule, numel=self.numel)
        out = [self.offset]
        for size, stride in zip(self.sizes, self.strides):
            steps = range(0, size * stride, stride) if stride else (0,) * size
            out = [start + step for start in out for step in steps]
        return out

    @property
    def span(self) -> int:
        """The number of elements from the lowest to the highest address, inclusive; 0 if empty."""
        if 0 in self.sizes:
            return 0
        return 1 + sum(abs(s) * (n - 1) for n, s in zip(self.sizes, self.strides))

    @property
    def is_packed(self) -> bool:
        """Whether there is one address per element and no gaps, in any order and direction."""
        return address.is_dense(self.sizes, self.strides)

    @property
    def is_dense(self) -> bool:
        """PyTorch's name for `is_packed`: non-overlapping and dense."""
        return self.is_packed

    @property
    def overlaps(self) -> bool:
        """Whether two different indexes share an address: exact, see `strides.address.overlaps`."""
        return address.overlaps(self.sizes, self.strides)

    @property
    def memory_format(self) -> MemoryFormat | None:
        """The intended format: the one whose order is `order`, None if it has no name."""
        return order_format(self.order)

    def is_contiguous(self, memory_format: OrderLike = contiguous_format) -> bool:
        """Return whether the memory is packed in that order, whatever `order` says.

        The argument can be a format, a name or a permutation. False at a rank for which
        channels_last is not defined.
        """
        order = _order_if_any("is_contiguous", memory_format, len(self.sizes))
        return order is not None and address.is_contiguous(self.sizes, self.strides, order)

    def follows(self, memory_format: OrderLike) -> bool:
        """Return whether the strides are in that order, with gaps allowed.

        For example, a slice of the channels of a channels_last layout still follows channels_last.
        """
        order = _order_if_any("follows", memory_format, len(self.sizes))
        if order is None:
            return False
        strides = magnitudes(self.strides)
        if order == CHANNELS_LAST.get(len(order)):
            return follows_channels_last(self.sizes, strides, self.order)
        return ascends(self.sizes, strides, order)

    def like(self, memory_format: OrderLike = preserve_format) -> Layout:
        """Return the layout of a new tensor: the same strides if they are dense, else packed."""
        if memory_format is not preserve_format:
            return _packed(self.sizes, to_order("like", memory_format, len(self.sizes)))
        if self.is_packed:
            return self._make(self.sizes, magnitudes(self.strides), 0, self.order)
        return _packed(self.sizes, self.order)

    def to(self, memory_format: OrderLike) -> tuple[Layout, bool]:
        """Return (the layout in that order, whether data must be copied).

        If memory is already contiguous in the order, only `order` changes.
        """
        if memory_format is preserve_format:
            return self, False
        order = to_order("to", memory_format, len(self.sizes))
        if address.is_contiguous(self.sizes, self.strides, order):
            return self._make(self.sizes, self.strides, self.offset, order), False
        return _packed(self.sizes, order), 0 not in self.sizes

    def draw(self, labels: Iterable[object] | None = None) -> str:
        """Draw memory: cells in address order, `·` for padding, `*` for broadcast dims.

        `labels` name the elements in logical row-major order, instead of their indexes.
        """
        names: tuple[object, ...] | None = None
        if labels is not None:
            names = tuple(labels) if isinstance(labels, str) else to_tuple("draw", "labels", labels)
        return drawing.as_text(self, names)

    def _repr_svg_(self) -> str | None:
        """The drawing for notebooks; None, which selects the repr, if it would be too large."""
        return drawing.as_svg(self) if drawing.fits(self) else None

    @staticmethod
    def _make(sizes: Ints, strides: Ints, offset: int, order: Ints) -> Layout:
        """Make a layout from valid parts, where strides of size-1 dims may be arbitrary."""
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
        raise AttributeError(explain("Layout", _IMMUTABLE, **{name: value}))

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(explain("Layout", _IMMUTABLE, deleted=name))

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
        shows_order = self.order != plain or read_order(self.sizes, self.strides) != plain
        order = f", order={self.order}" if shows_order else ""
        return f"Layout({self.sizes}, {self.strides}{offset}{order})"


# The setters of the slots, which bypass `__setattr__`.
_new = object.__new__
_set_sizes = Layout.__dict__["sizes"].__set__
_set_strides = Layout.__dict__["strides"].__set__
_set_offset = Layout.__dict__["offset"].__set__
_set_order = Layout.__dict__["order"].__set__


def _packed(sizes: Ints, order: Ints) -> Layout:
    """`Layout.packed` for arguments that have been checked."""
    return Layout._make(sizes, packed_strides(sizes, order), 0, order)


def _order_if_any(what: str, memory_format: OrderLike, rank: int) -> Ints | None:
    if memory_format is channels_last and rank not in CHANNELS_LAST:
        return None
    return to_order(what, memory_format, rank)


def broadcast_sizes(*sizes: Iterable[int]) -> Ints:
    """Return the sizes to which these sizes broadcast, by NumPy's rule.

    >>> from dml_vk.layout import broadcast_sizes
    >>> broadcast_sizes((2, 1, 4), (3, 1))
    (2, 3, 4)
    """
    what = "broadcast_sizes"
    return propagate.broadcast_sizes(what, tuple([to_sizes(what, shape) for shape in sizes]))


def elementwise(*layouts: Layout, rule: Rule = "commutative") -> Layout:
    """Return the layout of the result of an elementwise operation on these operands.

    "commutative": operands of full size take precedence over broadcast ones, channels_last over
    other orders, and any order over row-major, so the order of arguments does not matter. "torch":
    the strides that PyTorch gives.

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
    """Return the layout of the result of joining these along a dim, by `elementwise`'s rules.

    With "torch" the result is channels_last only if every input is, and inputs of sizes (0,) are
    compatible with any rank.

    >>> from dml_vk.layout import Layout, concatenate
    >>> image = Layout.packed((2, 3, 4, 5), "NHWC")
    >>> concatenate([image, Layout((2, 1, 4, 5))], 1)
    Layout((2, 4, 4, 5), (80, 1, 20, 4), order=(0, 2, 3, 1))
    """
    operands = to_tuple("concatenate", "layouts", layouts)
    _check("concatenate", operands, rule)
    parts = list(operands)
    if rule == "torch":
        parts = [layout for layout in operands if layout.sizes != (0,)] or parts[:1]
    rank = len(parts[0].sizes)
    sizes = propagate.concatenated_sizes(
        [layout.sizes for layout in parts], to_dim("concatenate", dim, rank)
    )
    if rule == "torch":
        order = propagate.torch_concatenate(operands, rank)
    else:
        order = propagate.commutative_concatenate(parts, rank)
    return _packed(sizes, order)


def coalesce(*layouts: Layout) -> tuple[Layout, ...]:
    """Merge dims of the layouts as far as possible for all of them.

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
                "coalesce",
                "the layouts must have equal sizes",
                sizes=tuple(layout.sizes for layout in layouts),
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
            raise LayoutError(what, "each operand must be a Layout", operand=layout)
    if not layouts:
        raise LayoutError(what, "at least one operand is needed", layouts=layouts)
    if not isinstance(rule, str) or rule not in ("commutative", "torch"):
        raise LayoutError(what, "rule must be 'commutative' or 'torch'", rule=rule)
