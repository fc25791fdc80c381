"""DirectML's recurrent networks. All compute in float32 and round once."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dml_vk.arguments import to_tuple
from dml_vk.directml.activations import FusedActivation, FusibleActivation
from dml_vk.directml.descriptors import BufferTensorDesc, DataType
from dml_vk.directml.elementwise import FLOATS
from dml_vk.directml.fields import OverTensors
from dml_vk.directml.rounding import widened, write_rounded
from dml_vk.errors import LayoutError, RangeError

if TYPE_CHECKING:
    from dml_vk.nn.recurrence import Step
    from dml_vk.tensor.core import Tensor

__all__ = ["Gru", "Lstm", "RecurrentNetworkDirection", "Rnn"]


class RecurrentNetworkDirection(enum.Enum):
    """In which order steps are computed, with DirectML's numbers."""

    FORWARD = 0
    BACKWARD = 1
    BIDIRECTIONAL = 2


class Recurrent(OverTensors):
    """A layer over {1, steps, batch, inputs}, in one direction or in both."""

    _gates: ClassVar[int]
    _functions: ClassVar[int]  # activations of a direction

    input: BufferTensorDesc
    recurrence: BufferTensorDesc
    activation_descs: Sequence[FusedActivation]
    direction: RecurrentNetworkDirection

    def _check(self) -> None:
        self._check_enum("direction", RecurrentNetworkDirection)
        self._check_ranks((4,), "4")
        _, steps, batch, inputs = self.input.sizes
        hidden, directions = self.recurrence.sizes[3], len(self._directions)
        rows, state = self._gates * hidden, (1, directions, batch, hidden)
        wanted = {
            "input": (1, steps, batch, inputs),
            "weight": (1, directions, rows, inputs),
            "recurrence": (1, directions, rows, hidden),
            "bias": (1, 1, directions, 2 * rows),
            "hidden_init": state,
            "cell_mem_init": state,
            "sequence_lengths": (1, 1, 1, batch),
            "peephole": (1, 1, directions, 3 * hidden),
            "output_sequence": (steps, *state[1:]),
            "output_single": state,
            "output_cell_single": state,
        }
        for name in self._given:
            self._check_sizes(name, wanted[name])
        if not any(self.is_output(name) for name in self._given):
            rule = "at least one output must have a descriptor"
            raise LayoutError(self._what, rule, outputs=())
        self._hold_activations()

    def _hold_activations(self) -> None:
        descs = to_tuple(self._what, "activation_descs", self.activation_descs)
        count = self._functions * len(self._directions)
        if len(descs) != count:
            rule = f"activation_descs must be {count}, {self._functions} for each direction"
            raise LayoutError(self._what, rule, activation_descs=descs)
        for desc in descs:
            known = isinstance(desc, FusedActivation)
            if not (known and issubclass(desc.activation, FusibleActivation)):
                rule = "activation_descs must be results of an activation's fused()"
                raise LayoutError(self._what, rule, activation_descs=desc)
        self._set("activation_descs", descs)

    @property
    def _directions(self) -> tuple[bool, ...]:
        """Whether each direction goes backward."""
        return {
            RecurrentNetworkDirection.FORWARD: (False,),
            RecurrentNetworkDirection.BACKWARD: (True,),
            RecurrentNetworkDirection.BIDIRECTIONAL: (False, True),
        }[self.direction]

    def _compute(self, *tensors: Any) -> None:
        from dml_vk.array.manipulation.shapes import stack
        from dml_vk.nn.recurrence import of_inputs, unrolled

        named = dict(zip(self._tensors, tensors))
        lengths = named.pop("sequence_lengths")
        outs = {name: named.pop(name) for name in self._tensors if self.is_output(name)}
        wide: dict[str, Any] = {
            name: None if x is None else widened(x)[0] for name, x in named.items()
        }
        x, weight = wide["input"][0], wide["weight"][0]
        rows, ends = [], []
        for index, backward in enumerate(self._directions):
            bias = None if wide["bias"] is None else wide["bias"][0, 0, index]
            step, of_products = self._step(wide, index, bias)
            output, last = unrolled(
                step,
                of_inputs(x, weight[index], of_products),
                self._states(wide, index),
                lengths=None if lengths is None else lengths[0, 0, 0],
                backward=backward,
            )
            rows.append(output)
            ends.append(last)
        results = {"output_sequence": stack(rows, axis=1)}
        for name, states in zip(("output_single", "output_cell_single"), zip(*ends)):
            results[name] = stack(list(states))[None]
        write_rounded(
            self._what,
            *[(results[name], out) for name, out in outs.items() if out is not None],
        )

    def _states(self, wide: dict[str, Any], index: int) -> tuple[Tensor, ...]:
        """The first states of a direction."""
        from dml_vk.array.creation.arrays import zeros

        states = []
        for name in ("hidden_init", "cell_mem_init"):
            if name not in self._tensors:
                continue
            if wide[name] is None:
                shape = (self.input.sizes[2], self.recurrence.sizes[3])
                states.append(zeros(shape, "float32", device=wide["input"].device))
            else:
                states.append(wide[name][0, index])
        return tuple(states)

    def _step(
        self, wide: dict[str, Any], index: int, bias: Tensor | None
    ) -> tuple[Step, Tensor | None]:
        """Return the step of a direction, and the bias of the products of its inputs."""
        raise NotImplementedError

    def _activations(self, index: int) -> list[Callable[[Tensor], Tensor]]:
        """The functions of a direction."""
        start = index * self._functions
        descs = self.activation_descs[start : start + self._functions]
        return [_function(self._what, desc) for desc in descs]


