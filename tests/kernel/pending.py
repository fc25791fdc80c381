"""Whether work on a tensor's memory is still to come or under way."""

from __future__ import annotations


def is_pending(x, write=True):
    """As the host would have to wait for it before it writes, or reads."""
    queue = x.device.queue
    with queue.enter():
        graphs = [batch.graph for batch in (*queue._sent, queue._batch)]
    return any(graph.touches(x.allocation, write) for graph in graphs)
