"""Fourier transforms of rows of complex numbers, which are pairs of real numbers in memory.

Operands have the dtype float32 or float64 and the sizes (batch..., points, parts), with any
strides: parts are the real and the imaginary one, or the real one alone.

**The order of operations** depends on the length and the dtype alone: not on layouts, the batch, or
the device. A length that is a product of small primes is done in stages, whose radices
`radices_of` gives in order; `glsl/include/math/butterfly.glsl` says what a stage does.
Points are multiplied before each stage but the first by powers of a root of unity: the powers 1, 2,
4 and 8 are rounded to nearest, and the others are products of them. Any other length n is a
convolution with a chirp, by transforms of at least 2 n - 1 points (Bluestein). The factor of a
norm is rounded once, and multiplies results before they are written.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dml_vk.arguments import Ints
from dml_vk.dtypes import DType
from dml_vk.kernels.plan import fft, fft_sides, fft_stages
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.fft import Ends, Transform
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.layout import Layout
from dml_vk.ops.copy import copy_elements
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.numbers import scalar_words
from dml_vk.ops.roots import Floats, roots
from dml_vk.ops.view import View, access, operand, temporary, with_layout
from dml_vk.runtime.device import Device
from dml_vk.runtime.device_cache import device_cache

MOST_POINTS = 2**26  # of a transform: kernels count its tables and indexes in 32 bits


class Tables(NamedTuple):
    """What transforms of n points read: roots of unity.

    If n has a large prime factor, they are those of `wide` points, followed by the transform of the
    inverse chirp and by the chirp of n points.
    """

    n: int
    wide: int  # or 0
    view: View


@device_cache(64)
def tables_of(device: Device, n: int, dtype: DType) -> Tables:
    """Return the tables of a length on a device, which must not be changed."""
    if fft_stages.radices_of(n, dtype.itemsize) is not None:
        return Tables(n, 0, _uploaded(device, roots(n), dtype))
    wide = _good_length(2 * n - 1)
    count = np.arange(n)
    chirp = roots(2 * n)[count * count % (2 * n)]
    around = np.zeros((wide, 2))
    around[count] = around[-count] = chirp * (1, -1)
    view = _uploaded(device, np.concatenate([roots(wide), around, chirp]), dtype)
    spectrum = with_layout(view, Layout((wide, 2), offset=2 * wide))
    transform("fft", spectrum, spectrum, Tables(wide, 0, view), factor=1 / wide)
    return Tables(n, wide, view)


@device_cache(64)
def roots_of(device: Device, n: int, dtype: DType) -> View:
    """Return the first n // 4 + 1 roots of unity, by which halves of a transform are joined."""
    return _uploaded(device, roots(n)[: n // 4 + 1], dtype)


def _uploaded(device: Device, pairs: Floats, dtype: DType) -> View:
    data = np.ascontiguousarray(pairs, dtype.numpy_name)
    allocation = device.allocate_for_host("fft", data.nbytes)
    device.upload(data.reshape(-1).view(np.uint8), allocation)
    return View(device, allocation, Layout(data.shape), dtype)


def _good_length(least: int) -> int:
    """Return the least product of a power of two and 1, 3 or 5 that is not below."""
    return min([odd << max(0, (-(-least // odd) - 1).bit_length()) for odd in (1, 3, 5)])


def transform(
    what: str,
    source: View,
    target: View,
    tables: Tables,
    *,
    inverse: bool = False,
    factor: float = 1.0,
) -> None:
    """Transform rows of n points: those of the source, and zeros after them.

    As many results as the target has are written. The source may be the target, but must have no
    other memory in common with it.
    """
    present, written = source.layout.sizes[-2], target.layout.sizes[-2]
    ends = Ends(
        present=present if present < tables.n else None,
        written=written if written < tables.n else None,
        scale=_scale(target.dtype, factor),
    )
    # Of real numbers, only the results are conjugated.
    signs = inverse and source.layout.sizes[-1] > 1, inverse
    _transform(what, source, target, tables, ends, signs)


def transform_real(
    what: str,
    source: View,
    target: View,
    tables: Tables,
    halves: View,
    *,
    inverse: bool = False,
    factor: float = 1.0,
) -> None:
    """Transform rows of n real numbers, and zeros after them, to the first n // 2 + 1 points.

    n is even. The tables are of n // 2 points: pairs of numbers are transformed, and then joined.
    """
    half, present = tables.n, source.layout.sizes[-2]
    if present < 2 * half and present % 2:
        source = _padded_to_even(what, source)
        present += 1
    points = _intermediate(what, target, half)
    ends = Ends(
        present=present if present < 2 * half else None,
        halves=True,
        scale=_scale(target.dtype, factor),
    )
    _transform(what, _paired(source, half), points, tables, ends, (False, False))
    _step(fft.JOIN, points, target, halves, half, Ends(), (False, inverse), half // 2 + 1)


def transform_to_real(
    what: str,
    source: View,
    target: View,
    tables: Tables,
    halves: View | None,
    *,
    inverse: bool = False,
    factor: float = 1.0,
) -> None:
    """Transform rows of n // 2 + 1 points, of which the others are the conjugates, to n numbers.

    Points that the source does not have are 0. With `halves`, n is even, and the tables are of
    n // 2 points.
    """
    present, n = source.layout.sizes[-2], target.layout.sizes[-2]
    ends = Ends(present=present if present < n // 2 + 1 else None)
    last = Ends(scale=_scale(target.dtype, factor))
    signs = not inverse, False
    points = _intermediate(what, target, tables.n)
    if halves is None:
        _step(fft.EXTEND, source, points, tables.view, n, ends, signs, n)
    else:
        _step(fft.SPLIT, source, points, halves, n // 2, ends, signs, n // 4 + 1)
        target = _paired(target, n // 2)
    _transform(what, points, target, tables, last, (True, halves is not None))


def _transform(
    what: str, source: View, target: View, tables: Tables, ends: Ends, signs: tuple[bool, bool]
) -> None:
    """Transform rows; `signs` tells whether points are conjugated before and after."""
    if tables.wide:
        _convolve(what, source, target, tables, ends, signs)
        return
    n, itemsize, profile = tables.n, target.dtype.itemsize, target.device.profile
    radices = fft_stages.radices_of(n, itemsize)
    assert radices is not None
    batch = target.layout.sizes[:-2]
    points, last = _points(source), _points(target)
    groups = fft_sides.by_groups(batch, points, last, profile)
    team = fft_sides.team_points(batch, points, last, profile)
    passes = fft_stages.passes_of(radices, itemsize, team, groups)
    for stages in passes:
        is_first, is_last = stages is passes[0], stages is passes[-1]
        to = target if is_last else _intermediate(what, target, n)
        own = ends.of(is_first, is_last)
        next_points = last if is_last else _points(to)
        conjugated = is_first and signs[0], is_last and signs[1]
        transform = Transform(points, next_points, own, profile, conjugated)
        plan = fft.plan_pass(batch, n, stages, transform)
        _launch(plan, source, tables.view, to)
        source, points = to, next_points


def _convolve(
    what: str, source: View, target: View, tables: Tables, ends: Ends, signs: tuple[bool, bool]
) -> None:
    """Transform by Bluestein's convolution with a chirp."""
    n, around = tables.n, Tables(tables.wide, 0, tables.view)
    wave = _intermediate(what, target, tables.wide)
    present = ends.present or (2 * n if ends.halves else n)
    first = Ends(present=present, halves=ends.halves, before=fft.CHIRP)
    _transform(what, source, wave, around, first, (signs[0], False))
    written = n if ends.written is None else ends.written
    last = Ends(written=written, scale=ends.scale, before=fft.SPECTRUM, after=fft.CHIRP)
    _transform(what, wave, target, around, last, (False, signs[1]))


def _paired(numbers: View, count: int) -> View:
    """View rows of real numbers as pairs, at most `count` of them."""
    layout = numbers.layout
    step = layout.strides[-2]
    sizes = (*layout.sizes[:-2], min(count, -(-layout.sizes[-2] // 2)), 2)
    strides = (*layout.strides[:-2], 2 * step, step)
    return View(
        numbers.device,
        numbers.allocation,
        Layout(sizes, strides, layout.offset),
        numbers.dtype,
    )


def _padded_to_even(what: str, numbers: View) -> View:
    """Copy rows of odd length, with a zero after each, so that all numbers are in pairs."""
    *sizes, present, parts = numbers.layout.sizes
    even = temporary(what, Layout.packed((*sizes, present + 1, parts)), numbers.dtype, numbers)
    rows = with_layout(even, even.layout.narrow(-2, 0, present))
    fill_constant(what, with_layout(even, even.layout.narrow(-2, present, 1)), numbers.dtype, 0)
    copy_elements(what, numbers, rows)
    return even


def _intermediate(what: str, target: View, n: int) -> View:
    """Allocate rows of n points in the order of the target's dims."""
    layout = target.layout
    rank = layout.rank
    order = [dim for dim in layout.order if dim != rank - 1]
    sizes = (*layout.sizes[:-2], n, 2)
    return temporary(what, Layout.packed(sizes, (*order, rank - 1)), target.dtype, target)


def _step(
    step: int,
    source: View,
    target: View,
    table: View,
    n: int,
    ends: Ends,
    signs: tuple[bool, bool],
    units: int,
) -> None:
    """Launch a step before or after a transform."""
    layout, profile = target.layout, target.device.profile
    transform = Transform(_points(source), _points(target), ends, profile, signs)
    plan = fft.plan_points(layout.sizes[:-2], n, step, units, transform)
    _launch(plan, source, table, target)


def _points(view: View) -> Operand:
    *strides, imaginary = view.layout.strides
    return operand(view, (*strides, imaginary if view.layout.sizes[-1] > 1 else 0)).residue()


def _launch(plan: Plan, source: View, table: View, target: View) -> None:
    reads, roots, writes = access(source, False), access(table, False), access(target, True)
    source.device.launch(plan, (reads, roots, writes))


def _scale(dtype: DType, factor: float) -> Ints:
    return scalar_words("fft", "factor", dtype, float(factor))
