"""Elements of buffers as values of a chain: two words each, of which unused bits are 0.

Those of 128 bits have four.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from dml_vk.arguments import Ints
from dml_vk.spirv import spec as op
from dml_vk.spirv.module import Module

Values = list[int]  # of one number, for elements that follow each other
Place = Callable[[int], int]


def read(asm: Module, binding: int, size: int, width: int, address: Place, count: int) -> Values:
    """Read so many elements, `width` bytes at once if they follow each other, else one by one."""
    if width < 4:
        element = cache(lambda at: _element(asm, binding, size, at))
        return [element(address(k)) for k in range(count)]
    start = asm.number(op.U_DIV, address(0), asm.constant(width // size))
    pieces = [
        asm.read(binding, width // 4, asm.number(op.I_ADD, start, asm.constant(k)))
        for k in range(count * size // width)
    ]
    if width == size >= 8:
        return pieces
    words = pieces
    if width > 4:
        words = [asm.part(piece, word) for piece in pieces for word in range(width // 4)]
    return from_words(asm, words, size)


def write(
    asm: Module,
    binding: int,
    size: int,
    width: int,
    address: Place,
    values: Sequence[int],
    *,
    shared: bool,
) -> None:
    """Write elements, `width` bytes at once if they follow each other, else one by one.

    Elements that are parts of words are put into these, which may be `shared` with other
    invocations.
    """
    if width <= size or width < 4:
        for k, value in enumerate(values):
            _put(asm, binding, size, address(k), value, shared=shared)
        return
    words = to_words(asm, values, size)
    start = asm.number(op.U_DIV, address(0), asm.constant(width // size))
    for k in range(0, len(words), width // 4):
        part = words[k : k + width // 4]
        value = asm.vector(*part) if len(part) > 1 else part[0]
        at = asm.number(op.I_ADD, start, asm.constant(k // (width // 4)))
        asm.store(binding, width // 4, at, value)


def from_words(asm: Module, words: Sequence[int], size: int) -> Values:
    """The elements that are in words."""
    if size >= 8:
        count = size // 4
        return [asm.vector(*words[k : k + count]) for k in range(0, len(words), count)]
    zero = asm.constant(0)
    if size == 4:
        return [asm.vector(word, zero) for word in words]
    shifts = [asm.constant(8 * at) for at in range(0, 4, size)]
    parts = [asm.number(op.SHIFT_RIGHT_LOGICAL, word, shift) for word in words for shift in shifts]
    return [asm.vector(cut(asm, part, size), zero) for part in parts]


def to_words(asm: Module, values: Sequence[int], size: int) -> list[int]:
    """The words of elements that fill them."""
    if size >= 8:
        return [asm.part(value, word) for value in values for word in range(size // 4)]
    words, per = [asm.part(value, 0) for value in values], 4 // size
    for k in range(1, per):
        by = asm.constant(k * 8 * size)
        words[::per] = [
            asm.number(op.BITWISE_OR, word, asm.number(op.SHIFT_LEFT_LOGICAL, more, by))
            for word, more in zip(words[::per], words[k::per])
        ]
    return words[::per]


def cut(asm: Module, word: int, size: int) -> int:
    """The lowest bytes of a word."""
    return asm.number(op.BITWISE_AND, word, asm.constant((1 << 8 * size) - 1))


def _element(asm: Module, binding: int, size: int, address: int) -> int:
    if size >= 8:
        return asm.read(binding, size // 4, address)
    if size == 4:
        return asm.vector(asm.read(binding, 1, address), asm.constant(0))
    at, shift = _part(asm, size, address)
    word = asm.number(op.SHIFT_RIGHT_LOGICAL, asm.read(binding, 1, at), shift)
    return asm.vector(cut(asm, word, size), asm.constant(0))


def _put(asm: Module, binding: int, size: int, address: int, value: int, *, shared: bool) -> None:
    if size >= 4:
        asm.store(binding, size // 4, address, value if size >= 8 else asm.part(value, 0))
        return
    at, shift = _part(asm, size, address)
    mask = asm.number(op.SHIFT_LEFT_LOGICAL, asm.constant((1 << 8 * size) - 1), shift)
    bits = asm.number(op.SHIFT_LEFT_LOGICAL, asm.part(value, 0), shift)
    asm.replace(binding, at, mask, bits, shared=shared)


def _part(asm: Module, size: int, address: int) -> tuple[int, int]:
    """(the word that an element is a part of, its first bit there)."""
    per = asm.constant(4 // size)
    shift = asm.number(op.I_MUL, asm.number(op.U_MOD, address, per), asm.constant(8 * size))
    return asm.number(op.U_DIV, address, per), shift


def coordinates(asm: Module, index: int, sizes: Ints) -> list[int]:
    """The coordinates of a linear index; the first is the innermost."""
    parts = []
    for size in sizes[:-1]:
        if size == 1:
            parts.append(asm.constant(0))
            continue
        rest = asm.number(op.U_DIV, index, asm.constant(size))
        whole = asm.number(op.I_MUL, rest, asm.constant(size))
        parts.append(asm.number(op.I_SUB, index, whole))
        index = rest
    return [*parts, index] if sizes else []


def moved(asm: Module, address: int, at: Sequence[int], strides: Ints) -> int:
    """A place moved along coordinates."""
    for coordinate, stride in zip(at, strides):
        address = asm.number(
            op.I_ADD, address, asm.number(op.I_MUL, coordinate, asm.constant(stride))
        )
    return address
