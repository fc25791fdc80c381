"""Which NaN a compiled function has: the same one, unless two NaN are added or multiplied."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from tests import tier

# Quiet and signalling, of both signs; what makes NaN; and ordinary numbers.
NANS = np.array([0x7FC00000, 0xFFC00000, 0x7FC12345, 0xFF812345], np.uint32).view(np.float32)
NUMBERS = np.array([np.inf, -np.inf, 0.0, -0.0, 1.5, -2.0], np.float32)

CASES = {
    "a negative plus": lambda x, y: -x + y,
    "plus a negative": lambda x, y: y + -x,
    "minus a negative": lambda x, y: y - -x,
    "a negative copied": lambda x, y: (-x).copy() + y,
    "times a negative": lambda x, y: y * -x,
    "a size times": lambda x, y: abs(x) * y,
    "a sum and its negative": lambda x, y: -(x + y) * 2 - 1,
    "a quotient": lambda x, y: (x / y) + 1,
    "chosen": lambda x, y: dml_vk.where(x > y, x, -y) + 1,
    "as float16": lambda x, y: (-x).to(dml_vk.float16).to(dml_vk.float32) + y,
}


def bits(x):
    return x.numpy().view(np.uint32)


@pytest.mark.parametrize("case", CASES)
def test_a_nan_beside_numbers_is_the_same(case):
    function = CASES[case]
    compiled = dml_vk.compile(function)
    pairs = ((NANS, NUMBERS), (NUMBERS, NUMBERS), (NUMBERS, NANS))
    for one, other in tier.some(pairs, 2):  # of which two take the same kernels
        x, y = [dml_vk.asarray(part.ravel()) for part in np.meshgrid(one, other)]
        assert np.array_equal(bits(compiled(x, y)), bits(function(x, y)))
    assert "fused" in compiled.explain()


def test_one_of_two_is_either():
    x, y = [dml_vk.asarray(part.ravel()) for part in np.meshgrid(NANS, NANS)]
    found = bits(dml_vk.compile(lambda x, y: y + abs(x))(x, y))
    quiet = np.uint32(0x00400000)
    either = found == (bits(y) | quiet), found == (bits(abs(x)) | quiet)
    assert np.all(either[0] | either[1])
