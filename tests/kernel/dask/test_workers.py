"""Which device a worker gets, and what is said where a package is missing."""

from __future__ import annotations

import os
import sys

import pytest

import dml_vk
import dml_vk.dask
from dml_vk.dask import cluster, package, preload
from dml_vk.dask.cluster import DeviceCluster, DeviceNanny, best_devices


@pytest.fixture
def nannies(monkeypatch):
    """Workers that are not started: what they would be started with."""
    made = []
    monkeypatch.setattr(cluster.Nanny, "__init__", lambda self, *args, **named: made.append(named))
    return made


def test_devices_are_given_out_in_turns(nannies):
    for name in range(5):
        DeviceNanny("tcp://", name=name, devices=[3, 7], env={"A": "1"}, nthreads=1)
    assert [one["env"] for one in nannies] == [
        {"DML_VK_DEVICE": str(index), "A": "1"} for index in (3, 7, 3, 7, 3)
    ]
    DeviceNanny("tcp://", name=1, devices=[3, 7], env={"DML_VK_DEVICE": "9"})
    DeviceNanny("tcp://", name=1, devices=[3, 7])
    assert [one["env"]["DML_VK_DEVICE"] for one in nannies[5:]] == ["9", "7"]
    assert nannies[0]["name"] == 0
    assert nannies[0]["nthreads"] == 1


def test_a_cluster_has_a_worker_for_each_device(monkeypatch):
    made = []
    base = cluster.LocalCluster
    monkeypatch.setattr(base, "__init__", lambda self, **named: made.append(named))
    monkeypatch.setattr(base, "__del__", lambda self: None, raising=False)
    device = dml_vk.device()
    info = dml_vk.devices()[device.index]
    for devices in (None, [device.index], [device], [info], [device.name]):
        DeviceCluster(devices)
    assert [one["n_workers"] for one in made] == [len(best_devices()), 1, 1, 1, 1]
    assert [one["devices"] for one in made[1:]] == [[device.index]] * 4
    DeviceCluster(n_workers=3, threads_per_worker=2, memory_limit="1GiB")
    assert (made[-1]["n_workers"], made[-1]["threads_per_worker"]) == (3, 2)
    assert made[-1]["worker_class"] is DeviceNanny
    with pytest.raises(dml_vk.DeviceError, match="DeviceCluster: devices must name at least one"):
        DeviceCluster([])
    with pytest.raises(dml_vk.DeviceError, match="index or part of its name"):
        DeviceCluster([99])


@pytest.mark.parametrize(
    ("given", "environment", "chosen"),
    [
        (["--device", "0"], {"DML_VK_DEVICE": "77", "SLURM_LOCALID": "5"}, "0"),
        ([], {"DML_VK_DEVICE": "0", "SLURM_LOCALID": "5"}, "0"),
        ([], {"SLURM_LOCALID": "5"}, "rank"),
        ([], {"OMPI_COMM_WORLD_LOCAL_RANK": "1"}, "rank"),
        ([], {}, ""),
    ],
)
def test_the_preload_chooses_a_device(given, environment, chosen, monkeypatch):
    for name in (*preload.LOCAL_RANKS, "DML_VK_DEVICE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("DML_VK_DEVICE", environment.get("DML_VK_DEVICE", ""))
    context = preload.dask_setup.make_context("dask_setup", given)
    preload.dask_setup.callback(object(), **context.params)
    best = best_devices()
    rank = int(next(iter(environment.values()), 0))
    expected = str(best[rank % len(best)]) if chosen == "rank" else chosen
    assert os.environ["DML_VK_DEVICE"] == expected


def test_a_preload_without_its_device_says_so(monkeypatch):
    monkeypatch.setenv("DML_VK_DEVICE", "")
    with pytest.raises(dml_vk.DeviceError, match="no such"):
        preload.dask_setup.callback(object(), wanted="no such device")


def test_missing_packages_are_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "dml_vk.dask.cluster")
    said = r"dml_vk\.dask: the package distributed must be installed, as by: pip install dml-vk"
    with pytest.raises(ImportError, match=said) as raised:
        _ = dml_vk.dask.DeviceCluster
    assert raised.value.name == "distributed"
    with pytest.raises(ImportError, match="no_such_module"):
        package.imported("no_such_module", "zarr")


def test_names_of_the_module():
    assert dir(dml_vk.dask) == dml_vk.dask.__all__
    assert dml_vk.dask.DeviceCluster is DeviceCluster
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = dml_vk.dask.nothing
