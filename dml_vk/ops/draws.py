"""Numbers drawn from a stream of random words by kernels that are told how: checked here."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dml_vk.dtypes import DTYPES, DType, float16, float32, float64
from dml_vk.errors import RangeError, explain
from dml_vk.kernels.operators import OPERATORS
from dml_vk.kernels.plan_random import TOLD_WORDS
from dml_vk.ops.elementwise import Typed, compute, scalar_words
from dml_vk.ops.fill import to_bytes, write_indexed
from dml_vk.ops.philox import fill_philox
from dml_vk.ops.strided import Strided
from dml_vk.strides.order import Ints, to_bool, to_int

# float32 is told 0 or no less in size, so that nothing drawn is subnormal: devices may flush that.
LEAST_TOLD = 2.0**-80


class Draw(NamedTuple):
    """How elements are made: a kernel, its variant, random words for each, and what it is told."""

    kernel: str
    kind: str
    words: int
    told: Ints
    then: tuple[tuple[str, Ints], ...] = ()  # operators, each with the scalar that it takes


def fill_drawn(what: str, target: Strided, draw: Draw, state: Ints) -> None:
    """Write what the stream of this state begins with, in the order of logical indexes."""
    if draw.kernel == "philox":
        dtype = DTYPES[draw.kind]
        fill_philox(what, target, dtype, state)
        made = Typed(target, dtype)
        for name, scalar in draw.then:
            compute(what, OPERATORS[name], (made, None), made, dtype, scalar)
        return
    target.check_target(what, "target")
    if target.layout.numel:
        words = (*state, *draw.told, *[0] * (TOLD_WORDS - len(draw.told)))
        write_indexed(what, draw.kernel, draw.kind, target, words)


def uniform(what: str, dtype: DType, low: Any, high: Any) -> Draw:
    """From low to below high, both as the dtype has them: min(low + (high - low) * u, most)."""
    first, last = _number(what, "low", dtype, low), _number(what, "high", dtype, high)
    if first >= last:
        must = f"low must be below high, as {dtype.name}"
        raise RangeError(explain(what, must, low=low, high=high))
    most = np.nextafter(last, first)
    if dtype is float16:
        first, last, most = np.float32(first), np.float32(last), np.float32(most)
    with np.errstate(over="ignore"):
        span = last - first
    if not np.isfinite(span):
        must = f"high - low must be finite, as {dtype.name}"
        raise RangeError(explain(what, must, low=low, high=high))
    if dtype is float64:
        # Its arithmetic is long programs, which are there already.
        steps = (("multiply", span), ("add", first), ("minimum", most))
        then = [(name, scalar_words(what, name, dtype, float(number))) for name, number in steps]
        return Draw("philox", dtype.name, 2, (), tuple(then))
    told = np.array([first, span, most]).view(np.uint32).tolist()
    return Draw("uniform", dtype.name, 1, tuple(told))


def normal(what: str, dtype: DType, mean: Any, std: Any) -> Draw:
    """Of this mean and standard deviation, both as float32 has them."""
    centre, spread = _number(what, "mean", float32, mean), _number(what, "std", float32, std)
    if spread < 0:
        raise RangeError(explain(what, "std must not be negative", std=std))
    # A mean of -0 would make zeros of either sign.
    told = np.array([centre + np.float32(0), spread]).view(np.uint32).tolist()
    return Draw("normal", dtype.name, 1, tuple(told))


def integers(what: str, dtype: DType, low: Any, high: Any, endpoint: Any) -> Draw:
    """From low to below high, or with endpoint to high, all as often."""
    endpoint = to_bool(what, "endpoint", endpoint)
    first = to_int(what, "low", low)
    most = to_int(what, "high", high) - (not endpoint) - first
    if most < 0:
        must = "high must not be below low" if endpoint else "low must be below high"
        raise RangeError(explain(what, must, low=low, high=high))
    limits = np.iinfo(dtype.numpy_name)
    if not (limits.min <= first and first + most <= limits.max):
        must = f"{dtype.name} must hold every integer of the range"
        raise RangeError(explain(what, must, low=low, high=high, endpoint=endpoint))
    wide = most >= 2**32
    least = 2 ** (64 if wide else 32) % (most + 1)  # of the low half of a product
    told = [number >> by & 0xFFFFFFFF for number in (most, least, first) for by in (0, 32)]
    kind = "wide64" if wide else f"int{8 * dtype.itemsize}"
    return Draw("integers", kind, 1 + wide, tuple(told))


def _number(what: str, name: str, dtype: DType, value: Any) -> np.floating[Any]:
    """A finite number as the dtype has it, and none that is too small for every device."""
    number: np.floating[Any] = np.frombuffer(to_bytes(what, name, dtype, value), dtype.numpy_name)[
        0
    ]
    if not np.isfinite(number):
        raise RangeError(explain(what, f"{name} must be finite, as {dtype.name}", **{name: value}))
    if dtype is float32 and number and abs(number) < LEAST_TOLD:
        must = f"{name} must be 0, or at least 2**-80 in size"
        raise RangeError(explain(what, must, **{name: value}))
    return number
