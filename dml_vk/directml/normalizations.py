"""DirectML's normalizations. All compute in float32 and round once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from dml_vk.directml.activations import FusedActivation, add_activated, check_fused
from dml_vk.directml.descriptors import BufferTensorDesc, DataType
from dml_vk.directml.elementwise import FLOATS
from dml_vk.directml.fields import MOST_INT, OverTensors
from dml_vk.layout import Layout, broadcast_sizes
from dml_vk.strides.order import Ints

if TYPE_CHECKING:
    from dml_vk.ops.view import View
    from dml_vk.tensor.core import Tensor

__all__ = [
    "BatchNormalization",
    "BatchNormalizationTraining",
    "LocalResponseNormalization",
    "LpNormalization",
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

    def _finish(
        self,
        x: View,
        pairs: View,
        scale: View | None,
        bias: View | None,
        out: View,
        added: View | None = None,
    ) -> None:
        """Write (x - mean) * factor * scale + bias of pairs (mean, factor), and activate it."""
        from dml_vk.dtypes import float32
        from dml_vk.nn.activations import to_activation
        from dml_vk.nn.affine import normalise
        from dml_vk.ops.view import temporary_like

        what, fused = self._what, self.fused_activation
        if scale is not None and bias is not None:
            scale, bias = _of_one_shape(scale, bias)
        if added is None:
            activation = to_activation(what, fused and fused.argument)
            normalise(what, x, pairs, scale, bias, out, activation)
        else:
            sums = temporary_like(what, out, float32)
            normalise(what, x, pairs, scale, bias, sums, None)
            add_activated(what, [sums, added], out, fused)

    def _pairs(self, mean: View, variance: View) -> View:
        """Return pairs of each mean and 1 / sqrt(variance + epsilon)."""
        from dml_vk.dtypes import float32
        from dml_vk.kernels.operators import OPERATORS
        from dml_vk.nn.affine import halves
        from dml_vk.ops.elementwise import SCALED, cast_elements, compute
        from dml_vk.ops.numbers import float_words

        mean, variance = _of_one_shape(mean, variance)
        pairs, means, factors = halves(self._what, mean.layout.sizes, mean)
        cast_elements(self._what, mean, means)
        words = float_words(0.0, 0.0, 1.0, self.epsilon)
        compute(self._what, OPERATORS["rsqrt"], [variance], factors, float32, words, SCALED)
        return pairs


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

    def _compute(
        self, x: View, mean: View, variance: View, scale: View, bias: View, out: View
    ) -> None:
        self._finish(x, self._pairs(mean, variance), scale, bias, out)


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
        from dml_vk.dtypes import float32
        from dml_vk.ops.elementwise import cast_elements
        from dml_vk.ops.rows import pairs_of
        from dml_vk.ops.view import View

        what = self._what
        dims = tuple([dim for dim, size in enumerate(self.scale.sizes) if size == 1])
        moments = pairs_of(what, "moments", x, dims)
        own = moments.layout
        apart = [2 * stride for stride in own.strides]
        both = [
            View(moments.device, moments.allocation, Layout(own.sizes, apart, k), float32)
            for k in range(2)
        ]
        for found, target in zip(both, (mean, variance)):
            cast_elements(what, found, target)
        self._finish(x, self._pairs(*both), scale, bias, out, added)


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
    def _pair(self) -> str:
        """The pair of each row, in dml_vk.ops.rows."""
        return "scale" if getattr(self, "normalize_variance", True) else "means"

    def _compute(self, x: View, scale: View | None, bias: View | None, out: View) -> None:
        from dml_vk.ops.rows import pairs_of

        pairs = pairs_of(self._what, self._pair, x, self._dims, self.epsilon)
        self._finish(x, pairs, scale, bias, out)


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
    def _pair(self) -> str:
        if self.use_mean:
            return "scale" if self.use_variance else "means"
        return "squares"

    def _compute(self, x: View, scale: View | None, bias: View | None, out: View) -> None:
        if self.use_mean or self.use_variance:
            super()._compute(x, scale, bias, out)
            return
        from dml_vk.dtypes import float32
        from dml_vk.nn.affine import halves
        from dml_vk.ops.fill import fill_constant

        pairs, means, factors = halves(self._what, (1,) * x.layout.rank, x)
        fill_constant(self._what, means, float32, 0)
        fill_constant(self._what, factors, float32, 1)
        self._finish(x, pairs, scale, bias, out)


@dataclass(frozen=True, repr=False)
class LocalResponseNormalization(OverTensors, types=FLOATS):
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

    def _check(self) -> None:
        self._check_ranks((4,), "4", "input")
        self._check_sizes("output", self.input.sizes)
        self._hold_flag("cross_channel")
        self._hold_int("local_size", 1, MOST_INT)
        for name in ("alpha", "beta", "bias"):
            self._hold(name, DataType.FLOAT32)

    def _compute(self, x: Tensor, out: Tensor) -> None:
        from dml_vk.nn import local_response_norm

        if self.local_size % 2 == 0:
            # The function's windows extend further to the beginning.
            for dim in (1,) if self.cross_channel else (2, 3):
                x, out = x.over(x.layout.flip(dim)), out.over(out.layout.flip(dim))
        local_response_norm(
            *(x, self.local_size),
            alpha=self.alpha,
            beta=self.beta,
            k=self.bias,
            cross_channel=self.cross_channel,
            out=out,
        )


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


def _of_one_shape(first: View, second: View) -> tuple[View, View]:
    """Return both over the sizes to which they broadcast, as if strides of 0 were sizes of 1."""
    from dml_vk.ops.view import with_layout

    views = [with_layout(one, _narrow(one.layout)) for one in (first, second)]
    sizes = broadcast_sizes(*[one.layout.sizes for one in views])
    first, second = [with_layout(one, one.layout.expand(sizes)) for one in views]
    return first, second


def _narrow(layout: Layout) -> Layout:
    sizes = [1 if stride == 0 else size for size, stride in zip(layout.sizes, layout.strides)]
    return Layout(sizes, layout.strides, layout.offset)
