"""Views of parts of elements: of complex numbers, and of 64-bit integers."""

from __future__ import annotations

from dml_vk.dtypes import DTYPES
from dml_vk.errors import LayoutError
from dml_vk.layout import Layout
from dml_vk.ops.view import View
from dml_vk.strides.reshape import in_items


def as_parts(view: View) -> View:
    """View complex elements as floats with one more dim, of size 2: real and imaginary part.

    That dim is innermost in the order. All strides count floats.
    """
    own = view.layout
    strides = (*[2 * stride for stride in own.strides], 1)
    layout = Layout((*own.sizes, 2), strides, 2 * own.offset, (*own.order, own.rank))
    return View(view.device, view.allocation, layout, view.dtype.part)


def as_complex(what: str, view: View) -> View:
    """View floats as complex elements: the inverse of `as_parts`, for a last dim of size 2.

    Its two floats must be adjacent, and each pair of them at an even address.
    """
    own = view.layout
    kind = DTYPES[f"complex{16 * view.dtype.itemsize}"]
    items = None
    if own.sizes[-1:] == (2,):
        items = in_items(own.sizes, own.strides, own.offset, 1, 2)
    if items is None:
        rule = "the last dim must be of size 2 and contiguous, at even addresses"
        raise LayoutError(what, rule, layout=own)
    sizes, strides, offset = items
    order = [dim for dim in own.order if dim != own.rank - 1]
    layout = Layout(sizes[:-1], strides[:-1], offset, order)
    return View(view.device, view.allocation, layout, kind)


def real_part(view: View) -> View:
    """View the real parts of complex elements, or real elements themselves."""
    return _part(view, 0) if view.dtype.kind == "c" else view


def imag_part(view: View) -> View:
    """View the imaginary parts of complex elements."""
    return _part(view, 1)


def _part(view: View, number: int) -> View:
    both = as_parts(view)
    return View(both.device, both.allocation, both.layout.select(-1, number), both.dtype)


def words_of(view: View) -> tuple[View, View]:
    """View the low and the high words of 64-bit integers; the high ones have the sign."""
    kind = DTYPES["int32" if view.dtype.kind == "i" else "uint32"]
    own = view.layout
    strides = [2 * stride for stride in own.strides]
    layouts = [Layout(own.sizes, strides, 2 * own.offset + k, own.order) for k in (0, 1)]
    low, high = layouts
    return (
        View(view.device, view.allocation, low, DTYPES["uint32"]),
        View(view.device, view.allocation, high, kind),
    )
