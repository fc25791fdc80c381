"""Words as stored tables have them: hexadecimal, the least significant first."""

from __future__ import annotations


def words(text: str) -> list[int]:
    return [int(word, 16) for word in text.split()]


def number(text: str) -> int:
    """What several words come to."""
    return sum(word << 32 * at for at, word in enumerate(words(text)))
