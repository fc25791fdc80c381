"""Functions of floats give what the standards say for zeros, infinities, NaN and whole numbers."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.kernels.operators import OPERATORS
from dml_vk.testing.elementwise import ulps_apart
from tests.kernel.memory import bits

ALL = {name: operator.special for name, operator in OPERATORS.items() if operator.special}
# They compute nothing of these, or have a test of their own.
ELSEWHERE = {"cast", "where", "whole_power", "clip", "clip_grad"}
KINDS = ("float16", "float32", "float64")


def test_every_function_of_floats_has_special_values():
    floats = {name for name, operator in OPERATORS.items() if operator.takes(dml_vk.float32)}
    assert floats - ELSEWHERE == set(ALL)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ALL)
def test_special_values(name, kind):
    *operands, expected = (np.array(each) for each in zip(*ALL[name]))
    given = [dml_vk.asarray(np.array(each, kind)) for each in operands]
    found = getattr(dml_vk, name)(*given).numpy()
    check(name, operands, found, expected, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_clip_keeps_nan_and_bounds_infinities(kind):
    x = np.array([np.nan, np.inf, -np.inf, 5.0, -5.0, 0.5])
    found = dml_vk.clip(dml_vk.asarray(x.astype(kind)), -1.0, 2.0).numpy()
    check("clip", [x], found, np.array([np.nan, 2.0, -1.0, 2.0, -1.0, 0.5]), kind)


def check(name, operands, found, expected, kind) -> None:
    """Bit for bit, but for what is neither whole nor a half: that is rounded, within the bound."""
    if OPERATORS[name].result:
        assert found.tolist() == [bool(one) for one in expected], name
        return
    with np.errstate(invalid="ignore"):
        rounded = (expected * 2 % 1 != 0) & np.isfinite(expected)
    expected = expected.astype(kind)
    right = (bits(found) == bits(expected)) | np.isnan(found) & np.isnan(expected)
    right |= rounded & (ulps_apart(found, expected) <= OPERATORS[name].ulp)
    wrong = [(*case, got) for *case, got, ok in zip(*operands, expected, found, right) if not ok]
    assert not wrong, f"{name}(operands), expected, found: {wrong}"
