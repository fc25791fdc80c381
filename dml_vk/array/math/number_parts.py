"""NumPy's functions of single numbers that are composed of the elementwise operators.

Exponents and significands are taken apart in float64, which holds all smaller floats exactly: so
subnormals are kept on every device.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp as exponential
from math import pi

from dml_vk.array.calls import whole
from dml_vk.array.creation.arrays import full
from dml_vk.array.data_types import result_type
from dml_vk.array.host_operands import upload_operands
from dml_vk.array.math.clipping import clip
from dml_vk.array.math.elementwise import (
    abs,
    add,
    astype,
    bitwise_and,
    bitwise_left_shift,
    bitwise_or,
    bitwise_right_shift,
    copysign,
    divide,
    equal,
    exp,
    floor_divide,
    greater,
    i0e,
    isfinite,
    isinf,
    less,
    logical_and,
    logical_or,
    multiply,
    negative,
    not_equal,
    pow,
    remainder,
    round,
    sin,
    subtract,
    trunc,
    where,
)
from dml_vk.dtypes import DTYPES, DType, float32, float64, int32, int64
from dml_vk.errors import ErrorsAs, LayoutError
from dml_vk.ops.view import with_dtype
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import (
    Operand,
    check_dtype,
    check_out,
    of_kinds,
    plain,
    to_tensor,
    to_tensors,
)

Pair = tuple[Tensor, Tensor]
_FIELD, _BIAS, _BITS = 0x7FF, 1023, 52  # of the exponent of a float64
_NORMAL = 54  # Subnormals times 2 to this are normal.


def fmax(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Return the larger elements; where one of two is NaN, the other.

    >>> import dml_vk
    >>> x = dml_vk.asarray([1.0, float("nan"), 5.0])
    >>> dml_vk.fmax(x, 3.0).tolist()
    [3.0, 3.0, 5.0]
    """
    return _extreme("fmax", less, x1, x2, out)


