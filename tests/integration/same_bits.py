"""What a device gives for fixed operands, without what may differ: `python -m` this file FOLDER.

DML_VK_DEVICE says which device.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

import dml_vk
from dml_vk.dtypes import DTYPES, DType, float16, float32
from dml_vk.kernels.operators import OPERATORS, Operator
from dml_vk.random import Generator
from tests.kernel.elementwise import LEAST, random_values
from tests.kernel.memory import bits
from tests.kernel.points import pairs, points

MANY = 1 << 14
SPARSE = 5  # so many points of float32 are left out for one
FUNCTIONS = [operator for operator in OPERATORS.values() if operator.ulp]
NOT_PUBLIC = {"cast", "clip_grad"}


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
    """Bits of what a generator draws, in one format and the other."""
    shape = (2, 3, 101, 89)
    draws = {
        "normal": lambda one, **how: one.normal(shape, mean=0.7, std=2.5, **how),
        "normal-float16": lambda one, **how: one.normal(shape, float16, **how),
        "uniform": lambda one, **how: one.uniform(-0.3, 5.1, shape, **how),
        "uniform-float16": lambda one, **how: one.uniform(-0.3, 5.1, shape, float16, **how),
        "uniform-float64": lambda one, **how: one.uniform(-0.3, 5.1, shape, "float64", **how),
        "integers": lambda one, **how: one.integers(-5, 3 * 2**30, shape, **how),
        "integers-int8": lambda one, **how: one.integers(-77, 100, shape, "int8", **how),
        "integers-uint64": lambda one, **how: one.integers(3 * 2**62, None, shape, "uint64", **how),
    }
    formats = dml_vk.contiguous_format, dml_vk.channels_last
    return {
        f"{name}-{one.name}": bits(draw(Generator(5), memory_format=one).numpy())
        for name, draw in draws.items()
        for one in formats
    }


def main(folder: str) -> None:
    for operator, dtype in cases():
        np.save(Path(folder, f"{operator.name}-{dtype.name}.npy"), result(operator, dtype))
    for name, found in drawn().items():
        np.save(Path(folder, f"drawn-{name}.npy"), found)


if __name__ == "__main__":
    main(sys.argv[1])
