"""Every elementwise operator of the table: in each dtype that it takes, by each path, any layouts.

Not each by each, for each pipeline takes a driver a moment: of dtypes that a kernel computes alike
an operator takes one, with --all each. Each dtype of an operator goes one way, with --all one that
differs from its neighbours', and an operator of each kernel as many as add to what the kernels'
constants have been told. DML_VK_EVERY_WAY=1 has each go each way.
"""

from __future__ import annotations

import functools
import os
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.dtypes import bool_, complex64, complex128, to_dtype, uint8, uint32
from dml_vk.kernels.elementwise import COMPUTED
from dml_vk.kernels.kernel import COMPUTED_RANK
from dml_vk.kernels.operators import OPERATORS
from dml_vk.kernels.plan.elementwise import plan_computed
from dml_vk.layout import Layout, channels_last
from dml_vk.ops import elementwise as operation
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.kernel.elementwise import (
    all_variant_values,
    check,
    hard_values,
    run,
    source_of,
    variant_values,
)
from tests.kernel.memory import (
    MARGIN,
    moved,
)
from tests.real_dtypes import DTYPES

packed = Layout.packed
IMAGE, PRIME = (2, 16, 8, 12), (3, 5, 7, 11)
RANK_6, RANK_8, RANK_10 = (2, 3, 2, 2, 4, 9), (2, 3, 2, 2, 2, 3, 2, 2), (2,) * 10
ORDERS_10 = [(9, 7, 5, 3, 1, 0, 2, 4, 6, 8), (3, 1, 0, 9, 8, 2, 7, 4, 6, 5)]
SAME, NHWC = packed(IMAGE), packed(IMAGE, channels_last)
PADDED = packed((2, 16, 8, 20)).narrow(3, 3, 12)
# Where three sources and the result lie.
WAYS = {
    "flat": (SAME, SAME, SAME, SAME),
    "flat in another order": (NHWC, NHWC, NHWC, NHWC),
    "flat, of primes": (packed((1155,)),) * 4,
    "orders mixed": (SAME, NHWC, SAME, NHWC),
    "orders mixed, of primes": (
        *(packed(PRIME, channels_last), packed(PRIME), packed(PRIME)),
        packed(PRIME),
    ),
    "from NHWC": (NHWC, NHWC, NHWC, SAME),
    "from steps across": (
        *(packed((2, 8, 12, 32)).slice(3, 1, None, 2).permute(0, 3, 1, 2), SAME, NHWC),
        SAME,
    ),
    "channels": (SAME, packed((16, 1, 1)).expand(2, 16, 8, 12), packed(()).expand(*IMAGE), SAME),
    "columns": (packed((12,)).expand(*IMAGE), SAME, packed((8, 1)).expand(*IMAGE), SAME),
    "rows": (PADDED, SAME, PADDED, packed((2, 16, 8, 16)).narrow(3, 0, 12)),
    "long rows": (
        *(packed((3, 144)).narrow(1, 0, 132), packed((3, 1)).expand(3, 132), packed((3, 132))),
        packed((3, 160)).narrow(1, 0, 132),
    ),
    "long rows of values": (packed((3, 1)).expand(3, 131),) * 3 + (packed((3, 131)),),
    "rows between words": (
        *(packed((6, 17)).narrow(1, 2, 13), packed((6, 13)), packed((6, 1)).expand(6, 13)),
        packed((6, 19)).narrow(1, 3, 13),
    ),
    "reversed": (packed((5, 9)).flip(1), packed((5, 9)).flip((0, 1)), *(packed((5, 9)),) * 2),
    "into reversed": (*(packed((5, 9)),) * 3, packed((5, 9)).flip((0, 1))),
    "windows": (
        *(packed((40,)).unfold(0, 8, 3), packed((11, 8), "WH"), packed((8,)).expand(11, 8)),
        packed((11, 8)),
    ),
    "into steps": (*(packed((5, 10)),) * 3, packed((5, 30)).slice(1, 1, None, 3)),
    "into a diagonal": (*(packed((9,)),) * 3, packed((9, 9)).diagonal()),
    "rank 8": (
        *(
            packed(RANK_8, (3, 1, 0, 2, 7, 4, 6, 5)),
            packed(RANK_8),
            packed(RANK_8, range(7, -1, -1)),
        ),
        packed(RANK_8),
    ),
    "rank 6, orders mixed": (
        *(packed(RANK_6, (2, 0, 3, 1, 5, 4)), packed(RANK_6, (1, 3, 0, 2, 4, 5)), packed(RANK_6)),
        packed(RANK_6),
    ),
    "rank 10 with gaps": (
        *(packed(RANK_10, ORDERS_10[0]), packed(RANK_10, ORDERS_10[1]), packed(RANK_10)),
        Layout(RANK_10, tuple(3**k for k in range(10))),
    ),
    "dims of size 1": (
        *(
            packed((1, 5, 1, 1), channels_last),
            packed((1, 5, 1, 1)),
            Layout((1, 5, 1, 1), (0, 1, 0, 9)),
        ),
        packed((1, 5, 1, 1), channels_last),
    ),
    "one element": (packed(()),) * 4,
    "none": (
        packed((0, 5)),
        packed((0, 1)).expand(0, 5),
        packed((5,)).expand(0, 5),
        packed((0, 5)),
    ),
}
# Where elements of any size are at a multiple of 16 bytes, and where none is but bytes.
PLACES = (16 - MARGIN, 17 - MARGIN)
GOING = [(way, place, turn) for turn in range(3) for way in WAYS for place in PLACES]
EVERY_WAY = "DML_VK_EVERY_WAY" in os.environ
PARAMETERS = {
    "clip": [{"min": 2, "max": 20}],
    "clip_grad": [{"min": 2, "max": 20}],
    "elu": [{}, {"alpha": 1.5}],
    "celu": [{}, {"alpha": 1.75}],
    "leaky_relu": [{}, {"alpha": 0.3}],
    "thresholded_relu": [{}, {"alpha": 1.25}],
    "linear": [{}, {"alpha": -1.3, "beta": 0.7}],
    "shrink": [{}, {"bias": 0.3, "threshold": 0.7}],
    "hard_swish": [{}, {"alpha": 0.3, "beta": 0.4}],
    "swish": [{}, {"sigmoid_input_scale": 1.7}],
    "softplus": [{}, {"steepness": 2.5}],
    "parametric_softplus": [{}, {"alpha": 0.7, "beta": 1.3}],
    "scaled_tanh": [{}, {"alpha": 1.7, "beta": 0.7}],
}
# Kernels compute numbers of up to 32 bits as such of 32, so that operators take these types by
# turns: of bytes, whose pairs are all tried, of longer ones, of 64 bits, and of floats one each.
ALIKE = (
    *(("int8", "uint8"), ("int32", "uint32", "int16", "uint16")),
    *(("int64", "uint64"), ("float32", "float16")),
)


