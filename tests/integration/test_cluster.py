"""Workers of dask.distributed, each with a device, memory limits, and what kills them."""

from __future__ import annotations

import subprocess
import textwrap

import pytest

from tests.hanging import HANGING
from tests.integration.process import run
from tests.integration.test_two_devices import two

pytestmark = pytest.mark.linux
__all__ = ["two"]  # a fixture

CLUSTER = """
import os, signal
import dask, dask.array as da, dml_vk.dask
from dml_vk.dask import DeviceCluster
from distributed import Client, wait
memory = {"target": 0.02, "spill": False, "pause": False, "terminate": False}
dask.config.set({f"distributed.worker.memory.{name}": value for name, value in memory.items()})
ours, whole = dml_vk.dask.random.Generator(3), dml_vk.random.Generator(3)
def same(found, expected):
    found, expected = found.numpy(), expected.numpy()
    return found.shape == expected.shape and found.tobytes() == expected.tobytes()
"""


def run_cluster(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run(CLUSTER + textwrap.dedent(code), **environment)


def test_workers_have_a_device_each_and_results_are_those_of_one(two):
    code = """
    with DeviceCluster(devices=[0, 1], dashboard_address=":0") as cluster:
        with Client(cluster) as client:
            print(sorted(client.run(lambda: dml_vk.device().index).values()))
            sizes, form = (8, 3, 40, 50), dml_vk.channels_last
            x = ours.normal(sizes, chunks=(1, 3, 40, 50), memory_format=form)
            scaled = (x - x.mean((2, 3), keepdims=True)) / x.std((2, 3), keepdims=True)
            found = scaled.compute()
            y = whole.normal(sizes)
            parts = [f(y, axis=(2, 3), keepdims=True) for f in (dml_vk.mean, dml_vk.std)]
            y = (y - parts[0]) / parts[1]
            assert found.memory_format == form and same(found, y)
            held = scaled.persist()
            wait(held)
            assert sorted(map(len, client.has_what().values())) == [4, 4]

            # A worker is killed while it multiplies; what it had is computed again.
            z = ours.normal((40, 200, 200), chunks=(1, 200, 200))
            total = client.compute((z @ z).sum(axis=0))
            (pid, *_) = client.run(os.getpid).values()
            os.kill(pid, signal.SIGKILL)
            w = whole.normal((40, 200, 200))
            assert same(total.result(), dml_vk.sum(w @ w, axis=0))
            assert same(held.compute(), y)
            client.wait_for_workers(2)
            print(sorted(client.run(lambda: dml_vk.device().index).values()))
    """
    done = run_cluster(code, **two)
    assert (done.returncode, done.stdout) == (0, "[0, 1]\n[0, 1]\n"), done.stderr


def test_tensors_go_to_disk_before_memory_runs_out():
    """A worker may hold 40 MiB; of 96 MiB the rest goes to disk and comes back when it is read."""
    code = """
    with DeviceCluster(dashboard_address=":0", memory_limit="2GiB") as cluster:
        with Client(cluster) as client:
            sizes, form = (64, 3, 512, 256), dml_vk.channels_last
            x = ours.normal(sizes, chunks=(1, 3, 512, 256), memory_format=form).persist()
            wait(x)
            def state(dask_worker):
                return dml_vk.memory_stats().peak, dask_worker.data.spilled_total.disk
            ((peak, spilled),) = client.run(state).values()
            assert peak < 50 * 2**20 < spilled, (peak, spilled)
            y = whole.normal(sizes)
            assert same(x.sum().compute(), dml_vk.sum(y))
            assert same(x[3:4].compute(), y[3:4])
            assert x[3:4].compute().memory_format == form
            print("equal")
    """
    done = run_cluster(code)
    assert (done.returncode, done.stdout) == (0, "equal\n"), done.stderr


def test_an_array_of_four_times_the_device_memory():
    """From a file to a file, in another format, with statistics on the way."""
    code = """
    import io, tempfile
    from pathlib import Path
    from dask.diagnostics import ProgressBar
    dask.config.set(scheduler="synchronous")
    limit = 8 * 2**20
    assert dml_vk.device().memory_limit == limit
    with tempfile.TemporaryDirectory() as folder:
        a = np.memmap(Path(folder) / "a", np.float32, "w+", shape=(128, 4, 128, 128))
        assert a.nbytes == 4 * limit
        for k, one in enumerate(a):
            one[:] = np.random.default_rng(k).standard_normal(one.shape, np.float32)
        x = dml_vk.dask.asarray(a, chunks=(4, 4, 128, 128), memory_format=dml_vk.channels_last)
        axes = (0, 2, 3)
        with ProgressBar(out=(shown := io.StringIO())):
            mean, std = dask.compute(x.mean(axes, keepdims=True), x.std(axes, keepdims=True))
        assert "100% Completed" in shown.getvalue()
        for found, name in ((mean, "mean"), (std, "std")):
            expected = getattr(np, name)(a, axes, np.float64, keepdims=True)
            np.testing.assert_allclose(found.numpy(), expected, 1e-4, 1e-5)
        y = (x - mean.numpy()) / std.numpy()
        dml_vk.dask.to_zarr(y, folder, component="y")
        again = dml_vk.dask.from_zarr(folder, component="y")
        assert again[:1].compute().memory_format == dml_vk.channels_last
        assert abs(again.mean().compute().item()) < 1e-5
        expected = (dml_vk.asarray(a[77:78]) - mean) / std
        assert same(again[77:78].compute(), expected)
        stats = dml_vk.memory_stats()
        assert stats.peak <= limit
        print("done")
    """
    with_limit = {"DML_VK_MEMORY_LIMIT": str(8 * 2**20)}
    done = run_cluster(code, **with_limit)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


def test_workers_that_are_started_by_hand(tmp_path):
    """As on a cluster: a scheduler, and a worker with the preload, as programs of their own."""
    code = f"""
    import subprocess, sys
    file = {str(tmp_path / "scheduler.json")!r}
    def begin(*words):
        quiet = {{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}}
        words = [sys.executable, "-m", "dask", *words]
        begun.append(subprocess.Popen(words, **quiet))
    begun, free = [], ["--dashboard-address", ":0"]
    own = ["--nthreads", "1", "--preload", "dml_vk.dask.preload", "--device", "0"]
    try:
        begin("scheduler", "--port", "0", "--scheduler-file", file, *free)
        with Client(scheduler_file=file, timeout={HANGING}) as client:
            begin("worker", client.scheduler.address, *free, *own)
            client.wait_for_workers(1, timeout={HANGING})
            print(list(client.run(lambda: os.environ["DML_VK_DEVICE"]).values()))
            x, one = ours.normal((40, 50), chunks=(13, 50)), whole.normal((40, 50))
            print(same((x @ x.T).sum(axis=0).compute(), dml_vk.sum(one @ one.T, axis=0)))
    finally:
        for one in begun:
            one.terminate()
            one.wait({HANGING})
    """
    done = run_cluster(code)
    assert (done.returncode, done.stdout) == (0, "['0']\nTrue\n"), done.stderr
