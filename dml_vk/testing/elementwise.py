"""Reference results of every operator in `dml_vk.kernels.operators`, in NumPy.

Exact operators are computed in the dtype of the operands, except float16, which is computed in
float32 and rounded once. Functions with an error bound are computed in float64, or for float64 in
long double, and rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dml_vk.dtypes import DType, to_dtype
from dml_vk.kernels.operators import OPERATORS, Operator
from dml_vk.testing import special
from dml_vk.testing.arrays import Array


def reference(name: str, *operands: object, **parameters: float) -> Array:
    """The result of an operator for NumPy arrays, with NumPy's broadcasting and promotion.

    >>> import numpy as np
    >>> from dml_vk.testing.elementwise import reference
    >>> reference("floor_divide", np.int8([7, -7, 7]), np.int8([2, 2, 0])).tolist()
    [3, -4, 0]
    """
    operator = OPERATORS[name]
    arrays = [np.asarray(operand) for operand in operands]
    if name == "where":
        return np.where(cast(arrays[0], "bool_"), *arrays[1:])
    common = np.result_type(*arrays)
    as_is = name.startswith("clip") or common == np.float64
    kind = common if as_is else np.dtype(np.float32)
    with np.errstate(all="ignore"):
        values = {**dict(operator.parameters), **parameters}
        numbers = [kind.type(value) for value in values.values()]
        work = _computed_in(operator, common)
        function = _FUNCTIONS.get(name) or getattr(np, operator.numpy or name)
        result = function(*[np.asarray(array, work) for array in arrays], *map(work.type, numbers))
        return np.asarray(result, np.bool_ if operator.result else common)


def cast(array: object, dtype: DType | str) -> Array:
    """Convert to another dtype.

    Floats are truncated to integers and clamped to their limits; NaN becomes 0. Integers keep their
    low bits, conversions to floats round to nearest even, and a bool is false for 0, else true.

    >>> import numpy as np
    >>> from dml_vk.testing.elementwise import cast
    >>> cast(np.float32([-1.5, 300, np.nan]), "uint8").tolist()
    [0, 255, 0]
    """
    array, to = np.asarray(array), to_dtype("cast", dtype)
    with np.errstate(all="ignore"):
        if to.kind == "b":
            return np.asarray(array != 0)
        if array.dtype.kind != "f" or to.kind == "f":
            return np.asarray(array, to.numpy_name)
        whole, limits = np.trunc(array.astype(np.float64)), np.iinfo(to.numpy_name)
        # The maximum of a 64-bit type is not a float64, but the maximum plus 1 is.
        inside = (whole >= limits.min) & (whole < float(limits.max + 1))
        converted = np.where(inside, whole, 0).astype(to.numpy_name)
        highest, lowest = converted.dtype.type(limits.max), converted.dtype.type(limits.min)
        zeros = np.zeros_like(converted)
        nearest = np.where(whole > 0, highest, np.where(whole < 0, lowest, zeros))
        return np.where(inside, converted, nearest)


def ulps_apart(results: Array, expected: Array) -> NDArray[np.float64]:
    """The distance in floats; between NaNs it is 0, and from NaN to a number infinite.

    >>> import numpy as np
    >>> from dml_vk.testing.elementwise import ulps_apart
    >>> ulps_apart(np.float32([1.0, 0.0, np.nan]), np.float32([1.0000001, -1e-45, np.nan])).tolist()
    [1.0, 1.0, 0.0]
    """
    nans = np.isnan(results), np.isnan(expected)
    ours, theirs = _rank_of(results), _rank_of(expected)
    # Of places with different signs, a float64 holds the distance well enough, and int64 may not.
    near = np.where((ours < 0) == (theirs < 0), ours - theirs, 0)
    far = ours.astype(np.float64) - theirs.astype(np.float64)
    steps = np.abs(np.where((ours < 0) == (theirs < 0), near, far))
    wrong = np.where(nans[0] & nans[1], 0.0, np.inf)
    return np.asarray(np.where(nans[0] | nans[1], wrong, steps), np.float64)


def _rank_of(array: Array) -> NDArray[np.int64]:
    """The position in the sequence of all floats; both zeros are at 0."""
    bits = array.view(f"int{8 * array.itemsize}").astype(np.int64)
    magnitude = bits & np.iinfo(f"int{8 * array.itemsize}").max
    return np.asarray(np.where(bits < 0, -magnitude, magnitude), np.int64)


def _computed_in(operator: Operator, common: Any) -> Any:
    if common.kind == "f" and operator.ulp:
        return np.dtype(np.longdouble if common.itemsize == 8 else np.float64)
    if common == np.float16 and operator.name != "nextafter":
        return np.dtype(np.float32)
    return common


def _maximum(a: Array, b: Any) -> Array:
    """NumPy's maximum, but +0 for zeros of both signs, where NumPy depends on the processor."""
    zeros = (a == 0) & (b == 0) & (a.dtype.kind == "f")
    return np.asarray(np.where(zeros, a + b, np.maximum(a, b)))


def _minimum(a: Array, b: Any) -> Array:
    return -_maximum(-a, -b) if a.dtype.kind == "f" else np.minimum(a, b)


def _nextafter(a: Array, b: Array) -> Array:
    """NumPy's nextafter, but the second of two zeros, where NumPy returns the first for float16."""
    return np.asarray(np.where(a == b, b, np.nextafter(a, b)))


