"""Whether work on a tensor's memory is still to come or under way."""

from __future__ import annotations


def is_pending(x, write=True):
    """As the host would have to wait for it before it writes, or reads."""
    queue = x.device.queue
    with queue.enter():
        sent = queue._submitted.batches
        oldest = sent[0] if sent else queue._batch
        return queue._last_level(x.allocation, write) >= oldest.graph.first
