"""Elements of buffers as values of a chain: two words each, of which unused bits are 0.

Those of 128 bits have four.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from dml_vk.arguments import Ints
from dml_vk.spirv import spec as op
from dml_vk.spirv.builder import Builder

Values = list[int]  # of one number, for elements that follow each other
Address = Callable[[int], int]


def read(
    builder: Builder, binding: int, size: int, width: int, address: Address, count: int
) -> Values:
    """Read so many elements, `width` bytes at once if they follow each other, else one by one."""
    if width < 4:
        element = cache(lambda at: _element(builder, binding, size, at))
        return [element(address(k)) for k in range(count)]
    start = builder.number(op.U_DIV, address(0), builder.constant(width // size))
    pieces = [
        builder.read(binding, width // 4, builder.number(op.I_ADD, start, builder.constant(k)))
        for k in range(count * size // width)
    ]
    if width == size >= 8:
        return pieces
    words = pieces
    if width > 4:
        words = [builder.part(piece, word) for piece in pieces for word in range(width // 4)]
    return from_words(builder, words, size)


def write(
    builder: Builder,
    binding: int,
    size: int,
    width: int,
    address: Address,
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
            _put(builder, binding, size, address(k), value, shared=shared)
        return
    words = to_words(builder, values, size)
    start = builder.number(op.U_DIV, address(0), builder.constant(width // size))
    for k in range(0, len(words), width // 4):
        part = words[k : k + width // 4]
        value = builder.vector(*part) if len(part) > 1 else part[0]
        at = builder.number(op.I_ADD, start, builder.constant(k // (width // 4)))
        builder.store(binding, width // 4, at, value)


def from_words(builder: Builder, words: Sequence[int], size: int) -> Values:
    """The elements that are in words."""
    if size >= 8:
        count = size // 4
        return [builder.vector(*words[k : k + count]) for k in range(0, len(words), count)]
    zero = builder.constant(0)
    if size == 4:
        return [builder.vector(word, zero) for word in words]
    shifts = [builder.constant(8 * at) for at in range(0, 4, size)]
    parts = [
        builder.number(op.SHIFT_RIGHT_LOGICAL, word, shift) for word in words for shift in shifts
    ]
    return [builder.vector(cut(builder, part, size), zero) for part in parts]


def to_words(builder: Builder, values: Sequence[int], size: int) -> list[int]:
    """The words of elements that fill them."""
    if size >= 8:
        return [builder.part(value, word) for value in values for word in range(size // 4)]
    words, per = [builder.part(value, 0) for value in values], 4 // size
    for k in range(1, per):
        by = builder.constant(k * 8 * size)
        words[::per] = [
            builder.number(op.BITWISE_OR, word, builder.number(op.SHIFT_LEFT_LOGICAL, more, by))
            for word, more in zip(words[::per], words[k::per])
        ]
    return words[::per]


def cut(builder: Builder, word: int, size: int) -> int:
    """The lowest bytes of a word."""
    return builder.number(op.BITWISE_AND, word, builder.constant((1 << 8 * size) - 1))


def _element(builder: Builder, binding: int, size: int, address: int) -> int:
    if size >= 8:
        return builder.read(binding, size // 4, address)
    if size == 4:
        return builder.vector(builder.read(binding, 1, address), builder.constant(0))
    at, shift = _part(builder, size, address)
    word = builder.number(op.SHIFT_RIGHT_LOGICAL, builder.read(binding, 1, at), shift)
    return builder.vector(cut(builder, word, size), builder.constant(0))


def _put(
    builder: Builder, binding: int, size: int, address: int, value: int, *, shared: bool
) -> None:
    if size >= 4:
        builder.store(binding, size // 4, address, value if size >= 8 else builder.part(value, 0))
        return
    at, shift = _part(builder, size, address)
    mask = builder.number(op.SHIFT_LEFT_LOGICAL, builder.constant((1 << 8 * size) - 1), shift)
    bits = builder.number(op.SHIFT_LEFT_LOGICAL, builder.part(value, 0), shift)
    builder.replace(binding, at, mask, bits, shared=shared)


def _part(builder: Builder, size: int, address: int) -> tuple[int, int]:
    """(the word that an element is a part of, its first bit there)."""
    per = builder.constant(4 // size)
    shift = builder.number(
        op.I_MUL, builder.number(op.U_MOD, address, per), builder.constant(8 * size)
    )
    return builder.number(op.U_DIV, address, per), shift


def coordinates(builder: Builder, index: int, sizes: Ints) -> list[int]:
    """The coordinates of a linear index; the first is the innermost."""
    parts = []
    for size in sizes[:-1]:
        if size == 1:
            parts.append(builder.constant(0))
            continue
        rest = builder.number(op.U_DIV, index, builder.constant(size))
        whole = builder.number(op.I_MUL, rest, builder.constant(size))
        parts.append(builder.number(op.I_SUB, index, whole))
        index = rest
    return [*parts, index] if sizes else []


def moved(builder: Builder, address: int, at: Sequence[int], strides: Ints) -> int:
    """A place moved along coordinates."""
    for coordinate, stride in zip(at, strides):
        address = builder.number(
            op.I_ADD, address, builder.number(op.I_MUL, coordinate, builder.constant(stride))
        )
    return address
