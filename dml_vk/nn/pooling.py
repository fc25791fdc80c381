"""Pooling over 1 to 3 spatial dims, in any memory format, which the result keeps.

Padding is never read: a maximum ignores it, and a sum does not add it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from dml_vk.arguments import Ints, is_one, to_bool, to_tuple
from dml_vk.array.calls import call, whole
from dml_vk.array.statistics.moments import mean
from dml_vk.array.statistics.reductions import max as maximum
from dml_vk.dtypes import DTYPES, DType, float64, int64
from dml_vk.errors import ErrorsAs, LayoutError, RangeError
from dml_vk.hints import hinted
from dml_vk.kernels.plan.pool import Pooling
from dml_vk.layout import Layout
from dml_vk.nn.float64 import pooling as float64_pooling
from dml_vk.nn.operands import FLOATS, to_power
from dml_vk.nn.windows import (
    check_padding,
    each_dim,
    spatial_rank,
    to_output_size,
    to_padding,
    windows_of,
)
from dml_vk.ops.pool import pool_elements
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import check_dtype, result_over, to_tensor
from dml_vk.tracing.formats import operation
from dml_vk.windows import Window

NUMBERS = (
    *[dtype for dtype in DTYPES.values() if dtype.kind in "iu" and dtype.itemsize < 8],
    *FLOATS,
)
MOST_TAPS = 2**24  # elements of a window: counts up to it are exact as float32


@hinted
def max_pool(
    x: Tensor,
    kernel_size: int | Sequence[int],
    *,
    stride: int | Sequence[int] | None = None,
    padding: object = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
    out: Tensor | None = None,
) -> Any:
    """Return the maximum of each window; with `return_indices` also where it is, as int64.

    Indices count through the spatial dims of x in row-major order. Of equal elements, +0 and -0
    among them, the first is taken; if there are NaNs, the last of them. The stride is the kernel
    size unless given. Padding is a number, one for each spatial dim, pairs (begin, end), "same" or
    "valid".

    >>> import dml_vk
    >>> x = dml_vk.reshape(dml_vk.arange(16, dtype="float32"), (1, 1, 4, 4))
    >>> dml_vk.nn.max_pool(x, 2).tolist()
    [[[[5.0, 7.0], [13.0, 15.0]]]]
    >>> values, indices = dml_vk.nn.max_pool(x, 3, stride=2, padding=1, return_indices=True)
    >>> indices.tolist()
    [[[[5, 7], [13, 15]]]]
    """
    what = "max_pool"
    params = _windowed(what, x, kernel_size, stride, padding, dilation, ceil_mode)
    if to_bool(what, "return_indices", return_indices):
        _no_out(what, out)
        values = call(_pool, (x,), None, what, "max", *params)
        return values, call(_pool, (x,), None, what, "index", *params)
    return call(_pool, (x,), out, what, "max", *params)


@hinted
def avg_pool(
    x: Tensor,
    kernel_size: int | Sequence[int],
    *,
    stride: int | Sequence[int] | None = None,
    padding: object = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    out: Tensor | None = None,
) -> Tensor:
    """Return the mean of each window: the sum of its elements in x, divided by their number.

    With `count_include_pad` those in the padding count too, as zeros. The other arguments are those
    of `max_pool`.

    >>> import dml_vk
    >>> x = dml_vk.reshape(dml_vk.arange(16, dtype="float32"), (1, 1, 4, 4))
    >>> dml_vk.nn.avg_pool(x, 2).tolist()
    [[[[2.5, 4.5], [10.5, 12.5]]]]
    """
    what = "avg_pool"
    params = _windowed(what, x, kernel_size, stride, padding, dilation, ceil_mode)
    counted = to_bool(what, "count_include_pad", count_include_pad)
    return call(_pool, (x,), out, what, "avg", *params, counted)


@hinted
def lp_pool(
    x: Tensor,
    p: float,
    kernel_size: int | Sequence[int],
    *,
    stride: int | Sequence[int] | None = None,
    padding: object = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return `sum(window ** p) ** (1 / p)` for each window, with the arguments of `max_pool`.

    As in PyTorch no absolute values are taken, so p=1 gives sums, and an odd p may give NaN.

    >>> import dml_vk
    >>> dml_vk.nn.lp_pool(dml_vk.asarray([[[3.0, 4.0, 0.0, -2.0]]]), 2, 2).tolist()
    [[[5.0, 2.0]]]
    """
    what = "lp_pool"
    params = _windowed(what, x, kernel_size, stride, padding, dilation, ceil_mode)
    power = to_power(what, "p", p)
    return call(_pool, (x,), out, what, "lp", *params, False, power)