def chosen_cases() -> list[tuple[str, object]]:
    """Operators, and all dtypes that they take or, of those that are alike, one in turn."""
    chosen = []
    for number, (name, operator) in enumerate(OPERATORS.items()):
        if name in ("cast", "whole_power"):
            continue
        taken = [dtype for dtype in DTYPES.values() if operator.takes(dtype)]
        others = set()
        for names in ALIKE if name != "where" else ():
            alike = [dtype.name for dtype in taken if dtype.name in names]
            others |= {each for k, each in enumerate(alike) if k != number % len(alike)}
        if not (tier.is_all() or EVERY_WAY):
            tier.leave_out(len(others))
            taken = [dtype for dtype in taken if dtype.name not in others]
        chosen += [(name, dtype) for dtype in taken]
    return chosen


CASES = chosen_cases()


def check_variant(name, going, dtypes, result) -> None:
    """Sources of these dtypes lie as those of the way, from one of them on."""
    way, place, turn = going
    *lie, to = WAYS[way]
    lie = (lie + lie)[turn : turn + OPERATORS[name].arity]
    sources = [
        source_of(dtype, moved(layout, place), seed=seed)
        for seed, (layout, dtype) in enumerate(zip(lie, dtypes))
    ]
    for parameters in PARAMETERS.get(name, [{}]):
        check(name, sources, moved(to, place), result, **parameters)


def whole_domain(dtype, arity) -> list[np.ndarray] | None:
    """All that operands can be, or all pairs of hard floats; None where there is too much."""
    bits = 8 * dtype.itemsize
    if dtype.kind != "b" and bits * arity <= 16:
        ones = np.arange(2**bits, dtype=f"uint{bits}").view(dtype.numpy_name)
    elif dtype.kind == "f" and arity == 2:
        ones = hard_values(dtype)
    else:
        return None
    return [np.tile(ones, ones.size), np.repeat(ones, ones.size)] if arity == 2 else [ones]


@pytest.mark.parametrize(
    ("number", "name", "dtype"),
    [
        pytest.param(n, name, dtype, id=f"{name}-{dtype.name}")
        for n, (name, dtype) in enumerate(CASES)
    ],
)
def test_every_operator_in_every_dtype_it_takes(number, name, dtype):
    operator = OPERATORS[name]
    result = DTYPES[operator.result or dtype.name]
    values = whole_domain(dtype, operator.arity)
    if values is not None:
        flat = packed(values[0].shape)
        sources = [source_of(dtype, moved(flat, PLACES[0]), value) for value in values]
        for parameters in PARAMETERS.get(name, [{}]):
            check(name, sources, moved(flat, PLACES[0]), result, **parameters)
    if values is None or EVERY_WAY:
        dtypes = [bool_] * (name == "where") + [dtype] * operator.arity
        for going in goings(number, dtype):
            check_variant(name, going, dtypes, result)


