"""Whether work on a tensor's memory is still to come or under way."""

from __future__ import annotations

from dml_vk.runtime.hazards import last_level


def is_pending(x, write=True):
    """As the host would have to wait for it before it writes, or reads."""
    queue = x.device.queue
    with queue.enter():
        oldest = queue._sent[0] if queue._sent else queue._batch
        return last_level(queue._hazards, x.allocation, write) >= oldest.graph.first
