"""Learning rates as functions of the step, which may be an int, or a tensor in a program."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from dml_vk.array.math.elementwise import astype, cos, minimum, pow
from dml_vk.dtypes import float32
from dml_vk.errors import RangeError
from dml_vk.nn.arguments import to_least
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import to_number

Schedule = Callable[[Any], Any]


def cosine(lr: float, steps: int) -> Schedule:
    """Return a schedule that goes from lr to 0 by half a wave of the cosine, and stays there.

    >>> import dml_vk
    >>> rate = dml_vk.optim.cosine(0.5, 10)
    >>> [round(rate(k), 3) for k in (0, 5, 10, 20)]
    [0.5, 0.25, 0.0, 0.0]
    """
    most, count = _numbers("cosine", lr, "steps", steps)

    def cosine_rate(step: Any) -> Any:
        if isinstance(step, Tensor):
            done = minimum(astype(step, float32), float(count))
            return (cos(done * (math.pi / count)) + 1) * (most / 2)
        return most / 2 * (1 + math.cos(math.pi * min(step, count) / count))

    return cosine_rate


def warmup(lr: float, steps: int) -> Schedule:
    """Return a schedule that rises by equal parts, to lr after so many steps, and stays there.

    >>> import dml_vk
    >>> rate = dml_vk.optim.warmup(0.5, 4)
    >>> [rate(k) for k in (0, 1, 4, 20)]
    [0.0, 0.125, 0.5, 0.5]
    """
    most, count = _numbers("warmup", lr, "steps", steps)

    def warmup_rate(step: Any) -> Any:
        if isinstance(step, Tensor):
            return minimum(astype(step, float32) * (most / count), most)
        return most * min(step, count) / count

    return warmup_rate


def step(lr: float, every: int, factor: float) -> Schedule:
    """Return a schedule that starts at lr and is multiplied by a factor every so many steps.

    >>> import dml_vk
    >>> rate = dml_vk.optim.step(0.5, 10, 0.5)
    >>> [rate(k) for k in (0, 9, 10, 25)]
    [0.5, 0.5, 0.25, 0.125]
    """
    most, count = _numbers("step", lr, "every", every)
    ratio = float(to_number("step", "factor", factor))
    if not 0 <= ratio < math.inf:
        raise RangeError("step", "factor must be finite and at least 0", factor=factor)

    def step_rate(step: Any) -> Any:
        if isinstance(step, Tensor):
            return pow(ratio, astype(step // count, float32)) * most
        return most * ratio ** (step // count)

    return step_rate


def _numbers(what: str, lr: Any, name: str, steps: Any) -> tuple[float, int]:
    most, count = float(to_number(what, "lr", lr)), to_least(what, name, steps, 1)
    if not 0 <= most < math.inf:
        raise RangeError(what, "lr must be finite and at least 0", lr=lr)
    return most, count
