"""Plans of chains: what they refuse, and what makes them alike."""

from __future__ import annotations

import dataclasses

import pytest

from dml_vk.dtypes import bool_, complex64, complex128, float16, float32
from dml_vk.kernels.elementwise import COMPUTED
from dml_vk.kernels.operators import OPCODES
from dml_vk.kernels.plan.chain import COPY, FILL, Chain, Node, node_of, present
from dml_vk.kernels.plan.copy import plan_copy
from dml_vk.kernels.plan.elementwise import plan_computed
from dml_vk.kernels.plan.fill import plan_fill
from dml_vk.kernels.plan.fused import params_of, plan_fused
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.limits import MINIMUM
from tests.profiles import CPU

SIZES, STRIDES = (6, 32), (32, 1)
AT = Operand(STRIDES, 0, 4)
SECOND = 2  # the bit of the second source


def node(operator, *sources, kernel="float_arithmetic", absent=0, dtype=float32):
    code = dtype.code
    codes = (code,) * COMPUTED[kernel].sources
    return Node(kernel, (int(OPCODES[operator]), 0, absent, code, code, *codes), sources)


def chain(*nodes, reads=(AT,), writes=((1, AT),), sizes=SIZES):
    return Chain(sizes, reads, nodes, writes)


TWICE = node("ADD", 0, 0)


def test_equal_chains_share_a_plan():
    plan = plan_fused(chain(TWICE), CPU)
    assert plan is not None
    assert plan_fused(chain(TWICE, reads=(Operand(STRIDES, 8, 4),)), CPU) is plan
    assert plan_fused(chain(TWICE, reads=(Operand(STRIDES, 1, 4),)), CPU) is not plan


