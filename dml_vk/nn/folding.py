"""Windows of images as columns, and columns added to images, named as in PyTorch."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product

from dml_vk.arguments import Ints
from dml_vk.array.calls import call
from dml_vk.array.creation.arrays import filled
from dml_vk.array.manipulation.padding import slabs
from dml_vk.dtypes import float16, float32
from dml_vk.errors import LayoutError
from dml_vk.hints import hinted
from dml_vk.kernels.operators import OPERATORS
from dml_vk.layout import Layout
from dml_vk.nn.arguments import check_images
from dml_vk.nn.windows import Windows, each_dim, to_padding, windows_of
from dml_vk.ops.copy import copy_elements, copy_if_overlapping
from dml_vk.ops.elementwise import cast_elements, compute
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.view import View, temporary_like, with_layout
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import check_dtype, of_kinds, result_over, to_tensor
from dml_vk.tracing.formats import operation
from dml_vk.windows import Run, Window


@hinted
def unfold(
    x: Tensor,
    kernel_size: int | Sequence[int],
    *,
    dilation: int | Sequence[int] = 1,
    padding: object = 0,
    stride: int | Sequence[int] = 1,
    out: Tensor | None = None,
) -> Tensor:
    """Make the windows of (N, C, H, W) the columns of (N, C * taps, windows), in the format of x.

    Both are in row-major order. `padding` counts zeros round the image: a number, one for each dim,
    pairs of begin and end, "same" or "valid".

    >>> import dml_vk
    >>> x = dml_vk.reshape(dml_vk.arange(4), (1, 1, 2, 2))
    >>> dml_vk.nn.unfold(x, (1, 2), padding=(0, 1)).tolist()
    [[[0, 0, 1, 0, 2, 3], [0, 1, 0, 2, 3, 0]]]
    """
    what, x = "unfold", to_tensor("unfold", "x", x)
    check_images(what, x, (2,))
    windows = _windows(what, x.shape[2:], kernel_size, dilation, padding, stride)
    return call(columns_of, (x,), out, windows)


@operation(flexible="first", images=True)
def columns_of(operands: Sequence[Tensor], out: Tensor | None, windows: Windows) -> Tensor:
    """Make windows over any number of spatial dims columns."""
    what, (x,) = "unfold", operands
    images, channels = x.shape[:2]
    taps, counts = _taps_and_counts(windows)
    sizes = images, channels * math.prod(taps), math.prod(counts)
    order = [dim for dim in x.layout.order if dim < 3]
    result = result_over(what, Layout.packed(sizes, order), x.dtype, x, out)
    source = copy_if_overlapping(what, x, result)
    if not result.size:
        return result
    columns = _columns(result, channels, windows)
    for runs in product(*[window.runs() for window in windows]):
        block = _of_taps(columns.layout, runs)
        first = 2 + len(windows)  # dim of windows
        pairs = [(0, 0)] * first
        for window, run in zip(windows, runs):
            pairs.append((run.first, window.count - run.first - run.count))
        inside = (*block.sizes[:first], *[run.count for run in runs])
        for slab in slabs(block, inside, pairs):
            filled(result.over(slab), what, 0)
        if 0 not in inside:
            target = _of_windows(block, runs)
            copy_elements(
                what,
                with_layout(source, _seen(source.layout, windows, runs)),
                with_layout(result, target),
            )
    return result


@hinted
def fold(
    x: Tensor,
    output_size: int | Sequence[int],
    kernel_size: int | Sequence[int],
    *,
    dilation: int | Sequence[int] = 1,
    padding: object = 0,
    stride: int | Sequence[int] = 1,
    out: Tensor | None = None,
) -> Tensor:
    """Add the columns of (N, C * taps, windows) where `unfold` reads them, to (N, C, H, W).

    `output_size` is (H, W). The terms of an element are added to 0 one after the other, in
    row-major order of the taps; float16 is added in float32 and rounded once.

    >>> import dml_vk
    >>> x = dml_vk.ones((1, 4, 4))
    >>> dml_vk.nn.fold(x, 3, 2).tolist()
    [[[[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]]]
    """
    what, x = "fold", to_tensor("fold", "x", x)
    check_dtype(what, x.dtype, of_kinds("iuf"))
    if x.ndim != 3:
        raise LayoutError(what, "x must have the dims N, C * taps and windows", shape=x.shape)
    sizes = each_dim(what, "output_size", output_size, 2, 1)
    windows = _windows(what, sizes, kernel_size, dilation, padding, stride)
    taps, counts = _taps_and_counts(windows)
    if x.shape[1] % (taps[0] * taps[1]):
        rule = "x.shape[1] must be a multiple of the number of taps"
        raise LayoutError(what, rule, shape=x.shape, taps=taps)
    if x.shape[2] != counts[0] * counts[1]:
        rule = "x.shape[2] must be the number of windows"
        raise LayoutError(what, rule, shape=x.shape, windows=counts)
    return call(image_of, (x,), out, windows)


@operation(flexible="first")
def image_of(operands: Sequence[Tensor], out: Tensor | None, windows: Windows) -> Tensor:
    """Add columns, over any number of spatial dims."""
    what, (x,) = "fold", operands
    taps, _ = _taps_and_counts(windows)
    channels = x.shape[1] // math.prod(taps)
    sizes = (x.shape[0], channels, *[window.size for window in windows])
    # The spatial dims are in the place of the windows.
    spatial = range(2, len(sizes))
    order = [own for dim in x.layout.order for own in (spatial if dim == 2 else (dim,))]
    result = result_over(what, Layout.packed(sizes, order), x.dtype, x, out)
    source = copy_if_overlapping(what, x, result)
    sums: View = temporary_like(what, result, float32) if x.dtype is float16 else result
    fill_constant(what, sums, sums.dtype, 0)
    if not result.size:
        return result
    columns = _columns(source, channels, windows)
    for runs in product(*[list(_apart(window)) for window in windows]):
        if not all(run.count for run in runs):
            continue
        term = with_layout(source, _of_windows(_of_taps(columns.layout, runs), runs))
        target = with_layout(sums, _seen(sums.layout, windows, runs))
        compute(what, OPERATORS["add"], (target, term), target, sums.dtype)
    if sums is not result:
        cast_elements(what, sums, result)
    return result


def _windows(
    what: str, sizes: Ints, kernel_size: object, dilation: object, padding: object, stride: object
) -> Windows:
    rank = len(sizes)
    return windows_of(
        *(what, sizes, each_dim(what, "kernel_size", kernel_size, rank)),
        *(each_dim(what, "stride", stride, rank), to_padding(what, padding, rank)),
        each_dim(what, "dilation", dilation, rank),
    )


def _taps_and_counts(windows: Windows) -> tuple[Ints, Ints]:
    return tuple([window.taps for window in windows]), tuple([window.count for window in windows])


def _apart(window: Window) -> Iterator[Run]:
    """Yield runs of taps of which no two read the same element."""
    for run in window.runs():
        if window.dilation * (run.taps - 1) < window.stride:
            yield run
        else:
            yield from [run._replace(tap=run.tap + k, taps=1) for k in range(run.taps)]


def _columns(view: View, channels: int, windows: Windows) -> View:
    """View columns as (N, C, taps..., windows...)."""
    taps, counts = _taps_and_counts(windows)
    cut = view.layout.view((view.layout.sizes[0], channels, *taps, *counts))
    assert cut is not None  # A dim can be cut into any dims.
    return with_layout(view, cut)


def _of_taps(layout: Layout, runs: Sequence[Run]) -> Layout:
    """Narrow columns to these taps."""
    for dim, run in enumerate(runs):
        layout = layout.narrow(2 + dim, run.tap, run.taps)
    return layout


def _of_windows(layout: Layout, runs: Sequence[Run]) -> Layout:
    """Narrow columns to the windows in which the taps are inside the image."""
    for dim, run in enumerate(runs):
        layout = layout.narrow(2 + len(runs) + dim, run.first, run.count)
    return layout


def _seen(image: Layout, windows: Windows, runs: Sequence[Run]) -> Layout:
    """View the elements of an image that these taps read, as columns."""
    steps = image.strides[2:]
    starts = [window.start(run.first, run.tap) for window, run in zip(windows, runs)]
    return Layout(
        (*image.sizes[:2], *[run.taps for run in runs], *[run.count for run in runs]),
        (
            *image.strides[:2],
            *[step * window.dilation for step, window in zip(steps, windows)],
            *[step * window.stride for step, window in zip(steps, windows)],
        ),
        image.offset + sum([step * start for step, start in zip(steps, starts)]),
    )
