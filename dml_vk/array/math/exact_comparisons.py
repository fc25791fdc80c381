"""How integers are compared with floats, and with numbers beyond their range, without rounding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from dml_vk.dtypes import DType, float32, float64

# The comparison of the operands in the other order.
TURNED = {
    "equal": "equal",
    "not_equal": "not_equal",
    "less": "greater",
    "less_equal": "greater_equal",
    "greater": "less",
    "greater_equal": "less_equal",
}
ROUNDED_UP = ("less", "greater_equal")  # an integer is less than f exactly if it is than ceil(f)


def bounded(name: str, number: float, dtype: DType) -> tuple[str, int]:
    """Return the comparison with an integer of the dtype that is the same for all its integers."""
    least, most = _limits(dtype.numpy_name)
    if type(number) is int and least <= number <= most:
        return name, number
    never, always = ("less", least), ("greater_equal", least)
    if name in ("equal", "not_equal"):
        if least <= number <= most and number == math.floor(number):
            return name, int(number)
        return never if name == "equal" else always
    if number != number:
        return never
    is_less = name.startswith("less")
    if number > most:
        return always if is_less else never
    if number < least:
        return never if is_less else always
    return name, math.ceil(number) if name in ROUNDED_UP else math.floor(number)


def limits_as_floats(dtype: DType) -> tuple[float, float]:
    """Return the least integer of a dtype, and the first beyond its largest: powers of two."""
    least, most = _limits(dtype.numpy_name)
    return float(least), float(most + 1)


@lru_cache
def _limits(name: str) -> tuple[int, int]:
    limits = np.iinfo(name)
    return int(limits.min), int(limits.max)


def compared_in(common: DType, dtypes: Sequence[DType]) -> DType:
    """Return the float dtype that holds the integers among these: all but those of 64 bits."""
    most = max([dtype.itemsize for dtype in dtypes if dtype.kind in "iu"], default=1)
    wide = float64 if most > 2 else float32 if most > 1 else common
    return wide if wide.itemsize > common.itemsize else common
