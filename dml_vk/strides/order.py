"""Memory orders, the strides they imply, and the orders that strides imply.

An order is a permutation of the dims, outermost first: `(0, 2, 3, 1)` is NHWC.
"""

from __future__ import annotations

import enum
import functools
import operator
import sys
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import islice
from typing import Any, TypeAlias, TypeVar, Union

from dml_vk.errors import AxisError, DTypeError, LayoutError, LayoutIndexError

T = TypeVar("T")
Ints: TypeAlias = tuple[int, ...]
Axes: TypeAlias = int | Sequence[int]
OrderLike: TypeAlias = Union["MemoryFormat", str, Sequence[int]]


class MemoryFormat(enum.Enum):
    """Named memory formats, as in PyTorch; each stands for one order at every rank it supports."""

    contiguous_format = "contiguous_format"
    channels_last = "channels_last"
    preserve_format = "preserve_format"

    def __repr__(self) -> str:
        return self.value

    __str__ = __repr__


CHANNELS_LAST: dict[int, Ints] = {3: (0, 2, 1), 4: (0, 2, 3, 1), 5: (0, 2, 3, 4, 1)}
# The same without the batch dim.
UNBATCHED = {
    rank - 1: tuple([dim - 1 for dim in order[1:]]) for rank, order in CHANNELS_LAST.items()
}
LOGICAL_LETTERS = "NCDHW"
MOST_LISTED = 2**24  # numbers in one argument
_SEQUENCES = {list, tuple}


@functools.lru_cache(maxsize=64)
def row_major(rank: int) -> Ints:
    return tuple(range(rank))


def to_ints(what: str, name: str, values: Iterable[int]) -> Ints:
    """Convert integers of any type to a tuple of Python ints."""
    try:
        ints = _counted(values)
        for value in ints:
            if type(value) is not int:
                return tuple([int(operator.index(value)) for value in ints])
    except TypeError:
        raise LayoutError(
            what, f"{name} must be a sequence of integers", **{name: values}
        ) from None
    return ints


def to_tuple(what: str, name: str, values: Iterable[T], most: int | None = None) -> tuple[T, ...]:
    try:
        return _counted(values, most or MOST_LISTED)
    except TypeError:
        rule = f"{name} must be a sequence"
        if most:
            rule = f"{name} must be a sequence of at most {most}"
        raise LayoutError(what, rule, **{name: values}) from None


def is_one(given: Any) -> bool:
    """Whether an argument is a single value: not iterable, a string, or an array without dims."""
    if type(given) in _SEQUENCES:
        return False
    is_text = isinstance(given, str)
    return is_text or not hasattr(given, "__iter__") or getattr(given, "ndim", None) == 0


def several(one_or_more: Any) -> Any:
    """Wrap a single value in a tuple; leave sequences as they are."""
    return (one_or_more,) if is_one(one_or_more) else one_or_more


def _counted(values: Iterable[T], most: int = MOST_LISTED) -> tuple[T, ...]:
    """Convert to a tuple, or raise TypeError for iterables that are unordered or too long."""
    if type(values) in _SEQUENCES:
        return tuple(values)
    if isinstance(values, (str, bytes, bytearray, Mapping, Set)):
        raise TypeError
    count = getattr(type(values), "__len__", None)
    try:
        if count is not None and not 0 <= count(values) <= most:
            raise TypeError
    except OverflowError:  # of `range`
        raise TypeError from None
    found = tuple(islice(values, most + 1))
    if len(found) > most:
        raise TypeError
    return found


def to_int(what: str, name: str, value: Any) -> int:
    try:
        return int(operator.index(value))
    except TypeError:
        raise LayoutError(what, f"{name} must be an integer", **{name: value}) from None


def is_bool(value: object) -> bool:
    """Whether a value is Python's or NumPy's bool, the latter by name: layouts import no NumPy."""
    kind = type(value)
    return kind is bool or (
        getattr(kind, "__module__", "") == "numpy" and kind.__name__ in ("bool", "bool_")
    )


def to_bool(what: str, name: str, value: Any) -> bool:
    if not is_bool(value):
        raise DTypeError(what, f"{name} must be a bool", **{name: value})
    return bool(value)


def to_bool_or_none(what: str, name: str, value: Any) -> bool | None:
    if value is not None and not is_bool(value):
        raise DTypeError(what, f"{name} must be a bool or None", **{name: value})
    return None if value is None else bool(value)


