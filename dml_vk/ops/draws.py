"""Random draws: the checked parameters of kernels that convert random words to numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dml_vk.arguments import Ints, to_bool, to_int
from dml_vk.dtypes import DTYPES, DType, float16, float32, float64
from dml_vk.errors import RangeError
from dml_vk.kernels.operators import OPERATORS
from dml_vk.kernels.plan.draws import PARAM_WORDS
from dml_vk.ops.elementwise import compute
from dml_vk.ops.excerpts import Excerpt
from dml_vk.ops.indexed import write_indexed
from dml_vk.ops.numbers import scalar_words, to_bytes
from dml_vk.ops.philox import fill_philox
from dml_vk.ops.streams import from_words, to_words
from dml_vk.ops.view import View, check_target

# float32 parameters are 0 or at least this large, so that no drawn number is subnormal, which
# devices may flush to zero.
LEAST_PARAM = 2.0**-80


class Draw(NamedTuple):
    """A distribution: a kernel, its variant, random words for each element, and parameters."""

    kernel: str
    kind: str
    words: int
    params: Ints
    then: tuple[tuple[str, Ints], ...] = ()  # operators to apply, each with its scalar operand


def fill_drawn(
    what: str, target: View, draw: Draw, state: Ints, excerpt: Excerpt | None = None
) -> None:
    """Fill the target, in logical order, with draws from the start of this state's stream.

    With an excerpt, the target gets the elements that the whole array would have there.
    """
    check_target(what, target, "target")
    if not target.layout.numel:
        return
    if excerpt is None:
        _fill(what, target, draw, state)
    else:
        key, counter = from_words(state)
        for piece, blocks, first in excerpt.pieces(target, draw.words):
            moved = to_words(key, (counter + blocks) % 2**128)
            _fill(what, piece, draw, moved, first, excerpt.whole)


def _fill(
    what: str, target: View, draw: Draw, state: Ints, first: int = 0, whole: Ints = ()
) -> None:
    if draw.kernel == "philox":
        dtype = DTYPES[draw.kind]
        fill_philox(what, target, dtype, state, first=first, whole=whole)
        for name, scalar in draw.then:
            compute(what, OPERATORS[name], (target, None), target, dtype, scalar)
        return
    params = (*state, *draw.params, *[0] * (PARAM_WORDS - len(draw.params)))
    write_indexed(what, draw.kernel, draw.kind, target, params, first=first, whole=whole)


def words(dtype: DType) -> Draw:
    """Return the draw of random bits, or of floats in [0, 1)."""
    return Draw("philox", dtype.name, 2 if dtype.itemsize == 8 else 1, ())


def uniform(what: str, dtype: DType, low: float, high: float) -> Draw:
    """Return the draw of floats in [low, high), both rounded to the dtype.

    It is min(low + (high - low) * u, most), for u in [0, 1) and the last float below high.
    """
    first, last = _number(what, "low", dtype, low), _number(what, "high", dtype, high)
    if first >= last:
        rule = f"low must be less than high in {dtype.name}"
        raise RangeError(what, rule, low=low, high=high)
    most = np.nextafter(last, first)
    if dtype is float16:
        first, last, most = np.float32(first), np.float32(last), np.float32(most)
    with np.errstate(over="ignore"):
        span = last - first
    if not np.isfinite(span):
        rule = f"high - low must be finite in {dtype.name}"
        raise RangeError(what, rule, low=low, high=high)
    if dtype is float64:
        # float64 arithmetic takes large emulation code: reuse the kernels of the operators.
        steps = (("multiply", span), ("add", first), ("minimum", most))
        then = [(name, scalar_words(what, name, dtype, float(number))) for name, number in steps]
        return Draw("philox", dtype.name, 2, (), tuple(then))
    params = np.array([first, span, most]).view(np.uint32).tolist()
    return Draw("uniform", dtype.name, 1, tuple(params))


def normal(what: str, dtype: DType, mean: complex, std: float) -> Draw:
    """Return the normal draw with this mean and standard deviation, both rounded to float32."""
    parameters = [centre(what, float32, mean), deviation(what, float32, std)]
    params = np.array(parameters).view(np.uint32).tolist()
    return Draw("normal", dtype.name, 1, tuple(params))


def centre(what: str, dtype: DType, mean: complex) -> np.floating[Any]:
    """Return a mean, rounded to the dtype. -0 becomes 0: it would give zeros of both signs."""
    number = _number(what, "mean", dtype, mean)
    return abs(number) if number == 0 else number


def deviation(what: str, dtype: DType, std: float) -> np.floating[Any]:
    """Return a standard deviation, rounded to the dtype."""
    spread = _number(what, "std", dtype, std)
    if spread < 0:
        raise RangeError(what, "std must not be negative", std=std)
    return spread


def integers(what: str, dtype: DType, low: int, high: int, endpoint: bool) -> Draw:
    """Return the uniform draw of integers in [low, high), or with `endpoint` in [low, high]."""
    endpoint = to_bool(what, "endpoint", endpoint)
    first = to_int(what, "low", low)
    most = to_int(what, "high", high) - (not endpoint) - first
    if most < 0:
        rule = "high must not be less than low" if endpoint else "low must be less than high"
        raise RangeError(what, rule, low=low, high=high)
    limits = np.iinfo(dtype.numpy_name)
    if not (limits.min <= first and first + most <= limits.max):
        rule = f"{dtype.name} cannot hold every integer of the range"
        raise RangeError(what, rule, low=low, high=high, endpoint=endpoint)
    wide = most >= 2**32
    least = 2 ** (64 if wide else 32) % (most + 1)  # accepted low half of a product, by Lemire
    params = [number >> by & 0xFFFFFFFF for number in (most, least, first) for by in (0, 32)]
    kind = "wide64" if wide else f"int{8 * dtype.itemsize}"
    return Draw("integers", kind, 1 + wide, tuple(params))


def _number(what: str, name: str, dtype: DType, value: complex) -> np.floating[Any]:
    """Return a parameter rounded to the dtype, after checking that it is finite and not tiny."""
    number: np.floating[Any] = np.frombuffer(to_bytes(what, name, dtype, value), dtype.numpy_name)[
        0
    ]
    if not np.isfinite(number):
        raise RangeError(what, f"{name} must be finite in {dtype.name}", **{name: value})
    if dtype is float32 and number and abs(number) < LEAST_PARAM:
        rule = f"{name} must be 0 or at least 2**-80 in magnitude"
        raise RangeError(what, rule, **{name: value})
    return number
