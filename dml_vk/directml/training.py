"""DirectML's operators for training: gradients of batch normalization, and Adam.

All compute in float32 and round once. Sums have the order of `dml_vk.sum`.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from dml_vk.directml.descriptors import BufferTensorDesc, DataType
from dml_vk.directml.elementwise import FLOATS
from dml_vk.directml.fields import OverTensors
from dml_vk.directml.rounding import widened, write_rounded
from dml_vk.errors import RangeError

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor

__all__ = ["AdamOptimizer", "BatchNormalizationGrad", "BatchNormalizationTrainingGrad"]


@dataclass(frozen=True, repr=False)
class BatchNormalizationGrad(OverTensors, types=FLOATS):
    """The gradients of BatchNormalization for its input, its scale and its bias.

    Those of scale and bias are sums over the dims in which mean, variance and scale have size 1.

    >>> from dml_vk.directml import BatchNormalizationGrad, BufferTensorDesc, DataType
    >>> x = BufferTensorDesc(DataType.FLOAT32, (2, 3, 4, 5))
    >>> one = BufferTensorDesc(DataType.FLOAT32, (1, 3, 1, 1))
    >>> BatchNormalizationGrad(x, x, one, one, one, x, one, one, epsilon=0.5).epsilon
    0.5
    """

    input: BufferTensorDesc
    input_gradient: BufferTensorDesc
    mean: BufferTensorDesc
    variance: BufferTensorDesc
    scale: BufferTensorDesc
    output_gradient: BufferTensorDesc
    output_scale_gradient: BufferTensorDesc
    output_bias_gradient: BufferTensorDesc
    _: KW_ONLY
    epsilon: float = 1e-5

    _tensors = (
        *("input", "input_gradient", "mean", "variance", "scale"),
        *("output_gradient", "output_scale_gradient", "output_bias_gradient"),
    )

    def _check(self) -> None:
        for name in ("input_gradient", "output_gradient"):
            self._check_sizes(name, self.input.sizes)
        self._check_broadcasts("mean", "input")
        for name in ("variance", "scale", "output_scale_gradient", "output_bias_gradient"):
            self._check_sizes(name, self.mean.sizes)
        self._hold_epsilon()

    def _compute(self, *tensors: Tensor) -> None:
        from dml_vk.array.math.elementwise import rsqrt
        from dml_vk.array.statistics.reductions import sum

        *operands, out, out_scale, out_bias = tensors
        x, gradient, mean, variance, scale = widened(*operands)
        dims = tuple([dim for dim, size in enumerate(self.mean.sizes) if size == 1])
        spread = variance + self.epsilon
        factor = rsqrt(spread)
        apart = (x - mean) * factor
        of_scale = sum(gradient * apart, axis=dims, keepdims=True)
        of_bias = sum(gradient, axis=dims, keepdims=True)
        write_rounded(
            self._what,
            (self._of_input(x, gradient, spread, scale * factor), out),
            (of_scale, out_scale),
            (of_bias, out_bias),
        )

    def _of_input(self, x: Tensor, gradient: Tensor, spread: Tensor, factor: Tensor) -> Tensor:
        return gradient * factor


@dataclass(frozen=True, repr=False)
class BatchNormalizationTrainingGrad(BatchNormalizationGrad, types=FLOATS):
    """The same of BatchNormalizationTraining, whose mean and variance depend on the input."""

    def _of_input(self, x: Tensor, gradient: Tensor, spread: Tensor, factor: Tensor) -> Tensor:
        from dml_vk.array.statistics.moments import mean

        dims = tuple([dim for dim, size in enumerate(self.mean.sizes) if size == 1])
        centered = x - mean(x, axis=dims, keepdims=True)
        slope = mean(gradient * centered, axis=dims, keepdims=True) / spread
        return factor * (gradient - mean(gradient, axis=dims, keepdims=True) - centered * slope)


@dataclass(frozen=True, repr=False)
class AdamOptimizer(OverTensors, types=FLOATS, training_step=(DataType.UINT32,)):
    """A step of Adam, from parameters and moments of their gradients to new ones.

    Training steps count from 1: by DirectML's formula the biases cannot be corrected at step 0, of
    which its page speaks. Epsilon is added to the root of the second moment before its bias is
    corrected. Outputs may share buffers with the inputs of their kind.

    >>> from dml_vk.directml import AdamOptimizer, BufferTensorDesc, DataType
    >>> x = BufferTensorDesc(DataType.FLOAT32, (1, 1, 2, 3))
    >>> step = BufferTensorDesc(DataType.UINT32, (1, 1, 1, 1))
    >>> AdamOptimizer(*[x] * 4, step, *[x] * 3, learning_rate=0.5).beta1
    0.8999999761581421
    """

    input_parameters: BufferTensorDesc
    input_first_moment: BufferTensorDesc
    input_second_moment: BufferTensorDesc
    gradient: BufferTensorDesc
    training_step: BufferTensorDesc
    output_parameters: BufferTensorDesc
    output_first_moment: BufferTensorDesc
    output_second_moment: BufferTensorDesc
    _: KW_ONLY
    learning_rate: float
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8

    _tensors = (
        *("input_parameters", "input_first_moment", "input_second_moment", "gradient"),
        *("training_step", "output_parameters", "output_first_moment", "output_second_moment"),
    )

    def _check(self) -> None:
        self._check_ranks((4,), "4")
        for name in self._tensors[1:]:
            sizes = (1, 1, 1, 1) if name == "training_step" else self.input_parameters.sizes
            self._check_sizes(name, sizes)
        self._hold("learning_rate", DataType.FLOAT32)
        for name in ("beta1", "beta2"):
            self._hold(name, DataType.FLOAT32)
            number = getattr(self, name)
            if not 0 <= number <= 1:
                raise RangeError(self._what, f"{name} must be from 0 to 1", **{name: number})
        self._hold_epsilon()

    def _compute(self, *tensors: Tensor) -> None:
        from dml_vk.array.math.elementwise import sqrt
        from dml_vk.optim.base import correction

        x, first, second, gradient, step = widened(*tensors[:5])
        first = first * self.beta1 + gradient * (1 - self.beta1)
        second = second * self.beta2 + gradient * gradient * (1 - self.beta2)
        rate = sqrt(correction(self.beta2, step)) / correction(self.beta1, step)
        x = x - rate * self.learning_rate * first / (sqrt(second) + self.epsilon)
        write_rounded(self._what, *zip((x, first, second), tensors[5:]))
