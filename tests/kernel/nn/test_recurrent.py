"""Recurrent networks beside their formulas in float64, sequence by sequence."""

from __future__ import annotations

import re

import numpy as np
import pytest

import dml_vk
from dml_vk import nn
from dml_vk.errors import DTypeError, LayoutError, RangeError
from tests import tier
from tests.kernel.gradients.differences import check, drawn

STEPS, BATCH, INPUTS, HIDDEN = 5, 3, 4, 6
GATES = {"rnn": 1, "gru": 3, "lstm": 4}
ERRORS = {"float32": 1e-5, "float16": 2e-3, "float64": 1e-12}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step(name, own, past, state, cell):
    """The states after a step, from the products of the input and of the state with biases."""
    if name == "rnn":
        return np.tanh(own + past), cell
    if name == "gru":
        (r, z), (r2, z2) = [np.split(each[: 2 * HIDDEN], 2) for each in (own, past)]
        r, z = sigmoid(r + r2), sigmoid(z + z2)
        new = np.tanh(own[2 * HIDDEN :] + r * past[2 * HIDDEN :])
        return (1 - z) * new + z * state, cell
    i, f, g, o = np.split(own + past, 4)
    cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(cell), cell


def expected(name, x, h, c, weights, directions, lengths):
    """Outputs (steps, batch, hidden * directions), and the last states, of float64."""
    last_h, last_c = np.zeros_like(h), np.zeros_like(c)
    for layer in range(len(weights) // directions):
        outputs = np.zeros((*x.shape[:2], directions * HIDDEN))
        for way in range(directions):
            index = layer * directions + way
            w, r, *biases = weights[index]
            of_input, of_state = biases or np.zeros((2, len(w)))
            for row, length in enumerate(lengths):
                state, cell = h[index, row], c[index, row]
                for time in range(length)[:: -1 if way else 1]:
                    own, past = w @ x[time, row] + of_input, r @ state + of_state
                    state, cell = step(name, own, past, state, cell)
                    outputs[time, row, way * HIDDEN : (way + 1) * HIDDEN] = state
                last_h[index, row], last_c[index, row] = state, cell
        x = outputs
    return x, last_h, last_c


def drawn_network(name, layers, directions, bias):
    """Input, states and weights of float64."""
    random = np.random.default_rng(layers + 2 * directions)
    rows = GATES[name] * HIDDEN
    weights = []
    for index in range(layers * directions):
        inputs = INPUTS if index < directions else HIDDEN * directions
        shapes = [(rows, inputs), (rows, HIDDEN), (rows,), (rows,)][: 4 if bias else 2]
        weights.append([random.uniform(-0.5, 0.5, shape) for shape in shapes])
    x = random.normal(size=(STEPS, BATCH, INPUTS))
    h, c = random.normal(size=(2, layers * directions, BATCH, HIDDEN))
    return x, h, c, weights


@tier.parametrize(
    "name layers directions bias dtype batch_first has_lengths has_states",
    *(GATES, [1, 2], [1, 2], [True, False], ERRORS, [True, False], [True, False], [True, False]),
)
def test_networks(name, layers, directions, bias, dtype, batch_first, has_lengths, has_states):
    rounded = [
        [np.asarray(each, dtype).astype(np.float64) for each in group]
        for group in drawn_network(name, layers, directions, bias)[3]
    ]
    x, h, c = [
        np.asarray(each, dtype).astype(np.float64)
        for each in drawn_network(name, layers, directions, bias)[:3]
    ]
    h, c = [each if has_states else np.zeros_like(each) for each in (h, c)]
    lengths = [STEPS, 1, 3] if has_lengths else [STEPS] * BATCH
    exact = expected(name, x, h, c, rounded, directions, lengths)

    def tensor(array):
        return dml_vk.asarray(np.asarray(array, dtype))

    states = (tensor(h), tensor(c)) if name == "lstm" else tensor(h)
    arguments = {
        "x": tensor(np.swapaxes(x, 0, 1) if batch_first else x),
        "hx": states if has_states else None,
        "weights": [[tensor(each) for each in group] for group in rounded],
        "bidirectional": directions == 2,
        "batch_first": batch_first,
        "lengths": dml_vk.asarray(lengths, dtype="int64") if has_lengths else None,
    }
    output, *last = getattr(nn, name)(**arguments)
    found = [output.numpy().swapaxes(0, 1) if batch_first else output.numpy()]
    found += [each.numpy() for each in last]
    for each, wanted in zip(found, exact):
        assert each.dtype == dtype
        np.testing.assert_allclose(each, wanted, rtol=ERRORS[dtype], atol=ERRORS[dtype])
    compiled = dml_vk.compile(getattr(nn, name))(**arguments)
    for each, again in zip((output, *last), compiled):
        assert each.tobytes() == again.tobytes()


@pytest.mark.parametrize("name", GATES)
def test_a_sequence_without_a_batch_is_a_batch_of_one(name):
    x, h, c, weights = drawn_network(name, 1, 2, True)
    layers = [[dml_vk.asarray(each) for each in group] for group in weights]
    one, first, cell = [dml_vk.asarray(np.ascontiguousarray(a[:, 0])) for a in (x, h, c)]
    alone = getattr(nn, name)(
        one, (first, cell) if name == "lstm" else first, layers, bidirectional=True
    )
    states = [dml_vk.asarray(np.ascontiguousarray(a[:, :1])) for a in (h, c)]
    together = getattr(nn, name)(
        dml_vk.asarray(x[:, :1].copy()),
        tuple(states) if name == "lstm" else states[0],
        layers,
        bidirectional=True,
    )
    for a, b in zip(alone, together):
        np.testing.assert_array_equal(a.numpy(), b.numpy()[:, 0])


@pytest.mark.parametrize("name", GATES)
def test_no_steps_leave_the_states(name):
    x, h, c, weights = drawn_network(name, 1, 1, True)
    layers = [[dml_vk.asarray(each) for each in group] for group in weights]
    states = [dml_vk.asarray(each) for each in (h, c)]
    output, *last = getattr(nn, name)(
        dml_vk.asarray(x[:0]), tuple(states) if name == "lstm" else states[0], layers
    )
    assert output.shape == (0, BATCH, HIDDEN)
    for state, after in zip(states, last):
        np.testing.assert_array_equal(after.numpy(), state.numpy())


@pytest.mark.parametrize("name", GATES)
def test_gradients(name):
    rows = 2 * GATES[name]
    shapes = [(3, 2, 3), (2, 2, 2), *[(rows, 3), (rows, 2), (rows,), (rows,)] * 2]
    arrays = [drawn(shape, "f", seed, -1, 1) for seed, shape in enumerate(shapes)]
    lengths = dml_vk.asarray([3, 2], dtype="int32")

    def network(x, h, *weights):
        layers = [weights[:4], weights[4:]]
        first = (h, h * 0.5) if name == "lstm" else h
        output, *last = getattr(nn, name)(x, first, layers, bidirectional=True, lengths=lengths)
        return dml_vk.concat([dml_vk.reshape(each, (-1,)) for each in (output, *last)])

    check(network, arrays)


WRONG = [
    ({"x": np.zeros(3)}, LayoutError, "x must be (steps, inputs), or have a batch as well; got sh"),
    ({"weights": []}, LayoutError, "weights must have a group for each direction of each layer; "),
    ({"weights": [[]]}, LayoutError, "a group of weights must be weight_ih, weight_hh and perhaps"),
    ({"weights": 3}, LayoutError, "weights must be a sequence; got weights=3"),
    ({"bidirectional": True}, LayoutError, "weights must have a group for each direction of each"),
    ({"hx": np.zeros((1, 2, 7), np.float32)}, LayoutError, "hx must have the shape (1, 2, 6); got"),
    ({"hx": np.zeros((1, 2, 6))}, DTypeError, "hx may be float64 only where x is; convert it"),
    ({"lengths": np.zeros(3, np.int32)}, LayoutError, "lengths must have the shape (2,), one for "),
    (
        {"lengths": np.zeros(2, np.float32)},
        DTypeError,
        "dtype must be one of int32, int64; got dtype=",
    ),
    ({"nonlinearity": "gelu"}, RangeError, "nonlinearity must be one of tanh, relu; got nonlinear"),
]


@pytest.mark.parametrize(("fields", "error", "message"), WRONG)
def test_wrong_arguments(fields, error, message):
    weights = [[dml_vk.zeros((6, 4)), dml_vk.zeros((6, 6))]]
    right = {"x": dml_vk.zeros((5, 2, 4)), "hx": None, "weights": weights}
    fields = {
        name: dml_vk.asarray(value) if isinstance(value, np.ndarray) else value
        for name, value in fields.items()
    }
    with pytest.raises(error, match=re.escape(f"rnn: {message}")):
        nn.rnn(**right | fields)
    wide = [[dml_vk.zeros((6, 5)), dml_vk.zeros((6, 6))]]
    with pytest.raises(LayoutError, match=r"weight_ih must have the shape \(6, 4\); got layer=0"):
        nn.rnn(**right | {"weights": wide})
