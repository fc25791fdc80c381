"""The position of a quantile among ordered elements, by NumPy's methods.

The same code runs on the host, for slices of equal length, and on the device, if only the device
knows how many numbers that are not NaN a slice has.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dml_vk.errors import DTypeError, RangeError
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array, ArrayLike

# Methods that select an element, and how they round the position.
CHOOSING = {
    "lower": "floor",
    "higher": "ceil",
    "nearest": "round",
    "inverted_cdf": "ceil",
    "closest_observation": "ceil",
}
# Methods whose positions are those of steps, and what is less than the share of the count.
_STEPS = {"inverted_cdf": 1.0, "closest_observation": 1.5, "averaged_inverted_cdf": 1.0}
# Methods that interpolate, and their parameters alpha and beta by Hyndman and Fan.
_PARAMETERS = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
METHODS = ("linear", *CHOOSING, "midpoint", "averaged_inverted_cdf", *_PARAMETERS)


class Places(NamedTuple):
    """The indexes on either side of a position, and the fraction between them."""

    below: Any
    above: Any
    part: Any


def to_method(what: str, method: str) -> str:
    if not isinstance(method, str) or method not in METHODS:
        rule = f"method must be one of {', '.join(METHODS)}"
        raise RangeError(what, rule, method=method)
    return method


def to_fractions(what: str, q: ArrayLike, whole: int) -> Array:
    """Convert q, from 0 to `whole`, to float64 fractions. A tensor is waited for."""
    values = q.numpy() if isinstance(q, Tensor) else q
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):
        array = np.asarray("")
    if array.dtype.kind not in "biuf" and array.size:
        rule = "q must be a real number, or a list, array or tensor of real numbers"
        raise DTypeError(what, rule, q=type(q).__name__)
    fractions = array.astype(np.float64)
    if not ((fractions >= 0) & (fractions <= whole)).all():
        raise RangeError(what, f"q must be from 0 to {whole}", q=q)
    return fractions / whole


def places(functions: Any, method: str, q: Any, count: Any) -> Places:
    """Compute positions among `count` elements, with the functions of NumPy or of dml_vk."""
    last = count - 1
    at = last * q
    if method in _PARAMETERS:
        alpha, beta = _PARAMETERS[method]
        at = count * q + (alpha + q * (1 - alpha - beta)) - 1
    if method in _STEPS:
        at = count * q - _STEPS[method]
    if method == "closest_observation":
        # Of two that are equally near, the one whose index is odd.
        half = (at + 1) * 0.5
        at = functions.where(
            functions.equal(functions.floor(half), half), at, functions.floor(at) + 1
        )
    if method in CHOOSING:
        at = getattr(functions, CHOOSING[method])(at)
    before = at
    at = functions.maximum(functions.minimum(at, last), 0.0)
    below = functions.floor(at)
    part = at - below
    if method == "midpoint":
        part = functions.where(part > 0, 0.5, part)
    if method != "averaged_inverted_cdf":
        return Places(below, functions.ceil(at), part)
    # Halfway between two elements at the step, and the next one after it.
    part = functions.where(before < 0, 0.0, functions.where(part > 0, 1.0, 0.5))
    return Places(below, functions.minimum(below + 1, last), part)
