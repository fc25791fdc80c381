"""Sizes on both sides of every limit. Only asked for with --large, since they take gigabytes."""

from __future__ import annotations

import dataclasses

import pytest

import dml_vk
from dml_vk.runtime.launch import group_count


def pytest_ignore_collect(collection_path, config):
    return None if config.getoption("large") else True


class Beyond:
    """Modules of plans of which an invocation would have gone too far, had they not been cut."""

    def __init__(self, queue):
        self.modules = set()
        self._queue, self._dispatches = queue, queue._dispatches

    def lower(self, rounds):
        """As if the device went fewer, where it would take too long to reach its own limit."""
        self._queue.limits = dataclasses.replace(self._queue.limits, max_rounds=rounds)

    def dispatches(self, plan, *given):
        limits = self._queue.limits
        groups = group_count(-(-plan.units // plan.spec[0]), limits)
        if plan.rounds(plan.units, groups) > limits.max_rounds:
            self.modules.add(plan.module)
        return self._dispatches(plan, *given)

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
    device.synchronize()
    limits = dataclasses.replace(device.limits, groups_wanted=1, max_invocations=32)
    found = Beyond(device.queue)
    monkeypatch.setattr(device, "limits", limits)
    monkeypatch.setattr(device.queue, "limits", limits)
    monkeypatch.setattr(device.queue, "_ready", {})
    monkeypatch.setattr(device.queue, "_dispatches", found.dispatches, raising=False)
    yield found
    device.synchronize()
