"""Evaluate the instructions on 32-bit integers and booleans. Floats are left to the driver."""

from __future__ import annotations

import operator
from collections.abc import Callable

from dml_vk.spirv import spec as op

_WORD, _SIGN = 2**32, 2**31
Compare = Callable[[int, int], bool]


def _signed(word: int) -> int:
    return (word ^ _SIGN) - _SIGN


def _of_signed(compare: Compare) -> Compare:
    return lambda a, b: compare(a ^ _SIGN, b ^ _SIGN)


def _quotient(a: int, b: int) -> int:
    """Divide signed words, rounding towards zero."""
    x, y = _signed(a), _signed(b)
    return -(abs(x) // abs(y)) if (x < 0) != (y < 0) else abs(x) // abs(y)


COMPARISONS: dict[int, Compare] = {
    op.I_EQUAL: operator.eq,
    op.I_NOT_EQUAL: operator.ne,
    op.U_GREATER_THAN: operator.gt,
    op.S_GREATER_THAN: _of_signed(operator.gt),
    op.U_GREATER_THAN_EQUAL: operator.ge,
    op.S_GREATER_THAN_EQUAL: _of_signed(operator.ge),
    op.U_LESS_THAN: operator.lt,
    op.S_LESS_THAN: _of_signed(operator.lt),
    op.U_LESS_THAN_EQUAL: operator.le,
    op.S_LESS_THAN_EQUAL: _of_signed(operator.le),
}
_DIVISIONS: dict[int, Callable[[int, int], int]] = {
    op.U_DIV: operator.floordiv,
    op.S_DIV: _quotient,
    op.U_MOD: operator.mod,
    op.S_REM: lambda a, b: _signed(a) - _signed(b) * _quotient(a, b),
    op.S_MOD: lambda a, b: _signed(a) % _signed(b),
}
_SHIFTS: dict[int, Callable[[int, int], int]] = {
    op.SHIFT_RIGHT_LOGICAL: operator.rshift,
    op.SHIFT_RIGHT_ARITHMETIC: lambda a, b: _signed(a) >> b,
    op.SHIFT_LEFT_LOGICAL: operator.lshift,
}
_OPERATIONS: dict[int, Callable[..., int]] = {
    **COMPARISONS,
    op.BITCAST: lambda a: a,
    op.S_NEGATE: operator.neg,
    op.I_ADD: operator.add,
    op.I_SUB: operator.sub,
    op.I_MUL: operator.mul,
    op.LOGICAL_EQUAL: operator.eq,
    op.LOGICAL_NOT_EQUAL: operator.ne,
    op.LOGICAL_OR: operator.or_,
    op.LOGICAL_AND: operator.and_,
    op.LOGICAL_NOT: lambda a: not a,
    op.SELECT: lambda chosen, a, b: a if chosen else b,
    op.BITWISE_OR: operator.or_,
    op.BITWISE_XOR: operator.xor,
    op.BITWISE_AND: operator.and_,
    op.NOT: operator.invert,
}


def evaluate(opcode: int, *operands: int) -> int | None:
    """The result's bits, or None if it is undefined or the instruction is not known here."""
    if opcode in _OPERATIONS:
        return int(_OPERATIONS[opcode](*operands)) % _WORD
    if opcode in _DIVISIONS and operands[1]:
        return _DIVISIONS[opcode](*operands) % _WORD
    if opcode in _SHIFTS and operands[1] < 32:
        return _SHIFTS[opcode](*operands) % _WORD
    return None


EVALUATED = frozenset((*_OPERATIONS, *_DIVISIONS, *_SHIFTS))
"""Opcodes."""