def _function(what: str, desc: FusedActivation) -> Callable[[Tensor], Tensor]:
    def activated(x: Tensor) -> Tensor:
        from dml_vk.dtypes import float32
        from dml_vk.kernels.operators import OPERATORS
        from dml_vk.ops.elementwise import compute
        from dml_vk.ops.numbers import float_words
        from dml_vk.ops.view import temporary_like
        from dml_vk.tensor.core import Tensor

        if desc.argument is None:
            return x
        result = temporary_like(what, x, float32)
        words = float_words(*desc.numbers)
        compute(what, OPERATORS[desc.activation._of], [x], result, float32, words)
        return Tensor(result)

    return activated


def _halves(bias: Tensor | None) -> tuple[Tensor | None, Tensor | None]:
    """The biases of the inputs and of the state."""
    if bias is None:
        return None, None
    half = bias.shape[0] // 2
    return bias[:half], bias[half:]


def _summed(bias: Tensor | None) -> Tensor | None:
    of_inputs, of_state = _halves(bias)
    return None if of_inputs is None or of_state is None else of_inputs + of_state


@dataclass(frozen=True, repr=False)
class Rnn(Recurrent, types=FLOATS, sequence_lengths=(DataType.UINT32,)):
    """h = f(w x + r h + b), one activation for each direction.

    Where a sequence has ended, its outputs are 0 and its state stays.

    >>> from dml_vk.directml import ActivationTanh, BufferTensorDesc, DataType, Rnn
    >>> x = BufferTensorDesc(DataType.FLOAT32, (1, 5, 2, 3))
    >>> w = BufferTensorDesc(DataType.FLOAT32, (1, 1, 4, 3))
    >>> r = BufferTensorDesc(DataType.FLOAT32, (1, 1, 4, 4))
    >>> y = BufferTensorDesc(DataType.FLOAT32, (1, 1, 2, 4))
    >>> Rnn(x, w, r, *[None] * 4, y, activation_descs=[ActivationTanh.fused()]).direction
    <RecurrentNetworkDirection.FORWARD: 0>
    """

    input: BufferTensorDesc
    weight: BufferTensorDesc
    recurrence: BufferTensorDesc
    bias: BufferTensorDesc | None
    hidden_init: BufferTensorDesc | None
    sequence_lengths: BufferTensorDesc | None
    output_sequence: BufferTensorDesc | None
    output_single: BufferTensorDesc | None
    _: KW_ONLY
    activation_descs: Sequence[FusedActivation]
    direction: RecurrentNetworkDirection = RecurrentNetworkDirection.FORWARD

    _tensors = (
        *("input", "weight", "recurrence", "bias", "hidden_init", "sequence_lengths"),
        *("output_sequence", "output_single"),
    )
    _optional = _tensors[3:]
    _gates = 1
    _functions = 1

    def _step(
        self, wide: dict[str, Any], index: int, bias: Tensor | None
    ) -> tuple[Step, Tensor | None]:
        from dml_vk.nn.recurrence import rnn_step

        (f,) = self._activations(index)
        return rnn_step(wide["recurrence"][0, index], f=f), _summed(bias)