def _trunc_divide(a: Array, b: Array) -> Array:
    """Division of integers, truncated; division by 0 gives 0."""
    floor = np.floor_divide(a, b)
    up = (np.remainder(a, b) != 0) & ((a < 0) != (b < 0))
    return np.asarray(floor + up.astype(floor.dtype))


def _power(a: Array, b: Array) -> Array:
    """NumPy's power, with negative powers of integers, which are 0 except for 1 and -1."""
    if a.dtype.char == "g":  # Some C libraries are wrong for (-inf) ** -(2 ** 63) here.
        usual = np.power(a.astype(np.float64), b.astype(np.float64))
        return np.asarray(np.where(np.isinf(a), usual, np.power(a, b)))
    if a.dtype.kind in "fu":
        return np.power(a, b)
    inverse = np.where(a == 1, 1, np.where(a == -1, np.where(b & 1, -1, 1), 0))
    return np.where(b < 0, inverse, np.power(a, np.maximum(b, 0)))


def _bitwise_count(x: Array) -> Array:
    """NumPy 2's bitwise_count, for older NumPy as well."""
    magnitudes = np.abs(x).astype(f"uint{8 * x.itemsize}")
    return np.asarray(np.unpackbits(magnitudes[..., None].view(np.uint8), axis=-1).sum(-1))


def _rounded(array: object) -> Array:
    """Round to float32 or float64, as activations do with each intermediate product."""
    array = np.asarray(array)
    narrow = np.float64 if array.dtype.char == "g" else np.float32
    return np.asarray(array.astype(narrow), array.dtype)


def _scaled(x: Array, factor: float) -> Array:
    """The product, rounded once: a long double would be rounded to float64 a second time."""
    if x.dtype.char == "g":
        return np.asarray(x.astype(np.float64) * np.float64(factor), x.dtype)
    return _rounded(factor * x)


def _linear(x: Array, alpha: float, beta: float) -> Array:
    return _rounded(_scaled(x, alpha) + beta)


def _gelu(x: Array) -> Array:
    """As erfc has no long doubles, what its argument loses to float64 is added by its slope."""
    whole = -x / np.sqrt(x.dtype.type(2))
    argument = whole.astype(np.float64)
    slope = -2 / np.sqrt(np.pi) * np.exp(-np.square(argument.astype(x.dtype)))
    scale = _erfc(argument) + np.where(np.isinf(x), 0, slope * (whole - argument))
    return np.where(x == -np.inf, -0.0, 0.5 * x * scale)


def _hard(x: Array, alpha: float, beta: float) -> Array:
    return _maximum(np.minimum(_linear(x, alpha, beta), 1.0), 0.0)


def _elu(x: Array, alpha: float, gamma: float = 1.0) -> Array:
    return np.where(x > 0, gamma * x, gamma * alpha * np.expm1(x))


def _shrink(x: Array, bias: float, threshold: float) -> Array:
    inside = np.where(np.isnan(x), x, 0.0)
    return np.where(x > threshold, x - bias, np.where(x < -threshold, x + bias, inside))


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _leaky(x: Array, slope: Array | float) -> Array:
    return np.where(x < 0, slope * x, x)


_erf = np.vectorize(math.erf, otypes=[np.float64])
_erfc = np.vectorize(math.erfc, otypes=[np.float64])

# Operators for which NumPy has no function, or one that differs.
_FUNCTIONS: dict[str, Callable[..., Array]] = {
    "maximum": _maximum,
    "minimum": _minimum,
    "nextafter": _nextafter,
    "trunc_divide": _trunc_divide,
    "pow": _power,
    "bitwise_count": _bitwise_count,
    "mean_of_two": lambda a, b: (a + b) * a.dtype.type(0.5),
    "difference_square": lambda a, b: np.square(a - b),
    "clip": lambda x, low, high: _minimum(_maximum(x, low), high),
    "clip_grad": lambda x, y, low, high: np.where((low < x) & (x < high), y, x.dtype.type(0)),
    "relu_grad": lambda x, y: np.where(x > 0, y, x.dtype.type(0)),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "erf": _erf,
    "erfc": _erfc,
    "gammaln": special.gammaln,
    "digamma": special.digamma,
    "xlogy": special.xlogy,
    "i0e": special.i0e,
    "i1e": special.i1e,
    "relu": lambda x: _maximum(x, x.dtype.type(0)),
    "elu": _elu,
    "celu": lambda x, alpha: (
        np.maximum(x, 0.0) + np.minimum(alpha * np.expm1(_rounded(x / alpha)), 0.0)
    ),
    "scaled_elu": _elu,
    "leaky_relu": _leaky,
    "parameterized_relu": _leaky,
    "thresholded_relu": lambda x, alpha: np.where(x <= alpha, x.dtype.type(0), x),
    "linear": _linear,
    "shrink": _shrink,
    "hard_sigmoid": _hard,
    "hard_swish": lambda x, alpha, beta: x * _hard(x, alpha, beta),
    "softsign": lambda x: np.where(np.isinf(x), np.copysign(1.0, x), x / (1 + np.abs(x))),
    "sigmoid": _sigmoid,
    "swish": lambda x, scale: x * _sigmoid(_scaled(x, scale)),
    "softplus": lambda x, steepness: np.logaddexp(0.0, _scaled(x, steepness)) / steepness,
    "parametric_softplus": lambda x, alpha, beta: alpha * np.logaddexp(0.0, _scaled(x, beta)),
    "scaled_tanh": lambda x, alpha, beta: alpha * np.tanh(_scaled(x, beta)),
    "gelu": _gelu,
}