def goings(number, dtype):
    """The ways of a case. Floats that are flat share their kernels with tests of accuracy."""
    if EVERY_WAY:
        return GOING
    if dtype.kind == "f" and not tier.is_all():
        return [("flat, of primes", PLACES[0], 0)]
    return [GOING[number * 7 % len(GOING)]]


PAIRS, WIDE = complex64, complex128
BYTES, HALVES, SINGLES = DTYPES["int8"], DTYPES["float16"], DTYPES["float32"]
SHORTS, INTS, LONGS, DOUBLES = (DTYPES[name] for name in ("uint16", "int32", "int64", "float64"))
_DOUBLES = [((DOUBLES, DOUBLES), DOUBLES), ((SINGLES, DOUBLES), DOUBLES)]
# For each kernel: an operator whose operands cannot be exchanged, and (dtypes of sources, result).
_FLOATS = [((SINGLES, SINGLES), SINGLES), ((HALVES, HALVES), HALVES), ((HALVES, SINGLES), SINGLES)]
BY_KERNEL = {
    "float_arithmetic": ("subtract", _FLOATS),
    "float_activation": ("parameterized_relu", _FLOATS),
    "float_compare": (
        "less",
        [(_FLOATS[0][0], bool_), (_FLOATS[1][0], bool_), (_FLOATS[2][0], uint32)],
    ),
    "float_exp": ("expm1", _FLOATS[:2]),
    "float_log": ("logaddexp", _FLOATS[:2]),
    "float_trig": ("sin", _FLOATS[:2]),
    "float_arc": ("atan2", _FLOATS[:2]),
    "float_erf": ("erf", _FLOATS[:2]),
    "float_pow": ("pow", _FLOATS[:2]),
    "int_arithmetic": (
        "subtract",
        [
            *(((BYTES, BYTES), BYTES), ((BYTES, uint8), DTYPES["int16"])),
            *(((SHORTS, BYTES), INTS), ((INTS, INTS), INTS)),
        ],
    ),
    "int_compare": (
        "less",
        [((SHORTS, INTS), bool_), ((BYTES, BYTES), bool_), ((INTS, INTS), uint32)],
    ),
    "long_arithmetic": ("subtract", [((LONGS, LONGS), LONGS), ((uint32, BYTES), LONGS)]),
    "long_compare": ("less", [((LONGS, LONGS), bool_), ((uint32, INTS), uint32)]),
    "double_arithmetic": ("subtract", _DOUBLES),
    "double_exp": ("expm1", _DOUBLES[:1]),
    "double_log": ("logaddexp", _DOUBLES),
    "double_trig": ("sin", _DOUBLES[:1]),
    "double_arc": ("atan2", _DOUBLES),
    "double_erf": ("erf", _DOUBLES[:1]),
    "double_pow": ("pow", _DOUBLES),
    "double_activation": ("parameterized_relu", _DOUBLES),
    "double_special": ("xlogy", [*_DOUBLES, *_FLOATS[:2]]),
    "double_compare": ("less", [((DOUBLES, DOUBLES), bool_), ((HALVES, DOUBLES), uint32)]),
    "complex_arithmetic": ("subtract", [((PAIRS, PAIRS), PAIRS), ((SINGLES, PAIRS), PAIRS)]),
    "complex_compare": ("not_equal", [((PAIRS, PAIRS), bool_), ((HALVES, PAIRS), uint32)]),
    "double_complex_arithmetic": (
        "subtract",
        [((WIDE, WIDE), WIDE), ((DOUBLES, WIDE), WIDE), ((WIDE, PAIRS), WIDE)],
    ),
    "double_complex_compare": ("not_equal", [((WIDE, WIDE), bool_), ((DOUBLES, WIDE), uint32)]),
    "cast": (
        "cast",
        [
            *(((SINGLES,), BYTES), ((BYTES,), HALVES), ((HALVES,), SINGLES)),
            *(((DOUBLES,), INTS), ((INTS,), DOUBLES)),
        ],
    ),
    "where": (
        "where",
        [
            *(((bool_, BYTES, BYTES), BYTES), ((bool_, HALVES, HALVES), HALVES)),
            *(((INTS, SINGLES, SINGLES), SINGLES), ((bool_, LONGS, BYTES), LONGS)),
            ((bool_, WIDE, DOUBLES), WIDE),
        ],
    ),
}
# Complex functions, which tests/kernel/complex tests, are read and written as other kernels are.
FUNCTIONS = {f"complex_{name}" for name in ("exp", "log", "trig", "arc", "pow", "size")}
assert BY_KERNEL.keys() == COMPUTED.keys() - FUNCTIONS


