"""Plans of pooling: their loops are bounded, whatever the windows, and boxes cover each once."""

from __future__ import annotations

import itertools
import math

from hypothesis import given
from hypothesis import strategies as st

from dml_vk.dtypes import float16, float32, int64
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.pool import MOST_TAPS, Box, Pooling, boxes, plan_pool
from dml_vk.layout import Layout, channels_last
from dml_vk.windows import Window
from tests import tier
from tests.profiles import PROFILES

SIZES = st.integers(1, 9) | st.sampled_from([31, 64, 2049])
KERNELS = st.lists(SIZES, min_size=1, max_size=3).filter(lambda kernel: math.prod(kernel) < 2**18)


def plan_of(kernel, box, dtype, operation, order, profile):
    """Of windows over three times as much, at a distance of one."""
    sizes = tuple([3 * size for size in kernel])
    out = tuple([2 * size + 1 for size in kernel])
    source, zeros = Layout.packed((2, 5, *sizes), order), [0] * len(out)
    target = Layout.packed((2, 5, *out), order)
    strides = (*source.strides[:2], *zeros)
    positions = (0, 0, *Layout(out).strides)
    made = int64 if operation == "index" else dtype
    steps = source.strides[2:]
    pooling = Pooling(operation, tuple([Window(*dim) for dim in zip(sizes, out, kernel)]))
    operands = (strides, 0, dtype.itemsize), (positions, 0, 4), (target.strides, 0, made.itemsize)
    return plan_pool(target.sizes, operands, (dtype, made), pooling, steps, box, profile)


@tier.examples(40)
@given(
    KERNELS,
    st.sampled_from([float16, float32]),
    st.sampled_from(["max", "index", "avg"]),
    st.sampled_from([None, channels_last]),
    st.sampled_from(sorted(PROFILES)),
)
def test_loops_are_bounded(kernel, dtype, operation, order, name):
    found = boxes(kernel)
    for box in {box.sizes: box for box in found}.values():
        plan = plan_of(kernel, box, dtype, operation, order, PROFILES[name])
        assert plan.unit_rounds <= rounds.MOST
        assert len(plan.launches) == 1
        assert plan.units > 0


@tier.examples(200)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=3), st.integers(1, 30))
def test_boxes_cover_a_window_once_in_order(kernel, most):
    places = list(itertools.product(*map(range, kernel)))
    at = 0
    found = boxes(tuple(kernel), most)
    for number, box in enumerate(found):
        assert box.first == at
        assert (box.more, box.last) == (number > 0, number == len(found) - 1)
        start = places[at]
        inside = [
            tuple(map(sum, zip(start, by))) for by in itertools.product(*map(range, box.sizes))
        ]
        assert inside == places[at : at + math.prod(box.sizes)]
        at += math.prod(box.sizes)
        assert math.prod(box.sizes) <= most
    assert at == len(places)


def test_spatial_dims_merge_and_small_other_dims_are_looped_over_on_the_host():
    profile = PROFILES["CPU"]
    box = Box(0, (3, 3), False, True)
    for order in (None, channels_last):
        plan = plan_of((3, 3), box, float32, "max", order, profile)
        assert plan.sizes[-2:] == (3, 3)
        assert len(plan.sizes) <= 5
    apart = plan_of((3, 3), box, float32, "max", (2, 0, 3, 1), profile)
    assert len(apart.launches) == 2
    assert MOST_TAPS <= rounds.MOST // 7
