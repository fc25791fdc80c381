"""Cases by kernel of layers and matrices: products, norms, resampling, pooling, decompositions.

`bench/test_kernels.py` times these beside NumPy and PyTorch, as those of `computed`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from dml_vk.arguments import Ints
from dml_vk.commands.cases.case import Array, Call, Case, Module, Sizes, Values, copy_into
from dml_vk.commands.cases.computed import values

IMAGES: Sizes = (8, 64, 56, 56)


def cases() -> Iterator[Case]:
    yield from _products()
    yield from _rows()
    yield from _images()
    yield from _decompositions()


def _products() -> Iterator[Case]:
    for name, kind, first, last, turned in (
        ("512", "float32", (512, 512), 512, ""),
        ("512, a turned", "float32", (512, 512), 512, "a"),
        ("512, b turned", "float32", (512, 512), 512, "b"),
        ("511", "float32", (511, 511), 511, ""),
        ("1024", "float32", (1024, 1024), 1024, ""),
        ("tall, 65536 by 16 by 16", "float32", (65536, 16), 16, ""),
        ("64 times 64", "float32", (64, 64, 64), 64, ""),
        ("4096 by a column", "float32", (4096, 4096), 1, ""),
        ("a row by 4096", "float32", (1, 4096), 4096, ""),
        ("a row by a column, 2**20", "float32", (1, 2**20), 1, ""),
        ("512, float16", "float16", (512, 512), 512, ""),
        ("512, int8", "int8", (512, 512), 512, ""),
        ("128, float64", "float64", (128, 128), 128, ""),
        ("128, int64", "int64", (128, 128), 128, ""),
    ):
        has_blas = kind not in ("float16", "int8")  # NumPy takes seconds without
        yield Case(
            name,
            functools.partial(_matrices, kind, first, last, turned),
            lambda xp, out, x, y: xp.matmul(x, y, out=out),
            {} if has_blas else {"numpy": None},
            operations=2 * int(np.prod(first)) * last,
            group="matmul",
            tolerance=1e-4,
        )


def _matrices(kind: str, first: tuple[int, ...], last: int, turned: str) -> list[Array]:
    x, y = values(kind, first), values(kind, (*first[:-2], first[-1], last), seed=1)
    if turned:
        x, y = [
            np.ascontiguousarray(z.T).T if name in turned else z for name, z in zip("ab", (x, y))
        ]
    return [np.zeros((*first[:-1], last), kind), x, y]


def _rows() -> Iterator[Case]:
    """NumPy computes norms in several steps."""
    yield Case(
        "softmax",
        lambda: _weighted((512, 1000), 1000),
        lambda xp, out, x, w: xp.nn.softmax(x, out=out),
        {"numpy": _softmax, "torch": lambda xp, out, x, w: xp.nn.functional.softmax(x, -1)},
        group="rows",
        tolerance=1e-4,
    )
    yield Case(
        "layer norm",
        lambda: _weighted((512, 768), 768),
        lambda xp, out, x, w: xp.nn.layer_norm(x, 768, w, w, out=out),
        {
            "numpy": lambda xp, out, x, w: _normal(x, -1),
            "torch": lambda xp, out, x, w: xp.nn.functional.layer_norm(x, (768,), w, w),
        },
        group="rows",
        tolerance=1e-4,
    )


def _weighted(
    sizes: tuple[int, ...], channels: int, order: str = "NCHW", scale: int = 1
) -> list[Array]:
    """The result, of images that are so many times as high and wide, x and weights."""
    x = values("float32", sizes, order) - np.float32(0.5)
    large = (*sizes[:2], *[scale * size for size in sizes[2:]])
    return [values("float32", large, order), x, np.ones(channels, np.float32)]


def _softmax(xp: Module, out: Array, x: Array, w: Array) -> Values:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def _normal(x: Array, axes: int | Ints) -> Values:
    mean, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return (x - mean) / np.sqrt(var + np.float32(1e-5)) + 1


def _images() -> Iterator[Case]:
    """Norms, resampling and pooling in both memory orders, beside a copy of as many bytes."""
    norms: dict[str, tuple[Call, Call, Call]] = {
        "copy": (
            lambda xp, out, x, w: copy_into(xp, out, x),
            lambda xp, out, x, w: copy_into(xp, out, x),
            lambda xp, out, x, w: out.copy_(x),
        ),
        "batch norm": (
            lambda xp, out, x, w: xp.nn.batch_norm(x, w, w, w, w, out=out),
            lambda xp, out, x, w: (x - 1) * np.float32((1 + 1e-5) ** -0.5) + 1,
            lambda xp, out, x, w: xp.nn.functional.batch_norm(x, w, w, w, w),
        ),
        "group norm": (
            lambda xp, out, x, w: xp.nn.group_norm(x, 8, w, w, out=out),
            lambda xp, out, x, w: _normal(x.reshape(8, 8, -1), -1).reshape(x.shape),
            lambda xp, out, x, w: xp.nn.functional.group_norm(x, 8, w, w),
        ),
        "instance norm": (
            lambda xp, out, x, w: xp.nn.instance_norm(x, w, w, out=out),
            lambda xp, out, x, w: _normal(x, (2, 3)),
            lambda xp, out, x, w: xp.nn.functional.instance_norm(x, weight=w, bias=w),
        ),
    }
    for order in ("NCHW", "NHWC"):
        operands = functools.partial(_weighted, IMAGES, 64, order)
        for name, (ours, numpys, torchs) in norms.items():
            others = {"numpy": numpys, "torch": torchs}
            case = f"{name}, {order}"
            yield Case(case, operands, ours, others, group="images", tolerance=1e-4)
        small = functools.partial(_weighted, (1, 64, 56, 56), 64, order, 2)
        for mode, torchs_mode in (
            ("nearest", "nearest"),
            ("linear", "bilinear"),
            ("cubic", "bicubic"),
        ):
            yield Case(
                f"resample, {mode}, {order}",
                small,
                functools.partial(_resample, mode),
                {"numpy": None, "torch": functools.partial(_interpolate, torchs_mode)},
                group="images",
            )
        for name, function, taps, options in (
            ("maxima, 3x3 by 2", "max_pool", 3, {"stride": 2, "padding": 1}),
            ("maxima, 2x2", "max_pool", 2, {}),
            ("means, 3x3 by 2", "avg_pool", 3, {"stride": 2, "padding": 1}),
        ):
            yield Case(
                f"{name}, {order}",
                functools.partial(_pooled, order),
                functools.partial(_pool, function, taps, options),
                {"numpy": None, "torch": functools.partial(_pool_2d, function, taps, options)},
                group="pool",
            )


def _resample(mode: str, xp: Module, out: Values, x: Values, w: Values) -> Values:
    return xp.nn.resample(x, scale=2, mode=mode, out=out)


def _interpolate(mode: str, xp: Module, out: Values, x: Values, w: Values) -> Values:
    return xp.nn.functional.interpolate(x, scale_factor=2, mode=mode)


def _pooled(order: str) -> list[Array]:
    sizes = (1, 64, 112, 112)
    return [values("float32", (*sizes[:2], 56, 56), order), values("float32", sizes, order)]


def _pool(
    function: str, taps: int, options: dict[str, Any], xp: Module, out: Values, x: Values
) -> Values:
    return getattr(xp.nn, function)(x, taps, **options, out=out)


def _pool_2d(
    function: str, taps: int, options: dict[str, Any], xp: Module, out: Values, x: Values
) -> Values:
    return getattr(xp.nn.functional, f"{function}2d")(x, taps, **options)


def _decompositions() -> Iterator[Case]:
    """Of one matrix and of a batch of small ones; operations are LAPACK's, in cubes of the edge."""
    cubes = {"cholesky": 1 / 3, "solve": 8 / 3, "inv": 2, "det": 2 / 3, "qr": 4 / 3}
    cubes |= {"eigh": 9, "eigvalsh": 4 / 3, "svd": 20, "svdvals": 8 / 3}
    for kind in ("float32", "float64", "complex64", "complex128"):
        for name, count in cubes.items():
            for about, sizes in (
                ("1000 of 8", (1000, 8, 8)),
                ("64", (64, 64)),
                ("256", (256, 256)),
            ):
                yield Case(
                    f"{name}, {about}",
                    functools.partial(_matrix, name, kind, sizes),
                    functools.partial(_decompose, name),
                    {"torch": None},
                    operations=int(count * np.prod(sizes) * sizes[-1]),
                    group=f"linalg, {kind}",
                    is_compared=name in ("cholesky", "solve", "inv", "det", "eigvalsh", "svdvals"),
                    tolerance=2e-2 if kind in ("float32", "complex64") else 1e-7,
                )


def _matrix(name: str, kind: str, sizes: tuple[int, ...]) -> list[Array]:
    draw = np.random.default_rng(1)
    a = draw.standard_normal(sizes)
    if np.dtype(kind).kind == "c":
        a = (a + 1j * draw.standard_normal(sizes)) / np.sqrt(2)
    a = (a * 1.6 / np.sqrt(sizes[-1])).astype(kind)  # so that determinants are near 1
    if name in ("cholesky", "eigh", "eigvalsh"):
        a = a @ np.swapaxes(a, -1, -2).conj() + sizes[-1] * np.eye(sizes[-1], dtype=kind)
    return [a, a] if name == "solve" else [a]


def _decompose(name: str, xp: Module, *operands: Values) -> Values:
    if name == "svdvals" and not hasattr(xp.linalg, name):  # an older NumPy
        return xp.linalg.svd(*operands, compute_uv=False)
    return getattr(xp.linalg, name)(*operands)