class PlannedError(Exception):
    """The first plan is known, and nothing has run."""


@functools.cache
def told_first(name, going, dtypes, result) -> set:
    """What the first plan of a case of `check_variant` uses."""
    way, place, turn = going
    *lie, to = WAYS[way]
    lie = (lie + lie)[turn : turn + OPERATORS[name].arity]
    *sources, target = [
        dml_vk.empty(layout.offset + layout.span, dtype=dtype).over(layout)
        for layout, dtype in zip(
            [moved(layout, place + MARGIN) for layout in (*lie, to)], (*dtypes, result)
        )
    ]
    common = np.result_type(*[dtype.numpy_name for dtype in dtypes[name == "where" :]])

    def planned(*asked, **more):
        raise PlannedError(variant_values(plan_computed(*asked, **more)))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(operation, "plan_computed", planned)
        try:
            run(name, sources, target, result if name == "cast" else to_dtype(name, common))
        except PlannedError as error:
            return error.args[0]
    return {f"{name} of no elements"}


@pytest.mark.parametrize("sources", COMPUTED_RANK)
def test_the_cases_cover_every_kernel_and_variant_that_a_cpu_plans(sources, monkeypatch):
    """Kernels of as many sources have all but the arithmetic in common."""
    used = set()

    def planned(*asked, **more):
        plan = plan_computed(*asked, **more)
        used.update(variant_values(plan))
        return plan

    monkeypatch.setattr(operation, "plan_computed", planned)
    wanted = set()
    for kernel in [name for name in BY_KERNEL if COMPUTED[name].sources == sources]:
        wanted |= all_variant_values(kernel)
        name, cases = BY_KERNEL[kernel]
        # Those that add the most come first: then fewer kernels are made.
        for least, (dtypes, result), going in product((9, 5, 3, 1), cases, GOING):
            if not EVERY_WAY and wanted <= used:
                break
            # Most cases add nothing, and making operands of them would take most of the time.
            told = told_first(name, going, dtypes, result)
            if EVERY_WAY or len(told - used) >= least:
                check_variant(name, going, dtypes, result)
                used |= told
    missing = wanted - used
    assert not missing


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        *(("subtract", dtype) for dtype in ("int8", "uint16", "int32", "int64", "float16")),
        *(("less", dtype) for dtype in ("int16", "uint64", "float32", "float64")),
    ],
)
def test_a_number_is_either_operand(name, dtype):
    dtype, layout = DTYPES[dtype], packed((5, 7))
    result = bool_ if name == "less" else dtype
    for number in (3, -3 if dtype.kind != "u" else 9):
        x = source_of(dtype, layout)
        check(name, [x, number], layout, result)
        check(name, [number, x], layout, result)


@pytest.mark.parametrize("name", ["pow", "atan2", "logaddexp", "hypot", "parameterized_relu"])
def test_a_number_is_either_operand_of_a_function(name):
    layout = packed((5, 7))
    x = source_of(SINGLES, layout)
    check(name, [x, 0.3], layout, SINGLES)
    check(name, [0.3, x], layout, SINGLES)


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "int64"])
def test_where_chooses_among_tensors_and_numbers(dtype):
    dtype, layout = DTYPES[dtype], packed((5, 7))
    condition, x = source_of(bool_, layout), source_of(dtype, layout)
    check("where", [condition, x, 3], layout, dtype)
    check("where", [condition, 3, x], layout, dtype)


SIZES = st.lists(st.integers(1, 7) | st.just(1), max_size=6).map(tuple)
LONG = st.tuples(st.sampled_from([1, 2, 3]), st.integers(1, 40), st.integers(1, 40))


@tier.examples(30)
@given(st.data(), SIZES | LONG, st.sampled_from([INTS, SHORTS, BYTES]))
def test_any_layouts(data, sizes, dtype):
    sources = [source_of(dtype, data.draw(layouts(sizes=sizes)), seed=seed) for seed in range(2)]
    check("subtract", sources, data.draw(targets(sizes=sizes)), dtype)


@pytest.mark.parametrize("sizes", [((5, 1, 7), (3, 1)), ((), (2, 3)), ((1,), (0, 4))])
def test_sources_are_broadcast(sizes):
    sources = [source_of(SINGLES, packed(one), seed=seed) for seed, one in enumerate(sizes)]
    check("subtract", sources, packed(np.broadcast_shapes(*sizes)), SINGLES)