@dataclass(frozen=True, repr=False)
class Gru(Recurrent, types=FLOATS, sequence_lengths=(DataType.UINT32,)):
    """Gated recurrent units, with rows of the gates z, r, h, and activations f and g.

    With `linear_before_reset`, the reset gate is applied to the product of the state.
    """

    input: BufferTensorDesc
    weight: BufferTensorDesc
    recurrence: BufferTensorDesc
    bias: BufferTensorDesc | None
    hidden_init: BufferTensorDesc | None
    sequence_lengths: BufferTensorDesc | None
    output_sequence: BufferTensorDesc | None
    output_single: BufferTensorDesc | None
    _: KW_ONLY
    activation_descs: Sequence[FusedActivation]
    direction: RecurrentNetworkDirection = RecurrentNetworkDirection.FORWARD
    linear_before_reset: bool = False

    _tensors = Rnn._tensors
    _optional = Rnn._optional
    _gates = 3
    _functions = 2

    def _check(self) -> None:
        super()._check()
        self._hold_flag("linear_before_reset")

    def _step(
        self, wide: dict[str, Any], index: int, bias: Tensor | None
    ) -> tuple[Step, Tensor | None]:
        from dml_vk.nn.recurrence import gru_step

        f, g = self._activations(index)
        of_inputs, of_state = _halves(bias)
        step = gru_step(
            *(wide["recurrence"][0, index], of_state),
            order="zrh",
            resets_product=self.linear_before_reset,
            f=f,
            g=g,
        )
        return step, of_inputs


@dataclass(frozen=True, repr=False)
class Lstm(Recurrent, types=FLOATS, sequence_lengths=(DataType.UINT32,)):
    """Long short-term memory, with rows of the gates i, o, f, c, and activations f, g and h.

    `clip_threshold` bounds what activations f and g take, if `use_clip_threshold`. With
    `couple_input_forget`, the forget gate is 1 - i. Peepholes are in the order i, o, f.
    """

    input: BufferTensorDesc
    weight: BufferTensorDesc
    recurrence: BufferTensorDesc
    bias: BufferTensorDesc | None
    hidden_init: BufferTensorDesc | None
    cell_mem_init: BufferTensorDesc | None
    sequence_lengths: BufferTensorDesc | None
    peephole: BufferTensorDesc | None
    output_sequence: BufferTensorDesc | None
    output_single: BufferTensorDesc | None
    output_cell_single: BufferTensorDesc | None
    _: KW_ONLY
    activation_descs: Sequence[FusedActivation]
    direction: RecurrentNetworkDirection = RecurrentNetworkDirection.FORWARD
    clip_threshold: float = 0.0
    use_clip_threshold: bool = False
    couple_input_forget: bool = False

    _tensors = (
        *("input", "weight", "recurrence", "bias", "hidden_init", "cell_mem_init"),
        *("sequence_lengths", "peephole"),
        *("output_sequence", "output_single", "output_cell_single"),
    )
    _optional = _tensors[3:]
    _gates = 4
    _functions = 3

    def _check(self) -> None:
        super()._check()
        self._hold("clip_threshold", DataType.FLOAT32)
        if not self.clip_threshold >= 0:
            rule = "clip_threshold must be at least 0"
            raise RangeError(self._what, rule, clip_threshold=self.clip_threshold)
        self._hold_flag("use_clip_threshold")
        self._hold_flag("couple_input_forget")

    def _step(
        self, wide: dict[str, Any], index: int, bias: Tensor | None
    ) -> tuple[Step, Tensor | None]:
        from dml_vk.array.math.clipping import clip
        from dml_vk.nn.recurrence import lstm_step

        f, g, h = self._activations(index)
        size, peephole, bound = self.recurrence.sizes[3], wide["peephole"], self.clip_threshold
        step = lstm_step(
            wide["recurrence"][0, index],
            order="iofg",
            peepholes=()
            if peephole is None
            else [peephole[0, 0, index, k * size : (k + 1) * size] for k in range(3)],
            couples=self.couple_input_forget,
            f=f,
            g=g,
            h=h,
            bounded=(lambda x: clip(x, -bound, bound)) if self.use_clip_threshold else None,
        )
        return step, _summed(bias)
