"""DirectML's elementwise operators of one tensor, except activations."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dml_vk.directml.activations import FusedActivation
from dml_vk.directml.descriptors import DataType
from dml_vk.directml.elementwise import (
    ALL,
    FLOATS,
    NUMBERS,
    SIGNED,
    TRUTHS,
    UP_TO_32_BITS,
    Bits,
    ScaledUnary,
    TypedBounds,
    Unary,
    copy_only,
    number_words,
)
from dml_vk.directml.operators import held
from dml_vk.dtypes import DType

if TYPE_CHECKING:
    from dml_vk.arguments import Ints
    from dml_vk.ops.view import View

__all__ = [
    "Cast",
    "ElementWiseACos",
    "ElementWiseACosh",
    "ElementWiseASin",
    "ElementWiseASinh",
    "ElementWiseATan",
    "ElementWiseATanh",
    "ElementWiseAbs",
    "ElementWiseBitCount",
    "ElementWiseBitNot",
    "ElementWiseCeil",
    "ElementWiseClip",
    "ElementWiseClip1",
    "ElementWiseConstantPow",
    "ElementWiseCos",
    "ElementWiseCosh",
    "ElementWiseErf",
    "ElementWiseExp",
    "ElementWiseFloor",
    "ElementWiseIdentity",
    "ElementWiseIsInfinity",
    "ElementWiseIsNaN",
    "ElementWiseLog",
    "ElementWiseLogicalNot",
    "ElementWiseNegate",
    "ElementWiseRecip",
    "ElementWiseRound",
    "ElementWiseSign",
    "ElementWiseSin",
    "ElementWiseSinh",
    "ElementWiseSqrt",
    "ElementWiseTan",
    "ElementWiseTanh",
    "ElementWiseThreshold",
    "IsInfinityMode",
    "RoundingMode",
]


class IsInfinityMode(enum.Enum):
    """Which infinities count, with DirectML's numbers."""

    EITHER = 0
    POSITIVE = 1
    NEGATIVE = 2


class RoundingMode(enum.Enum):
    """How to round to whole numbers, with DirectML's numbers.

    TOWARD_INFINITY, in spite of its name, also rounds to nearest, with halves away from zero.
    """

    HALVES_TO_NEAREST_EVEN = 0
    TOWARD_ZERO = 1
    TOWARD_INFINITY = 2


class ElementWiseAbs(ScaledUnary, of="abs", types=FLOATS + SIGNED):
    """The absolute value; the smallest integer stays as it is."""


class ElementWiseACos(ScaledUnary, of="acos", types=FLOATS):
    """The arc cosine."""


class ElementWiseACosh(ScaledUnary, of="acosh", types=FLOATS):
    """The inverse hyperbolic cosine."""


class ElementWiseASin(ScaledUnary, of="asin", types=FLOATS):
    """The arc sine."""


class ElementWiseASinh(ScaledUnary, of="asinh", types=FLOATS):
    """The inverse hyperbolic sine."""


class ElementWiseATan(ScaledUnary, of="atan", types=FLOATS):
    """The arc tangent."""


class ElementWiseATanh(ScaledUnary, of="atanh", types=FLOATS):
    """The inverse hyperbolic tangent."""


class ElementWiseCeil(ScaledUnary, of="ceil", types=FLOATS):
    """The smallest integer not less than x."""


class ElementWiseCos(ScaledUnary, of="cos", types=FLOATS):
    """The cosine."""


class ElementWiseCosh(ScaledUnary, of="cosh", types=FLOATS):
    """The hyperbolic cosine."""


class ElementWiseErf(ScaledUnary, of="erf", types=FLOATS):
    """The error function."""


class ElementWiseExp(ScaledUnary, of="exp", types=FLOATS):
    """e to the power of x."""


class ElementWiseFloor(ScaledUnary, of="floor", types=FLOATS):
    """The largest integer not greater than x."""


class ElementWiseLog(ScaledUnary, of="log", types=FLOATS):
    """The natural logarithm."""


class ElementWiseRecip(ScaledUnary, of="reciprocal", types=FLOATS):
    """1 / x."""


class ElementWiseSin(ScaledUnary, of="sin", types=FLOATS):
    """The sine."""


class ElementWiseSinh(ScaledUnary, of="sinh", types=FLOATS):
    """The hyperbolic sine."""


class ElementWiseSqrt(ScaledUnary, of="sqrt", types=FLOATS):
    """The square root."""


class ElementWiseTan(ScaledUnary, of="tan", types=FLOATS):
    """The tangent."""


class ElementWiseTanh(ScaledUnary, of="tanh", types=FLOATS):
    """The hyperbolic tangent."""


