"""Evaluate the instructions on 32-bit integers and booleans. Floats are left to the driver."""

from __future__ import annotations

import operator
from collections.abc import Callable

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
    170: operator.eq,
    171: operator.ne,
    172: operator.gt,
    173: _of_signed(operator.gt),
    174: operator.ge,
    175: _of_signed(operator.ge),
    176: operator.lt,
    177: _of_signed(operator.lt),
    178: operator.le,
    179: _of_signed(operator.le),
}
_DIVISIONS: dict[int, Callable[[int, int], int]] = {
    134: operator.floordiv,
    135: _quotient,
    137: operator.mod,
    138: lambda a, b: _signed(a) - _signed(b) * _quotient(a, b),
    139: lambda a, b: _signed(a) % _signed(b),
}
_SHIFTS: dict[int, Callable[[int, int], int]] = {
    194: operator.rshift,
    195: lambda a, b: _signed(a) >> b,
    196: operator.lshift,
}
_OPERATIONS: dict[int, Callable[..., int]] = {
    **COMPARISONS,
    124: lambda a: a,  # a bitcast
    126: operator.neg,
    128: operator.add,
    130: operator.sub,
    132: operator.mul,
    164: operator.eq,
    165: operator.ne,
    166: operator.or_,
    167: operator.and_,
    168: lambda a: not a,
    169: lambda chosen, a, b: a if chosen else b,
    197: operator.or_,
    198: operator.xor,
    199: operator.and_,
    200: operator.invert,
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
