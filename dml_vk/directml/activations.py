"""DirectML's activations, also as what another operator does to its result."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from dml_vk.directml.descriptors import BufferTensorDesc, DataType
from dml_vk.directml.elementwise import (
    FLOATS,
    SIGNED,
    UP_TO_32_BITS,
    ElementWise,
    Gradient,
    Unary,
    copy_only,
)
from dml_vk.directml.operators import held
from dml_vk.dtypes import DType, float32
from dml_vk.errors import LayoutError, explain

if TYPE_CHECKING:
    from dml_vk.ops.elementwise import Typed

__all__ = [
    "ActivationCelu",
    "ActivationElu",
    "ActivationGelu",
    "ActivationHardSigmoid",
    "ActivationHardSwish",
    "ActivationIdentity",
    "ActivationLeakyRelu",
    "ActivationLinear",
    "ActivationParameterizedRelu",
    "ActivationParametricSoftplus",
    "ActivationRelu",
    "ActivationReluGrad",
    "ActivationScaledElu",
    "ActivationScaledTanh",
    "ActivationShrink",
    "ActivationSigmoid",
    "ActivationSoftplus",
    "ActivationSoftsign",
    "ActivationSwish",
    "ActivationTanh",
    "ActivationThresholdedRelu",
    "FusedActivation",
]


@dataclass(frozen=True, repr=False)
class FusedActivation:
    """An activation without tensors, which an operator does to its result: `<class>.fused()`."""

    activation: type[Activation]
    numbers: tuple[float, ...]

    def __repr__(self) -> str:
        names = self.activation.number_names()
        told = ", ".join([f"{name}={number!r}" for name, number in zip(names, self.numbers)])
        return f"{self.activation.__name__}.fused({told})"


class Activation(Unary):
    """Of one tensor, and numbers."""


class FusibleActivation(Activation):
    """One of those that DirectML fuses."""

    @classmethod
    def fused(cls, **numbers: float) -> FusedActivation:
        """The activation as a part of another operator.

        >>> from dml_vk.directml import ActivationElu
        >>> ActivationElu.fused(alpha=2)
        ActivationElu.fused(alpha=2.0)
        """
        what, names = f"{cls.__name__}.fused", cls.number_names()
        if not set(numbers) <= set(names):
            must = (
                f"numbers must be among {', '.join(names)}" if names else "there must be no numbers"
            )
            raise LayoutError(explain(what, must, **numbers))
        told = {one.name: one.default for one in fields(cls) if one.name in names} | numbers
        kept = [held(what, name, DataType.FLOAT32, number) for name, number in told.items()]
        return FusedActivation(cls, tuple(kept))


@dataclass(frozen=True, repr=False)
class ActivationCelu(FusibleActivation, of="celu", types=FLOATS):
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1))."""

    alpha: float = 1.0


@dataclass(frozen=True, repr=False)
class ActivationElu(FusibleActivation, of="elu", types=FLOATS):
    """x above 0, and else alpha * (exp(x) - 1)."""

    alpha: float = 1.0


class ActivationGelu(FusibleActivation, of="gelu", types=FLOATS):
    """x * (1 + erf(x / sqrt(2))) / 2."""


@dataclass(frozen=True, repr=False)
class ActivationHardSigmoid(FusibleActivation, of="hard_sigmoid", types=FLOATS):
    """max(0, min(alpha * x + beta, 1))."""

    alpha: float = 0.2
    beta: float = 0.5


@dataclass(frozen=True, repr=False)
class ActivationHardSwish(Activation, of="hard_swish", types=FLOATS):
    """x * max(0, min(alpha * x + beta, 1))."""

    alpha: float = 1 / 6
    beta: float = 0.5


class ActivationIdentity(FusibleActivation, of="positive", types=FLOATS):
    """x."""

    def _compute(self, what: str, sources: list[Typed], target: Typed) -> None:
        copy_only(what, sources[0], target)


@dataclass(frozen=True, repr=False)
class ActivationLeakyRelu(FusibleActivation, of="leaky_relu", types=FLOATS):
    """alpha * x below 0, and else x."""

    alpha: float = 0.01


@dataclass(frozen=True, repr=False)
class ActivationLinear(FusibleActivation, of="linear", types=FLOATS):
    """alpha * x + beta."""

    alpha: float = 1.0
    beta: float = 0.0


@dataclass(frozen=True, repr=False)
class ActivationParametricSoftplus(FusibleActivation, of="parametric_softplus", types=FLOATS):
    """alpha * ln(1 + exp(beta * x))."""

    alpha: float = 1.0
    beta: float = 1.0


class ActivationRelu(FusibleActivation, of="relu", types=FLOATS + SIGNED[1:]):
    """max(0, x)."""

    def _chosen(self, common: DType) -> str:
        # Of integers it is the greater of x and a number that is told, which is 0 if none is.
        return "relu" if common.kind == "f" else "maximum"


@dataclass(frozen=True, repr=False)
class ActivationScaledElu(FusibleActivation, of="scaled_elu", types=FLOATS):
    """gamma * x above 0, and else gamma * alpha * (exp(x) - 1)."""

    alpha: float = 1.6732632
    gamma: float = 1.050701


@dataclass(frozen=True, repr=False)
class ActivationScaledTanh(FusibleActivation, of="scaled_tanh", types=FLOATS):
    """alpha * tanh(beta * x)."""

    alpha: float = 1.0
    beta: float = 1.0


@dataclass(frozen=True, repr=False)
class ActivationShrink(FusibleActivation, of="shrink", types=UP_TO_32_BITS):
    """x - bias above the threshold, x + bias below its negative, and 0 between.

    Integers are computed in float32, and cut to integers.
    """

    bias: float = 0.0
    threshold: float = 0.5

    def _common(self) -> DType:
        return float32


class ActivationSigmoid(FusibleActivation, of="sigmoid", types=FLOATS):
    """1 / (1 + exp(-x))."""


@dataclass(frozen=True, repr=False)
class ActivationSoftplus(FusibleActivation, of="softplus", types=FLOATS):
    """ln(1 + exp(steepness * x)) / steepness."""

    steepness: float = 1.0


class ActivationSoftsign(FusibleActivation, of="softsign", types=FLOATS):
    """x / (1 + abs(x))."""


@dataclass(frozen=True, repr=False)
class ActivationSwish(Activation, of="swish", types=FLOATS):
    """x / (1 + exp(-sigmoid_input_scale * x))."""

    sigmoid_input_scale: float = 1.0


class ActivationTanh(FusibleActivation, of="tanh", types=FLOATS):
    """The hyperbolic tangent."""


@dataclass(frozen=True, repr=False)
class ActivationThresholdedRelu(FusibleActivation, of="thresholded_relu", types=FLOATS):
    """x above alpha, and else 0."""

    alpha: float = 1.0


@dataclass(frozen=True, repr=False)
class ActivationParameterizedRelu(ElementWise, of="parameterized_relu", types=FLOATS + SIGNED[1:]):
    """slope * x below 0, and else x."""

    input: BufferTensorDesc
    slope: BufferTensorDesc
    output: BufferTensorDesc

    _tensors = ("input", "slope", "output")


class ActivationReluGrad(Gradient, of="relu_grad", types=FLOATS):
    """The gradient where the input is above 0, and else 0."""
