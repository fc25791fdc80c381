"""Sizes on both sides of every limit. Only asked for with --large, since they take gigabytes."""

from __future__ import annotations

import dataclasses
import gc

import pytest

import dml_vk
from dml_vk.kernels.plan.transfer import COPY, FILL
from dml_vk.runtime.device import opened
from dml_vk.runtime.pipelines import group_count
from tests.kernel.profiled import profiled

KEPT = 2**28  # bytes of a device that the next test may well have


def pytest_ignore_collect(collection_path, config):
    return None if config.getoption("large") else True


@pytest.fixture(autouse=True)
def released():
    """Give memory back after each test: a test of another process may need it at the same time."""
    yield
    for device in opened():
        if device.memory.held > KEPT:
            gc.collect()
            device.release_cached()


class Beyond:
    """Modules of plans of which an invocation would have gone too far, had they not been cut."""

    def __init__(self, encoder):
        self.modules = set()
        self.encoder, self._encode = encoder, encoder.encode

    def lower(self, rounds):
        """As if the device went fewer, where it would take too long to reach its own limit."""
        self.encoder.profile = dataclasses.replace(self.encoder.profile, max_rounds=rounds)

    def encode(self, plan, *given):
        if plan.module not in (COPY, FILL):  # which no kernel does
            profile = self.encoder.profile
            each = 1 if plan.by_teams else plan.spec[0]
            groups = group_count(-(-plan.units // each), profile)
            if plan.rounds(plan.units, groups) > profile.max_rounds:
                self.modules.add(plan.module)
        return self._encode(plan, *given)

    def reach(self, call, sizes, wanted=None):
        """Make the call, which looks at its results, with each size until all these modules had to
        be cut, or any.
        """
        for size in sizes:
            before = len(self.modules)
            call(size)
            if len(self.modules) > before if wanted is None else self.modules >= wanted:
                return
        left = "none" if wanted is None else wanted - self.modules
        raise AssertionError(f"at none of {sizes} these had to be cut: {left}")


@pytest.fixture
def beyond(monkeypatch):
    """A few invocations do everything, as ever so many would of ever so much more."""
    device = dml_vk.device()
    encoder = device.queue.encoder
    found = Beyond(encoder)
    with profiled(device, dataclasses.replace(device.profile, groups_wanted=1, max_invocations=32)):
        monkeypatch.setattr(encoder, "encode", found.encode, raising=False)
        yield found
