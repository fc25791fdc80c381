"""Random numbers that are the same on every device: streams of Philox4x32-10."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from dml_vk import context
from dml_vk.aliases import not_there
from dml_vk.arguments import Ints, several, to_int
from dml_vk.array.indexing.take import take_known
from dml_vk.array.random.draws import NormalDraw, draw_into, dtype_of_draw, normals
from dml_vk.array.sorting.sorts import argsort
from dml_vk.dtypes import (
    DType,
    DTypeLike,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int64,
    uint32,
    uint64,
)
from dml_vk.errors import ONE_DEVICE, DeviceError, ErrorsAs, LayoutError, RangeError
from dml_vk.layout import Layout, MemoryFormat, contiguous_format
from dml_vk.ops import draws
from dml_vk.ops.draws import Draw
from dml_vk.ops.philox import blocks_begun, blocks_of, fill_philox
from dml_vk.ops.streams import from_words, hashed_key, seeded_key, to_unsigned, to_words
from dml_vk.runtime.device import device as open_device
from dml_vk.runtime.gate import Gate
from dml_vk.tensor.core import DeviceLike, Tensor, tensor_over
from dml_vk.tensor.operands import check_out, of_kinds, to_tensor
from dml_vk.tracing.capture import check_known, claimed, is_captured, own

__all__ = ["Generator"]

Shape = int | Iterable[int] | None
MOST_CHILDREN = 2**20  # of one split: they are all created at once
_drawing = Gate()  # so that no two calls start at the same counter


class Generator:
    """A stream of random words, a pure function of a 64-bit key and a 128-bit counter.

    Element i of a call, in logical row-major order, is made from word i % 4 of block counter + i //
    4, whatever the layout; 64-bit elements take two words each, low word first. The counter then
    advances by the number of blocks started, modulo 2**128. docs/random.md specifies how words
    become numbers. Threads may share a generator. Numbers are written to new memory in
    `memory_format`, or to `out`, whose shape is used if no shape is given.

    A seed can be any integer. The key is derived from it by SHA-256: the first 8 bytes,
    little-endian, of the hash of its digits, as `format(seed, "x")` writes them. Without both, the
    key is random; in a compiled function, each call has another.

    >>> import dml_vk
    >>> [hex(word) for word in dml_vk.random.Generator(key=0).bits(5).tolist()]
    ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8', '0xf8e4cca4']
    """

    def __init__(
        self,
        seed: int | None = None,
        *,
        key: int | None = None,
        counter: int = 0,
        device: DeviceLike = None,
    ) -> None:
        if key is not None and seed is not None:
            rule = "seed and key must not both be given"
            raise RangeError("Generator", rule, seed=seed, key=key)
        # One that a captured function creates starts at each call: with a new key if it is random.
        self._is_begun = key is not None or seed is not None or not is_captured()
        if self._is_begun:
            own(self)
        if key is None:
            key = secrets.randbits(64) if seed is None else seeded_key(seed)
        # Key and counter are one value, so that they change in one step.
        self._stream = (to_unsigned("key", key, 64), to_unsigned("counter", counter, 128))
        self.device = device

    @classmethod
    def from_state(cls, words: Iterable[int], *, device: DeviceLike = None) -> Generator:
        """Create a generator that continues from this `state`.

        >>> import dml_vk
        >>> generator = dml_vk.random.Generator(5)
        >>> again = dml_vk.random.Generator.from_state(generator.state)
        >>> generator.bits(3).tolist() == again.bits(3).tolist()
        True
        """
        key, counter = from_words(words)
        return cls(key=key, counter=counter, device=device)

    @property
    def key(self) -> int:
        check_known(self)
        return self._stream[0]

    @property
    def counter(self) -> int:
        """The block at which the next call starts."""
        check_known(self)
        return self._stream[1]

    @counter.setter
    def counter(self, value: int) -> None:
        value = to_unsigned("counter", value, 128)
        with _drawing.enter():
            self._stream = (self.key, value)

    @property
    def state(self) -> Ints:
        """DirectML's state of six words: the counter, least significant word first, then the key.

        >>> import dml_vk
        >>> dml_vk.random.Generator(key=7, counter=2).state
        (2, 0, 0, 0, 7, 0)
        """
        check_known(self)
        return to_words(*self._stream)

    @state.setter
    def state(self, words: Iterable[int]) -> None:
        stream = from_words(words)
        check_known(self)
        with _drawing.enter():
            self._stream = stream

    def advance(self, blocks: int) -> None:
        """Skip blocks of four words, or go back if the number is negative.

        >>> import dml_vk
        >>> generator = dml_vk.random.Generator(5)
        >>> generator.advance(2)
        >>> generator.bits(1).tolist() == dml_vk.random.Generator(5).bits(9).tolist()[8:]
        True
        """
        self._move(to_int("advance", "blocks", blocks))

    def split(self, n: int) -> list[Generator]:
        """Return n generators with streams that are independent of this one and of each other.

        The key of generator k is the hash, as for a seed, of `f"{key:x} {counter:x} {k:x}"`; its
        counter is 0. This generator advances by one block, so that the next split returns different
        generators.

        >>> import dml_vk
        >>> len({one.key for one in dml_vk.random.Generator(5).split(3)})
        3
        """
        count = to_int("split", "n", n)
        if not 0 <= count <= MOST_CHILDREN:
            raise RangeError("split", f"n must be from 0 to {MOST_CHILDREN}", n=n)
        key, counter = self._move(1)
        texts = [f"{key:x} {counter:x} {k:x}" for k in range(count)]
        return [Generator(key=hashed_key(text), device=self.device) for text in texts]

    def bits(
        self,
        shape: Shape = None,
        dtype: DTypeLike = uint32,
        *,
        memory_format: MemoryFormat = contiguous_format,
        out: Tensor | None = None,
    ) -> Tensor:
        """Draw random bits, as uint32 or uint64.

        >>> import dml_vk
        >>> dml_vk.random.Generator(key=0).bits(2, "uint64").tolist()
        [16242730742183356629, 11169168799798111308]
        """
        kind = dtype_of_draw("bits", shape, dtype, (uint32, uint64))
        return self._drawn("bits", shape, kind, memory_format, out, draws.words(kind))

    def random(
        self,
        shape: Shape = None,
        dtype: DTypeLike = float32,
        *,
        memory_format: MemoryFormat = contiguous_format,
        out: Tensor | None = None,
    ) -> Tensor:
        """Draw uniform floats in [0, 1).

        They are the high bits of a word, 24 for float32 and 11 for float16, or 53 of two words for
        float64, times the power of two that makes them less than 1.

        >>> import dml_vk
        >>> dml_vk.random.Generator(key=0).random(2).tolist()
        [0.3990464210510254, 0.8805201649665833]
        """
        kind = dtype_of_draw("random", shape, dtype, _FLOATS)
        return self._drawn("random", shape, kind, memory_format, out, draws.words(kind))

    def uniform(
        self,
        low: float = 0.0,
        high: float = 1.0,
        shape: Shape = None,
        dtype: DTypeLike = float32,
        *,
        memory_format: MemoryFormat = contiguous_format,
        out: Tensor | None = None,
    ) -> Tensor:
        """Draw uniform floats in [low, high): `min(low + (high - low) * u, most)`.

        u is what `random` draws from the same words, and most the largest float below high. Every
        operation is rounded; for float16, operations are rounded to float32 and the result to
        float16.

        >>> import dml_vk
        >>> x = dml_vk.random.Generator(key=0).uniform(-1, 1, 4).numpy()
        >>> bool((-1 <= x).all() and (x < 1).all())
        True
        """
        kind = dtype_of_draw("uniform", shape, dtype, _FLOATS)
        draw = draws.uniform("uniform", kind, low, high)
        return self._drawn("uniform", shape, kind, memory_format, out, draw)

    def integers(
        self,
        low: int,
        high: int | None = None,
        shape: Shape = None,
        dtype: DTypeLike = int64,
        *,
        endpoint: bool = False,
        memory_format: MemoryFormat = contiguous_format,
        out: Tensor | None = None,
    ) -> Tensor:
        """Draw integers from low up to, not including, high, or including it with `endpoint`.

        All are equally likely. With one number, the range starts at 0. If the range has at most
        2**32 integers, each takes one word, else two. The dtype can be any integer dtype that can
        hold the range.

        >>> import dml_vk
        >>> dml_vk.random.Generator(key=0).integers(1, 6, 8, "uint8", endpoint=True).tolist()
        [3, 6, 5, 4, 6, 3, 5, 1]
        """
        kind = dtype_of_draw("integers", shape, dtype, of_kinds("iu"))
        low, high = (0, low) if high is None else (low, high)
        draw = draws.integers("integers", kind, low, high, endpoint)
        return self._drawn("integers", shape, kind, memory_format, out, draw)

    def normal(
        self,
        shape: Shape = None,
        dtype: DTypeLike = float32,
        *,
        mean: complex = 0.0,
        std: float = 1.0,
        memory_format: MemoryFormat = contiguous_format,
        out: Tensor | None = None,
    ) -> Tensor:
        """Draw normal floats with this mean and standard deviation, by Box-Muller.

        Elements 2j and 2j + 1 are made from words 2j and 2j + 1, with the same bits on every
        device. float16 is the float32 result rounded. The parts of complex64 are drawn as a float32
        tensor with one more dim, with the deviation std / sqrt(2), so that std is that of the
        complex numbers. float64 and complex128 are computed in float64, element j from the two
        floats that `random` makes of words 4j to 4j + 3.

        >>> import dml_vk
        >>> dml_vk.random.Generator(key=0).normal(2).tolist()
        [0.9911375641822815, -0.9246625900268555]
        """
        kind = dtype_of_draw("normal", shape, dtype, _NORMAL)
        draw = normals("normal", kind, mean, std)
        return self._drawn("normal", shape, kind, memory_format, out, draw)

    def permutation(
        self,
        x: int | Tensor,
        *,
        memory_format: MemoryFormat = contiguous_format,
        out: Tensor | None = None,
    ) -> Tensor:
        """Draw a random order of the integers below x (int64), or of a 1-D tensor's elements.

        It is the order of as many random uint64, `argsort(bits(n, uint64))`.

        >>> import dml_vk
        >>> dml_vk.random.Generator(key=0).permutation(5).tolist()
        [3, 4, 2, 1, 0]
        """
        what = "permutation"
        if isinstance(x, Tensor):
            source, shape, dtype = x, x.shape, x.dtype
            if x.ndim != 1:
                raise LayoutError(what, "x must be 1-D", shape=shape)
        else:
            source, shape, dtype = None, (to_int(what, "x", x),), int64
        target = self._target(what, shape, dtype, memory_format, out, source)
        words = tensor_over(what, Layout(shape), uint64, target.device)
        fill_philox(what, words, uint64, self._next(blocks_begun(words.layout.numel, uint64)))
        if source is None:
            return argsort(words, out=target)
        return take_known(what, source, argsort(words), 0, target)

    def _drawn(
        self,
        what: str,
        shape: Shape,
        dtype: DType,
        memory_format: MemoryFormat,
        out: Tensor | None,
        draw: Draw | NormalDraw,
    ) -> Tensor:
        target = self._target(what, shape, dtype, memory_format, out)
        state = self._next(blocks_of(target.layout.numel * draw.words))
        return draw_into(what, target, draw, state)

    def _target(
        self,
        what: str,
        shape: Shape,
        dtype: DType,
        memory_format: MemoryFormat,
        out: Tensor | None,
        source: Tensor | None = None,
    ) -> Tensor:
        """Return the tensor to write: `out`, or a new one on the device of the source, if any."""
        if shape is None:
            shape = () if out is None else to_tensor(what, "out", out).shape
        sizes = several(shape)
        with ErrorsAs(what, sizes="shape"):
            layout = Layout.packed(sizes, memory_format)
        if source is not None:
            self._on(what, "x", source)
        if out is None:
            device = open_device(self.device) if source is None else source.device
            return tensor_over(what, layout, dtype, device)
        out = to_tensor(what, "out", out)
        if memory_format is not contiguous_format:
            rule = "memory_format and out must not both be given"
            raise LayoutError(what, rule, memory_format=memory_format, out=out.layout)
        self._on(what, "out", out)
        return check_out(what, out, layout.sizes, dtype, out if source is None else source)

    def _on(self, what: str, name: str, tensor: Tensor) -> None:
        """Check that a tensor is on the generator's device, if that has one."""
        if self.device is not None and open_device(self.device) is not tensor.device:
            raise DeviceError(what, ONE_DEVICE, **{name: tensor.device}, generator=self.device)

    def _next(self, blocks: int) -> Ints:
        """Advance the counter by these blocks; return the state before, or what stands for it."""
        is_first, self._is_begun = not self._is_begun, True
        start = self._stream[1]

        def claim() -> Ints:
            if is_first:
                self._stream = secrets.randbits(64), start
            return to_words(*self._claim(blocks))

        return claimed(self, claim)

    def _move(self, blocks: int) -> tuple[int, int]:
        """Advance as `_claim` does, once for a function that is computed again."""
        recorder = context.recorder()
        if recorder is None:
            return self._claim(blocks)
        return from_words(recorder.claim(lambda: to_words(*self._claim(blocks))))

    def _claim(self, blocks: int) -> tuple[int, int]:
        """Advance the counter by these blocks; return the key and the old counter."""
        check_known(self)
        with _drawing.enter():
            key, counter = self._stream
            self._stream = (key, (counter + blocks) % 2**128)
            return key, counter

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the state and the name of the device, if it has one."""
        device = self.device
        if device is not None and not isinstance(device, str):
            device = open_device(device).name
        return _from_pickle, (type(self), self.state, device)

    def __repr__(self) -> str:
        return f"Generator(key={self.key:#x}, counter={self.counter:#x})"


_FLOATS = (float32, float16, float64)
_NORMAL = (*_FLOATS, complex64, complex128)


def _from_pickle(kind: type[Generator], state: Ints, device: str | None) -> Generator:
    return kind.from_state(state, device=device)


if not TYPE_CHECKING:  # It would make type checkers accept all names.

    def __getattr__(name: str) -> Any:
        raise AttributeError(not_there("module 'dml_vk.random'", name))
