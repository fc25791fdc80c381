"""DirectML's batch normalization, for inference and for training."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from dml_vk.directml.activations import FusedActivation
from dml_vk.directml.descriptors import BufferTensorDesc
from dml_vk.directml.elementwise import FLOATS
from dml_vk.directml.normalizations import Normalization, narrow
from dml_vk.layout import Layout

if TYPE_CHECKING:
    from dml_vk.ops.view import View
    from dml_vk.tensor.core import Tensor

__all__ = ["BatchNormalization", "BatchNormalizationTraining"]


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
        if x.ndim > 1 and all(_varies_by_channel(part.layout) for part in parts):
            rows = [part.over(_row(part.layout, x.shape[1])) for part in parts]
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
        from dml_vk.array.statistics import moments
        from dml_vk.dtypes import float32
        from dml_vk.ops.elementwise import cast_elements, converted
        from dml_vk.tensor.core import Tensor

        what = self._what
        dims = tuple([dim for dim, size in enumerate(self.scale.sizes) if size == 1])
        wide = Tensor(converted(what, x, float32))
        average = moments.mean(wide, axis=dims, keepdims=True)
        squares = moments.var(wide, axis=dims, keepdims=True)
        self._write(
            out,
            wide,
            ("subtract", average),
            ("multiply", self._scaled(squares)),
            ("multiply", scale),
            ("add", bias),
            ("add", added),
        )
        cast_elements(what, average, mean)
        cast_elements(what, squares, variance)


def _varies_by_channel(layout: Layout) -> bool:
    """Whether numbers differ along dim 1 alone."""
    return all(size == 1 for dim, size in enumerate(narrow(layout).sizes) if dim != 1)


def _row(layout: Layout, channels: int) -> Layout:
    """View the numbers of all channels in one dim, broadcast if there is only one."""
    return Layout((channels,), (layout.strides[1] if layout.sizes[1] > 1 else 0,))