def to_sizes(what: str, values: Iterable[int]) -> Ints:
    if type(values) is tuple:
        for size in values:
            if type(size) is not int or size < 0:
                break
        else:
            return values  # the common case, in one pass
    sizes = to_ints(what, "sizes", values)
    if sizes and min(sizes) < 0:
        raise LayoutError(what, "sizes must not be negative", sizes=sizes)
    return sizes


def to_offset(what: str, value: int) -> int:
    offset = value if type(value) is int else to_int(what, "offset", value)
    if offset < 0:
        raise LayoutError(what, "offset must not be negative", offset=offset)
    return offset


def to_dim(what: str, dim: int, rank: int) -> int:
    """Normalize a dim, which may be negative."""
    if type(dim) is int and 0 <= dim < rank:
        return dim
    return to_axis(what, "dim", dim, rank)


def to_index(what: str, name: str, index: int, size: int) -> int:
    """Normalize an index, which may be negative."""
    if type(index) is not int:
        index = to_int(what, name, index)
    if 0 <= index < size:
        return index
    if -size <= index < 0:
        return index + size
    rule = (
        f"{name} must be from {-size} to {size - 1}"
        if size
        else f"{name} is out of range: there are none"
    )
    raise LayoutIndexError(what, rule, **{name: index})


def to_axis(what: str, name: str, axis: int, rank: int) -> int:
    """Normalize an axis, or the place of one among `rank`."""
    if type(axis) is int and 0 <= axis < rank:
        return axis
    try:
        return to_index(what, name, axis, rank)
    except LayoutIndexError as error:
        raise axis_error(error) from None


def is_axis_of_none(axis: object, rank: int) -> bool:
    """Whether an axis is one that NumPy takes for an array without dims, as a row of one."""
    return not rank and type(axis) is int and axis in (0, -1)


def axis_error(error: LayoutIndexError) -> AxisError:
    """Return the error as an AxisError: NumPy's too, unless layouts are used without tensors."""
    both = sys.modules.get("dml_vk.numpy_errors")
    found: type[AxisError] = both.AxisError if both else AxisError
    return found(error.op, error.rule, **error.got)


def to_dims(what: str, dims: Iterable[int], rank: int) -> Ints:
    """Normalize dims, which must be distinct."""
    found = given = to_tuple(what, "dims", dims)
    for dim in given:
        if type(dim) is not int or not 0 <= dim < rank:
            found = tuple([to_dim(what, dim, rank) for dim in given])
            break
    if len(set(found)) != len(found):
        raise LayoutError(what, "dims must not repeat", dims=given)
    return found


def to_order(what: str, spec: OrderLike, rank: int) -> Ints:
    """Convert a format, a name such as "NHWC" or a permutation to an order of this rank."""
    if isinstance(spec, MemoryFormat):
        return format_order(what, spec, rank)
    if isinstance(spec, str):
        if spec in MemoryFormat.__members__:
            return format_order(what, MemoryFormat[spec], rank)
        order = name_order(what, spec)
        if len(order) != rank:
            raise LayoutError(what, f"order must name all {rank} dims", order=spec)
        return order
    order = to_ints(what, "order", spec)
    if tuple(sorted(order)) != row_major(rank):
        raise LayoutError(
            what, f"order must contain each dim from 0 to {rank - 1} once", order=order
        )
    return order


def format_order(what: str, memory_format: MemoryFormat, rank: int) -> Ints:
    if memory_format is MemoryFormat.contiguous_format:
        return row_major(rank)
    if memory_format is MemoryFormat.channels_last:
        order = CHANNELS_LAST.get(rank)
        if order is None:
            raise LayoutError(
                what, "rank must be 3 (NWC), 4 (NHWC) or 5 (NDHWC) for channels_last", rank=rank
            )
        return order
    raise LayoutError(
        what,
        "memory_format must be contiguous_format or channels_last",
        memory_format=memory_format,
    )


@functools.lru_cache(maxsize=256)
def name_order(what: str, name: str) -> Ints:
    """Convert a name such as "NHWC", outermost dim first, where logical dims are in NCDHW order."""
    letters = name.upper()
    logical = [letter for letter in LOGICAL_LETTERS if letter in letters]
    if len(logical) != len(letters):
        raise LayoutError(
            what, f"order must use letters of {LOGICAL_LETTERS}, each once", order=name
        )
    return tuple(map(logical.index, letters))


def order_format(order: Ints) -> MemoryFormat | None:
    """The memory format of an order, or None."""
    rank = len(order)
    if order == row_major(rank):
        return MemoryFormat.contiguous_format
    if order == CHANNELS_LAST.get(rank):
        return MemoryFormat.channels_last
    return None


