"""The base of DirectML's normalizations, which compute in float32 and round once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dml_vk.directml.activations import FusedActivation, add_activated, check_fused
from dml_vk.directml.descriptors import BufferTensorDesc
from dml_vk.directml.fields import OverTensors
from dml_vk.layout import Layout

if TYPE_CHECKING:
    from dml_vk.ops.view import View


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
        present = [(name, operand) for name, operand in steps if operand is not None]
        last = present.pop() if present and present[-1][0] == "add" else None
        for name, operand in present:
            compute(what, OPERATORS[name], [x, operand], sums, float32)
            x = sums
        if last is not None:
            add_activated(what, [x, last[1]], out, fused)
        else:
            finish(what, x, out, to_activation(what, fused and fused.argument))

    def _scaled(self, variance: View) -> View:
        """Return 1 / sqrt(variance + epsilon)."""
        from dml_vk.dtypes import float32
        from dml_vk.kernels.elementwise import SCALED
        from dml_vk.kernels.operators import OPERATORS
        from dml_vk.ops.elementwise import compute
        from dml_vk.ops.numbers import float_words
        from dml_vk.ops.view import temporary_like, with_layout

        variance = with_layout(variance, narrow(variance.layout))
        factor = temporary_like(self._what, variance, float32)
        words = float_words(0.0, 0.0, 1.0, self.epsilon)
        compute(self._what, OPERATORS["rsqrt"], [variance], factor, float32, words, SCALED)
        return factor


def narrow(layout: Layout) -> Layout:
    """The layout with size 1 for broadcast dims."""
    sizes = [1 if stride == 0 else size for size, stride in zip(layout.sizes, layout.strides)]
    return Layout(sizes, layout.strides, layout.offset)