class ElementWiseIdentity(ScaledUnary, of="positive", types=ALL):
    """The same elements in another layout: DirectML's strided copy. It works in place too.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, ElementWiseIdentity
    >>> planar = BufferTensorDesc(DataType.FLOAT16, (2, 3, 4, 5))
    >>> interleaved = BufferTensorDesc(DataType.FLOAT16, (2, 3, 4, 5), (60, 1, 15, 3))
    >>> ElementWiseIdentity(planar, interleaved)
    ElementWiseIdentity(input=FLOAT16 (2, 3, 4, 5), output=FLOAT16 (2, 3, 4, 5) by (60, 1, 15, 3), \
scale_bias=None)
    """

    def _compute(self, what: str, sources: list[View], target: View) -> None:
        if self.scale_bias is not None:
            super()._compute(what, sources, target)
        else:
            copy_only(what, sources[0], target)


@dataclass(frozen=True, repr=False)
class ElementWiseConstantPow(ScaledUnary, of="pow", types=FLOATS):
    """x to a power."""

    exponent: float = field(kw_only=True)


@dataclass(frozen=True, repr=False)
class ElementWiseThreshold(ScaledUnary, of="maximum", types=UP_TO_32_BITS):
    """The greater of x and `min`. For integers the result is truncated, as if `min` were."""

    min: float = field(kw_only=True)

    def _words(self, what: str, common: DType) -> Ints:
        return number_words(what, common, self.min)


@dataclass(frozen=True, repr=False)
class ElementWiseClip(ScaledUnary, of="clip", types=NUMBERS):
    """max(min(x, `max`), `min`).

    For integers the result is truncated, as if the bounds were.
    """

    min: float = field(kw_only=True)
    max: float = field(kw_only=True)

    @staticmethod
    def fused(*, min: float, max: float) -> FusedActivation:
        """Create it as a part of `Convolution` or `Gemm`, without tensors.

        >>> from dml_vk.directml import ElementWiseClip
        >>> ElementWiseClip.fused(min=0, max=6)
        ElementWiseClip.fused(min=0.0, max=6.0)
        """
        numbers = [
            held("ElementWiseClip.fused", name, DataType.FLOAT32, number)
            for name, number in (("min", min), ("max", max))
        ]
        return FusedActivation(ElementWiseClip, tuple(numbers))

    def _words(self, what: str, common: DType) -> Ints:
        # The kernel computes min(max(x, min), max), which differs if min > max.
        most = self.min if self.min > self.max else self.max
        return number_words(what, common, self.min, most)


@dataclass(frozen=True, repr=False)
class ElementWiseClip1(TypedBounds, ElementWiseClip, of="clip", types=NUMBERS):
    """The same with bounds of the tensors' own type."""


class ElementWiseNegate(Unary, of="negative", types=FLOATS + SIGNED):
    """-x; the smallest integer stays as it is."""


class ElementWiseSign(Unary, of="sign", types=NUMBERS):
    """-1, 0 or 1; NaN for NaN."""


@dataclass(frozen=True, repr=False)
class ElementWiseRound(Unary, of="round", types=FLOATS):
    """The nearest integer, or the next one towards zero."""

    rounding_mode: RoundingMode = RoundingMode.HALVES_TO_NEAREST_EVEN

    def _chosen(self, common: DType) -> str:
        return "trunc" if self.rounding_mode is RoundingMode.TOWARD_ZERO else "round"

    def _before(self) -> int:
        from dml_vk.kernels.elementwise import AWAY

        return AWAY if self.rounding_mode is RoundingMode.TOWARD_INFINITY else 0


class ElementWiseIsNaN(Unary, of="isnan", types=FLOATS, output=(DataType.UINT8,)):
    """1 for NaN, else 0."""


@dataclass(frozen=True, repr=False)
class ElementWiseIsInfinity(Unary, of="isinf", types=FLOATS, output=(DataType.UINT8,)):
    """1 for infinities, or for those of one sign, else 0."""

    infinity_mode: IsInfinityMode = IsInfinityMode.EITHER

    def _chosen(self, common: DType) -> str:
        signed = {IsInfinityMode.POSITIVE: "isposinf", IsInfinityMode.NEGATIVE: "isneginf"}
        return signed.get(self.infinity_mode, "isinf")


class ElementWiseLogicalNot(Unary, of="logical_not", types=TRUTHS):
    """1 for 0, else 0."""


class ElementWiseBitNot(Bits, Unary, of="bitwise_invert", types=ALL):
    """All bits inverted."""


class ElementWiseBitCount(Bits, Unary, of="bitwise_count", types=ALL, output=TRUTHS):
    """The number of bits that are 1."""


class Cast(Unary, of="cast", types=ALL, output=ALL):
    """The same number in another type, by the rules of `dml_vk.astype`."""

    def _common(self) -> DType:
        return self._read_as("output")
