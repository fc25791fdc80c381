"""Functions of floats give what the standards say for zeros, infinities, NaN and whole numbers."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.kernels.operators import OPERATORS
from dml_vk.testing.elementwise import ulps_apart
from tests import tier
from tests.kernel.memory import bits

ALL = {name: operator.special for name, operator in OPERATORS.items() if operator.special}
# They compute nothing of these, or have a test of their own.
ELSEWHERE = {"cast", "where", "whole_power", "clip", "clip_grad"}
KINDS = ("float16", "float32", "float64")
# One kernel computes the first two, which functions take by turns, and another the third.
TURNS = [(name, kind) for k, name in enumerate(ALL) for kind in (KINDS[k % 2], KINDS[2])]
CASES = [(name, kind) for name in ALL for kind in KINDS] if tier.is_all() else TURNS
# As many elements as in tests of accuracy and of every operator, by what a kernel is told of them:
# whole shares of an invocation where those are of all float16 there are, and else one more.
SHARE = 16


def test_every_function_of_floats_has_special_values():
    floats = {name for name, operator in OPERATORS.items() if operator.takes(dml_vk.float32)}
    assert floats - ELSEWHERE == set(ALL)


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_special_values(name, kind):
    *operands, expected = (repeated(name, np.array(each), kind) for each in zip(*ALL[name]))
    given = [dml_vk.asarray(np.array(each, kind)) for each in operands]
    found = getattr(dml_vk, name)(*given).numpy()
    check(name, operands, found, expected, kind)


def repeated(name: str, values: np.ndarray, kind: str) -> np.ndarray:
    """All of them, as many times as it takes."""
    whole = -(-values.size // SHARE) * SHARE
    is_whole = kind == "float16" and OPERATORS[name].arity == 1
    return np.resize(values, whole if is_whole else whole + 1)


@pytest.mark.parametrize("kind", KINDS)
def test_clip_keeps_nan_and_bounds_infinities(kind):
    x = repeated("clip", np.array([np.nan, np.inf, -np.inf, 5.0, -5.0, 0.5]), kind)
    found = dml_vk.clip(dml_vk.asarray(x.astype(kind)), -1.0, 2.0).numpy()
    expected = repeated("clip", np.array([np.nan, 2.0, -1.0, 2.0, -1.0, 0.5]), kind)
    check("clip", [x], found, expected, kind)


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
