"""Tables of what functions of floats give for zeros, infinities, NaN, and where they are exact.

From the array API standard 2024.12, from C's annex F for what it has beyond, from IEEE 754 for
rsqrt, and by the formulas of DirectML's activations. Where the standard leaves a choice, as for
the quotient of an infinity rounded down, it is NumPy's.
"""

from __future__ import annotations

from math import e, inf, nan, pi


def odd(*cases):
    """Of functions that change their sign with the argument's."""
    return [*cases, *[(-x, -y) for x, y in cases]]


def joined(*groups):
    return [case for group in groups for case in group]


def even(*cases):
    return [*cases, *[(-x, y) for x, y in cases]]


def either_way(*cases):
    """Of functions of two arguments in any order."""
    return [*cases, *[(b, a, y) for a, b, y in cases]]


NAN = (nan, nan)
STAY = odd((0.0, 0.0), (inf, inf))
NO_INFINITIES = even((inf, nan))
WHOLE = [*STAY, *odd((1.0, 1.0), (2.0, 2.0), (1024.0, 1024.0)), NAN]
LOGARITHM = [*even((0.0, -inf)), (1.0, 0.0), (inf, inf), (-1.0, nan), (-inf, nan), NAN]
EXPONENTIAL = [*even((0.0, 1.0)), (inf, inf), (-inf, 0.0), NAN]
UNARY = {
    "positive": WHOLE,
    "negative": [(x, -y) for x, y in WHOLE],
    "abs": [*even((0.0, 0.0), (1.5, 1.5), (inf, inf)), NAN],
    "sign": [(0.0, 0.0), (-0.0, 0.0), *odd((3.0, 1.0), (inf, 1.0)), NAN],
    "square": [*even((0.0, 0.0), (3.0, 9.0), (inf, inf)), NAN],
    "floor": [*WHOLE, (0.5, 0.0), (-0.5, -1.0), (1.5, 1.0), (-1.5, -2.0)],
    "ceil": [*WHOLE, (0.5, 1.0), (-0.5, -0.0), (1.5, 2.0), (-1.5, -1.0)],
    "trunc": [*WHOLE, *odd((0.5, 0.0), (1.5, 1.0), (2.75, 2.0))],
    "round": [*WHOLE, *odd((0.5, 0.0), (1.5, 2.0), (2.5, 2.0), (2.75, 3.0), (0.25, 0.0))],
    "sqrt": [(0.0, 0.0), (-0.0, -0.0), (4.0, 2.0), (inf, inf), (-1.0, nan), (-inf, nan), NAN],
    "reciprocal": [*odd((0.0, inf), (inf, 0.0), (4.0, 0.25)), NAN],
    "rsqrt": [*odd((0.0, inf)), (4.0, 0.5), (inf, 0.0), (-1.0, nan), (-inf, nan), NAN],
    "exp": [*EXPONENTIAL, (1.0, e)],
    "exp2": [*EXPONENTIAL, (1.0, 2.0), (10.0, 1024.0), (-3.0, 0.125)],
    "expm1": [*odd((0.0, 0.0)), (inf, inf), (-inf, -1.0), NAN],
    "sinh": [*STAY, NAN],
    "cosh": [*even((0.0, 1.0), (inf, inf)), NAN],
    "tanh": [*odd((0.0, 0.0), (inf, 1.0), (100.0, 1.0)), NAN],
    "log": LOGARITHM,
    "log2": [*LOGARITHM, (2.0, 1.0), (1024.0, 10.0), (0.125, -3.0)],
    "log10": [*LOGARITHM, (10.0, 1.0), (1000.0, 3.0)],
    "log1p": [*odd((0.0, 0.0)), (-1.0, -inf), (inf, inf), (-2.0, nan), (-inf, nan), NAN],
    "asinh": [*STAY, NAN],
    "acosh": [(1.0, 0.0), (inf, inf), (0.5, nan), (0.0, nan), (-1.0, nan), (-inf, nan), NAN],
    "atanh": [*odd((0.0, 0.0), (1.0, inf)), *even((2.0, nan), (inf, nan)), NAN],
    "sin": [*odd((0.0, 0.0)), *NO_INFINITIES, NAN],
    "cos": [*even((0.0, 1.0)), *NO_INFINITIES, NAN],
    "tan": [*odd((0.0, 0.0)), *NO_INFINITIES, NAN],
    "asin": [*odd((0.0, 0.0), (1.0, pi / 2)), *even((1.5, nan), (inf, nan)), NAN],
    "acos": [(1.0, 0.0), (-1.0, pi), *even((0.0, pi / 2), (1.5, nan), (inf, nan)), NAN],
    "atan": [*odd((0.0, 0.0), (1.0, pi / 4), (inf, pi / 2)), NAN],
    "erf": [*odd((0.0, 0.0), (10.0, 1.0), (inf, 1.0)), NAN],
    "relu": [(1.0, 1.0), (-1.0, 0.0), (inf, inf), (-inf, 0.0), NAN],
    "elu": [*odd((0.0, 0.0)), (2.0, 2.0), (inf, inf), (-inf, -1.0), NAN],
    "celu": [(2.0, 2.0), (inf, inf), (-inf, -1.0), NAN],
    "scaled_elu": [*odd((0.0, 0.0)), (inf, inf), (-inf, -1.6732632 * 1.050701), NAN],
    "leaky_relu": [*STAY, (2.0, 2.0), (-1.0, -0.01), NAN],
    "thresholded_relu": [(0.5, 0.0), (1.0, 0.0), (2.0, 2.0), (inf, inf), (-inf, 0.0), NAN],
    "linear": [*odd((2.0, 2.0), (inf, inf)), NAN],
    "shrink": [*odd((2.0, 2.0), (inf, inf)), *even((0.25, 0.0)), NAN],
    "hard_sigmoid": [(0.0, 0.5), (-3.0, 0.0), (3.0, 1.0), (inf, 1.0), (-inf, 0.0), NAN],
    "hard_swish": [*odd((0.0, 0.0)), (4.0, 4.0), (-4.0, -0.0), (inf, inf), NAN],
    "softsign": [*odd((0.0, 0.0), (1.0, 0.5), (inf, 1.0)), NAN],
    "sigmoid": [*even((0.0, 0.5)), (100.0, 1.0), (inf, 1.0), (-inf, 0.0), NAN],
    "swish": [*odd((0.0, 0.0)), (100.0, 100.0), (inf, inf), NAN],
    "softplus": [(100.0, 100.0), (inf, inf), (-inf, 0.0), NAN],
    "parametric_softplus": [(100.0, 100.0), (inf, inf), (-inf, 0.0), NAN],
    "scaled_tanh": [*odd((0.0, 0.0), (inf, 1.0)), NAN],
    "gelu": [*odd((0.0, 0.0)), (100.0, 100.0), (inf, inf), (-100.0, -0.0), NAN],
    "isnan": [*even((0.0, 0), (1.0, 0), (inf, 0)), (nan, 1)],
    "isinf": [*even((0.0, 0), (1.0, 0), (inf, 1)), (nan, 0)],
    "isposinf": [*even((0.0, 0), (1.0, 0)), (inf, 1), (-inf, 0), (nan, 0)],
    "isneginf": [*even((0.0, 0), (1.0, 0)), (inf, 0), (-inf, 1), (nan, 0)],
    "isfinite": [*even((0.0, 1), (1.0, 1), (inf, 0)), (nan, 0)],
    "signbit": [(0.0, 0), (-0.0, 1), (1.0, 0), (-1.0, 1), (inf, 0), (-inf, 1)],
    "logical_not": [*even((0.0, 1), (1.0, 0), (inf, 0)), (nan, 0)],
}

