"""DirectML's normalizations. All compute in float32 and round once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from dml_vk.directml.activations import FusedActivation, add_activated, check_fused
from dml_vk.directml.descriptors import BufferTensorDesc
from dml_vk.directml.elementwise import FLOATS
from dml_vk.directml.fields import OverTensors
from dml_vk.layout import Layout
from dml_vk.strides.order import Ints

if TYPE_CHECKING:
    from dml_vk.ops.view import View
    from dml_vk.tensor.core import Tensor

__all__ = [
    "BatchNormalization",
    "BatchNormalizationTraining",
    "MeanVarianceNormalization",
    "MeanVarianceNormalization1",
    "MeanVarianceNormalization2",
]


class Normalization(OverTensors):
    """An operator whose output is like its input, with an epsilon and an activation."""

    input: BufferTensorDesc
    epsilon: float
    fused_activation: FusedActivation | None

    def _check(self) -> None:
        """Check the fields that all have."""
        self._check_sizes("output", self.input.sizes)
        self._hold_epsilon()
        check_fused(self._what, self.fused_activation)

    def _write(self, out: View, x: View, *steps: tuple[str, View | None]) -> None:
        """Apply operators to x with operands, each rounded to float32, and activate the result."""
        from dml_vk.dtypes import float32
        from dml_vk.kernels.operators import OPERATORS
        from dml_vk.nn.activations import finish, to_activation
        from dml_vk.ops.elementwise import compute
        from dml_vk.ops.view import temporary_like

        what, fused = self._what, self.fused_activation
        # Written at the end: the output may share memory with any operand.
        sums = temporary_like(what, out, float32)
        found = [(name, operand) for name, operand in steps if operand is not None]
        last = found.pop() if found and found[-1][0] == "add" else None
        for name, operand in found:
            compute(what, OPERATORS[name], [x, operand], sums, float32)
            x = sums
        if last is not None:
            add_activated(what, [x, last[1]], out, fused)
        else:
            finish(what, x, out, to_activation(what, fused and fused.argument))

    def _scaled(self, variance: View) -> View:
        """Return 1 / sqrt(variance + epsilon)."""
        from dml_vk.dtypes import float32
        from dml_vk.kernels.operators import OPERATORS
        from dml_vk.ops.elementwise import SCALED, compute
        from dml_vk.ops.numbers import float_words
        from dml_vk.ops.view import temporary_like, with_layout

        variance = with_layout(variance, _narrow(variance.layout))
        made = temporary_like(self._what, variance, float32)
        words = float_words(0.0, 0.0, 1.0, self.epsilon)
        compute(self._what, OPERATORS["rsqrt"], [variance], made, float32, words, SCALED)
        return made


@dataclass(frozen=True, repr=False)
class BatchNormalization(Normalization, types=FLOATS):
    """scale * (input - mean) / sqrt(variance + epsilon) + bias, and an activation of it.

    Any size of mean, variance, scale and bias may be 1, and is then broadcast. `spatial` has no
    effect, as in DirectML since its feature level 4_0.

    >>> from dml_vk.directml import BatchNormalization, BufferTensorDesc, DataType
    >>> x = BufferTensorDesc(DataType.FLOAT32, (2, 3, 4, 5))
    >>> one = BufferTensorDesc(DataType.FLOAT32, (1, 3, 1, 1))
    >>> BatchNormalization(x, one, one, one, one, x, epsilon=0.5).epsilon
    0.5
    """

    input: BufferTensorDesc
    mean: BufferTensorDesc
    variance: BufferTensorDesc
    scale: BufferTensorDesc
    bias: BufferTensorDesc
    output: BufferTensorDesc
    _: KW_ONLY
    spatial: bool = True
    epsilon: float = 1e-5
    fused_activation: FusedActivation | None = None

    _tensors = ("input", "mean", "variance", "scale", "bias", "output")

    def _check(self) -> None:
        super()._check()
        self._hold_flag("spatial")
        for name in ("mean", "variance", "scale", "bias"):
            self._check_broadcasts(name, "input")

    def _compute(self, x: Tensor, *tensors: Tensor) -> None:
        from dml_vk.nn import batch_norm

        *parts, out = tensors
        if x.ndim > 1 and all(_varies_by_channel(one.layout) for one in parts):
            rows = [one.over(_row(one.layout, x.shape[1])) for one in parts]
            activation = self.fused_activation and self.fused_activation.argument
            batch_norm(x, *rows, eps=self.epsilon, activation=activation, out=out)
        else:
            mean, variance, scale, bias = parts
            factor = self._scaled(variance)
            first = ("subtract", mean), ("multiply", factor)
            self._write(out, x, *first, ("multiply", scale), ("add", bias))


@dataclass(frozen=True, repr=False)
class BatchNormalizationTraining(Normalization, types=FLOATS):
    """The same with the input's own mean and variance, which are outputs too.

    They are over the dims in which scale and bias have size 1. The variance is the mean squared
    deviation. `fused_add` is added before the activation.
    """

    input: BufferTensorDesc
    scale: BufferTensorDesc
    bias: BufferTensorDesc
    fused_add: BufferTensorDesc | None
    output: BufferTensorDesc
    output_mean: BufferTensorDesc
    output_variance: BufferTensorDesc
    _: KW_ONLY
    epsilon: float = 1e-5
    fused_activation: FusedActivation | None = None

    _tensors = (
        *("input", "scale", "bias", "fused_add"),
        *("output", "output_mean", "output_variance"),
    )
    _optional = ("fused_add",)

    def _check(self) -> None:
        super()._check()
        self._check_broadcasts("scale", "input")
        for name in ("bias", "output_mean", "output_variance"):
            self._check_sizes(name, self.scale.sizes)
        if self.fused_add is not None:
            self._check_sizes("fused_add", self.input.sizes)

    def _compute(
        self,
        x: Tensor,
        scale: View,
        bias: View,
        added: View | None,
        out: View,
        mean: View,
        variance: View,
    ) -> None:
        from dml_vk.array import moments
        from dml_vk.dtypes import float32
        from dml_vk.ops.elementwise import cast_elements, converted
        from dml_vk.tensor.core import Tensor

        what = self._what
        dims = tuple([dim for dim, size in enumerate(self.scale.sizes) if size == 1])
        wide = Tensor(converted(what, x, float32))
        found = moments.mean(wide, axis=dims, keepdims=True)
        squares = moments.var(wide, axis=dims, keepdims=True)
        self._write(
            out,
            wide,
            ("subtract", found),
            ("multiply", self._scaled(squares)),
            ("multiply", scale),
            ("add", bias),
            ("add", added),
        )
        cast_elements(what, found, mean)
        cast_elements(what, squares, variance)


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
            None if one is None else one.over(_narrow(one.layout)) for one in (scale, bias)
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
    from dml_vk.array.moments import mean
    from dml_vk.dtypes import float32
    from dml_vk.kernels.operators import OPERATORS
    from dml_vk.ops.elementwise import compute
    from dml_vk.ops.view import temporary_like
    from dml_vk.tensor.core import Tensor

    squares = temporary_like(what, x, float32)
    compute(what, OPERATORS["square"], [x], squares, float32)
    return mean(Tensor(squares), axis=dims, keepdims=True)


def _narrow(layout: Layout) -> Layout:
    """The layout with size 1 where all elements are one."""
    sizes = [1 if stride == 0 else size for size, stride in zip(layout.sizes, layout.strides)]
    return Layout(sizes, layout.strides, layout.offset)


def _varies_by_channel(layout: Layout) -> bool:
    """Whether numbers differ along dim 1 alone."""
    return all(size == 1 for dim, size in enumerate(_narrow(layout).sizes) if dim != 1)


def _row(layout: Layout, channels: int) -> Layout:
    """View the numbers of channels, or the one of all, in one dim."""
    return Layout((channels,), (layout.strides[1] if layout.sizes[1] > 1 else 0,))
