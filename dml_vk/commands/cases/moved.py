"""Cases by kernel of what moves elements, and makes them: copies, indexes, fills, random numbers.

`bench/test_kernels.py` times these beside NumPy and PyTorch. They are finer than the cases that
users see: layouts and dtypes for which kernels have variants of their own.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.lib.stride_tricks import as_strided

from dml_vk.commands.cases.case import Array, Call, Case, Module, Sizes, Values, empty, numbers
from dml_vk.layout import Layout, MemoryFormat, channels_last

KEY = 5
HIGH = 1000  # of random integers
BIG: Sizes = (16, 64, 128, 128)
RGB, VIDEO, SOUND = (16, 3, 512, 512), (4, 32, 16, 64, 64), (16, 64, 16384)
packed = Layout.packed


def cases() -> Iterator[Case]:
    yield from _copies()
    yield from _conversions()
    yield from _indexes()
    yield from _fills()
    yield from _random()


def _copies() -> Iterator[Case]:
    whole, any_order = packed(BIG), (3, 1, 0, 2)
    unaligned = [Layout((2**26 - 64,), (1,), offset) for offset in (3, 1)]
    yield _copy("copy", "flat", "f4", whole, whole)
    yield _copy("copy", "flat, bytes, unaligned", "u1", *unaligned)
    yield _copy("copy", "broadcast a bias", "f4", packed((1, 64, 1, 1)).expand(BIG), whole)
    yield _copy("copy", "flip", "f4", whole.flip(3), whole)
    wide = packed((16, 64, 128, 256))
    yield _copy("copy", "every other column", "f4", wide.slice(3, 0, None, 2), whole)
    double = packed((16, 128, 128, 128))
    yield _copy("copy", "concatenate channels", "f4", whole, double.narrow(1, 64, 64))
    yield _copy("copy", "any order", "f4", packed(BIG, any_order), packed(BIG, (1, 3, 2, 0)))


def _conversions() -> Iterator[Case]:
    for sizes, form, about, kind in (
        (BIG, "CHW", "", "f4"),
        (RGB, "CHW", ", RGB", "f4"),
        (RGB, "CHW", ", RGB bytes", "u1"),
        (BIG, "CHW", ", float16", "f2"),
        (BIG, "CHW", ", bytes", "u1"),
        (BIG, "CHW", ", float64", "f8"),
        (VIDEO, "CDHW", "", "f4"),
        (SOUND, "CW", "", "f4"),
    ):
        first, last, name = packed(sizes), packed(sizes, channels_last), f"N{form[1:]}C"
        yield _copy("convert", f"N{form} to {name}{about}", kind, first, last)
        yield _copy("convert", f"{name} to N{form}{about}", kind, last, first)
    blocks, image = packed((16, 4, 128, 128, 16)), packed(BIG).block("nChw16c")
    yield _copy("convert", "NCHW to nChw16c", "f4", image, blocks)
    yield _copy("convert", "nChw16c to NCHW", "f4", blocks, image)


def _copy(group: str, name: str, kind: str, source: Layout, target: Layout) -> Case:
    """A copy between layouts of flat memory, whose bytes count as far as they are reached."""

    def arrays() -> list[Array]:
        values = np.random.default_rng(1).integers(1, 127, _reached(source), np.uint8)
        return [np.zeros(_reached(target), kind), values.astype(kind)]

    def call(xp: Module, out: Values, x: Values) -> Values:
        if xp is np:
            np.copyto(_over(out, target), _over(x, source))
        else:
            xp.copy(x.over(source), out.over(target))
        return out

    def by_torch(xp: Module, out: Values, x: Values) -> Values:
        over = [
            xp.as_strided(memory, layout.sizes, layout.strides, layout.offset)
            for memory, layout in ((out, target), (x, source))
        ]
        over[0].copy_(over[1])
        return out

    has_strides = min(source.strides) >= 0  # PyTorch has no negative ones
    return Case(
        name,
        arrays,
        call,
        {"torch": by_torch if has_strides else None},
        (min(_reached(source), source.numel) + target.numel) * np.dtype(kind).itemsize,
        group=group,
    )


def _over(memory: Array, layout: Layout) -> Array:
    strides = [stride * memory.itemsize for stride in layout.strides]
    return as_strided(memory[layout.offset :], layout.sizes, strides)


def _reached(layout: Layout) -> int:
    """How many elements of memory there are up to the last that the layout reaches."""
    steps = zip(layout.sizes, layout.strides)
    return 1 + layout.offset + sum(max(0, stride) * (size - 1) for size, stride in steps)


def _indexes() -> Iterator[Case]:
    """Bytes are those of elements, without the indexes."""
    rows, columns, count = 32768, 512, 2**22
    draw = np.random.default_rng(3)

    def single(count: int) -> Callable[[], list[Array]]:
        return lambda: [draw.integers(0, count, count)]

    for name, shape, indexes, moved in (
        ("rows", (rows, columns), lambda: [draw.integers(0, rows, rows // 2)], count * 2),
        ("columns", (rows, columns), lambda: [np.arange(0, columns, 2)], count * 2),
        ("single elements", (count,), single(count), count),
        ("single elements, in order", (count,), lambda: [np.arange(count)], count),
        ("single bytes", (count,), single(count), count),
        ("1M single elements", (2**20,), single(2**20), 2**20),
        ("pairs of indexes", (2048, 2048), lambda: [*draw.integers(0, 2048, (2, 2**20))], 2**20),
        ("half by a mask", (count,), lambda: [np.arange(count) % 2 == 0], count // 2),
    ):
        kind = "u1" if name == "single bytes" else "f4"
        arrays = functools.partial(_indexed, shape, kind, indexes)
        before = (slice(None),) if name == "columns" else ()
        nbytes = 2 * moved * np.dtype(kind).itemsize

        def read(
            xp: Module, x: Values, *key: Values, before: tuple[object, ...] = before
        ) -> Values:
            whole = (*before, *key)
            return x[whole]

        yield Case(f"read {name}", arrays, read, {}, nbytes, group="index")
        if name != "columns":
            yield Case(f"write {name}", arrays, _write, {}, nbytes, group="index")


def _indexed(shape: tuple[int, ...], kind: str, indexes: Callable[[], list[Array]]) -> list[Array]:
    return [(100 * numbers(*shape)).astype(kind), *indexes()]


def _write(xp: Module, x: Values, *key: Values) -> Values:
    """One number, so that elements that are named twice are the same in each library."""
    x[key] = 7
    return x


def _fills() -> Iterator[Case]:
    """Bytes are counted as written. Sequences go into new memory: `arange` has no `out`."""
    count = math.prod(BIG)

    def fill(xp: Module, out: Values) -> Values:
        out[...] = 7
        return out

    for kind in ("uint8", "float32"):
        nbytes, out = count * np.dtype(kind).itemsize, empty(kind, *BIG)
        arrays = functools.partial(lambda out: [out()], out)
        yield Case(f"constant, {kind}", arrays, fill, {}, nbytes, group="fill")
    for kind in ("int32", "int64", "float32", "float64"):
        step = 0.5 if kind.startswith("f") else 3

        def sequence(xp: Module, kind: str = kind, step: float = step) -> Values:
            return xp.arange(7, 7 + count * step, step, dtype=getattr(xp, kind))

        nbytes = count * np.dtype(kind).itemsize
        yield Case(f"sequence, {kind}", list, sequence, {}, nbytes, group="fill", tolerance=1e-6)


def _random() -> Iterator[Case]:
    """The same draws in each round, by NumPy's Philox, and PyTorch's Mersenne twister."""
    words = {
        "uint32": lambda rng, out: rng.integers(0, 2**32, out.shape, np.uint32),
        "uint64": lambda rng, out: rng.bit_generator.random_raw(out.shape),
    }
    yield _drawn("bits", "uint32", "bits", (), words["uint32"], None)
    yield _drawn("bits, uint64", "uint64", "bits", (), words["uint64"], None)
    yield _drawn("bits, NHWC", "uint32", "bits", (), None, None, channels_last)
    for kind in ("float32", "float64"):
        name = "random" + ", float64" * (kind == "float64")
        call = lambda rng, out: rng.random(dtype=out.dtype, out=out)  # noqa: E731
        yield _drawn(name, kind, "random", (), call, lambda rng, out: out.uniform_(generator=rng))
    yield _drawn("random, float16, NHWC", "float16", "random", (), None, None, channels_last)
    yield _drawn(
        "uniform",
        "float32",
        "uniform",
        (-1, 3),
        lambda rng, out: rng.uniform(-1, 3, out.shape),  # float64 is all that it has
        lambda rng, out: out.uniform_(-1, 3, generator=rng),
    )
    normal = lambda rng, out: out.normal_(generator=rng)  # noqa: E731
    ziggurat = lambda rng, out: rng.standard_normal(dtype=np.float32, out=out)  # noqa: E731
    yield _drawn("normal", "float32", "normal", (), ziggurat, normal)
    yield _drawn("normal, float16", "float16", "normal", (), None, normal)
    for kind in ("uint32", "int64"):
        name = "integers" + ", int64" * (kind == "int64")
        yield _drawn(
            name,
            kind,
            "integers",
            (HIGH,),
            lambda rng, out: rng.integers(0, HIGH, out.shape, out.dtype),
            lambda rng, out: out.random_(0, HIGH, generator=rng),
        )


def _drawn(
    name: str,
    kind: str,
    method: str,
    args: tuple[int, ...],
    by_numpy: Call | None,
    by_torch: Call | None,
    order: MemoryFormat | None = None,
) -> Case:
    """A draw into memory, by a generator's method of ours, and other libraries' calls."""
    state = functools.cache(lambda xp: xp.random.Generator(KEY))
    philox = functools.cache(lambda: np.random.Generator(np.random.Philox(KEY)))
    twister = functools.cache(lambda xp: xp.Generator().manual_seed(KEY))

    def arrays() -> list[Array]:
        layout = packed(BIG, order)
        return [_over(np.zeros(layout.numel, kind), layout)]

    def ours(xp: Module, out: Values) -> Values:
        generator = state(xp)
        generator.counter = 0
        getattr(generator, method)(*args, dtype=kind, out=out)
        return out

    return Case(
        name,
        arrays,
        ours,
        {
            "numpy": by_numpy and (lambda xp, out: by_numpy(philox(), out)),
            "torch": by_torch and (lambda xp, out: by_torch(twister(xp), out)),
        },
        math.prod(BIG) * np.dtype(kind).itemsize,
        group="random",
        is_compared=False,
    )
