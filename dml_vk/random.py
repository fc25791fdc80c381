"""Random numbers that are the same on every device: streams of Philox4x32-10."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from typing import Any

from dml_vk.creation import Wanted, empty
from dml_vk.dtypes import DType, float16, float32, float64, to_dtype, uint32, uint64
from dml_vk.errors import DTypeError, RangeError, explain
from dml_vk.layout import MemoryFormat, contiguous_format
from dml_vk.ops.philox import blocks_begun, fill_philox
from dml_vk.runtime.gate import Gate
from dml_vk.strides.order import Ints, to_int
from dml_vk.tensor import Tensor

__all__ = ["Generator"]

_drawing = Gate()  # so that no two calls begin at one counter


class Generator:
    """A stream of random words, a pure function of a 64-bit key and a 128-bit counter.

    Element i of a call, in logical row-major order, is made from word i % 4 of block
    counter + i // 4, whatever the layout; 64-bit elements take two words each, low word first. The
    counter then moves on by the blocks begun, modulo 2**128. Threads may share a generator.

    A seed, any integer, becomes the key by SHA-256: the first 8 bytes of the hash of its digits,
    as `format(seed, "x")` writes them, little-endian. Without seed and key, the key is random.

    >>> [hex(word) for word in Generator(key=0).bits(5).tolist()]
    ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8', '0xf8e4cca4']
    """

    def __init__(
        self,
        seed: int | None = None,
        *,
        key: int | None = None,
        counter: int = 0,
        device: Wanted = None,
    ) -> None:
        if key is not None and seed is not None:
            raise RangeError(explain("Generator", "give seed or key, not both", seed=seed, key=key))
        if key is None:
            key = secrets.randbits(64) if seed is None else _hashed(seed)
        self._key = _unsigned("key", key, 64)
        self.counter = counter
        self.device = device

    @property
    def key(self) -> int:
        return self._key

    @property
    def counter(self) -> int:
        """The block that the next call begins with."""
        return self._counter

    @counter.setter
    def counter(self, value: int) -> None:
        value = _unsigned("counter", value, 128)
        with _drawing.enter():
            self._counter = value

    @property
    def state(self) -> Ints:
        """DirectML's six words: the counter, least significant first, then the key."""
        return self._state(self.counter)

    def advance(self, blocks: int) -> None:
        """Skip blocks of four words, or with a negative number go back."""
        self._claim(to_int("advance", "blocks", blocks))

    def bits(
        self,
        shape: int | Iterable[int],
        dtype: Any = uint32,
        *,
        memory_format: MemoryFormat = contiguous_format,
    ) -> Tensor:
        """Random bits, as uint32 or uint64."""
        return self._fill("bits", shape, _one_of("bits", dtype, (uint32, uint64)), memory_format)

    def random(
        self,
        shape: int | Iterable[int],
        dtype: Any = float32,
        *,
        memory_format: MemoryFormat = contiguous_format,
    ) -> Tensor:
        """Uniform floats in [0, 1): the high bits of a word, 24 for float32, 11 for float16, and
        53 of two words for float64, times the power of two that brings them below 1.
        """
        kind = _one_of("random", dtype, (float32, float16, float64))
        return self._fill("random", shape, kind, memory_format)

    def _fill(
        self, what: str, shape: int | Iterable[int], dtype: DType, memory_format: MemoryFormat
    ) -> Tensor:
        new = empty(shape, dtype, device=self.device, memory_format=memory_format)
        counter = self._claim(blocks_begun(new.layout.numel, dtype))
        fill_philox(what, new.strided, dtype, self._state(counter))
        return new

    def _claim(self, blocks: int) -> int:
        """The counter as it was before these blocks were taken."""
        with _drawing.enter():
            counter = self._counter
            self._counter = (counter + blocks) % 2**128
            return counter

    def _state(self, counter: int) -> Ints:
        both = self.key << 128 | counter
        return tuple([both >> 32 * k & 0xFFFFFFFF for k in range(6)])

    def __repr__(self) -> str:
        return f"Generator(key={self.key:#x}, counter={self.counter:#x})"


def _hashed(seed: int) -> int:
    digits = format(to_int("Generator", "seed", seed), "x").encode()
    return int.from_bytes(hashlib.sha256(digits).digest()[:8], "little")


def _unsigned(name: str, value: int, bits: int) -> int:
    value = to_int("Generator", name, value)
    if not 0 <= value < 2**bits:
        raise RangeError(
            explain("Generator", f"{name} must be from 0 to 2**{bits} - 1", **{name: value})
        )
    return value


def _one_of(what: str, given: Any, allowed: tuple[DType, ...]) -> DType:
    dtype = to_dtype(what, given)
    if dtype not in allowed:
        names = ", ".join(kind.name for kind in allowed)
        raise DTypeError(explain(what, f"dtype must be one of {names}", dtype=dtype))
    return dtype
