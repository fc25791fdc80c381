"""DirectML's activations, as operators and fused into other operators."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, TypeAlias

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
from dml_vk.errors import LayoutError
from dml_vk.kernels.operators import OPERATORS
from dml_vk.kernels.operators import Operator as Computed

if TYPE_CHECKING:
    from dml_vk.ops.view import View
    from dml_vk.tensor.core import Tensor

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


ActivationArgument: TypeAlias = tuple[str, dict[str, float]] | None  # as functions of nn take it


@dataclass(frozen=True, repr=False)
class FusedActivation:
    """An activation without tensors, which an operator applies to its result: `<class>.fused()`."""

    activation: type[ElementWise]
    numbers: tuple[float, ...]

    @property
    def argument(self) -> ActivationArgument:
        """The name and the parameters; None for the identity."""
        if self.activation is ActivationIdentity:
            return None
        return self.activation._of, dict(zip(self.activation.number_names(), self.numbers))

    def __repr__(self) -> str:
        names = self.activation.number_names()
        numbers = ", ".join([f"{name}={number!r}" for name, number in zip(names, self.numbers)])
        return f"{self.activation.__name__}.fused({numbers})"


def check_fused(what: str, fused: FusedActivation | None, *others: type[ElementWise]) -> None:
    """Check the field `fused_activation`, which may also be one of other operators."""
    kind = fused.activation if isinstance(fused, FusedActivation) else None
    if fused is None or (kind and (issubclass(kind, FusibleActivation) or kind in others)):
        return
    rule = "fused_activation must be None or the result of an activation's fused()"
    raise LayoutError(what, rule, fused_activation=fused)


def write_activated(
    what: str,
    fused: FusedActivation | None,
    x: Tensor,
    out: Tensor,
    write: Callable[[Tensor, ActivationArgument, Tensor], object],
) -> None:
    """Call `write` with x, the activation that it applies, and the output.

    A clip is no such activation: it is applied afterwards, to sums in float32.
    """
    if fused is None or issubclass(fused.activation, FusibleActivation):
        write(x, None if fused is None else fused.argument, out)
        return
    from dml_vk.nn.operands import sums_for
    from dml_vk.ops.elementwise import compute, converted
    from dml_vk.ops.numbers import float_words
    from dml_vk.tensor.core import Tensor

    sums = sums_for(what, out)
    write(Tensor(converted(what, x, float32)), None, sums)
    low, high = fused.numbers
    words = float_words(low, max(low, high))
    compute(what, OPERATORS[fused.activation._of], [sums], out, float32, words)


def add_activated(
    what: str, sources: list[View], target: View, fused: FusedActivation | None
) -> None:
    """Write an activation of the float32 sum of two sources, or the sum."""
    from dml_vk.kernels.elementwise import ADDED
    from dml_vk.ops.elementwise import compute
    from dml_vk.ops.numbers import float_words

    if fused is None:
        compute(what, OPERATORS["add"], sources, target, target.dtype)
    else:
        operator = _added(fused.activation._of)
        compute(what, operator, sources, target, target.dtype, float_words(*fused.numbers), ADDED)


@functools.cache
def _added(name: str) -> Computed:
    """The operator as computed by the activation kernel, which can add two sources first."""
    return replace(OPERATORS[name], family="activation")


class Activation(Unary):
    """An operator of one tensor and parameters."""


class FusibleActivation(Activation):
    """An activation that DirectML can fuse."""

    @classmethod
    def fused(cls, **numbers: float) -> FusedActivation:
        """Create the activation as a part of another operator.

        >>> from dml_vk.directml import ActivationElu
        >>> ActivationElu.fused(alpha=2)
        ActivationElu.fused(alpha=2.0)
        """
        what, names = f"{cls.__name__}.fused", cls.number_names()
        if not set(numbers) <= set(names):
            rule = (
                f"numbers must be among {', '.join(names)}" if names else "no numbers are allowed"
            )
            raise LayoutError(what, rule, **numbers)
        values = {
            field.name: field.default for field in fields(cls) if field.name in names
        } | numbers
        rounded = [held(what, name, DataType.FLOAT32, number) for name, number in values.items()]
        return FusedActivation(cls, tuple(rounded))


@dataclass(frozen=True, repr=False)
class ActivationCelu(FusibleActivation, of="celu", types=FLOATS):
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1))."""

    alpha: float = 1.0


@dataclass(frozen=True, repr=False)
class ActivationElu(FusibleActivation, of="elu", types=FLOATS):
    """x if x > 0, else alpha * (exp(x) - 1)."""

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

    def _compute(self, what: str, sources: list[View], target: View) -> None:
        copy_only(what, sources[0], target)


@dataclass(frozen=True, repr=False)
class ActivationLeakyRelu(FusibleActivation, of="leaky_relu", types=FLOATS):
    """alpha * x if x < 0, else x."""

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
        # For integers it is max(x, 0): the missing operand is a number, by default 0.
        return "relu" if common.kind == "f" else "maximum"


@dataclass(frozen=True, repr=False)
class ActivationScaledElu(FusibleActivation, of="scaled_elu", types=FLOATS):
    """gamma * x if x > 0, else gamma * alpha * (exp(x) - 1)."""

    alpha: float = 1.6732632
    gamma: float = 1.050701


@dataclass(frozen=True, repr=False)
class ActivationScaledTanh(FusibleActivation, of="scaled_tanh", types=FLOATS):
    """alpha * tanh(beta * x)."""

    alpha: float = 1.0
    beta: float = 1.0


@dataclass(frozen=True, repr=False)
class ActivationShrink(FusibleActivation, of="shrink", types=UP_TO_32_BITS):
    """x - bias if x > threshold, x + bias if x < -threshold, else 0.

    Integers are computed in float32 and truncated.
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
    """x if x > alpha, else 0."""

    alpha: float = 1.0


@dataclass(frozen=True, repr=False)
class ActivationParameterizedRelu(ElementWise, of="parameterized_relu", types=FLOATS + SIGNED[1:]):
    """slope * x if x < 0, else x."""

    input: BufferTensorDesc
    slope: BufferTensorDesc
    output: BufferTensorDesc

    _tensors = ("input", "slope", "output")


class ActivationReluGrad(Gradient, of="relu_grad", types=FLOATS):
    """The gradient where the input is greater than 0, else 0."""
