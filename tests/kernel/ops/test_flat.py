"""Quads that neighbouring invocations share: all element sizes, around every size of a tile."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import dml_vk
from tests import tier
from tests.kernel.profiled import profiled

LANES = 64
# One short of quads, of units of several quads and of workgroups of them, those, and one beyond.
SIZES = (0, 1, 2, 3, 5, 7, 13, 15, 16, 17, 31, 63, 64, 65, 127, 1021, 1024, 1025)
TILES = tuple([LANES * 16 * quads + by for quads in (1, 2, 4, 8) for by in (-1, 0, 1, 17)])
DTYPES = ("int8", "uint8", "int16", "float16", "int32", "float32", "int64", "float64", "complex128")
AROUND = 32  # elements of sentinels
GROUPS = [65535, 2]  # for all elements, and few that do all


@pytest.fixture
def as_gpu(request):
    """Few work items are many, so that each has several quads; and at most so many groups."""
    device = dml_vk.device()
    facts = {"coalesces": True, "units_wanted": 1, "groups_wanted": None}
    facts |= {"max_invocations": LANES, "max_groups": request.param}
    with profiled(device, dataclasses.replace(device.profile, **facts)):
        yield


def within(n, dtype):
    """Sentinels, and the elements between them, which start at a quad."""
    memory = dml_vk.full((n + 2 * AROUND,), 77, dtype=dtype)
    return memory, memory[AROUND : AROUND + n]


def check(memory, expected):
    values = memory.numpy()
    n = len(expected)
    assert np.array_equal(values[AROUND : AROUND + n], expected)
    assert (values[:AROUND] == 77).all()
    assert (values[AROUND + n :] == 77).all()


OF_ELEMENTS = tier.crossed(GROUPS, tier.crossed(DTYPES, (*SIZES, *TILES)))
by_groups = pytest.mark.parametrize("as_gpu", GROUPS, indirect=True)


@pytest.mark.parametrize(
    ("as_gpu", "dtype", "n"), [(groups, *case) for groups, case in OF_ELEMENTS], indirect=["as_gpu"]
)
def test_elements(as_gpu, dtype, n):
    a = (np.arange(n) % 61).astype(dtype)
    b = (np.arange(n) % 7).astype(dtype)
    x, y = dml_vk.asarray(a), dml_vk.asarray(b)
    memory, out = within(n, dtype)
    dml_vk.add(x, y, out=out)
    check(memory, a + b)
    dml_vk.add(out, y, out=out)
    check(memory, a + b + b)
    dml_vk.multiply(x, 2, out=out)
    check(memory, a * np.asarray(2, dtype))
    out[...] = x
    check(memory, a)
    out[...] = 5
    check(memory, np.full(n, 5, dtype))
    dml_vk.where(x == y, x, y[:1] if n else y, out=out)
    check(memory, np.where(a == b, a, b[:1] if n else b))


@by_groups
@tier.parametrize("source target", DTYPES[:-1], DTYPES[:-1])
def test_casts(as_gpu, source, target):
    for n in (15, 65, 1021, TILES[-1]):
        a = (np.arange(n) % 61).astype(source)
        memory, out = within(n, target)
        out[...] = dml_vk.asarray(a).astype(target)
        check(memory, a.astype(target))


@by_groups
@pytest.mark.parametrize("n", [1, 63, 1021, *TILES[-3:]])
def test_bools_and_functions(as_gpu, n):
    a = np.linspace(-3, 3, n).astype(np.float32)
    x = dml_vk.asarray(a)
    assert np.array_equal((x < 1).numpy(), a < 1)
    assert np.array_equal((x[: n // 2] / 3).numpy(), a[: n // 2] / np.float32(3))
    assert np.array_equal(dml_vk.sqrt(x * x).numpy(), np.abs(a))
    assert np.array_equal(dml_vk.arange(n, dtype="float32").numpy(), np.arange(n, dtype="f4"))
