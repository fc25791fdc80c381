"""Cases whose time goes into memory: copies, elementwise functions, reductions, indexes, sorts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dml_vk.commands.cases.case import Case, channels_last, numbers

KEY = 7


def cases(scale: int) -> Iterator[Case]:
    """Operands have `scale` Mi elements, sorts and indexes a fraction of that."""
    sizes = (scale, 64, 128, 128)
    yield from _copies(scale, sizes)
    yield from _elementwise(scale, sizes)
    yield from _reductions(scale, sizes)
    yield from _by_index(scale)
    yield from _random(scale)


def _copies(scale: int, sizes: tuple[int, int, int, int]) -> Iterator[Case]:
    nbytes = 4 * scale * 2**20

    def one() -> list[Any]:
        return [numbers(*sizes)]

    def last() -> list[Any]:
        return [channels_last(*sizes)]

    def square() -> list[Any]:
        return [numbers(scale * 2**20 // 1024, 1024)]

    yield Case(
        "copy",
        one,
        lambda xp, x: x.copy(),
        {"torch": lambda xp, x: x.clone()},
        2 * nbytes,
    )
    yield Case(
        "NCHW to NHWC",
        one,
        lambda xp, x: x.to(xp.channels_last),
        {
            "torch": lambda xp, x: x.contiguous(memory_format=xp.channels_last),
            "cupy": lambda xp, x: xp.ascontiguousarray(x.transpose(0, 2, 3, 1)),
        },
        2 * nbytes,
        is_compared=False,
    )
    yield Case(
        "NHWC to NCHW",
        last,
        lambda xp, x: x.to(xp.contiguous_format),
        {
            "torch": lambda xp, x: x.contiguous(),
            "cupy": lambda xp, x: xp.ascontiguousarray(x),
        },
        2 * nbytes,
    )
    yield Case(
        "transpose of a matrix",
        square,
        lambda xp, x: x.T.contiguous(),
        {"cupy": lambda xp, x: xp.ascontiguousarray(x.T)},
        2 * nbytes,
    )
    yield Case(
        "flip of the last axis",
        one,
        lambda xp, x: x[..., ::-1].copy(),
        {"torch": lambda xp, x: x.flip(3)},
        2 * nbytes,
    )


def _elementwise(scale: int, sizes: tuple[int, int, int, int]) -> Iterator[Case]:
    count = scale * 2**20
    nbytes = 4 * count
    half = (-(-scale // 2), *sizes[1:])
    half_bytes = 4 * 2 * np.prod(half, dtype=np.int64).item()

    def pair(kind: str, of: tuple[int, ...] = sizes) -> Any:
        return lambda: [(9 * numbers(*of)).astype(kind), (7 * numbers(*of)).astype(kind)]

    yield Case("add", pair("f4"), lambda xp, x, y: x + y, {}, 3 * nbytes)
    yield Case(
        "add, one number a channel",
        lambda: [numbers(*sizes), numbers(1, sizes[1], 1, 1)],
        lambda xp, x, y: x + y,
        {},
        2 * nbytes,
    )
    yield Case(
        "add, NCHW and NHWC",
        lambda: [numbers(*sizes), channels_last(*sizes)],
        lambda xp, x, y: x + y,
        {},
        3 * nbytes,
    )
    yield Case("add float16", pair("f2"), lambda xp, x, y: x + y, {}, 3 * nbytes // 2)
    yield Case("add float64", pair("f8", half), lambda xp, x, y: x + y, {}, 3 * half_bytes)
    yield Case("add int64", pair("i8", half), lambda xp, x, y: x + y, {}, 3 * half_bytes)
    yield Case("multiply complex64", pair("c8", half), lambda xp, x, y: x * y, {}, 3 * half_bytes)
    yield Case("divide", pair("f4"), lambda xp, x, y: x / (y + 1.0), {}, 3 * nbytes)
    one = lambda: [numbers(*sizes)]  # noqa: E731
    yield Case("exp", one, lambda xp, x: xp.exp(x), {}, 2 * nbytes)
    yield Case(
        "gelu",
        one,
        lambda xp, x: xp.gelu(x),
        {"torch": lambda xp, x: xp.nn.functional.gelu(x), "cupy": None},
        2 * nbytes,
    )
    yield Case("power 2.5", one, lambda xp, x: x**2.5, {}, 2 * nbytes)
    yield Case(
        "where",
        lambda: [numbers(*sizes) > 0.5, numbers(*sizes), 1 - numbers(*sizes)],
        lambda xp, m, x, y: xp.where(m, x, y),
        {},
        3 * nbytes + count,
    )
    yield Case(
        "float32 to float16",
        one,
        lambda xp, x: x.astype(xp.float16),
        {"torch": lambda xp, x: x.half()},
        nbytes * 3 // 2,
    )
    yield Case(
        "exp float64",
        lambda: [numbers(count // 16).astype("f8")],
        lambda xp, x: xp.exp(x),
        {},
        count,
    )
    yield Case(
        "twelve operations",
        lambda: [numbers(*sizes), numbers(1, sizes[1], 1, 1)],
        lambda xp, x, y: _twelve(xp, x, y),
        {},
        2 * nbytes,
    )
    yield Case(
        "twelve operations, compiled",
        lambda: [numbers(*sizes), numbers(1, sizes[1], 1, 1)],
        _compiled(),
        {"torch": None, "cupy": None},
        2 * nbytes,
    )


def _twelve(xp: Any, x: Any, shift: Any) -> Any:
    y = (x - 0.5) * 2.0
    y = y * y + x
    y = xp.exp(-y) + shift
    y = y / (1.0 + y)
    return xp.where(y > 0.5, y * 0.25, y + 1.0)


def _compiled() -> Any:
    made: list[Any] = []

    def call(xp: Any, x: Any, shift: Any) -> Any:
        if not made:
            made.append(xp.compile(lambda x, shift: _twelve(xp, x, shift)))
        return made[0](x, shift)

    return call


def _reductions(scale: int, sizes: tuple[int, int, int, int]) -> Iterator[Case]:
    nbytes = 4 * scale * 2**20

    def rows() -> list[Any]:
        return [numbers(scale * 2**20 // 128, 128)]

    one = lambda: [numbers(*sizes)]  # noqa: E731
    yield Case("sum of all", one, lambda xp, x: x.sum(), {}, nbytes)
    last, first = (
        (lambda xp, x: x.sum(axis=-1), lambda xp, x: x.sum(-1)),
        (lambda xp, x: x.sum(axis=0), lambda xp, x: x.sum(0)),
    )
    yield Case("sum of the last axis", rows, last[0], {"torch": last[1]}, nbytes)
    yield Case("sum of the first axis", rows, first[0], {"torch": first[1]}, nbytes)
    yield Case(
        "mean over height and width",
        one,
        lambda xp, x: x.mean(axis=(2, 3)),
        {"torch": lambda xp, x: x.mean((2, 3))},
        nbytes,
    )
    yield Case(
        "variance of the last axis",
        rows,
        lambda xp, x: x.var(axis=-1),
        {"torch": lambda xp, x: x.var(-1, correction=0)},
        nbytes,
    )
    yield Case(
        "argmax of the last axis",
        rows,
        lambda xp, x: xp.argmax(x, axis=-1),
        {"torch": lambda xp, x: x.argmax(-1)},
        nbytes,
    )
    yield Case(
        "cumulative sum",
        lambda: [numbers(scale * 2**18)],
        lambda xp, x: xp.cumulative_sum(x),
        {"torch": lambda xp, x: x.cumsum(0), "cupy": lambda xp, x: x.cumsum()},
        nbytes // 2,
    )


def _by_index(scale: int) -> Iterator[Case]:
    many, few = scale * 2**18, scale * 2**16
    draw = np.random.default_rng(KEY)

    def integers(high: int, count: int) -> Any:
        return draw.integers(0, high, count, dtype=np.int32)

    def put(xp: Any, x: Any, places: Any, values: Any) -> Any:
        x[places] = values
        return x

    yield Case(
        "sort",
        lambda: [numbers(many)],
        lambda xp, x: xp.sort(x),
        {"torch": lambda xp, x: x.sort()[0]},
        8 * many,
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
        lambda xp, x, places: xp.take(x, places, axis=0),
        {"torch": lambda xp, x, places: x[places]},
        12 * many,
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
        {"torch": lambda xp, x, places, values: put(xp, x, places.long(), values)},
        12 * few,
    )
    yield Case(
        "searchsorted",
        lambda: [np.sort(numbers(few // 4)), numbers(few)],
        lambda xp, x, values: xp.searchsorted(x, values),
        {},
        8 * few,
    )


def _random(scale: int) -> Iterator[Case]:
    count = scale * 2**20

    def drawn(name: str, ours: Any, torchs: Any, cupys: Any) -> Case:
        others = {"torch": lambda xp: torchs(xp, _where(xp)), "cupy": cupys}
        return Case(name, list, _by_one_generator(ours), others, 4 * count, is_compared=False)

    yield drawn(
        "random bits",
        lambda made: made.bits(count),
        lambda xp, where: xp.randint(0, 2**31, (count,), device=where),
        lambda xp: xp.random.default_rng(KEY).integers(0, 2**32, count, xp.uint32),
    )
    yield drawn(
        "random floats",
        lambda made: made.random((count,)),
        lambda xp, where: xp.rand(count, device=where),
        lambda xp: xp.random.random(count, dtype=xp.float32),
    )
    yield drawn(
        "normal floats",
        lambda made: made.normal((count,)),
        lambda xp, where: xp.randn(count, device=where),
        lambda xp: xp.random.standard_normal(count, dtype=xp.float32),
    )


def _where(torch: Any) -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"


def _by_one_generator(draw: Any) -> Any:
    made: list[Any] = []

    def call(xp: Any) -> Any:
        if not made:
            made.append(xp.random.Generator(seed=KEY))
        return draw(made[0])

    return call
