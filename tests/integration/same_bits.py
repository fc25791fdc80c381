"""What a device gives for fixed operands, without what may differ: `python -m` this file FOLDER.

DML_VK_DEVICE says which device.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

import dml_vk
from dml_vk import linalg, nn, optim
from dml_vk.directml import (
    BufferTensorDesc,
    DataType,
    InterpolationMode,
    ReduceFunction,
    RoiAlign,
)
from dml_vk.dtypes import DType, float16, float32, float64
from dml_vk.kernels.operators import NOT_PUBLIC, OPERATORS, Operator
from dml_vk.random import Generator
from tests.kernel.elementwise import LEAST, random_values
from tests.kernel.memory import bits
from tests.kernel.points import pairs, points
from tests.real_dtypes import DTYPES

MANY = 1 << 14
SPARSE = 5  # so many points of float32 are left out for one
FUNCTIONS = [operator for operator in OPERATORS.values() if operator.ulp]
FORMATS = dml_vk.contiguous_format, dml_vk.channels_last
SHAPE = (2, 3, 101, 89)
CHUNKED = ("normal", "uniform-float64", "integers-int8")
CHUNKS = (4, 50_000, 3_930)  # of all in SHAPE; whole blocks but for the last


def cases() -> list[tuple[Operator, DType]]:
    """All functions with an error, and of float16 and float64 one of each kernel.

    What is exact is compared with NumPy bit for bit, on each driver that the suite is run on. With
    DML_VK_EVERY_WAY=1 it is all that there is.
    """
    if "DML_VK_EVERY_WAY" in os.environ:
        return every_case()
    of_kernels = {operator.family: operator for operator in FUNCTIONS}
    return [
        *[(operator, float32) for operator in FUNCTIONS],
        *[(one, dtype) for one in of_kernels.values() for dtype in (float16, float64)],
    ]


def every_case() -> list[tuple[Operator, DType]]:
    """All public operators, of every dtype that they take."""
    public = [one for one in OPERATORS.values() if one.name not in NOT_PUBLIC]
    return [(one, dtype) for one in public for dtype in DTYPES.values() if one.takes(dtype)]


def operands(operator: Operator, dtype: DType) -> list[np.ndarray]:
    if dtype is float32 and operator.arity == 1:
        return [points()[::SPARSE]]
    if dtype is float32 and operator.arity == 2:
        return [each[::SPARSE] for each in pairs(operator.name)]
    if dtype is float16 and operator.arity == 1:
        return [np.arange(1 << 16, dtype=np.uint16).view(np.float16)]
    return [random_values(dtype, MANY, seed) for seed in range(operator.arity)]


def result(operator: Operator, dtype: DType, given: list[np.ndarray] | None = None) -> np.ndarray:
    """The bits of the result: any NaN as one, and 0 where float32 may be flushed."""
    given = operands(operator, dtype) if given is None else given
    function = getattr(dml_vk, operator.name)
    found = function(*[dml_vk.asarray(each) for each in given], *told(operator, dtype)).numpy()
    return comparable(found, given, dtype)


def told(operator: Operator, dtype: DType) -> list[int]:
    """Parameters that have no default."""
    if operator.name != "clip":
        return []
    return [2, 100] if dtype.kind == "u" else [-1, 1]


def comparable(found: np.ndarray, given: list[np.ndarray], dtype: DType) -> np.ndarray:
    """The bits of a result without what may differ."""
    if found.dtype.kind == "f":
        found[np.isnan(found)] = np.nan
    if dtype is float32 and found.dtype.kind == "f":
        least = LEAST[found.dtype]
        flushed = [(np.abs(each) < least) & (each != 0) for each in given]
        found[np.logical_or.reduce([*flushed, np.abs(found) <= least])] = 0
    return bits(found)


def draws() -> dict[str, Callable[[], np.ndarray]]:
    """Bits of what a generator draws: in one format, in the other, and of some draws in chunks."""
    ways = {
        "normal": lambda one, shape, **how: one.normal(shape, mean=0.7, std=2.5, **how),
        "normal-float16": lambda one, shape, **how: one.normal(shape, float16, **how),
        "uniform": lambda one, shape, **how: one.uniform(-0.3, 5.1, shape, **how),
        "uniform-float16": lambda one, shape, **how: one.uniform(-0.3, 5.1, shape, float16, **how),
        "uniform-float64": lambda one, shape, **how: one.uniform(
            -0.3, 5.1, shape, "float64", **how
        ),
        "integers": lambda one, shape, **how: one.integers(-5, 3 * 2**30, shape, **how),
        "integers-int8": lambda one, shape, **how: one.integers(-77, 100, shape, "int8", **how),
        "integers-uint64": lambda one, shape, **how: one.integers(
            3 * 2**62, None, shape, "uint64", **how
        ),
    }
    chosen = {
        f"{name}-{one.name}": functools.partial(_drawn, draw, one)
        for name, draw in ways.items()
        for one in FORMATS
    }
    for name in CHUNKED:
        chosen[f"{name}-chunks"] = functools.partial(_in_chunks, ways[name])
    return chosen


def _drawn(draw, memory_format) -> np.ndarray:
    return bits(draw(Generator(5), SHAPE, memory_format=memory_format).numpy())


def _in_chunks(draw) -> np.ndarray:
    one = Generator(5)
    return bits(np.concatenate([draw(one, length).numpy() for length in CHUNKS]))


def tame(dtype: DType) -> np.ndarray:
    """Numbers of usual sizes, which neither overflow nor are flushed, in four dims."""
    numbers = random_values(dtype, 2 * 5 * 37 * 41, 3).reshape(2, 5, 37, 41)
    if dtype.kind == "f":
        numbers[~(np.abs(numbers) < 1e4)] = 1.5
        numbers[np.abs(numbers) < 1e-4] = 0.25
    return numbers


def calls() -> dict[str, Callable[[dml_vk.Tensor], dml_vk.Tensor]]:
    """Functions of an array as `tame` makes them."""
    index = np.arange(1, 58).reshape(3, 19, 1) * 7 % 37
    calls = {
        "sum": lambda x: dml_vk.sum(x),
        "sum-across": lambda x: dml_vk.sum(x, axis=(0, 2)),
        "sum-float16": lambda x: dml_vk.sum(dml_vk.tanh(x).astype(float16), axis=1),
        "std": lambda x: dml_vk.std(x, axis=(2, 3), correction=1.0),
        "norm": lambda x: dml_vk.linalg.vector_norm(x, axis=3),
        "argmax": lambda x: dml_vk.argmax(x, axis=2),
        "cumulative": lambda x: dml_vk.cumulative_sum(x, axis=2),
        "matmul": lambda x: x @ x.mT,
        "conv": lambda x: nn.conv(x, filters(4, 5, 3, 3), padding=1, stride=2, activation="tanh"),
        "conv-depthwise": lambda x: nn.conv(x, filters(5, 1, 3, 3), padding=1, groups=5),
        "conv_transpose": lambda x: nn.conv_transpose(x, filters(5, 3, 3, 3), stride=2),
        "linear": lambda x: nn.linear(x, filters(7, 41), filters(7), activation="tanh"),
        "einsum": lambda x: dml_vk.einsum("nchw,ndhw->cd", x, x),
        "fft": lambda x: in_words(dml_vk.fft.fft(x)),
        "fft-columns": lambda x: in_words(dml_vk.fft.fftn(x.to("float64")[0, 0], axes=(0, 1))),
        "rfft": lambda x: in_words(dml_vk.fft.rfft(x[..., :36], n=512)),
        "irfft": lambda x: dml_vk.fft.irfftn(
            dml_vk.fft.rfftn(x, axes=(1, 3)), s=(5, 41), axes=(1, 3)
        ),
        "argsort": lambda x: dml_vk.argsort(x, axis=3),
        "unique": lambda x: dml_vk.unique_counts(dml_vk.round(x)).counts,
        "take": lambda x: dml_vk.take(x, dml_vk.asarray(index), axis=2),
        "masked": lambda x: x[x > 0.5],
        "softmax": lambda x: nn.softmax(dml_vk.clip(x, -20.0, 20.0), axis=1),
        "log_softmax": lambda x: nn.log_softmax(x, axis=(2, 3)),
        "group_norm": lambda x: nn.group_norm(x, 1),
        "rms_norm": lambda x: nn.rms_norm(x, x.shape[-1]),
        "max_pool": lambda x: dml_vk.nn.max_pool(x, 3, stride=2, padding=1),
        "avg_pool": lambda x: dml_vk.nn.avg_pool(x, (3, 5), stride=1, padding="same"),
        "lp_pool": lambda x: dml_vk.nn.lp_pool(x, 2, 4, ceil_mode=True),
        "adaptive_pool": lambda x: dml_vk.nn.adaptive_avg_pool(dml_vk.tanh(x).astype(float16), 7),
        "top_k": lambda x: dml_vk.top_k(x, 3, axis=1)[1],
        "complex": lambda x: complex_of(x) * complex_of(x) / (complex_of(x) + (1 + 2j)),
        "complex-exp": lambda x: dml_vk.exp(complex_of(x) / 512),
        "complex-matmul": lambda x: complex_of(x) @ complex_of(x).mT,
        "complex-abs": lambda x: dml_vk.abs(complex_of(x)),
        "complex-std": lambda x: dml_vk.std(complex_of(x), axis=(1, 3)),
        "complex-cov": lambda x: dml_vk.cov(complex_of(x)[1, 2]),
        "complex-argsort": lambda x: dml_vk.argsort(dml_vk.round(complex_of(x)), axis=2),
        "complex-normal": lambda x: Generator(5).normal((3, 40), "complex128", mean=1j),
        "complex-spiral": lambda x: dml_vk.geomspace(1 - 2j, 300 + 5j, 99, dtype="complex128"),
    }
    calls |= {f"numpy-{name}": call for name, call in habits().items()}
    calls |= {f"nn-{name}": call for name, call in networks().items()}
    calls |= {f"gradient-{name}": call for name, call in gradients().items()}
    calls |= {f"linalg-{name}": call for name, call in decompositions().items()}
    return calls


def computations() -> dict[str, Callable[[np.ndarray], np.ndarray]]:
    """Bits of what becomes of an array, in one format and the other."""
    return {
        f"{name}-{one.name}": functools.partial(_computed, call, one)
        for name, call in calls().items()
        for one in FORMATS
    }


def complex_of(x: dml_vk.Tensor) -> dml_vk.Tensor:
    """Numbers beside each other as real and imaginary parts."""
    return x + dml_vk.flip(x, axis=3) * 1j


def _computed(call, memory_format, given: np.ndarray) -> np.ndarray:
    return bits(call(dml_vk.asarray(given, memory_format=memory_format)).numpy())


def in_words(x: dml_vk.Tensor) -> dml_vk.Tensor:
    """Complex numbers as bytes, which have no numbers of their own in tables of bits."""
    return x.contiguous().view("uint32")


def filters(*sizes: int) -> dml_vk.Tensor:
    return dml_vk.asarray(np.cos(np.arange(np.prod(sizes), dtype=np.float32)).reshape(sizes))


def sampled(x: dml_vk.Tensor) -> dml_vk.Tensor:
    """Samples of three regions, by DirectML's operator on tensors."""
    corners = np.array([[1.3, 2.1, 20.7, 30.2], [30, 5, 2.5, 9], [-3, -4, 50, 50]], np.float32)
    tensors = x, dml_vk.asarray(corners), dml_vk.asarray(np.array([0, 1, 1], np.uint32))
    tensors += (dml_vk.empty((3, x.shape[1], 4, 3)),)
    descs = [BufferTensorDesc(DataType[one.dtype.name.upper()], one.shape) for one in tensors]
    function, mode = ReduceFunction.AVERAGE, InterpolationMode.LINEAR
    RoiAlign(*descs, function, mode, 0.9, 1.1, 0.5, 1, 3)._compute(*tensors)
    return tensors[-1]


