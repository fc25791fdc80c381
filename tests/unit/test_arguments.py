"""Arguments as the types that the code works with: what passes, what is refused, and as what."""

from __future__ import annotations

from collections import deque
from itertools import count

import numpy as np
import pytest

from dml_vk.arguments import MOST_LISTED, is_one, several, to_bool, to_index, to_ints, to_tuple
from dml_vk.errors import DTypeError, LayoutError, LayoutIndexError


def test_a_class_without_a_module_is_no_bool():
    names = {}
    exec("found = type('Odd', (), {})()", names)  # as in a namespace that has no __name__
    with pytest.raises(DTypeError, match=r"^copy: copy must be a bool"):
        to_bool("copy", "copy", names["found"])


def test_integers_of_any_type_become_pythons():
    ints = to_ints("view", "sizes", deque([np.int8(3), True, 2**70]))
    assert ints == (3, 1, 2**70)
    assert {type(value) for value in ints} == {int}


@pytest.mark.parametrize("values", ["12", b"12", {1: 2}, {1, 2}, 3, [1.0], range(MOST_LISTED + 1)])
def test_what_has_no_order_or_no_integers_is_no_sequence_of_integers(values):
    with pytest.raises(LayoutError, match=r"^view: sizes must be a sequence of integers"):
        to_ints("view", "sizes", values)


def test_an_endless_sequence_ends_in_an_error():
    assert to_tuple("where", "arrays", iter("ab"), most=2) == ("a", "b")
    with pytest.raises(LayoutError, match="arrays must be a sequence of at most 2"):
        to_tuple("where", "arrays", count(), most=2)


@pytest.mark.parametrize("value", [5, "text", np.float32(1), np.ones(())])
def test_what_has_no_dims_is_one_value(value):
    assert is_one(value)
    assert several(value) == (value,)
    assert not is_one([value])


def test_negative_indexes_count_from_the_end():
    assert [to_index("take", "index", index, 3) for index in (-3, -1, 0, 2)] == [0, 2, 0, 2]
    for index in (-4, 3):
        with pytest.raises(LayoutIndexError, match="index must be from -3 to 2"):
            to_index("take", "index", index, 3)
    with pytest.raises(LayoutIndexError, match="index is out of range: there are none"):
        to_index("take", "index", 0, 0)
