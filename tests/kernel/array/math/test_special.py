"""`dml_vk.special` has SciPy's functions under SciPy's names."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import scipy.special

import dml_vk
from dml_vk import special
from tests import tier
from tests.chance import chance

X = np.random.default_rng(3).uniform(0.05, 20, (2, 3, 40))


@pytest.mark.parametrize("name", special.__all__)
def test_each_is_scipys_function_of_this_name(name):
    theirs = getattr(scipy.special, name)
    operands = X if name == "xlogy" else X[:1]
    if name == "erfinv":  # from -1 to 1
        operands = operands / 10 - 1
    named = {"axis": 1} if name == "logsumexp" else {}
    found = getattr(special, name)(*map(dml_vk.asarray, operands), **named)
    assert np.allclose(found.numpy(), theirs(*operands, **named), rtol=1e-13, atol=1e-15)


def test_erfinv_is_as_exact_as_it_says():
    near = 1 - 10.0 ** -chance().uniform(0, 16, 40)
    tiny = 10.0 ** -chance().uniform(0, 320, 40)
    for array in (chance().uniform(-1, 1, 60), near, -near, tiny, np.float64([5e-324, 0.5])):
        found = special.erfinv(dml_vk.asarray(array)).numpy()
        with mpmath.workdps(60):
            exact = [mpmath.erfinv(mpmath.mpf(float(x))) for x in array]
            for one, wanted in zip(found, exact):
                ulp = np.spacing(max(abs(float(wanted)), 5e-324))
                assert abs(mpmath.mpf(float(one)) - wanted) <= 2 * ulp
        single = array.astype(np.float32)
        single = single[np.abs(single) < 1]
        found = special.erfinv(dml_vk.asarray(single)).numpy()
        wanted = special.erfinv(dml_vk.asarray(single.astype(np.float64))).numpy()
        assert np.array_equal(found, wanted.astype(np.float32))


def test_erfinv_at_its_ends():
    x = dml_vk.asarray([1.0, -1.0, 1.5, np.nan, -np.inf])
    found = special.erfinv(x).numpy()
    np.testing.assert_array_equal(found, [np.inf, -np.inf, np.nan, np.nan, np.nan])
    assert np.signbit(special.erfinv(dml_vk.asarray([-0.0])).numpy()).all()
    assert special.erfinv(dml_vk.asarray([0, 1])).dtype is dml_vk.float32
    np.testing.assert_array_equal(scipy.special.erfinv(x).numpy(), found)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_numbers_beside_tensors(dtype):
    x = dml_vk.asarray(X[0, 0].astype(dtype))
    for number in tier.some((0.7, 1.3, 2.9), 2):  # Calls after the first are recorded ones.
        same = dml_vk.full_like(x, number)
        assert special.xlogy(x, number).tolist() == special.xlogy(x, same).tolist()
        assert special.xlogy(number, x).tolist() == special.xlogy(same, x).tolist()


def test_those_of_the_main_namespace_are_the_same_functions():
    shared = [name for name in special.__all__ if name in dml_vk.__all__]
    assert shared == ["digamma", "erf", "erfc", "gammaln", "i0e", "i1e", "xlogy"]
    assert all(getattr(special, name) is getattr(dml_vk, name) for name in shared)
    assert special.expit is dml_vk.sigmoid
    assert special.logsumexp is dml_vk.nn.logsumexp
