"""Arguments of functions as the types that the code works with, or a clear error."""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import islice
from typing import Any, TypeAlias, TypeVar

from dml_vk.errors import AxisError, DTypeError, LayoutError, LayoutIndexError

T = TypeVar("T")
Ints: TypeAlias = tuple[int, ...]
Axes: TypeAlias = int | Sequence[int]
MOST_LISTED = 2**24  # numbers in one argument
_SEQUENCES = {list, tuple}


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


def is_one(value: object) -> bool:
    """Whether an argument is a single value: not iterable, a string, or an array without dims."""
    if type(value) in _SEQUENCES:
        return False
    is_text = isinstance(value, str)
    return is_text or not hasattr(value, "__iter__") or getattr(value, "ndim", None) == 0


def several(one_or_more: object) -> Any:
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
    items = tuple(islice(values, most + 1))
    if len(items) > most:
        raise TypeError
    return items


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


def to_bool(what: str, name: str, value: object) -> bool:
    if not is_bool(value):
        raise DTypeError(what, f"{name} must be a bool", **{name: value})
    return bool(value)


def to_bool_or_none(what: str, name: str, value: object) -> bool | None:
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
    kind: type[AxisError] = both.AxisError if both else AxisError
    return kind(error.op, error.rule, **error.got)


def to_dims(what: str, dims: Iterable[int], rank: int) -> Ints:
    """Normalize dims, which must be distinct."""
    normalized = listed = to_tuple(what, "dims", dims)
    for dim in listed:
        if type(dim) is not int or not 0 <= dim < rank:
            normalized = tuple([to_dim(what, dim, rank) for dim in listed])
            break
    if len(set(normalized)) != len(normalized):
        raise LayoutError(what, "dims must not repeat", dims=listed)
    return normalized
