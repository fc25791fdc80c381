"""Excerpts of larger arrays get the numbers that the whole array has there."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.array.random.draws import draw_into, normals
from dml_vk.dtypes import DTYPES
from dml_vk.layout import Layout
from dml_vk.ops import draws, excerpts
from dml_vk.ops.excerpts import Excerpt
from dml_vk.testing import philox_words
from tests import tier
from tests.kernel.memory import bits
from tests.kernel.ops.test_philox import COUNTER, KEY, state_words

DRAWS = {
    "bits uint32": draws.words(DTYPES["uint32"]),
    "bits uint64": draws.words(DTYPES["uint64"]),
    "random float16": draws.words(DTYPES["float16"]),
    "random float64": draws.words(DTYPES["float64"]),
    "uniform float32": draws.uniform("uniform", DTYPES["float32"], -0.3, 5.1),
    "uniform float64": draws.uniform("uniform", DTYPES["float64"], -0.3, 5.1),
    "integers int8": draws.integers("integers", DTYPES["int8"], -77, 100, False),
    "integers int64": draws.integers("integers", DTYPES["int64"], 0, 2**40, False),
    **{
        f"normal {name}": normals("normal", DTYPES[name], 0.7, 2.5)
        for name in ("float16", "float32", "float64", "complex64", "complex128")
    },
}


def drawn(name, sizes, excerpt=None, order=None):
    dtype = DTYPES[name.split()[1]]
    layout = Layout.packed(sizes, order)
    target = dml_vk.empty(layout.numel, dtype).over(layout)
    return draw_into("draw", target, DRAWS[name], state_words(KEY, COUNTER), excerpt).numpy()


def is_part(name, whole, start, sizes, order=None):
    places = tuple(slice(first, first + size) for first, size in zip(start, sizes))
    expected = drawn(name, whole)[places]
    found = drawn(name, sizes, Excerpt(whole, start), order)
    return np.array_equal(bits(found), bits(np.ascontiguousarray(expected)))


@pytest.mark.parametrize("name", DRAWS)
def test_rows_columns_and_corners(name):
    whole = (5, 7, 9)
    parts = (
        ((0, 0, 0), whole),
        ((2, 0, 0), (3, 7, 9)),
        ((0, 3, 0), (5, 2, 9)),
        ((0, 0, 5), (5, 7, 3)),
        ((3, 2, 1), (2, 5, 8)),
        ((4, 6, 8), (1, 1, 1)),
        ((1, 1, 1), (0, 2, 2)),
    )
    cases, turn = tier.crossed(parts, (None, (1, 2, 0))), list(DRAWS).index(name) // 2
    for (start, sizes), order in cases if tier.is_all() else cases[turn % 2 :: 2]:
        assert is_part(name, whole, start, sizes, order), (start, sizes, order)


@st.composite
def parts(draw):
    whole = draw(st.lists(st.integers(1, 6), min_size=1, max_size=7))
    start = [draw(st.integers(0, size - 1)) for size in whole]
    sizes = [draw(st.integers(1, size - at)) for size, at in zip(whole, start)]
    return tuple(whole), tuple(start), tuple(sizes), tuple(draw(st.permutations(range(len(whole)))))


@tier.examples(30)
@given(st.sampled_from(list(DRAWS)), parts())
def test_any_part_in_any_order_of_dims(name, part):
    assert is_part(name, *part)


def test_indexes_beyond_31_and_32_bits(monkeypatch):
    """Of an array with 2**70 elements, the rows round each limit: words are counted by NumPy."""
    whole, columns = (2**30, 2**40), 5
    for row, column in ((0, 2**31 - 3), (0, 2**32 - 2), (1, 2**40 - 5), (2**30 - 2, 2**33 - 1)):
        found = drawn("bits uint32", (2, columns), Excerpt(whole, (row, column)))
        for k in range(2):
            index = (row + k) * 2**40 + column
            counter = (COUNTER + index // 4) % 2**128
            expected = philox_words(KEY, counter, columns + 4)[index % 4 :][:columns]
            assert found[k].tolist() == expected.tolist()


@tier.parametrize(
    "most name",
    [1, 7, 60, 2**31],
    ["normal complex128", "integers int64", "random float16"],
)
def test_launches_of_fewer_words_draw_the_same(name, most, monkeypatch):
    whole, start, sizes = (4, 6, 5, 3), (1, 2, 0, 1), (3, 3, 4, 2)
    expected = drawn(name, sizes, Excerpt(whole, start))
    monkeypatch.setattr(excerpts, "MOST_WORDS", most)
    launched = list(Excerpt(whole, start).pieces(dml_vk.empty(sizes), 1))
    assert len(launched) == {1: math.prod(sizes), 2**31: 1}.get(most, len(launched))
    assert np.array_equal(bits(drawn(name, sizes, Excerpt(whole, start))), bits(expected))
