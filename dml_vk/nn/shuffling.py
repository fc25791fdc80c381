"""Channels as pixels, and pixels as channels: one copy to another order of dims."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.arguments import Ints
from dml_vk.array.calls import call
from dml_vk.errors import LayoutError
from dml_vk.hints import hinted
from dml_vk.layout import Layout
from dml_vk.nn.arguments import to_least, to_word
from dml_vk.ops.copy import copy_elements, copy_if_overlapping
from dml_vk.ops.view import with_layout
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import result_over, to_tensor
from dml_vk.tracing.formats import operation

ORDERS = ("CRD", "DCR")


@hinted
def pixel_shuffle(
    x: Tensor, factor: int, *, order: str = "CRD", out: Tensor | None = None
) -> Tensor:
    """Make (N, C * factor**2, H, W) to (N, C, H * factor, W * factor), in the format of x.

    Of the channels, C is outermost with `order="CRD"`, which is PyTorch's, and innermost with
    "DCR", which is ONNX's default; in between are the row and the column of a pixel.

    >>> import dml_vk
    >>> x = dml_vk.reshape(dml_vk.arange(4), (1, 4, 1, 1))
    >>> dml_vk.nn.pixel_shuffle(x, 2).tolist()
    [[[[0, 1], [2, 3]]]]
    """
    what = "pixel_shuffle"
    x, step, first = _check(what, x, factor, order)
    *batch, channels, height, width = x.shape
    if channels % step**2:
        rule = "the number of channels must be a multiple of factor ** 2"
        raise LayoutError(what, rule, channels=channels, factor=step)
    sizes = (*batch, channels // step**2, height * step, width * step)
    return call(_shuffled, (x,), out, what, sizes, step, first)


@hinted
def pixel_unshuffle(
    x: Tensor, factor: int, *, order: str = "CRD", out: Tensor | None = None
) -> Tensor:
    """Make (N, C, H * factor, W * factor) to (N, C * factor**2, H, W): undo `pixel_shuffle`.

    >>> import dml_vk
    >>> x = dml_vk.reshape(dml_vk.arange(4), (1, 1, 2, 2))
    >>> dml_vk.nn.pixel_unshuffle(x, 2).shape
    (1, 4, 1, 1)
    """
    what = "pixel_unshuffle"
    x, step, first = _check(what, x, factor, order)
    *batch, channels, height, width = x.shape
    if height % step or width % step:
        rule = "height and width must be multiples of factor"
        raise LayoutError(what, rule, height=height, width=width, factor=step)
    sizes = (*batch, channels * step**2, height // step, width // step)
    return call(_shuffled, (x,), out, what, sizes, step, first)


def _check(what: str, x: object, factor: object, order: object) -> tuple[Tensor, int, bool]:
    """Return (x, the factor, whether C is the outermost part of the channels)."""
    tensor = to_tensor(what, "x", x)
    step = to_least(what, "factor", factor, 1)
    first = to_word(what, "order", order, ORDERS) == ORDERS[0]
    if tensor.ndim < 3:
        raise LayoutError(what, "x must have at least three dims", shape=tensor.shape)
    return tensor, step, first


@operation(flexible="first", images=True)
def _shuffled(
    operands: Sequence[Tensor], out: Tensor | None, what: str, sizes: Ints, step: int, first: bool
) -> Tensor:
    (x,) = operands
    result = result_over(what, Layout.packed(sizes, x.layout.order), x.dtype, x, out)
    source = copy_if_overlapping(what, x, result)
    cut = _deep if what == "pixel_shuffle" else _wide
    other = _wide if cut is _deep else _deep
    views = cut(source.layout, step, first), other(result.layout, step, first)
    copy_elements(what, with_layout(source, views[0]), with_layout(result, views[1]))
    return result


def _deep(layout: Layout, step: int, first: bool) -> Layout:
    """View channels as three dims, and put these in the order of `_wide`."""
    *batch, channels, height, width = layout.sizes
    pixel, rest = (step, step), (channels // step**2,)
    split = (*rest, *pixel) if first else (*pixel, *rest)
    view = layout.view((*batch, *split, height, width))
    assert view is not None  # A dim can be cut into any dims.
    at = len(batch)
    channel, row, column = (at, at + 1, at + 2) if first else (at + 2, at, at + 1)
    return view.permute((*range(at), channel, at + 3, row, at + 4, column))


def _wide(layout: Layout, step: int, first: bool) -> Layout:
    """View height and width as two dims each."""
    *others, height, width = layout.sizes
    view = layout.view((*others, height // step, step, width // step, step))
    assert view is not None  # as above
    return view
