"""What generators draw, against the reference: any layout, any chunks, and what may be told."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import dml_vk
from dml_vk.dtypes import DTYPES, float16, float32, float64, int64, uint64
from dml_vk.kernels.plan import draws as planning
from dml_vk.kernels.plan.indexed import plan_indexed
from dml_vk.layout import Layout, channels_last, contiguous_format
from dml_vk.ops import draws
from dml_vk.ops.draws import fill_drawn
from dml_vk.random import Generator
from dml_vk.testing import (
    philox_after,
    philox_between,
    philox_integers,
    philox_normal,
    philox_uniform,
    philox_words,
)
from dml_vk.testing.strategies import layouts
from tests import tier
from tests.kernel.memory import MARGIN, assert_complete, bits, check_writes, telling, used_by
from tests.kernel.ops.test_fill import FEW, LONG, QUAD, SIZES, WAYS, packed
from tests.kernel.ops.test_philox import COUNTER, EDGES, KEY, state_words

INTEGERS = [dtype for dtype in DTYPES.values() if dtype.kind in "iu"]


def uniform(dtype, low, high):
    """(dtype, words an element, how it is drawn, what must come of a key, a counter, a number)."""
    each = 1 + (dtype is float64)
    return (
        *(dtype, each, draws.uniform("uniform", dtype, low, high)),
        lambda key, counter, n: philox_between(
            philox_words(key, counter, n * each), low, high, dtype
        ),
    )


def normal(dtype, mean, std):
    return (
        *(dtype, 1, draws.normal("normal", dtype, mean, std)),
        # A pair needs both of its words.
        lambda key, counter, n: philox_normal(
            philox_words(key, counter, n + n % 2), dtype, mean, std
        )[:n],
    )


def integers(dtype, low, high):
    return (
        *(dtype, 1 + (high - low > 2**32), draws.integers("integers", dtype, low, high, False)),
        lambda key, counter, n: philox_integers(key, counter, n, low, high, dtype),
    )


# A draw for each module, and one made by operators. Many of the integers are refused at first.
DRAWS = {
    "uniform float16": uniform(float16, -0.3, 5.1),
    "uniform float32": uniform(float32, -0.3, 5.1),
    "uniform float64": uniform(float64, -0.3, 5.1),
    "normal float16": normal(float16, 0.7, 2.5),
    "normal float32": normal(float32, -0.7, 2.5),
    "integers int8": integers(DTYPES["int8"], -77, 100),
    "integers uint16": integers(DTYPES["uint16"], 5, 40007),
    "integers uint32": integers(DTYPES["uint32"], 9, 3 * 2**30 + 9),
    "integers int64": integers(int64, -(2**40), 3 * 2**30 - 2**40),
    "integers uint64": integers(uint64, 2**63 - 2**61, 2**63 + 2**62),
}

# float64 uniforms are made by operators, which are tested by themselves.
OF_KERNELS = [name for name, (_, _, draw, _) in DRAWS.items() if draw.kernel != "philox"]


def check_drawn(layout: Layout, name: str, counter: int = COUNTER) -> None:
    dtype, _, draw, reference = DRAWS[name]
    values = bits(reference(KEY, counter, layout.numel)).reshape(layout.sizes)
    check_writes(
        lambda x: fill_drawn("draw", x, draw, state_words(KEY, counter)),
        *(layout, dtype.itemsize, values),
    )


@pytest.mark.parametrize("name", OF_KERNELS)
def test_every_variant(name):
    for way in telling(FEW, lambda way: plan_of(name, way)):
        check_drawn(WAYS[way], name)


def plan_of(name, way):
    """None where more dims than fit a launch: other operations draw these."""
    dtype, _, draw, _ = DRAWS[name]
    layout = WAYS[way]
    form = layout.sizes, layout.strides, dtype.itemsize, layout.offset + MARGIN
    return plan_indexed(draw.kernel, draw.kind, *form, dml_vk.device().profile)


def test_the_cases_cover_every_kernel_and_every_value_of_its_constants():
    plans = [plan_of(name, way) for name in OF_KERNELS for way in FEW]
    used = used_by(plan for plan in plans if plan)
    assert None in plans  # Of more dims than fit a launch.
    for kernel in planning.KERNELS:
        # No two elements of a stream are the same one, so its source has no stride of 0.
        assert_complete(used, kernel, {(module, "STEPS", 0) for module in kernel.modules})


@tier.examples(25)
@given(st.data(), SIZES | LONG, st.sampled_from(OF_KERNELS), st.sampled_from(EDGES))
def test_any_layout(data, sizes, name, counter):
    layout = data.draw(layouts(sizes=sizes))
    assume(not layout.overlaps)
    check_drawn(layout, name, counter)


@pytest.mark.parametrize("name", OF_KERNELS)
def test_sizes_of_nothing_one_and_primes_and_counters_that_wrap(name):
    turn, sizes, wrapping = OF_KERNELS.index(name), (0, 1, 3, 1009), (2, 5, 31)
    for n in sizes if tier.is_all() else (sizes[turn % 3], 1009):
        check_drawn(packed((n,)), name)
    for n in wrapping if tier.is_all() else [wrapping[turn % 3]]:
        check_drawn(packed((n,), offset=QUAD), name, 2**128 - 2)


@pytest.mark.parametrize("name", DRAWS)
def test_one_stream_whole_in_chunks_in_both_formats_and_in_any_memory(name):
    dtype, each, _, reference = DRAWS[name]
    made = {
        "uniform": lambda g, *to, **how: g.uniform(-0.3, 5.1, *to, dtype=dtype, **how),
        "normal": lambda g, *to, **how: g.normal(
            *to, dtype=dtype, mean=0.7 if dtype is float16 else -0.7, std=2.5, **how
        ),
        "integers": lambda g, *to, **how: g.integers(*_range_of(name), *to, dtype=dtype, **how),
    }[name.partition(" ")[0]]
    shape = (2, 3, 4, 5)
    whole = reference(KEY, COUNTER, 120)

    def generator():
        return Generator(key=KEY, counter=COUNTER)

    one = generator()
    for memory_format in (contiguous_format, channels_last):
        one.counter = COUNTER
        x = made(one, shape, memory_format=memory_format)
        assert x.layout == Layout.packed(shape, memory_format)
        assert x.dtype is dtype
        assert np.array_equal(bits(x.numpy()).reshape(-1), bits(whole))
        assert one.counter == COUNTER + 30 * each
    chunks, one = [], generator()
    for n in (4, 64, 8, 44) if tier.is_all() else (4, 116):
        chunks.append(made(one, n).numpy())
    assert np.array_equal(bits(np.concatenate(chunks)), bits(whole))
    # Out of order, each from its own counter.
    for first in tier.some((116, 60, 0), 2):
        found = made(Generator(key=KEY, counter=COUNTER + first * each // 4), 4)
        assert np.array_equal(bits(found.numpy()), bits(whole[first : first + 4]))
    memory = dml_vk.asarray(np.zeros(400, dtype.numpy_name))
    out = memory.over(Layout.packed(shape, (3, 1, 0, 2)).slice(0, 0, 2).flip((1, 2)))
    for arguments in ((), (shape,)):
        assert made(generator(), *arguments, out=out) is out
        assert np.array_equal(bits(out.numpy()).reshape(-1), bits(whole))


def _range_of(name):
    """As `integers` takes it: the table has it in its kernels' words."""
    return {
        "integers int8": (-77, 100),
        "integers uint16": (5, 40007),
        "integers uint32": (9, 3 * 2**30 + 9),
        "integers int64": (-(2**40), 3 * 2**30 - 2**40),
        "integers uint64": (2**63 - 2**61, 2**63 + 2**62),
    }[name]


