"""Plans of reductions: passes come to the whole, and each is what its kernel expects."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dml_vk.dtypes import float16, float32, float64, int8, int64, uint16
from dml_vk.kernels.kernel import INDEX_SPEC
from dml_vk.kernels.plan.passes import MAX_TREE, Ties, next_pass, work_of
from dml_vk.kernels.plan.reduce import KERNELS, PARTIAL, SEVERAL_BYTES, plan_pass, reducer_of
from dml_vk.kernels.plan.reduce_kernels import RANK
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.kernels.reductions import REDUCTIONS
from dml_vk.layout import Layout, channels_last
from dml_vk.limits import MINIMUM
from dml_vk.testing.reductions import tree_sum
from dml_vk.testing.strategies import layouts
from tests import tier
from tests.profiles import CPU, GPU, PROFILES
from tests.real_dtypes import DTYPES

MODULES = {module: kernel for kernel in KERNELS for module in kernel.modules}
READ, TIERS, GAPS, DST_QUADS, MEMBERS = (len(INDEX_SPEC) + at for at in (3, 5, 6, 7, 8))
LANES = INDEX_SPEC.index("LANES")


def passes_of(layout, dims, ties, profile, itemsize=4):
    work = work_of(layout.sizes, layout.strides, dims, ties)
    while work is not None:
        made = next_pass(work, ties, itemsize, itemsize, profile)
        yield made
        work = made.rest


def places(sizes, strides):
    """The address of each index, in row-major order."""
    at = np.zeros(1, np.int64)
    for size, stride in zip(sizes, strides):
        at = np.add.outer(at, np.arange(size) * stride).reshape(-1)
    return at


def computed(memory, first, layout, dims, ties, profile):
    """What all passes come to, pass by pass as kernels do them."""
    for made in passes_of(layout, dims, ties, profile):
        leaves = places(*zip(*made.leaves))
        from_, indexes = places(made.sizes, made.strides), places(made.sizes, made.indexes)
        values = []
        for at, index in zip(from_ + first, indexes):
            count = min(made.block, made.leaf_count - index)
            assert count > 0
            # A row's blocks start where they lie, others are reached from the first leaf of all.
            start = index if len(made.leaves) > 1 else 0
            values.append(tree_sum(memory[at + leaves[start : start + count]]))
        if made.rest is None:
            return np.array(values, memory.dtype)
        memory, first = np.zeros(len(values), memory.dtype), 0
        memory[places(made.sizes, made.out_strides)] = values
    return None


@pytest.mark.parametrize("profile", [CPU, MINIMUM], ids=["cpu", "gpu"])
@tier.examples(40)
@given(data=st.data())
def test_passes_compute_the_tree_of_all_leaves(profile, data):
    layout = data.draw(layouts(min_size=1, max_rank=4, max_size=9))
    dims = tuple(sorted(data.draw(st.sets(st.integers(0, 3))) & set(range(layout.rank))))
    check_passes(layout, dims, profile)


@pytest.mark.parametrize("profile", [CPU, MINIMUM], ids=["cpu", "gpu"])
def test_passes_of_many_leaves(profile):
    for layout in (
        Layout((20000,)),
        Layout((3, 9000), (1, 3)),
        Layout((2, 8, 48, 16)),
        Layout.packed((3, 7, 31, 33), channels_last),
    ):
        check_passes(layout, tuple(range(layout.rank)), profile)
        check_passes(layout, (layout.rank - 1,), profile)


def check_passes(layout, dims, profile):
    memory = np.random.default_rng(layout.span).normal(size=layout.offset + layout.span + 99)
    memory = memory.astype(np.float32)
    seen = memory[np.array(layout.offsets()).reshape(layout.sizes)]
    found = computed(memory, layout.offset, layout, dims, Ties.TREE, profile)
    assert np.array_equal(found, tree_sum(seen, dims).reshape(-1))
    # In any order whole numbers will do, and strides that go up.
    whole = np.round(memory * 9).astype(np.float64)
    up = layout.flip([dim for dim in dims if layout.strides[dim] < 0])
    found = computed(whole, up.offset, up, dims, Ties.NONE, profile)
    seen = whole[np.array(layout.offsets()).reshape(layout.sizes)]
    assert np.array_equal(found, seen.sum(dims).reshape(-1))


@pytest.mark.parametrize("profile", [CPU, MINIMUM], ids=["cpu", "gpu"])
@tier.examples(200)
@given(
    data=st.data(),
    row=st.sampled_from([*REDUCTIONS.values()]),
    dtype=st.sampled_from([*DTYPES.values()]),
)
def test_a_plan_is_what_its_kernel_expects(profile, data, row, dtype):
    layout = data.draw(layouts(min_size=1, max_rank=5, max_size=40))
    dims = tuple(sorted(data.draw(st.sets(st.integers(0, 4))) & set(range(layout.rank))))
    target = dtype if row.accumulates else row.result_dtype(dtype)
    reduction = reducer_of(row.name, target)
    (made, *_) = passes_of(layout, dims, reduction.ties, profile, dtype.itemsize)
    code, nbytes = target.code, target.itemsize
    if made.rest is not None:
        code = PARTIAL if reduction.ties is Ties.INDEX else code
        nbytes = SEVERAL_BYTES if reduction.ties is Ties.INDEX else max(4, nbytes)
    source = Operand(made.strides, layout.offset, dtype.itemsize)
    operands = source, Operand(Layout(made.sizes).strides, 0, nbytes)
    plan = plan_pass(reduction, made, operands, (dtype.code, code), profile)
    if plan is None:
        assert layout.rank > RANK
        return
    kernel = MODULES[plan.module]
    assert len(plan.spec) == len(kernel.spec)
    assert len(plan.push) == kernel.push_words <= 32
    assert all(0 <= word < 2**32 for word in (*plan.push, *plan.spec))
    assert plan.base_bytes == (dtype.itemsize, nbytes)
    assert all(len(offsets) == 2 for offsets in plan.launches)
    outputs = math.prod(made.sizes)
    units = plan.units * len(plan.launches)
    each = 4 if "across" in plan.module else 1
    if plan.by_teams:
        each *= plan.spec[LANES] // plan.spec[MEMBERS]
        assert plan.spec[LANES] <= profile.max_invocations
    assert units <= outputs <= units * each
    assert plan.unit_ns > 0


def plan_for(layout, dims, out=None, source=float32, target=float32, profile=CPU, name="sum"):
    reduction = reducer_of(name, target)
    made = next(passes_of(layout, dims, reduction.ties, profile, source.itemsize))
    strides = made.out_strides if made.rest else (out or Layout(made.sizes)).strides
    read = Operand(made.strides, layout.offset, source.itemsize)
    operands = read, Operand(strides, 0, target.itemsize)
    return plan_pass(reduction, made, operands, (source.code, target.code), profile)


def test_rows_and_columns():
    rows, columns = Layout((64, 256)), Layout((256, 64), (1, 256))
    assert plan_for(rows, (1,)).module == "reduce_tree_along"
    assert plan_for(columns, (0,)).module == "reduce_tree_along"
    for layout, dim in ((rows, 0), (columns, 1)):
        plan = plan_for(layout, (dim,))
        assert plan.module == "reduce_tree_across"
        assert plan.units == 64
        assert plan.spec[READ] == 2
        assert plan.spec[DST_QUADS] == 1
    # Whoever reads as quads starts where they do.
    apart = Layout((64, 256), (257, 1))
    assert plan_for(apart, (1,)).spec[READ] == 1
    assert plan_for(apart, (0,)).spec[READ] == 0
    assert plan_for(apart, (0,)).spec[DST_QUADS] == 1
    assert plan_for(Layout((256, 64), (64, 1), 2), (1,), source=float16).spec[READ] == 1
    assert plan_for(rows, (0,), out=Layout((256,), (2,))).spec[DST_QUADS] == 0
    assert plan_for(rows, (0,), source=int8, target=int8, name="max").spec[DST_QUADS] == 0
    assert plan_for(Layout((64, 255), (256, 1)), (0,)).spec[DST_QUADS] == 0


def test_few_leaves_are_read_one_by_one():
    assert plan_for(Layout((100, 4)), (1,)).spec[READ] == 0
    assert plan_for(Layout((100, 8)), (1,)).spec[READ] == 2
    assert plan_for(Layout((100, 3)), (1,)).spec[GAPS] == 1
    assert plan_for(Layout((100, 4)), (1,)).spec[GAPS] == 0


def test_trees_are_as_high_as_they_must_be():
    tiers = {size: plan_for(Layout((64, size)), (1,)).spec[TIERS] for size in (16, 32, 256, 4096)}
    assert tiers == {16: 0, 32: 1, 256: 2, 4096: 3}
    (made,) = passes_of(Layout((64, 1 << MAX_TREE)), (1,), Ties.TREE, CPU)
    assert made.block == 1 << MAX_TREE


def test_a_cpu_takes_few_of_leaves_that_are_far_apart():
    far = Layout((1000, 4096))
    assert [made.block for made in passes_of(far, (0,), Ties.TREE, CPU)] == [16, 63]
    assert [made.block for made in passes_of(far, (0,), Ties.NONE, CPU)] == [16, 63]
    assert [made.block for made in passes_of(Layout((40, 4096)), (0,), Ties.TREE, CPU)] == [40]


def test_passes_are_few():
    flat = Layout((1 << 24,))
    assert [made.block for made in passes_of(flat, (0,), Ties.TREE, CPU)] == [4096, 4096]
    assert [made.block for made in passes_of(flat, (0,), Ties.TREE, MINIMUM)] == [4096, 4096]
    assert len(list(passes_of(Layout((1000,)), (0,), Ties.NONE, CPU))) == 1


def test_too_many_dims():
    sizes = (2, 3) * 4
    gaps = Layout(sizes, tuple(4**k for k in range(8)))
    assert plan_for(gaps, (0, 1, 2, 3, 4)) is None
    assert len(plan_for(gaps, (0, 2)).launches) == 4
    many = Layout((9, 8) * 4, tuple(20**k for k in range(8)))
    assert plan_for(many, (0,)) is None


def test_reversed_sources_take_the_same_variants():
    back = Layout((64, 256), (-256, -1), 64 * 256 - 1)
    assert plan_for(back, (0,)).module == "reduce_tree_across"
    plan = plan_for(back, (0, 1))
    assert plan.module == "reduce_tree_along"
    assert plan.launches == ((0, 0),)


def test_views_share_a_plan():
    def at(offset):
        return plan_for(Layout((64, 256), (512, 1), offset), (1,))

    assert at(0) is at(4)
    assert at(0) is not at(1)


def test_long_reductions_are_estimated_long():
    short, long = plan_for(Layout((64, 32)), (1,)), plan_for(Layout((64, 3200)), (1,))
    assert long.unit_ns > 10 * short.unit_ns
    assert plan_for(Layout((64, 32)), (1,), None, float64, float64).unit_ns > short.unit_ns
    assert plan_for(Layout((4,)), (0,), None, uint16, int64).unit_ns > 0


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
@pytest.mark.parametrize("sizes", [(3, 70000), (2, 6, 33, 31), (1, 5, 1000, 48), (9000, 3)])
def test_rows_are_split_where_their_chunks_of_16_end(profile, sizes):
    for dims in {(0,), (1,), tuple(range(len(sizes)))}:
        for itemsize in (2, 4):
            work = work_of(sizes, Layout(sizes).strides, dims, Ties.TREE)
            first = next_pass(work, Ties.TREE, itemsize, SEVERAL_BYTES, profile)
            assert first.block == first.leaf_count or first.block % 16 == 0


@pytest.mark.parametrize("dims", [(0,), (1,), (0, 1)], ids=str)
def test_workgroups_reduce_in_two_passes(dims):
    """Large ones of any shape; and small ones, or rows that fill a device, in one."""
    for rows in (1, 2**4, 2**10, 2**16, 2**22):
        for ties in Ties:
            layout = Layout((rows, 2**26 // rows))
            assert len([*passes_of(layout, dims, ties, GPU)]) <= 2, (rows, ties)
    assert len([*passes_of(Layout((2**14, 2**12)), (1,), Ties.TREE, GPU)]) == 1
    assert len([*passes_of(Layout((2**6, 2**6)), dims, Ties.TREE, GPU)]) == 1
    (first, second) = passes_of(Layout((2**31,)), (0,), Ties.TREE, GPU)
    assert (first.block, second.leaf_count) == (2**16, 2**15)


def test_short_columns_take_a_gpu_no_longer_than_short_rows():
    """As a sum over H and W of nine float64 in either format; each in a single launch."""
    sizes = (2, 8, 3, 3)
    plans = []
    for layout in (Layout(sizes), Layout.packed(sizes, channels_last)):
        (made,) = passes_of(layout, (2, 3), Ties.TREE, GPU, 8)
        assert made.rest is None
        plans.append(plan_for(layout, (2, 3), source=float64, target=float64, profile=GPU))
    rows, columns = [plan.units * plan.unit_ns for plan in plans]
    assert columns <= 1.25 * rows
    assert plans[1].module == "reduce_double_along"


def test_columns_of_more_than_one_member_are_for_teams():
    modules = [
        plan_for(Layout((size, 64)), (0,), profile=GPU, source=source, target=source).module
        for source in (float32, float64)
        for size in (16, 17)
    ]
    assert modules == [
        *("reduce_tree_across", "reduce_tree_team_across"),
        *("reduce_double_along", "reduce_double_team_columns"),
    ]
