"""Rounds of loops: what plans say of them, how work is cut by them, and what a device is asked."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dml_vk.dtypes import float16, float32, float64, int32, int64, uint32
from dml_vk.errors import DmlVkError
from dml_vk.kernels.elementwise import COMPUTED
from dml_vk.kernels.operators import CASTS, OPCODES, OPERATORS
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.conv import (
    MOST_TERMS,
    NO_EPILOGUE,
    Channels,
    Epilogue,
    plan_conv,
)
from dml_vk.kernels.plan.copy import plan_copy
from dml_vk.kernels.plan.elementwise import plan_computed
from dml_vk.kernels.plan.fill import plan_fill
from dml_vk.kernels.plan.gather import Step, plan_check, plan_gather
from dml_vk.kernels.plan.indexed import plan_indexed
from dml_vk.kernels.plan.linear import Linear
from dml_vk.kernels.plan.matmul import MAX_DEPTH, plan_matmul
from dml_vk.kernels.plan.nonzero import plan_nonzero
from dml_vk.kernels.plan.passes import next_pass, work_of
from dml_vk.kernels.plan.radix import PLACE, Rows, chunks_of, plan_count, plan_move
from dml_vk.kernels.plan.reduce import plan_pass, reducer_of
from dml_vk.kernels.plan.scan import EXCLUSIVE, INCLUSIVE, SUM, Scan, plan_scan
from dml_vk.kernels.plan.scatter import plan_claim, plan_pick, plan_scatter
from dml_vk.kernels.plan.search import plan_search
from dml_vk.kernels.plan.sort import plan_keys, plan_merge, plan_runs
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.kernels.plan.transfer import COPY, FILL
from dml_vk.kernels.plan.windows import from_inside, image
from dml_vk.kernels.reductions import REDUCTIONS
from dml_vk.layout import Layout, channels_last
from dml_vk.limits import MINIMUM
from dml_vk.runtime.queue import Queue
from dml_vk.windows import Window
from tests import tier
from tests.profiles import PROFILES, SHUFFLING
from tests.real_dtypes import DTYPES
from tests.unit.runtime.queues import Runtime, arena, make_plan, operand

LARGE = st.sampled_from(
    [*(1, 3, 4, 16, 63, 64, 1000, 4096, 20_000, 65536, 70_001), *(2**20, 2**24, 2**31 - 4096)]
)
ORDERS = [None, channels_last, (3, 1, 0, 2), (1, 0, 3, 2)]
KINDS = st.sampled_from(sorted(PROFILES))


@st.composite
def large_layouts(draw, most=2**31 - 4096):
    """Of four dims, one of which may be huge, with gaps or without, and turned or not."""
    sizes = [1, 1, 1, 1]
    for dim in draw(st.permutations(range(4))):
        room = most // math.prod(sizes)
        sizes[dim] = (
            min(draw(LARGE), room) if draw(st.booleans()) else min(draw(st.integers(1, 9)), room)
        )
    layout = Layout.packed(tuple(sizes), draw(st.sampled_from(ORDERS)))
    wide = draw(st.integers(1, 2))
    strides = tuple([stride * wide for stride in layout.strides])
    return Layout(layout.sizes, strides, draw(st.integers(0, 5)), layout.order)


def check(plan):
    if plan.module in (COPY, FILL):  # by no kernel
        return
    assert plan.unit_rounds <= rounds.MOST, plan
    profile = MINIMUM
    assert plan.most_units(profile.max_rounds, 1) > 0, plan


def seen(layout, itemsize):
    return layout.strides, layout.offset, itemsize


@tier.examples(200)
@given(st.data(), KINDS, large_layouts())
def test_copies_and_generators(data, kind, layout):
    profile = PROFILES[kind]
    other = Layout.packed(layout.sizes, data.draw(st.sampled_from(ORDERS)))
    itemsize = data.draw(st.sampled_from([1, 2, 4, 8]))
    check(plan_copy(layout.sizes, layout.strides, other.strides, itemsize, 0, 0, profile))
    check(plan_fill(layout.sizes, layout.strides, itemsize, layout.offset, profile))
    for kernel, dtype, own in (
        *(("sequence", "float32", 4), ("sequence", "int8", 1), ("philox", "uint64", 8)),
        *(("normal", "float32", 4), ("normal", "float16", 2), ("uniform", "float16", 2)),
        *(("integers", "int8", 1), ("integers", "wide64", 8), ("philox", "float16", 2)),
    ):
        constants = (("FROM_BUFFER", 0),) if kernel == "philox" else ()
        plan = plan_indexed(
            *(kernel, dtype, layout.sizes, layout.strides, own, layout.offset, profile),
            constants=constants,
        )
        if plan is not None:
            check(plan)


@tier.examples(200)
@given(st.data(), KINDS, large_layouts(), st.sampled_from(sorted(OPERATORS)))
def test_every_operator(data, kind, layout, name):
    operator = OPERATORS[name]
    for dtype in DTYPES.values():
        if not operator.takes(dtype):
            continue
        kernel = operator.kernel(dtype)
        count = COMPUTED[kernel].sources
        itemsizes = [dtype.itemsize] * count + [1 if operator.result else dtype.itemsize]
        other = Layout.packed(layout.sizes, data.draw(st.sampled_from(ORDERS)))
        operands = [seen(other, size) for size in itemsizes[:-1]] + [seen(layout, itemsizes[-1])]
        opcode = len(CASTS) - 1 if kernel == "cast" else operator.code
        spec = (opcode, 0, 0, dtype.code, dtype.code, *[dtype.code] * count)
        check(plan_computed(kernel, layout.sizes, operands, spec, PROFILES[kind]))


@tier.examples(200)
@given(st.data(), KINDS, large_layouts(), st.sampled_from(sorted(REDUCTIONS)))
def test_reductions(data, kind, layout, name):
    dims = tuple(sorted(data.draw(st.sets(st.integers(0, 3), min_size=1))))
    dtype = data.draw(st.sampled_from([float32, float64, int32, int64]))
    row = REDUCTIONS[name]
    target = dtype if row.accumulates else row.result_dtype(dtype)
    reduction, profile = reducer_of(name, target), PROFILES[kind]
    work = work_of(layout.sizes, layout.strides, dims, reduction.ties)
    while work is not None:
        made = next_pass(work, reduction.ties, dtype.itemsize, 16, profile)
        strides = made.out_strides or tuple([1] * len(made.sizes))
        operands = [Operand(of, 0, dtype.itemsize) for of in (made.strides, strides)]
        plan = plan_pass(reduction, made, operands, (dtype.code, dtype.code), profile)
        if plan is not None:
            check(plan)
        work = made.rest


@pytest.mark.parametrize("kind", PROFILES)
@pytest.mark.parametrize("dtype", [float32, float64])
def test_trees_as_long_as_an_invocation_may_sum(kind, dtype):
    profile = dataclasses.replace(PROFILES[kind], coalesces=True)  # so that caches do not count
    layout = Layout.packed((2 * profile.units_wanted, 2**13))
    reduction = reducer_of("sum", dtype)
    work = work_of(layout.sizes, (0, 1), (1,), reduction.ties)
    made = next_pass(work, reduction.ties, dtype.itemsize, 16, profile)
    operands = [Operand(of, 0, dtype.itemsize) for of in (made.strides, made.out_strides)]
    check(plan_pass(reduction, made, operands, (dtype.code, dtype.code), profile))


@tier.examples(200)
@given(
    KINDS, large_layouts(), st.integers(0, 3), st.sampled_from(["float", "int", "long", "double"])
)
def test_scans(kind, layout, dim, values):
    profile = PROFILES[kind]
    itemsize = 4 if values in ("float", "int") else 8
    code = {"float": float32, "int": uint32, "long": int64, "double": float64}[values].code
    for form in (INCLUSIVE, EXCLUSIVE):
        scan = Scan(values, SUM, form, code)
        operands = (seen(layout, itemsize), seen(layout, itemsize))
        passes = plan_scan(scan, layout.sizes, operands, dim, profile)
        check(passes.last)
        if passes.totals is not None:
            check(passes.totals)


@tier.examples(200)
@given(
    KINDS,
    LARGE,
    LARGE,
    st.integers(1, MAX_DEPTH),
    st.sampled_from([float32, float64, int32, int64]),
)
def test_products(kind, rows, columns, depth, dtype):
    columns = max(1, min(columns, 2**31 // rows))
    first, dst = [Operand(strides, 0, dtype.itemsize) for strides in ((depth, 0, 1), (columns, 1))]
    for strides in ((0, 1, columns), (0, depth, 1)):
        second = Operand(strides, 0, dtype.itemsize)
        for a in (first, None):
            for profile in (PROFILES[kind], SHUFFLING):
                given, dtypes = ((rows, columns), depth), (dtype,) * 3
                check(plan_matmul(*given, (a, second, dst), dtypes, profile).plan)
                if dtype is float32:
                    linear = Linear(int(OPCODES["GELU"]), (), (1, float16))
                    to, dtypes = dst._replace(itemsize=2), (float32, float32, float16)
                    operands = a, second, to
                    check(plan_matmul(*given, operands, dtypes, profile, linear=linear).plan)


@tier.examples(200)
@given(KINDS, LARGE, LARGE, st.integers(1, 64), st.integers(1, 2**14))
def test_convolutions(kind, positions, outputs, inputs, width):
    positions = max(1, min(positions, 2**31 // outputs))
    line = from_inside((Window(positions + width - 1, positions, width),), Window())
    x = image(Operand((0, line[0].size, 1), 0, 4))
    weight = image(Operand((inputs * width, width, 1), 0, 4))
    for first in range(0, inputs * width, MOST_TERMS):
        channels = Channels(1, 1, inputs, outputs)
        for profile in (PROFILES[kind], SHUFFLING):
            for epilogue, to in ((NO_EPILOGUE, float32), (Epilogue(int(OPCODES["GELU"])), float16)):
                dst = image(Operand((0, positions, 1), 0, to.itemsize))
                given = (x, weight, dst), (float32, float32, to), None, profile, first, epilogue
                check(plan_conv(channels, line, *given))


@tier.examples(200)
@given(KINDS, LARGE, LARGE, st.sampled_from([4, 8]))
def test_sorts_and_searches(kind, count, length, key_bytes):
    profile = PROFILES[kind]
    count = max(1, min(count, 2**29 // length))
    pitch = -(-length // 4) * 4
    layout = Layout((count, length))
    keys = Layout((count, length), (pitch, 1))
    check(plan_keys(layout.sizes, (seen(layout, 4), seen(keys, key_bytes)), float32.code, profile))
    check(plan_runs(count, length, pitch, key_bytes, profile))
    run = 16
    while run < length:
        check(plan_merge(count, length, pitch, run, key_bytes, profile))
        run *= 2
    chunked = dataclasses.replace(profile, sort_chunk=4096)
    chunks = chunks_of(count, length, chunked)
    for itemsize in (1, 2, 4, 8):
        rows = Rows(count, length, pitch, pitch)
        check(plan_count(rows, chunks, itemsize, float32.code, chunked))
        check(plan_move(rows, chunks, itemsize, float32.code, PLACE, False, chunked))
    of_search = ("TYPE", float32.code), ("RIGHT", 0), ("ORDERED", 1), ("ORDER_TYPE", float32.code)
    of_axis = ("INSIDE", 1), ("OUTSIDE", 1)
    for kernel, others, own in (("search", (4, 8), of_search), ("nonzero_axis", (), of_axis)):
        operands = (seen(layout, 4), seen(layout, 8))
        planned = plan_search(
            kernel, layout.sizes, operands, 8.0, profile, others=others, constants=own
        )
        check(planned)


@tier.examples(200)
@given(KINDS, large_layouts(), st.sampled_from([1, 2, 4, 8]))
def test_places(kind, layout, itemsize):
    profile = PROFILES[kind]
    found = plan_nonzero(layout.sizes, layout.strides, 0, itemsize, float32.code, 8, profile)
    check(found.counts)
    check(found.indexes)
    operands = (seen(layout, 8), seen(layout, itemsize), seen(layout, itemsize))
    check(plan_gather(layout.sizes, operands, int64.code, Step(1, 2**20), profile))
    check(plan_check(layout.sizes, layout.strides, 0, 8, int64.code, 2**20, profile))
    operands = (seen(layout, 4), *operands[1:])
    check(plan_scatter(layout.sizes, operands, (0,), 1, 0, True, profile))
    check(plan_claim(layout.numel, layout.offset, 4, profile))
    check(plan_pick(layout.numel, itemsize, profile))


PLANS = st.builds(
    make_plan, units=st.integers(1, 10**9), unit_rounds=st.integers(0, rounds.MOST)
).map(lambda plan: dataclasses.replace(plan, spec=(64, 8)))


@tier.examples(200)
@given(PLANS, st.integers(1, 65535), st.integers(rounds.LEAST, 2**20))
def test_as_many_units_as_a_limit_allows_stay_within_it(plan, groups, most):
    units = plan.most_units(most, groups)
    assert plan.rounds(units, groups) <= most
    assert plan.rounds(units + 1, groups) > most


def test_rounds_are_those_of_the_busiest_invocation():
    """By the shader's own arithmetic: stretches of units, and lanes side by side in each."""
    plan = dataclasses.replace(make_plan(unit_rounds=9), spec=(32, 8))
    for units, groups in ((1, 1), (100, 1), (1000, 3), (4096, 4)):
        strands = groups * 4
        stretch = -(-units // strands)
        turns = [len(range(lane, stretch, 8)) for lane in range(8)]
        assert plan.rounds(units, groups) == 4 + (max(turns) + 1) * 10


def cut_of(plan, profile):
    runtime = Runtime()
    queue = Queue(runtime, profile, lambda: None)
    queue.launch(plan, [operand(arena(), 0, 16, True)])
    queue.flush()
    commands = [one for ticket in runtime.ran for one in ticket.commands]
    dispatches = [one for one in commands if one.groups[0]]  # not what only compiles
    pushes = [np.frombuffer(one.push, np.uint32).tolist() for one in dispatches]
    return [(one.groups[0], *push[:2]) for one, push in zip(dispatches, pushes)]


@pytest.mark.usefixtures("no_modules")
@pytest.mark.parametrize("kind", PROFILES)
def test_work_is_cut_so_that_no_invocation_goes_too_many_rounds(kind):
    profile = dataclasses.replace(PROFILES[kind], groups_wanted=16)
    plan = make_plan(2_000_000, 0.001, unit_rounds=1000)
    cut = cut_of(plan, profile)
    assert len(cut) > 20
    assert [first for _, first, _ in cut] == [0, *[end for _, _, end in cut[:-1]]]
    assert cut[-1][2] == plan.units
    for groups, first, end in cut:
        assert plan.rounds(end - first, groups) <= profile.max_rounds
    assert len(cut_of(make_plan(2_000_000, 0.001, unit_rounds=1), profile)) == 1


@pytest.mark.usefixtures("no_modules")
def test_a_unit_that_takes_too_many_rounds_is_refused():
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    cut_of(make_plan(64, unit_rounds=32764), MINIMUM)
    with pytest.raises(
        DmlVkError, match=r"^launch: nothing_u32 has too many loop iterations .*rounds=32765"
    ):
        queue.launch(make_plan(64, unit_rounds=32765), [operand(arena(), 0, 16, True)])
    queue.flush()
    assert runtime.ran == []
