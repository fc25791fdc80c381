"""What goes element by element, where an invocation would go too far if work were not cut.

Elements repeat, so results must: those of the first period are tested elsewhere.
"""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk import dtypes
from dml_vk.dtypes import bool_, float16, float32, float64, uint8, uint32
from dml_vk.kernels.elementwise import COMPUTED
from dml_vk.kernels.operators import OPERATORS
from dml_vk.layout import channels_last
from dml_vk.ops.elementwise import compute
from tests import tier
from tests.kernel.elementwise import random_values
from tests.kernel.long_loops import CALLS, call
from tests.large.test_rounds import modules_of
from tests.real_dtypes import DTYPES

SIDE = 64  # of a period, a square
TIMES = [4, 64, 128, 256, 1024, 4096, 16384]


def period_of(dtype, seed=0):
    return random_values(dtype, SIDE * SIDE, seed).reshape(SIDE, SIDE)


def repeated(period, times):
    return np.concatenate([period] * times)


def assert_repeats(found, period):
    """A NaN for a NaN."""
    parts = found.reshape(-1, *period.shape)
    with np.errstate(invalid="ignore"):
        equal = parts == period
    if period.dtype.kind in "fc":
        equal |= np.isnan(parts) & np.isnan(period)
    assert equal.all(), np.argwhere(~equal)[:4]


def combinations():
    """Each public operator by each kernel that computes it, in the widest dtype that goes there.

    Without --all in one of them, by turns: test_every_way_of_every_kernel has all of the kernels.
    """
    turn = 0
    for name, operator in OPERATORS.items():
        if name in CALLS or (hasattr(dml_vk, name) and name not in ("cast", "where", "clip")):
            taken = [dtype for dtype in dtypes.DTYPES.values() if operator.takes(dtype)]
            widest = [*{operator.kernel(dtype): dtype for dtype in taken}.values()]
            for dtype in widest:
                is_left = dtype is not widest[turn % len(widest)]
                marks = pytest.mark.product if is_left else ()
                yield pytest.param(name, dtype, id=f"{name}-{dtype.name}", marks=marks)
            turn += 1


@pytest.mark.parametrize(("name", "dtype"), [*combinations()])
def test_every_operator(beyond, name, dtype):
    periods = [period_of(dtype, seed) for seed in range(OPERATORS[name].arity)]
    expected = call(name)(*map(dml_vk.asarray, periods)).numpy()

    def check(times):
        operands = [dml_vk.asarray(repeated(period, times)) for period in periods]
        assert_repeats(call(name)(*operands).numpy(), expected)

    beyond.reach(check, TIMES)


def in_layouts(period, times):
    """Flat, turned, with gaps, and in rows that begin and end within words."""
    whole = repeated(period, times)
    yield dml_vk.asarray(whole)
    yield dml_vk.asarray(np.ascontiguousarray(whole.T)).T
    wide = np.ones((len(whole), 2 * SIDE + 1), whole.dtype)
    for part in (slice(1, None, 2), slice(1, SIDE + 1)):
        wide[:, part] = whole
        yield dml_vk.asarray(wide)[:, part]


def outs(dtype, rows):
    yield dml_vk.empty((rows, SIDE), dtype=dtype)
    yield dml_vk.empty((SIDE, rows), dtype=dtype).T
    yield dml_vk.empty((rows, 2 * SIDE), dtype=dtype)[:, 1::2]


def layouts(period, times, dtype):
    """Sources and results, each of these in memory only while it is used."""
    chosen = tier.crossed(range(4), range(3))
    for place, source in enumerate(in_layouts(period, times)):
        for other, out in enumerate(outs(dtype, len(source))):
            if (place, other) in chosen:
                yield source, out


def results(operator, dtype):
    """What comes out: for a comparison, as words too."""
    return (bool_, uint32) if operator.result else (dtype,)


@pytest.mark.parametrize(
    "kernel", [kernel for kernel in COMPUTED if kernel != "cast" and "complex" not in kernel]
)
def test_every_way_of_every_kernel(beyond, kernel):
    reached = {
        operator: [t for t in DTYPES.values() if operator.takes(t) and operator.kernel(t) == kernel]
        for operator in OPERATORS.values()
        if not operator.parameters
    }
    operator = max(reached, key=lambda one: len(reached[one]))

    def check(times):
        for dtype in {dtype.itemsize: dtype for dtype in reached[operator]}.values():
            first, *others = [period_of(dtype, seed) for seed in range(operator.arity)]
            others = [dml_vk.asarray(repeated(period, times)) for period in others]
            for to in results(operator, dtype):
                expected = None
                for source, out in layouts(first, times, to):
                    compute("it", operator, [source, *others], out, dtype)
                    found = out.numpy()
                    # The first period is that of any way.
                    expected = found[:SIDE] if expected is None else expected
                    assert_repeats(found, expected)

    family = kernel if kernel != "where" else "casts"
    wanted = {module for module in modules_of(family) if module.startswith(kernel)}
    beyond.reach(check, TIMES, wanted - {"where_words_128"})  # which only complex128 takes


def test_casts(beyond):
    def check(times):
        for source in DTYPES.values():
            period = period_of(source)
            x = dml_vk.asarray(repeated(period, times))
            for target in (bool_, uint8, float16, float32, float64):
                expected = dml_vk.astype(x[:SIDE], target).numpy()
                assert_repeats(dml_vk.astype(x, target).numpy(), expected)

    wanted = {module for module in modules_of("casts") if module.startswith("cast")}
    beyond.reach(check, TIMES, wanted)


@pytest.mark.parametrize("itemsize", [1, 2, 4, 8])
def test_copies_and_fills(beyond, itemsize):
    dtype = DTYPES[f"uint{8 * itemsize}"]
    period = period_of(dtype)

    def check(times):
        for source, out in layouts(period, times, dtype):
            dml_vk.copy(source, out)
            assert_repeats(out.numpy(), period)
            out[...] = 7
            assert (out.numpy() == 7).all()

    way = "packed" if itemsize < 4 else "words"
    beyond.reach(check, TIMES, {f"{name}_{way}_{8 * itemsize}" for name in ("copy", "fill")})


@pytest.mark.parametrize("itemsize", [1, 2, 4, 8])
def test_pixels_and_tiles(beyond, itemsize):
    """These go one round a unit, so that it takes many."""
    dtype = DTYPES[f"uint{8 * itemsize}"]
    period = period_of(dtype).reshape(-1)

    def check(times):
        pixels = np.resize(period, times * period.size)
        x = dml_vk.asarray(pixels)
        if itemsize < 8:
            image = dml_vk.broadcast_to(x, (1, 3, pixels.size)).contiguous()
            image = dml_vk.reshape(image, (1, 3, times, -1)).to(memory_format=channels_last)
            assert (image.permute(0, 2, 3, 1).numpy().reshape(-1, 3) == pixels[:, None]).all()
        turned = dml_vk.reshape(x, (-1, 4096)).T.contiguous()
        assert (turned.numpy().T.reshape(-1) == pixels).all()

    names = ("tile", "zip") if itemsize < 8 else ("tile",)
    wanted = {f"copy_{name}_{8 * itemsize}" for name in names}
    beyond.reach(check, [2**k // itemsize for k in (13, 15, 16)], wanted)
