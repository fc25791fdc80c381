"""Parsing keys as NumPy does: the meaning of each part, and the view that basic parts select.

Integers, slices, `...` and None select a view. Advanced indexes, arrays of integers (indexes) or
bools (masks), apply to dims of that view.
"""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np

from dml_vk.arguments import Ints
from dml_vk.errors import DTypeError, LayoutIndexError
from dml_vk.layout import Layout
from dml_vk.ops.view import check_devices
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array, ArrayLike

_EVERY = slice(None)
_bounds = operator.attrgetter("start", "stop", "step")
_BOUNDS = {int, type(None)}
_SINGLE = {int, type(None), type(Ellipsis)}
_PLAIN = (int, slice, type(None), type(Ellipsis))
INDEXES = "index arrays must be of integers or bools"


class AdvancedIndex(NamedTuple):
    """An advanced index: an index tensor, for one dim, or a mask, for as many dims as it has."""

    dim: int  # of the view, the first of them
    axis: int  # of the tensor
    array: Tensor | Array

    @property
    def is_mask(self) -> bool:
        return is_mask(self.array)

    @property
    def rank(self) -> int:
        """The number of dims that it applies to."""
        return self.array.ndim if self.is_mask else 1


class Key(NamedTuple):
    """A view, the dims of it that have advanced indexes, and the position of their result dims."""

    layout: Layout
    advanced: tuple[AdvancedIndex, ...] = ()
    indexed: Ints = ()
    at: int = 0  # position of the result dims of the indexes among the other dims


def is_mask(index: Tensor | Array) -> bool:
    return index.dtype.kind == "b"


def basic(key: Any) -> Any:
    """Return a hashable form of a key of ints, slices, `...` and None, equal for equal keys only.

    None for other keys, and for one that is only `...` or None.
    """
    kind = type(key)
    if kind is int:
        return key
    if kind is slice:
        bounds = _bounds(key)
        if _BOUNDS.issuperset(map(type, bounds)):
            return bounds
    elif kind is tuple:
        parts: list[Any] = [slice]
        for part in key:
            if type(part) is slice:
                part = _bounds(part)
                if not _BOUNDS.issuperset(map(type, part)):
                    return None
            elif type(part) not in _SINGLE:
                return None
            parts.append(part)
        return tuple(parts)
    return None


def parse(what: str, tensor: Tensor, key: object) -> Key:
    """Parse a key for this tensor; everything is checked except values on the device."""
    layout = tensor.layout
    if type(key) is int and layout.sizes:
        return Key(layout.select(0, to_place(what, key, 0, layout.sizes[0])))
    if type(key) is slice and layout.sizes:
        return Key(layout.slice(0, key.start, key.stop, key.step))
    parts = [
        part if type(part) in _PLAIN else _part(what, tensor, part)
        for part in (key if isinstance(key, tuple) else (key,))
    ]
    left = len(layout.sizes) - sum([_dims_of(part) for part in parts])
    if left < 0:
        rule = f"too many indexes for {len(layout.sizes)} dims"
        raise LayoutIndexError(what, rule, indexes=len(layout.sizes) - left)
    if sum([part is Ellipsis for part in parts]) > 1:
        raise LayoutIndexError(what, "a key may contain ... only once", key=key)
    advanced: list[AdvancedIndex] = []
    positions: list[int] = []  # of advanced indexes in the key, and of integers, which join them
    dim = axis = at = 0
    for number, part in enumerate(parts):
        if type(part) is int or isinstance(part, (np.ndarray, Tensor)):
            at = at if positions else dim
            positions.append(number)
        if part is None:
            layout = layout.unsqueeze(dim)
            dim += 1
            continue
        if type(part) is int:
            layout = layout.select(dim, to_place(what, part, axis, layout.sizes[dim]))
            dim -= 1
        elif isinstance(part, slice):
            if part != _EVERY:
                layout = layout.slice(dim, part.start, part.stop, part.step)
        elif part is not Ellipsis:
            advanced.append(_advanced_index(what, layout, dim, axis, part))
        covered = left if part is Ellipsis else _dims_of(part)
        dim, axis = dim + covered, axis + covered
    together = not positions or positions[-1] - positions[0] == len(positions) - 1
    indexed = tuple([index.dim + k for index in advanced for k in range(index.rank)])
    return Key(layout, tuple(advanced), indexed, at if together else 0)


def to_place(what: str, index: int, axis: int, size: int) -> int:
    """Return an index of an axis as counted from its start."""
    if -size <= index < size:
        return index if index >= 0 else index + size
    raise outside_of(what, axis, size, index)


def outside_of(what: str, axis: int | None, size: int, index: int) -> LayoutIndexError:
    """Return the error of an index out of bounds; without an axis it indexes all elements."""
    of = "all elements" if axis is None else f"axis {axis}"
    rule = f"index is out of bounds for {of} with size {size}"
    return LayoutIndexError(what, rule, index=index)


def not_within(what: str, size: int, least: int, most: int) -> LayoutIndexError:
    """Return the error of indexes of which some, from the least to the most, are out of bounds."""
    rule = f"elements must be from 0 to {size - 1}"
    return LayoutIndexError(what, rule, least=least, most=most)


def index_array(what: str, values: ArrayLike) -> Tensor | Array:
    """Return an index as an array, on the device or on the host."""
    if isinstance(values, Tensor):
        index: Tensor | Array = values
    else:
        try:
            index = np.asarray(values)
        except (TypeError, ValueError, OverflowError) as error:
            raise DTypeError(what, f"{INDEXES} ({error})", key=type(values).__name__) from None
        if not index.size and isinstance(values, (list, tuple, range)):
            index = index.astype(np.int64)
    return index


def _part(what: str, tensor: Tensor, part: Any) -> Any:
    """Normalize a part of a key to an int or to an array, of bools or of integers with dims."""
    if isinstance(part, (list, tuple, range)) or hasattr(part, "__array__"):
        index = index_array(what, part)
        if index.dtype.kind not in "biu":
            raise DTypeError(what, INDEXES, dtype=index.dtype)
        if isinstance(index, Tensor):
            check_devices(what, indexes=index, tensor=tensor)
        if index.ndim:
            return index
        return np.array(bool(index)) if is_mask(index) else int(index)
    if isinstance(part, bool):
        return np.array(part)
    try:
        return int(operator.index(part))
    except TypeError:
        rule = "a key may contain integers, slices, ..., None, and integer or bool arrays"
        raise LayoutIndexError(what, rule, key=type(part).__name__) from None


def _dims_of(part: Any) -> int:
    """Return the number of dims that a part of a key applies to."""
    kind = type(part)
    if kind is int or kind is slice:
        return 1
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if is_mask(part) else 1


def _advanced_index(
    what: str, layout: Layout, dim: int, axis: int, index: Tensor | Array
) -> AdvancedIndex:
    advanced = AdvancedIndex(dim, axis, index)
    sizes = layout.sizes[dim : dim + advanced.rank]
    if advanced.is_mask and 0 in index.shape:
        # An empty mask selects nothing: as in NumPy, only its dims that are not 0 must match.
        sizes = tuple([mask and size for mask, size in zip(index.shape, sizes)])
        advanced = advanced._replace(array=np.empty(index.shape, np.bool_))
    if advanced.is_mask and tuple(index.shape) != sizes:
        rule = f"a mask at axis {axis} must have shape {sizes}"
        raise LayoutIndexError(what, rule, mask=tuple(index.shape))
    return advanced
