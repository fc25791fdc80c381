"""Activations that kernels apply to results before they are rounded and stored."""

from __future__ import annotations

from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.kernels.operators import OPCODES


class Activation(NamedTuple):
    name: str
    words: Ints  # of all parameters, as float32
    doubles: Ints  # the same as float64


def opcode_of(activation: Activation | None) -> tuple[int, Ints]:
    """Return the opcode, or 0 for none, and the words of the parameters."""
    if activation is None:
        return 0, ()
    return int(OPCODES[activation.name.upper()]), activation.words
