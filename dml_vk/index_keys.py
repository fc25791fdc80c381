"""Keys of tensors, as NumPy takes them: what each part means, and the view that the plain ones are.

Integers, slices, `...` and None make a view. Indexes, which are arrays of integers, and masks,
which are arrays of bools, lead along dims of that view.
"""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np

from dml_vk.errors import DTypeError, LayoutIndexError, explain
from dml_vk.host import Array
from dml_vk.layout import Layout
from dml_vk.ops.strided import check_devices
from dml_vk.strides.order import Ints
from dml_vk.tensor import Tensor

_EVERY = slice(None)
_PLAIN = (int, slice, type(None), type(Ellipsis))
INDEXES = "indexes must be arrays of integers or bools"


class Lead(NamedTuple):
    """What leads along a dim: an index; or along as many dims as it has: a mask."""

    dim: int  # of the view, the first of them
    axis: int  # of the tensor
    array: Tensor | Array

    @property
    def is_mask(self) -> bool:
        return is_mask(self.array)

    @property
    def rank(self) -> int:
        """How many dims it leads along."""
        return self.array.ndim if self.is_mask else 1


class Key(NamedTuple):
    """A view, the dims of it along which something leads, and where the dims of that go."""

    layout: Layout
    leads: tuple[Lead, ...] = ()
    led: Ints = ()
    at: int = 0  # before so many of the dims that are left


def is_mask(index: Tensor | Array) -> bool:
    return index.dtype.kind == "b"


def parse(what: str, tensor: Tensor, key: Any) -> Key:
    """What a key means for this tensor; all but the values of arrays on the device is checked."""
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
        must = f"there must be at most {len(layout.sizes)} indexes, one for each dim"
        raise LayoutIndexError(explain(what, must, indexes=len(layout.sizes) - left))
    if sum([part is Ellipsis for part in parts]) > 1:
        raise LayoutIndexError(explain(what, "there must be one ... at most", key=key))
    leads: list[Lead] = []
    leading: list[int] = []  # parts of the key: integers too, if there are indexes beside them
    dim = axis = at = 0
    for place, part in enumerate(parts):
        if type(part) is int or isinstance(part, (np.ndarray, Tensor)):
            at = at if leading else dim
            leading.append(place)
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
            leads.append(_lead(what, layout, dim, axis, part))
        covered = left if part is Ellipsis else _dims_of(part)
        dim, axis = dim + covered, axis + covered
    together = not leading or leading[-1] - leading[0] == len(leading) - 1
    led = tuple([lead.dim + k for lead in leads for k in range(lead.rank)])
    return Key(layout, tuple(leads), led, at if together else 0)


def to_place(what: str, index: int, axis: int, size: int) -> int:
    """An index of an axis counted from its start."""
    if -size <= index < size:
        return index if index >= 0 else index + size
    raise LayoutIndexError(outside_of(what, axis, size, index))


def outside_of(what: str, axis: int | None, size: int, index: int) -> str:
    """Why an index is none; without an axis it is one of all elements."""
    of = "all elements" if axis is None else f"axis {axis}"
    must = f"an index of {of}, which has size {size}, must be from {-size} to {size - 1}"
    if not size:
        must = f"there must be something to index, and {of} has size 0"
    return explain(what, must, index=index)


def index_array(what: str, given: Any) -> Tensor | Array:
    """An array of whatever is given, on the device or on the host."""
    if isinstance(given, Tensor):
        index: Tensor | Array = given
    else:
        try:
            index = np.asarray(given)
        except (TypeError, ValueError, OverflowError) as error:
            raise DTypeError(
                explain(what, f"{INDEXES} ({error})", key=type(given).__name__)
            ) from None
        if not index.size and isinstance(given, (list, tuple, range)):
            index = index.astype(np.int64)
    return index


def _part(what: str, tensor: Tensor, given: Any) -> Any:
    """An int, slice, None, ..., or an array: of bools, or one of integers that has dims."""
    if isinstance(given, (list, tuple, range)) or hasattr(given, "__array__"):
        index = index_array(what, given)
        if index.dtype.kind not in "biu":
            raise DTypeError(explain(what, INDEXES, dtype=index.dtype))
        if isinstance(index, Tensor):
            check_devices(what, indexes=index.strided, tensor=tensor.strided)
        if index.ndim:
            return index
        return np.array(bool(index)) if is_mask(index) else int(index)
    if isinstance(given, bool):
        return np.array(given)
    try:
        return int(operator.index(given))
    except TypeError:
        must = "a key must be made of integers, slices, ..., None, and arrays of integers or bools"
        raise LayoutIndexError(explain(what, must, key=type(given).__name__)) from None


def _dims_of(part: Any) -> int:
    """How many dims a part of a key is about."""
    kind = type(part)
    if kind is int or kind is slice:
        return 1
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if is_mask(part) else 1


def _lead(what: str, layout: Layout, dim: int, axis: int, index: Tensor | Array) -> Lead:
    lead = Lead(dim, axis, index)
    sizes = layout.sizes[dim : dim + lead.rank]
    if lead.is_mask and 0 in index.shape:
        # It selects nothing, of whatever size: NumPy minds those dims of it alone that are not 0.
        sizes = tuple([mask and size for mask, size in zip(index.shape, sizes)])
        lead = lead._replace(array=np.empty(index.shape, np.bool_))
    if lead.is_mask and tuple(index.shape) != sizes:
        must = f"a mask from axis {axis} on must have the shape {sizes} that it is about"
        raise LayoutIndexError(explain(what, must, mask=tuple(index.shape)))
    return lead
