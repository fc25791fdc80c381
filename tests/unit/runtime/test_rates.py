"""The measured speed of a device: when it is measured, kept, and what it means for dispatches."""

from __future__ import annotations

import math

import pytest

from dml_vk.dtypes import float32, float64
from dml_vk.errors import DeviceMemoryError
from dml_vk.kernels.plan.matmul import plan_matmul
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.limits import Profile
from dml_vk.runtime.encode import Encoder
from dml_vk.runtime.rates import SLOW_CORE, WORTH_NS, Rates

# Of an NVIDIA H200: products of float32 and of float64 in multiples of the estimates, and copies.
H200 = {"float32": 3600.0, "float64": 90_000.0, "bytes": 850.0}


class Check:
    """A device that was measured already, and counts how often it is asked."""

    def __init__(self, rates=H200, copies=2.0**20):
        self.rates, self.least, self.asked = rates, copies, []

    def rate(self, rate):
        self.asked.append(rate)
        return self.rates[rate]

    def copies(self):
        self.asked.append("copies")
        return self.least


def test_a_rate_is_measured_once_and_when_enough_work_depends_on_it():
    check = Check()
    rates = Rates(check)
    for _ in range(3):
        assert rates.of("bytes", WORTH_NS / 4) == SLOW_CORE
    assert check.asked == []
    assert [rates.of("bytes", WORTH_NS / 4) for _ in range(3)] == [850.0] * 3
    assert check.asked == ["bytes"]
    assert rates.of("float32", WORTH_NS) == 3600.0
    assert rates.is_known("float32")
    assert not rates.is_known("float64")


def test_a_device_that_nothing_measures_is_a_slow_core():
    assert Rates().of("bytes", 1e12) == SLOW_CORE
    assert not Rates().kernels_copy(2**30)


def test_the_next_process_knows_the_rates(tmp_path):
    first, second = Check(), Check({})
    rates = Rates(first, tmp_path / "rates")
    rates.of("bytes", WORTH_NS)
    assert rates.kernels_copy(2**20)
    again = Rates(second, tmp_path / "rates")
    assert again.of("bytes", 1.0) == 850.0
    assert (again.kernels_copy(2**20), again.kernels_copy(2**20 - 1)) == (True, False)
    assert second.asked == []


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"bytes": "x"}', b'{"bytes": -1}'])
def test_a_damaged_file_is_measured_anew(content, tmp_path, monkeypatch):
    monkeypatch.setattr("dml_vk.cache_files.read", lambda path, most: content)
    check = Check()
    assert Rates(check, tmp_path / "rates").of("bytes", WORTH_NS) == 850.0
    assert check.asked == ["bytes"]


def test_where_memory_is_short_work_goes_on_unmeasured(tmp_path):
    class Short(Check):
        def rate(self, rate):
            super().rate(rate)
            raise DeviceMemoryError("allocate", "no memory", bytes=1)

        def copies(self):
            return self.rate("copies")

    check = Short({"bytes": 1.0, "copies": 1.0})
    rates = Rates(check, tmp_path / "rates")
    assert [rates.of("bytes", WORTH_NS) for _ in range(3)] == [SLOW_CORE] * 3
    assert not any(rates.kernels_copy(2**30) for _ in range(3))
    assert check.asked == ["bytes", "copies"]
    assert not (tmp_path / "rates").exists(), "the next process may have more"


@pytest.mark.parametrize("least", [2.0**20, 2.0**23, math.inf])
def test_copies_go_by_the_way_that_was_faster(least):
    check = Check(copies=least)
    rates = Rates(check)
    for nbytes in (2**20, 2**23 - 1, 2**23, 2**26):
        assert rates.kernels_copy(nbytes) == (nbytes >= least)
    assert check.asked == ["copies"]


@pytest.mark.parametrize(
    ("rows", "dtype", "most"), [(4096, float32, 1), (8192, float32, 2), (2048, float64, 1)]
)
def test_a_product_on_a_large_gpu_is_not_cut(rows, dtype, most):
    # As of an H200: lanes of 32, which it does not say to be in order.
    profile = Profile(
        max_range_bytes=2**31 - 4096,
        max_push_bytes=256,
        max_invocations=1024,
        max_storage_buffers=2**20,
        max_shared_bytes=49152,
        subgroup=32,
        max_rounds=2**17,
    )
    strides = (rows, 0, 1), (0, 1, rows), (rows, 1)
    operands = [Operand(each, 0, dtype.itemsize) for each in strides]
    plan = plan_matmul((rows, rows), min(rows, 4096), operands, (dtype,) * 3, profile).plan
    encoder = Encoder(None, profile, binds_ranges=False)
    encoder.rates = Rates(Check())
    at_once = encoder.units_at_once(plan, encoder.unit_ns(plan))
    depths = -(-rows // 4096)
    assert -(-plan.units // at_once) * depths <= most
