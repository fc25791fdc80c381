"""Products of matrices of ones, and of rows with a single one, at every depth."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest

import dml_vk
from dml_vk.dtypes import complex64, float16, float32, float64, int32, int64
from dml_vk.kernels.plan.matmul_tile import RUN
from tests import tier
from tests.kernel.profiled import profiled
from tests.large.test_rounds import modules_of
from tests.real_dtypes import DTYPES

NUMBERS = [dtype for dtype in DTYPES.values() if dtype.kind != "b"]


def ones(m, k, n, dtype, *, left=False, right=False):
    """Of a product m by k by n, the operands, in which columns or rows may lie side by side."""
    a = dml_vk.ones((k, m), dtype=dtype).T if left else dml_vk.ones((m, k), dtype=dtype)
    b = dml_vk.ones((n, k), dtype=dtype).T if right else dml_vk.ones((k, n), dtype=dtype)
    return a, b


def assert_counts(found, count):
    """Modulo what integers hold; float16 is infinite beyond."""
    with np.errstate(over="ignore"):
        assert (found == np.array(count).astype(found.dtype)).all(), (found.dtype, count)


# How tiles are made: as this device prefers, each by a lane, and each by a workgroup.
OF_TEAMS = {"shuffles": False, "coalesces": True, "max_invocations": 64}
WAYS = ({}, {"shuffles": False}, OF_TEAMS)


def test_every_kernel_of_products(beyond):
    device = dml_vk.device()

    def check(depth):
        # Only lanes that share rows need the last depth to go too far.
        for way in WAYS[:1] if depth > 2**13 and not tier.is_all() else WAYS:
            with profiled(device, dataclasses.replace(device.profile, **way)):
                check_products(depth, [False, True][:: -1 if way else 1])

    def check_products(depth, turned):
        for dtype in (float32, int32, float64, int64):
            sizes = ((9, 70), (640, 300) if dtype in (float32, int32) else (1, 33))
            for (m, n), sides in tier.crossed(sizes, turned):
                a, b = ones(m, depth, n, dtype, left=sides, right=sides)
                assert_counts(dml_vk.matmul(a, b).numpy(), depth)
        if depth > RUN**2:  # which takes several launches
            return
        a, b = ones(3000, depth, 300, float32, left=False, right=True)
        plus_one = dml_vk.nn.linear(a, b.mT, dml_vk.ones(300), activation="relu")
        assert_counts(plus_one.numpy(), depth + 1)

    depths = [50, *(2**k + 3 for k in (range(8, 15) if tier.is_all() else (9, 12, 14)))]
    # Nor vectors: tests/unit/kernels/plan/test_matmul_row.py has their plans.
    beyond.reach(check, depths, {x for x in modules_of("products") if "row" not in x})


# Tall, wide, deep and batched: (m, k, n), and what lies before.
SHAPES = [
    *((64, 66_000, 64, ()), (64, 262_144, 64, ()), (64, 70_000, 64, ()), (100, 4096, 4, ())),
    *((1, 2**24 + 5, 1, ()), (3, 300_001, 2, ()), (300, 2**13, 300, ()), (70_001, 65, 3, ())),
    *((3, 65, 70_001, ()), (2, 70_001, 2, (50,)), (1, 100_003, 300, ()), (300, 100_003, 1, ())),
]


TURNED = [(True, False), (False, True)]


@pytest.mark.parametrize(
    ("shape", "dtype", "turned"),
    [
        *[(shape, float32, turned) for shape, turned in tier.crossed(SHAPES, TURNED)],
        *[
            (shape, *how)
            for shape, how in tier.crossed(
                SHAPES, itertools.product((int32, float64, int64, float16), TURNED)
            )
        ],
    ],
    ids=str,
)
def test_sums_of_ones_are_their_number(shape, dtype, turned):
    m, k, n, batch = shape
    if dtype in (float64, int64) and m * k * n * max(1, *batch, 1) > 2**25:
        m = n = 3  # These take fifty times as long.
    left, right = turned
    a, b = ones(m, k, n, dtype, left=left, right=right)
    if batch:
        a, b = (dml_vk.broadcast_to(one, (*batch, *one.shape)) for one in (a, b))
    assert_counts(dml_vk.matmul(a, b).numpy(), k)


@pytest.mark.parametrize("dtype", NUMBERS, ids=lambda dtype: dtype.name)
def test_every_dtype_beyond_what_one_plan_adds(dtype):
    """At each limit once by each kernel; others of its dtypes only at two of them."""
    depths = [RUN**2 - 1, RUN**2 + 1, 3 * RUN**2 + 7, RUN**3 + 9]
    if dtype not in (float32, int32, float64, int64, complex64):
        depths = tier.some(depths[::-1] if dtype.kind == "u" else depths[1:], 2)
    for k in depths:
        a, b = ones(3, k, 5, dtype)
        assert_counts(dml_vk.matmul(a, b).numpy(), k)


def test_a_single_nonzero_term_at_every_limit_of_the_depth():
    """The last term of all, on either side of what a plan, a part and a level hold."""
    for k in (4096, 4097, 65_535, 65_536, 66_001, 262_144, 262_145):
        a, b = dml_vk.zeros((40, k)), dml_vk.zeros((k, 50))
        a[:, k - 1], b[k - 1, :] = 3, 5
        assert (dml_vk.matmul(a, b).numpy() == 15).all()
        a[:, k // 2], b[k // 2, :] = 1, 1
        assert (dml_vk.matmul(a, b).numpy() == 16).all()


def test_products_by_other_names():
    x = dml_vk.ones((66_000, 64))
    assert_counts(dml_vk.einsum("ki,kj->ij", x, x).numpy(), 66_000)
    assert_counts(dml_vk.tensordot(x, x, axes=((0,), (0,))).numpy(), 66_000)
    assert_counts(dml_vk.vecdot(x.T, x.T).numpy(), 66_000)
    assert_counts(dml_vk.linalg.vecdot(x, x, axis=0).numpy(), 66_000)
    assert_counts(dml_vk.linalg.vector_norm(dml_vk.ones(2**24)).numpy(), 2**12)
    assert_counts(dml_vk.linalg.matrix_norm(dml_vk.ones((2**13, 2**11))).numpy(), 2**12)
    assert_counts(dml_vk.linalg.trace(dml_vk.ones((5000, 5000), dtype="int64")).numpy(), 5000)
    assert_counts(dml_vk.linalg.outer(x[:, 0], x[:5000, 1]).numpy(), 1)
