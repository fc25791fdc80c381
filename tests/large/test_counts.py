"""Reductions and scans of what counts itself: ones, one among many, whole numbers in order."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.dtypes import (
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int32,
    int64,
    uint8,
)
from dml_vk.kernels.plan.rounds import LEAST
from dml_vk.layout import channels_last
from tests import tier
from tests.large.test_rounds import of_few_lanes
from tests.real_dtypes import DTYPES

NUMBERS = [dtype for dtype in DTYPES.values() if dtype.kind != "b"]
ONES = {
    "sum": lambda count: count,
    "count_nonzero": lambda count: count,
    **dict.fromkeys(("prod", "max", "min", "any", "all", "mean"), lambda count: 1),
    **dict.fromkeys(("argmax", "argmin", "var", "std"), lambda count: 0),
}


def takes(name, dtype):
    if name in ("any", "all", "count_nonzero"):
        return True
    floats = name in ("var", "std")
    return dtype.kind in "f" if floats else dtype.kind != "b"


def counted(count, dtype):
    """As the dtype has it: beyond its numbers, float16 is infinite."""
    with np.errstate(over="ignore"):
        return np.array(count).astype(dtype.numpy_name) if dtype.kind == "f" else count


# Tall, wide, deep, batched, and dims that do not merge: (sizes of n, dims that are reduced).
SHAPES = {
    "all": lambda n: ((n,), None),
    "wide": lambda n: ((7, n // 7), 1),
    "tall": lambda n: ((n // 7, 7), 0),
    "tall and even": lambda n: ((n // 64, 64), 0),
    "deep": lambda n: ((3, n // 15, 5), 1),
    "batched": lambda n: ((5, 3, n // 45, 3), (0, 2)),
    "many": lambda n: ((n // 16, 16), 1),
    "rank 8": lambda n: ((1, 2, 1, n // 48, 3, 2, 1, 4), (1, 3, 5)),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_kernel_of_reductions(beyond, shape):
    def check(n):
        sizes, dims = SHAPES[shape](n)
        axes = range(len(sizes)) if dims is None else dims if isinstance(dims, tuple) else (dims,)
        count = int(np.prod([sizes[dim] for dim in axes]))
        names, turn = ["sum", "max", "count_nonzero", "argmin"], list(SHAPES).index(shape)
        every = (uint8, int32, int64, float16, float32, float64)
        for dtype, name in tier.crossed(every, names[turn % 4 :] + names[: turn % 4]):
            if name.startswith("arg") and isinstance(dims, tuple):
                continue
            found = getattr(dml_vk, name)(dml_vk.ones(sizes, dtype=dtype), axis=dims)
            expected = counted(ONES[name](count), found.dtype)
            assert (found.numpy() == expected).all(), (name, dtype, sizes)

    beyond.reach(check, [2**k for k in (14, 20, 22, 23, 24)])


def test_every_variant_of_reductions_and_scans(beyond):
    """Ones, and a two at the end of ever longer rows and columns, or of ever more of nine.

    Powers of i, and ones in three segments, are for the kernels that have no rows of these.
    """
    beyond.lower(LEAST)

    def check(n):
        for dtype in (uint8, int32, int64, float32, float64):
            for sizes in ((9, n), (n, 9)):
                x = dml_vk.ones(sizes, dtype=dtype)
                for dim, size in enumerate(sizes):
                    last = (slice(None),) * dim + (size - 1,)
                    x[last] = 2
                    assert (dml_vk.argmax(x, axis=dim).numpy() == size - 1).all()
                    assert (dml_vk.max(x, axis=dim).numpy() == 2).all()
                    assert (dml_vk.prod(x, axis=dim, dtype=dtype).numpy() == 2).all()
                    found = dml_vk.sum(x, axis=dim)
                    assert (found.numpy() == counted(size + 1, found.dtype)).all()
                    row = np.arange(1, size + 1)
                    row[-1] += 1
                    with np.errstate(over="ignore"):
                        row = np.expand_dims(row.astype(dtype.numpy_name), 1 - dim)
                    assert (dml_vk.cumulative_sum(x, axis=dim, dtype=dtype).numpy() == row).all()
                    x[last] = 1
        for dtype in (complex64, complex128):
            assert (dml_vk.prod(dml_vk.full((9, n), 1j, dtype), axis=1).numpy() == 1).all()
        for dtype in (int32, int64, float32, float64):  # three segments, in turns
            totals = dml_vk.zeros(3, dtype=dtype)
            np.add.at(totals, dml_vk.arange(3 * n) % 3, dml_vk.ones(3 * n, dtype=dtype))
            assert (totals.numpy() == n).all()

    wanted = of_few_lanes("reductions") | of_few_lanes("scans")
    beyond.reach(check, [2**10, 2**18, 2**19, 2**20], wanted)


@tier.parametrize("dtype count", NUMBERS, [2**24 + 3, 100 * 300_007])
def test_ones_are_counted_beyond_what_floats_count_one_by_one(dtype, count):
    x = dml_vk.ones(count, dtype=dtype)
    for name, expected in ONES.items():
        if takes(name, dtype):
            found = getattr(dml_vk, name)(x)
            assert found.numpy() == counted(expected(count), found.dtype), name


@tier.parametrize(
    "name dtype",
    ["sum", "min", "argmax", "prod", "max", "argmin", "any", "all", "count_nonzero"],
    [int64, float64, int8, float32, uint8, bool_],
)
def test_a_hundred_rows_of_a_million(dtype, name):
    if takes(name, dtype):
        x = dml_vk.ones((100, 1_000_003), dtype=dtype)
        found = getattr(dml_vk, name)(x, axis=1)
        assert (found.numpy() == counted(ONES[name](1_000_003), found.dtype)).all()


def test_the_last_of_a_row_is_found():
    x = dml_vk.zeros((100, 300_000), dtype=float32)
    x[:, 299_999] = 1
    assert (dml_vk.argmax(x, axis=1).numpy() == 299_999).all()
    x[:, 299_999] = -1
    assert (dml_vk.argmin(x, axis=1).numpy() == 299_999).all()


@pytest.mark.parametrize("dtype", [int32, int64, float32, float64], ids=lambda dtype: dtype.name)
def test_scans_of_ones_count(dtype):
    """float32 counts exactly up to 2^24, and what is added by halves of a tree, beyond."""
    for sizes, dim in (((2**24,), 0), ((3, 2**22), 1), ((2**22, 3), 0), ((2**21, 8), 0)):
        found = dml_vk.cumulative_sum(
            dml_vk.ones(sizes, dtype=dtype), axis=dim, dtype=dtype
        ).numpy()
        expected = np.arange(1, sizes[dim] + 1, dtype=dtype.numpy_name)
        lie = [1] * len(sizes)
        lie[dim] = -1
        assert (found == expected.reshape(lie)).all()


def test_formats_do_not_matter():
    for dtype in (float32, int8):
        x = dml_vk.ones((2, 3, 2048, 2049), dtype=dtype, memory_format=channels_last)
        x[:, :, -1, -1] = 0
        assert (dml_vk.sum(x, axis=(2, 3)).numpy() == 2048 * 2049 - 1).all()
        assert (dml_vk.sum(x, axis=(0, 1)).numpy().sum()) == (2048 * 2049 - 1) * 6
        assert dml_vk.argmin(x).item() == 2048 * 2049 - 1
        assert dml_vk.count_nonzero(x).item() == 6 * (2048 * 2049 - 1)


@tier.parametrize("name sizes", ["sum", "argmax", "max", "all"], [(2**15, 2**16), (2**29 + 1, 3)])
def test_as_many_elements_as_are_counted_in_32_bits(name, sizes):
    """Repeated, for no memory holds so many."""
    x, dims = dml_vk.ones((1, 1), dtype=float32), None if sizes[1] > 3 else 0
    found = getattr(dml_vk, name)(dml_vk.broadcast_to(x, sizes), axis=dims).numpy()
    count = 2**31 if dims is None else 2**29 + 1
    assert (found == np.array(ONES[name](count)).astype(found.dtype)).all()
