"""What a device gives for fixed operands, without what may differ: `python -m` this file FOLDER.

DML_VK_DEVICE says which device.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

import dml_vk
from dml_vk import nn
from dml_vk.dtypes import DTYPES, DType, float16, float32
from dml_vk.kernels.operators import NOT_PUBLIC, OPERATORS, Operator
from dml_vk.random import Generator
from tests.kernel.elementwise import LEAST, random_values
from tests.kernel.memory import bits
from tests.kernel.points import pairs, points

MANY = 1 << 14
SPARSE = 5  # so many points of float32 are left out for one
FUNCTIONS = [operator for operator in OPERATORS.values() if operator.ulp]
FORMATS = dml_vk.contiguous_format, dml_vk.channels_last
SHAPE = (2, 3, 101, 89)
CHUNKED = ("normal", "uniform-float64", "integers-int8")
CHUNKS = (4, 50_000, 3_930)  # of all in SHAPE; whole blocks but for the last


def cases() -> list[tuple[Operator, DType]]:
    """All functions with an error, and of float16 one of each kernel.

    What is exact is compared with NumPy bit for bit, on each driver that the suite is run on. With
    DML_VK_EVERY_WAY=1 it is all that there is.
    """
    if "DML_VK_EVERY_WAY" in os.environ:
        public = [one for one in OPERATORS.values() if one.name not in NOT_PUBLIC]
        return [(one, dtype) for one in public for dtype in DTYPES.values() if one.takes(dtype)]
    of_kernels = {operator.family: operator for operator in FUNCTIONS}
    return [
        *[(operator, float32) for operator in FUNCTIONS],
        *[(operator, float16) for operator in of_kernels.values()],
    ]


def operands(operator: Operator, dtype: DType) -> list[np.ndarray]:
    if dtype is float32 and operator.arity == 1:
        return [points()[::SPARSE]]
    if dtype is float32 and operator.arity == 2:
        return [each[::SPARSE] for each in pairs(operator.name)]
    if dtype is float16 and operator.arity == 1:
        return [np.arange(1 << 16, dtype=np.uint16).view(np.float16)]
    return [random_values(dtype, MANY, seed) for seed in range(operator.arity)]


def result(operator: Operator, dtype: DType) -> np.ndarray:
    """The bits of the result: any NaN as one, and 0 where float32 may be flushed."""
    given = operands(operator, dtype)
    told = [-1, 1] if operator.name == "clip" and dtype.kind != "u" else []
    function = getattr(dml_vk, operator.name)
    found = function(*[dml_vk.asarray(each) for each in given], *told).numpy()
    if found.dtype.kind == "f":
        found[np.isnan(found)] = np.nan
    if dtype is float32 and found.dtype.kind == "f":
        least = LEAST[found.dtype]
        flushed = [(np.abs(each) < least) & (each != 0) for each in given]
        found[np.logical_or.reduce([*flushed, np.abs(found) <= least])] = 0
    return bits(found)


def drawn() -> dict[str, np.ndarray]:
    """Bits of what a generator draws: in one format, in the other, and of some draws in chunks."""
    draws = {
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
    found = {
        f"{name}-{one.name}": bits(draw(Generator(5), SHAPE, memory_format=one).numpy())
        for name, draw in draws.items()
        for one in FORMATS
    }
    for name in CHUNKED:
        one = Generator(5)
        chunks = [draws[name](one, length).numpy() for length in CHUNKS]
        found[f"{name}-chunks"] = bits(np.concatenate(chunks))
    return found


def computed() -> dict[str, np.ndarray]:
    """Bits of what becomes of arrays, in one format and the other."""
    numbers = random_values(float32, 2 * 5 * 37 * 41, 3)
    tame = np.where(np.abs(numbers) < 1e4, numbers, np.float32(1.5)).reshape(2, 5, 37, 41)
    tame[np.abs(tame) < 1e-4] = 0.25
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
        "conv": lambda x: nn.conv(x, filters(4, 5, 3, 3), padding=1, stride=2, activation="gelu"),
        "conv-depthwise": lambda x: nn.conv(x, filters(5, 1, 3, 3), padding=1, groups=5),
        "conv_transpose": lambda x: nn.conv_transpose(x, filters(5, 3, 3, 3), stride=2),
        "linear": lambda x: nn.linear(x, filters(7, 41), filters(7), activation="tanh"),
        "einsum": lambda x: dml_vk.einsum("nchw,ndhw->cd", x, x),
        "argsort": lambda x: dml_vk.argsort(x, axis=3),
        "unique": lambda x: dml_vk.unique_counts(dml_vk.round(x)).counts,
        "take": lambda x: dml_vk.take(x, dml_vk.asarray(index), axis=2),
        "masked": lambda x: x[x > 0.5],
        "softmax": lambda x: softened(dml_vk.clip(x, -20.0, 20.0)),
    }
    return {
        f"{name}-{one.name}": bits(call(dml_vk.asarray(tame, memory_format=one)).numpy())
        for name, call in calls.items()
        for one in FORMATS
    }


def filters(*sizes: int) -> dml_vk.Tensor:
    return dml_vk.asarray(np.cos(np.arange(np.prod(sizes), dtype=np.float32)).reshape(sizes))


def softened(x: dml_vk.Tensor) -> dml_vk.Tensor:
    raised = dml_vk.exp(x - x.max(1, keepdims=True))
    return raised / dml_vk.sum(raised, axis=1, keepdims=True)


def arrays() -> dict[str, np.ndarray]:
    """All but the functions."""
    return {**drawn(), **computed()}


def main(folder: str) -> None:
    for operator, dtype in cases():
        np.save(Path(folder, f"{operator.name}-{dtype.name}.npy"), result(operator, dtype))
    for name, found in arrays().items():
        np.save(Path(folder, f"array-{name}.npy"), found)


if __name__ == "__main__":
    main(sys.argv[1])