def test_words_and_uniforms_go_to_out_as_well():
    out = dml_vk.empty((3, 5), "uint64", memory_format=contiguous_format)
    made = Generator(key=KEY)
    assert made.bits(dtype=uint64, out=out) is out
    assert np.array_equal(
        out.numpy().reshape(-1), philox_uniform(philox_words(KEY, 0, 30), "uint64")
    )
    assert made.counter == 8
    x = dml_vk.empty(7)
    assert made.random(out=x) is x
    assert np.array_equal(x.numpy(), philox_uniform(philox_words(KEY, 8, 7), "float32"))
    for draw in (made.bits, made.random, made.uniform, made.normal):
        assert draw().shape == ()
    assert made.integers(5).shape == ()


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_every_range_of_every_integer(dtype):
    info = np.iinfo(dtype.name)
    size = 8 * dtype.itemsize
    counts = {1, 2, 3, 2 ** (size - 1) - 1, 2 ** (size - 1) + 1, 2**size - 1, 2**size}
    if size == 64:
        counts |= {2**32 - 1, 2**32, 2**32 + 1, 2**33}
    for count in sorted(counts):
        for low in {info.min, info.max - count + 1, max(info.min, -(count // 2))}:
            if low + count - 1 > info.max:
                continue
            one, n = Generator(key=KEY, counter=3), 257
            found = one.integers(low, low + count, n, dtype)
            assert one.counter == 3 + philox_after(0, n * (1 + (count > 2**32)))
            expected = philox_integers(KEY, 3, n, low, low + count, dtype)
            assert np.array_equal(found.numpy(), expected), (low, count)
            one.counter = 3
            again = one.integers(low, low + count - 1, n, dtype, endpoint=True)
            assert np.array_equal(again.numpy(), expected)


def test_permutations():
    for n in (0, 1, 2, 1009):
        words = philox_uniform(philox_words(KEY, COUNTER, 2 * n), "uint64")
        expected = np.argsort(words, kind="stable")
        one = Generator(key=KEY, counter=COUNTER)
        found = one.permutation(n)
        assert found.dtype is int64
        assert np.array_equal(found.numpy(), expected)
        assert one.counter == COUNTER + -(-n // 2)
        one.counter = COUNTER
        out = dml_vk.empty((2, n), int64).over(Layout((n,), (1,), n))
        assert one.permutation(n, out=out) is out
        assert np.array_equal(out.numpy(), expected)
        # Of a tensor, in steps and backwards; then in its own place.
        values = np.arange(3 * n, dtype=np.float16)
        x = dml_vk.asarray(values).over(Layout((n,), (-2,), 2 * max(n - 1, 0)))
        reversed_ones = values[: max(2 * n - 1, 0) : 2][::-1]
        for into in (None, x):
            one.counter = COUNTER
            shuffled = one.permutation(x, out=into)
            assert shuffled.dtype is float16
            assert np.array_equal(shuffled.numpy(), reversed_ones[expected])
        assert one.counter == COUNTER + -(-n // 2)
