"""Activations as an argument: a name, or a name and parameters."""

from __future__ import annotations

from collections.abc import Mapping

from dml_vk.dtypes import float32, float64
from dml_vk.errors import RangeError
from dml_vk.kernels.operators import OPERATORS
from dml_vk.ops.activation import Activation as Activation
from dml_vk.ops.elementwise import cast_elements, compute
from dml_vk.ops.numbers import element_words
from dml_vk.ops.view import View

ACTIVATIONS = {
    name: operator
    for name, operator in OPERATORS.items()
    if operator.arity == 1 and any(each.startswith("ACTIVATION_") for each in operator.directml)
}


def to_activation(what: str, value: object) -> Activation | None:
    """Check an argument `activation`."""
    if value is None:
        return None
    name, numbers = value if isinstance(value, (tuple, list)) and len(value) == 2 else (value, {})
    if not isinstance(name, str) or name not in ACTIVATIONS or not isinstance(numbers, Mapping):
        rule = f"activation must be one of {', '.join(ACTIVATIONS)}, or (name, {{parameters}})"
        raise RangeError(what, rule, activation=value)
    params = dict(ACTIVATIONS[name].parameters)
    if not set(numbers) <= set(params):
        rule = (
            f"parameters of {name} must be among {', '.join(params)}"
            if params
            else (f"{name} has no parameters")
        )
        raise RangeError(what, rule, activation=value)
    params.update(numbers)
    words, doubles = [
        sum([element_words(what, each, kind, number) for each, number in params.items()], ())
        for kind in (float32, float64)
    ]
    return Activation(name, words, doubles)


def finish(what: str, sums: View, target: View, activation: Activation | None) -> None:
    """Write what was computed in float32 or float64 to the target, after the activation.

    If the target has that dtype, it is where the sums are. So float16 is rounded once.
    """
    if activation is not None:
        words = activation.doubles if sums.dtype is float64 else activation.words
        compute(what, ACTIVATIONS[activation.name], (sums,), target, sums.dtype, words)
    elif target is not sums:
        cast_elements(what, sums, target)
