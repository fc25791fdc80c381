"""Chains of elementwise operations in one kernel, beside the same in kernels of their own."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.dtypes import (
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int32,
    int64,
    uint8,
    uint16,
)
from dml_vk.errors import DTypeError
from dml_vk.kernels.plan.fused import plan_fused
from dml_vk.layout import Layout, channels_last
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.kernel.chains import WIDE, check, found, launched, run, written_to
from tests.kernel.elementwise import source_of
from tests.kernel.long_loops import hard
from tests.kernel.memory import QUAD, aligned, bits, moved
from tests.kernel.profiled import profiled
from tests.kernel.rounds import counting_queue

DTYPES = [bool_, int8, uint8, uint16, int32, int64, float16, float32, float64]
SIZES = [(), (1,), (7,), (64,), (97,), (3, 4), (5, 12), (2, 3, 8), (2, 8, 3, 4), (3, 1, 5, 20)]
STEPS = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
    "maximum": dml_vk.maximum,
    "less": lambda x, y: x < y,
    "equal": lambda x, y: x == y,
    "where": lambda x, y: dml_vk.where(x, y, 3),
    "where not": lambda x, y: dml_vk.where(y, 1, x),
    "negative": lambda x, y: -x,
    "absolute": lambda x, y: abs(x),
    "plus a number": lambda x, y: x + 3,
    "a number less": lambda x, y: 2 - x,
    "clip": lambda x, y: dml_vk.clip(x, 1, 20),
    "not": lambda x, y: dml_vk.logical_not(x),
    "sqrt": lambda x, y: dml_vk.sqrt(x),
    "sin": lambda x, y: dml_vk.sin(x),
    "copy": lambda x, y: x.copy(),
    "full": lambda x, y: dml_vk.full(x.shape, 3, dtype=x.dtype),
    **{dtype.name: lambda x, y, to=dtype: dml_vk.astype(x, to, copy=True) for dtype in DTYPES},
}


def applied(step, x, y):
    """The step, or what takes all dtypes."""
    try:
        return STEPS[step](x, y)
    except DTypeError:
        return x == y


packed = Layout.packed
IMAGE = (2, 16, 6, 4)


def image(channels, memory_format=channels_last):
    return packed((2, channels, 6, 4), memory_format)


def per_channel(channels):
    return packed((channels, 1, 1)).expand(2, channels, 6, 4)


# Where two operands and the result lie, and whether steps go across rows.
WAYS = {
    "flat": ((packed(IMAGE),) * 3, False),
    "flat, of primes": ((packed((97,)),) * 3, False),
    "channels of NHWC": ((image(16), per_channel(16), image(16)), True),
    "channels that are no quads": ((image(6), per_channel(6), image(6)), True),
    "three channels": ((image(3), per_channel(3), image(3)), True),
    "five channels": ((image(5), per_channel(5), image(5)), False),
    "channels of NCHW": ((packed(IMAGE), per_channel(16), packed(IMAGE)), False),
    "channels of few pixels": (
        (packed((3, 16)), packed((16,)).expand(3, 16), packed((3, 16))),
        False,
    ),
    "channels with gaps": (
        (
            packed((9, 20)).narrow(1, 4, 12),
            packed((12,)).expand(9, 12),
            packed((9, 24)).narrow(1, 8, 12),
        ),
        True,
    ),
    "long rows of channels": (
        (packed((75, 8)), packed((8,)).expand(75, 8), packed((75, 8))),
        True,
    ),
    "orders mixed": ((packed(IMAGE), image(16), image(16)), False),
    "rows with gaps": (
        (packed((5, 40)).narrow(1, 3, 36), packed((36, 5)).permute(1, 0), packed((5, 36))),
        0,
    ),
    "into gaps": ((packed((5, 36)), packed((5, 36)), packed((5, 40)).narrow(1, 4, 36)), False),
    "into steps": ((packed((5, 9)), packed((5, 9)), packed((5, 27)).slice(1, 1, None, 3)), False),
    "reversed": ((packed((5, 36)).flip(1), packed((5, 36)).flip((0, 1)), packed((5, 36))), False),
    "into reversed": ((packed((5, 36)), packed((5, 36)), packed((5, 36)).flip((0, 1))), False),
    "many dims": (
        (packed((2, 3, 2, 3, 2, 3), (5, 0, 3, 1, 4, 2)),) * 2 + (packed((2, 3, 2, 3, 2, 3)),),
        False,
    ),
    "one element": ((packed((1, 1)),) * 3, False),
}


def steps_of(x, y):
    """A chain with two results: a number of each kernel, a scalar, and one that takes loops."""
    z = (x - y) * y + 3
    return [z / y, dml_vk.clip(z, 1, 20)]


@tier.parametrize("way case", WAYS, list(itertools.product(WIDE, (float32, float16))))
def test_layouts(way, case, tmp_path):
    (*lie, to), across = WAYS[way]
    kind, dtype = case
    x, y = [source_of(dtype, moved(at, QUAD), seed=k)[0] for k, at in enumerate(lie)]
    with launched() as launches:
        results = steps_of(x, y)
    one = found(launches)
    with profiled(dml_vk.device(), WIDE[kind]):
        plan = check(one, results, [moved(to, QUAD)] * 2, tmp_path / "module.spv")
    # Neighbours write no parts of words.
    is_apart = kind != "CPU" and (dtype is float32 or way not in ("into steps", "one element"))
    assert (plan.recipe.quads > 0) == is_apart
    assert any(at.across for at in plan.recipe.patterns) == (across and not is_apart)


@tier.parametrize(
    "size dtype", [1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 4097], [uint8, float32]
)
def test_ends_of_units_of_several_steps(size, dtype, tmp_path):
    """One row, and rows of broadcast and reversed operands, all in units of the same steps."""
    for sizes in ((size,), (3, size)):
        at, row = Layout.packed(sizes), packed(sizes[-1:]).expand(*sizes)
        for other in (row, row.flip(len(sizes) - 1)):
            x, y = [source_of(dtype, one, seed=k)[0] for k, one in enumerate((at, other))]
            with launched() as launches:
                results = [dml_vk.clip((x - y) * y + 3, 1, 20)]
            with profiled(dml_vk.device(), WIDE["GPU apart"]):
                plan = check(found(launches), results, [at], tmp_path / "module.spv")
            assert plan.units * max(1, plan.recipe.quads) * plan.recipe.quad <= x.layout.numel + 64


def test_results_of_all_sizes_together(tmp_path):
    at = aligned(3, 64)
    x, y = [source_of(float32, at, seed=k)[0] for k in range(2)]
    with launched() as launches:
        results = [x < y, (x + y).to(float16), (x * y).to(int64)]
    plan = check(found(launches), results, [at] * 3, tmp_path / "module.spv")
    assert [pattern.itemsize for pattern in plan.recipe.patterns] == [4, 4, 1, 2, 8]


@pytest.mark.parametrize("dtype", [float32, float16, uint8, float64], ids=str)
def test_results_take_the_place_of_what_is_read(dtype):
    x, y = [source_of(dtype, aligned(5, 64), seed=k)[0] for k in range(2)]
    with launched() as launches:
        first, second = x + y, (x + y) * x - y
    one = found(launches)
    plan = run(one, [(one.value(first), y), (one.value(second), x)])
    assert plan is not None
    assert np.array_equal(bits(y.numpy()), bits(first.numpy()))
    assert np.array_equal(bits(x.numpy()), bits(second.numpy()))


@tier.parametrize("dtype offset", [uint8, float64], [0, 1])
def test_copies_and_what_stands_still(dtype, offset, tmp_path):
    """At quads, and at elements between them."""
    x = source_of(dtype, moved(aligned(4, 16), offset))[0]
    scale = source_of(dtype, aligned(4, 1).expand(4, 16))[0]
    with launched() as launches:
        y = x.copy()
        results = [y * scale + y, dml_vk.abs(scale) + x]
    check(found(launches), results, [aligned(4, 16)] * 2, tmp_path / "module.spv")


@tier.parametrize("dtype has_gaps", [complex64, complex128], [False, True])
def test_complex_numbers(dtype, has_gaps, tmp_path):
    """In rows, with gaps and across, where some stand still."""
    at = aligned(5, 12)
    gaps = moved(packed((5, 40)).narrow(1, 3, 36).slice(1, 0, None, 3), QUAD)
    lie = (gaps, aligned(5, 1).expand(5, 12), gaps) if has_gaps else (at, at, at)
    x, y = [source_of(dtype, one, seed=k)[0] for k, one in enumerate(lie[:2])]
    with launched() as launches:
        product = x * y
        chosen = dml_vk.where(product == y, product, x)
        results = [chosen / y, abs(product), product == y]
    check(found(launches), results, [lie[2], at, at], tmp_path / "module.spv")


def test_complex_numbers_across_rows(tmp_path):
    pixels = aligned(40, 6)
    x, y = [source_of(complex128, one)[0] for one in (pixels, aligned(1, 6).expand(40, 6))]
    with launched() as launches:
        z = x * y * y
    with profiled(dml_vk.device(), WIDE["CPU"]):
        plan = check(found(launches), [z], [pixels], tmp_path / "module.spv")
    assert plan.recipe.patterns[0].across


@tier.parametrize("often dtype", [0, 0.01, 1], [float32, float16])
def test_rare_values_of_functions_with_a_slow_branch(often, dtype, tmp_path):
    """Alone and together, at quads and along channels; angles that stand still too."""
    rng = np.random.default_rng(7)
    for at, still in ((aligned(9, 64), aligned(9, 1)), (image(6), per_channel(6))):
        x, y = [source_of(dtype, one, seed=k)[0] for k, one in enumerate((at, still))]
        angles = rng.standard_normal(x.shape) * np.where(rng.random(x.shape) < often, 5e4, 1)
        x[...] = dml_vk.asarray(angles.astype(np.float32))
        with launched() as launches:
            sine = dml_vk.sin(x)
            results = [dml_vk.cos(sine + x) * dml_vk.tan(y.expand(*x.shape)), dml_vk.tan(x)]
        to = Layout.packed(tuple(x.shape), channels_last if x.ndim == 4 else None)
        check(found(launches), results, [to] * 2, tmp_path / "module.spv")


KNOWN = {
    "less": lambda x, y: x < x,
    "not equal": lambda x, y: dml_vk.isnan(y) & ~dml_vk.isnan(y),
    "exclusive or": lambda x, y: x ^ x,
    "difference": lambda x, y: x - x,
    "difference of copies": lambda x, y: (x + y.shape[0]).astype("int64") - (x + y.shape[0]),
    "chosen": lambda x, y: dml_vk.where(x == x, x - x, x),
}


@pytest.mark.parametrize("name", KNOWN)
def test_what_a_driver_could_know_is_multiplied_and_added_as_anything_else(name):
    """A product of 0 and a negative number is -0.0, and of 0 and infinity NaN."""
    numbers = [-3.0, float("inf"), -0.0, 2.0] * 16

    @dml_vk.compile
    def function(x, y):
        known = KNOWN[name](x, y)
        return known * y, known.astype("float32") + y, y - known.astype("float64"), known / y

    for dtype in ("float32", "float64"):
        x, y = dml_vk.arange(64, dtype="int32"), dml_vk.asarray(numbers, dtype=dtype)
        found = [one.numpy() for one in function(x, y)]
        zero, y = np.zeros(64), np.array(numbers, dtype)
        with np.errstate(all="ignore"):
            expected = [zero * y, zero + y, y - zero, zero / y]
        for one, other in zip(found, expected):
            other = other.astype(one.dtype)
            assert np.array_equal(one, other, equal_nan=True)
            there = ~np.isnan(other)
            assert np.array_equal(np.signbit(one)[there], np.signbit(other)[there])
    assert "fused" in function.explain()


def test_no_elements():
    x = dml_vk.zeros((4, 3), float32)
    with launched() as launches:
        y = x * 2 + x
    chain = written_to(found(launches).chain, [(2, y)])
    none = chain._replace(sizes=(4, 0))
    plan = plan_fused(none, dml_vk.device().profile)
    assert plan is not None
    assert plan.units == 0


def test_the_log_names_it(caplog):
    x = dml_vk.ones((64,), float32)
    with launched() as launches:
        y = x * 2 + x
    one = found(launches)
    with caplog.at_level("DEBUG", "dml_vk"):
        dml_vk.synchronize()
        run(one, [(one.value(y), dml_vk.empty_like(y))])
        dml_vk.synchronize()
    (logged,) = [record.dispatch for record in caplog.records if hasattr(record, "dispatch")]
    assert (logged.asked.kernel, logged.asked.sizes) == ("fused", (64,))
    assert any("kernel=fused" in record.getMessage() for record in caplog.records)


LOOPS = {
    "angles": (float32, lambda x, y: dml_vk.sin(x) + dml_vk.tan(y)),
    "quotients": (float32, lambda x, y: (x / y) + y),
    "remainders": (float32, lambda x, y: dml_vk.remainder(x, y) + y),
    "roots": (float32, lambda x, y: dml_vk.sqrt(dml_vk.hypot(x, y))),
    "powers": (int32, lambda x, y: x ** dml_vk.abs(y) + x),
    "bytes": (uint8, lambda x, y: (x // y) + x),
    "complex quotients": (complex64, lambda x, y: (x / y) * y),
    "complex roots": (complex128, lambda x, y: dml_vk.sqrt(x) * y),
}


@tier.parametrize("name form", LOOPS, ["rows", "across"])
def test_rounds(name, form, monkeypatch):
    """No invocation takes more rounds of loops than the plan says: a few of them do all."""
    dtype, function = LOOPS[name]
    device = dml_vk.device()
    values = hard(dtype, (3, 5, 32, 33))
    alike = [dml_vk.asarray(one) for one in (values, values[::-1].copy())]
    x, y = [one[..., :32] if form == "rows" else one.permute(0, 2, 3, 1) for one in alike]
    with launched() as launches:
        z = function(x, y)
    one = found([launch for launch in launches if launch.plan.computed])
    profile = dataclasses.replace(device.profile, groups_wanted=1, max_invocations=32)
    with (
        profiled(device, profile),
        contextlib.contextmanager(counting_queue)(device, monkeypatch) as runtime,
    ):
        run(one, [(one.value(z), dml_vk.empty_like(z))])
        (counted,) = runtime.counted
    assert 0 < counted.by_source <= counted.said
    assert counted.by_driver <= counted.said


@pytest.mark.parametrize("kind", WIDE)
@tier.examples(25)
@given(data=st.data(), sizes=st.sampled_from(SIZES))
def test_random_chains(kind, tmp_path_factory, data, sizes):
    dtypes = data.draw(st.lists(st.sampled_from(DTYPES), min_size=1, max_size=3))
    lie = [Layout.packed(sizes), *[data.draw(layouts(sizes=sizes)) for _ in dtypes[1:]]]
    values = [source_of(dtype, at, seed=k)[0] for k, (dtype, at) in enumerate(zip(dtypes, lie))]
    reads = len(values)
    pick = st.integers(0, 7)
    with launched() as launches:
        for step in data.draw(st.lists(st.sampled_from(sorted(STEPS)), min_size=2, max_size=6)):
            x, y = [values[-1 - data.draw(pick) % len(values)] for _ in "xy"]
            values.append(applied(step, x, y))
    one = found([launch for launch in launches if launch.plan.computed])
    made = [value for value in values[reads:] if value.layout.sizes == sizes]
    results = [made[-1], *data.draw(st.lists(st.sampled_from(made), max_size=1))]
    to = [data.draw(st.just(Layout.packed(sizes)) | targets(sizes=sizes)) for _ in results]
    with profiled(dml_vk.device(), WIDE[kind]):
        check(one, results, to, tmp_path_factory.mktemp("fused") / "module.spv")
