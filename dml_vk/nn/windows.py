"""Windows over the spatial dims of an input: sizes, strides, paddings and dilations, one a dim.

Arguments are numbers, which hold for every dim, or sequences with one number for each.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from dml_vk.arguments import Ints, is_one, to_int, to_ints, to_tuple
from dml_vk.errors import LayoutError, RangeError

Pair = tuple[int, int]
Padding = str | tuple[Pair, ...]
MOST = 2**31 - 1  # of any number: kernels count in 32 bits


class Windows(NamedTuple):
    """Windows over an input; each field has one entry for each spatial dim."""

    sizes: Ints  # of the input
    kernel: Ints  # elements of a window
    stride: Ints  # from one window to the next
    dilation: Ints  # from one element of a window to the next
    begin: Ints  # padding
    end: Ints
    out: Ints  # how many windows there are


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
        one = is_one(value)
        found = (to_int(what, name, value),) * rank if one else to_ints(what, name, value)
    except LayoutError:
        raise LayoutError(what, rule, **{name: value}) from None
    if len(found) != rank:
        raise LayoutError(what, rule, **{name: value})
    if min(found) < least or max(found) > MOST:
        raise RangeError(what, f"{name} must be from {least} to 2**31 - 1", **{name: value})
    return found


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


def padded(
    padding: Padding, sizes: Ints, kernel: Ints, stride: Ints, dilation: Ints
) -> tuple[Pair, ...]:
    """Return (begin, end) for each spatial dim.

    "same" pads such that there are `ceil(size / stride)` windows; of an odd number of elements, the
    end gets one more.
    """
    if not isinstance(padding, str):
        return padding
    if padding == "valid":
        return ((0, 0),) * len(sizes)
    pairs = []
    for size, width, step, apart in zip(sizes, kernel, stride, dilation):
        windows = -(-size // step)
        total = max(0, (windows - 1) * step + span(width, apart) - size)
        pairs.append((total // 2, total - total // 2))
    return tuple(pairs)


def span(kernel: int, dilation: int) -> int:
    """Return how many elements of the input there are from the first to the last of a window."""
    return (kernel - 1) * dilation + 1


def window_count(
    size: int, span: int, stride: int, begin: int, end: int, *, ceil_mode: bool = False
) -> int:
    """Return how many windows fit; less than 1 if none does.

    With `ceil_mode` a last one that extends beyond the padding counts too, if it starts before the
    padding at the end.
    """
    room = begin + size + end - span
    if not ceil_mode:
        return room // stride + 1
    count = -(-room // stride) + 1
    return count - 1 if (count - 1) * stride >= begin + size else count


def windows_of(
    what: str,
    sizes: Ints,
    kernel: Ints,
    stride: Ints,
    padding: Padding,
    dilation: Ints,
    *,
    ceil_mode: bool = False,
    **shown: Any,
) -> Windows:
    """Return the windows over spatial dims of these sizes, of which there is at least one.

    `shown` are the values of arguments for errors, where they are not named as here.
    """
    pairs = padded(padding, sizes, kernel, stride, dilation)
    out = []
    for size, width, step, apart, (begin, end) in zip(sizes, kernel, stride, dilation, pairs):
        long = span(width, apart)
        empty_same = padding == "same" and not size
        count = 0 if empty_same else window_count(size, long, step, begin, end, ceil_mode=ceil_mode)
        if (count < 1 and not empty_same) or long > MOST or begin + size + end > MOST:
            rule = "windows must fit into the padded input"
            named = {"kernel_size": kernel, "dilation": dilation, **shown}
            raise LayoutError(what, rule, x=sizes, padding=pairs, **named)
        out.append(count)
    begins, ends = zip(*pairs)
    return Windows(sizes, kernel, stride, dilation, begins, ends, tuple(out))


def check_padding(what: str, windows: Windows) -> None:
    """Check that padding is smaller than the windows, since others would see nothing else."""
    for width, apart, *pair in zip(windows.kernel, windows.dilation, windows.begin, windows.end):
        if max(pair) >= span(width, apart):
            rule = "padding must be smaller than the windows"
            pairs = tuple(zip(windows.begin, windows.end))
            raise LayoutError(what, rule, padding=pairs, kernel_size=windows.kernel)


def to_output_size(what: str, value: Any, rank: int) -> Ints:
    """Return the size of each spatial dim of a result."""
    return each_dim(what, "output_size", value, rank, 0)
