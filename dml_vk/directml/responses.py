"""DirectML's division by norms: of regions around each element, and along an axis."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from dml_vk.directml.descriptors import BufferTensorDesc, DataType
from dml_vk.directml.elementwise import FLOATS
from dml_vk.directml.fields import MOST_INT, OverTensors

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor

__all__ = ["LocalResponseNormalization", "LpNormalization"]


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