NANS = either_way(
    (nan, 1.0, nan), (nan, 0.0, nan), (nan, inf, nan), (nan, -inf, nan), (nan, nan, nan)
)


def signs(*cases):
    """Of quotients and products, with either sign of each operand."""
    every = [(s * a, t * b, s * t * y) for a, b, y in cases for s in (1, -1) for t in (1, -1)]
    return [*every, *NANS]


UNORDERED = [(a, b, 0) for a, b, _ in NANS]
ORDERED = [(inf, inf), (-inf, -inf), (0.0, 0.0), (0.0, -0.0), (-0.0, 0.0), (1.0, 1.0)]
RISING = [(-inf, inf), (-inf, 1.0), (1.0, inf), (-1.0, -0.0), (0.0, 1.0), (-inf, 0.0), (2.0, 3.0)]


def comparison(same: int, rising: int, falling: int, unordered: int = 0):
    return [
        *[(a, b, same) for a, b in ORDERED],
        *[(a, b, rising) for a, b in RISING],
        *[(b, a, falling) for a, b in RISING],
        *[(a, b, unordered) for a, b, _ in UNORDERED],
    ]


TRUTHS = [(a, bool(a)) for a in (0.0, -0.0, 1.0, -2.0, inf, -inf, nan)]
HYPOTENUSES = either_way((0.0, 0.0, 0.0), (0.0, 2.0, 2.0), (3.0, 4.0, 5.0), (inf, 2.0, inf))
HYPOTENUSES += either_way((inf, inf, inf), (inf, nan, inf), (-inf, nan, inf), (-3.0, -4.0, 5.0))
# Of points above, as (y, x).
ANGLES = [(0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, inf, 0.0), (0.0, inf, 0.0)]
ANGLES += [(0.0, -0.0, pi), (0.0, -1.0, pi), (1.0, -inf, pi), (0.0, -inf, pi)]
ANGLES += [(y, x, pi / 2) for y in (1.0, inf) for x in (0.0, -0.0)]
ANGLES += [(inf, 1.0, pi / 2), (inf, -1.0, pi / 2), (inf, inf, pi / 4), (1.0, 1.0, pi / 4)]
ANGLES += [(inf, -inf, 3 * pi / 4), (1.0, -1.0, 3 * pi / 4)]
BINARY = {
    "add": joined(
        either_way((inf, -inf, nan), (inf, 1.0, inf), (-inf, 1.0, -inf), (0.0, -0.0, 0.0)),
        [
            (0.0, 0.0, 0.0),
            (-0.0, -0.0, -0.0),
            (inf, inf, inf),
            (-inf, -inf, -inf),
            (2.0, -2.0, 0.0),
        ],
        NANS,
    ),
    "subtract": joined(
        [(inf, inf, nan), (-inf, -inf, nan), (inf, -inf, inf), (1.0, inf, -inf)],
        [(0.0, 0.0, 0.0), (0.0, -0.0, 0.0), (-0.0, 0.0, -0.0), (-0.0, -0.0, 0.0), (2.0, 2.0, 0.0)],
        NANS,
    ),
    "multiply": joined(
        signs((inf, 0.0, nan), (0.0, inf, nan), (inf, inf, inf), (inf, 2.0, inf)),
        signs((2.0, inf, inf), (0.0, 0.0, 0.0), (0.0, 2.0, 0.0), (2.0, 0.0, 0.0)),
    ),
    "divide": joined(
        signs((inf, inf, nan), (0.0, 0.0, nan), (0.0, 2.0, 0.0), (2.0, 0.0, inf)),
        signs((inf, 2.0, inf), (inf, 0.0, inf), (2.0, inf, 0.0), (0.0, inf, 0.0), (3.0, 2.0, 1.5)),
    ),
    "floor_divide": joined(
        signs((inf, inf, nan), (0.0, 0.0, nan), (0.0, 2.0, 0.0), (2.0, 0.0, inf)),
        [(inf, 2.0, nan), (2.0, inf, 0.0), (-2.0, -inf, 0.0), (2.0, -inf, -1.0), (-2.0, inf, -1.0)],
        [(7.0, 2.0, 3.0), (-7.0, 2.0, -4.0), (7.0, -2.0, -4.0), (-7.0, -2.0, 3.0)],
    ),
    "remainder": joined(
        signs((inf, inf, nan), (0.0, 0.0, nan), (inf, 2.0, nan), (2.0, 0.0, nan)),
        [(0.0, 2.0, 0.0), (-0.0, 2.0, 0.0), (0.0, -2.0, -0.0), (-0.0, -2.0, -0.0)],
        [(2.0, inf, 2.0), (-2.0, -inf, -2.0), (2.0, -inf, -inf), (-2.0, inf, inf)],
        [(7.0, 2.0, 1.0), (-7.0, 2.0, 1.0), (7.0, -2.0, -1.0), (-7.0, -2.0, -1.0)],
    ),
    "fmod": joined(
        signs((inf, inf, nan), (0.0, 0.0, nan), (inf, 2.0, nan), (2.0, 0.0, nan)),
        [(0.0, 2.0, 0.0), (-0.0, 2.0, -0.0), (0.0, -2.0, 0.0), (-0.0, -2.0, -0.0), (2.0, inf, 2.0)],
        [(-2.0, inf, -2.0), (2.0, -inf, 2.0), (-0.0, inf, -0.0), (7.0, 2.0, 1.0)],
        [(-7.0, 2.0, -1.0), (7.0, -2.0, 1.0), (-6.0, 2.0, -0.0)],
    ),
    "maximum": joined(
        either_way((inf, -inf, inf), (1.0, inf, inf), (-1.0, -inf, -1.0), (0.0, -1.0, 0.0)), NANS
    ),
    "minimum": joined(
        either_way((inf, -inf, -inf), (1.0, inf, 1.0), (-1.0, -inf, -inf), (0.0, 1.0, 0.0)), NANS
    ),
    "mean_of_two": joined(either_way((inf, -inf, nan), (inf, 1.0, inf), (1.0, 2.0, 1.5)), NANS),
    "difference_square": [(inf, inf, nan), *either_way((inf, 1.0, inf), (3.0, 1.0, 4.0)), *NANS],
    "copysign": joined(
        [(s * a, b, a) for a in (0.0, 2.0, inf) for b in (0.0, 1.0, inf) for s in (1, -1)],
        [(s * a, -b, -a) for a in (0.0, 2.0, inf) for b in (0.0, 1.0, inf) for s in (1, -1)],
        [(2.0, nan, 2.0), (nan, 1.0, nan), (nan, -1.0, nan)],
    ),
    "nextafter": [(0.0, -0.0, -0.0), (-0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (inf, inf, inf), *NANS],
    "relu_grad": joined(
        [(1.0, 2.0, 2.0), (-1.0, 2.0, 0.0), (0.0, 2.0, 0.0), (inf, 2.0, 2.0)],
        [(-inf, 2.0, 0.0), (1.0, nan, nan), (1.0, -inf, -inf)],
    ),
    "parameterized_relu": joined(
        [(2.0, 3.0, 2.0), (-2.0, 3.0, -6.0), (inf, 3.0, inf), (-inf, 3.0, -inf)],
        [(nan, 3.0, nan), (2.0, nan, 2.0), (-2.0, nan, nan)],
    ),
    "hypot": joined(
        [
            case
            for s in (1, -1)
            for a, b, y in HYPOTENUSES
            for case in ((s * a, b, y), (a, s * b, y))
        ],
        [(nan, 1.0, nan), (1.0, nan, nan), (nan, nan, nan)],
    ),
    "logaddexp": joined(
        [*either_way((inf, 1.0, inf), (inf, -inf, inf), (-inf, 2.0, 2.0)), *NANS],
        [(inf, inf, inf), (-inf, -inf, -inf), (0.0, 0.0, 0.6931471805599453)],
    ),
    "atan2": joined([(s * y, x, s * angle) for s in (1, -1) for y, x, angle in ANGLES], NANS),
    "pow": joined(
        [(x, y, 1.0) for x in (0.0, -0.0, 1.0, -2.0, inf, -inf, nan) for y in (0.0, -0.0)],
        [(1.0, y, 1.0) for y in (nan, inf, -inf, 3.5)],
        [(-1.0, inf, 1.0), (-1.0, -inf, 1.0), (nan, 1.0, nan), (2.0, nan, nan), (0.0, nan, nan)],
        [(x, y, inf) for x, y in ((2.0, inf), (-2.0, inf), (0.5, -inf), (-0.5, -inf))],
        [(x, y, 0.0) for x, y in ((2.0, -inf), (-2.0, -inf), (0.5, inf), (-0.5, inf))],
        [(inf, 2.0, inf), (inf, 0.5, inf), (inf, -2.0, 0.0), (inf, -0.5, 0.0), (inf, inf, inf)],
        [(-inf, 3.0, -inf), (-inf, 2.0, inf), (-inf, 0.5, inf), (-inf, -3.0, -0.0)],
        [(-inf, -2.0, 0.0), (-inf, -0.5, 0.0), (-inf, inf, inf), (-inf, -inf, 0.0)],
        [(0.0, 3.0, 0.0), (0.0, 0.5, 0.0), (-0.0, 3.0, -0.0), (-0.0, 2.0, 0.0), (-0.0, 0.5, 0.0)],
        [(0.0, -3.0, inf), (0.0, -0.5, inf), (-0.0, -3.0, -inf), (-0.0, -2.0, inf)],
        [(-0.0, -0.5, inf), (0.0, inf, 0.0), (0.0, -inf, inf), (-0.0, inf, 0.0), (-0.0, -inf, inf)],
        [
            (-8.0, 0.5, nan),
            (-2.0, 1.5, nan),
            (-1.0, 0.5, nan),
            (-2.0, 3.0, -8.0),
            (-2.0, 4.0, 16.0),
        ],
        [(-2.0, -1.0, -0.5), (2.0, 10.0, 1024.0), (4.0, 0.5, 2.0), (10.0, 3.0, 1000.0)],
    ),
    "equal": comparison(1, 0, 0),
    "not_equal": comparison(0, 1, 1, unordered=1),
    "less": comparison(0, 1, 0),
    "less_equal": comparison(1, 1, 0),
    "greater": comparison(0, 0, 1),
    "greater_equal": comparison(1, 0, 1),
    "logical_and": [(a, b, p and q) for a, p in TRUTHS for b, q in TRUTHS],
    "logical_or": [(a, b, p or q) for a, p in TRUTHS for b, q in TRUTHS],
    "logical_xor": [(a, b, p != q) for a, p in TRUTHS for b, q in TRUTHS],
}