@hinted
def adaptive_avg_pool(
    x: Tensor, output_size: int | Sequence[int | None] | None, *, out: Tensor | None = None
) -> Tensor:
    """Return the means of windows that divide x into so many as evenly as possible.

    Window i of n over a dim of size s is from `floor(i * s / n)` to `ceil((i + 1) * s / n)`. A size
    of None keeps that of x. A single window is `global_avg_pool`.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[[1.0, 2.0, 3.0, 4.0, 6.0]]])
    >>> dml_vk.nn.adaptive_avg_pool(x, 2).tolist()
    [[[2.0, 4.333333492279053]]]
    """
    what = "adaptive_avg_pool"
    sizes = _output_size(what, x, output_size)
    if max(sizes) == min(sizes) == 1:
        return _global_mean(what, x, out)
    return call(_adaptive, (x,), out, what, "avg", sizes)


@hinted
def adaptive_max_pool(
    x: Tensor,
    output_size: int | Sequence[int | None] | None,
    *,
    return_indices: bool = False,
    out: Tensor | None = None,
) -> Any:
    """Return the maxima of windows that divide x evenly, with the indices of `max_pool`.

    The windows are those of `adaptive_avg_pool`.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[[1.0, 2.0, 3.0, 4.0, 6.0]]])
    >>> dml_vk.nn.adaptive_max_pool(x, 2).tolist()
    [[[3.0, 6.0]]]
    """
    what = "adaptive_max_pool"
    sizes = _output_size(what, x, output_size)
    if to_bool(what, "return_indices", return_indices):
        _no_out(what, out)
        values = call(_adaptive, (x,), None, what, "max", sizes)
        return values, call(_adaptive, (x,), None, what, "index", sizes)
    return call(_adaptive, (x,), out, what, "max", sizes)


