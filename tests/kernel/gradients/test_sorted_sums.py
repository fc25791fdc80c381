"""Sums by sorted index: of whole numbers they are exact, whatever dtype the index is sorted in."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.gradients.rules.indexing import added_at
from dml_vk.gradients.rules.sorted_sums import sums_at
from dml_vk.ops.segments import narrowed
from tests.chance import chance

# The least dtype that holds the count: each byte of it is a pass of a sort.
COUNTS = {256: "uint8", 257: "uint16", 65536: "uint16", 65537: "uint32", 2**33: "uint64"}


@pytest.mark.parametrize("count", COUNTS)
def test_an_index_is_sorted_in_few_bytes(count):
    index = dml_vk.asarray(np.array([0, min(count, 2**31) - 1]))
    found = narrowed("it", index, count)
    assert found.dtype.name == COUNTS[count]
    assert dml_vk.Tensor(found).tolist() == index.tolist()


@pytest.mark.parametrize("count", [1, 255, 256, 65535, 65536])
def test_sums_are_those_of_each_index(count):
    index = chance().integers(0, count, 700)
    index[:3] = 0, count - 1, count - 1
    values = chance().integers(-9, 10, 700).astype(np.float32)
    expected = np.zeros(count, np.float32)
    np.add.at(expected, index, values)
    at, x = dml_vk.asarray(index), dml_vk.asarray(values)
    assert np.array_equal(added_at(x, at, count).numpy(), expected)
    rows = dml_vk.stack([x, -x], axis=1)
    found = sums_at(at, rows, count).numpy()
    assert np.array_equal(found, np.stack([expected, -expected], axis=1))
