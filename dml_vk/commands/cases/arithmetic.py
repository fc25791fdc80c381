"""Cases whose time goes into arithmetic, or into calls: products, networks, transforms, waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from dml_vk.commands.cases.case import Array, Case, Into, Values, channels_last, empty, numbers

LARGE = 64  # the scale from which sizes are those of a data centre's GPU


def cases(scale: int) -> Iterator[Case]:
    is_large = scale >= LARGE
    yield from _products(is_large)
    yield from _networks(scale, is_large)
    yield from _transforms(scale, is_large)
    yield from _decompositions(is_large)
    yield from _calls(scale)


def _products(is_large: bool) -> Iterator[Case]:
    edges = (512, 1024, 2048, 4096, 8192) if is_large else (256, 512)
    for edge in edges:
        yield product(f"matmul {edge}", (edge, edge), "f4")
    edge = 4096 if is_large else 256
    yield product(f"matmul float16 {edge}", (edge, edge), "f2")
    yield product(f"matmul float64 {edge // 2}", (edge // 2, edge // 2), "f8")
    batch = 512 if is_large else 16
    yield product(f"matmul {batch} x 128", (batch, 128, 128), "f4")
    yield Case(
        f"matrix by vector {2 * edge}",
        lambda: [numbers(2 * edge, 2 * edge), numbers(2 * edge)],
        lambda xp, x, y: x @ y,
        {},
        16 * edge * edge,
    )


def product(name: str, shape: tuple[int, ...], kind: str) -> Case:
    """A product of two matrices of this shape, or of as many as there are before the last dims."""
    return Case(
        name,
        lambda: [numbers(*shape).astype(kind), (1 - numbers(*shape)).astype(kind)],
        lambda xp, x, y: x @ y,
        operations=2 * int(np.prod(shape)) * shape[-1],
        into=Into(
            "matmul",
            "float32 matrices, square, of a sixteenth of the elements each",
            empty(kind, *shape),
            lambda xp, out, x, y: xp.matmul(x, y, out=out),
            tolerance=1e-4,
        ),
    )


def _networks(scale: int, is_large: bool) -> Iterator[Case]:
    batch = 32 if is_large else 1

    def functional(name: str, **options: object) -> Any:
        return lambda xp, *operands: getattr(xp.nn.functional, name)(*operands, **options)

    def conv(**options: object) -> dict[str, Any]:
        return {"torch": functional("conv2d", **options), "cupy": None}

    for channels, edge in ((64, 56), (256, 14)):
        for suffix, make in (("", numbers), (", NHWC", channels_last)):
            operands = partial(_image_and_filters, make, batch, channels, edge)
            yield Case(
                f"conv 3 x 3, {channels} channels, {edge}{suffix}",
                operands,
                lambda xp, x, w: xp.nn.conv(x, w, padding=1),
                conv(padding=1),
                operations=2 * 9 * channels**2 * edge**2 * batch,
            )
    yield Case(
        "conv 1 x 1, 256 to 64 channels, 56",
        lambda: [numbers(batch, 256, 56, 56), numbers(64, 256, 1, 1)],
        lambda xp, x, w: xp.nn.conv(x, w),
        conv(),
        operations=2 * 256 * 64 * 56**2 * batch,
    )
    yield Case(
        "depthwise 3 x 3, 128 channels, 56",
        lambda: [numbers(batch, 128, 56, 56), numbers(128, 1, 3, 3)],
        lambda xp, x, w: xp.nn.conv(x, w, padding=1, groups=128),
        conv(padding=1, groups=128),
        8 * 128 * 56**2 * batch,
    )
    yield Case(
        "max_pool 3, stride 2",
        lambda: [numbers(batch, 64, 112, 112)],
        lambda xp, x: xp.nn.max_pool(x, 3, stride=2, padding=1),
        {"torch": functional("max_pool2d", kernel_size=3, stride=2, padding=1), "cupy": None},
        5 * 64 * 112**2 * batch,
    )
    rows = 256 * scale
    yield Case(
        "softmax of 4096",
        lambda: [numbers(rows, 4096)],
        lambda xp, x: xp.nn.softmax(x, axis=-1),
        {"torch": functional("softmax", dim=-1), "cupy": None},
        8 * rows * 4096,
    )
    yield Case(
        "layer_norm of 4096",
        lambda: [numbers(rows, 4096), numbers(4096), numbers(4096)],
        lambda xp, x, w, b: xp.nn.layer_norm(x, (4096,), w, b),
        {"torch": lambda xp, x, *wb: xp.nn.functional.layer_norm(x, (4096,), *wb), "cupy": None},
        8 * rows * 4096,
    )
    shape = (8, 16, 1024, 64) if is_large else (1, 4, 128, 64)
    yield Case(
        f"attention {shape[2]} x {shape[3]}",
        lambda: [numbers(*shape), 1 - numbers(*shape), numbers(*shape)[..., ::-1].copy()],
        lambda xp, q, k, v: xp.nn.scaled_dot_product_attention(q, k, v),
        {"torch": functional("scaled_dot_product_attention"), "cupy": None},
        operations=4 * shape[0] * shape[1] * shape[2] ** 2 * shape[3],
    )


def _image_and_filters(
    make: Callable[..., Array], batch: int, channels: int, edge: int
) -> list[Array]:
    return [make(batch, channels, edge, edge), make(channels, channels, 3, 3)]


def _transforms(scale: int, is_large: bool) -> Iterator[Case]:
    rows, long = 256 * scale, 2**22 if is_large else 2**16

    def waves(*shape: int) -> Array:
        return (numbers(*shape) + 1j * numbers(*shape)).astype(np.complex64)

    fft = lambda xp, x: xp.fft.fft(x)  # noqa: E731
    yield Case("fft of 1024", lambda: [waves(rows, 1024)], fft, {}, 16 * rows * 1024)
    yield Case(f"fft of {long}", lambda: [waves(long)], fft, {}, 16 * long)


def _decompositions(is_large: bool) -> Iterator[Case]:
    edge = 1024 if is_large else 64
    small = edge // 2

    def definite() -> Array:
        a = numbers(edge, edge)
        matrix: Array = a @ a.T + edge * np.eye(edge, dtype=np.float32)
        return matrix

    def symmetric() -> Array:
        a = numbers(small, small)
        matrix: Array = a + a.T
        return matrix

    yield Case(
        f"cholesky {edge}",
        lambda: [definite()],
        lambda xp, x: xp.linalg.cholesky(x),
        operations=edge**3 // 3,
    )
    yield Case(
        f"solve {edge}",
        lambda: [definite(), numbers(edge, 8)],
        lambda xp, x, b: xp.linalg.solve(x, b),
        operations=2 * edge**3 // 3,
    )
    # Signs of vectors are each library's own.
    yield Case(
        f"qr {edge}",
        lambda: [numbers(edge, edge)],
        lambda xp, x: xp.linalg.qr(x)[0],
        operations=4 * edge**3 // 3,
        is_compared=False,
    )
    yield Case(
        f"eigh {small}",
        lambda: [symmetric()],
        lambda xp, x: xp.linalg.eigh(x)[0],
        operations=9 * small**3,
        is_compared=False,
    )
    yield Case(
        f"svd {small}",
        lambda: [numbers(small, small)],
        lambda xp, x: xp.linalg.svd(x)[1],
        operations=20 * small**3,
        is_compared=False,
    )


def chain(x: Values, y: Values, count: int) -> Any:
    """Dependent additions."""
    for _ in range(count):
        x = x + y
    return x


def _calls(scale: int) -> Iterator[Case]:
    def tiny() -> list[Array]:
        return [numbers(1024), 1 - numbers(1024)]

    yield Case("tiny a + b", tiny, lambda xp, x, y: x + y)
    yield Case("100 dependent tiny adds", tiny, lambda xp, x, y: chain(x, y, 100))
    yield Case("float(x[7])", tiny, lambda xp, x, y: float(x[7]))
    count = scale * 2**20
    array = numbers(count)
    yield Case(
        "upload",
        list,
        lambda xp: xp.asarray(array),
        {
            "torch": lambda xp: xp.from_numpy(array).to(
                "cuda" if xp.cuda.is_available() else "cpu", copy=True
            )
        },
        4 * count,
    )
    yield Case(
        "download",
        lambda: [array],
        lambda xp, x: x.numpy(),
        {"torch": lambda xp, x: x.cpu().numpy(), "cupy": lambda xp, x: xp.asnumpy(x)},
        4 * count,
    )
