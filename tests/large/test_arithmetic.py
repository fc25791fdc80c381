"""Divisions and powers of as many elements as once went wrong, on the device as it is."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from tests import tier

DIVISIONS = {
    "remainder": (lambda x: x % 3.0, lambda a: a % np.float32(3)),
    "floor_divide": (lambda x: x // 3.0, lambda a: a // np.float32(3)),
    "fmod": (lambda x: dml_vk.fmod(x, 3.0), lambda a: np.fmod(a, np.float32(3))),
}


@tier.parametrize("name case", DIVISIONS, [("float32", 8_000_000), ("float16", 2**25)])
def test_divisions(name, case):
    dtype, size = case
    ours, numpys = DIVISIONS[name]
    array = np.random.default_rng(3).uniform(-1000, 1000, size).astype(dtype)
    expected = numpys(array.astype(np.float32)).astype(dtype)
    np.testing.assert_array_equal(ours(dml_vk.asarray(array)).numpy(), expected)


@pytest.mark.parametrize(
    ("dtype", "size"),
    [
        *[("int32", 2**25), ("uint64", 2**23)],
        *[
            pytest.param(*case, marks=pytest.mark.product)
            for case in (("int16", 2**25), ("uint8", 2**25), ("int64", 2**23))
        ],
    ],
)
def test_powers_of_integers(dtype, size):
    rng = np.random.default_rng(4)
    bases = rng.integers(2, 100, size).astype(dtype)
    exponents = rng.integers(0, 64, size).astype(dtype)
    found = dml_vk.pow(dml_vk.asarray(bases), dml_vk.asarray(exponents))
    np.testing.assert_array_equal(found.numpy(), bases**exponents)
