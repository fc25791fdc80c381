"""Plans of copies: the dims they come down to, the way they go, and what they are keyed by."""

from __future__ import annotations

import dataclasses
from itertools import pairwise, product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dml_vk.kernels.kernel import MAX_RANK
from dml_vk.kernels.plan.copy import plan_copy
from dml_vk.kernels.plan.dims import Dim, ascending, dense, offsets, split, widened
from dml_vk.kernels.plan.transfer import COPY
from dml_vk.kernels.registry import KERNELS
from dml_vk.layout import Layout, channels_last
from dml_vk.limits import MINIMUM
from dml_vk.testing.strategies import layouts
from tests import tier
from tests.layouts import AWKWARD
from tests.profiles import CPU

MODULES = {module: kernel for kernel in KERNELS.values() for module in kernel.modules}
SIZES = st.lists(st.integers(0, 5) | st.just(1), max_size=6).map(tuple)


def pairs(sizes, src_strides, dst_strides):
    """(src, dst) of every index."""
    return [
        (sum(map(int.__mul__, index, src_strides)), sum(map(int.__mul__, index, dst_strides)))
        for index in product(*map(range, sizes))
    ]


NOWHERE = (0, 0)


def plan_of(source, target, itemsize, profile=CPU):
    return plan_copy(
        source.sizes,
        source.strides,
        target.strides,
        itemsize,
        source.offset,
        target.offset,
        profile,
    )


def variant(source, target, itemsize, profile=CPU):
    return plan_of(source, target, itemsize, profile).module.removeprefix("copy_")


@tier.examples(200)
@given(st.data(), SIZES)
def test_ascending_dims_reach_the_same_pairs_of_addresses(data, sizes):
    source, target = data.draw(layouts(sizes=sizes)), data.draw(layouts(sizes=sizes))
    assume(not target.overlaps)
    dims, starts = ascending(sizes, (source.strides, target.strides))
    expected = pairs(sizes, source.strides, target.strides)
    assert sorted(offsets(dims, starts)) == sorted(expected)
    if expected:
        assert [dim.dst for dim in dims] == sorted(dim.dst for dim in dims)
        assert dims == [Dim((1, 1), 1)] or all(dim.size > 1 and dim.dst > 0 for dim in dims)


@tier.examples(200)
@given(st.data(), SIZES)
def test_no_two_neighbours_among_ascending_dims_would_merge(data, sizes):
    source, target = data.draw(layouts(sizes=sizes)), data.draw(layouts(sizes=sizes))
    dims, _ = ascending(sizes, (source.strides, target.strides))
    for inner, outer in pairwise(dims):
        assert outer.strides != tuple(stride * inner.size for stride in inner.strides)


@tier.examples(200)
@given(st.lists(st.tuples(*[st.integers(1, 4)] * 3), min_size=1, max_size=5), st.integers(1, 5))
def test_dims_split_into_those_of_a_launch_and_those_to_loop_over(given_dims, rank):
    dims = [Dim((src, dst), size) for src, dst, size in given_dims]
    kept, outer = split(dims, rank)
    assert len(kept) == min(rank, len(dims))
    assert kept[0] == dims[0]
    everything = [pair for start in offsets(outer, NOWHERE) for pair in offsets(kept, start)]
    assert sorted(everything) == sorted(offsets(dims, NOWHERE))


@pytest.mark.parametrize("times", [2, 4, 8])
def test_widened_dims_reach_the_same_elements(times):
    dims = [
        Dim((1, 1), 2 * times),
        Dim((3 * times, 4 * times), 3),
        Dim((-times, 16 * times), 2),
    ]
    for inner in (dims[0], Dim((1, 1), times)):
        narrow = [inner, *dims[1:]]
        wide = [
            (src * times + k, dst * times + k)
            for src, dst in offsets(widened(narrow, times), NOWHERE)
            for k in range(times)
        ]
        assert sorted(wide) == sorted(offsets(narrow, NOWHERE))


def test_dense_counts_the_dims_without_gaps():
    assert dense([Dim((0, 1), 3), Dim((7, 3), 4), Dim((1, 12), 2)]) == 3
    assert dense([Dim((0, 1), 3), Dim((7, 4), 4), Dim((1, 16), 2)]) == 1
    assert dense([Dim((1, 2), 3)]) == 0


IMAGE = (2, 16, 8, 12)
NCHW, NHWC = Layout(IMAGE), Layout.packed(IMAGE, channels_last)
RGB = (2, 3, 8, 16)


@pytest.mark.parametrize("profile", [CPU, MINIMUM], ids=["cpu", "gpu"])
@pytest.mark.parametrize("itemsize", [1, 2, 4, 8])
def test_conversions_of_images_are_tiles_and_those_of_pixels_are_zipped(itemsize, profile):
    bits = 8 * itemsize
    assert variant(NCHW, NHWC, itemsize, profile) == f"tile_{bits}"
    assert variant(NHWC, NCHW, itemsize, profile) == f"tile_{bits}"
    if itemsize < 8:
        planes, pixels = Layout(RGB), Layout.packed(RGB, channels_last)
        assert variant(planes, pixels, itemsize, profile) == f"zip_{bits}"
        assert variant(pixels, planes, itemsize, profile) == f"zip_{bits}"


