"""Measuring this device, and copies by the kernel that may win, whichever does here."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dml_vk
from dml_vk.runtime import encode
from dml_vk.runtime.rates import Rates
from dml_vk.runtime.timing import Time
from tests import tier
from tests.unit.runtime.test_rates import Check


@pytest.fixture
def check():
    return dml_vk.device().queue.rate_check()


@pytest.fixture
def ran(check, monkeypatch):
    """What the device is timed at, instead of running: (plan or None, bytes, microseconds)."""
    found = []

    def times(microseconds):
        found.clear()

        def run(plan, sizes, rounds=1):
            found.append((plan, sizes[0], microseconds(plan, sizes[0])))
            return Time(found[-1][2], "device")

        monkeypatch.setattr(check, "_run", run)
        return found

    return times


@pytest.mark.parametrize("rate", ["bytes", "float32", "float64"])
@pytest.mark.parametrize("speed", [0.25, 1.0, 3.0, 4000.0])
def test_a_rate_is_the_estimate_by_the_time_of_the_last_case(check, ran, rate, speed):
    found = ran(lambda plan, nbytes: plan.units * plan.unit_ns / 1000 / speed)
    assert check.rate(rate) == pytest.approx(max(1.0, speed))
    assert all(us < 400 for *_, us in found[:-1]), "the first that takes long is the last"
    assert found[-1][2] >= 400 or len(found) == 3
    assert {plan.rate for plan, *_ in found} == {rate}


def test_a_kernel_copies_from_where_it_is_faster_at_all_sizes(check, ran):
    slow, fast = {2**20: 9, 2**23: 9, 2**26: 9}, {2**20: 8, 2**23: 8, 2**26: 8}
    for by_kernel, expected in (
        (fast, 2**20),
        ({**fast, 2**20: 9}, 2**23),
        ({**slow, 2**26: 8}, 2**26),
        ({**fast, 2**26: 9}, math.inf),
        (slow, math.inf),
    ):
        ran(lambda plan, nbytes, by=by_kernel: by[nbytes] if plan else 9)
        assert check.copies() == expected
    found = ran(lambda plan, nbytes: nbytes / (2000 if plan else 1000))
    assert check.copies() == 2**20
    assert {nbytes for _, nbytes, _ in found} == {2**20}, "it took long enough"


@pytest.mark.parametrize("rate", ["bytes", "float32", "float64"])
def test_what_is_timed_computes_what_it_should(check, rate, monkeypatch):
    """On equal operands: their copy, or a sum of as many squares as the matrix has rows."""
    blocks = []
    allocate = check._runtime.allocate
    monkeypatch.setattr(
        check._runtime,
        "allocate",
        lambda nbytes, kind: blocks.append(allocate(nbytes, "readback")) or blocks[-1],
    )
    made, case = check._copy_plan, 2**20
    if rate != "bytes":
        made, case = check._product_plan(getattr(dml_vk, rate)), 128
    plan, sizes = made(case)
    assert check._run(plan, sizes, 3).microseconds > 0
    words = check._runtime.view(blocks[0])
    result = words[sum(sizes[:-1]) // 4 :].view(np.float64 if rate == "float64" else np.float32)
    one = words[:2].view(result.dtype)[0]
    expected = one if rate == "bytes" else 128 * one * one
    np.testing.assert_allclose(result, np.full(result.size, expected), 1e-14)


@pytest.fixture(params=["as it is", "staged"])
def kernels(request, monkeypatch):
    """A device on which kernels copy, and nothing else does."""
    found = request.param == "staged"
    device = request.getfixturevalue("staged") if found else dml_vk.device()
    monkeypatch.setattr(device.queue.encoder, "rates", Rates(Check(copies=0.0)))
    device.queue.encoder.forget()
    return device


@tier.parametrize("more source_at target_at", [0, 1, 4, 13, 16], [0, 1, 4, 8, 16], [16, 19, 24, 28])
def test_a_copy_by_a_kernel_has_every_byte_and_no_more(kernels, more, source_at, target_at, watch):
    nbytes = 2**20 + 16 + more
    data = np.random.default_rng(more).integers(1, 256, nbytes + 60, np.uint8)
    source = dml_vk.asarray(data, device=kernels)
    target = dml_vk.full((data.size,), 77, "uint8", device=kernels)
    target[target_at : target_at + nbytes] = source[source_at : source_at + nbytes]
    expected = np.full(data.size, 77, np.uint8)
    expected[target_at : target_at + nbytes] = data[source_at : source_at + nbytes]
    np.testing.assert_array_equal(target.numpy(), expected)
    head = -target_at % 16
    past = (source_at + head) % 16
    assert watch == [((nbytes - head) // 16 * 16, past)]


@pytest.fixture
def watch(monkeypatch):
    """The bytes that kernels copy, and how far past a multiple of 16 they come from."""
    launched = []
    plan = encode.plan_flat_copy
    monkeypatch.setattr(
        encode, "plan_flat_copy", lambda *given: launched.append(given[:2]) or plan(*given)
    )
    return launched


@pytest.mark.parametrize(
    ("past", "module"),
    [(0, "copy_words_128"), (8, "copy_words_64"), (4, "copy_words_32"), (3, "copy_packed_8")],
)
def test_a_flat_copy_takes_the_widest_elements(past, module):
    plan = encode.plan_flat_copy(2**20, past, dml_vk.device().profile)
    assert plan.module == module
    assert plan.base_bytes == (int(module.rpartition("_")[2]) // 8,) * 2


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