@hinted
def global_avg_pool(x: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the means over all spatial dims, which have size 1 then, as `mean` computes them.

    >>> import dml_vk
    >>> dml_vk.nn.global_avg_pool(dml_vk.asarray([[[1.0, 2.0], [3.0, 5.0]]])).tolist()
    [[[1.5], [4.0]]]
    """
    return _global_mean("global_avg_pool", x, out)


@hinted
def global_max_pool(x: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the maxima over all spatial dims, which have size 1 then, as `max` computes them.

    >>> import dml_vk
    >>> dml_vk.nn.global_max_pool(dml_vk.asarray([[[1.0, 2.0], [3.0, 5.0]]])).tolist()
    [[[2.0], [5.0]]]
    """
    what = "global_max_pool"
    x = _input(what, x, NUMBERS)
    with ErrorsAs(what):
        result: Tensor = whole(_global_maximum, (x,), out)
        return result


def _global_maximum(operands: Sequence[Tensor], out: Tensor | None) -> Tensor:
    (x,) = operands
    return maximum(x, axis=_spatial_axes(x), keepdims=True, out=out)


def _global_mean(what: str, x: object, out: Tensor | None) -> Tensor:
    x = _input(what, x, FLOATS)
    with ErrorsAs(what):
        return mean(x, axis=_spatial_axes(x), keepdims=True, out=out)


def _spatial_axes(x: Tensor) -> Ints:
    return tuple(range(2, x.ndim))


def _windowed(
    what: str,
    x: object,
    kernel_size: object,
    stride: object,
    padding: object,
    dilation: object,
    ceil_mode: object,
) -> tuple[object, ...]:
    """Return the arguments in the hashable form that `_pool` takes."""
    rank = spatial_rank(what, to_tensor(what, "x", x).shape)
    kernel = each_dim(what, "kernel_size", kernel_size, rank)
    return (
        kernel,
        kernel if stride is None else each_dim(what, "stride", stride, rank),
        to_padding(what, padding, rank),
        each_dim(what, "dilation", dilation, rank),
        to_bool(what, "ceil_mode", ceil_mode),
    )


@operation(flexible="first", images=True)
def _pool(
    operands: Sequence[Tensor],
    out: Tensor | None,
    what: str,
    operation: str,
    kernel: Ints,
    stride: Ints,
    padding: Any,
    dilation: Ints,
    ceil_mode: bool,
    counted: bool = False,
    power: float = 1.0,
) -> Tensor:
    x = _input(what, operands[0], NUMBERS if operation in ("max", "index") else FLOATS)
    windows = windows_of(what, x.shape[2:], kernel, stride, padding, dilation, ceil_mode=ceil_mode)
    check_padding(what, windows)
    _check_taps(what, kernel, kernel_size=kernel)
    return _pooled(what, x, Pooling(operation, windows, counted=counted, power=power), out)


@operation(flexible="first", images=True)
def _adaptive(
    operands: Sequence[Tensor], out: Tensor | None, what: str, operation: str, sizes: Ints
) -> Tensor:
    x = _input(what, operands[0], FLOATS if operation == "avg" else NUMBERS)
    spatial = x.shape[2:]
    # Of no windows, the sizes do not matter.
    pairs = [(size, count or 1) for size, count in zip(spatial, sizes)]
    even = all(size % count == 0 for size, count in pairs)
    if not even and any((size + 1) * count >= 2**32 for size, count in pairs):
        rule = "windows of different sizes must have positions below 2**32: size times windows"
        raise RangeError(what, rule, x=x.shape, output_size=sizes)
    kernel = tuple([min(size, -(-size // count) + (not even)) for size, count in pairs])
    windows = tuple(
        [
            Window(size, count, taps, taps if even else 1)
            for size, count, taps in zip(spatial, sizes, kernel)
        ]
    )
    _check_taps(what, kernel, output_size=sizes)
    return _pooled(what, x, Pooling(operation, windows, adaptive=not even), out)


def _pooled(what: str, x: Tensor, pooling: Pooling, out: Tensor | None) -> Tensor:
    layout = Layout.packed((*x.shape[:2], *pooling.out), x.layout.order)
    dtype = int64 if pooling.operation == "index" else x.dtype
    target = result_over(what, layout, dtype, x, out)
    pool = float64_pooling.pool if x.dtype is float64 else pool_elements
    pool(what, x, target, pooling)
    return target


def _input(what: str, x: object, dtypes: Sequence[DType]) -> Tensor:
    tensor = to_tensor(what, "x", x)
    rank = spatial_rank(what, tensor.shape)
    if 0 in tensor.shape[-rank:]:
        raise LayoutError(what, "spatial dims of x must not be empty", x=tensor.shape)
    check_dtype(what, tensor.dtype, dtypes)
    return tensor


def _output_size(what: str, x: Tensor, output_size: Any) -> Ints:
    spatial = to_tensor(what, "x", x).shape[-spatial_rank(what, x.shape) :]
    if output_size is None:
        return spatial
    if not is_one(output_size):
        counts = to_tuple(what, "output_size", output_size)
        if len(counts) == len(spatial):
            output_size = [own if n is None else n for n, own in zip(counts, spatial)]
    return to_output_size(what, output_size, len(spatial))


def _check_taps(what: str, kernel: Ints, **shown: object) -> None:
    if math.prod(kernel) > MOST_TAPS:
        raise RangeError(what, "windows must have at most 2**24 elements", **shown)


def _no_out(what: str, out: Tensor | None) -> None:
    if out is not None:
        raise LayoutError(what, "out must be None if there are two results", out=type(out).__name__)
