"""Indexing, compared with NumPy's and PyTorch's.

Bytes are counted as read and written, without the indexes. Basic keys are views, so they only cost
time on the host.
"""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from bench.cases import WHO, describe, finish

EVERY = slice(None)
TABLE, ROWS, NUMEL = (32768, 512), 16384, 2**22
_random = np.random.default_rng(3)

# case: (sizes, key, how many elements move)
READS = {
    "rows": (TABLE, lambda: _random.integers(0, TABLE[0], ROWS), ROWS * TABLE[1]),
    "columns": (TABLE, lambda: (EVERY, np.arange(0, TABLE[1], 2)), NUMEL * 2),
    "single elements": ((NUMEL,), lambda: _random.integers(0, NUMEL, NUMEL), NUMEL),
    "single elements, in order": ((NUMEL,), lambda: np.arange(NUMEL), NUMEL),
    "single bytes": ((NUMEL,), lambda: _random.integers(0, NUMEL, NUMEL), NUMEL),
    "1M single elements": ((2**20,), lambda: _random.integers(0, 2**20, 2**20), 2**20),
    "pairs of indexes": (
        (2048, 2048),
        lambda: tuple(_random.integers(0, 2048, (2, NUMEL // 4))),
        NUMEL // 4,
    ),
    "half by a mask": ((NUMEL,), lambda: np.arange(NUMEL) % 2 == 0, NUMEL // 2),
}
WRITES = [case for case in READS if case != "columns"]
VIEWS = {"x[1]": 1, "x[1:]": slice(1, None), "x[:, 1, ::2]": (EVERY, 1, slice(None, None, 2))}


def library(who, array):
    """(the array as theirs, how their indexes are made, what waits for them)."""
    if who == "dml_vk":
        return dml_vk.asarray(array), dml_vk.asarray, dml_vk.synchronize
    if who == "numpy":
        return array.copy(), np.asarray, int
    import torch

    return torch.asarray(array.copy()), torch.asarray, int


def prepared(who, case):
    sizes, key, numel = READS[case]
    array, made = _random.random(sizes, np.float32), key()
    if case == "single bytes":
        array = (256 * array).astype(np.uint8)
    x, convert, wait = library(who, array)
    if isinstance(made, tuple):
        theirs = tuple([part if isinstance(part, slice) else convert(part) for part in made])
    else:
        theirs = convert(made)
    return array, made, x, theirs, wait, 2 * array.itemsize * numel


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("case", READS)
def test_read(benchmark, case, who):
    array, key, x, theirs, wait, nbytes = prepared(who, case)
    describe(benchmark, "index", f"read {case}", who, nbytes)

    def call():
        found = x[theirs]
        wait()
        return found

    found = benchmark(call)
    finish(benchmark, nbytes)
    assert np.array_equal(np.asarray(found)[:1000], array[key][:1000])


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("case", WRITES)
def test_write(benchmark, case, who):
    array, _, x, theirs, wait, nbytes = prepared(who, case)
    describe(benchmark, "index", f"write {case}", who, nbytes)
    values = x[theirs]

    def call():
        x[theirs] = values
        wait()

    benchmark(call)
    finish(benchmark, nbytes)
    assert np.array_equal(np.asarray(x), array)


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("case", VIEWS)
def test_view(benchmark, case, who):
    x, _, _ = library(who, np.zeros((3, 4, 5), np.float32))
    describe(benchmark, "index", case, who, calls=1000)
    key = VIEWS[case]

    def call():
        for _ in range(1000):
            x[key]

    benchmark(call)
    assert tuple(x[key].shape) == np.zeros((3, 4, 5))[key].shape
