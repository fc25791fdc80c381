"""DirectML's elementwise operators of two and three tensors, except activations."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dml_vk.directml.activations import FusedActivation, add_activated, check_fused
from dml_vk.directml.descriptors import BufferTensorDesc, DataType
from dml_vk.directml.elementwise import (
    ALL,
    FLOATS,
    NUMBERS,
    OF_32_BITS,
    TRUTHS,
    UNSIGNED,
    UP_TO_32_BITS,
    Binary,
    Bits,
    ElementWise,
    Gradient,
    ScaleBias,
    TypedBounds,
    check_scale_bias,
    copy_only,
    limits,
    number_words,
    whole,
)
from dml_vk.dtypes import DType, float32, int32, uint8, uint32
from dml_vk.kernels.operators import OPERATORS

if TYPE_CHECKING:
    from dml_vk.arguments import Ints
    from dml_vk.ops.view import View

__all__ = [
    "ElementWiseATanYX",
    "ElementWiseAdd",
    "ElementWiseAdd1",
    "ElementWiseBitAnd",
    "ElementWiseBitOr",
    "ElementWiseBitShiftLeft",
    "ElementWiseBitShiftRight",
    "ElementWiseBitXor",
    "ElementWiseClipGrad",
    "ElementWiseClipGrad1",
    "ElementWiseDifferenceSquare",
    "ElementWiseDivide",
    "ElementWiseIf",
    "ElementWiseLogicalAnd",
    "ElementWiseLogicalEquals",
    "ElementWiseLogicalGreaterThan",
    "ElementWiseLogicalGreaterThanOrEqual",
    "ElementWiseLogicalLessThan",
    "ElementWiseLogicalLessThanOrEqual",
    "ElementWiseLogicalOr",
    "ElementWiseLogicalXor",
    "ElementWiseMax",
    "ElementWiseMean",
    "ElementWiseMin",
    "ElementWiseModulusFloor",
    "ElementWiseModulusTruncate",
    "ElementWiseMultiply",
    "ElementWisePow",
    "ElementWiseSubtract",
]


class ElementWiseAdd(Binary, of="add", types=NUMBERS):
    """a + b."""


@dataclass(frozen=True, repr=False)
class ElementWiseAdd1(Binary, of="add", types=FLOATS):
    """a + b, or an activation of it, applied to the float32 sum before it is rounded.

    >>> from dml_vk.directml import ActivationRelu, BufferTensorDesc, DataType, ElementWiseAdd1
    >>> x = BufferTensorDesc(DataType.FLOAT16, (2, 3))
    >>> ElementWiseAdd1(x, x, x, ActivationRelu.fused()).fused_activation
    ActivationRelu.fused()
    """

    fused_activation: FusedActivation | None = None

    def _check_attributes(self) -> None:
        check_fused(self._what, self.fused_activation)

    def _compute(self, what: str, sources: list[View], target: View) -> None:
        if self.fused_activation is None:
            super()._compute(what, sources, target)
        else:
            add_activated(what, sources, target, self.fused_activation)


class ElementWiseSubtract(Binary, of="subtract", types=NUMBERS):
    """a - b."""


class ElementWiseMultiply(Binary, of="multiply", types=NUMBERS):
    """a * b."""


class ElementWiseDivide(Binary, of="divide", types=NUMBERS):
    """a / b; for integers truncated, and 0 where b is 0."""

    def _chosen(self, common: DType) -> str:
        return "divide" if common.kind == "f" else "trunc_divide"


class ElementWiseModulusFloor(Binary, of="remainder", types=NUMBERS):
    """The remainder of the division rounded down; it has the sign of b."""


class ElementWiseModulusTruncate(Binary, of="fmod", types=NUMBERS):
    """The remainder of the truncated division; it has the sign of a."""


class ElementWiseMax(Binary, of="maximum", types=NUMBERS):
    """The greater of a and b; NaN if either is NaN."""


class ElementWiseMin(Binary, of="minimum", types=NUMBERS):
    """The lesser of a and b; NaN if either is NaN."""


class ElementWiseMean(Binary, of="mean_of_two", types=OF_32_BITS):
    """(a + b) / 2; for integers exact, then truncated."""


class ElementWiseDifferenceSquare(Binary, of="difference_square", types=OF_32_BITS):
    """(a - b) * (a - b)."""


class ElementWiseATanYX(Binary, of="atan2", types=FLOATS):
    """The angle of the point with a as its y and b as its x."""


@dataclass(frozen=True, repr=False)
class ElementWisePow(ElementWise, of="pow", types=UP_TO_32_BITS, exponent=UP_TO_32_BITS):
    """The input to the power of the exponent, which may have another type.

    Powers of integers with integer exponents wrap. Powers of integers with float exponents are
    computed in float32 and truncated.
    """

    input: BufferTensorDesc
    exponent: BufferTensorDesc
    output: BufferTensorDesc
    scale_bias: ScaleBias | None = None

    _tensors = ("input", "exponent", "output")

    def _check_attributes(self) -> None:
        check_scale_bias(self, self.scale_bias, self._data_type)

    def _scale_bias(self) -> ScaleBias | None:
        return self.scale_bias

    def _common(self) -> DType:
        base, exponent = self._read_as("input"), self._read_as("exponent")
        if base.kind == "f":
            return base
        # Wrapped powers have the same bits for signed and unsigned bases, but not exponents.
        return {"f": float32, "i": int32, "u": uint32}[exponent.kind]


class ElementWiseBitAnd(Bits, Binary, of="bitwise_and", types=ALL):
    """The bitwise and."""


class ElementWiseBitOr(Bits, Binary, of="bitwise_or", types=ALL):
    """The bitwise or."""


class ElementWiseBitXor(Bits, Binary, of="bitwise_xor", types=ALL):
    """The bitwise exclusive or."""


class ElementWiseBitShiftLeft(Binary, of="bitwise_left_shift", types=UNSIGNED):
    """a shifted left by b bits; 0 if b is the width of the type or more."""


class ElementWiseBitShiftRight(Binary, of="bitwise_right_shift", types=UNSIGNED):
    """a shifted right by b bits; 0 if b is the width of the type or more."""


class ElementWiseLogicalAnd(Binary, of="logical_and", types=TRUTHS):
    """1 where neither is 0, else 0."""


class ElementWiseLogicalOr(Binary, of="logical_or", types=TRUTHS):
    """0 where both are 0, else 1."""


class ElementWiseLogicalXor(Binary, of="logical_xor", types=TRUTHS):
    """1 where exactly one of them is 0, else 0."""


class ElementWiseLogicalEquals(Binary, of="equal", types=NUMBERS, output=TRUTHS):
    """1 where a == b, else 0."""


class ElementWiseLogicalGreaterThan(Binary, of="greater", types=NUMBERS, output=TRUTHS):
    """1 where a > b, else 0."""


class ElementWiseLogicalGreaterThanOrEqual(
    Binary, of="greater_equal", types=NUMBERS, output=TRUTHS
):
    """1 where a >= b, else 0."""


class ElementWiseLogicalLessThan(Binary, of="less", types=NUMBERS, output=TRUTHS):
    """1 where a < b, else 0."""


class ElementWiseLogicalLessThanOrEqual(Binary, of="less_equal", types=NUMBERS, output=TRUTHS):
    """1 where a <= b, else 0."""


@dataclass(frozen=True, repr=False)
class ElementWiseIf(ElementWise, of="where", types=ALL, condition=(DataType.UINT8,)):
    """a where the condition is not 0, else b."""

    condition: BufferTensorDesc
    a: BufferTensorDesc
    b: BufferTensorDesc
    output: BufferTensorDesc

    _tensors = ("condition", "a", "b", "output")


@dataclass(frozen=True, repr=False)
class ElementWiseClipGrad(Gradient, of="clip_grad", types=NUMBERS):
    """The gradient where min < input < max, else 0; 0 where the input is NaN."""

    min: float = field(kw_only=True)
    max: float = field(kw_only=True)

    def _bounds(self, common: DType) -> tuple[float, float]:
        if common.kind == "f":
            return self.min, self.max
        # For integers, x > min is the same as x > floor(min), and x < max as x < ceil(max).
        return whole(self.min, common, math.floor), whole(self.max, common, math.ceil)

    def _words(self, what: str, common: DType) -> Ints:
        return number_words(what, common, *self._bounds(common))

    def _compute(self, what: str, sources: list[View], target: View) -> None:
        from dml_vk.ops.elementwise import compute
        from dml_vk.ops.view import temporary_like

        common, (x, gradient) = self._common(), sources
        least, greatest = (-math.inf, math.inf) if common.kind == "f" else limits(common)
        # A bound outside the integer range excludes nothing. Clamping it to the range would exclude
        # the extreme integer, since the comparison is strict.
        unbounded = self.min < least, self.max > greatest
        if all(unbounded):
            copy_only(what, gradient, target)
        elif any(unbounded):
            name, bound = ("less", 1) if unbounded[0] else ("greater", 0)
            inside = temporary_like(what, target, uint8)
            words = number_words(what, common, self._bounds(common)[bound])
            compute(what, OPERATORS[name], [x, None], inside, common, words)
            compute(what, OPERATORS["where"], [inside, gradient, None], target, target.dtype)
        else:
            super()._compute(what, sources, target)


@dataclass(frozen=True, repr=False)
class ElementWiseClipGrad1(TypedBounds, ElementWiseClipGrad, of="clip_grad", types=NUMBERS):
    """The same with bounds of the tensors' own type."""
