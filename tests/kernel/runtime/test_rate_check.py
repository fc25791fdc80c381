"""Measuring this device, and copies by the kernel that may win, whichever does here."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dml_vk
from dml_vk.runtime import encode
from dml_vk.runtime.rates import Rates
from tests.unit.runtime.test_rates import Check


@pytest.mark.parametrize("rate", ["bytes", "float32", "float64"])
def test_a_device_has_a_rate(rate):
    found = dml_vk.device().queue.rate_check().rate(rate)
    assert 1 <= found < math.inf


def test_one_of_the_ways_to_copy_is_faster():
    assert dml_vk.device().queue.rate_check().copies() in (2**20, 2**23, 2**26, math.inf)


@pytest.fixture(params=["as it is", "staged"])
def kernels(request, monkeypatch):
    """A device on which kernels copy, and nothing else does."""
    found = request.param == "staged"
    device = request.getfixturevalue("staged") if found else dml_vk.device()
    monkeypatch.setattr(device.queue.encoder, "rates", Rates(Check(copies=0.0)))
    device.queue.encoder.forget()
    return device


@pytest.mark.parametrize("more", [0, 1, 4, 13, 16])
@pytest.mark.parametrize("start", [0, 1, 16])
def test_a_copy_by_a_kernel_has_every_byte_and_no_more(kernels, more, start, monkeypatch):
    launched = []
    plan = encode.plan_flat_copy
    monkeypatch.setattr(
        encode, "plan_flat_copy", lambda *given: launched.append(given[0]) or plan(*given)
    )
    nbytes = 2**20 + more
    data = np.random.default_rng(more).integers(1, 256, nbytes + start + 40, np.uint8)
    source = dml_vk.asarray(data, device=kernels)
    target = dml_vk.full((data.size,), 77, "uint8", device=kernels)
    target[16 : 16 + nbytes] = source[start : start + nbytes]
    expected = np.full(data.size, 77, np.uint8)
    expected[16 : 16 + nbytes] = data[start : start + nbytes]
    np.testing.assert_array_equal(target.numpy(), expected)
    assert launched == ([] if start % 16 else [nbytes // 16 * 16])


def test_nothing_is_measured_for_short_copies(kernels):
    x = dml_vk.ones((2**18 - 1,), device=kernels)
    assert (x.copy().numpy() == 1).all()
    assert "copies" not in kernels.queue.encoder.rates._check.asked
    x = dml_vk.ones((2**18,), device=kernels)
    assert (x.copy().numpy() == 1).all()
    assert kernels.queue.encoder.rates._check.asked.count("copies") == 1


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float64"])
def test_a_reversed_copy_by_a_kernel_begins_where_its_memory_does(kernels, dtype):
    """Its operands begin at their last elements, which are not aligned to quads."""
    data = np.random.default_rng(3).integers(1, 100, 2**20).astype(dtype)
    source = dml_vk.asarray(data, device=kernels)
    target = dml_vk.full((data.size + 64,), 77, dtype, device=kernels)
    target[32:-32].flip(0)[...] = source.flip(0)
    found = target.numpy()
    np.testing.assert_array_equal(found[32:-32], data)
    assert (found[:32] == 77).all()
    assert (found[-32:] == 77).all()
