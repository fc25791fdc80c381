"""Slots stand for memory in what is recorded, and have none of its contents."""

from __future__ import annotations

import pytest

from dml_vk.tracing.step import Slot


def test_slots_have_no_contents():
    slot = Slot(3, 16)
    for use in (lambda: slot.bytes, lambda: slot.window, lambda: slot.export(None)):
        with pytest.raises(AssertionError, match="while it runs"):
            use()
