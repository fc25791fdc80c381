"""Philox4x32-10 in plain Python."""

from __future__ import annotations

from collections.abc import Iterator

_MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
_KEY_STEPS = 0x9E3779B9, 0xBB67AE85


def blocks(key: int, counter: int, rounds: int = 10) -> Iterator[tuple[int, int, int, int]]:
    """Yield blocks of four words endlessly, starting at a counter, which wraps at 2**128.

    >>> from dml_vk.commands.plain_philox import blocks
    >>> [hex(word) for word in next(blocks(0, 0))]
    ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
    """
    while True:
        c0, c1, c2, c3 = [counter >> shift & 0xFFFFFFFF for shift in (0, 32, 64, 96)]
        k0, k1 = key & 0xFFFFFFFF, key >> 32
        for _ in range(rounds):
            high0, low0 = divmod(_MULTIPLIERS[0] * c0, 2**32)
            high1, low1 = divmod(_MULTIPLIERS[1] * c2, 2**32)
            c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
            k0, k1 = (k0 + _KEY_STEPS[0]) % 2**32, (k1 + _KEY_STEPS[1]) % 2**32
        yield c0, c1, c2, c3
        counter += 1  # only its low 128 bits are read