def networks() -> dict[str, Callable[[dml_vk.Tensor], dml_vk.Tensor]]:
    """Functions for networks, of images (2, 5, 37, 41)."""
    target = np.arange(2 * 37 * 41).reshape(2, 37, 41) % 5
    return {
        "fold": lambda x: nn.fold(nn.unfold(x, 3, padding=1), (37, 41), 3, padding=1),
        "linear": lambda x: nn.resample(x, size=(50, 23), mode="linear"),
        "cubic": lambda x: nn.resample(x.to(float16), scale=1.7, mode="cubic"),
        "attention": lambda x: nn.scaled_dot_product_attention(x, x, x, is_causal=True),
        "attention-float16": lambda x: nn.scaled_dot_product_attention(
            *[x.to(float16).transpose(1, 2)] * 3, scale=0.01
        ),
        "response": lambda x: nn.local_response_norm(x, 3, alpha=0.01),
        "normalize": lambda x: nn.normalize(x, p=3),
        "conv_integer": lambda x: nn.conv_integer(
            x.to("int8"), filters(4, 5, 3, 3).astype("int8"), 3, -1, padding=1
        ),
        "hardmax": lambda x: nn.hardmax(x, axis=(1, 3)),
        "dropout": lambda x: nn.dropout(x, 0.3, generator=Generator(5)),
        "quantize": lambda x: nn.quantize(x, 0.37, 5, dtype="int8"),
        "dequantize": lambda x: nn.dequantize(x.to("int8"), 0.37, 5, dtype=float16),
        "cross_entropy": lambda x: nn.cross_entropy(x, dml_vk.asarray(target)),
        "float64-conv": lambda x: nn.conv(
            x.to("float64")[..., :9], filters(4, 5, 3, 3), stride=2, padding=1, activation="elu"
        ),
        "float64-pool": lambda x: nn.adaptive_avg_pool(x.to("float64"), (5, 7)),
        "float64-norm": lambda x: nn.group_norm(x.to("float64"), 1),
        "float64-attention": lambda x: nn.scaled_dot_product_attention(
            *[x.to("float64")[:1, :2]] * 3, is_causal=True
        ),
        "roi_align": sampled,
    }


