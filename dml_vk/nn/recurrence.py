"""The steps of recurrent layers, and how they follow each other.

A step takes the products of its inputs, (batch, gates), and the states, (batch, hidden), and
returns the new states, of which the first is the output. Libraries put gates in different orders:
`order` has a letter for each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dml_vk.array.manipulation.shapes import expand_dims, stack
from dml_vk.array.math.elementwise import (
    add,
    greater,
    multiply,
    sigmoid,
    subtract,
    tanh,
    where,
)
from dml_vk.array.products.matrix_products import matmul
from dml_vk.tensor.core import Tensor

States = tuple[Tensor, ...]
Step = Callable[..., States]
Activation = Callable[[Tensor], Tensor]


def unrolled(
    step: Step,
    products: Tensor,
    states: States,
    *,
    lengths: Tensor | None = None,
    backward: bool = False,
) -> tuple[Tensor, States]:
    """Return the outputs of all steps, (steps, batch, hidden), and the last states.

    Where a sequence has ended its states stay, and its outputs are 0.
    """
    times = range(products.shape[0])
    rows = []
    for time in reversed(times) if backward else times:
        new = step(products[time], *states)
        output = new[0]
        if lengths is not None:
            running = expand_dims(greater(lengths, time), axis=1)
            new = tuple([where(running, after, before) for after, before in zip(new, states)])
            output = where(running, output, 0.0)
        states = new
        rows.append(output)
    if not rows:
        return products[:, :, : states[0].shape[-1]], states
    return stack(rows[::-1] if backward else rows), states


def of_inputs(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return the products of the inputs of all steps, plus a bias."""
    products = matmul(x, weight.mT)
    return products if bias is None else add(products, bias)


def rnn_step(
    recurrence: Tensor, *, f: Activation = tanh, bounded: Activation | None = None
) -> Step:
    """Return the step h = f(products + recurrence @ h)."""
    turned = recurrence.mT

    def step(products: Tensor, state: Tensor) -> States:
        return (f(_bounded(bounded, add(products, matmul(state, turned)))),)

    return step


def gru_step(
    recurrence: Tensor,
    bias: Tensor | None,
    *,
    order: str,
    resets_product: bool,
    f: Activation = sigmoid,
    g: Activation = tanh,
    bounded: Activation | None = None,
) -> Step:
    """Return the step of update z, reset r and new n: h = (1 - z) n + z h.

    The reset gate is applied to the product of the recurrence, or to the state before it.
    """
    size = recurrence.shape[-1]
    gates, new = recurrence[: 2 * size].mT, recurrence[2 * size :].mT

    def step(products: Tensor, state: Tensor) -> States:
        both = add(products[:, : 2 * size], matmul(state, gates))
        both = both if bias is None else add(both, bias[: 2 * size])
        update, reset = _gates(f(_bounded(bounded, both)), size, order, "zr")
        product = matmul(state if resets_product else multiply(reset, state), new)
        product = product if bias is None else add(product, bias[2 * size :])
        product = multiply(reset, product) if resets_product else product
        inner = g(_bounded(bounded, add(products[:, 2 * size :], product)))
        return (add(multiply(subtract(1.0, update), inner), multiply(update, state)),)

    return step


def lstm_step(
    recurrence: Tensor,
    *,
    order: str,
    peepholes: Sequence[Tensor] = (),
    couples: bool = False,
    f: Activation = sigmoid,
    g: Activation = tanh,
    h: Activation = tanh,
    bounded: Activation | None = None,
) -> Step:
    """Return the step of input i, forget f, cell g and output o: c = f c + i g, h = o h(c).

    Peepholes are the weights of the cell for input, output and forget gates. If gates are coupled,
    the forget gate is 1 - i.
    """
    size = recurrence.shape[-1]
    turned = recurrence.mT

    def seen(gate: Tensor, cell: Tensor, index: int) -> Tensor:
        return add(gate, multiply(peepholes[index], cell)) if peepholes else gate

    def step(products: Tensor, state: Tensor, cell: Tensor) -> States:
        both = add(products, matmul(state, turned))
        enter, forget, inner, leave = _gates(both, size, order, "ifgo")
        enter = f(_bounded(bounded, seen(enter, cell, 0)))
        inner = g(_bounded(bounded, inner))
        forget = subtract(1.0, enter) if couples else f(_bounded(bounded, seen(forget, cell, 2)))
        cell = add(multiply(forget, cell), multiply(enter, inner))
        leave = f(_bounded(bounded, seen(leave, cell, 1)))
        return multiply(leave, h(cell)), cell

    return step


def _gates(every: Tensor, size: int, order: str, wanted: str) -> list[Tensor]:
    """Return the columns of each wanted gate."""
    starts = [order.index(gate) * size for gate in wanted]
    return [every[:, start : start + size] for start in starts]


def _bounded(bounded: Activation | None, x: Tensor) -> Tensor:
    return x if bounded is None else bounded(x)
