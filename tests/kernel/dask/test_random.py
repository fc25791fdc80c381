"""Random numbers over chunks, bit for bit those of one generator."""

from __future__ import annotations

import dask
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.dask.random import Generator
from dml_vk.layout import channels_last
from tests import tier
from tests.kernel.memory import bits

DRAWS = {
    "bits": lambda g, shape, **how: g.bits(shape, **how),
    "bits uint64": lambda g, shape, **how: g.bits(shape, "uint64", **how),
    "random": lambda g, shape, **how: g.random(shape, **how),
    "random float64": lambda g, shape, **how: g.random(shape, "float64", **how),
    "uniform float16": lambda g, shape, **how: g.uniform(-2, 3, shape, "float16", **how),
    "integers": lambda g, shape, **how: g.integers(-5, 10**6, shape, **how),
    "dice": lambda g, shape, **how: g.integers(1, 6, shape, "uint8", endpoint=True, **how),
    "normal": lambda g, shape, **how: g.normal(shape, **how),
    "normal float16": lambda g, shape, **how: g.normal(shape, "float16", mean=3, std=0.5, **how),
    "normal float64": lambda g, shape, **how: g.normal(shape, "float64", mean=-3, **how),
    "normal complex64": lambda g, shape, **how: g.normal(shape, "complex64", mean=1j, **how),
    "normal complex128": lambda g, shape, **how: g.normal(shape, "complex128", std=2, **how),
}


@pytest.fixture(autouse=True)
def _here():
    with dask.config.set(scheduler="synchronous"):
        yield


def is_same(lazy, whole):
    found = lazy.compute()
    assert (found.shape, found.dtype, lazy.dtype) == (whole.shape, whole.dtype, whole.dtype)
    return np.array_equal(
        bits(np.ascontiguousarray(found.numpy())), bits(np.ascontiguousarray(whole.numpy()))
    )


SHAPES = [((11,), 2), (6, 4), ((7, 9), (3, 4)), ((3, 2, 5), (2, 1, 3))]


@tier.parametrize("name case", DRAWS, SHAPES)
def test_every_draw_is_that_of_one_generator(name, case):
    ours, whole = Generator(5), dml_vk.random.Generator(5)
    shape, chunks = case
    for _ in range(2):
        assert is_same(DRAWS[name](ours, shape, chunks=chunks), DRAWS[name](whole, shape))
        assert ours.state == whole.state


@tier.examples(40)
@given(st.data(), st.sampled_from(list(DRAWS)))
def test_any_chunks(data, name):
    shape = data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=4))
    chunks = [data.draw(st.integers(1, size)) for size in shape]
    lazy = DRAWS[name](Generator(key=3, counter=2**128 - 1), shape, chunks=tuple(chunks))
    assert is_same(lazy, DRAWS[name](dml_vk.random.Generator(key=3, counter=2**128 - 1), shape))


def test_formats_nothing_and_one_number():
    shape = (4, 3, 5, 6)
    lazy = Generator(1).normal(shape, chunks=(2, 3, 5, 6), memory_format=channels_last)
    assert lazy.compute().memory_format == channels_last
    assert is_same(lazy, dml_vk.random.Generator(1).normal(shape))
    assert Generator(1).normal((0, 3)).compute().shape == (0, 3)
    assert is_same(Generator(1).normal(()), dml_vk.random.Generator(1).normal(()))
    assert is_same(Generator(1).random(), dml_vk.random.Generator(1).random())


def test_states_are_those_of_a_generator():
    ours, whole = Generator(9), dml_vk.random.Generator(9)
    assert (ours.key, ours.counter, ours.state) == (whole.key, whole.counter, whole.state)
    assert repr(ours) == repr(whole)
    ours.advance(7)
    whole.advance(7)
    again = Generator.from_state(whole.state)
    assert ours.state == again.state == whole.state
    again.counter = 3
    assert again.counter == 3
    again.state = whole.state
    assert [one.key for one in again.split(3)] == [one.key for one in whole.split(3)]
    assert again.state == whole.state


def test_a_permutation_is_that_of_one_generator():
    ours, whole = Generator(4), dml_vk.random.Generator(4)
    for n, chunks in ((1000, 300), (7, 7), (1, 1)):
        order = ours.permutation(n, chunks=chunks)
        assert order.compute().tolist() == whole.permutation(n).tolist()
        assert order.chunks[0][0] == chunks
    assert ours.state == whole.state


def test_bad_arguments_are_errors_at_the_call():
    with pytest.raises(dml_vk.RangeError, match="normal: std must not be negative"):
        Generator(1).normal((3, 4), std=-1)
    with pytest.raises(dml_vk.DTypeError, match="bits: dtype must be one of"):
        Generator(1).bits((3, 4), "float32")
    with pytest.raises(dml_vk.LayoutError, match="random: "):
        Generator(1).random((3, -4))
    with pytest.raises(dml_vk.LayoutError, match=r"random: .*channels_last"):
        Generator(1).random((3, 4), memory_format=channels_last)
    with pytest.raises(ValueError, match=r"[Cc]hunks"):
        Generator(1).random((3, 4), chunks=(2, 2, 2))
    with pytest.raises(dml_vk.DmlVkError, match="permutation: "):
        Generator(1).permutation(-1)
