"""Scatters against a reference that writes one element after another: the last one stays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.array.indexing.api import write
from dml_vk.errors import LayoutError
from dml_vk.layout import Layout, channels_last
from dml_vk.ops.scatter import scatter
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.chance import chance
from tests.kernel.memory import (
    ITEMSIZES,
    KINDS,
    MARGIN,
    aligned,
    check_writes,
    elements,
    memory_for,
)

packed = Layout.packed
EVERY = slice(None)


def assigned(array: np.ndarray, key, values: np.ndarray) -> np.ndarray:
    """array[key] = values in row-major order, which NumPy itself does not promise."""
    array = array.copy()
    places = np.arange(array.size).reshape(array.shape)[key]
    for place, value in zip(places.flat, np.broadcast_to(values, places.shape).flat):
        array.flat[place] = value
    return array


def on_device(key):
    """The key with its arrays as tensors."""
    if isinstance(key, tuple):
        return tuple([on_device(part) for part in key])
    return dml_vk.asarray(key) if isinstance(key, np.ndarray) else key


def check_scatter(target, key, itemsize, values=None, *, host=False) -> None:
    before = chance().integers(0, 250, target.sizes).astype(KINDS[itemsize])
    if values is None:
        values = Layout(before[key].shape, offset=16 - MARGIN)
    memory, values = memory_for(values, itemsize)
    v = dml_vk.asarray(memory).over(values)

    def call(y):
        dml_vk.copy(dml_vk.asarray(before), y)
        write(y, key if host else on_device(key), v)

    check_writes(call, target, itemsize, assigned(before, key, elements(memory, values)))


def some(length, *sizes, dtype=np.int64):
    return chance().integers(-length, length, sizes).astype(dtype)


IMAGE = (3, 8, 5, 7)
# One for every way that a scatter goes: (target, key).
WAYS = {
    "one dim": lambda: (packed((97,)), (some(97, 50),)),
    "rows": lambda: (aligned(7, 32), (some(7, 9),)),
    "rows of a quad": lambda: (aligned(7, 4), (some(7, 9),)),
    "rows apart": lambda: (aligned(7, 3, 16), (some(7, 9), EVERY)),
    "rows of primes": lambda: (packed((7, 11)), (some(7, 9),)),
    "columns": lambda: (packed((7, 11)), (EVERY, some(11, 9))),
    "pairs": lambda: (packed((7, 11)), (some(7, 40), some(11, 40))),
    "pairs, one broadcast": lambda: (packed((7, 11)), (some(7, 5, 1), some(11, 6))),
    "channels last": lambda: (
        packed(IMAGE, channels_last),
        (EVERY, EVERY, some(5, 20), some(7, 20)),
    ),
    "apart": lambda: (packed(IMAGE), (some(3, 20), EVERY, EVERY, some(7, 20))),
    "backwards": lambda: (packed((7, 11)).flip((0, 1)), (some(7, 40), some(11, 40))),
    "padded": lambda: (packed((7, 40)).narrow(1, 3, 32), (some(7, 9),)),
    "columns of rows": lambda: (aligned(3, 7, 16), (EVERY, some(7, 9))),
    "a mask": lambda: (packed((7, 11)), (chance().random((7, 11)) < 0.4,)),
    "a mask of rows": lambda: (packed((7, 16)), (chance().random(7) < 0.4,)),
    "a mask over gaps": lambda: (
        packed((7, 5, 11), (2, 0, 1)),
        (chance().random((7, 5)) < 0.4, some(11, 1)),
    ),
    "nothing": lambda: (packed((7, 11)), (np.zeros(0, int),)),
    "rank 8": lambda: (
        packed((2,) * 8, (3, 1, 0, 2, 7, 4, 6, 5)),
        (EVERY, some(2, 3), EVERY, some(2, 3)),
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_variant(way):
    target, key = WAYS[way]()
    for itemsize in ITEMSIZES if "rows" in way else (1, 4):
        check_scatter(target, key, itemsize)
    check_scatter(target, key, 4, host=True)


@tier.examples(25)
@given(st.data())
def test_any_layouts(data):
    target = data.draw(targets(max_rank=4, min_size=1).filter(lambda layout: layout.rank > 0))
    first = data.draw(st.integers(0, target.rank - 1))
    shape = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=2))
    key = [EVERY] * target.rank
    for dim in {first, data.draw(st.integers(0, target.rank - 1))}:
        key[dim] = some(target.sizes[dim], *shape)
    sizes = np.empty(target.sizes)[tuple(key)].shape
    own = tuple([data.draw(st.sampled_from([n, n, 1])) for n in sizes])
    values = data.draw(layouts(sizes=own[data.draw(st.integers(0, len(own))) :]))
    itemsize, host = data.draw(st.sampled_from(ITEMSIZES)), data.draw(st.booleans())
    check_scatter(target, tuple(key), itemsize, values, host=host)


def test_of_several_writes_to_one_place_the_last_wins():
    for itemsize in ITEMSIZES:
        key = (chance().integers(0, 3, (100, 100)),)
        check_scatter(packed((3,)), key, itemsize)
    check_scatter(packed((3, 16)), (chance().integers(0, 3, 3000),), 1)


def test_values_and_indexes_that_share_memory_are_read_before_anything_is_written():
    array = chance().permutation(50)
    x = dml_vk.asarray(array)
    write(x, x, x.over(x.layout.flip(0)))
    assert np.array_equal(x.numpy(), assigned(array, array, array[::-1]))


def test_scatters_into_too_many_elements_are_refused():
    x = dml_vk.asarray(np.zeros((1, 1), np.uint8))
    large = x.over(x.layout.expand(2**16, 2**15))
    with pytest.raises(LayoutError, match=r"scatter: cannot write 2147483648 .*sizes=\(65536"):
        scatter("scatter", large, large, (0,), x, (0, 1), 1, None)