@pytest.mark.parametrize("itemsize", [1, 2, 4, 8])
def test_operands_with_equal_layouts_move_16_bytes_at_once_if_aligned(itemsize):
    per = 16 // itemsize
    rows = Layout((3, 64 * per), (80 * per, 1))
    moved = Layout(rows.sizes, rows.strides, offset=per)
    assert variant(rows, rows, itemsize) == variant(rows, moved, itemsize) == "words_128"
    wide = NHWC.narrow(3, 0, 4)
    assert variant(wide, wide, itemsize) == "words_128"
    assert variant(rows, Layout(rows.sizes, rows.strides, offset=1), itemsize) != "words_128"
    narrow = rows.narrow(1, 0, 64 * per - 1)
    assert variant(narrow, narrow, itemsize) != "words_128"
    # Reversed in both is not reversed, and starts where the last element lies.
    plan = plan_of(rows.flip(1), rows.flip(1), itemsize)
    assert plan.module == "copy_words_128"
    assert plan.launches == ((-63, -63),)


def test_bytes_between_words_are_packed_and_those_of_whole_words_are_not():
    assert variant(Layout((5, 3)), Layout((5, 3), (7, 1)), 1) == "packed_8"
    assert variant(Layout((5, 3)), Layout((5, 3), (7, 1)), 2) == "packed_16"
    assert variant(Layout((5, 4), (12, 1)), Layout((5, 4)), 1) == "words_32"
    assert variant(Layout((5, 4), (12, 1)), Layout((5, 4)), 2) == "words_64"


@pytest.mark.parametrize("profile", [CPU, MINIMUM], ids=["cpu", "gpu"])
@tier.examples(200)
@given(data=st.data(), sizes=SIZES, itemsize=st.sampled_from([1, 2, 4, 8]))
def test_a_plan_is_what_its_kernel_expects(profile, data, sizes, itemsize):
    source, target = data.draw(layouts(sizes=sizes)), data.draw(layouts(sizes=sizes))
    assume(not target.overlaps)
    plan = plan_of(source, target, itemsize, profile)
    if plan.module == COPY:
        return
    kernel = MODULES[plan.module]
    assert len(plan.push) == kernel.push_words <= 32
    assert len(plan.spec) == len(kernel.spec)
    assert all(0 <= word < 2**32 for word in (*plan.push, *plan.spec))
    told = dict(zip(kernel.spec, plan.spec))
    assert 0 < told["LOCAL_SIZE"] <= profile.max_invocations
    assert told["LOCAL_SIZE"] % told["LANES"] == 0
    assert 1 <= told["RANK"] <= MAX_RANK
    at, words = 0, {}
    for name, count in kernel.push:
        words[name] = plan.push[at : at + count]
        at += count
    whole, extent = words["whole"][0], words["extent"][0]
    assert told["EDGES"] == (whole < plan.units) or not plan.units
    assert words["groups"][0] >= 1
    assert (plan.units > 0) == (0 not in sizes)
    if plan.units:
        # A zip's is the step between planes, 0 where one stands for all.
        assert extent >= 1 or plan.module.startswith("copy_zip")
        assert min(words["sizes"][: told["RANK"]]) >= 1
        assert plan.unit_ns > 0


@pytest.mark.parametrize("layout", AWKWARD, ids=str)
def test_a_copy_of_no_elements_has_no_units(layout):
    plan = plan_of(layout, Layout(layout.sizes), 4)
    assert (plan.units == 0) == (0 in layout.sizes)


def test_views_share_a_plan_where_their_offsets_are_alike_modulo_16_bytes():
    def plan_at(src, dst, itemsize):
        return plan_copy((6, 50), (64, 1), (128, 1), itemsize, src, dst, CPU)

    for itemsize in (1, 2, 4, 8):
        per = 16 // itemsize
        assert plan_at(0, 1, itemsize) is plan_at(9 * per, 1 + 40 * per, itemsize)
        assert plan_at(0, 0, itemsize) is not plan_at(1, 0, itemsize)


def test_each_profile_has_plans_of_its_own():
    assert plan_of(NCHW, NHWC, 4, CPU) is plan_of(NCHW, NHWC, 4, CPU)
    assert plan_of(NCHW, NHWC, 4, CPU).spec != plan_of(NCHW, NHWC, 4, MINIMUM).spec
    assert plan_of(NCHW, NHWC, 4, CPU) is not plan_of(NCHW, NHWC, 4, dataclasses.replace(CPU))


def test_more_dims_than_a_kernel_takes_are_several_launches():
    sizes = (2,) * 11
    gaps = Layout(sizes, tuple(3**k for k in range(11)))
    plan = plan_of(Layout(sizes), gaps, 4)
    assert len(plan.launches) == len(set(plan.launches)) == 2**3
    assert plan_of(Layout(sizes), Layout(sizes), 4).launches == ((0, 0),)


def test_no_number_that_is_divided_reaches_two_to_the_31():
    pixels = 2**29
    plan = plan_copy((pixels, 5), (1, pixels), (5, 1), 1, 0, 0, CPU)
    told = dict(zip(MODULES[plan.module].spec, plan.spec))
    assert told["RUN"] == 1
    assert plan.units < 2**31
