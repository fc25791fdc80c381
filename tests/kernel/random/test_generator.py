"""Generators: how what they draw is distributed; their states, copies and errors."""

from __future__ import annotations

import copy
import math
import pickle
import threading

import numpy as np
import pytest

import dml_vk
from dml_vk.dtypes import float16, float32, float64, int64, uint64
from dml_vk.errors import DeviceError, DTypeError, LayoutError, RangeError
from dml_vk.layout import Layout, channels_last
from dml_vk.random import Generator
from dml_vk.testing import philox_words
from tests.kernel.ops.test_philox import KEY, state_words


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


@pytest.mark.parametrize("dtype", [float32, float16, float64], ids=str)
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


def test_normals_of_float64_are_made_of_two_floats_each():
    start, n = 2**64 - 3, 3001
    drawn = Generator(key=KEY, counter=start)
    x = drawn.normal(n, float64, mean=-3.5, std=0.75).numpy()
    assert drawn.counter == start + n
    words = philox_words(KEY, start, 4 * n).view(np.uint64).reshape(n, 2)
    u, v = ((words >> np.uint64(11)) * 2.0**-53).T
    expected = -3.5 + 0.75 * np.sqrt(-2 * np.log(1 - u)) * np.cos(2 * np.pi * v)
    np.testing.assert_allclose(x, expected, rtol=0, atol=4e-15)
    again = Generator(key=KEY, counter=start)
    image = again.normal((1, 3001, 1, 1), float64, memory_format=channels_last)
    assert image.memory_format is channels_last
    assert Generator(key=KEY, counter=start).normal(n, float64).tolist() == image.ravel().tolist()


