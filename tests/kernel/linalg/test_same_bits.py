"""The same bits whoever does the work: teams of other sizes, one of them or many."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import dml_vk
from dml_vk import linalg
from dml_vk.linalg import iterations, reductions
from tests import tier
from tests.kernel.linalg.matrices import DTYPES, as_tuple, random_numbers, same_bits
from tests.kernel.profiled import profiled


def decomposed(a, *, iterates=True):
    """One array after the other."""
    x = dml_vk.asarray(a)
    n = a.shape[-1]
    positive = x @ dml_vk.conj(x).mT + n * dml_vk.eye(n, dtype=x.dtype)
    results = linalg.cholesky(positive), linalg.solve(x, x.mT), linalg.slogdet(x), linalg.qr(x)
    found = tuple(one.numpy() for result in results for one in as_tuple(result))
    return found + iterated(x[:, :16, :16]) if iterates else found


def iterated(x):
    results = linalg.eig(x), linalg.eigh(x), linalg.svd(x)
    return tuple(one.numpy() for result in results for one in result)


TEAMS = ({"coalesces": True}, {"coalesces": True, "max_invocations": 32})


@tier.parametrize("change dtype", TEAMS, tier.some(DTYPES, 2))
def test_teams_of_all_sizes_give_the_same_bits(change, dtype):
    device = dml_vk.device()
    a = random_numbers((2, 34, 34), dtype).astype(dtype)
    a[1] = np.diag(np.arange(34)) + 1e-3 * a[1]
    # Iterations of small teams are tested with panels.
    iterates = change is TEAMS[1] or tier.is_all()
    expected = decomposed(a, iterates=iterates)
    with profiled(device, dataclasses.replace(device.profile, **change)):
        assert same_bits(decomposed(a, iterates=iterates), expected)


@pytest.mark.product
@pytest.mark.parametrize("dtype", [np.float64, np.complex64])
def test_teams_give_the_same_bits_of_matrices_in_panels(dtype, monkeypatch):
    monkeypatch.setattr(reductions, "BY_ONE_TEAM", 8)
    device = dml_vk.device()
    x = dml_vk.asarray(random_numbers((2, 34, 34), dtype).astype(dtype))
    expected = iterated(x)
    with profiled(device, dataclasses.replace(device.profile, **TEAMS[1])):
        assert same_bits(iterated(x), expected)


@pytest.mark.parametrize("dtype", tier.some([np.float32, np.complex128], 1))
def test_iterations_cut_anywhere_into_launches_give_the_same_bits(dtype, monkeypatch):
    a = random_numbers((2, 40, 40), dtype).astype(dtype)
    a[1] = np.diag(np.arange(40)) + 1e-3 * a[1]  # the matrices are done at different times
    a[1, 7:9] = a[1, :, 20] = 0
    x = dml_vk.asarray(a)
    expected = iterated(x)
    monkeypatch.setattr(iterations, "MOST_AT_ONCE", 37)
    assert same_bits(iterated(x), expected)
