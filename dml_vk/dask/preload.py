"""A preload script: `dask worker ADDRESS --preload dml_vk.dask.preload`.

It opens the worker's device at start, so that a machine without one fails at once. `--device`, an
index or a part of a name, selects it; without it, DML_VK_DEVICE does; without that, the local rank
that a launcher such as Slurm sets.
"""

from __future__ import annotations

import os

import click

from dml_vk.dask.cluster import best_devices
from dml_vk.runtime.device import device

# Of Slurm, Open MPI, MPICH and Hydra, and PyTorch's launcher.
LOCAL_RANKS = ("SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "LOCAL_RANK")


def _set_up(worker: object, wanted: str) -> None:
    """Select and open the device. Dask calls it with the worker."""
    os.environ["DML_VK_DEVICE"] = wanted or os.environ.get("DML_VK_DEVICE", "") or _by_rank()
    device()


def _by_rank() -> str:
    rank = next((os.environ[name] for name in LOCAL_RANKS if name in os.environ), "")
    if not rank:
        return ""
    indexes = best_devices()
    return str(indexes[int(rank) % len(indexes)])


dask_setup = click.Command(
    "dask_setup",
    callback=_set_up,
    params=[click.Option(["--device", "wanted"], default="", help="the device of this worker")],
)
