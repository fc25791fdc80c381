"""Rows and elements that neighbouring invocations share: layouts, element sizes, awkward sizes."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import dml_vk
from tests import tier
from tests.kernel.profiled import profiled

LANES = 64
DTYPES = ("float16", "int32", "float32", "int64", "float64", "complex128")
# Rows of quads, and others; around workgroups with one, two and four quads or elements each.
SIZES = [(1, 7), (3, 4), (5, 8), (7, 31), (2, 3, 4), (3, 5, 7), (13, 1, 4)]
SIZES += [(LANES * times // 8 + by, width) for times in (1, 4) for by in (0, 1) for width in (8, 9)]
SIZES += [(4, LANES // 4, 16), (5, LANES // 4 + 1, 12), (2, 1021)]


GROUPS = (65535, 2)  # for all elements, and few that do all


def by_groups(names, *values):
    """Combinations with each value once, of which each has one of the numbers of groups."""
    cases = [(groups, *case) for groups, case in tier.crossed(GROUPS, tier.crossed(*values))]
    return pytest.mark.parametrize(("as_gpu", *names.split()), cases, indirect=["as_gpu"])


@pytest.fixture
def as_gpu(request):
    """Few work items are many, so that each has several parts; and few groups do all."""
    device = dml_vk.device()
    facts = {"coalesces": True, "units_wanted": 1, "groups_wanted": None}
    facts |= {"max_invocations": LANES, "max_groups": request.param}
    with profiled(device, dataclasses.replace(device.profile, **facts)):
        yield


def cast(shape, dtype, of=61):
    return (np.arange(np.prod(shape)) % of).reshape(shape).astype(dtype)


def layouts(shape):
    """(name, size of the memory, what a view of it takes) of operands of this shape."""
    yield "packed", shape, ...
    wide = (*shape[:-1], shape[-1] + 4)
    yield "rows of more", wide, (..., slice(0, shape[-1]))
    yield "one beyond", wide, (..., slice(1, shape[-1] + 1))
    yield "every second", (*shape[:-1], 2 * shape[-1]), (..., slice(None, None, 2))
    yield "backwards", shape, (..., slice(None, None, -1))
    yield "rows backwards", shape, (slice(None, None, -1),)


@by_groups("dtype shape", DTYPES, SIZES)
def test_layouts(as_gpu, dtype, shape):
    for name, whole, at in layouts(shape):
        a, b = cast(whole, dtype), cast(shape, dtype, of=7)
        x, y = dml_vk.asarray(a), dml_vk.asarray(b)
        assert np.array_equal(dml_vk.add(x[at], y).numpy(), a[at] + b), name
        assert np.array_equal(
            dml_vk.where(x[at] == y, x[at], y).numpy(), np.where(a[at] == b, a[at], b)
        )
        memory, expected = dml_vk.full(whole, 77, dtype=dtype), np.full(whole, 77, dtype)
        dml_vk.add(x[at], y, out=memory[at])
        expected[at] = a[at] + b
        assert np.array_equal(memory.numpy(), expected), name
        memory[at] = y
        expected[at] = b
        assert np.array_equal(memory.numpy(), expected), name
        memory[at] += 1
        expected[at] += np.asarray(1, dtype)
        assert np.array_equal(memory.numpy(), expected), name
        memory[at] = 5
        expected[at] = 5
        assert np.array_equal(memory.numpy(), expected), name


@by_groups("dtype shape", DTYPES, SIZES)
def test_broadcasts(as_gpu, dtype, shape):
    a = cast(shape, dtype)
    x = dml_vk.asarray(a)
    for axis in range(len(shape)):
        for few in ((axis,), tuple(k for k in range(len(shape)) if k != axis)):
            part = [1 if k in few else size for k, size in enumerate(shape)]
            b = cast(part, dtype, of=11)
            assert np.array_equal((x + dml_vk.asarray(b)).numpy(), a + b)
            wide = dml_vk.broadcast_to(dml_vk.asarray(b), shape)
            assert np.array_equal((wide + wide).numpy(), np.broadcast_to(b + b, shape))
            assert np.array_equal(dml_vk.tile(x, 2).numpy(), np.tile(a, 2))


@by_groups("source target", DTYPES[:-1], DTYPES[:-1])
def test_casts_of_rows(as_gpu, source, target):
    for shape in SIZES:
        for _, whole, at in layouts(shape):
            a = cast(whole, source)
            assert np.array_equal(
                dml_vk.asarray(a)[at].astype(target).numpy(), a[at].astype(target)
            )


@by_groups("dtype index", DTYPES, ("int32", "int64"))
def test_gathers(as_gpu, dtype, index):
    for width in (1, 3, 4, 16, 65):
        a = cast((37, width), dtype)
        rows = (np.arange(LANES * 9 // width + 3) * 5 % 37).astype(index)
        taken = dml_vk.take(dml_vk.asarray(a), dml_vk.asarray(rows), axis=0)
        assert np.array_equal(taken.numpy(), a[rows])
    column = np.minimum(a[:2].real.astype(index) % 65, 64)
    along = dml_vk.take_along_axis(dml_vk.asarray(a[:2]), dml_vk.asarray(column), axis=1)
    assert np.array_equal(along.numpy(), np.take_along_axis(a[:2], column, 1))


@pytest.mark.parametrize("as_gpu", GROUPS, indirect=True)
def test_draws_and_sequences_into_rows(as_gpu):
    memory = dml_vk.zeros((9, 20))
    memory[:, 2:19] = dml_vk.arange(17, dtype="float32")
    expected = np.zeros((9, 20), np.float32)
    expected[:, 2:19] = np.arange(17)
    assert np.array_equal(memory.numpy(), expected)
