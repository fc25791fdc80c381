"""What generators draw, against the reference: any layout, any chunks, and what may be told."""

from __future__ import annotations

import copy
import math
import pickle
import threading

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import dml_vk
from dml_vk.dtypes import DTYPES, float16, float32, float64, int64, uint64
from dml_vk.errors import DeviceError, DTypeError, LayoutError, RangeError
from dml_vk.kernels import plan_random
from dml_vk.kernels.plan_made import plan_indexed
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
from tests.kernel.memory import MARGIN, assert_complete, bits, check_writes, used_by
from tests.kernel.test_fill import FEW, LONG, QUAD, SIZES, WAYS, packed
from tests.kernel.test_philox import EDGES, state_words

KEY, COUNTER = 0x299F31D0_A4093822, 0x03707344_13198A2E_85A308D3_243F6A88
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


# A draw for each module. Of the integers every third is refused, or every fourth.
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


def check_drawn(layout: Layout, name: str, counter: int = COUNTER) -> None:
    dtype, _, draw, reference = DRAWS[name]
    values = bits(reference(KEY, counter, layout.numel)).reshape(layout.sizes)
    check_writes(
        lambda x: fill_drawn("draw", x.strided, draw, state_words(KEY, counter)),
        *(layout, dtype.itemsize, values),
    )


@pytest.mark.parametrize("name", DRAWS)
def test_every_way(name):
    for way in FEW:
        check_drawn(WAYS[way], name)


def test_the_ways_use_every_kernel_and_every_value_of_what_prunes_it():
    limits, plans = dml_vk.device().limits, []
    for dtype, _, draw, _ in [one for one in DRAWS.values() if one[2].kernel != "philox"]:
        for layout in [WAYS[way] for way in FEW]:
            form = layout.sizes, layout.strides, dtype.itemsize, layout.offset + MARGIN
            plans.append(plan_indexed(draw.kernel, draw.kind, *form, limits))
    used = used_by(plan for plan in plans if plan)
    assert None in plans  # Of more dims than fit a launch.
    for kernel in plan_random.KERNELS:
        # No two elements of a stream are the same one, so its source has no stride of 0.
        assert_complete(used, kernel, {(module, "STEPS", 0) for module in kernel.modules})


@settings(max_examples=25)
@given(st.data(), SIZES | LONG, st.sampled_from([*DRAWS]), st.sampled_from(EDGES))
def test_any_layout(data, sizes, name, counter):
    layout = data.draw(layouts(sizes=sizes))
    assume(not layout.overlaps)
    check_drawn(layout, name, counter)


@pytest.mark.parametrize("name", DRAWS)
def test_sizes_of_nothing_one_and_primes_and_counters_that_wrap(name):
    for n in (0, 1, 3, 1009):
        check_drawn(packed((n,)), name)
    for n in (2, 5, 31):
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
    for n in (4, 64, 8, 44):
        chunks.append(made(one, n).numpy())
    assert np.array_equal(bits(np.concatenate(chunks)), bits(whole))
    # Out of order, each from its own counter.
    for first in (116, 0, 60):
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


def chi_square(counts) -> float:
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 for count in counts) / expected


def unusual(counts) -> float:
    """How many standard deviations from its mean chi-square is; Wilson and Hilferty's normal."""
    freedom = len(counts) - 1
    root = (chi_square(counts) / freedom) ** (1 / 3)
    return (root - 1 + 2 / (9 * freedom)) / math.sqrt(2 / (9 * freedom))


def test_integers_have_no_bias():
    # The high half of a product alone would give twice as many multiples of 3 as others here.
    for shape, high in ((30000, 3 * 2**30), (30000, 3 * 2**62), (30000, 2**62 + 2**61)):
        rest = Generator(key=KEY).integers(high, shape=shape, dtype=uint64).numpy() % np.uint64(3)
        assert abs(unusual(np.bincount(rest.astype(int), minlength=3))) < 3
    biased = (philox_words(KEY, 0, 30000).astype(np.uint64) * np.uint64(3) >> np.uint64(2)) % 3
    assert unusual(np.bincount(biased.astype(int))) > 10
    for dtype, low, high in (("uint8", 0, 256), ("int8", -50, 51), ("int16", -6, 7)):
        found = Generator(key=KEY).integers(low, high, 100_000, dtype).numpy().astype(int)
        assert (found.min(), found.max()) == (low, high - 1)
        assert abs(unusual(np.bincount(found - low, minlength=high - low))) < 3


