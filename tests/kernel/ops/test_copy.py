"""Copy against NumPy: any layout to any layout, bit for bit, and nothing beside."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import dml_vk
from dml_vk.errors import DeviceError, DTypeError, LayoutError
from dml_vk.kernels.plan.copy import plan_copy
from dml_vk.kernels.registry import KERNELS
from dml_vk.layout import Layout, channels_last
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.kernel.memory import (
    ITEMSIZES,
    MARGIN,
    assert_complete,
    check_writes,
    elements,
    memory_for,
    moved,
    telling,
    used_by,
)
from tests.layouts import AWKWARD

packed = Layout.packed


def check_copy(source: Layout, target: Layout, itemsize: int) -> None:
    memory, source = memory_for(source, itemsize)
    x = dml_vk.asarray(memory).over(source)
    check_writes(lambda y: dml_vk.copy(x, y), target, itemsize, elements(memory, source))


IMAGE, RGB, PRIME = (2, 16, 8, 12), (2, 3, 10, 8), (3, 5, 7, 11)
# One for every way that a copy goes: (source, target).
WAYS = {
    "flat": (packed(IMAGE), packed(IMAGE)),
    "flat, of primes": (packed(PRIME), packed(PRIME)),
    "to NHWC": (packed(IMAGE), packed(IMAGE, channels_last)),
    "to NCHW": (packed(IMAGE, channels_last), packed(IMAGE)),
    "to NHWC, of primes": (packed(PRIME), packed(PRIME, channels_last)),
    "to NCHW, of primes": (packed(PRIME, channels_last), packed(PRIME)),
    "to NHWC, of three": (packed(RGB), packed(RGB, channels_last)),
    "to NCHW, of three": (packed(RGB, channels_last), packed(RGB)),
    "to NHWC, of four": (packed((2, 4, 8, 8)), packed((2, 4, 8, 8), channels_last)),
    "to NCHW, of two": (packed((2, 2, 8, 8), channels_last), packed((2, 2, 8, 8))),
    "to pixels, of planes between quads": (
        packed((3, 65)).narrow(1, 0, 64),
        packed((3, 64), (1, 0)),
    ),
    "to planes between quads": (packed((3, 64), (1, 0)), packed((3, 65)).narrow(1, 0, 64)),
    "transposed, rows far apart": (packed((1040, 1028)), packed((1040, 1028), "WH")),
    "to NDHWC": (packed((2, 8, 3, 4, 8)), packed((2, 8, 3, 4, 8), channels_last)),
    "to NWC": (packed((3, 8, 20)), packed((3, 8, 20), channels_last)),
    "to NWC, of padded rows": (
        packed((2, 16, 32)).narrow(2, 0, 20),
        packed((2, 16, 20), channels_last),
    ),
    "to blocks": (packed((2, 32, 4, 6)).block("nChw16c"), packed((2, 2, 4, 6, 16))),
    "from blocks": (packed((2, 2, 4, 6, 16)), packed((2, 32, 4, 6)).block("nChw16c")),
    "rows": (packed((6, 16)), packed((6, 20)).narrow(1, 0, 16)),
    "rows of quads": (packed((3, 132)), packed((3, 144)).narrow(1, 0, 132)),
    "rows between words": (packed((6, 13)), packed((6, 17)).narrow(1, 2, 13)),
    "rows in phase": (packed((6, 32)).narrow(1, 2, 13), packed((6, 48)).narrow(1, 18, 13)),
    "from rows": (packed((6, 20)).narrow(1, 3, 16), packed((6, 16))),
    "broadcast": (packed((1, 7, 1, 1)).expand(4, 7, 5, 6), packed((4, 7, 5, 6))),
    "one value": (packed(()).expand(9, 9), packed((9, 9))),
    "reversed": (packed((5, 9)).flip(1), packed((5, 9))),
    "into reversed": (packed((5, 9)), packed((5, 9)).flip((0, 1))),
    "steps": (packed((5, 30)).slice(1, 0, None, 3), packed((5, 10))),
    "into steps": (packed((5, 10)), packed((5, 30)).slice(1, 1, None, 3)),
    "windows": (packed((40,)).unfold(0, 8, 3), packed((11, 8))),
    "diagonal": (packed((9, 9)).diagonal(), packed((9,))),
    "into a diagonal": (packed((9,)), packed((9, 9)).diagonal()),
    "rank 8": (packed((2,) * 8, (3, 1, 0, 2, 7, 4, 6, 5)), packed((2,) * 8)),
    "rank 10": (packed((2, 3) * 5, (3, 1, 0, 9, 8, 2, 7, 4, 6, 5)), packed((2, 3) * 5)),
    "rank 10 with gaps": (
        packed((2,) * 10, (9, 7, 5, 3, 1, 0, 2, 4, 6, 8)),
        Layout((2,) * 10, tuple(3**k for k in range(10))),
    ),
}


# Where elements of any size are at a multiple of 16 bytes, and where none is but bytes.
PLACES = (16 - MARGIN, 17 - MARGIN)
NEVER = {
    # What does not fit as a whole goes another way.
    *((f"copy_zip_{bits}", "EDGES", 1) for bits in (8, 16, 32)),
    *((f"copy_tile_{bits}", "EDGES", 1) for bits in (8, 16)),
    *((f"copy_tile_{bits}", name, 0) for bits in (8, 16) for name in ("READS", "DST_PIECES")),
    # Only rows that are contiguous and aligned in both are copied in elements of 16 bytes.
    *(("copy_words_128", "STEPS", step) for step in (0, 2)),
    *(("copy_words_128", name, 0) for name in ("DENSE", "SRC_QUADS", "DST_QUADS")),
}


def plan_of(case):
    way, itemsize, place = case
    source, target = WAYS[way]
    return plan_copy(
        *(source.sizes, source.strides, target.strides, itemsize),
        *(source.offset + place + MARGIN, target.offset + place + MARGIN, dml_vk.device().profile),
    )


@functools.cache
def cases():
    """Those that use each kernel and value of a constant, and of each way one."""
    every = itertools.product(WAYS, ITEMSIZES, PLACES)
    chosen = telling(every, plan_of)
    left = [way for way in WAYS if way not in {case[0] for case in chosen}]
    return chosen + [(way, itemsize, PLACES[0]) for way, itemsize in tier.crossed(left, ITEMSIZES)]


@pytest.mark.parametrize("way", WAYS)
def test_every_variant(way):
    for itemsize, place in [how for of, *how in cases() if of == way]:
        source, target = WAYS[way]
        check_copy(moved(source, place), moved(target, place), itemsize)


def test_the_cases_cover_every_kernel_and_every_value_of_its_constants():
    used = used_by(map(plan_of, cases()))
    for kernel in KERNELS.values():
        if kernel.name.startswith("copy"):
            assert_complete(used, kernel, NEVER)


@tier.parametrize("source itemsize", AWKWARD, ITEMSIZES)
def test_awkward_sources(source, itemsize):
    check_copy(source, packed(source.sizes), itemsize)
    check_copy(source, source.like(), itemsize)


@tier.parametrize("target itemsize", [a for a in AWKWARD if not a.overlaps], ITEMSIZES)
def test_awkward_targets(target, itemsize):
    check_copy(packed(target.sizes), target, itemsize)


SIZES = st.lists(st.integers(1, 7) | st.just(1), max_size=6).map(tuple)
LONG = st.tuples(st.sampled_from([1, 2, 3]), st.integers(1, 40), st.integers(1, 40))


@tier.examples(300)
@given(st.data(), SIZES | LONG, st.sampled_from(ITEMSIZES))
def test_any_layout_to_any_layout(data, sizes, itemsize):
    source = data.draw(layouts(sizes=sizes))
    target = data.draw(targets(sizes=sizes))
    profile = dml_vk.device().profile
    plan = plan_copy(sizes, source.strides, target.strides, itemsize, 0, 0, profile)
    event(plan.module)
    check_copy(source, target, itemsize)


@tier.examples(100)
@given(st.data(), st.integers(8, 10), st.sampled_from(ITEMSIZES))
def test_high_ranks(data, rank, itemsize):
    sizes = tuple(data.draw(st.lists(st.integers(1, 3), min_size=rank, max_size=rank)))
    source, target = data.draw(layouts(sizes=sizes)), data.draw(targets(sizes=sizes))
    check_copy(source, target, itemsize)


@tier.examples(100)
@given(st.data(), SIZES | LONG, st.sampled_from(ITEMSIZES))
def test_an_overlapping_copy_is_as_if_through_a_temporary(data, sizes, itemsize):
    source, target = data.draw(layouts(sizes=sizes)), data.draw(targets(sizes=sizes))
    reach = Layout((max(source.offset + source.span, target.offset + target.span, 1) + 30,))
    memory, _ = memory_for(reach, itemsize)
    x = dml_vk.asarray(memory)
    dml_vk.copy(x.over(source), x.over(target))
    elements(memory, target)[...] = elements(memory, source).copy()
    assert np.array_equal(x.numpy(), memory)


@pytest.mark.parametrize("itemsize", ITEMSIZES)
def test_large_copies_take_several_groups_and_all_their_elements(itemsize):
    sizes = (3, 67, 101, 37)
    check_copy(packed(sizes), packed(sizes, channels_last), itemsize)
    check_copy(packed(sizes, channels_last), packed(sizes), itemsize)
    check_copy(packed(sizes), packed(sizes), itemsize)


def test_a_target_whose_elements_overlap_is_refused():
    x = dml_vk.asarray(np.arange(12, dtype=np.int32))
    with pytest.raises(LayoutError, match="copy: target has overlapping elements"):
        dml_vk.copy(x.over(Layout((3, 4))), x.over(Layout((3, 4), (1, 1))))
    assert x.tolist() == list(range(12))


def test_wrong_operands_are_refused():
    x, y = dml_vk.asarray([1, 2, 3]), dml_vk.asarray([1.0, 2.0, 3.0])
    with pytest.raises(LayoutError, match=r"equal sizes: .*; got source=\(3,\), target=\(2,\)"):
        dml_vk.copy(x, x.over(Layout((2,))))
    with pytest.raises(
        DTypeError, match=r"the same dtype; got src=dml_vk\.int64, dst=dml_vk\.float32"
    ):
        dml_vk.copy(x, y)
    with pytest.raises(DTypeError, match=r"dst must be a Tensor: .*; got dst='ndarray'"):
        dml_vk.copy(x, np.zeros(3))
    with pytest.raises(LayoutError, match="within its 24 bytes"):
        x.over(Layout((4,)))
    assert issubclass(DeviceError, RuntimeError)
