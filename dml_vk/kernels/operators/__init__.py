"""The table of elementwise operators.

The kernel registry, the shaders' opcodes, the public functions and their type stubs, DirectML's
classes, the documentation and the tests are all derived from it.
"""

from __future__ import annotations

from dml_vk.kernels.operators import (
    activations,
    angles,
    arithmetic,
    bits,
    choices,
    comparisons,
    exponentials,
    hyperbolic,
    powers,
    rounding,
    truth,
)
from dml_vk.kernels.operators.casts import CASTS, cast_variant
from dml_vk.kernels.operators.row import Operator

__all__ = [
    "CASTS",
    "NOT_PUBLIC",
    "OF_CODES",
    "OPCODES",
    "OPERATORS",
    "Operator",
    "cast_variant",
    "opcodes_of",
]

# In the order of the reference's chapters.
_TABLE = (
    *arithmetic.ROWS,
    *rounding.ROWS,
    *choices.ROWS,
    *powers.ROWS,
    *exponentials.ROWS,
    *angles.ROWS,
    *hyperbolic.ROWS,
    *bits.ROWS,
    *comparisons.ROWS,
    *truth.ROWS,
    *activations.ROWS,
)
OPERATORS: dict[str, Operator] = {operator.name: operator for operator in _TABLE}
OF_CODES: dict[int, Operator] = {operator.code: operator for operator in _TABLE}
NOT_PUBLIC = {operator.name for operator in _TABLE if not operator.public}
OPCODES = {operator.opcode: str(operator.code) for operator in _TABLE}


def opcodes_of(kernel: str) -> dict[str, str]:
    """The opcodes of the operators that a kernel computes.

    It excludes the others, so that a new operator only changes the modules of its own kernels.
    """
    return {row.opcode: OPCODES[row.opcode] for row in _TABLE if kernel in row.kernels}
