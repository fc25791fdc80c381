"""RNN, GRU and LSTM: one product for the inputs of all steps, then step by step."""

from __future__ import annotations

from collections.abc import Callable

import dml_vk as dv
from dml_vk.onnx.context import Context
from dml_vk.onnx.operators.elementwise import either
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor

Activation = Callable[[Tensor], Tensor]
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
        self.clip = node.get("clip")

    def clipped(self, x: Tensor) -> Tensor:
        return x if self.clip is None else dv.clip(x, -self.clip, self.clip)

    def start(self, initial: Tensor | None, direction: int) -> Tensor:
        """The first state of a direction, (batch, hidden)."""
        if initial is None:
            shape = (self.x.shape[1], self.size)
            return dv.zeros(shape, self.x.dtype, device=self.x.device)
        return initial[:, direction] if self.batch_first else initial[direction]

    def steps(self, back: bool) -> list[int]:
        places = list(range(self.x.shape[0]))
        return places[::-1] if back else places

    def outputs(self, rows: list[list[Tensor]], *ends: list[Tensor]) -> tuple[Tensor, ...]:
        """All states, (steps, directions, batch, hidden), and the last ones of each direction."""
        every = dv.stack([dv.stack(row) for row in rows], axis=1)
        last = [dv.stack(state) for state in ends]
        if self.batch_first:
            every = dv.permute_dims(every, (2, 0, 1, 3))
            last = [dv.permute_dims(state, (1, 0, 2)) for state in last]
        return (every, *last)


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


def _masked(lengths: Tensor | None, step: int, new: Tensor, old: Tensor) -> Tensor:
    """The new state, or the old one where a sequence has ended."""
    if lengths is None:
        return new
    return either(dv.expand_dims(dv.greater(lengths, step), axis=1), new, old)


def _shown(lengths: Tensor | None, step: int, state: Tensor) -> Tensor:
    """The state, or 0 where a sequence has ended."""
    return _masked(lengths, step, state, dv.zeros_like(state))


def _products(layer: _Layer, w: Tensor, bias: Tensor | None, direction: int) -> Tensor:
    """Inputs times weights plus bias, for all steps."""
    products = dv.matmul(layer.x, w[direction].mT)
    return products if bias is None else dv.add(products, bias)


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
    rows, ends = [], []
    for direction, back in enumerate(layer.backward):
        activation = layer.activations[direction]
        bias = None if b is None else dv.add(b[direction, : layer.size], b[direction, layer.size :])
        products = _products(layer, w, bias, direction)
        state, row = layer.start(h, direction), []
        for step in layer.steps(back):
            new = dv.add(products[step], dv.matmul(state, r[direction].mT))
            state = _masked(lengths, step, activation(layer.clipped(new)), state)
            row.append(_shown(lengths, step, state))
        rows.append(row[::-1] if back else row)
        ends.append(state)
    return layer.outputs(rows, ends)


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
    size, after = layer.size, node.get("linear_before_reset", 0)
    rows, ends = [], []
    for direction, back in enumerate(layer.backward):
        f, g = layer.activations[2 * direction : 2 * direction + 2]
        products = _products(layer, w, None if b is None else b[direction, : 3 * size], direction)
        inner = None if b is None else b[direction, 3 * size :]
        gates, hidden = r[direction, : 2 * size].mT, r[direction, 2 * size :].mT
        state, row = layer.start(h, direction), []
        for step in layer.steps(back):
            both = dv.add(products[step, :, : 2 * size], dv.matmul(state, gates))
            both = both if inner is None else dv.add(both, inner[: 2 * size])
            both = f(layer.clipped(both))
            update, reset = both[:, :size], both[:, size:]
            product = dv.matmul(state if after else dv.multiply(reset, state), hidden)
            product = product if inner is None else dv.add(product, inner[2 * size :])
            product = dv.multiply(reset, product) if after else product
            new = g(layer.clipped(dv.add(products[step, :, 2 * size :], product)))
            new = dv.add(dv.multiply(dv.subtract(1.0, update), new), dv.multiply(update, state))
            state = _masked(lengths, step, new, state)
            row.append(_shown(lengths, step, state))
        rows.append(row[::-1] if back else row)
        ends.append(state)
    return layer.outputs(rows, ends)


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
    rows, ends, cells = [], [], []
    for direction, back in enumerate(layer.backward):
        f, g, k = layer.activations[3 * direction : 3 * direction + 3]
        bias = None if b is None else dv.add(b[direction, : 4 * size], b[direction, 4 * size :])
        products = _products(layer, w, bias, direction)
        peeps = None if p is None else [p[direction, i * size : (i + 1) * size] for i in range(3)]
        state, cell, row = layer.start(h, direction), layer.start(c, direction), []
        for step in layer.steps(back):
            new = dv.add(products[step], dv.matmul(state, r[direction].mT))
            i, o, forget, inner = [new[:, at * size : (at + 1) * size] for at in range(4)]
            if peeps is not None:
                i = dv.add(i, dv.multiply(peeps[0], cell))
                forget = dv.add(forget, dv.multiply(peeps[2], cell))
            i, inner = f(layer.clipped(i)), g(layer.clipped(inner))
            forget = (
                dv.subtract(1.0, i) if node.get("input_forget", 0) else f(layer.clipped(forget))
            )
            updated = dv.add(dv.multiply(forget, cell), dv.multiply(i, inner))
            o = o if peeps is None else dv.add(o, dv.multiply(peeps[1], updated))
            shown = dv.multiply(f(layer.clipped(o)), k(updated))
            state, cell = (
                _masked(lengths, step, shown, state),
                _masked(lengths, step, updated, cell),
            )
            row.append(_shown(lengths, step, state))
        rows.append(row[::-1] if back else row)
        ends.append(state)
        cells.append(cell)
    return layer.outputs(rows, ends, cells)