REFUSED = {
    "a kernel of rows": chain(Node("finish", (0, 0, 0, 10, 10, 10), (0,))),
    "the longest function of complex numbers": chain(
        node("ASIN", 0, kernel="complex_arc", dtype=complex64)
    ),
    "several long functions": chain(
        *[node("EXP", k, kernel="complex_exp", dtype=complex128) for k in range(3)],
        writes=((3, AT),),
    ),
    "too many elements": chain(TWICE, sizes=(2**26, 32)),
    "too many buffers": chain(TWICE, reads=(AT,) * 32, writes=((32, AT),)),
    "too many scalars": chain(
        *[node("CLIP", k, absent=SECOND) for k in range(15)], writes=((15, AT),)
    ),
    "too many rounds of loops": chain(
        *[node("REMAINDER", k, 0) for k in range(12)], writes=((12, AT),)
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what):
    profile = dataclasses.replace(CPU, max_storage_buffers=32)
    assert plan_fused(REFUSED[what], profile) is None
    few = Operand((64, 2), 0, 1)  # also where elements are written one by one
    alone = REFUSED[what]._replace(writes=((REFUSED[what].writes[0][0], few),))
    assert plan_fused(alone, profile) is None


def test_words_that_units_share_cost_more():
    """Into bytes that follow each other, at the ends of short rows alone, and with gaps."""
    sizes, costs = (60, 32), []
    for strides in ((32, 1), (33, 1), (64, 2)):
        writes = ((1, Operand(strides, 0, 1)),)
        plan = plan_fused(chain(node("ADD", 0, 0), writes=writes, sizes=sizes), CPU)
        assert plan is not None
        assert plan.shares_words == (strides[0] != 32)
        costs.append(plan.units * plan.unit_ns)
    assert costs == sorted(costs)
    assert costs[0] < costs[1] < costs[2]


def test_rows_by_words_go_before_pieces_across_rows_that_share_them():
    """Channels of pixels: with a gap after each pixel, or without."""
    pixels, channels = Operand((8, 1), 0, 4), Operand((0, 1), 0, 4)
    for pitch, shares in ((8, False), (9, True)):
        writes = ((2, Operand((pitch, 1), 0, 1)),)
        plan = plan_fused(Chain((64, 8), (pixels, channels), (node("ADD", 0, 1),), writes), CPU)
        assert plan is not None
        assert plan.recipe is not None
        assert plan.shares_words == shares
        assert bool(plan.recipe.patterns[0].across) != shares


def test_a_unit_of_a_kernel_with_a_slow_branch_has_a_bit_for_each_step():
    flat = Operand((1,), 0, 4)
    given = {"reads": (flat,), "writes": ((1, flat),), "sizes": (2**14,)}
    for count in (4, 32, 64):
        profile = dataclasses.replace(CPU, quads_per_unit=count)
        twice = plan_fused(chain(TWICE, **given), profile)
        sine = plan_fused(chain(node("SIN", 0, kernel="float_trig"), **given), profile)
        assert twice is not None
        assert (sine is None) == (count > 32)
        assert sine is None or sine.unit_rounds >= 2 * twice.unit_rounds


def test_the_least_of_a_device():
    assert plan_fused(chain(TWICE, reads=(AT,) * 3, writes=((3, AT),)), MINIMUM) is not None
    assert plan_fused(chain(TWICE, reads=(AT,) * 4, writes=((4, AT),)), MINIMUM) is None


def test_scalars_that_are_passed():
    clip = node("CLIP", 0, absent=SECOND)
    plus = node("ADD", 1, absent=SECOND)
    nodes = (
        clip,
        plus,
        node("NEGATIVE", 2, absent=SECOND),
        Node(FILL, (8,), ()),
        Node(FILL, (2,), ()),
    )
    given = [(10 * k, 10 * k + 1, 10 * k + 2, 10 * k + 3) for k in range(6)]
    assert params_of(chain(*nodes, Node(COPY, (4,), (1,))), given) == (0, 1, 10, 30, 31, 40)


def test_what_plans_were_made_for():
    spec = (0, 0, SECOND, float16.code, float16.code, float16.code, bool_.code)
    operands = ((1,), 3, 2), ((0,), 0, 1), ((1,), 0, 2)
    computed = plan_computed("float_arithmetic", (9,), operands, spec, CPU).computed
    assert computed == ("float_arithmetic", (9,), operands, spec)
    assert present(computed) == [0]
    assert node_of(computed, [4]) == ("float_arithmetic", spec, (4,))
    for strides in ((1,), (3,)):
        copied = plan_copy((9,), strides, (1,), 2, 0, 1, CPU).computed
        assert copied == (COPY, (9,), ((strides, 0, 2), ((1,), 1, 2)), ())
        assert (present(copied), node_of(copied, [7])) == ([0], (COPY, (2,), (7,)))
        filled = plan_fill((9,), strides, 4, 1, CPU).computed
        assert filled == (FILL, (9,), ((strides, 1, 4),), ())
        assert (present(filled), node_of(filled, [])) == ([], (FILL, (4,), ()))


def of_parts_of_complex(strides, offset=0, absent=0):
    """What a sum of the parts of complex numbers is on these, the second read by rows of five."""
    code, rows = float32.code, ((10, 2, 1), 0, 4)
    spec = (int(OPCODES["ADD"]), 0, absent, *[code] * 4)
    operands = (strides, offset, 4), rows, rows
    return plan_computed("float_arithmetic", (3, 5, 2), operands, spec, CPU, by_parts=True)


def test_what_is_done_to_parts_is_done_to_complex_numbers():
    whole = of_parts_of_complex((2, 6, 1), 2).of_complex
    spec = (int(OPCODES["ADD"]), 0, 0, *[complex64.code] * 4)
    rows = (5, 1), 0, 8
    assert whole == ("float_arithmetic", (3, 5), (((1, 3), 1, 8), rows, rows), spec)
    for strides, offset in (((2, 6, 2), 0), ((2, 5, 1), 0), ((2, 6, 1), 1)):
        assert of_parts_of_complex(strides, offset).of_complex is None  # not side by side
    assert of_parts_of_complex((2, 6, 1), absent=1).of_complex is None  # a scalar has words
    floats = plan_computed("float_arithmetic", (2,), [((1,), 0, 4)] * 3, (0,) * 3 + (10,) * 4, CPU)
    assert floats.of_complex is None


def test_long_chains_are_not_compiled_for_many_elements():
    """Steps of twelve elements, three channels of four pixels, are for short chains."""
    pixels, channels = Operand((3, 1), 0, 4), Operand((0, 1), 0, 4)
    for count, quad in ((4, 12), (12, 4)):
        nodes = [node("ADD", 0, 1), *[node("ADD", k, 1) for k in range(2, count + 1)]]
        writes = ((count + 1, pixels),)
        plan = plan_fused(Chain((64, 3), (pixels, channels), tuple(nodes), writes), CPU)
        assert plan is not None
        assert plan.recipe is not None
        assert plan.recipe.quad == quad


def test_far_elements_cost_more():
    near, far = AT, Operand((1, 1000), 0, 4)
    costs = [
        plan.unit_ns * plan.units
        for one in (near, far)
        if (plan := plan_fused(chain(TWICE, reads=(one,)), CPU)) is not None
    ]
    assert costs[0] < costs[1]
