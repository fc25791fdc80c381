"""Writes that a tape of gradients notes: elements of one view become those of another."""

from __future__ import annotations

from dml_vk import context
from dml_vk.runtime.executor import Records


def tape() -> Records | None:
    """The recorder of this context, if it notes single writes."""
    recorder = context.get().recorder
    if recorder is None or recorder.is_over or not recorder.notes_writes:
        return None
    return recorder