def gradients() -> dict[str, Callable[[dml_vk.Tensor], dml_vk.Tensor]]:
    """Gradients of functions of images, and weights that were trained on them."""
    target = np.arange(2 * 18 * 20).reshape(2, 18, 20) % 4

    def weights():
        return filters(4, 5, 3, 3), filters(4), dml_vk.ones(4)

    def layers(x, weight, bias, scale):
        y, _, _ = nn.batch_norm_train(nn.conv(x / 9e3, weight, padding=1), scale, bias)
        return nn.cross_entropy(nn.max_pool(dml_vk.gelu(y), 2), dml_vk.asarray(target))

    def attended(x):
        return dml_vk.sum(nn.scaled_dot_product_attention(x / 99, x / 99, x, is_causal=True) ** 2)

    def solved(x):
        a = dml_vk.tanh(x[:, :, :8, :8]) + 9 * dml_vk.eye(8)
        return dml_vk.sum(linalg.solve(a, x[:, :, :8, 8:12])) + dml_vk.sum(linalg.slogdet(a)[1])

    def trained(x):
        opt, own = optim.AdamW(0.01), weights()
        state = opt.init(own)
        for _ in range(5):
            own, state = opt.update(own, dml_vk.grad(layers, (1, 2, 3))(x, *own), state)
        return own[0]

    return {
        "layers": lambda x: dml_vk.grad(layers)(x, *weights()),
        "weights": lambda x: dml_vk.grad(layers, 1)(x, *weights()),
        "attention": dml_vk.grad(attended),
        "solve": dml_vk.grad(solved),
        "fft": dml_vk.grad(lambda x: dml_vk.sum(dml_vk.abs(dml_vk.fft.rfft(x / 99)) ** 1.5)),
        "sort": dml_vk.grad(lambda x: dml_vk.sum(dml_vk.sort(x, axis=2) * filters(37, 1))),
        "trained": trained,
    }


