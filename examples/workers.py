"""Two worker processes for the examples that spread work: one is killed before it is done."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from distributed import Client

from dml_vk.dask import DeviceCluster


@contextmanager
def two_workers() -> Iterator[Client]:
    """A client of two workers, which have the devices of this machine in turns."""
    cluster = DeviceCluster(n_workers=2, dashboard_address=":0", silence_logs=50)
    with cluster, Client(cluster) as client:
        yield client


def computed_with_a_loss(client: Client, lazy: Any) -> Any:
    """Compute an array, or what else Dask computes, and kill a worker once it holds something.

    What the worker held is computed again, by the other one and by the one that takes its place.
    """
    future = client.compute(lazy)
    processes = client.run(os.getpid)
    holding: list[str] = []
    while not holding and not future.done():
        holding = [worker for worker, keys in client.has_what().items() if keys]
    os.kill(processes[(holding or list(processes))[0]], signal.SIGKILL)
    return future.result()