def test_permutations_are_all_as_likely():
    drawn = Generator(key=KEY)
    orders = [tuple(drawn.permutation(3).tolist()) for _ in range(120)]
    assert abs(unusual([orders.count(order) for order in sorted(set(orders))])) < 3
    assert len(set(orders)) == 6


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
    (lambda g: g.uniform(1, 1, 3), RangeError, "uniform: low must be less than high in float32"),
    (lambda g: g.uniform(2, 1), RangeError, "low must be less than high.*low=2, high=1"),
    (lambda g: g.uniform(1, 1 + 2**-12, 3, "float16"), RangeError, "less than high in float16"),
    (lambda g: g.uniform(-3e38, 3e38), RangeError, "high - low must be finite in float32"),
    (lambda g: g.uniform(-1e308, 1e308, 3, float64), RangeError, "finite in float64"),
    (lambda g: g.uniform(math.nan, 1), RangeError, "uniform: low must be finite"),
    (lambda g: g.uniform(0, math.inf), RangeError, "high must be finite in float32; got high=inf"),
    (
        lambda g: g.uniform(0, 1e-30),
        RangeError,
        "high must be 0 or at least 2\\*\\*-80 in magnitude",
    ),
    (lambda g: g.uniform("0", 1), DTypeError, "low must be a number that float32 can hold"),
    (lambda g: g.uniform(0, 10**400), DTypeError, "high must be a number that float32 can hold"),
    (lambda g: g.uniform(0, 1, 3, int64), DTypeError, "uniform: dtype must be one of float32"),
    (
        lambda g: g.normal(3, 4),
        DTypeError,
        "normal: pass the sizes as one .*3, dtype=4",
    ),
    (lambda g: g.bits(3, 4), DTypeError, "bits: pass the sizes as one tuple"),
    (
        lambda g: g.uniform(0, 1, 3, 4),
        DTypeError,
        "uniform: pass the sizes as one tuple",
    ),
    (lambda g: g.normal(3, int64), DTypeError, "normal: dtype must be one of float32, float16"),
    (lambda g: g.normal(3, float64, mean=1j), DTypeError, "normal: mean must be a number"),
    (lambda g: g.normal(3, float64, std=math.nan), RangeError, "std must be finite"),
    (lambda g: g.normal(3, std=-1), RangeError, "normal: std must not be negative; got std=-1"),
    (lambda g: g.normal(3, mean=math.inf), RangeError, "mean must be finite"),
    (lambda g: g.normal(3, std=1e-40), RangeError, "std must be 0 or at least"),
    (lambda g: g.normal(3, mean=None), DTypeError, "mean must be a number"),
    (lambda g: g.normal((2, -1)), LayoutError, "normal: sizes must not be negative; got shape="),
    (lambda g: g.normal((2, 2), memory_format=channels_last), LayoutError, "normal: rank must be"),
    (lambda g: g.normal(2**50), MemoryError, "normal"),
    (
        lambda g: g.integers(0),
        RangeError,
        "integers: low must be less than high; got low=0, high=0",
    ),
    (lambda g: g.integers(5, 4, endpoint=True), RangeError, "high must not be less than low"),
    (lambda g: g.integers(0.5), LayoutError, "integers: high must be an integer; got high=0.5"),
    (lambda g: g.integers("1", 2), LayoutError, "low must be an integer"),
    (lambda g: g.integers(5, endpoint=1), DTypeError, "integers: endpoint must be a bool; got"),
    (
        lambda g: g.random((1, 2, 3, 4), out="x", memory_format=channels_last),
        *(DTypeError, "random: out must be a Tensor"),
    ),
    (lambda g: g.integers(257, dtype="uint8"), RangeError, "uint8 cannot hold every integer"),
    (lambda g: g.integers(-1, 5, 3, "uint64"), RangeError, "uint64 cannot hold every integer"),
    (lambda g: g.integers(2**64, dtype="int64"), RangeError, "int64 cannot hold every integer"),
    (lambda g: g.integers(2, dtype=bool), DTypeError, "integers: dtype must be one of int8"),
    (lambda g: g.integers(2, dtype=float32), DTypeError, "integers: dtype must be one of int8"),
    (lambda g: g.permutation(None), LayoutError, "permutation: x must be an integer"),
    (lambda g: g.permutation(-1), LayoutError, "sizes must not be negative"),
    (lambda g: g.permutation(dml_vk.empty((2, 3))), LayoutError, "must be 1-D.*\\(2, 3\\)"),
    (lambda g: g.permutation(dml_vk.empty(())), LayoutError, "permutation: x must be 1-D"),
    (lambda g: g.permutation(3, out=dml_vk.empty(3)), DTypeError, "out must have the dtype int64"),
    (lambda g: g.permutation(3, memory_format=channels_last), LayoutError, "rank"),
    (lambda g: g.split(-1), RangeError, "split: n must be from 0 to 1048576; got n=-1"),
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
        *(LayoutError, "normal: out has overlapping elements"),
    ),
    (
        lambda g: g.random(out=dml_vk.empty((1, 2, 3, 4)), memory_format=channels_last),
        *(LayoutError, "random: memory_format and out must not both be given"),
    ),
    (lambda g: Generator(device="no such device").bits(3), DeviceError, "no such device"),
    (lambda g: pickle.dumps(Generator(device=99)), DeviceError, "index or part of its name"),
]


@pytest.mark.parametrize(("call", "error", "said"), REFUSED)
def test_what_is_refused_takes_no_words(call, error, said):
    one = Generator(key=KEY)
    with pytest.raises(error, match=said):
        call(one)
    assert one.counter == 0


def test_other_devices(monkeypatch):
    one = Generator(device="another")
    x = dml_vk.empty(3, int64)
    monkeypatch.setattr("dml_vk.random.open_device", lambda wanted: wanted)
    for call, name in (
        (lambda: one.integers(5, out=x), "out"),
        (lambda: one.permutation(x), "x"),
        (lambda: one.permutation(3, out=x), "out"),
    ):
        with pytest.raises(DeviceError, match=f"operands must be on one device.*; got {name}="):
            call()
    assert one.counter == 0
