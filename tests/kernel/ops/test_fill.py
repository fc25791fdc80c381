"""Fills against NumPy and exact sequences: every type, any layout, bit for bit, nothing beside."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

import dml_vk
from dml_vk.errors import DTypeError, LayoutError
from dml_vk.kernels.plan.fill import plan_fill
from dml_vk.kernels.plan.indexed import plan_indexed
from dml_vk.kernels.registry import KERNELS
from dml_vk.layout import Layout, channels_last
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.sequence import fill_sequence
from dml_vk.testing import sequence
from dml_vk.testing.strategies import layouts
from tests import tier
from tests.kernel.memory import (
    KINDS,
    MARGIN,
    QUAD,
    assert_complete,
    bits,
    check_writes,
    telling,
    used_by,
)
from tests.layouts import AWKWARD
from tests.real_dtypes import DTYPES

packed = Layout.packed
NUMBERS = [dtype for dtype in DTYPES.values() if dtype.kind != "b"]
FLOATS = [dtype for dtype in NUMBERS if dtype.kind == "f"]
INTEGERS = [dtype for dtype in NUMBERS if dtype.kind in "iu"]
INF, NAN = math.inf, math.nan


def check_constant(layout: Layout, dtype, value) -> None:
    expected = bits(np.array(value).astype(dtype.name.rstrip("_")))
    check_writes(lambda x: fill_constant("fill", x, dtype, value), layout, dtype.itemsize, expected)


def check_sequence(layout: Layout, dtype, start, delta) -> None:
    expected = bits(sequence(start, delta, layout.numel, dtype)).reshape(layout.sizes)
    check_writes(
        lambda x: fill_sequence("fill", x, dtype, start, delta),
        layout,
        dtype.itemsize,
        expected,
    )


# One for every way that elements are written.
WAYS = {
    "flat": packed((4, 8, 16), offset=QUAD),
    "flat, from anywhere": packed((4, 8, 16)),
    "flat, of primes": packed((3, 5, 7), offset=QUAD),
    "flat, of primes, from anywhere": packed((3, 5, 7)),
    "NHWC": packed((2, 16, 3, 4), channels_last, QUAD),
    "NHWC, of primes": packed((2, 5, 3, 7), channels_last),
    "rows": packed((3, 144), offset=QUAD).narrow(1, 0, 132),
    "rows of odd sizes": packed((6, 80), offset=QUAD).narrow(1, 0, 71),
    "rows between words": packed((6, 83)).narrow(1, 2, 67),
    "pieces of 16 bytes": packed((6, 8), offset=QUAD).narrow(1, 4, 4),
    "pairs apart": packed((3, 5, 8)).narrow(2, 2, 4).narrow(1, 1, 3),
    "steps": packed((5, 90)).slice(1, 1, None, 3),
    "reversed": packed((5, 64)).flip((0, 1)),
    "transposed": packed((17, 33)).transpose(0, 1),
    "rank 8": packed((2,) * 8, (3, 1, 0, 2, 7, 4, 6, 5)),
    "rank 10 with gaps": Layout((2,) * 10, tuple(3**k for k in range(10))),
}
# Sequences of floats are long programs, and every way is one more: enough to use all of them.
FEW = ("flat", "NHWC, of primes", "rows between words", "steps", "transposed", "rank 10 with gaps")


def ways(dtype):
    """Of a sequence."""
    return [WAYS[name] for name in (FEW if dtype.kind == "f" else WAYS)]


def constant_plan(dtype, layout):
    at = layout.offset + MARGIN
    return plan_fill(layout.sizes, layout.strides, dtype.itemsize, at, dml_vk.device().profile)


def sequence_plan(dtype, layout):
    """None where there are none: other operations make these."""
    kind = dtype.name if dtype.kind == "f" else f"int{8 * dtype.itemsize}"
    form = layout.sizes, layout.strides, dtype.itemsize, layout.offset + MARGIN
    return plan_indexed("sequence", kind, *form, dml_vk.device().profile)


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
def test_constants_in_every_variant(dtype):
    for layout in telling(WAYS.values(), lambda layout: constant_plan(dtype, layout)):
        check_constant(layout, dtype, 1 if dtype.kind == "b" else 113)


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_sequences_in_every_variant(dtype):
    for layout in telling(ways(dtype), lambda layout: sequence_plan(dtype, layout)):
        check_sequence(layout, dtype, *((0.1, -0.3) if dtype.kind == "f" else (100, -7)))


# The source of a kernel that makes elements has no stride of 0: no two elements are the same.
NEVER = {
    (module, "STEPS", 0)
    for kernel in KERNELS.values()
    if kernel.name.startswith(("fill", "sequence"))
    for module in kernel.modules
}


def test_the_cases_cover_every_kernel_and_every_value_of_its_constants():
    plans = []
    for dtype in NUMBERS:
        plans += [constant_plan(dtype, layout) for layout in WAYS.values()]
        made = [sequence_plan(dtype, layout) for layout in ways(dtype)]
        plans += [plan for plan in made if plan]
    used = used_by(plans)
    for name in ("fill_words", "fill_packed", "sequence_words", "sequence_packed"):
        assert_complete(used, KERNELS[name], NEVER)


DISTINCT = [layout for layout in AWKWARD if not layout.overlaps]


@tier.parametrize("layout name", DISTINCT, ["bool_", "uint8", "int16", "float32", "uint64"])
def test_constants_in_awkward_layouts(layout, name):
    check_constant(layout, DTYPES[name], 1)


@tier.parametrize("layout name", DISTINCT, ["int8", "uint16", "int32", "int64"])
def test_sequences_in_awkward_layouts(layout, name):
    check_sequence(layout, DTYPES[name], 40, -9)


SIZES = st.lists(st.integers(1, 7) | st.just(1), max_size=6).map(tuple)
LONG = st.tuples(st.sampled_from([1, 2, 3]), st.integers(1, 40), st.integers(1, 40))


@tier.examples(150)
@given(st.data(), SIZES | LONG, st.sampled_from(NUMBERS), st.integers(0, 127))
def test_a_constant_in_any_layout(data, sizes, dtype, value):
    layout = data.draw(layouts(sizes=sizes))
    assume(not layout.overlaps)
    check_constant(layout, dtype, value)


@tier.examples(150)
@given(st.data(), SIZES | LONG, st.sampled_from(INTEGERS), st.integers(), st.integers())
def test_an_integer_sequence_in_any_layout(data, sizes, dtype, start, delta):
    layout = data.draw(layouts(sizes=sizes))
    assume(not layout.overlaps)
    check_sequence(layout, dtype, start, delta)


@tier.examples(100)
@given(st.sampled_from(FLOATS), st.floats(), st.floats())
def test_any_float_sequence(dtype, start, delta):
    expected = sequence(start, delta, 13, dtype)
    event(f"{'finite' if np.isfinite(expected).all() else 'not finite'}")
    check_sequence(packed((13,)), dtype, start, delta)


@pytest.mark.parametrize("rank", range(11))
def test_every_rank(rank):
    gaps = Layout((2,) * rank, tuple(3**k for k in range(rank)))
    lies = (packed((2,) * rank, tuple(range(rank))[::-1]), gaps)
    for layout, name in tier.crossed(
        lies, ("uint8", "uint32") if rank % 2 else ("uint32", "uint8")
    ):
        check_constant(layout, DTYPES[name], 77)
        check_sequence(layout, DTYPES[name], 5, 3)


SPECIAL = [0.0, -0.0, 1.0, INF, -INF, NAN, -NAN, 0.1, 2049.0, 2051.0, 65519.0, 65520.0, 1e39, -1e39]
SPECIAL += [2.0**-24, 2.0**-25, 3 * 2.0**-26, 2.0**-149, 2.0**-150, 5e-324, 1 + 2.0**-24, 1e308]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_special_floats(dtype):
    with np.errstate(over="ignore"):
        for value in SPECIAL:
            check_constant(packed((7,)), dtype, value)
        # The payload of a NaN of the same type is kept.
        payload = (bits(np.array(INF, dtype.name)) + KINDS[dtype.itemsize](5)).view(dtype.name)
        assert np.isnan(payload)
        check_constant(packed((7,)), dtype, payload[()])


# (start, delta): nothing special, ties, cancelling, into subnormals and through them, into
# infinity, infinite, not a number, signs of zero, steps far below or above the start.
TERMS = [
    *((0.1, 0.1), (1 / 3, -1 / 7), (2048.0, 1.0), (2.0**24, 1.0), (2.0**53, 1.0), (1.0, 2.0**-53)),
    *((7.0, -1.0), (0.7, -0.1), (2.0**-24, -(2.0**-26)), (2.0**-126, -(2.0**-129))),
    *((5e-324, 5e-324), (2.0**-1022, -5e-324), (65000.0, 100.0), (3.4e38, 1e36), (1.7e308, 1e307)),
    *((INF, 1.0), (-INF, 1.0), (INF, -INF), (1.0, INF), (0.0, -INF), (NAN, 0.0), (0.0, NAN)),
    *((-0.0, -0.0), (-0.0, 0.0), (0.0, -0.0), (1e300, 5e-324), (5e-324, -1e300), (1e16, 1e-16)),
]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_special_float_sequences(dtype):
    for start, delta in TERMS:
        check_sequence(packed((13,)), dtype, start, delta)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_integers_at_their_limits_wrap(dtype):
    limits = np.iinfo(dtype.name)
    for value in (limits.min, limits.max):
        check_constant(packed((7,)), dtype, value)
    for start, delta in ((limits.max, 1), (limits.min, -1), (limits.max, limits.max), (0, 2**63)):
        check_sequence(packed((13,)), dtype, start, delta)
    check_sequence(packed((13,)), dtype, 10**30 + 7, -(10**25) - 3)


def test_large_fills_take_several_groups_and_all_their_elements():
    sizes = (3, 67, 101, 37)
    index = np.arange(np.prod(sizes), dtype=np.int64).reshape(sizes)
    for layout in (packed(sizes), packed(sizes, channels_last), packed(sizes, (3, 1, 0, 2))):
        for name in ("uint8", "int32", "uint64"):
            dtype = DTYPES[name]
            check_constant(layout, dtype, 99)
            expected = bits((5 + index * 3).astype(name))
            fill = partial(fill_sequence, "fill", dtype=dtype, start=5, delta=3)
            check_writes(lambda x, f=fill: f(x), layout, dtype.itemsize, expected)
    for dtype in FLOATS:
        # In float64 these are exact, so that the only rounding is the last.
        with np.errstate(over="ignore"):
            expected = bits((0.5 - index * 0.375).astype(dtype.name))
        fill = partial(fill_sequence, "fill", dtype=dtype, start=0.5, delta=-0.375)
        check_writes(lambda x, f=fill: f(x), packed(sizes), dtype.itemsize, expected)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 7, 31, 127, 1009, 65537])
def test_sizes_of_nothing_one_and_primes(n):
    for name in ("uint8", "uint16", "int32", "uint64"):
        check_constant(packed((n,)), DTYPES[name], 3)
        check_sequence(packed((n,)), DTYPES[name], 3, 11)


WRONG = ["1.5", b"1", None, 1j, np.complex64(1), [1.0], np.ones(1), object(), np.datetime64(5, "s")]


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
def test_values_that_are_no_numbers_of_the_type_are_refused(dtype):
    x = dml_vk.full((3,), 1, dtype)
    wrong = WRONG + ([10**400] if dtype.kind != "b" else [])
    if dtype.kind in "iu":
        limits = np.iinfo(dtype.name)
        wrong += [limits.min - 1, limits.max + 1, 1.0, NAN]
    for value in wrong:
        with pytest.raises(
            DTypeError, match=r"fill: value must be an? (number|integer) that .* can"
        ):
            fill_constant("fill", x, dtype, value)
    if dtype.kind == "b":
        with pytest.raises(DTypeError, match="fill: dtype must be numeric"):
            fill_sequence("fill", x, dtype, 0, 1)
    else:
        for value in [*WRONG, 1.5 if dtype.kind in "iu" else 10**400]:
            with pytest.raises(DTypeError, match=r"fill: start must be an? (number|integer)"):
                fill_sequence("fill", x, dtype, value, 1)
            with pytest.raises(DTypeError, match=r"fill: delta must be an? (number|integer)"):
                fill_sequence("fill", x, dtype, 1, value)
    assert x.tolist() == [1, 1, 1]


def test_elements_that_share_an_address_are_refused():
    x = dml_vk.asarray(np.arange(12, dtype=np.int32))
    for layout in (Layout((3, 4), (1, 1)), Layout((3, 4), (0, 1))):
        view = x.over(layout)
        with pytest.raises(LayoutError, match="fill: target has overlapping elements"):
            fill_constant("fill", view, x.dtype, 1)
        with pytest.raises(LayoutError, match="fill: target has overlapping elements"):
            fill_sequence("fill", view, x.dtype, 0, 1)
    assert x.tolist() == list(range(12))