def packed_strides(sizes: Ints, order: Ints) -> Ints:
    """Strides without gaps.

    As in PyTorch, a dim of size 0 counts as size 1 in row-major order, but as 0 in other orders.
    """
    strides = [1] * len(sizes)
    step = 1
    if 0 in sizes and order == row_major(len(sizes)):
        sizes = tuple([size or 1 for size in sizes])
    for dim in reversed(order):
        strides[dim] = step
        step *= sizes[dim]
    return tuple(strides)


def canonical_strides(sizes: Ints, strides: Ints, order: Ints) -> Ints:
    """Replace the strides of size-1 dims, which are arbitrary, by those that the order implies.

    That is `max(1, |stride| * size)` of the next inner dim, and 1 for the innermost. No element's
    address changes.
    """
    out = list(strides)
    step = 1
    for dim in reversed(order):
        size = sizes[dim]
        if size == 1:
            out[dim] = step
        else:
            step = abs(out[dim]) * size or 1
    return tuple(out)


def ascends(sizes: Ints, strides: Ints, order: Ints) -> bool:
    """Whether each stride is at least the extent of the dims inside it, in this order."""
    low = 1
    for dim in reversed(order):
        size, stride = sizes[dim], strides[dim]
        if size == 0 or stride < low:
            return False
        low = stride * size
    return True


def suggests_channels_last(sizes: Ints, strides: Ints) -> bool:
    """Whether PyTorch takes strides for channels_last."""
    # Where C and all of D, H, W are 1, both formats have the same strides. PyTorch then takes them
    # for row-major, unless the strides leave a gap for more channels.
    return (
        ascends(sizes, strides, CHANNELS_LAST[len(sizes)]) and strides[2] * sizes[2] != strides[1]
    )


def follows_channels_last(sizes: Ints, strides: Ints, order: Ints) -> bool:
    """The same for canonical strides, where the order decides ambiguous cases."""
    channels_last = CHANNELS_LAST[len(sizes)]
    if order == channels_last:
        return ascends(sizes, strides, channels_last)
    return suggests_channels_last(sizes, strides)


def magnitudes(strides: Ints) -> Ints:
    """Absolute strides: their signs do not affect the order."""
    return tuple(map(abs, strides)) if strides and min(strides) < 0 else strides


def read_order(sizes: Ints, strides: Ints) -> Ints:
    """The order that strides imply, with those of size-1 dims taken at face value."""
    outer_size = outer = sys.maxsize
    for size, stride in zip(sizes, strides):
        if not 0 < stride <= outer or (stride == outer and size > outer_size):
            return _read_other_order(sizes, strides)
        outer_size, outer = size, stride
    return row_major(len(sizes))  # by far the most common case


@functools.lru_cache(maxsize=4096)
def _read_other_order(sizes: Ints, strides: Ints) -> Ints:
    strides = magnitudes(strides)
    if len(sizes) in (4, 5) and suggests_channels_last(sizes, strides):
        return CHANNELS_LAST[len(sizes)]
    return loop_order(sizes, (strides,))


@functools.lru_cache(maxsize=4096)
def loop_order(sizes: Ints, operands: tuple[Ints, ...]) -> Ints:
    """The order in which PyTorch's elementwise loop nests the dims of operands of one shape.

    It is an insertion sort that starts from row-major. Of two dims the one with the larger stride
    goes outside, as decided by the first operand in which neither stride is 0; with equal strides
    the larger size goes outside. The comparison is not transitive, so the sorting algorithm is
    part of the rule.
    """
    inner_first = list(reversed(row_major(len(sizes))))
    for start in range(1, len(sizes)):
        here = start
        for inner in range(start - 1, -1, -1):
            verdict = _compare(sizes, operands, inner_first[inner], inner_first[here])
            if verdict > 0:
                inner_first[inner], inner_first[here] = inner_first[here], inner_first[inner]
                here = inner
            elif verdict < 0:
                break
    return tuple(reversed(inner_first))


def _compare(sizes: Ints, operands: tuple[Ints, ...], a: int, b: int) -> int:
    """Positive where dim a belongs outside dim b, negative where inside, 0 where undecided."""
    for strides in operands:
        if strides[a] == 0 or strides[b] == 0:
            continue
        if strides[a] != strides[b]:
            return strides[a] - strides[b]
        if sizes[a] > sizes[b]:
            return 1
    return 0
