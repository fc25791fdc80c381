"""Checks of arguments that several functions for networks take."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dml_vk.arguments import to_int
from dml_vk.dtypes import DTYPES
from dml_vk.errors import LayoutError, LayoutIndexError, RangeError
from dml_vk.nn.windows import MOST
from dml_vk.ops.gather import checking
from dml_vk.ops.view import View, with_dtype
from dml_vk.tensor.core import Tensor


def to_least(what: str, name: str, value: object, least: int) -> int:
    """Convert to an integer that is at least this, and that kernels can count to."""
    number = to_int(what, name, value)
    if number < least:
        raise RangeError(what, f"{name} must be at least {least}", **{name: value})
    if number > MOST:
        raise RangeError(what, f"{name} must be from {least} to 2**31 - 1", **{name: value})
    return number


def to_word(what: str, name: str, value: object, words: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in words:
        raise RangeError(what, f"{name} must be one of {', '.join(words)}", **{name: value})
    return value


def check_images(what: str, x: Tensor, spatial: Sequence[int]) -> None:
    """Check that x is (N, C, ...) with one of these numbers of spatial dims."""
    if x.ndim - 2 not in spatial:
        numbers = " or ".join(map(str, spatial))
        rule = f"x must have the dims N and C and {numbers} spatial ones"
        raise LayoutError(what, rule, shape=x.shape)


def check_indexes(what: str, name: str, index: Tensor, size: int) -> None:
    """Check that integers are from 0 up to, not including, `size`. This waits for the answer."""
    checking_indexes(what, name, index, size)()


def checking_indexes(what: str, name: str, index: Tensor, size: int) -> Callable[[], None]:
    """Launch the check of `check_indexes`, and return what waits for its answer."""
    if not index.size:
        return lambda: None
    own = index.dtype
    # As unsigned integers, negative ones are too large as well.
    unsigned = with_dtype(index, DTYPES[f"uint{8 * own.itemsize}"])
    most = 2 ** (8 * own.itemsize - 1) if own.kind == "i" else size

    def fail(_: int, outside: View) -> None:
        numbers = Tensor(with_dtype(outside, own)).numpy()
        wrong = next(int(number) for number in numbers.flat if not 0 <= number < size)
        rule = f"{name} must not be negative, and be less than {size}"
        raise LayoutIndexError(what, rule, **{name: wrong})

    return checking([(unsigned, min(size, most))], fail)
