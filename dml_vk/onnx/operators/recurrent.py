"""RNN, GRU and LSTM: one product for the inputs of all steps, then step by step."""

from __future__ import annotations

from collections.abc import Callable

import dml_vk as dv
from dml_vk.nn.recurrence import (
    Activation,
    Step,
    gru_step,
    lstm_step,
    of_inputs,
    rnn_step,
    unrolled,
)
from dml_vk.onnx.context import Context
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor

# With the defaults of alpha and beta.
_ACTIVATIONS: dict[str, tuple[Callable[[Tensor, float, float], Tensor], float, float]] = {
    "relu": (lambda x, alpha, beta: dv.relu(x), 0, 0),
    "tanh": (lambda x, alpha, beta: dv.tanh(x), 0, 0),
    "sigmoid": (lambda x, alpha, beta: dv.sigmoid(x), 0, 0),
    "affine": (lambda x, alpha, beta: dv.add(dv.multiply(x, alpha), beta), 1.0, 0.0),
    "leakyrelu": (lambda x, alpha, beta: dv.leaky_relu(x, alpha), 0.01, 0),
    "thresholdedrelu": (lambda x, alpha, beta: dv.thresholded_relu(x, alpha), 1.0, 0),
    "scaledtanh": (lambda x, alpha, beta: dv.scaled_tanh(x, alpha, beta), 1.0, 1.0),
    "hardsigmoid": (lambda x, alpha, beta: dv.hard_sigmoid(x, alpha, beta), 0.2, 0.5),
    "elu": (lambda x, alpha, beta: dv.elu(x, alpha), 1.0, 0),
    "softsign": (lambda x, alpha, beta: dv.softsign(x), 0, 0),
    "softplus": (lambda x, alpha, beta: dv.softplus(x), 0, 0),
}


class _Layer:
    """What the directions of a layer share."""

    def __init__(self, node: Context, x: Tensor, defaults: list[str]) -> None:
        self.node = node
        self.batch_first = bool(node.get("layout", 0))
        self.x = dv.permute_dims(x, (1, 0, 2)) if self.batch_first else x  # (steps, batch, inputs)
        kind = node.get("direction", "forward")
        self.backward = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}[
            kind
        ]
        self.size = node["hidden_size"]
        self.activations = _activations(node, defaults, len(self.backward))
        clip = node.get("clip")
        self.bounded = None if clip is None else lambda x: dv.clip(x, -clip, clip)

    def start(self, initial: Tensor | None, direction: int) -> Tensor:
        """The first state of a direction, (batch, hidden)."""
        if initial is None:
            shape = (self.x.shape[1], self.size)
            return dv.zeros(shape, self.x.dtype, device=self.x.device)
        return initial[:, direction] if self.batch_first else initial[direction]

    def run(
        self,
        w: Tensor,
        step: Callable[[int, list[Activation]], Step],
        bias: Callable[[int], Tensor | None],
        lengths: Tensor | None,
        *initial: Tensor | None,
    ) -> tuple[Tensor, ...]:
        """All states, (steps, directions, batch, hidden), and the last ones of each direction."""
        rows, ends = [], []
        count = len(self.activations) // len(self.backward)
        for direction, backward in enumerate(self.backward):
            activations = self.activations[count * direction : count * (direction + 1)]
            products = of_inputs(self.x, w[direction], bias(direction))
            states = tuple([self.start(first, direction) for first in initial])
            own = step(direction, activations)
            row, last = unrolled(own, products, states, lengths=lengths, backward=backward)
            rows.append(row)
            ends.append(last)
        every = dv.stack(rows, axis=1)
        lasts = [dv.stack(list(states)) for states in zip(*ends)]
        if self.batch_first:
            every = dv.permute_dims(every, (2, 0, 1, 3))
            lasts = [dv.permute_dims(state, (1, 0, 2)) for state in lasts]
        return (every, *lasts)


def _activations(node: Context, defaults: list[str], directions: int) -> list[Activation]:
    names = [name.lower() for name in node.get("activations") or defaults * directions]
    alphas = list(node.get("activation_alpha") or [])
    betas = list(node.get("activation_beta") or [])
    activations: list[Activation] = []
    for name in names:
        if name not in _ACTIVATIONS:
            known = ", ".join(_ACTIVATIONS)
            raise node.refuse(f"activations must be of {known}", activation=name)
        function, alpha, beta = _ACTIVATIONS[name]
        # Only those that have a parameter take one from the list.
        alpha = alphas.pop(0) if alpha and alphas else alpha
        beta = betas.pop(0) if name in ("affine", "scaledtanh", "hardsigmoid") and betas else beta
        activations.append(_with(function, alpha, beta))
    return activations


def _with(function: Callable[..., Tensor], alpha: float, beta: float) -> Activation:
    return lambda x: function(x, alpha, beta)


def _summed(b: Tensor | None, direction: int) -> Tensor | None:
    """The biases of inputs and states of a direction, which are added."""
    if b is None:
        return None
    half = b.shape[-1] // 2
    return dv.add(b[direction, :half], b[direction, half:])


@operator("RNN")
def rnn(
    node: Context,
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None = None,
    lengths: Tensor | None = None,
    h: Tensor | None = None,
) -> tuple[Tensor, ...]:
    layer = _Layer(node, x, ["Tanh"])

    def step(direction: int, activations: list[Activation]) -> Step:
        return rnn_step(r[direction], f=activations[0], bounded=layer.bounded)

    return layer.run(w, step, lambda direction: _summed(b, direction), lengths, h)


@operator("GRU")
def gru(
    node: Context,
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None = None,
    lengths: Tensor | None = None,
    h: Tensor | None = None,
) -> tuple[Tensor, ...]:
    """Gates in the order update, reset, hidden."""
    layer = _Layer(node, x, ["Sigmoid", "Tanh"])
    rows = 3 * layer.size

    def step(direction: int, activations: list[Activation]) -> Step:
        return gru_step(
            r[direction],
            None if b is None else b[direction, rows:],
            order="zrh",
            resets_product=bool(node.get("linear_before_reset", 0)),
            f=activations[0],
            g=activations[1],
            bounded=layer.bounded,
        )

    return layer.run(w, step, lambda k: None if b is None else b[k, :rows], lengths, h)


@operator("LSTM")
def lstm(
    node: Context,
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None = None,
    lengths: Tensor | None = None,
    h: Tensor | None = None,
    c: Tensor | None = None,
    p: Tensor | None = None,
) -> tuple[Tensor, ...]:
    """Gates in the order input, output, forget, cell; p has peepholes of the first three."""
    layer = _Layer(node, x, ["Sigmoid", "Tanh", "Tanh"])
    size = layer.size

    def step(direction: int, activations: list[Activation]) -> Step:
        peepholes = () if p is None else [p[direction, k * size : (k + 1) * size] for k in range(3)]
        f, g, last = activations
        return lstm_step(
            r[direction],
            order="iofg",
            peepholes=peepholes,
            couples=bool(node.get("input_forget", 0)),
            f=f,
            g=g,
            h=last,
            bounded=layer.bounded,
        )

    return layer.run(w, step, lambda k: _summed(b, k), lengths, h, c)
