"""Workers on this machine, one for each device."""

from __future__ import annotations

from collections.abc import Sequence

from distributed import LocalCluster, Nanny

from dml_vk.driver.probe import DeviceInfo, devices, select
from dml_vk.errors import DeviceError
from dml_vk.runtime.device import Device


class DeviceCluster(LocalCluster):  # type: ignore[misc]  # distributed has no types
    """A `distributed.LocalCluster` with a default device for each worker.

    By default `devices` are all of the best kind: GPUs before software devices. With more workers
    than devices (`n_workers=`), devices are assigned round-robin. Other arguments are those of
    LocalCluster; a worker has one thread by default.

    >>> from dml_vk.dask import DeviceCluster
    >>> from distributed import Client
    >>> def of_a_worker():
    ...     return dml_vk.device().index
    >>> with DeviceCluster(dashboard_address=":0") as cluster:  # doctest: +SKIP
    ...     Client(cluster).run(of_a_worker)
    {'tcp://127.0.0.1:41067': 0}
    """

    def __init__(
        self,
        devices: Sequence[int | str | Device | DeviceInfo] | None = None,
        *,
        n_workers: int | None = None,
        threads_per_worker: int = 1,
        **named: object,
    ) -> None:
        indexes = best_devices() if devices is None else [_index(device) for device in devices]
        if not indexes:
            raise DeviceError("DeviceCluster", "devices must name at least one", devices=devices)
        super().__init__(
            n_workers=n_workers or len(indexes),
            threads_per_worker=threads_per_worker,
            worker_class=DeviceNanny,
            devices=indexes,
            **named,
        )


class DeviceNanny(Nanny):  # type: ignore[misc]
    """Starts a worker, and sets its default device by the worker's number."""

    def __init__(
        self,
        *args: object,
        name: int | str,
        devices: Sequence[int],
        env: dict[str, str] | None = None,
        **named: object,
    ) -> None:
        own = {"DML_VK_DEVICE": str(devices[int(name) % len(devices)])}
        super().__init__(*args, name=name, env={**own, **(env or {})}, **named)


def best_devices() -> list[int]:
    """The indexes of all devices of the kind of the best one."""
    best = select("").type
    return [device.index for device in devices() if device.type == best]


def _index(wanted: int | str | Device | DeviceInfo) -> int:
    return select(wanted).index if isinstance(wanted, (int, str)) else wanted.index
