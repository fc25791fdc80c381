"""Fourier transforms along axes of tensors: arguments, results, and one axis after the other."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from dml_vk.arguments import Axes, Ints, several, to_int, to_tuple
from dml_vk.array.calls import call
from dml_vk.array.manipulation.shapes import to_axes
from dml_vk.dtypes import DType, float32
from dml_vk.errors import LayoutError, RangeError
from dml_vk.layout import Layout
from dml_vk.ops import fft
from dml_vk.ops.copy import copied
from dml_vk.ops.elementwise import converted
from dml_vk.ops.fft import Tables
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.parts import as_parts
from dml_vk.ops.view import View, overlap, temporary, with_layout
from dml_vk.promotion import complex_dtype
from dml_vk.runtime.device import Device
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import check_dtype, check_out, of_kinds, result_over, to_tensor

NORMS = ("backward", "ortho", "forward")
COMPLEX, REAL, TO_REAL = "complex", "real", "to real"


class Job(NamedTuple):
    """What a transform does, of which a recorded call depends on everything."""

    what: str
    kind: str
    axes: Ints
    lengths: Ints  # of the transform along each axis
    inverse: bool
    factor: float
    layout: Layout  # of the result
    dtype: DType
    tables: tuple[tuple[int, int, int], ...]  # for each axis n, that of a convolution, and how many


def transform(
    what: str,
    kind: str,
    x: Tensor,
    lengths: Axes | None,
    axes: Axes | None,
    norm: str | None,
    out: Tensor | None,
    *,
    inverse: bool = False,
    name: str = "s",
) -> Tensor:
    """Transform along axes, of which the last is the one of real numbers, if there is one."""
    x = to_tensor(what, "x", x)
    dims, wanted = _axes(what, x, lengths, axes, name)
    check_dtype(what, x.dtype, of_kinds("biuf" if kind == REAL else "biufc"))
    part = x.dtype.part if x.dtype.kind in "fc" and x.dtype.itemsize > 2 else float32
    counts = []
    for number, (dim, length) in enumerate(zip(dims, wanted)):
        is_half = kind == TO_REAL and number == len(dims) - 1
        default = 2 * (x.shape[dim] - 1) if is_half else x.shape[dim]
        counts.append(default if length is None else length)
        if counts[-1] < 1:
            rule = f"there must be at least one point along each axis: give {name}"
            raise LayoutError(what, rule, shape=x.shape, axis=dim, points=counts[-1])
        if counts[-1] > fft.MOST_POINTS:
            rule = f"{name} must be at most {fft.MOST_POINTS}"
            raise RangeError(what, rule, **{name: counts[-1]})
    sizes = list(x.shape)
    for dim, count in zip(dims, counts):
        sizes[dim] = count
    if kind == REAL:
        sizes[dims[-1]] = counts[-1] // 2 + 1
    dtype = part if kind == TO_REAL else complex_dtype(part)
    factor = _factor(what, norm, math.prod(counts), inverse)
    known = []
    for number, count in enumerate(counts):
        is_half = kind != COMPLEX and number == len(counts) - 1
        known.append(_tables(x.device, count, part, is_half))
    layout = Layout.packed(sizes, x.layout.order)
    if out is not None:
        check_out(what, out, layout.sizes, dtype, x)
    shapes = tuple([shape for shape, _ in known])
    job = Job(what, kind, dims, tuple(counts), inverse, factor, layout, dtype, shapes)
    views = [view for _, views in known for view in views]
    return call(_transform, (x, *views), out, job)


def _axes(
    what: str, x: Tensor, lengths: Axes | None, axes: Axes | None, name: str
) -> tuple[Ints, tuple[int | None, ...]]:
    """Return the axes, and the lengths that are given for them."""
    wanted: Sequence[int | None] | None = None
    if lengths is not None:
        wanted = to_tuple(what, name, several(lengths))
    if axes is None:
        count = x.ndim if wanted is None else len(wanted)
        axes = tuple(range(x.ndim - count, x.ndim))
    dims = to_axes(what, axes, x.ndim, "axis" if name == "n" else "axes")
    if not dims:
        raise LayoutError(what, "there must be at least one axis", shape=x.shape, axes=dims)
    if wanted is None:
        return dims, (None,) * len(dims)
    if len(wanted) != len(dims):
        raise LayoutError(what, "s must have one length for each axis", s=wanted, axes=dims)
    counts = [-1 if count is None else to_int(what, name, count) for count in wanted]
    return dims, tuple([None if count == -1 else count for count in counts])


def _factor(what: str, norm: str | None, points: int, inverse: bool) -> float:
    if norm is None:
        norm = "backward"
    if not (isinstance(norm, str) and norm in NORMS):
        raise RangeError(what, f"norm must be one of {', '.join(NORMS)}", norm=norm)
    if norm == "ortho":
        return 1 / math.sqrt(points)
    return 1 / points if inverse == (norm == "backward") else 1.0


@functools.lru_cache(maxsize=256)
def _tables(
    device: Device, n: int, part: DType, is_half: bool
) -> tuple[tuple[int, int, int], tuple[Tensor, ...]]:
    """Return what the tables of an axis are, and these as operands of a call.

    Those of half a transform have one more, by which the halves are joined.
    """
    halves = is_half and n % 2 == 0
    tables = fft.tables_of(device, n // 2 if halves else n, part)
    views = [tables.view, *([fft.roots_of(device, n, part)] if halves else [])]
    return (tables.n, tables.wide, len(views)), tuple(map(Tensor, views))


def _transform(operands: Sequence[Tensor], out: Tensor | None, job: Job) -> Tensor:
    x, *views = operands
    result = result_over(job.what, job.layout, job.dtype, x, out)
    if 0 in job.layout.sizes:
        return result
    if 0 in x.shape:
        floats = as_parts(result) if job.dtype.kind == "c" else result
        fill_constant(job.what, floats, floats.dtype, 0)
        return result
    source = converted(job.what, x, float32) if _is_small(x.dtype) else x
    if overlap(source, result):
        source = copied(job.what, source, "overlap")
    source = _crop(source, job)
    *others, last = range(len(job.axes))
    if job.kind == TO_REAL:
        whole = _intermediate(job, source) if others else result
        order = (*reversed(others), last)
    else:
        whole, order = result, (last, *reversed(others))
    for number in order:
        is_last = number == order[-1]
        to = result if is_last else _along_full_axis(whole, source.layout.sizes, job.axes[number])
        _transform_axis(job, number, source, to, views, job.factor if is_last else 1.0)
        source = to
    return result


def _is_small(dtype: DType) -> bool:
    """Whether kernels need this dtype to be converted: all but floats of 32 and 64 bits."""
    return dtype.kind not in "fc" or dtype.itemsize == 2


def _crop(source: View, job: Job) -> View:
    """View the points that are transformed; those that lengths add are 0 and have no memory."""
    sizes = list(source.layout.sizes)
    for axis, length in zip(job.axes, job.lengths):
        sizes[axis] = min(sizes[axis], length)
    if job.kind == TO_REAL:
        sizes[job.axes[-1]] = min(sizes[job.axes[-1]], job.lengths[-1] // 2 + 1)
    return with_layout(source, Layout(sizes, source.layout.strides, source.layout.offset))


def _intermediate(job: Job, source: View) -> View:
    """Allocate the complex result of all transforms but the last, which gives real numbers."""
    sizes = list(source.layout.sizes)
    for axis, length in zip(job.axes[:-1], job.lengths):
        sizes[axis] = length
    layout = Layout.packed(sizes, source.layout.order)
    return temporary(job.what, layout, complex_dtype(job.dtype), source)


def _along_full_axis(whole: View, sizes: Ints, axis: int) -> View:
    """View the elements within these sizes, but all along one axis."""
    layout = whole.layout
    grown = [size if dim != axis else layout.sizes[dim] for dim, size in enumerate(sizes)]
    return with_layout(whole, Layout(grown, layout.strides, layout.offset))


def _transform_axis(
    job: Job, number: int, source: View, target: View, views: Sequence[View], factor: float
) -> None:
    """Transform along one axis."""
    n, wide, count = job.tables[number]
    start = sum([operand_count for _, _, operand_count in job.tables[:number]])
    tables = Tables(n, wide, views[start])
    halves = views[start + 1] if count > 1 else None
    sides = _points(source, job.axes[number]), _points(target, job.axes[number])
    options: Any = {"inverse": job.inverse, "factor": factor}
    if job.kind == TO_REAL and number == len(job.axes) - 1:
        fft.transform_to_real(job.what, *sides, tables, halves, **options)
    elif halves is not None:
        fft.transform_real(job.what, *sides, tables, halves, **options)
    else:
        fft.transform(job.what, *sides, tables, **options)


def _points(view: View, axis: int) -> View:
    """See elements along an axis as the points of rows, with their parts as the last dim."""
    is_complex = view.dtype.kind == "c"
    parts = as_parts(view) if is_complex else with_layout(view, view.layout.unsqueeze(-1))
    layout = parts.layout
    dims = [dim for dim in range(layout.rank - 1) if dim != axis]
    return with_layout(parts, layout.permute(*dims, axis, layout.rank - 1))