def fmin(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Return the smaller elements; where one of two is NaN, the other.

    >>> import dml_vk
    >>> x = dml_vk.asarray([1.0, float("nan"), 5.0])
    >>> dml_vk.fmin(x, 3.0).tolist()
    [1.0, 3.0, 3.0]
    """
    return _extreme("fmin", greater, x1, x2, out)


def _extreme(
    what: str, worse: Callable[..., Tensor], x1: Operand, x2: Operand, out: Tensor | None
) -> Tensor:
    first, second = _promoted(what, x1, x2)
    with ErrorsAs(what):
        changed = logical_or(worse(first, second), not_equal(first, first))
        # A NaN of the second operand is worse than any number.
        changed = logical_and(changed, equal(second, second))
        return where(changed, second, first, out=out)


def _promoted(what: str, *operands: Operand) -> list[Tensor]:
    """Convert numbers to tensors, of the dtype to which they promote with the others."""
    converted = upload_operands(what, *operands)
    near = to_tensors(what, converted)[0]
    return [
        operand
        if isinstance(operand, Tensor)
        else full((), plain(operand), result_type(near, operand), device=near.device)
        for operand in converted
    ]


def modf(x: Tensor, /, *, out: Pair | None = None) -> Pair:
    """Return the fractional and the integral parts, both with the sign of x.

    >>> import dml_vk
    >>> [one.tolist() for one in dml_vk.modf(dml_vk.asarray([2.5, -1.25]))]
    [[0.5, -0.25], [2.0, -1.0]]
    """
    what = "modf"
    x = _floats(what, x)
    targets = _pair(what, out, x, x.dtype)
    with ErrorsAs(what):
        whole = trunc(x)
        part = where(isinf(x), 0.0, subtract(x, whole))
        return copysign(part, x, out=targets[0]), _store_out(whole, targets[1])


def frexp(x: Tensor, /, *, out: Pair | None = None) -> Pair:
    """Return significands from 0.5 to 1, and exponents of 2, as int32: x is s * 2**n.

    Of 0, infinities and NaN the exponent is 0.

    >>> import dml_vk
    >>> [one.tolist() for one in dml_vk.frexp(dml_vk.asarray([8.0, -0.375]))]
    [[0.5, -0.75], [4, -1]]
    """
    what = "frexp"
    x = _floats(what, x)
    targets = _pair(what, out, x, int32)
    with ErrorsAs(what):
        wide = astype(x, float64, copy=False)
        small = equal(_exponent(wide), 0)
        wide = where(small, multiply(wide, 2.0**_NORMAL), wide)
        plain_numbers = logical_and(isfinite(wide), not_equal(wide, 0.0))
        exponent = subtract(_exponent(wide), _BIAS - 1)
        exponent = where(small, subtract(exponent, _NORMAL), exponent)
        bits = bitwise_and(_bits(wide), ~(_FIELD << _BITS))
        significand = _doubles(bitwise_or(bits, (_BIAS - 1) << _BITS))
        significand = where(plain_numbers, significand, wide)
        exponents = where(plain_numbers, exponent, 0)
        return (
            astype(significand, x.dtype, out=targets[0]),
            astype(exponents, int32, out=targets[1]),
        )


def ldexp(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Return x1 * 2**x2, for integers x2, rounded once.

    >>> import dml_vk
    >>> dml_vk.ldexp(dml_vk.asarray([0.5, -0.75]), dml_vk.asarray([4, -1])).tolist()
    [8.0, -0.375]
    """
    what = "ldexp"
    operands = upload_operands(what, x1, x2)
    near = to_tensors(what, operands)[0]
    x, n = [
        operand
        if isinstance(operand, Tensor)
        else full((), plain(operand), kind, device=near.device)
        for operand, kind in zip(operands, (float32, int64))
    ]
    check_dtype(what, n.dtype, of_kinds("iu"))
    x = _floats(what, x)
    with ErrorsAs(what):
        left = astype(clip(n, -2200, 2200), int64)
        scaled = astype(x, float64)
        # Only the last step may round: where the steps before give subnormals, that gives 0.
        for _ in range(2):
            step = where(less(left, -1022), -969, where(greater(left, 1023), 1023, 0))
            scaled = multiply(scaled, _power_of_two(step))
            left = subtract(left, step)
        power = _power_of_two(clip(left, -1022, 1023))
        if x.dtype is float64:
            return multiply(scaled, power, out=out)
        return astype(multiply(scaled, power), x.dtype, out=out)


def _power_of_two(n: Tensor) -> Tensor:
    return _doubles(bitwise_left_shift(add(n, _BIAS), _BITS))


def _exponent(x: Tensor) -> Tensor:
    """Return the field of the exponent."""
    return bitwise_and(bitwise_right_shift(_bits(x), _BITS), _FIELD)


def _bits(x: Tensor) -> Tensor:
    return Tensor(with_dtype(x, int64))


def _doubles(x: Tensor) -> Tensor:
    return Tensor(with_dtype(x, float64))


def gcd(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Return the greatest common divisors of integers, which are not negative; of 0 and 0 it is 0.

    By Euclid's algorithm, in as many rounds as the largest integers of the dtype take.

    >>> import dml_vk
    >>> dml_vk.gcd(dml_vk.asarray([12, -18, 0]), 30).tolist()
    [6, 6, 30]
    """
    what = "gcd"
    first, second = _integers(what, x1, x2)
    with ErrorsAs(what):
        return _store_out(_common_divisor(first, second), out)


def lcm(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Return the least common multiples of integers, which are not negative; with 0 it is 0.

    >>> import dml_vk
    >>> dml_vk.lcm(dml_vk.asarray([4, -6, 0]), 10).tolist()
    [20, 30, 0]
    """
    what = "lcm"
    first, second = _integers(what, x1, x2)
    with ErrorsAs(what):
        shared = _common_divisor(first, second)
        return multiply(floor_divide(abs(first), shared), abs(second), out=out)


def _integers(what: str, *operands: Operand) -> list[Tensor]:
    tensors = _promoted(what, *operands)
    common = result_type(*tensors)
    check_dtype(what, common, of_kinds("iu"))
    return [astype(x, common, copy=False) for x in tensors]


def _common_divisor(first: Tensor, second: Tensor) -> Tensor:
    bits = 8 * first.dtype.itemsize
    larger, smaller = abs(first), abs(second)
    # Neighbouring numbers of Fibonacci's take the most rounds: 1.4405 for each bit.
    for _ in range(int(1.4405 * bits) + 2):
        rest = remainder(larger, smaller)
        ended = equal(smaller, 0)
        larger, smaller = where(ended, larger, smaller), where(ended, 0, rest)
    return abs(larger)


def cbrt(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Return the cube roots, computed in float64.

    >>> import dml_vk
    >>> dml_vk.cbrt(dml_vk.asarray([27.0, -8.0])).tolist()
    [3.0, -2.0]
    """
    what = "cbrt"
    x = _floats(what, x)
    with ErrorsAs(what):
        wide = abs(astype(x, float64, copy=False))
        root = pow(wide, 1 / 3)
        # One step of Newton's method, since 1 / 3 is rounded.
        error = divide(subtract(root, divide(wide, multiply(root, root))), 3.0)
        root = where(isfinite(error), subtract(root, error), wide)
        return astype(copysign(root, x), x.dtype, out=out)


def sinc(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Return sin(pi * x) / (pi * x), which is 1 at 0, and exactly 0 at all other whole numbers.

    In float64 it is within 3 ULP; other floats are rounded once from that.

    >>> import dml_vk
    >>> dml_vk.sinc(dml_vk.asarray([0.0, 0.5])).tolist()
    [1.0, 0.6366197466850281]
    """
    what = "sinc"
    x = _floats(what, x)
    with ErrorsAs(what):
        result: Tensor = whole(_sinc, (x,), out)
        return result


def _sinc(operands: Sequence[Tensor], out: Tensor | None) -> Tensor:
    (x,) = operands
    wide = astype(x, float64, copy=False)
    nearest = round(wide)
    # What is left is exact, so the sine is that of pi times x, not of the rounded product.
    sine = sin(multiply(subtract(wide, nearest), pi))
    turned = multiply(where(equal(remainder(nearest, 2.0), 0.0), wide, negative(wide)), pi)
    quotient = where(equal(wide, 0.0), 1.0, divide(sine, turned))
    return astype(quotient, x.dtype, out=out)


def i0(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Return the modified Bessel function of the first kind, of order 0: i0e(x) * exp(abs(x)).

    In float64 it is within 3 ULP, up to where it exceeds the largest number, at 713.98; other
    floats are rounded once from that.

    >>> import dml_vk
    >>> dml_vk.i0(dml_vk.asarray([0.0, 1.0])).tolist()
    [1.0, 1.2660658359527588]
    """
    what = "i0"
    x = _floats(what, x)
    with ErrorsAs(what):
        wide = abs(astype(x, float64, copy=False))
        # The exponential overflows before the product: of large numbers it is taken in two steps.
        large = greater(wide, 700.0)
        value = multiply(i0e(wide), exp(where(large, subtract(wide, 64.0), wide)))
        value = where(large, multiply(value, exponential(64)), value)
        return astype(where(isinf(wide), wide, value), x.dtype, out=out)


def degrees(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Convert radians to degrees.

    >>> import dml_vk
    >>> dml_vk.degrees(dml_vk.asarray([0.0, dml_vk.pi])).tolist()
    [0.0, 180.0]
    """
    return _scaled("degrees", x, 180 / pi, out)


def fabs(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Return absolute values as floats: integers give float32.

    >>> import dml_vk
    >>> dml_vk.fabs(dml_vk.asarray([-2, 3])).tolist()
    [2.0, 3.0]
    """
    x = _floats("fabs", x)
    with ErrorsAs("fabs"):
        return abs(x, out=out)


def radians(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Convert degrees to radians.

    >>> import dml_vk
    >>> dml_vk.radians(dml_vk.asarray([0.0, 180.0])).tolist()
    [0.0, 3.1415927410125732]
    """
    return _scaled("radians", x, pi / 180, out)


def _scaled(what: str, x: Tensor, factor: float, out: Tensor | None) -> Tensor:
    x = _floats(what, x)
    with ErrorsAs(what):
        return astype(multiply(astype(x, float64, copy=False), factor), x.dtype, out=out)


def _floats(what: str, x: Tensor) -> Tensor:
    """Return real numbers as floats: integers and bools as float32."""
    x = to_tensor(what, "x", x)
    check_dtype(what, x.dtype, [dtype for dtype in DTYPES.values() if dtype.kind != "c"])
    return x if x.dtype.kind == "f" else astype(x, float32)


def _pair(
    what: str, out: Pair | None, x: Tensor, second: DType
) -> tuple[Tensor | None, Tensor | None]:
    """Check the two tensors of `out`, if they are given."""
    if out is None:
        return None, None
    if not isinstance(out, tuple) or len(out) != 2:
        raise LayoutError(what, "out must be a pair of tensors", out=type(out).__name__)
    first, other = out
    return check_out(what, first, x.shape, x.dtype, x), check_out(what, other, x.shape, second, x)


def _store_out(result: Tensor, out: Tensor | None) -> Tensor:
    return result if out is None else astype(result, result.dtype, out=out)
