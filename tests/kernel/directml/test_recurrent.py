"""DirectML's recurrent layers beside float64, step by step."""

from __future__ import annotations

import numpy as np
import pytest

from dml_vk.directml import (
    ActivationElu,
    ActivationHardSigmoid,
    ActivationIdentity,
    ActivationLinear,
    ActivationScaledTanh,
    ActivationSigmoid,
    ActivationTanh,
    DataType,
    Gru,
    Lstm,
    RecurrentNetworkDirection,
    Rnn,
)
from tests import tier
from tests.kernel.directml.running import F16, F32, FORMS, call, desc, filled

STEPS, BATCH, INPUTS, HIDDEN = 5, 3, 4, 7
GATES = {Rnn: 1, Gru: 3, Lstm: 4}
FUNCTIONS = {
    "sigmoid": (ActivationSigmoid.fused(), lambda x: 1 / (1 + np.exp(-x))),
    "tanh": (ActivationTanh.fused(), np.tanh),
    "identity": (ActivationIdentity.fused(), lambda x: x),
    "linear": (ActivationLinear.fused(alpha=0.5, beta=-0.25), lambda x: x / 2 - 0.25),
    "elu": (ActivationElu.fused(alpha=0.5), lambda x: np.where(x > 0, x, np.expm1(x) / 2)),
    "hard": (ActivationHardSigmoid.fused(), lambda x: np.clip(0.2 * x + 0.5, 0, 1)),
    "scaled": (ActivationScaledTanh.fused(alpha=2, beta=0.5), lambda x: 2 * np.tanh(x / 2)),
}
CHOSEN = {
    Rnn: [("tanh",), ("elu",), ("linear",)],
    Gru: [("sigmoid", "tanh"), ("hard", "scaled")],
    Lstm: [("sigmoid", "tanh", "tanh"), ("hard", "elu", "identity")],
}
ERRORS = {F32: 1e-5, F16: 4e-3}


def operator_of(cls, kind, form, direction, *, full=True, **more):
    """An operator with all of its tensors, or with only those that it needs."""
    ways = 2 if direction is RecurrentNetworkDirection.BIDIRECTIONAL else 1
    rows, state = GATES[cls] * HIDDEN, (1, ways, BATCH, HIDDEN)
    sizes = {
        "input": (1, STEPS, BATCH, INPUTS),
        "weight": (1, ways, rows, INPUTS),
        "recurrence": (1, ways, rows, HIDDEN),
        "bias": (1, 1, ways, 2 * rows),
        "hidden_init": state,
        "cell_mem_init": state,
        "peephole": (1, 1, ways, 3 * HIDDEN),
        "output_sequence": (STEPS, ways, BATCH, HIDDEN),
        "output_single": state,
        "output_cell_single": state,
    }
    fields = {}
    for name in cls._tensors:
        if name == "sequence_lengths":
            fields[name] = desc(DataType.UINT32, (1, 1, 1, BATCH)) if full else None
        elif full or name not in cls._optional or name == "output_sequence":
            fields[name] = desc(kind, sizes[name], form)
        else:
            fields[name] = None
    names = more.pop("functions", CHOSEN[cls][0])
    activations = [FUNCTIONS[name][0] for name in names] * ways
    return cls(**fields, activation_descs=activations, direction=direction, **more)


