"""Cases of indexes, sorts and random numbers."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from dml_vk.commands.cases.case import Array, Case, Into, Module, Sizes, Values, empty, numbers
from dml_vk.testing import philox_normal, philox_words

KEY = 7
FIRST = 2**16  # only this many random numbers are checked


def cases(sizes: Sizes, sorted_count: int) -> Iterator[Case]:
    """Sorts have so many elements, and indexes a fraction of those that the sizes hold."""
    yield from _by_index(sizes, sorted_count)
    yield from _random(sizes)


def _by_index(sizes: Sizes, sorted_count: int) -> Iterator[Case]:
    count = math.prod(sizes)
    many, few = count // 4, count // 16
    draw = np.random.default_rng(KEY)

    def integers(high: int, count: int) -> Any:
        return draw.integers(0, high, count, dtype=np.int32)

    def rows() -> list[Array]:
        x = numbers(*sizes).reshape(-1, sizes[3])
        return [x, draw.permutation(len(x))]

    def put(xp: Module, x: Values, indexes: Values, values: Values) -> Values:
        x[indexes] = values
        return x

    def sort_by_numpy(xp: Module, out: Array, x: Array) -> Array:
        np.copyto(out, x)
        out.sort(kind="stable")
        return out

    yield Case(
        "sort",
        lambda: [numbers(sorted_count)],
        lambda xp, x: xp.sort(x),
        {"torch": lambda xp, x: x.sort()[0]},
        8 * sorted_count,
        into=Into(
            "sort",
            "float32, a sixteenth of the elements, stable",
            empty("f4", sorted_count),
            lambda xp, out, x: xp.sort(x, out=out),
            sort_by_numpy,
        ),
    )
    yield Case(
        "argsort int32",
        lambda: [draw.permutation(few).astype(np.int32)],
        lambda xp, x: xp.argsort(x),
        {},
        8 * few,
    )
    yield Case(
        "unique int32",
        lambda: [integers(2**20, few)],
        lambda xp, x: xp.unique_values(x),
        {"torch": lambda xp, x: xp.unique(x), "cupy": lambda xp, x: xp.unique(x)},
        4 * few,
    )
    yield Case(
        "take in random order",
        lambda: [numbers(many), integers(many, many)],
        lambda xp, x, indexes: xp.take(x, indexes, axis=0),
        {"torch": lambda xp, x, indexes: x[indexes]},
        12 * many,
    )
    yield Case(
        "take rows in random order",
        rows,
        None,
        nbytes=8 * count,
        into=Into(
            "take",
            "float32, rows in random order",
            empty("f4", count // sizes[3], sizes[3]),
            lambda xp, out, x, order: xp.take(x, order, axis=0, out=out),
            # "raise" would buffer out
            lambda xp, out, x, order: np.take(x, order, axis=0, out=out, mode="clip"),
        ),
    )
    yield Case(
        "x[mask]",
        lambda: [numbers(many), 1 - numbers(many) > 0.5],
        lambda xp, x, mask: x[mask],
        {},
        8 * many,
    )
    yield Case(
        "x[places] = values",
        lambda: [numbers(few), draw.permutation(few).astype(np.int32), numbers(few)],
        put,
        {"torch": lambda xp, x, indexes, values: put(xp, x, indexes.long(), values)},
        12 * few,
    )
    yield Case(
        "searchsorted",
        lambda: [np.sort(numbers(few // 4)), numbers(few)],
        lambda xp, x, values: xp.searchsorted(x, values),
        {},
        8 * few,
    )


def _random(sizes: Sizes) -> Iterator[Case]:
    count = math.prod(sizes)

    def drawn(name: str, ours: Any, torchs: Any, cupys: Any, into: Into | None = None) -> Case:
        generator = functools.cache(lambda xp: xp.random.Generator(seed=KEY))
        others = {"torch": lambda xp: torchs(xp, _device(xp)), "cupy": cupys}
        call = lambda xp: ours(generator(xp))  # noqa: E731
        return Case(name, list, call, others, 4 * count, is_compared=False, into=into)

    yield drawn(
        "random bits",
        lambda generator: generator.bits(count),
        lambda xp, device: xp.randint(0, 2**31, (count,), device=device),
        lambda xp: xp.random.default_rng(KEY).integers(0, 2**32, count, xp.uint32),
        Into(
            "philox_bits",
            "uint32; NumPy: integers of its own Philox",
            empty("u4", *sizes),
            _again(lambda generator, out: generator.bits(sizes, out=out)),
            lambda xp, out: _numpys_philox().integers(0, 2**32, sizes, np.uint32),
            expected=lambda: philox_words(KEY, 0, min(count, FIRST)),
        ),
    )
    yield drawn(
        "random floats",
        lambda generator: generator.random((count,)),
        lambda xp, device: xp.rand(count, device=device),
        lambda xp: xp.random.random(count, dtype=xp.float32),
    )
    yield drawn(
        "normal floats",
        lambda generator: generator.normal((count,)),
        lambda xp, device: xp.randn(count, device=device),
        lambda xp: xp.random.standard_normal(count, dtype=xp.float32),
        Into(
            "philox_normal",
            "float32; NumPy: its own Philox, by ziggurat",
            empty("f4", *sizes),
            _again(lambda generator, out: generator.normal(sizes, out=out)),
            lambda xp, out: _numpys_philox().standard_normal(dtype=np.float32, out=out),
            expected=lambda: philox_normal(philox_words(KEY, 0, min(count, FIRST))),
        ),
    )


def _device(torch: Any) -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"


@functools.cache
def _numpys_philox() -> np.random.Generator:
    return np.random.Generator(np.random.Philox(KEY))


def _again(draw: Callable[[Any, Any], Any]) -> Any:
    """A call that draws the same numbers each time."""
    generator = functools.cache(lambda xp: xp.random.Generator(key=KEY))

    def call(xp: Module, out: Values) -> Values:
        generator(xp).counter = 0
        return draw(generator(xp), out)

    return call
