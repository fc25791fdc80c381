"""Random arrays of Dask, drawn from one stream, whatever the chunks and workers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import dask
import dask.array as da

from dml_vk import random
from dml_vk.arguments import Ints, several, to_int
from dml_vk.array.creation.arrays import empty
from dml_vk.array.random.draws import NormalDraw, draw_into
from dml_vk.dask.chunks import Chunks, meta_of
from dml_vk.dtypes import DType, DTypeLike, float32, int64, uint32
from dml_vk.errors import ErrorsAs
from dml_vk.layout import Layout, MemoryFormat, contiguous_format
from dml_vk.ops.draws import Draw
from dml_vk.ops.excerpts import Excerpt
from dml_vk.ops.philox import blocks_of
from dml_vk.random import Shape
from dml_vk.tensor.core import Tensor

__all__ = ["Generator"]


class Drawing(NamedTuple):
    """The arguments of a draw, and the state at its start."""

    what: str
    sizes: Ints
    dtype: DType
    memory_format: MemoryFormat
    draw: Draw | NormalDraw
    state: Ints


class _Stream(random.Generator):
    """A generator whose calls return what they would draw, and draw nothing."""

    def _drawn(  # type: ignore[override]
        self,
        what: str,
        shape: Shape,
        dtype: DType,
        memory_format: MemoryFormat,
        out: Tensor | None,
        draw: Draw | NormalDraw,
    ) -> Drawing:
        layout = _layout(what, shape, memory_format)
        state = self._next(blocks_of(layout.numel * draw.words))
        return Drawing(what, layout.sizes, dtype, memory_format, draw, state)


class Generator:
    """A stream of random numbers for arrays of Dask.

    It draws the numbers of a `dml_vk.random.Generator` with the same seed, key or state: element i
    of a call is made from the same words of the stream, whichever chunk it is in and whichever
    worker computes that. Chunks are drawn when they are computed, on the default device of the
    process.

    >>> import dml_vk.dask
    >>> x = dml_vk.dask.random.Generator(seed=7).normal((4, 6), chunks=(3, 5))
    >>> whole = dml_vk.random.Generator(seed=7).normal((4, 6))
    >>> bool(dml_vk.all(x.compute() == whole))
    True
    """

    def __init__(
        self, seed: int | None = None, *, key: int | None = None, counter: int = 0
    ) -> None:
        self._stream: Any = _Stream(seed, key=key, counter=counter)

    @classmethod
    def from_state(cls, words: Iterable[int]) -> Generator:
        """Create a generator that continues from this `state`, also one of `dml_vk.random`."""
        generator = cls(key=0)
        generator.state = words
        return generator

    @property
    def key(self) -> int:
        return int(self._stream.key)

    @property
    def counter(self) -> int:
        """The block at which the next call starts."""
        return int(self._stream.counter)

    @counter.setter
    def counter(self, value: int) -> None:
        self._stream.counter = value

    @property
    def state(self) -> Ints:
        """Six words: the counter, least significant word first, then the key."""
        return tuple(self._stream.state)

    @state.setter
    def state(self, words: Iterable[int]) -> None:
        self._stream.state = words

    def advance(self, blocks: int) -> None:
        """Skip blocks of four words, or go back if the number is negative."""
        self._stream.advance(blocks)

    def split(self, n: int) -> list[Generator]:
        """Return n generators of independent streams, as in `dml_vk.random`."""
        return [Generator(key=generator.key) for generator in self._stream.split(n)]

    def bits(
        self,
        shape: Shape = None,
        dtype: DTypeLike = uint32,
        *,
        chunks: Chunks = "auto",
        memory_format: MemoryFormat = contiguous_format,
    ) -> da.Array:
        """Draw random bits, as uint32 or uint64."""
        return _array(self._stream.bits(shape, dtype, memory_format=memory_format), chunks)

    def random(
        self,
        shape: Shape = None,
        dtype: DTypeLike = float32,
        *,
        chunks: Chunks = "auto",
        memory_format: MemoryFormat = contiguous_format,
    ) -> da.Array:
        """Draw uniform floats in [0, 1)."""
        return _array(self._stream.random(shape, dtype, memory_format=memory_format), chunks)

    def uniform(
        self,
        low: float = 0.0,
        high: float = 1.0,
        shape: Shape = None,
        dtype: DTypeLike = float32,
        *,
        chunks: Chunks = "auto",
        memory_format: MemoryFormat = contiguous_format,
    ) -> da.Array:
        """Draw uniform floats in [low, high)."""
        drawing = self._stream.uniform(low, high, shape, dtype, memory_format=memory_format)
        return _array(drawing, chunks)

    def integers(
        self,
        low: int,
        high: int | None = None,
        shape: Shape = None,
        dtype: DTypeLike = int64,
        *,
        endpoint: bool = False,
        chunks: Chunks = "auto",
        memory_format: MemoryFormat = contiguous_format,
    ) -> da.Array:
        """Draw integers from low up to, not including, high, or including it with `endpoint`."""
        options = {"endpoint": endpoint, "memory_format": memory_format}
        return _array(self._stream.integers(low, high, shape, dtype, **options), chunks)

    def normal(
        self,
        shape: Shape = None,
        dtype: DTypeLike = float32,
        *,
        mean: complex = 0.0,
        std: float = 1.0,
        chunks: Chunks = "auto",
        memory_format: MemoryFormat = contiguous_format,
    ) -> da.Array:
        """Draw normal floats, or complex numbers, with this mean and standard deviation."""
        options = {"mean": mean, "std": std, "memory_format": memory_format}
        return _array(self._stream.normal(shape, dtype, **options), chunks)

    def permutation(self, n: int, *, chunks: Chunks = "auto") -> da.Array:
        """Draw a random order of the integers below n.

        A permutation needs all of its words, so one task draws it, before it is split into chunks.
        """
        (count,) = _layout("permutation", to_int("permutation", "n", n)).sizes
        start = self.state
        self.advance(blocks_of(2 * count))
        task = dask.delayed(_permutation)(start, count)
        return da.from_delayed(task, (count,), meta=meta_of(1, int64)).rechunk(chunks)

    def __repr__(self) -> str:
        return f"Generator(key={self.key:#x}, counter={self.counter:#x})"


def _layout(what: str, shape: Shape, memory_format: MemoryFormat = contiguous_format) -> Layout:
    with ErrorsAs(what, sizes="shape"):
        return Layout.packed(several(() if shape is None else shape), memory_format)


def _array(drawing: Drawing, chunks: Chunks) -> da.Array:
    """An array of Dask whose chunks are drawn by tasks."""
    kind = drawing.dtype.numpy_name
    chunks = da.core.normalize_chunks(chunks, drawing.sizes, dtype=kind)
    meta = meta_of(len(drawing.sizes), drawing.dtype, drawing.memory_format)
    return da.map_blocks(_drawn, drawing=drawing, chunks=chunks, meta=meta, dtype=meta.dtype)


def _drawn(*, drawing: Drawing, block_info: Any = None) -> Tensor:
    """Draw a chunk."""
    what, whole, dtype, memory_format, draw, state = drawing
    ranges = block_info[None]["array-location"]
    start, stop = zip(*ranges) if ranges else ((), ())
    sizes = tuple([int(end) - int(first) for first, end in zip(start, stop)])
    target = empty(sizes, dtype, memory_format=memory_format)
    return draw_into(what, target, draw, state, Excerpt(whole, tuple(map(int, start))))


def _permutation(state: Ints, n: int) -> Tensor:
    return random.Generator.from_state(state).permutation(n)
