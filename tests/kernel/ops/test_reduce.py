"""Reductions of any layout into any layout, against NumPy: nothing is written beside the result."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.dtypes import (
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    to_dtype,
    uint8,
    uint64,
)
from dml_vk.errors import RangeError
from dml_vk.kernels.reductions import REDUCTIONS
from dml_vk.layout import Layout, channels_last
from dml_vk.ops.reduce import reduce_elements
from dml_vk.ops.view import View
from dml_vk.testing.reductions import reference, tree_sum
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.kernel.elementwise import source_of
from tests.kernel.memory import elements, memory_for
from tests.kernel.profiled import profiled
from tests.profiles import PROFILES
from tests.real_dtypes import DTYPES

TREES = [name for name, row in REDUCTIONS.items() if row.accumulates]
# Extremes of bools are those of their bytes.
OF_BOOLS = [name for name, row in REDUCTIONS.items() if row.result or not row.extreme]
# One reduction of each kernel.
KINDS_OF_KERNELS = [
    *[("sum", float32), ("prod", float16), ("sum", float64), ("max", int16), ("min", float32)],
    *[("sum", int32), ("any", float16), ("all", uint8), ("argmax", int8), ("max", float64)],
]


def result_dtype(name, dtype):
    return to_dtype("reduce", reference(name, np.ones(1, dtype.numpy_name), (0,)).dtype)


def source_for(name, dtype, layout, seed=0):
    """Any values, hard ones among them, but to sums and products of floats such as usually are."""
    values = None
    if name in TREES and dtype.kind == "f":
        values = np.random.default_rng(seed).normal(size=layout.sizes)
        values = (np.exp2(values / 16) if name == "prod" else values).astype(dtype.numpy_name)
    return source_of(dtype, layout, values, seed)


def check(name, source, dims, layout, dtype):
    """The reduction writes what it must to the layout, and not one bit beside it."""
    tensor, seen = source
    memory, layout = memory_for(layout, dtype.itemsize)
    target = dml_vk.asarray(memory.view(dtype.numpy_name) if dtype.kind != "b" else memory)
    to = View(target.device, target.allocation, layout, dtype)
    reduce_elements(name, name, tensor, to, dims)
    of = {"dtype": dtype.numpy_name} if name in TREES else {}
    wanted = reference(name, seen, dims, **of)
    found = target.numpy().view(memory.dtype)
    at = elements(found, layout)
    kind = dtype.numpy_name
    values, same = at.view(kind), at == np.asarray(wanted, kind).view(at.dtype)
    if dtype.kind == "f":
        same |= np.isnan(values) & np.isnan(wanted)
    assert same.all(), (name, seen.shape, dims, values[~same][:4], wanted[~same][:4])
    elements(memory, layout)[...] = at
    assert np.array_equal(found, memory), f"{name} to {layout!r}: something is written beside it"


def kept_sizes(sizes, dims):
    return tuple([size for dim, size in enumerate(sizes) if dim not in dims])


def names_for(dtype):
    """All, but half of them for integers of 64 bits, and a third for others, which take turns."""
    names = [name for name in REDUCTIONS if dtype.kind != "b" or name in OF_BOOLS]
    every = list(enumerate(names))
    if tier.is_all() or dtype.kind not in "iu":
        return every
    turns = 2 if dtype.itemsize == 8 else 3
    turn = (dtype.kind == "u") + dtype.itemsize // 2
    found = [(k, name) for k, name in every if k % turns == turn % turns]
    tier.leave_out(len(every) - len(found))
    return found


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=lambda dtype: dtype.name)
def test_every_dtype(dtype):
    layout = Layout((3, 67, 44))
    for k, name in names_for(dtype):
        # Rows, columns, or all: each dtype by other ones.
        dims = [(2,), (1,), (0, 1, 2)][(k + dtype.code) % 3]
        to = Layout(kept_sizes(layout.sizes, dims))
        check(name, source_for(name, dtype, layout), dims, to, result_dtype(name, dtype))


@tier.examples(40)
@given(data=st.data())
def test_any_layout_to_any_layout(data):
    """Of one dtype for each kind of kernel."""
    name, dtype = data.draw(st.sampled_from(KINDS_OF_KERNELS))
    source = data.draw(layouts(max_rank=5, min_size=1, max_size=7))
    dims = data.draw(st.sets(st.integers(0, source.rank - 1))) if source.rank else ()
    dims = tuple(sorted(dims))
    target = data.draw(targets(sizes=kept_sizes(source.sizes, dims)))
    check(name, source_for(name, dtype, source), dims, target, result_dtype(name, dtype))


LIES = {
    "rows": Layout((40, 4096)),
    "rows apart": Layout((37, 1000), (1003, 1), 1),
    "columns": Layout((1000, 37), (1, 1001)),
    "few columns": Layout((3, 20000), (1, 3)),
    "image": Layout((2, 6, 32, 32)),
    "channels_last": Layout.packed((2, 6, 32, 32), channels_last),
    "small image": Layout((5, 12, 7, 7)),
    "small channels_last": Layout.packed((5, 12, 7, 7), channels_last),
    "flipped": Layout((70, 300), (-300, -1), 70 * 300 - 1),
    "repeated": Layout((50, 100, 3), (1, 0, 50)),
}


@tier.parametrize("lies kind", LIES, PROFILES)
def test_reductions_in_several_passes(lies, kind):
    """Sums of as many leaves as take several passes, and other ones on a device with many lanes."""
    layout = LIES[lies]
    every = tuple(range(layout.rank))
    of_sum = source_for("sum", float32, layout)
    with profiled(dml_vk.device(), PROFILES[kind]):
        for dims in {every, every[:1], every[-1:], (0, *every[2:])}:
            check("sum", of_sum, dims, Layout(kept_sizes(layout.sizes, dims)), float32)
        name = ("max", "count_nonzero")[list(LIES).index(lies) % 2]
        check(name, source_of(float32, layout), every, Layout(()), result_dtype(name, float32))
    for profile in PROFILES.values():  # Where indexes begin is not the same in both.
        with profiled(dml_vk.device(), profile):
            check("argmin", source_of(float32, layout), every, Layout(()), int64)


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=lambda dtype: dtype.name)
def test_reductions_by_workgroups(dtype):
    """Where lanes load together: rows that take several turns, short ones, and columns."""
    lies = [
        (Layout((3, 4099), (4101, 1), 1), (1,)),
        (Layout((301, 99)), (1,)),
        (Layout((1027, 13), (14, 1), 1), (0,)),
        (Layout((67, 44, 5), (230, 5, 1)), (0, 1)),
        (Layout((35, 131), (-131, 1), 34 * 131), (0, 1)),
    ]
    names = names_for(dtype)
    if dtype.kind == "f" and not tier.is_all():  # every second, and of the next float the others
        tier.leave_out(len(names) // 2)
        names = names[dtype.code % 2 :: 2]
    with profiled(dml_vk.device(), PROFILES["GPU"]):
        for k, name in names:
            layout, dims = lies[(k + dtype.code) % len(lies)]
            to = Layout(kept_sizes(layout.sizes, dims))
            check(name, source_for(name, dtype, layout), dims, to, result_dtype(name, dtype))


@pytest.mark.parametrize("dtype", [float16, float32, float64, int8], ids=lambda dtype: dtype.name)
def test_rows_of_a_workgroup_by_every_number_of_members(dtype):
    rows, columns = (17, 65, 127, 129, 1025, 4095, 4096, 70001), (33, 257, 1025, 5000)
    if dtype is not float32:  # The others only differ in how elements are read and added.
        rows, columns = tier.some(rows, 3), tier.some(columns, 1)
    with profiled(dml_vk.device(), PROFILES["GPU"]):
        for count in rows:
            layout = Layout((3, count))
            check("sum", source_for("sum", dtype, layout), (1,), Layout((3,)), dtype)
        for count in columns:
            layout = Layout((count, 6))
            check("sum", source_for("sum", dtype, layout), (0,), Layout((6,)), dtype)


def test_reductions_of_rows_far_apart_take_a_few_at_a_time():
    layout = Layout((100, 3000))
    source = source_for("sum", float32, layout)
    check("sum", source, (0,), Layout((3000,)), float32)
    check("max", source, (0,), Layout((3000,)), float32)


@pytest.mark.parametrize("dtype", [float16, float32], ids=lambda dtype: dtype.name)
def test_trees_of_every_height(dtype):
    """Where a row of chunks is just full, or one short, or one more."""
    totals, counts = (17, 240, 256, 500, 3840, 4097, 8192, 70000), (17, 61, 64, 1000, 4100)
    if dtype is not float32:
        totals, counts = tier.some(totals, 3), tier.some(counts, 2)
    for count in totals:
        layout = Layout((count,))
        check("sum", source_for("sum", dtype, layout), (0,), Layout(()), float32)
    for count in counts:
        for rows in (Layout((count, 64)), Layout((64, count), (1, 64))):
            dims = (rows.sizes.index(count),)
            check("sum", source_for("sum", dtype, rows), dims, Layout((64,)), float32)


def test_layouts_do_not_change_a_bit():
    values = np.random.default_rng(5).normal(size=(3, 20, 24, 16)).astype(np.float32)
    image = dml_vk.asarray(values)
    for dims in ((0, 1, 2, 3), (1,), (0, 2, 3)):
        found = []
        for order in (None, channels_last, "WHCN"):
            given = reversed_of(image) if order == "WHCN" else image.to(order) if order else image
            result = dml_vk.empty(kept_sizes(image.shape, dims), float32)
            reduce_elements("sum", "sum", given, result, dims)
            found.append(result.numpy())
        wanted = tree_sum(values, dims)
        assert all(np.array_equal(one, wanted) for one in found)


def reversed_of(tensor):
    """The same elements, the first dim innermost in memory."""
    other = dml_vk.empty(tensor.shape[::-1], tensor.dtype)
    view = other.over(other.layout.permute(*range(len(tensor.shape))[::-1]))
    dml_vk.copy(tensor, view)
    return view


def test_sums_are_at_least_as_accurate_as_numpys():
    values = np.random.default_rng(3).uniform(size=3_000_017).astype(np.float32)
    exact = values.astype(np.float64).sum()
    found = float(dml_vk.sum(dml_vk.asarray(values)).numpy())
    assert abs(found - exact) <= abs(float(values.sum()) - exact) + np.spacing(np.float32(exact))
    halves = values[:100_000].astype(np.float16) / 64
    exact = halves.astype(np.float64).sum()
    found = dml_vk.sum(dml_vk.asarray(halves)).numpy()
    assert found == np.float16(exact)


def test_more_dims_than_a_kernel_has_room_for_are_copied():
    sizes = (3, 2, 3, 2, 3, 2, 3, 2)
    order = (5, 0, 7, 2, 4, 1, 6, 3)
    packed = Layout.packed([2 * size for size in sizes], order)
    apart = Layout(sizes, packed.strides, 3)
    source = source_for("sum", float32, apart)
    with dml_vk.trace() as log:
        for dims in ((0, 1, 2, 3, 4), (1, 3, 5), tuple(range(8))):
            kept = kept_sizes(sizes, dims)
            check("sum", source, dims, Layout.packed(kept, range(len(kept))[::-1]), float32)
        apart = Layout((2, 3, 2, 3, 16, 32), Layout((3, 4, 3, 4, 17, 33)).strides)
        check("sum", source_for("sum", float32, apart), tuple(range(6)), Layout(()), float32)
    assert [entry.reason for entry in log.entries if entry.op == "sum"].count("layout") == 3
    check("sum", source, (), Layout.packed(sizes, order), float32)


def test_a_result_over_its_own_source():
    values = np.arange(12.0, dtype=np.float32).reshape(3, 4)
    x = dml_vk.asarray(values)
    row = x.over(Layout((4,)))
    reduce_elements("sum", "sum", x, row, (0,))
    assert row.tolist() == values.sum(0).tolist()


def test_of_elements_at_a_limit_the_first_counts():
    for dtype in (bool_, int8, uint8, int64, uint64):
        limits = np.iinfo(dtype.numpy_name) if dtype.kind != "b" else None
        for value in (limits.min, limits.max) if limits else (False, True):
            x = dml_vk.full((3, 70), value, dtype)
            for function in (dml_vk.argmax, dml_vk.argmin):
                assert function(x, axis=1).tolist() == [0, 0, 0], (function, dtype, value)


def test_nothing_to_reduce():
    for name, row in REDUCTIONS.items():
        if row.nothing is None:
            continue
        wanted = reference(name, np.empty((0, 1), np.float32), (0,))
        source = dml_vk.empty((3, 0, 2), float32)
        dtype = result_dtype(name, float32)
        target = dml_vk.full((3, 2), 1 if wanted[0] == 0 else 0, dtype)
        reduce_elements(name, name, source, target, (1,))
        assert (target.numpy() == wanted).all(), name
        none = dml_vk.empty((0, 2), dtype)
        reduce_elements(name, name, source, none, (0,))
    for name in [name for name, row in REDUCTIONS.items() if row.nothing is None]:
        rule = rf"^{name}: zero-size reduction has no identity.*axis=\(1,\)"
        with pytest.raises(RangeError, match=rule):
            reduce_elements(name, name, source, target, (1,))


@pytest.mark.parametrize("row", REDUCTIONS.values(), ids=lambda row: row.name)
def test_special_values(row):
    for dtype in (float16, float32, float64):
        for values, wanted in row.special:
            array = np.array(values, dtype.numpy_name)
            target = dml_vk.empty((), result_dtype(row.name, dtype))
            reduce_elements(row.name, row.name, dml_vk.asarray(array), target, (0,))
            found = target.item()
            assert np.array_equal(found, wanted, equal_nan=True), (values, dtype)
            assert np.signbit(found) == np.signbit(wanted) or found != found, (values, dtype)
            assert np.array_equal(found, reference(row.name, array, (0,)), equal_nan=True)
