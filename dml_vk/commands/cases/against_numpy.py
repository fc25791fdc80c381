"""The cases that are timed against NumPy. Their docstrings are shown in reports."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dml_vk as dv
from dml_vk.random import Generator
from dml_vk.testing import philox_normal, philox_words

Array = NDArray[Any]
FIRST = 2**16  # only this many random numbers are checked
KEY = 5


@dataclass(frozen=True)
class Case:
    """One operation. Both calls write to existing memory and return it."""

    ours: Callable[[], dv.Tensor]
    numpys: Callable[[], Array]
    nbytes: int  # read and written
    operations: int = 0  # of floats, if they and not memory are the bottleneck
    tolerance: float = 0.0  # relative; 0 compares bits
    expected: Callable[[], Array] | None = None  # the first results, if NumPy's call gives others

    def agrees(self) -> bool:
        """Run both, and return whether the results agree."""
        found, theirs = self.ours().numpy(), self.numpys()
        if self.expected is not None:
            theirs = self.expected()
            found = found.reshape(-1)[: theirs.size]
        if self.tolerance:
            return bool(np.allclose(found, theirs, rtol=self.tolerance, atol=0.0))
        return bool(np.array_equal(found, theirs))


class Operands:
    """Tensors and arrays with the same values, created on demand. Sizes are NCHW."""

    def __init__(self, sizes: tuple[int, int, int, int]) -> None:
        self.sizes = sizes
        self.count = math.prod(sizes)
        self.nbytes = 4 * self.count
        self.target = dv.empty(sizes)  # first, since the device raises an error if it is too large

    @functools.cached_property
    def array(self) -> Array:
        return np.random.default_rng(KEY).random(self.sizes, np.float32)

    @functools.cached_property
    def tensor(self) -> dv.Tensor:
        return dv.asarray(self.array)

    @functools.cached_property
    def out(self) -> Array:
        return np.empty_like(self.array)

    @functools.cached_property
    def pixels(self) -> Array:
        """A contiguous array of sizes NHWC."""
        return np.ascontiguousarray(self.array.transpose(0, 2, 3, 1))

    @functools.cached_property
    def interleaved(self) -> dv.Tensor:
        return self.tensor.to(dv.channels_last)

    @functools.cached_property
    def channels(self) -> tuple[Array, Array]:
        """A mean and a deviation per channel."""
        values = np.linspace(0.25, 0.75, 2 * self.sizes[1], dtype=np.float32)
        mean, deviation = values.reshape(2, -1, 1, 1)
        return mean, deviation


def copied(of: Operands) -> Case:
    """float32"""
    return Case(
        lambda: _copied(of.tensor, of.target),
        lambda: _put(of.out, of.array),
        2 * of.nbytes,
    )


def nchw_to_nhwc(of: Operands) -> Case:
    """float32, channels first to channels last"""
    target, out = dv.empty(of.sizes, memory_format=dv.channels_last), np.empty_like(of.pixels)
    channels_first = out.transpose(0, 3, 1, 2)
    return Case(
        lambda: _copied(of.tensor, target),
        lambda: _put(channels_first, of.array),
        2 * of.nbytes,
    )


def nhwc_to_nchw(of: Operands) -> Case:
    """float32, channels last to channels first"""
    source = of.pixels.transpose(0, 3, 1, 2)
    return Case(
        lambda: _copied(of.interleaved, of.target),
        lambda: _put(of.out, source),
        2 * of.nbytes,
    )


def mirrored(of: Operands) -> Case:
    """float32, rows read backwards, by a view"""
    view, source = of.tensor.flip(3), of.array[..., ::-1]
    return Case(
        lambda: _copied(view, of.target),
        lambda: _put(of.out, source),
        2 * of.nbytes,
    )


def every_other(of: Operands) -> Case:
    """float32, every other column, by a view"""
    view, source = of.tensor[..., ::2], of.array[..., ::2]
    target, out = dv.empty(view.shape), np.empty(source.shape, np.float32)
    return Case(
        lambda: _copied(view, target),
        lambda: _put(out, source),
        2 * out.nbytes,
    )


def normalised(of: Operands) -> Case:
    """float32 NHWC, (x - mean) / deviation per channel"""
    mean, deviation = of.channels
    ours = [dv.asarray(one) for one in of.channels]
    target = dv.empty(of.sizes, memory_format=dv.channels_last)
    source = of.pixels.transpose(0, 3, 1, 2)
    out: Array = np.empty_like(of.pixels).transpose(0, 3, 1, 2)

    def call() -> dv.Tensor:
        dv.subtract(of.interleaved, ours[0], out=target)
        return dv.divide(target, ours[1], out=target)

    def numpys() -> Array:
        np.subtract(source, mean, out=out)
        np.divide(out, deviation, out=out)
        return out

    return Case(call, numpys, 4 * of.nbytes)


def added(of: Operands) -> Case:
    """float32, x + y"""
    other = of.array[::-1].copy()
    ours = dv.asarray(other)
    return Case(
        lambda: dv.add(of.tensor, ours, out=of.target),
        lambda: np.add(of.array, other, out=of.out),
        3 * of.nbytes,
    )


def biased(of: Operands) -> Case:
    """float32 NHWC, x + a number per channel"""
    bias, _ = of.channels
    ours = dv.asarray(bias)
    target = dv.empty(of.sizes, memory_format=dv.channels_last)
    source = of.pixels.transpose(0, 3, 1, 2)
    out: Array = np.empty_like(of.pixels).transpose(0, 3, 1, 2)
    return Case(
        lambda: dv.add(of.interleaved, ours, out=target),
        lambda: np.add(source, bias, out=out),
        2 * of.nbytes,
    )


def absolutes(of: Operands) -> Case:
    """float32, magnitudes: as little as a kernel can do"""
    return Case(
        lambda: dv.abs(of.tensor, out=of.target),
        lambda: np.abs(of.array, out=of.out),
        2 * of.nbytes,
    )


def exponentials(of: Operands) -> Case:
    """float32, within two units in the last place"""
    return Case(
        lambda: dv.exp(of.tensor, out=of.target),
        lambda: np.exp(of.array, out=of.out),
        2 * of.nbytes,
        tolerance=1e-6,
    )


def to_float16(of: Operands) -> Case:
    """float32 to float16"""
    half, out = dv.empty(of.sizes, dv.float16), np.empty(of.sizes, np.float16)
    return Case(
        lambda: dv.astype(of.tensor, dv.float16, out=half),
        lambda: _put(out, of.array),
        of.nbytes * 3 // 2,
    )


def to_float32(of: Operands) -> Case:
    """float16 to float32"""
    source = of.array.astype(np.float16)
    ours = dv.asarray(source)
    return Case(
        lambda: dv.astype(ours, dv.float32, out=of.target),
        lambda: _put(of.out, source),
        of.nbytes * 3 // 2,
    )


def summed(of: Operands) -> Case:
    """float32, all of it"""
    target, out = dv.empty(()), np.empty((), np.float32)
    return Case(
        lambda: dv.sum(of.tensor, out=target),
        lambda: np.sum(of.array, out=out),
        of.nbytes,
        tolerance=1e-5,
    )


def channel_sums(of: Operands) -> Case:
    """float32, over batch, height and width"""
    axes, channels = (0, 2, 3), of.sizes[1]
    target, out = dv.empty(channels), np.empty(channels, np.float32)
    return Case(
        lambda: dv.sum(of.tensor, axis=axes, out=target),
        lambda: np.sum(of.array, axis=axes, out=out),
        of.nbytes,
        tolerance=1e-4,  # NumPy adds rows sequentially
    )


def running_sums(of: Operands) -> Case:
    """int32, from end to end"""
    source = np.random.default_rng(KEY).integers(-9, 10, of.count).astype(np.int32)
    ours, target, out = dv.asarray(source), dv.empty(of.count, dv.int32), np.empty_like(source)
    return Case(
        lambda: dv.cumulative_sum(ours, dtype=dv.int32, out=target),
        lambda: np.cumsum(source, dtype=np.int32, out=out),
        2 * of.nbytes,
    )


def taken(of: Operands) -> Case:
    """float32, rows in random order"""
    source = of.array.reshape(-1, of.sizes[3])
    order = np.random.default_rng(KEY).permutation(len(source))
    ours, places = dv.asarray(source), dv.asarray(order)
    target, out = dv.empty(source.shape), np.empty_like(source)
    return Case(
        lambda: dv.take(ours, places, axis=0, out=target),
        lambda: np.take(source, order, axis=0, out=out, mode="clip"),  # "raise" would buffer out
        2 * of.nbytes,
    )


def ordered(of: Operands) -> Case:
    """float32, a sixteenth of the elements, stable"""
    source = of.array.reshape(-1)[: max(of.count // 16, 1)]
    ours, target, out = dv.asarray(source), dv.empty(source.size), np.empty_like(source)

    def numpys() -> Array:
        np.copyto(out, source)
        out.sort(kind="stable")
        return out

    return Case(lambda: dv.sort(ours, out=target), numpys, 2 * source.nbytes)


def multiplied(of: Operands) -> Case:
    """float32 matrices, square, of a sixteenth of the elements each"""
    edge = max(math.isqrt(of.count // 16), 1)
    a, b = np.random.default_rng(KEY).random((2, edge, edge), np.float32)
    ours, target, out = [dv.asarray(one) for one in (a, b)], dv.empty((edge, edge)), a.copy()
    return Case(
        lambda: dv.matmul(*ours, out=target),
        lambda: np.matmul(a, b, out=out),
        3 * a.nbytes,
        operations=2 * edge**3,
        tolerance=1e-4,
    )


def philox_bits(of: Operands) -> Case:
    """uint32; NumPy: integers of its own Philox"""
    ours, numpys = Generator(key=KEY), np.random.Generator(np.random.Philox(KEY))
    target = dv.empty(of.sizes, dv.uint32)

    def call() -> dv.Tensor:
        ours.counter = 0
        return ours.bits(of.sizes, out=target)

    return Case(
        call,
        lambda: numpys.integers(0, 2**32, of.sizes, np.uint32),
        of.nbytes,
        expected=lambda: philox_words(KEY, 0, min(of.count, FIRST)),
    )


def philox_normals(of: Operands) -> Case:
    """float32; NumPy: its own Philox, by ziggurat"""
    ours, numpys = Generator(key=KEY), np.random.Generator(np.random.Philox(KEY))

    def call() -> dv.Tensor:
        ours.counter = 0
        return ours.normal(of.sizes, out=of.target)

    return Case(
        call,
        lambda: numpys.standard_normal(dtype=np.float32, out=of.out),
        of.nbytes,
        expected=lambda: philox_normal(philox_words(KEY, 0, min(of.count, FIRST))),
    )


def _copied(source: dv.Tensor, target: dv.Tensor) -> dv.Tensor:
    dv.copy(source, target)
    return target


def _put(target: Array, source: Array) -> Array:
    np.copyto(target, source, casting="same_kind")
    return target


CASES: dict[str, Callable[[Operands], Case]] = {
    "copy": copied,
    "nchw_to_nhwc": nchw_to_nhwc,
    "nhwc_to_nchw": nhwc_to_nchw,
    "flip": mirrored,
    "every_other": every_other,
    "normalise": normalised,
    "add": added,
    "add_bias": biased,
    "abs": absolutes,
    "exp": exponentials,
    "to_float16": to_float16,
    "to_float32": to_float32,
    "sum": summed,
    "sum_channels": channel_sums,
    "cumulative_sum": running_sums,
    "take": taken,
    "sort": ordered,
    "matmul": multiplied,
    "philox_bits": philox_bits,
    "philox_normal": philox_normals,
}
