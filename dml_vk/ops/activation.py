"""An activation that a kernel applies to what it has computed, before it is rounded and stored."""

from __future__ import annotations

from dml_vk.kernels.operators import OPCODES
from dml_vk.strides.order import Ints

Activation = tuple[str, Ints]  # a name, and the words of all parameters


def opcode_of(activation: Activation | None) -> tuple[int, Ints]:
    """Return the opcode, or 0 for none, and the words of the parameters."""
    if activation is None:
        return 0, ()
    name, words = activation
    return int(OPCODES[name.upper()]), words