def habits() -> dict[str, Callable[[dml_vk.Tensor], dml_vk.Tensor]]:
    """NumPy's functions that compute in several steps."""
    points = np.linspace(-30, 30, 64, dtype=np.float32)
    at = np.linspace(1, 9, 37, dtype=np.float32)
    return {
        "convolve": lambda x: dml_vk.convolve(dml_vk.ravel(x)[:3000], dml_vk.ravel(x)[:64]),
        "correlate-float16": lambda x: dml_vk.correlate(
            *[dml_vk.tanh(part[1, 1]).to(float16) for part in (x[..., 7], x[..., :9, 3])], "same"
        ),
        "convolve-float64": lambda x: dml_vk.convolve(*x[0, 0, :2].to("float64")),
        "cov": lambda x: dml_vk.cov(x[1, 2], aweights=dml_vk.abs(x[0, 0, 0])),
        "corrcoef": lambda x: dml_vk.corrcoef(x[:, 3, :, 5]),
        "interp": lambda x: dml_vk.interp(x, dml_vk.asarray(points), filters(64)),
        "gradient": lambda x: dml_vk.gradient(x, dml_vk.asarray(at), axis=2, edge_order=2),
        "trapezoid": lambda x: dml_vk.trapezoid(x, dx=0.3, axis=1),
        "polyval": lambda x: dml_vk.polyval(filters(5), dml_vk.tanh(x)),
        "around": lambda x: dml_vk.around(x, 2),
        "cbrt": lambda x: dml_vk.cbrt(x[0]),
        "cummax": lambda x: dml_vk.cummax(x, 2)[0],
        "erfinv": lambda x: dml_vk.special.erfinv(dml_vk.tanh(x[0])),
        "logcumsumexp": lambda x: dml_vk.logcumsumexp(x, 2),
        "frexp": lambda x: dml_vk.frexp(x)[0],
        "kaiser": lambda x: dml_vk.kaiser(40, 8.5),
        "sinc": lambda x: dml_vk.sinc(x[0].to("float64")),
        "unwrap": lambda x: dml_vk.unwrap(x, axis=2),
        "kron": lambda x: dml_vk.kron(x[0, 0, :3, :5], x[1, 4]),
        "vander": lambda x: dml_vk.vander(dml_vk.tanh(x[0, 0, 0]), 9),
        "quantile": lambda x: dml_vk.quantile(x, [0.1, 0.77], axis=(0, 2)),
        "quantile-weights": lambda x: dml_vk.quantile(
            x, [0.1, 0.77], axis=2, method="inverted_cdf", weights=dml_vk.abs(x)
        ),
        "average": lambda x: dml_vk.average(x, axis=1, weights=dml_vk.abs(x)),
        "bincount": lambda x: dml_vk.bincount(
            dml_vk.ravel(dml_vk.abs(dml_vk.tanh(x)) * 9).to("uint8"), dml_vk.ravel(x)
        ),
    }


