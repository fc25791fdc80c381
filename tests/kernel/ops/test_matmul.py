"""Matrix products: the bits of the reference from any layouts, into any, and nothing beside it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.dtypes import float32, int32
from dml_vk.errors import DTypeError, LayoutError
from dml_vk.kernels.plan import matmul as planning
from dml_vk.kernels.plan import tiles
from dml_vk.kernels.plan.matmul import KERNELS, MAX_DEPTH, partial_run, plan_matmul
from dml_vk.kernels.plan.matmul_tile import RUN
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.layout import channels_last
from dml_vk.ops import matmul as operation
from dml_vk.runtime import encode
from dml_vk.testing import products
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.kernel.matrices import assert_bits, every_other, operand, packed, turned, values
from tests.kernel.memory import bits
from tests.kernel.planned import planned
from tests.kernel.products import LYING, adds, check
from tests.kernel.profiled import profiled
from tests.profiles import CPU, GPU
from tests.real_dtypes import DTYPES

WAYS = {
    "quads": (packed(16, 128), packed(128, 16), None),
    "quads, both turned": (turned(16, 128), turned(128, 16), None),
    "quads of columns": (turned(16, 68), packed(68, 16), None),
    "quads of rows": (packed(16, 68), turned(68, 16), None),
    "quads, ragged": (packed(12, 128), packed(128, 20), packed(12, 24).narrow(1, 0, 20)),
    "primes": (packed(13, 67), packed(67, 11), None),
    "primes, turned": (turned(13, 67), turned(67, 11), turned(13, 11)),
    "one": (packed(1, 1), packed(1, 1), None),
    "inner": (packed(1, 64), packed(64, 1), None),
    "outer": (packed(7, 1), packed(1, 9), None),
    "few rows": (packed(3, 64), packed(64, 5), None),
    "few columns": (packed(33, 64), packed(64, 2), every_other(33, 2)),
    "row by matrix": (packed(1, 100), packed(100, 1200), None),
    "matrix by column": (packed(65, 68), packed(68, 1), every_other(65, 1)),
    "steps": (every_other(9, 17), every_other(17, 6), every_other(9, 6)),
    "reversed": (packed(9, 17).flip((0, 1)), packed(17, 6).flip(1), packed(9, 6).flip((0, 1))),
    "off by one": (packed(9, 17).narrow(1, 1, 16), packed(17, 8).narrow(0, 1, 16), None),
    "repeated": (packed(1, 17).expand(9, 17), packed(17, 1).expand(17, 6), None),
    "batch": (packed(3, 5, 8, 9), packed(3, 5, 9, 8), None),
    "batches broadcast": (packed(3, 1, 8, 9), packed(5, 9, 8), turned(3, 5, 8, 8)),
    "channels_last": (
        *(packed(2, 3, 5, 4, order=channels_last), packed(2, 3, 4, 6, order=channels_last)),
        packed(2, 3, 5, 6, order=channels_last),
    ),
    "a batch of dims that do not merge": (
        packed(3, 2, 2, 2, 5, 3, order=(3, 1, 2, 0, 4, 5)),
        packed(2, 2, 2, 3, 4),
        packed(3, 2, 2, 2, 5, 4, order=(1, 5, 3, 4, 2, 0)),
    ),
}


@pytest.fixture
def plans(monkeypatch):
    return planned(monkeypatch, operation, "plan_matmul")


def told(plans):
    """(constant, value) of all plans of tiles."""
    spec = KERNELS[0].spec
    tiles = [made.plan for made in plans if made.plan.module.startswith("matmul_tile")]
    return {pair for plan in tiles for pair in zip(spec, plan.spec)}


def test_every_variant_of_reading_and_writing(plans):
    for name, (a, b, to) in WAYS.items():
        check(a, b, to, told=name)
    assert len(plans[-1].plan.launches) > 1  # of the dims that do not merge
    wanted = {
        *[("RAGGED", flag) for flag in (0, 1)],
        *[("DST_QUADS", flag) for flag in (0, 1)],
        *[("DEEP", terms) for terms in (1, 4)],
        *[("LEVELS", levels) for levels in (1, 2)],
        *[(span, size) for span in ("ROWS", "COLUMNS") for size in (1, 4, 8)],
        *[(read, way) for read in ("A_READ", "B_READ") for way in (0, 1, 2)],
    }
    assert wanted <= told(plans)


# What counts as large: nothing, or everything. Types other than float32 go one way, each as it can.
LARGE = {"float16": 0, "uint8": 2**40, "int32": 0}
SHARED_SIZES = ((35, 68, 70), (16, 67, 33), (16, 132, 260), (64, 64, 520), (70, 64, 5), (24, 8, 16))


@pytest.mark.parametrize(
    "dtype", tier.plus([float32, DTYPES["uint8"]], [DTYPES["float16"], DTYPES["int32"]])
)
def test_rows_that_lanes_share(plans, dtype, monkeypatch):
    device = dml_vk.device()
    shuffles = device.profile.shuffles
    step = 1 if dtype is float32 else 3  # of kinds of layouts: all, or the first and the last
    sizes = SHARED_SIZES if dtype is float32 else tier.some(SHARED_SIZES[:4], 3)
    whole = dtype is float32 or tier.is_all()
    for large in (2**40, 0) if whole else [LARGE[dtype.name]]:
        monkeypatch.setattr(tiles, "_LARGE", large)
        planning._plan.cache_clear()
        with profiled(device, device.profile):
            for (m, k, n), (first, second) in tier.crossed(sizes, LYING[::step]):
                check(first(m, k), second(k, n), None, dtype, (m, k, n, first, second))
            check(packed(2, 17, 70), packed(70, 40), turned(2, 17, 40), dtype, "batch")
            check(every_other(20, 40), every_other(40, 36), every_other(20, 36), dtype, "steps")
    shared = [made.plan for made in plans if made.plan.together > 1]
    assert bool(shared) == shuffles
    assert all(plan.units % plan.together == 0 for plan in shared)
    spans = {(plan.spec[6], plan.spec[7]) for plan in shared}
    wanted = {(16, 4), (32, 4), (16, 8), (32, 8)} if shuffles else set()
    assert spans == wanted if whole else spans <= wanted
    reads = {plan.spec[12] for plan in shared}
    assert reads == ({0, 1, 2} if shuffles else set())


def test_shared_rows_in_several_dispatches(plans, monkeypatch):
    monkeypatch.setattr(encode, "MAX_SUBMISSION_NS", 1.0)
    a, b = packed(64, 64), packed(64, 200)
    with profiled(dml_vk.device(), dml_vk.device().profile):
        check(a, b)
    assert plans[-1].plan.units > plans[-1].plan.together


@pytest.mark.parametrize("dtype", tier.some([float32, int32], 1))
def test_a_loop_stores_large_tiles_of_many_terms(plans, monkeypatch, dtype):
    monkeypatch.setattr(planning, "_MOST_PARTIAL", 0)  # the rest of 4608 terms is added to dst
    for m, k, n in (37, 520, 131), (64, MAX_DEPTH + 512, 128):
        check(packed(m, k), packed(k, n), dtype=dtype, told=(m, k, n))
        check(packed(m, k), turned(k, n), turned(m, n), dtype=dtype, told=(m, k, n, "turned"))
    told = [dict(zip(KERNELS[0].spec, plan.spec)) for plan, *_ in plans]
    large = [(one["BY_ROWS"], one["MORE"]) for one in told if one["ROWS"] * one["COLUMNS"] > 64]
    # Tiles are so large where lanes share what they read.
    assert {*large} == ({(1, 0), (1, 1)} if dml_vk.device().profile.shuffles else set())


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES.values() if dtype.kind != "b"])
def test_every_dtype(dtype):
    check(packed(9, 65), packed(65, 12), every_other(9, 12), dtype, dtype)
    if dtype.name in tier.some(("int8", "uint16", "float16"), 1):
        check(packed(3, 16, 8), packed(8, 16), None, dtype, dtype)


def test_dtypes_promote():
    for first, second in (
        ("int8", "uint16"),
        ("uint32", "int32"),
        ("float16", "float32"),
        ("float32", "float64"),
    ):
        (x, a), (y, b) = operand(packed(5, 9), DTYPES[first]), operand(packed(9, 4), DTYPES[second])
        assert_bits(dml_vk.matmul(x, y).numpy(), products.matmul(a, b), (first, second))


@tier.examples(40, deadline=None, derandomize=True)
@given(st.data())
def test_any_layouts(data):
    size = st.sampled_from([1, 8])
    batch = data.draw(st.lists(size, max_size=2))
    m, n, k = data.draw(size), data.draw(size), data.draw(st.sampled_from([1, 5, 8]))
    a = data.draw(layouts(sizes=(*batch, m, k)))
    b = data.draw(layouts(sizes=(k, n)) | layouts(sizes=(*batch, k, n)))
    check(a, b, data.draw(st.none() | targets(sizes=(*batch, m, n))))


def test_sums_of_parts_are_the_same(plans):
    a, b = packed(2, 3, 9000), packed(2, 9000, 5)
    device = dml_vk.device()
    for units in (0, 20, 10**6):
        with profiled(device, dataclasses.replace(device.profile, units_wanted=units)):
            check(a, b)
        assert units or plans[-1].plan.sizes[-1] == 3  # of the sums of parts
    check(b.transpose(1, 2), a.transpose(1, 2), turned(2, 5, 3))
    for depth in (RUN, RUN + 1, RUN**2 + 1):
        check(packed(1, depth), packed(depth, 1))
    check(packed(3, RUN**2 + 1), packed(RUN**2 + 1, 2), dtype=DTYPES["float64"])
    check(packed(2, RUN**3 + 70), packed(RUN**3 + 70, 1))
    check(packed(2, 200), packed(200, 3), dtype=DTYPES["int64"])
    assert ("A_READ", 3) in told(plans)


@pytest.mark.parametrize("name", ["float32", "float16", "int32", "int64", "float64"])
def test_without_memory_for_partial_sums_they_are_added_in_sequence(plans, monkeypatch, name):
    monkeypatch.setattr(planning, "_MOST_PARTIAL", 0)
    dtype, depths = DTYPES[name], (RUN**2, RUN**2 + 1, 2 * RUN**2 + 68)
    adding = [0, 2, 4]  # launches that add, of two products each
    if name != "float32" and not tier.is_all():  # Others only differ in how terms are added.
        depths, adding = depths[-1:], [2]
        tier.leave_out(2)
    for depth in depths:
        if len(depths) > 1 or name in ("int32", "float64"):
            check(packed(5, depth), packed(depth, 8), None, dtype, (dtype, depth))
        if len(depths) > 1 or name in ("float16", "int64"):
            check(turned(3, depth), packed(depth, 7), every_other(3, 7), dtype, (dtype, depth))
    assert sum(adds(made.plan) for made in plans) == sum(adding)


def test_without_memory_for_partial_sums_a_third_level_is_added_in_sequence(plans, monkeypatch):
    monkeypatch.setattr(planning, "_MOST_PARTIAL", 0)
    depth = RUN**3 + RUN**2 + 5
    check(packed(2, depth), packed(depth, 3))
    assert sum(adds(made.plan) for made in plans) == RUN - 1 + 1  # of the first sum, of the rest


@pytest.mark.parametrize(
    ("profile", "sizes", "depth", "turned", "run"),
    [
        (CPU, (1, 1), RUN, False, 0),
        (CPU, (1, 1), RUN + 1, False, 0),  # too little to be worth two launches more
        (CPU, (90, 1), RUN + 20, False, 0),
        (CPU, (1, 1), RUN * 12, False, RUN),
        (CPU, (1, 1), RUN**2 * 40, False, RUN**2),
        (CPU, (1, 1), RUN**3 + 1, False, RUN**2),
        (CPU, (512, 512), 512, False, 0),
        (CPU, (1, 4096), 4096, False, RUN),  # which sweeps through the rows of the matrix
        (CPU, (1, 4096), 4096, True, 0),
        (GPU, (256, 256), 512, False, RUN),
        (GPU, (512, 512), 512, False, 0),
        (GPU, (300, 300), 4000, False, RUN),
        (CPU, (512, 512), RUN**2 * 16, False, RUN**2),  # one plan does not go as far
        (CPU, (512, 512), RUN**2 * 17, False, 0),
    ],
)
def test_products_with_few_sums_are_split_into_parts(profile, sizes, depth, turned, run):
    m, n = sizes
    columns = (0, depth, 1) if turned else (0, 1, n)
    operands = [Operand(strides, 0, 4) for strides in ((depth, 0, 1), columns, (n, 1))]
    product = plan_matmul(sizes, min(depth, MAX_DEPTH), operands, (float32,) * 3, profile)
    assert partial_run(product, m * n, depth, profile) == run


def test_blocks_of_lanes(profile):
    for sizes in ((70, 9, 90), (5, 8, 200), (200, 8, 5), (1, 5, 300), (300, 5, 1)):
        m, k, n = sizes
        check(packed(2, m, k), packed(k, n), told=sizes)


def test_special_values():
    a = np.float32([[0.0, -0.0, 1.0], [np.inf, 1.0, 2.0], [-0.0, -0.0, -0.0], [3e38, 3e38, -3e38]])
    b = np.float32([[1.0, np.nan, -1.0, 1.0], [1.0, 0.0, np.inf, 2.0], [0.0, 1.0, 2.0, 1.0]])
    for dtype in ("float32", "float64", "float16"):
        with np.errstate(over="ignore"):
            x, y = a.astype(dtype), b.astype(dtype)
        found = dml_vk.matmul(dml_vk.asarray(x), dml_vk.asarray(y)).numpy()
        assert_bits(found, products.matmul(x, y), dtype)


def test_floats_are_as_accurate_as_numpys():
    a, b = values(float32, (20, 5000)), values(float32, (5000, 20))
    exact = a.astype(np.float64) @ b.astype(np.float64)
    found = dml_vk.matmul(dml_vk.asarray(a), dml_vk.asarray(b)).numpy()
    error = np.abs(found - exact).max()
    assert error <= 1.5 * np.abs(a @ b - exact).max()
    assert error <= 1e-6 * (np.abs(a) @ np.abs(b)).max()


def test_products_without_terms_are_zero():
    for dtype in ("float32", "int8", "float16", "int64"):
        x, y = dml_vk.empty((3, 0), dtype), dml_vk.empty((0, 2), dtype)
        assert np.array_equal(bits(dml_vk.matmul(x, y).numpy()), np.zeros((3, 2)))
    x = dml_vk.empty((4, 0, 3), "float32")
    assert dml_vk.matmul(x, dml_vk.empty((3, 5), "float32")).shape == (4, 0, 5)


def test_vectors_are_rows_or_columns():
    (x, a), (y, b), (z, c) = operand(packed(5)), operand(packed(3, 5, 4)), operand(packed(4))
    assert_bits(dml_vk.matmul(x, y).numpy(), products.matmul(a[None], b)[:, 0], "row")
    assert_bits(dml_vk.matmul(y, z).numpy(), products.matmul(b, c[:, None])[..., 0], "column")
    both = dml_vk.matmul(x, x)
    assert_bits(both.numpy(), products.matmul(a[None], a[:, None])[0, 0], "both")
    assert_bits((y @ z).numpy(), dml_vk.matmul(y, z).numpy(), "operator")


def test_a_result_may_be_an_operand():
    for dtype in (float32, DTYPES["int8"]):
        x, a = operand(packed(8, 8), dtype)
        y, b = operand(packed(8, 8), dtype)
        for sources in ((x, y), (y, x), (x, x)):
            first, second = [a if one is x else b for one in sources]
            expected = products.matmul(first, second)
            assert_bits(dml_vk.matmul(*sources, out=x).numpy(), expected, dtype)
            a = expected.copy()


def test_operands_are_read_where_they_are():
    x, y = operand(turned(3, 9, 8))[0], operand(packed(3, 16, 10).slice(1, None, None, 2))[0]
    with dml_vk.trace() as log:
        dml_vk.matmul(x, y)
        dml_vk.vecdot(x, x, axis=-2)
        dml_vk.tensordot(x, y, axes=((2,), (1,)))
    assert [entry for entry in log.entries if entry.reason != "host"] == []


def test_wrong_operands():
    x, y = operand(packed(2, 3))[0], operand(packed(2, 3, 4))[0]
    small = operand(packed())[0]
    wrong = {
        "matmul: x1 must be a Tensor": (DTypeError, lambda: dml_vk.matmul(1, x)),
        "matmul: x2 must be a Tensor": (DTypeError, lambda: dml_vk.matmul(x, 1.0)),
        "matmul: cannot mix uint64 with signed integers": (
            DTypeError,
            lambda: dml_vk.matmul(x.astype("uint64"), dml_vk.asarray([1, 2, 3])),
        ),
        "matmul: operands must have at least one dim: use multiply for scalars": (
            LayoutError,
            lambda: dml_vk.matmul(small, x),
        ),
        r"matmul: x1\.shape\[-1\] must equal x2\.shape\[-2\] .* x1=\(2, 3\), x2=\(2, 3\)": (
            LayoutError,
            lambda: dml_vk.matmul(x, x),
        ),
        "matmul: sizes must agree or be 1 in dim -1": (
            LayoutError,
            lambda: dml_vk.matmul(y, operand(packed(3, 4, 5))[0]),
        ),
        r"matmul: out must have the shape \(2, 2\)": (
            LayoutError,
            lambda: dml_vk.matmul(x, x.over(x.layout.permute(1, 0)), out=x),
        ),
    }
    for message, (error, call) in wrong.items():
        with pytest.raises(error, match=message):
            call()
