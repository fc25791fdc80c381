"""Casts between all pairs of the twelve element types, exact by our contract on hard values."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import dml_vk
from dml_vk.dtypes import DType
from dml_vk.errors import DTypeError
from dml_vk.layout import Layout
from tests import tier
from tests.kernel.elementwise import check, random_values, source_of
from tests.real_dtypes import DTYPES

COUNT = 20_000


def beside(numbers: np.ndarray) -> np.ndarray:
    """Numbers of a float or integer type and their two neighbours."""
    if numbers.dtype.kind == "f":
        down, up = (np.nextafter(numbers, numbers.dtype.type(way)) for way in (-np.inf, np.inf))
    else:
        down, up = numbers - numbers.dtype.type(1), numbers + numbers.dtype.type(1)
    return np.concatenate([down, numbers, up])


def halfway() -> np.ndarray:
    """In float64: what lies in the middle between two floats of 16 or 32 bits, and their limits."""
    random = np.random.default_rng(3)
    halves = np.arange(0x7BFF, dtype=np.uint16).view(np.float16).astype(np.float64)
    bits = random.integers(0, 0x7F7FFFFF, 2000, np.uint32)
    bits[:40] = np.arange(40)
    singles, above = (b.view(np.float32).astype(np.float64) for b in (bits, bits + np.uint32(1)))
    limits = [65519.0, 65520.0, 2.0**-25, 2.0**-150, 3.4028235677973366e38, 2.0**127 * 2]
    return np.concatenate([(halves[:-1] + halves[1:]) / 2, (singles + above) / 2, limits])


def border() -> np.ndarray:
    """In float64: limits of all integers and their neighbours, with and without a fraction."""
    limits = [float(sign * 2**k) for k in (0, 7, 8, 15, 16, 31, 32, 63, 64) for sign in (-1, 1)]
    return np.add.outer([-1.0, -0.5, -0.1, 0.0, 0.1, 0.5, 1.0], limits).ravel()


def hard_integers(dtype: DType) -> np.ndarray:
    """Integers of every length, and those between two floats of 11, 24 and 53 digits."""
    random, bits = np.random.default_rng(4), 8 * dtype.itemsize
    lengths = random.integers(0, bits, 2000)
    some = random.integers(0, 2**64, 2000, np.uint64, False) >> np.uint64(64 - bits)
    short = some >> lengths.astype(np.uint64)
    between = []
    for digits in (11, 24, 53):
        for shift in range(bits - digits):
            odd = (random.integers(2 ** (digits - 1), 2**digits, 4) << 1 | 1).astype(np.uint64)
            between.append(beside(odd << np.uint64(shift)))
    with np.errstate(over="ignore"):
        found = np.concatenate([short, *between]).astype(f"uint{bits}").view(dtype.name)
        return np.concatenate([found, -found])


@functools.cache
def values_of(dtype: DType) -> np.ndarray:
    """All there are of up to 16 bits, else many."""
    if dtype.kind == "b":
        return random_values(dtype, 999)
    if dtype.itemsize <= 2:
        bits = 8 * dtype.itemsize
        return np.arange(2**bits, dtype=f"uint{bits}").view(dtype.name)
    with np.errstate(over="ignore"):
        if dtype.kind == "f":
            hard = np.concatenate([halfway(), border()]).astype(dtype.name)
            hard = beside(np.concatenate([hard, -hard]))
        else:
            hard = hard_integers(dtype)
    return np.concatenate([hard, random_values(dtype, COUNT)])


def pairs() -> list[tuple[str, str]]:
    """All, but of integers to each other only half, and so of those and float16 or bool."""
    every = [(given, to) for given in DTYPES for to in DTYPES]
    numbers = {name: k for k, name in enumerate(DTYPES)}
    found = [
        (given, to)
        for given, to in every
        if tier.is_all()
        or not _is_halved(given, to)
        or (numbers[given] // 2 + numbers[to] // 2) % 2 == 0
    ]
    tier.leave_out(len(every) - len(found))
    return found


def _is_halved(given: str, to: str) -> bool:
    """Whether there are integers, and beside them no float of 32 or 64 bits, which need each."""
    return any("int" in one for one in (given, to)) and not {given, to} & {"float32", "float64"}


@pytest.mark.parametrize(("given", "to"), pairs())
def test_every_pair(given, to):
    values = values_of(DTYPES[given])
    flat = Layout(values.shape)
    check("cast", [source_of(DTYPES[given], flat, values)], flat, DTYPES[to])


def test_astype_to_the_same_dtype_copies_only_if_asked():
    x = dml_vk.asarray([1.5, 2.5])
    assert dml_vk.astype(x, dml_vk.float32, copy=False) is x
    assert dml_vk.astype(x, dml_vk.float32, copy=False, device=0) is x
    again = dml_vk.astype(x, dml_vk.float32, device=x.device)
    assert again is not x
    assert again.tolist() == [1.5, 2.5]
    with pytest.raises(DTypeError, match="dtype must be one of"):
        dml_vk.astype(x, "complex256")
