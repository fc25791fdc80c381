"""DirectML's division by norms: of regions around each element, with its gradient, and of axes."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from dml_vk.directml.descriptors import BufferTensorDesc, DataType
from dml_vk.directml.elementwise import FLOATS
from dml_vk.directml.fields import MOST_INT, OverTensors
from dml_vk.directml.rounding import widened, write_rounded

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor

__all__ = ["LocalResponseNormalization", "LocalResponseNormalizationGrad", "LpNormalization"]


class Responses(OverTensors):
    """What the normalization and its gradient share."""

    input: BufferTensorDesc
    cross_channel: bool
    local_size: int
    alpha: float
    beta: float
    bias: float

    def _check(self) -> None:
        self._check_ranks((4,), "4", "input")
        for name in self._tensors[1:]:
            self._check_sizes(name, self.input.sizes)
        self._hold_flag("cross_channel")
        self._hold_int("local_size", 1, MOST_INT)
        for name in ("alpha", "beta", "bias"):
            self._hold(name, DataType.FLOAT32)

    def _turned(self, *tensors: Tensor) -> list[Tensor]:
        """View tensors such that regions extend as far to the beginning as those of functions."""
        if self.local_size % 2:
            return list(tensors)
        dims = (1,) if self.cross_channel else (2, 3)
        return [x.over(x.layout.flip(*dims)) for x in tensors]


@dataclass(frozen=True, repr=False)
class LocalResponseNormalization(Responses, types=FLOATS):
    """input / (bias + alpha / local_size * the sum of squares in the region of it) ** beta.

    With `cross_channel` a region is `local_size` channels, otherwise as many elements along both H
    and W. An even size extends one further to the end. What is outside of the input counts as 0.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, LocalResponseNormalization
    >>> x = BufferTensorDesc(DataType.FLOAT32, (1, 8, 4, 4))
    >>> LocalResponseNormalization(x, x, cross_channel=True, local_size=5).beta
    0.75
    """

    input: BufferTensorDesc
    output: BufferTensorDesc
    _: KW_ONLY
    cross_channel: bool
    local_size: int
    alpha: float = 1e-4
    beta: float = 0.75
    bias: float = 1.0

    _tensors = ("input", "output")

    def _compute(self, x: Tensor, out: Tensor) -> None:
        from dml_vk.nn import local_response_norm

        x, out = self._turned(x, out)
        local_response_norm(
            *(x, self.local_size),
            alpha=self.alpha,
            beta=self.beta,
            k=self.bias,
            cross_channel=self.cross_channel,
            out=out,
        )


@dataclass(frozen=True, repr=False)
class LocalResponseNormalizationGrad(Responses, types=FLOATS):
    """The gradient of LocalResponseNormalization; sums have the order of AveragePooling.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, LocalResponseNormalizationGrad
    >>> x = BufferTensorDesc(DataType.FLOAT32, (1, 8, 4, 4))
    >>> LocalResponseNormalizationGrad(x, x, x, cross_channel=True, local_size=5).bias
    1.0
    """

    input: BufferTensorDesc
    input_gradient: BufferTensorDesc
    output_gradient: BufferTensorDesc
    _: KW_ONLY
    cross_channel: bool
    local_size: int
    alpha: float = 1e-4
    beta: float = 0.75
    bias: float = 1.0

    _tensors = ("input", "input_gradient", "output_gradient")

    def _compute(self, x: Tensor, gradient: Tensor, out: Tensor) -> None:
        from dml_vk.gradients.rules.images import response_gradient

        *operands, out = self._turned(x, gradient, out)
        x, gradient = widened(*operands)
        numbers = self.local_size, self.alpha, self.beta, self.bias, self.cross_channel
        write_rounded(self._what, (response_gradient(x, gradient, *numbers), out))


@dataclass(frozen=True, repr=False)
class LpNormalization(OverTensors, types=FLOATS):
    """Divide by the norm along an axis, or by epsilon if that is larger."""

    input: BufferTensorDesc
    output: BufferTensorDesc
    _: KW_ONLY
    axis: int
    epsilon: float = 1e-5
    p: int = 2

    _tensors = ("input", "output")

    def _check(self) -> None:
        self._check_sizes("output", self.input.sizes)
        self._hold_axis("axis", self.input.dimension_count)
        self._hold_epsilon()
        self._hold_int("p", 1, 2)

    def _compute(self, x: Tensor, out: Tensor) -> None:
        from dml_vk.nn import normalize

        normalize(x, p=self.p, axis=self.axis, eps=self.epsilon, out=out)