def decompositions() -> dict[str, Callable[[dml_vk.Tensor], dml_vk.Tensor]]:
    """Functions of matrices (37, 41)."""

    def square(x: dml_vk.Tensor) -> dml_vk.Tensor:
        return dml_vk.tanh(x[0, :3, :, :37])

    def turned(x: dml_vk.Tensor) -> dml_vk.Tensor:
        return square(x) + 1j * square(x).mT

    return {
        "complex-det": lambda x: linalg.slogdet(turned(x).to("complex128")).logabsdet,
        "complex-eigh": lambda x: in_words(linalg.eigh(turned(x)).eigenvectors),
        "complex-inv": lambda x: in_words(linalg.inv(turned(x))),
        "complex-svd": lambda x: in_words(linalg.svd(turned(x)[:, 9:]).U),
        "cholesky": lambda x: linalg.cholesky(square(x) @ square(x).mT + 40 * dml_vk.eye(37)),
        "det": lambda x: linalg.slogdet(square(x)).logabsdet,
        "eig": lambda x: in_words(linalg.eig(square(x)).eigenvectors),
        "eigh": lambda x: linalg.eigh(square(x)).eigenvectors,
        "lstsq": lambda x: linalg.lstsq(dml_vk.tanh(x[0, 0]), x[1, 0]).x,
        "qr": lambda x: linalg.qr(dml_vk.tanh(x[0, :3])).Q,
        "solve": lambda x: linalg.solve(square(x), x[0, :3]),
        "svd": lambda x: linalg.svd(square(x), full_matrices=False).U,
    }


def arrays() -> dict[str, np.ndarray]:
    """All but the functions."""
    given = tame(float32)
    made = {name: compute(given) for name, compute in computations().items()}
    return {**{name: draw() for name, draw in draws().items()}, **made}


def main(folder: str) -> None:
    for operator, dtype in cases():
        np.save(Path(folder, f"{operator.name}-{dtype.name}.npy"), result(operator, dtype))
    for name, found in arrays().items():
        np.save(Path(folder, f"array-{name}.npy"), found)


if __name__ == "__main__":
    main(sys.argv[1])
