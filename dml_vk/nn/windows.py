"""Arguments that say how windows lie over the spatial dims of an input.

They are numbers, which hold for every dim, or sequences with one number for each.
"""

from __future__ import annotations

from typing import Any

from dml_vk.arguments import Ints, is_one, to_int, to_ints, to_tuple
from dml_vk.errors import LayoutError, RangeError
from dml_vk.windows import Window

Pair = tuple[int, int]
Padding = str | tuple[Pair, ...]
Windows = tuple[Window, ...]  # one for each spatial dim, outermost first
MOST = 2**31 - 1  # of any number: kernels count in 32 bits


def spatial_rank(what: str, shape: Ints, name: str = "x") -> int:
    """Return the number of spatial dims, which follow those of the batch and of channels."""
    if not 3 <= len(shape) <= 5:
        rule = f"{name} must have 3 to 5 dims: batch, channels, and 1 to 3 spatial ones"
        raise LayoutError(what, rule, **{name: shape})
    return len(shape) - 2


def each_dim(what: str, name: str, value: Any, rank: int, least: int = 1) -> Ints:
    """Return one integer for each spatial dim, each at least `least`."""
    rule = f"{name} must be an integer, or one for each of the {rank} spatial dims"
    try:
        is_number = is_one(value)
        numbers = (to_int(what, name, value),) * rank if is_number else to_ints(what, name, value)
    except LayoutError:
        raise LayoutError(what, rule, **{name: value}) from None
    if len(numbers) != rank:
        raise LayoutError(what, rule, **{name: value})
    if min(numbers) < least or max(numbers) > MOST:
        raise RangeError(what, f"{name} must be from {least} to 2**31 - 1", **{name: value})
    return numbers


def to_padding(what: str, value: Any, rank: int) -> Padding:
    """Return "same", "valid", or a pair (begin, end) for each spatial dim.

    The value is one of the names, a number, a number for each dim, or a pair for each dim.
    """
    if isinstance(value, str):
        if value not in ("same", "valid"):
            rule = "padding must be numbers, pairs, 'same' or 'valid'"
            raise RangeError(what, rule, padding=value)
        return value
    if is_one(value) or all(map(is_one, to_tuple(what, "padding", value))):
        return tuple([(width, width) for width in each_dim(what, "padding", value, rank, 0)])
    rule = f"padding must be a number, or one number or pair for each of the {rank} spatial dims"
    try:
        pairs = [to_ints(what, "padding", pair) for pair in value]
    except LayoutError:
        raise LayoutError(what, rule, padding=value) from None
    if len(pairs) != rank or any(len(pair) != 2 for pair in pairs):
        raise LayoutError(what, rule, padding=value)
    if any(not 0 <= width <= MOST for pair in pairs for width in pair):
        raise RangeError(what, "padding must be from 0 to 2**31 - 1", padding=value)
    return tuple([(begin, end) for begin, end in pairs])


def windows_of(
    what: str,
    sizes: Ints,
    kernel: Ints,
    stride: Ints,
    padding: Padding,
    dilation: Ints,
    *,
    ceil_mode: bool = False,
    **shown: object,
) -> Windows:
    """Return the windows over spatial dims of these sizes, at least one in each.

    `padding="same"` has `ceil(size / stride)` of them, which are none in an empty dim. `shown` are
    the values of arguments for errors, where they are not named as here.
    """
    dims = zip(sizes, kernel, stride, dilation)
    if padding == "same":
        windows = tuple([Window.same(*dim) for dim in dims])
    else:
        pairs = ((0, 0),) * len(sizes) if isinstance(padding, str) else padding
        windows = tuple(
            [Window.fitted(*dim, pair, ceil_mode=ceil_mode) for dim, pair in zip(dims, pairs)]
        )
    least = 0 if padding == "same" else 1
    if any(w.count < least or max(w.span, w.padded_size) > MOST for w in windows):
        rule = "windows must fit into the padded input"
        named = {"kernel_size": kernel, "dilation": dilation, **shown}
        raise LayoutError(what, rule, x=sizes, padding=paddings(windows), **named)
    return windows


def paddings(windows: Windows) -> tuple[Pair, ...]:
    return tuple([(window.before, window.after) for window in windows])


def check_padding(what: str, windows: Windows) -> None:
    """Check that padding is smaller than the windows, since others would see nothing else."""
    if any(max(window.before, window.after) >= window.span for window in windows):
        rule = "padding must be smaller than the windows"
        taps = tuple([window.taps for window in windows])
        raise LayoutError(what, rule, padding=paddings(windows), kernel_size=taps)


def to_output_size(what: str, value: object, rank: int) -> Ints:
    """Return the size of each spatial dim of a result."""
    return each_dim(what, "output_size", value, rank, 0)
