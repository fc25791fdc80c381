"""Streams of random words: a 64-bit key, and a 128-bit counter of the blocks drawn."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from dml_vk.arguments import Ints, to_int, to_ints
from dml_vk.errors import RangeError


def to_words(key: int, counter: int) -> Ints:
    both = key << 128 | counter
    return tuple([both >> 32 * k & 0xFFFFFFFF for k in range(6)])


def from_words(words: Iterable[int]) -> tuple[int, int]:
    """Return the (key, counter) of six words."""
    state = to_ints("Generator", "state", words)
    if len(state) != 6 or max(state) >= 2**32 or min(state) < 0:
        rule = "state must be six words from 0 to 2**32 - 1"
        raise RangeError("Generator", rule, state=state)
    both = sum([word << 32 * k for k, word in enumerate(state)])
    return both >> 128, both % 2**128


def seeded_key(seed: int) -> int:
    return hashed_key(format(to_int("Generator", "seed", seed), "x"))


def hashed_key(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")


def to_unsigned(name: str, value: int, bits: int) -> int:
    value = to_int("Generator", name, value)
    if not 0 <= value < 2**bits:
        rule = f"{name} must be from 0 to 2**{bits} - 1"
        raise RangeError("Generator", rule, **{name: value})
    return value
