"""Recurrent networks, with PyTorch's names, weights and order of gates.

They are composed of public functions, through which gradients go: the products of the inputs of all
steps are one product of matrices, and each step adds that of its state. float16 is computed in
float32 and rounded once, at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from dml_vk.arguments import Ints, to_bool, to_tuple
from dml_vk.array.creation.arrays import zeros
from dml_vk.array.manipulation.shapes import concat, permute_dims, stack
from dml_vk.array.math.elementwise import add, astype, relu, tanh
from dml_vk.dtypes import DType, float16, float32, int32, int64
from dml_vk.errors import ErrorsAs, LayoutError
from dml_vk.hints import hinted
from dml_vk.nn.arguments import to_word
from dml_vk.nn.operands import arrays_beside, floats, floats_beside, network_dtype
from dml_vk.nn.recurrence import States, Step, gru_step, lstm_step, of_inputs, rnn_step, unrolled
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import check_dtype, to_tensor

Weights = Sequence[Sequence[Tensor]]
_NAMES = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


@hinted
def rnn(
    x: Tensor,
    hx: Tensor | None,
    weights: Weights,
    *,
    nonlinearity: str = "tanh",
    bidirectional: bool = False,
    batch_first: bool = False,
    lengths: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Return (output, h_n) of h = tanh(w_ih @ x + b_ih + w_hh @ h + b_hh), or of "relu".

    x is (steps, batch, inputs), or (batch, steps, inputs) with `batch_first`; without a batch it is
    (steps, inputs). `weights` has (w_ih, w_hh) or (w_ih, w_hh, b_ih, b_hh) for each layer, and
    for each direction of a bidirectional one, as `torch.nn.RNN.all_weights`. The first states `hx`
    and the last ones, `h_n`, are (layers * directions, batch, hidden); None stands for zeros.
    `lengths` has the steps of each sequence, int32 or int64: outputs beyond them are 0.

    >>> import dml_vk
    >>> x, w = dml_vk.asarray([[1.0], [2.0]]), dml_vk.asarray([[1.0]])
    >>> output, h_n = dml_vk.nn.rnn(x, None, [(w, w)], nonlinearity="relu")
    >>> output.tolist(), h_n.tolist()
    ([[1.0], [3.0]], [[3.0]])
    """
    f = {"tanh": tanh, "relu": relu}[to_word("rnn", "nonlinearity", nonlinearity, ("tanh", "relu"))]

    def cell(weight: Tensor, bias: Tensor | None) -> Step:
        return rnn_step(weight, f=f)

    network = _Network("rnn", x, weights, lengths, bidirectional, batch_first, gates=1)
    with network.errors:
        output, (last,) = network.run(network.states(hx=hx), cell)
        return output, last


