"""How integers are compared with floats, and with numbers beyond their range, without rounding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dml_vk.dtypes import DType, float32, float64


class Comparison(NamedTuple):
    """What an operator says of an integer x1 and a number x2 that is no integer of its dtype."""

    turned: str  # the comparison of the operands in the other order
    below: bool  # if x2 is below all integers of the dtype
    above: bool  # if it is above them
    rounds_up: bool = False  # an integer is less than f exactly if it is than ceil(f)
    is_ordered: bool = True


COMPARISONS = {
    "equal": Comparison("equal", False, False, is_ordered=False),
    "not_equal": Comparison("not_equal", True, True, is_ordered=False),
    "less": Comparison("greater", False, True, rounds_up=True),
    "less_equal": Comparison("greater_equal", False, True),
    "greater": Comparison("less", True, False),
    "greater_equal": Comparison("less_equal", True, False, rounds_up=True),
}


def bounded(name: str, number: float, dtype: DType) -> tuple[str, int]:
    """Return the comparison with an integer of the dtype that is the same for all its integers."""
    least, most = _limits(dtype.numpy_name)
    if type(number) is int and least <= number <= most:
        return name, number
    row = COMPARISONS[name]
    never, always = ("less", least), ("greater_equal", least)
    if not row.is_ordered:
        if least <= number <= most and number == math.floor(number):
            return name, int(number)
        return always if row.above else never
    if number != number:
        return never
    if not least <= number <= most:
        return always if (row.above if number > most else row.below) else never
    return name, math.ceil(number) if row.rounds_up else math.floor(number)


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