def test_uniforms_stay_below_high():
    # Rounded alone, a quarter of these would be high itself.
    for dtype, step in ((float16, 2.0**-10), (float32, 2.0**-23), (float64, 2.0**-52)):
        x = Generator(key=KEY).uniform(1, 1 + step, 1000, dtype).numpy()
        assert set(x.tolist()) == {1.0}
        x = Generator(key=KEY).uniform(-1, 1, 100_000, dtype).numpy()
        assert -1 <= x.min() < -0.99
        assert 0.99 < x.max() < 1
        same = Generator(key=KEY).random(1000, dtype).numpy()
        assert np.array_equal(Generator(key=KEY).uniform(shape=1000, dtype=dtype).numpy(), same)
    x = Generator(key=KEY).uniform(3, 7, 100_000).numpy().astype(float)
    assert abs(x.mean() - 5) < 3 * 4 / math.sqrt(12 * x.size)
    assert abs(unusual(np.histogram(x, 50, (3, 7))[0])) < 3
    x = Generator(1).uniform(-(2.0**126), 2.0**127, 999).numpy()
    assert 2.0**126 < x.max() < 2.0**127


@pytest.mark.parametrize("dtype", [float32, float16], ids=str)
def test_normals_are_normal(dtype):
    n = 400_000
    x = Generator(key=KEY).normal(n, dtype).numpy().astype(float)
    moments = [x.mean(), x.var(), (x**3).mean(), (x**4).mean()]
    # Their own variances are those of 1, 2, 15 and 96 over n.
    for moment, wanted, variance in zip(moments, (0, 1, 0, 3), (1, 2, 15, 96)):
        assert abs(moment - wanted) < 3 * math.sqrt(variance / n)
    levels = np.linspace(-4, 4, 65) + 2.0**-13
    below = np.array([0.5 * math.erfc(-level / math.sqrt(2)) for level in levels])
    wanted = np.diff(below) * n
    found = np.histogram(x, levels)[0]
    score = (((found - wanted) ** 2 / wanted).sum() - 64) / math.sqrt(2 * 64)
    assert abs(score) < 3
    # Neither what shares a pair nor what follows one tells anything.
    for apart in (1, 2, 3, 4):
        assert abs((x[apart:] * x[:-apart]).mean()) < 3 / math.sqrt(n)


def test_normals_move():
    one = Generator(key=KEY)
    x = one.normal(1000, mean=7, std=0).numpy()
    assert set(x.tolist()) == {7.0}
    one.counter = 0
    plain = one.normal(1000).numpy()
    one.counter = 0
    moved = one.normal(1000, mean=-0.0, std=2**20).numpy()
    assert np.array_equal(moved, plain * np.float32(2**20))
    assert not np.signbit(Generator(0).normal(9, mean=-0.0, std=0).numpy()).any()
    assert np.isinf(Generator(0).normal(99, float16, std=1e5).numpy()).any()


def test_splits():
    one = Generator(5)
    children = one.split(3)
    assert one.counter == 1
    assert one.key == Generator(5).key
    assert all(child.counter == 0 for child in children)
    others = [*one.split(3), *Generator(5, device=None).split(5)[3:], *children[0].split(2), one]
    assert len({each.key for each in [*children, *others]}) == 3 + 3 + 2 + 2 + 1
    assert [each.key for each in Generator(5).split(5)[:3]] == [each.key for each in children]
    assert one.split(0) == []
    assert one.counter == 3
    name = dml_vk.device().name
    (kept,) = Generator(5, device=name).split(1)
    assert kept.device == name
    streams = np.array([each.normal(20_000).numpy() for each in (*children, one)], float)
    apart = np.corrcoef(streams) - np.eye(4)
    assert np.abs(apart).max() < 3.5 / math.sqrt(20_000)
    # As `printf 'ff 10 1' | sha256sum` begins: the key, the counter and the number of the child.
    digest = "077bd5005181d9f6"
    key = int.from_bytes(bytes.fromhex(digest), "little")
    assert Generator(key=255, counter=16).split(2)[1].key == key


def test_states_come_back():
    one = Generator(key=KEY, counter=2**100 + 5)
    state = one.state
    assert state == state_words(KEY, 2**100 + 5)
    expected = one.normal(9).tolist()
    other = Generator(0)
    for six in (state, list(state), np.array(state, np.uint32), iter(state)):
        other.state = six
        assert (other.key, other.counter) == (KEY, 2**100 + 5)
        assert other.normal(9).tolist() == expected
    again = Generator.from_state(state, device=0)
    assert again.device == 0
    assert again.normal(9).tolist() == expected


class Named(Generator):
    """Whose kind is kept."""


def test_pickles_and_copies():
    name = dml_vk.device().name
    for device, kept in ((None, None), (name, name), (dml_vk.device(), name), (0, None)):
        one = Named(key=KEY, counter=7, device=device)
        one.bits(5)
        for other in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
            assert type(other) is Named
            assert other.state == one.state
            assert other.device == (kept if device != 0 else dml_vk.device(0).name)
            before = one.counter
            assert other.random(3).numpy().shape == (3,)
            assert one.counter == before  # Its own stream from here on.
            assert other.state != one.state


def test_threads_see_whole_states():
    one, wrong = Generator(key=1, counter=1), []
    states = [state_words(n, n << 70) for n in range(9)]

    def change(state):
        for _ in range(200):
            one.state = state
            found = one.state
            wrong.extend([found] if found not in states else [])

    threads = [threading.Thread(target=change, args=(state,)) for state in states]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


