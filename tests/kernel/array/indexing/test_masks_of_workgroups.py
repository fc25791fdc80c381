"""`x[mask]` by workgroups, as on a GPU: elements are written without their indexes."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.runtime.device import Device
from tests.chance import chance
from tests.kernel.elementwise import hard_values
from tests.kernel.memory import bits
from tests.kernel.profiled import profiled
from tests.profiles import GPU
from tests.real_dtypes import DTYPES

TILE = 32 * GPU.max_invocations


@pytest.fixture(autouse=True)
def teams():
    with profiled(dml_vk.device(), GPU):
        yield


def check(x, array, chosen):
    found = x[dml_vk.asarray(chosen)]
    assert np.array_equal(bits(found.numpy()), bits(array[chosen]))


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
def test_every_dtype(dtype):
    array = chance().choice(hard_values(dtype), (3, 701))
    check(dml_vk.asarray(array), array, chance().random(array.shape) < 0.3)


def test_every_length_round_tiles():
    for length in (0, 1, 7919, TILE - 1, TILE, TILE + 1, 2**16 - 1, 2**16 + 1):
        array = chance().integers(0, 2**31, length).astype(np.int32)
        for share in (0.0, 0.5, 1.0):
            check(dml_vk.asarray(array), array, chance().random(length) < share)


def test_views():
    """Elements with steps between them, either way; what has no single step takes indexes."""
    array = chance().normal(size=(70, 90))
    x = dml_vk.asarray(array)
    for view in (
        np.s_[:, ::3],
        np.s_[5:, :],
        np.s_[::-1, ::-1],
        np.s_[7],
        np.s_[:, 7],
        np.s_[::2, 1:],
    ):
        part = array[view]
        check(x[view], part, chance().random(part.shape) < 0.4)
    check(x.mT, array.T, chance().random((90, 70)) < 0.4)
    mask = dml_vk.asarray(chance().random((90, 70)) < 0.4)
    assert np.array_equal(x[mask.mT].numpy(), array[mask.numpy().T])


def test_three_launches(monkeypatch):
    """Beside the copy of their number, where the host does not see the device's memory."""
    launches, launch = [], Device.launch

    def noting(self, plan, operands, params=()):
        launches.append(plan.module)
        launch(self, plan, operands, params)

    x = dml_vk.arange(20_000, dtype="float32")
    mask = x > 17_000
    monkeypatch.setattr(Device, "launch", noting)
    assert x[mask].shape == (2999,)
    kernels = [module for module in launches if "transfer" not in module]
    assert len(kernels) == 3, launches
