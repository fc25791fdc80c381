"""The same bits whoever does the work: teams of other sizes, one of them or many."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import dml_vk
from dml_vk import linalg
from dml_vk.ops import reflections
from tests.kernel.linalg.matrices import DTYPES, as_tuple, random_numbers, same_bits
from tests.kernel.profiled import profiled


def decomposed(a):
    """One array after the other."""
    x = dml_vk.asarray(a)
    n = a.shape[-1]
    positive = x @ dml_vk.conj(x).mT + n * dml_vk.eye(n, dtype=x.dtype)
    results = linalg.cholesky(positive), linalg.solve(x, x.mT), linalg.slogdet(x), linalg.qr(x)
    results += linalg.eigh(x[:, :16, :16]), linalg.svd(x[:, :16, :16])
    return tuple(one.numpy() for result in results for one in as_tuple(result))


@pytest.mark.parametrize("dtype", DTYPES)
def test_teams_of_all_sizes_give_the_same_bits(dtype, monkeypatch):
    device = dml_vk.device()
    a = random_numbers((2, 34, 34), dtype).astype(dtype)
    a[1] = np.diag(np.arange(34)) + 1e-3 * a[1]
    expected = decomposed(a)
    for change in ({"coalesces": True}, {"coalesces": True, "max_invocations": 32}):
        with profiled(device, dataclasses.replace(device.profile, **change)):
            assert same_bits(decomposed(a), expected), change
    monkeypatch.setattr(reflections, "_BY_ONE_TEAM", 8)
    assert same_bits(decomposed(a), expected)
