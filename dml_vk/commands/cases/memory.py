"""Cases whose time goes into memory: copies, elementwise functions and reductions."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from dml_vk.commands.cases.case import (
    Array,
    Case,
    Into,
    Module,
    Sizes,
    Values,
    channels_last,
    copy_into,
    empty,
    empty_last,
    numbers,
)


def cases(sizes: Sizes) -> Iterator[Case]:
    """Operands have these sizes, or as many elements."""
    yield from _copies(sizes)
    yield from _elementwise(sizes)
    yield from _reductions(sizes)


def _copies(sizes: Sizes) -> Iterator[Case]:
    count = math.prod(sizes)
    nbytes = 4 * count

    def image() -> list[Array]:
        return [numbers(*sizes)]

    def last() -> list[Array]:
        return [channels_last(*sizes)]

    def square() -> list[Array]:
        return [numbers(count // 1024, 1024)]

    out = empty("f4", *sizes)
    yield Case(
        "copy",
        image,
        lambda xp, x: x.copy(),
        {"torch": lambda xp, x: x.clone()},
        2 * nbytes,
        into=Into("copy", "float32", out, copy_into),
    )
    yield Case(
        "NCHW to NHWC",
        image,
        lambda xp, x: x.to(xp.channels_last),
        {
            "torch": lambda xp, x: x.contiguous(memory_format=xp.channels_last),
            "cupy": lambda xp, x: xp.ascontiguousarray(x.transpose(0, 2, 3, 1)),
        },
        2 * nbytes,
        is_compared=False,
        into=Into(
            "nchw_to_nhwc",
            "float32, channels first to channels last",
            lambda: empty_last(*sizes),
            copy_into,
        ),
    )
    yield Case(
        "NHWC to NCHW",
        last,
        lambda xp, x: x.to(xp.contiguous_format),
        {"torch": lambda xp, x: x.contiguous(), "cupy": lambda xp, x: xp.ascontiguousarray(x)},
        2 * nbytes,
        into=Into("nhwc_to_nchw", "float32, channels last to channels first", out, copy_into),
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
        image,
        lambda xp, x: x[..., ::-1].copy(),
        {"torch": lambda xp, x: x.flip(3)},
        2 * nbytes,
        into=Into(
            "flip",
            "float32, rows read backwards, by a view",
            out,
            lambda xp, out, x: copy_into(xp, out, x[..., ::-1]),
        ),
    )
    yield Case(
        "every other column",
        image,
        None,
        nbytes=nbytes,
        into=Into(
            "every_other",
            "float32, every other column, by a view",
            empty("f4", *sizes[:3], -(-sizes[3] // 2)),
            lambda xp, out, x: copy_into(xp, out, x[..., ::2]),
        ),
    )


def _elementwise(sizes: Sizes) -> Iterator[Case]:
    count = math.prod(sizes)
    nbytes = 4 * count
    half = (-(-sizes[0] // 2), *sizes[1:])
    half_bytes = 4 * 2 * math.prod(half)
    channels = (1, sizes[1], 1, 1)

    def image() -> list[Array]:
        return [numbers(*sizes)]

    def pair(kind: str, shape: tuple[int, ...] = sizes) -> Any:
        return lambda: [(9 * numbers(*shape)).astype(kind), (7 * numbers(*shape)).astype(kind)]

    out = empty("f4", *sizes)
    yield Case(
        "add",
        pair("f4"),
        lambda xp, x, y: x + y,
        {},
        3 * nbytes,
        into=Into("add", "float32, x + y", out, lambda xp, out, x, y: xp.add(x, y, out=out)),
    )
    yield Case(
        "add, one number a channel",
        lambda: [numbers(*sizes), numbers(*channels)],
        lambda xp, x, y: x + y,
        {},
        2 * nbytes,
    )
    yield Case(
        "add, one number a channel, NHWC",
        lambda: [channels_last(*sizes), numbers(*channels)],
        None,
        nbytes=2 * nbytes,
        into=Into(
            "add_bias",
            "float32 NHWC, x + a number per channel",
            lambda: empty_last(*sizes),
            lambda xp, out, x, y: xp.add(x, y, out=out),
        ),
    )
    yield Case(
        "normalise, NHWC",
        lambda: [channels_last(*sizes), numbers(*channels), 0.5 + numbers(*channels)],
        None,
        nbytes=4 * nbytes,
        into=Into(
            "normalise",
            "float32 NHWC, (x - mean) / deviation per channel",
            lambda: empty_last(*sizes),
            lambda xp, out, x, mean, deviation: xp.divide(
                xp.subtract(x, mean, out=out), deviation, out=out
            ),
        ),
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
    yield Case(
        "abs",
        image,
        None,
        nbytes=2 * nbytes,
        into=Into(
            "abs",
            "float32, magnitudes: as little as a kernel can do",
            out,
            lambda xp, out, x: xp.abs(x, out=out),
        ),
    )
    yield Case(
        "exp",
        image,
        lambda xp, x: xp.exp(x),
        {},
        2 * nbytes,
        into=Into(
            "exp",
            "float32, within two units in the last place",
            out,
            lambda xp, out, x: xp.exp(x, out=out),
            tolerance=1e-6,
        ),
    )
    yield Case(
        "gelu",
        image,
        lambda xp, x: xp.gelu(x),
        {"torch": lambda xp, x: xp.nn.functional.gelu(x), "cupy": None},
        2 * nbytes,
    )
    yield Case("power 2.5", image, lambda xp, x: x**2.5, {}, 2 * nbytes)
    yield Case(
        "where",
        lambda: [numbers(*sizes) > 0.5, numbers(*sizes), 1 - numbers(*sizes)],
        lambda xp, m, x, y: xp.where(m, x, y),
        {},
        3 * nbytes + count,
    )
    yield Case(
        "float32 to float16",
        image,
        lambda xp, x: x.astype(xp.float16),
        {"torch": lambda xp, x: x.half()},
        nbytes * 3 // 2,
        into=Into(
            "to_float16", "float32 to float16", empty("f2", *sizes), _convert_into, copy_into
        ),
    )
    yield Case(
        "float16 to float32",
        lambda: [numbers(*sizes).astype("f2")],
        None,
        nbytes=nbytes * 3 // 2,
        into=Into("to_float32", "float16 to float32", out, _convert_into, copy_into),
    )
    yield Case(
        "exp float64",
        lambda: [numbers(count // 16).astype("f8")],
        lambda xp, x: xp.exp(x),
        {},
        count,
    )
    yield Case(
        "twelve operations", lambda: [numbers(*sizes), numbers(*channels)], _twelve, {}, 2 * nbytes
    )
    compiled = functools.cache(lambda xp: xp.compile(functools.partial(_twelve, xp)))
    yield Case(
        "twelve operations, compiled",
        lambda: [numbers(*sizes), numbers(*channels)],
        lambda xp, x, shift: compiled(xp)(x, shift),
        {"torch": None, "cupy": None},
        2 * nbytes,
    )


def _convert_into(xp: Module, out: Values, x: Values) -> Values:
    return xp.astype(x, out.dtype, out=out)


def _twelve(xp: Module, x: Values, shift: Values) -> Values:
    y = (x - 0.5) * 2.0
    y = y * y + x
    y = xp.exp(-y) + shift
    y = y / (1.0 + y)
    return xp.where(y > 0.5, y * 0.25, y + 1.0)


def _reductions(sizes: Sizes) -> Iterator[Case]:
    count = math.prod(sizes)
    nbytes = 4 * count

    def image() -> list[Array]:
        return [numbers(*sizes)]

    def rows() -> list[Array]:
        return [numbers(count // 128, 128)]

    def integers() -> list[Array]:
        return [np.random.default_rng(3).integers(-9, 10, count).astype(np.int32)]

    yield Case(
        "sum of all",
        image,
        lambda xp, x: x.sum(),
        {},
        nbytes,
        into=Into(
            "sum",
            "float32, all of it",
            empty("f4"),
            lambda xp, out, x: xp.sum(x, out=out),
            tolerance=1e-5,
        ),
    )
    yield Case(
        "sum over batch, height and width",
        image,
        None,
        nbytes=nbytes,
        into=Into(
            "sum_channels",
            "float32, over batch, height and width",
            empty("f4", sizes[1]),
            lambda xp, out, x: xp.sum(x, axis=(0, 2, 3), out=out),
            tolerance=1e-4,  # NumPy adds rows sequentially
        ),
    )
    last, first = (
        (lambda xp, x: x.sum(axis=-1), lambda xp, x: x.sum(-1)),
        (lambda xp, x: x.sum(axis=0), lambda xp, x: x.sum(0)),
    )
    yield Case("sum of the last axis", rows, last[0], {"torch": last[1]}, nbytes)
    yield Case("sum of the first axis", rows, first[0], {"torch": first[1]}, nbytes)
    yield Case(
        "mean over height and width",
        image,
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
        lambda: [numbers(count // 4)],
        lambda xp, x: xp.cumulative_sum(x),
        {"torch": lambda xp, x: x.cumsum(0), "cupy": lambda xp, x: x.cumsum()},
        nbytes // 2,
    )
    yield Case(
        "cumulative sum int32",
        integers,
        None,
        nbytes=2 * nbytes,
        into=Into(
            "cumulative_sum",
            "int32, from end to end",
            empty("i4", count),
            lambda xp, out, x: xp.cumulative_sum(x, dtype=xp.int32, out=out),
            lambda xp, out, x: np.cumsum(x, dtype=np.int32, out=out),
        ),
    )
