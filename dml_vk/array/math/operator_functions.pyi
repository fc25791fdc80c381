# Made by `python -m tests.made_files`. There is no such module at run time.
"""What type checkers know of the functions that `elementwise` makes out of the operators' table."""

from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import Operand

def abs(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The absolute value; the smallest signed integer is unchanged."""

def acos(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The arc cosine in radians; NaN outside [-1, 1]."""

def acosh(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The inverse hyperbolic cosine; NaN below 1."""

def add(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """x1 + x2; logical or of bools."""

def asin(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The arc sine in radians; NaN outside [-1, 1]."""

def asinh(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The inverse hyperbolic sine."""

def atan(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The arc tangent in radians."""

def atan2(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """The angle in radians of the point (x2, x1), from the positive x axis."""

def atanh(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The inverse hyperbolic tangent; NaN outside [-1, 1]."""

def bitwise_and(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """The bitwise and of x1 and x2."""

def bitwise_count(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The number of ones in the bits of the magnitude."""

def bitwise_invert(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """All bits inverted; logical not of bools."""

def bitwise_left_shift(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """x1 shifted left by x2 bits; 0 if x2 is negative or at least the width."""

def bitwise_or(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """The bitwise or of x1 and x2."""

def bitwise_right_shift(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """x1 shifted right by x2 bits, keeping its sign; 0 or -1 if x2 is negative or at least the
    width.
    """

def bitwise_xor(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """The bitwise exclusive or of x1 and x2."""

def ceil(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The smallest whole number greater than or equal to x."""

def celu(x: Tensor, /, alpha: float = 1.0, *, out: Tensor | None = None) -> Tensor:
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1))."""

def copysign(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """The magnitude of x1 with the sign of x2."""

def cos(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The cosine of an angle in radians."""

def cosh(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic cosine."""

def difference_square(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """(x1 - x2) * (x1 - x2)."""

def digamma(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The derivative of the logarithm of the gamma function."""

def divide(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """x1 / x2, computed in floats."""

def elu(x: Tensor, /, alpha: float = 1.0, *, out: Tensor | None = None) -> Tensor:
    """x if x > 0, else alpha * (exp(x) - 1)."""

def equal(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Whether x1 == x2."""

def erf(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The error function."""

def erfc(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """1 - erf(x), accurate also where it is small."""

def exp(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """e to the power of x."""

def exp2(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """2 to the power of x."""

def expm1(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """exp(x) - 1, accurate also near 0."""

def floor(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The greatest whole number less than or equal to x."""

def floor_divide(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """The quotient, rounded down; 0 if x2 is an integer 0."""

def fmod(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """The remainder of the division rounded towards zero, with the sign of x1."""

def gammaln(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the magnitude of the gamma function."""

def gelu(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """x * (1 + erf(x / sqrt(2))) / 2."""

def greater(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Whether x1 > x2."""

def greater_equal(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Whether x1 >= x2."""

def hard_sigmoid(
    x: Tensor,
    /,
    alpha: float = 0.2,
    beta: float = 0.5,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """max(0, min(alpha * x + beta, 1))."""

def hard_swish(
    x: Tensor,
    /,
    alpha: float = 0.16666667,
    beta: float = 0.5,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """x * max(0, min(alpha * x + beta, 1))."""

def heaviside(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """0 where x1 < 0, x2 where it is 0, and 1 above; NaN where x1 is."""

def hypot(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """sqrt(x1 * x1 + x2 * x2), without intermediate overflow."""

def i0e(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind of order 0, times exp(-|x|)."""

def i1e(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind of order 1, times exp(-|x|)."""

def isfinite(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Whether x is neither infinite nor NaN."""

def isinf(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Whether x is positive or negative infinity."""

def isnan(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Whether x is NaN."""

def isneginf(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Whether x is negative infinity."""

def isposinf(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Whether x is positive infinity."""

def leaky_relu(x: Tensor, /, alpha: float = 0.01, *, out: Tensor | None = None) -> Tensor:
    """alpha * x if x < 0, else x."""

def less(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Whether x1 < x2."""

def less_equal(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Whether x1 <= x2."""

def linear(
    x: Tensor,
    /,
    alpha: float = 1.0,
    beta: float = 0.0,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """alpha * x + beta."""

def log(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The natural logarithm; NaN for negative numbers."""

def log10(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to base 10; NaN for negative numbers."""

def log1p(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """log(1 + x), accurate also near 0."""

def log2(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to base 2; NaN for negative numbers."""

def logaddexp(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """log(exp(x1) + exp(x2)), without intermediate overflow."""

def logical_and(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Whether both x1 and x2 are true (not 0)."""

def logical_not(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Whether x is 0."""

def logical_or(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Whether x1 or x2 is true (not 0), or both."""

def logical_xor(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Whether exactly one of x1 and x2 is true (not 0)."""

def maximum(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """The greater of x1 and x2; NaN if either is NaN."""

def mean_of_two(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """(x1 + x2) / 2."""

def minimum(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """The lesser of x1 and x2; NaN if either is NaN."""

def multiply(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """x1 * x2; logical and of bools."""

def negative(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """-x."""

def nextafter(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """The next float after x1 towards x2."""

def not_equal(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Whether x1 != x2."""

def parameterized_relu(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """x1 * x2 if x1 < 0, else x1."""

def parametric_softplus(
    x: Tensor,
    /,
    alpha: float = 1.0,
    beta: float = 1.0,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """alpha * log(1 + exp(beta * x))."""

def positive(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """A copy of x."""

def pow(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """x1 to the power of x2; integers wrap."""

def reciprocal(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """1 / x."""

def relu(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """max(0, x)."""

def relu_grad(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """The gradient x2 if x1 > 0, else 0."""

def remainder(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """The remainder of the division rounded down, with the sign of x2."""

def round(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The nearest whole number; halves are rounded to even. Of complex numbers, each part."""

def rsqrt(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """1 / sqrt(x)."""

def scaled_elu(
    x: Tensor,
    /,
    alpha: float = 1.6732632,
    gamma: float = 1.050701,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """gamma * x if x > 0, else gamma * alpha * (exp(x) - 1)."""

def scaled_tanh(
    x: Tensor,
    /,
    alpha: float = 1.0,
    beta: float = 1.0,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """alpha * tanh(beta * x)."""

def shrink(
    x: Tensor,
    /,
    bias: float = 0.0,
    threshold: float = 0.5,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """x - bias if x > threshold, x + bias if x < -threshold, else 0."""

def sigmoid(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """1 / (1 + exp(-x))."""

def sign(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """-1, 0 or 1 if x is negative, zero or positive, NaN if NaN; x / abs(x) if complex."""

def signbit(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Whether the sign bit is set: true for negative numbers and -0.0."""

def sin(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The sine of an angle in radians."""

def sinh(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic sine."""

def softplus(x: Tensor, /, steepness: float = 1.0, *, out: Tensor | None = None) -> Tensor:
    """log(1 + exp(steepness * x)) / steepness."""

def softsign(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """x / (1 + abs(x))."""

def sqrt(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The square root; NaN for negative numbers."""

def square(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """x * x."""

def subtract(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """x1 - x2."""

def swish(x: Tensor, /, sigmoid_input_scale: float = 1.0, *, out: Tensor | None = None) -> Tensor:
    """x / (1 + exp(-sigmoid_input_scale * x))."""

def tan(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The tangent of an angle in radians."""

def tanh(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic tangent."""

def thresholded_relu(x: Tensor, /, alpha: float = 1.0, *, out: Tensor | None = None) -> Tensor:
    """x if x > alpha, else 0."""

def trunc(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """x without its fractional part: rounded towards zero."""

def trunc_divide(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """The quotient of integers, rounded towards zero; 0 if x2 is 0."""

def xlogy(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """x1 * log(x2), and 0 where x1 is 0 unless x2 is NaN."""
