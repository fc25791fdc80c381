"""Plans of kernels that compute: what the kernel expects, and one for all that is alike."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dml_vk.kernels.elementwise import COMPUTED
from dml_vk.kernels.kernel import COMPUTED_RANK, MAX_RANK
from dml_vk.kernels.plan.elementwise import plan_computed
from dml_vk.kernels.registry import KERNELS
from dml_vk.layout import Layout, channels_last
from dml_vk.limits import MINIMUM
from dml_vk.testing.strategies import layouts
from tests import tier
from tests.profiles import CPU

MODULES = {module: kernel for kernel in KERNELS.values() for module in kernel.modules}
SIZES = st.lists(st.integers(0, 5) | st.just(1), max_size=6).map(tuple)
IMAGE = (2, 16, 8, 12)
NCHW, NHWC = Layout(IMAGE), Layout.packed(IMAGE, channels_last)


def spec_values(kernel):
    """Constants that follow those of the path; which values they have is nothing to a plan."""
    return tuple(range(5 + COMPUTED[kernel].sources))


def plan_of(kernel, lie, itemsizes, profile=CPU, **options):
    operands = [(one.strides, one.offset, itemsize) for one, itemsize in zip(lie, itemsizes)]
    return plan_computed(kernel, lie[-1].sizes, operands, spec_values(kernel), profile, **options)


def add(a, b, out, profile=CPU, **options):
    return plan_of("float_arithmetic", [a, b, out], (4, 4, 4), profile, **options)


@pytest.mark.parametrize("profile", [CPU, MINIMUM], ids=["cpu", "gpu"])
@tier.examples(200)
@given(data=st.data(), sizes=SIZES, kernel=st.sampled_from(sorted(COMPUTED)))
def test_a_plan_is_what_its_kernel_expects(profile, data, sizes, kernel):
    sources, ways = COMPUTED[kernel].sources, COMPUTED[kernel].variants
    lie = [data.draw(layouts(sizes=sizes)) for _ in range(sources + 1)]
    assume(not lie[-1].overlaps)
    itemsizes = [data.draw(st.sampled_from([1, 2, 4, 8])) for _ in range(sources)]
    bits = sorted({int(way.split("_")[1]) for way in ways})
    itemsizes.append(data.draw(st.sampled_from(bits)) // 8)
    plan = plan_of(kernel, lie, itemsizes, profile)
    expected = MODULES[plan.module]
    assert plan.module in {f"{kernel}_{way}" for way in ways}
    assert len(plan.spec) == len(expected.spec)
    assert plan.spec[-5 - sources :] == spec_values(kernel)
    assert len(plan.push) == expected.push_words - dict(expected.push)["scalars"]
    assert expected.push_words <= 32
    assert all(0 <= word < 2**32 for word in (*plan.push, *plan.spec, *plan.arguments))
    assert plan.base_bytes == tuple(itemsizes)
    assert (plan.units > 0) == (0 not in sizes)
    rank = plan.spec[expected.spec.index("RANK")]
    assert 1 <= rank <= MAX_RANK
    assert bool(plan.arguments) == (rank > COMPUTED_RANK[sources])
    if plan.units:
        assert plan.unit_ns > 0


def test_operands_with_equal_layouts_merge_into_one_row():
    for lie in (NCHW, NHWC, Layout((3072,))):
        plan = add(lie, lie, lie)
        assert plan.module == "float_arithmetic_words_32"
        assert plan.spec[2] == 1  # RANK
    # A row for each channel, in the words of which one source stands still.
    plan = add(NCHW, Layout((16, 1, 1)).expand(*IMAGE), NCHW)
    assert plan.spec[2] == 3


def test_mixed_orders_of_4_bytes_are_tiles():
    assert add(NCHW, NHWC, NCHW).module == "float_arithmetic_tile_32"
    assert add(NHWC, NHWC, NCHW).module == "float_arithmetic_tile_32"
    mixed = plan_of("float_arithmetic", [NHWC, NCHW, NCHW], (4, 2, 4))
    assert mixed.module == "float_arithmetic_words_32"
    assert plan_of("float_exp", [NHWC, NCHW], (4, 4)).module == "float_exp_words_32"


def test_more_dims_than_the_push_block_takes_are_arguments_or_more_launches():
    sizes = (2,) * 10
    gaps = Layout(sizes, tuple(3**k for k in range(10)))
    rows = Layout(sizes)
    rank = COMPUTED_RANK[2]
    told = add(rows, rows, gaps)
    assert len(told.arguments) == 4 * MAX_RANK  # sizes, and strides of three
    assert len(told.launches) == len(set(told.launches)) == 2 ** (10 - MAX_RANK)
    untold = add(rows, rows, gaps, arguments=False)
    assert not untold.arguments
    assert len(untold.launches) == len(set(untold.launches)) == 2 ** (10 - rank)
    assert add(rows, rows, rows).launches == ((0, 0, 0),)


def test_views_share_a_plan_where_their_offsets_are_alike_modulo_16_bytes():
    def plan_at(a, b, out):
        lie = [Layout((6, 50), (64, 1), at) for at in (a, b, out)]
        return plan_of("where", [lie[0], *lie], (1, 2, 2, 2))

    assert plan_at(0, 1, 2) is plan_at(16, 1 + 8 * 5, 2 + 8)
    assert plan_at(0, 1, 2) is not plan_at(0, 1, 3)


def test_powers_take_longer_than_sums():
    flat = Layout((4096,))
    total = add(flat, flat, flat)
    function = plan_of("float_pow", [flat, flat, flat], (4, 4, 4))
    assert function.unit_ns * function.units > total.unit_ns * total.units
