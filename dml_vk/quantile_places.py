"""Where in ordered elements a quantile lies, as NumPy's methods tell.

The same words serve the host, for slices that are all as long, and the device, which alone knows
how many numbers a slice has beside NaN.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dml_vk.errors import DTypeError, RangeError, explain
from dml_vk.host import Array
from dml_vk.tensor import Tensor

# The methods that choose an element, by what they do with a place between two.
CHOOSING = {"lower": "floor", "higher": "ceil", "nearest": "round"}
# Those that interpolate, by the parameters that Hyndman and Fan call alpha and beta.
_PARAMETERS = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
METHODS = ("linear", *CHOOSING, "midpoint", *_PARAMETERS)


class Places(NamedTuple):
    """The elements on either side, the same one where a place is an element's, and how far on."""

    below: Any
    above: Any
    part: Any


def to_method(what: str, method: Any) -> str:
    if not isinstance(method, str) or method not in METHODS:
        must = f"method must be one of {', '.join(METHODS)}"
        raise RangeError(explain(what, must, method=method))
    return method


def to_fractions(what: str, q: Any, whole: int) -> Array:
    """What is asked for as float64, each from 0 to 1. A tensor is waited for."""
    given = q.numpy() if isinstance(q, Tensor) else q
    try:
        array = np.asarray(given)
    except (TypeError, ValueError):
        array = np.asarray("")
    if array.dtype.kind not in "biuf" and array.size:
        must = "q must be a real number, or a list, an array or a tensor of some"
        raise DTypeError(explain(what, must, q=type(q).__name__))
    fractions = array.astype(np.float64)
    if not ((fractions >= 0) & (fractions <= whole)).all():
        raise RangeError(explain(what, f"q must be from 0 to {whole}", q=q))
    return fractions / whole


def places(functions: Any, method: str, q: Any, count: Any) -> Places:
    """For so many elements, by NumPy's functions or by those of the same names for tensors."""
    last = count - 1
    at = last * q
    if method in _PARAMETERS:
        alpha, beta = _PARAMETERS[method]
        at = count * q + (alpha + q * (1 - alpha - beta)) - 1
    if method in CHOOSING:
        at = getattr(functions, CHOOSING[method])(at)
    at = functions.maximum(functions.minimum(at, last), 0.0)
    below = functions.floor(at)
    part = at - below
    if method == "midpoint":
        part = functions.where(part > 0, 0.5, part)
    return Places(below, functions.ceil(at), part)
