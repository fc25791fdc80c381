"""DirectML's normalizations by the mean and the variance over axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from dml_vk.arguments import Ints
from dml_vk.directml.activations import FusedActivation
from dml_vk.directml.descriptors import BufferTensorDesc
from dml_vk.directml.elementwise import FLOATS
from dml_vk.directml.normalizations import Normalization, narrow

if TYPE_CHECKING:
    from dml_vk.ops.view import View
    from dml_vk.tensor.core import Tensor

__all__ = [
    "MeanVarianceNormalization",
    "MeanVarianceNormalization1",
    "MeanVarianceNormalization2",
]


@dataclass(frozen=True, repr=False)
class MeanVariance(Normalization):
    """A normalization over axes, with scale and bias that broadcast."""

    input: BufferTensorDesc
    scale: BufferTensorDesc | None
    bias: BufferTensorDesc | None
    output: BufferTensorDesc

    _tensors = ("input", "scale", "bias", "output")
    _optional = ("scale", "bias")

    def _check(self) -> None:
        super()._check()
        for name in ("scale", "bias"):
            if name in self._given:
                self._check_broadcasts(name, "input")

    @property
    def _dims(self) -> Ints:
        """The axes, in ascending order."""
        axes: Sequence[int] = getattr(self, "axes", ())
        return tuple(sorted(axes))

    @property
    def _divides(self) -> bool:
        """Whether to divide by the deviation."""
        return bool(getattr(self, "normalize_variance", True))

    def _compute(self, x: Tensor, scale: Tensor | None, bias: Tensor | None, out: Tensor) -> None:
        from dml_vk.nn import mean_variance_norm

        weight, shift = [
            None if tensor is None else tensor.over(narrow(tensor.layout))
            for tensor in (scale, bias)
        ]
        mean_variance_norm(
            *(x, weight, shift),
            axes=self._dims,
            eps=self.epsilon,
            normalize_variance=self._divides,
            activation=self.fused_activation and self.fused_activation.argument,
            out=out,
        )


@dataclass(frozen=True, repr=False)
class MeanVarianceNormalization(MeanVariance, types=FLOATS):
    """scale * (input - mean) / sqrt(variance + epsilon) + bias of each item of {N, C, H, W}.

    Mean and variance are those of each channel, or across channels. Without `normalize_variance`
    only the mean is subtracted.
    """

    _: KW_ONLY
    cross_channel: bool
    normalize_variance: bool = True
    epsilon: float = 1e-5
    fused_activation: FusedActivation | None = None

    def _check(self) -> None:
        self._check_ranks((4,), "4", "input")
        super()._check()
        self._hold_flag("cross_channel")
        self._hold_flag("normalize_variance")

    @property
    def _dims(self) -> Ints:
        return (1, 2, 3) if self.cross_channel else (2, 3)


@dataclass(frozen=True, repr=False)
class MeanVarianceNormalization1(MeanVariance, types=FLOATS):
    """The same over any axes.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, MeanVarianceNormalization1
    >>> x = BufferTensorDesc(DataType.FLOAT32, (2, 3, 4, 5))
    >>> MeanVarianceNormalization1(x, None, None, x, axes=(2, 3)).normalize_variance
    True
    """

    _: KW_ONLY
    axes: Sequence[int]
    normalize_variance: bool = True
    epsilon: float = 1e-5
    fused_activation: FusedActivation | None = None

    def _check(self) -> None:
        super()._check()
        self._hold_axes("axes", self.input.dimension_count)
        self._hold_flag("normalize_variance")


@dataclass(frozen=True, repr=False)
class MeanVarianceNormalization2(MeanVariance, types=FLOATS):
    """The same with or without mean and variance.

    Without `use_mean` the mean is 0, also in the variance, which is then the mean square. Without
    `use_variance` nothing is divided by it.
    """

    _: KW_ONLY
    axes: Sequence[int]
    use_mean: bool = True
    use_variance: bool = True
    epsilon: float = 1e-5
    fused_activation: FusedActivation | None = None

    def _check(self) -> None:
        super()._check()
        self._hold_axes("axes", self.input.dimension_count)
        self._hold_flag("use_mean")
        self._hold_flag("use_variance")

    @property
    def _divides(self) -> bool:
        return self.use_variance

    def _compute(self, x: Tensor, scale: Tensor | None, bias: Tensor | None, out: Tensor) -> None:
        if self.use_mean:
            super()._compute(x, scale, bias, out)
            return
        factor = (
            self._scaled(_mean_square(self._what, x, self._dims)) if self.use_variance else None
        )
        self._write(out, x, ("multiply", factor), ("multiply", scale), ("add", bias))


def _mean_square(what: str, x: View, dims: Ints) -> View:
    """Return the mean of squares over dims, which stay with size 1, in float32."""
    from dml_vk.array.statistics.moments import mean
    from dml_vk.dtypes import float32
    from dml_vk.kernels.operators import OPERATORS
    from dml_vk.ops.elementwise import compute
    from dml_vk.ops.view import temporary_like
    from dml_vk.tensor.core import Tensor

    squares = temporary_like(what, x, float32)
    compute(what, OPERATORS["square"], [x], squares, float32)
    return mean(Tensor(squares), axis=dims, keepdims=True)