@hinted
def gru(
    x: Tensor,
    hx: Tensor | None,
    weights: Weights,
    *,
    bidirectional: bool = False,
    batch_first: bool = False,
    lengths: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Return (output, h_n) of gated recurrent units; operands are as for `rnn`.

    Weights have the rows of the gates r, z, n: h = (1 - z) n + z h, and
    n = tanh(w_in @ x + b_in + r (w_hn @ h + b_hn)).

    >>> import dml_vk
    >>> w = dml_vk.zeros((3, 1))
    >>> dml_vk.nn.gru(dml_vk.ones((2, 1)), dml_vk.ones((1, 1)), [(w, w)])[0].tolist()
    [[0.5], [0.25]]
    """

    def cell(weight: Tensor, bias: Tensor | None) -> Step:
        return gru_step(weight, bias, order="rzn", resets_product=True)

    operands = x, weights, lengths, bidirectional, batch_first
    network = _Network("gru", *operands, gates=3, adds_biases=False)
    with network.errors:
        output, (last,) = network.run(network.states(hx=hx), cell)
        return output, last


@hinted
def lstm(
    x: Tensor,
    hx: tuple[Tensor, Tensor] | None,
    weights: Weights,
    *,
    bidirectional: bool = False,
    batch_first: bool = False,
    lengths: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return (output, h_n, c_n) of long short-term memory; operands are as for `rnn`.

    The first states are (h_0, c_0). Weights have the rows of the gates i, f, g, o:
    c = f c + i g, and h = o tanh(c).

    >>> import dml_vk
    >>> w, one = dml_vk.zeros((4, 1)), dml_vk.ones((1, 1))
    >>> output, h_n, c_n = dml_vk.nn.lstm(dml_vk.ones((2, 1)), (one, one), [(w, w)])
    >>> c_n.tolist()
    [[0.25]]
    """

    def cell(weight: Tensor, bias: Tensor | None) -> Step:
        return lstm_step(weight, order="ifgo")

    network = _Network("lstm", x, weights, lengths, bidirectional, batch_first, gates=4)
    with network.errors:
        h, c = (None, None) if hx is None else _pair(hx)
        output, (last, last_cell) = network.run(network.states(h_0=h, c_0=c), cell)
        return output, last, last_cell


def _pair(hx: Iterable[Tensor]) -> tuple[Tensor, Tensor]:
    values = to_tuple("lstm", "hx", hx)
    if len(values) != 2:
        raise LayoutError("lstm", "hx must be the states (h_0, c_0)", values=len(values))
    return values[0], values[1]


class _Network:
    """The checked operands of a recurrent network, as (steps, batch, inputs) of wide floats."""

    def __init__(
        self,
        what: str,
        x: object,
        weights: Weights,
        lengths: object,
        bidirectional: bool,
        batch_first: bool,
        *,
        gates: int,
        adds_biases: bool = True,
    ) -> None:
        self.what = what
        self.adds_biases = adds_biases
        self.errors = ErrorsAs(what)
        groups = [to_tuple(what, "weights", group) for group in to_tuple(what, "weights", weights)]
        operands = arrays_beside(what, x, lengths, *[w for group in groups for w in group])
        self.x, rest = floats(what, operands[0]), iter(operands[2:])
        self.weights = [tuple([next(rest) for _ in group]) for group in groups]
        self.directions = 1 + to_bool(what, "bidirectional", bidirectional)
        self.batch_first = to_bool(what, "batch_first", batch_first)
        self.has_batch = self.x.ndim != 2
        if self.x.ndim not in (2, 3):
            rule = "x must be (steps, inputs), or have a batch as well"
            raise LayoutError(what, rule, shape=self.x.shape)
        self._check_weights(gates)
        everything = [self.x, *[w for group in self.weights for w in group]]
        self.dtype = network_dtype(what, everything)
        self.x = self._as_steps(self._wide(self.x))
        self.weights = [tuple([self._wide(w) for w in group]) for group in self.weights]
        self.lengths = None if operands[1] is None else self._checked_lengths(operands[1])

    def _check_weights(self, gates: int) -> None:
        what = self.what
        if not self.weights or len(self.weights) % self.directions:
            rule = "weights must have a group for each direction of each layer"
            raise LayoutError(what, rule, groups=len(self.weights), directions=self.directions)
        self.hidden = 0
        for index, group in enumerate(self.weights):
            if len(group) not in (2, 4):
                rule = f"a group of weights must be {', '.join(_NAMES[:2])} and perhaps biases"
                raise LayoutError(what, rule, **{f"len(weights[{index}])": len(group)})
            tensors = [floats(what, w, name) for w, name in zip(group, _NAMES)]
            self.hidden = self.hidden or tensors[1].shape[-1]
            layer = index // self.directions
            inputs = self.hidden * self.directions if layer else self.x.shape[-1]
            rows = gates * self.hidden
            shapes: list[Ints] = [(rows, inputs), (rows, self.hidden), (rows,), (rows,)]
            for name, tensor, shape in zip(_NAMES, tensors, shapes):
                if tensor.shape != shape:
                    raise LayoutError(
                        what, f"{name} must have the shape {shape}", layer=layer, shape=tensor.shape
                    )

    def _checked_lengths(self, lengths: object) -> Tensor:
        tensor = to_tensor(self.what, "lengths", lengths)
        check_dtype(self.what, tensor.dtype, (int32, int64))
        if tensor.shape != (self.x.shape[1],):
            rule = f"lengths must have the shape {(self.x.shape[1],)}, one for each sequence"
            raise LayoutError(self.what, rule, shape=tensor.shape)
        return tensor

    def _wide(self, tensor: Tensor) -> Tensor:
        return astype(tensor, self._computed, copy=False)

    @property
    def _computed(self) -> DType:
        return float32 if self.dtype is float16 else self.dtype

    def _as_steps(self, x: Tensor) -> Tensor:
        if not self.has_batch:
            return x[:, None]
        return permute_dims(x, (1, 0, 2)) if self.batch_first else x

    def states(self, **named: object) -> list[Tensor]:
        """Return the first states, (layers * directions, batch, hidden), zeros where None."""
        shape = (len(self.weights), self.x.shape[1], self.hidden)
        states = []
        for name, value in named.items():
            if value is None:
                states.append(zeros(shape, self._computed, device=self.x.device))
                continue
            (value, _) = arrays_beside(self.what, value, self.x)
            tensor = floats_beside(self.what, name, value, self.x)
            wanted = shape if self.has_batch else (shape[0], self.hidden)
            if tensor.shape != wanted:
                rule = f"{name} must have the shape {wanted}"
                raise LayoutError(self.what, rule, shape=tensor.shape)
            states.append(self._wide(tensor if self.has_batch else tensor[:, None]))
        return states

    def run(
        self, states: list[Tensor], cell: Callable[[Tensor, Tensor | None], Step]
    ) -> tuple[Tensor, list[Tensor]]:
        """Return the outputs of the last layer, and the last states of all layers."""
        x, ends = self.x, []
        for start in range(0, len(self.weights), self.directions):
            outputs = []
            for direction in range(self.directions):
                index = start + direction
                output, last = self._direction(
                    x, index, tuple([state[index] for state in states]), cell, bool(direction)
                )
                outputs.append(output)
                ends.append(last)
            x = outputs[0] if len(outputs) == 1 else concat(outputs, axis=-1)
        return self._as_given(x), [self._ended(list(each)) for each in zip(*ends)]

    def _direction(
        self,
        x: Tensor,
        index: int,
        states: States,
        cell: Callable[[Tensor, Tensor | None], Step],
        backward: bool,
    ) -> tuple[Tensor, States]:
        weight, recurrence, *biases = self.weights[index]
        bias, of_state = biases if biases else (None, None)
        if bias is not None and of_state is not None and self.adds_biases:
            bias, of_state = add(bias, of_state), None
        products = of_inputs(x, weight, bias)
        step = cell(recurrence, of_state)
        return unrolled(step, products, states, lengths=self.lengths, backward=backward)

    def _as_given(self, output: Tensor) -> Tensor:
        output = astype(output, self.dtype, copy=False)
        if not self.has_batch:
            return output[:, 0]
        return permute_dims(output, (1, 0, 2)) if self.batch_first else output

    def _ended(self, states: list[Tensor]) -> Tensor:
        every = astype(stack(states), self.dtype, copy=False)
        return every if self.has_batch else every[:, 0]