def expected(cls, arrays, operator, names):
    """By the pages' formulas, in float64."""
    a = {name: array.astype(np.float64) for name, array in arrays.items()}
    functions = [FUNCTIONS[name][1] for name in names]
    x, rows = a["input"][0], GATES[cls] * HIDDEN
    lengths = arrays.get("sequence_lengths", np.full((1, 1, 1, BATCH), STEPS)).reshape(-1)
    ways = a["weight"].shape[1]
    sequence = np.zeros((STEPS, ways, BATCH, HIDDEN))
    single, cells = np.zeros((2, 1, ways, BATCH, HIDDEN))
    backward = operator.direction is RecurrentNetworkDirection.BACKWARD
    bound = np.inf
    if cls is Lstm and operator.use_clip_threshold:
        bound = operator.clip_threshold
    f, g = [lambda x, own=own: own(np.clip(x, -bound, bound)) for own in (*functions, None)[:2]]
    h = functions[-1]
    for way in range(ways):
        w, r = a["weight"][0, way], a["recurrence"][0, way]
        bias = a["bias"][0, 0, way] if "bias" in a else np.zeros(2 * rows)
        for row in range(BATCH):
            zero = np.zeros(HIDDEN)
            state = a["hidden_init"][0, way, row] if "hidden_init" in a else zero
            cell = a["cell_mem_init"][0, way, row] if "cell_mem_init" in a else zero
            times = range(lengths[row])
            for time in times[::-1] if way or backward else times:
                own, past = w @ x[time, row] + bias[:rows], r @ state
                if cls is Rnn:
                    state = f(own + past + bias[rows:])
                elif cls is Gru:
                    z, reset = np.split(f((own + past + bias[rows:])[: 2 * HIDDEN]), 2)
                    if operator.linear_before_reset:
                        inner = reset * (past + bias[rows:])[2 * HIDDEN :]
                    else:
                        inner = r[2 * HIDDEN :] @ (reset * state) + bias[rows + 2 * HIDDEN :]
                    state = (1 - z) * g(own[2 * HIDDEN :] + inner) + z * state
                else:
                    i, o, forget, inner = np.split(own + past + bias[rows:], 4)
                    p = np.split(a["peephole"][0, 0, way], 3) if "peephole" in a else [zero] * 3
                    i = f(i + p[0] * cell)
                    forget = 1 - i if operator.couple_input_forget else f(forget + p[2] * cell)
                    cell = forget * cell + i * g(inner)
                    state = f(o + p[1] * cell) * h(cell)
                sequence[time, way, row] = state
            single[0, way, row], cells[0, way, row] = state, cell
    return {"output_sequence": sequence, "output_single": single, "output_cell_single": cells}


OPTIONS = {
    Rnn: [{}],
    Gru: [{}, {"linear_before_reset": True}],
    Lstm: [
        {},
        {"couple_input_forget": True},
        {"clip_threshold": 0.25, "use_clip_threshold": True},
        {"clip_threshold": 0.25},
    ],
}
CASES = [(cls, names, more) for cls in GATES for names in CHOSEN[cls] for more in OPTIONS[cls]]


WAYS = list(RecurrentNetworkDirection)


@tier.parametrize("case kind form direction full", CASES, [F32, F16], FORMS, WAYS, [True, False])
def test_layers_beside_their_formulas(case, kind, form, direction, full):
    cls, names, more = case
    operator = operator_of(cls, kind, form, direction, full=full, functions=names, **more)
    lengths = np.array([STEPS, 2, 1], np.uint32).reshape(1, 1, 1, BATCH)
    arrays = filled(operator, sequence_lengths=lengths)
    arrays = {
        name: array / 2 if array.dtype.kind == "f" else array for name, array in arrays.items()
    }
    exact = expected(cls, arrays, operator, names)
    for name, found in call(operator, arrays).items():
        np.testing.assert_allclose(found, exact[name], atol=ERRORS[kind], rtol=ERRORS[kind])


def test_states_may_be_updated_in_place():
    operator = operator_of(Lstm, F32, "packed", RecurrentNetworkDirection.FORWARD)
    arrays = filled(operator, sequence_lengths=np.full((1, 1, 1, BATCH), STEPS, np.uint32))
    apart = call(operator, arrays)
    over = {"output_single": "hidden_init", "output_cell_single": "cell_mem_init"}
    for name, found in call(operator, arrays, over=over).items():
        np.testing.assert_array_equal(found, apart[name])


@pytest.mark.parametrize("cls", GATES)
def test_an_empty_sequence_leaves_its_state(cls):
    operator = operator_of(cls, F32, "packed", RecurrentNetworkDirection.BIDIRECTIONAL)
    arrays = filled(operator, sequence_lengths=np.zeros((1, 1, 1, BATCH), np.uint32))
    found = call(operator, arrays)
    assert not found["output_sequence"].any()
    np.testing.assert_array_equal(found["output_single"], arrays["hidden_init"])
