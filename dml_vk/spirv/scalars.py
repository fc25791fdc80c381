"""Convert Python numbers to the 32-bit words that a shader declares, without silent conversions."""

from __future__ import annotations

import operator
import struct
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from numbers import Real
from typing import Any, NamedTuple

from dml_vk.arguments import is_bool
from dml_vk.errors import ShaderError

# A push block has 32 words. The limits stop at recursive lists and endless iterables.
_MOST_NUMBERS, _MOST_DEPTH = 1000, 4
_RANGES = {"uint": (0, 2**32 - 1), "int": (-(2**31), 2**31 - 1)}


class Slot(NamedTuple):
    """A 32-bit word that the caller passes."""

    name: str
    type: str  # "uint", "int", "float", "bool"


def to_words(
    what: str, kind: str, slots: Sequence[Slot], numbers: object, *, whole: bool
) -> list[int]:
    """Convert values to one word per slot, in order; fewer are allowed unless `whole`.

    `numbers` is a number, numbers in order, numbers by name (those of an array together), or the
    words themselves as bytes.
    """
    if isinstance(numbers, (bytes, bytearray)):
        if len(numbers) % 4:
            rule = f"{kind} as bytes must be whole 32-bit words"
            raise ShaderError(what, rule, bytes=len(numbers))
        words = list(struct.unpack(f"<{len(numbers) // 4}I", numbers))
        _check_count(what, kind, slots, len(words), numbers, whole)
        return words
    if isinstance(numbers, Mapping):
        numbers = _in_order(what, kind, slots, numbers)
    values = _flat(what, kind, numbers)
    _check_count(what, kind, slots, len(values), numbers, whole)
    return [_word(what, slot, value) for slot, value in zip(slots, values)]


def describe(slots: Iterable[Slot]) -> str:
    """Format slots as a shader would declare them: `uint n, float steps[3]`."""
    counts: dict[Slot, int] = {}
    for slot in slots:
        counts[slot] = counts.get(slot, 0) + 1
    return ", ".join(
        f"{slot.type} {slot.name}" + (f"[{count}]" if count > 1 else "")
        for slot, count in counts.items()
    )


def _word(what: str, slot: Slot, value: Any) -> int:
    if slot.type == "bool":
        if is_bool(value):
            return int(value)
    elif slot.type == "float":
        if isinstance(value, Real):
            try:
                return int(struct.unpack("<I", struct.pack("<f", value))[0])
            except (OverflowError, struct.error):
                pass  # too large for a float32, or for any float
    else:
        low, high = _RANGES[slot.type]
        try:
            number = operator.index(value)
        except TypeError:
            number = high + 1
        if low <= number <= high:
            return number & 0xFFFFFFFF
    rule = f"{slot.name} must be a 32-bit {slot.type}"
    raise ShaderError(what, rule, **{slot.name: value})


def _in_order(
    what: str, kind: str, slots: Sequence[Slot], by_name: Mapping[str, object]
) -> list[object]:
    names = list(dict.fromkeys(slot.name for slot in slots))
    if set(by_name) != set(names):
        rule = f"{kind} takes exactly these names: {describe(slots) or 'none'}"
        raise ShaderError(what, rule, names=list(by_name))
    values: list[Any] = []
    for name in names:
        part, count = _flat(what, name, by_name[name]), sum(slot.name == name for slot in slots)
        if len(part) != count:
            rule = f"{name} must have {count} values"
            raise ShaderError(what, rule, **{name: by_name[name]})
        values += part
    return values


def _flat(what: str, kind: str, numbers: Any, depth: int = 0) -> list[Any]:
    """Flatten a number or a nested iterable of numbers."""
    if isinstance(numbers, (str, bytes, bytearray)) or depth > _MOST_DEPTH:
        raise ShaderError(what, f"{kind} must be numbers", **{kind: numbers})
    try:
        parts = islice(iter(numbers), _MOST_NUMBERS)
    except TypeError:
        return [numbers]
    return [value for part in parts for value in _flat(what, kind, part, depth + 1)]


def _check_count(
    what: str, kind: str, slots: Sequence[Slot], count: int, numbers: object, whole: bool
) -> None:
    if count > len(slots) or (whole and count < len(slots)):
        most = "" if whole else "at most "
        rule = f"{kind} must be {most}{len(slots)} values: {describe(slots) or 'none'}"
        raise ShaderError(what, rule, **{kind: numbers})