REFUSED = [
    (lambda g: g.uniform(1, 1, 3), RangeError, "uniform: low must be below high, as float32"),
    (lambda g: g.uniform(2, 1), RangeError, "low must be below high.*low=2, high=1"),
    (lambda g: g.uniform(1, 1 + 2**-12, 3, "float16"), RangeError, "below high, as float16"),
    (lambda g: g.uniform(-3e38, 3e38), RangeError, "high - low must be finite, as float32"),
    (lambda g: g.uniform(-1e308, 1e308, 3, float64), RangeError, "finite, as float64"),
    (lambda g: g.uniform(math.nan, 1), RangeError, "uniform: low must be finite"),
    (lambda g: g.uniform(0, math.inf), RangeError, "high must be finite, as float32; got high=inf"),
    (lambda g: g.uniform(0, 1e-30), RangeError, "high must be 0, or at least 2\\*\\*-80 in size"),
    (lambda g: g.uniform("0", 1), DTypeError, "low must be a number that float32 can hold"),
    (lambda g: g.uniform(0, 10**400), DTypeError, "high must be a number that float32 can hold"),
    (lambda g: g.uniform(0, 1, 3, int64), DTypeError, "uniform: dtype must be one of float32"),
    (lambda g: g.normal(3, float64), DTypeError, "normal: dtype must be one of float32, float16"),
    (lambda g: g.normal(3, std=-1), RangeError, "normal: std must not be negative; got std=-1"),
    (lambda g: g.normal(3, mean=math.inf), RangeError, "mean must be finite"),
    (lambda g: g.normal(3, std=1e-40), RangeError, "std must be 0, or at least"),
    (lambda g: g.normal(3, mean=None), DTypeError, "mean must be a number"),
    (lambda g: g.normal((2, -1)), LayoutError, "sizes must not be negative"),
    (lambda g: g.normal((2, 2), memory_format=channels_last), LayoutError, "rank"),
    (lambda g: g.normal(2**50), MemoryError, "normal"),
    (lambda g: g.integers(0), RangeError, "integers: low must be below high; got low=0, high=0"),
    (lambda g: g.integers(5, 4, endpoint=True), RangeError, "high must not be below low"),
    (lambda g: g.integers(0.5), LayoutError, "integers: high must be an integer; got high=0.5"),
    (lambda g: g.integers("1", 2), LayoutError, "low must be an integer"),
    (lambda g: g.integers(257, dtype="uint8"), RangeError, "uint8 must hold every integer"),
    (lambda g: g.integers(-1, 5, 3, "uint64"), RangeError, "uint64 must hold every integer"),
    (lambda g: g.integers(2**64, dtype="int64"), RangeError, "int64 must hold every integer"),
    (lambda g: g.integers(2, dtype=bool), DTypeError, "integers: dtype must be one of int8"),
    (lambda g: g.integers(2, dtype=float32), DTypeError, "integers: dtype must be one of int8"),
    (lambda g: g.split(-1), RangeError, "split: n must not be negative; got n=-1"),
    (lambda g: g.split(1.5), LayoutError, "split: n must be an integer"),
    (lambda g: setattr(g, "state", (1, 2)), RangeError, "state must be six words.*got state=\\(1"),
    (lambda g: setattr(g, "state", (2**32,) * 6), RangeError, "six words from 0 to 2\\*\\*32 - 1"),
    (lambda g: setattr(g, "state", (-1,) * 6), RangeError, "six words"),
    (lambda g: setattr(g, "state", 5), LayoutError, "state must be a sequence of integers"),
    (lambda g: g.bits(out=[1]), DTypeError, "bits: out must be a Tensor"),
    (lambda g: g.bits(3, out=3), DTypeError, "bits: out must be a Tensor"),
    (lambda g: g.random(4, out=dml_vk.empty(3)), LayoutError, "out must have the shape \\(4,\\)"),
    (lambda g: g.random(out=dml_vk.empty(3, "float16")), DTypeError, "out must have the dtype"),
    (
        lambda g: g.normal(out=dml_vk.empty((3, 4)).over(Layout((3, 4), (1, 1)))),
        *(LayoutError, "normal: elements of out must not share an address"),
    ),
    (
        lambda g: g.random(out=dml_vk.empty((1, 2, 3, 4)), memory_format=channels_last),
        *(LayoutError, "random: give memory_format or out, not both"),
    ),
    (lambda g: Generator(device="no such device").bits(3), DeviceError, "no such device"),
    (lambda g: pickle.dumps(Generator(device=99)), DeviceError, "index or part of a name"),
]


@pytest.mark.parametrize(("call", "error", "said"), REFUSED)
def test_what_is_refused_takes_no_words(call, error, said):
    one = Generator(key=KEY)
    with pytest.raises(error, match=said):
        call(one)
    assert one.counter == 0
