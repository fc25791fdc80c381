"""Arrays of Dask with tensors as chunks, beside NumPy's arrays as chunks and beside one tensor.

"an overhead" is of a chunk: the time of 200 chunks of ten numbers, divided by 200. Workers have a
device of one core each, so that two have twice what one has. The cases build lazy arrays, so they
are not in the table of the package, whose calls compute.
"""

from __future__ import annotations

import dask
import dask.array as da
import numpy as np
import pytest
from dask.array import reductions, routines
from distributed import Client, wait

import dml_vk
import dml_vk.dask
from bench.cases import describe

pytestmark = pytest.mark.filterwarnings("ignore")  # of sockets that a cluster leaves
CHUNKS, SIDE, PIECE = 200, 4096, 1024  # 64 MiB in 16 chunks
WHO = ("dml_vk", "Dask's own", "numpy", "one tensor")
SMALL = {
    "x + 1": lambda x: x + 1,
    "10 operations": lambda x: (((x + 1) * 2 - 3) / 4 + x * x - x).clip(0, 1) + 5,
}
LARGE = {
    "sum": lambda x, xp: xp.sum(x),
    "sum, last axis": lambda x, xp: xp.sum(x, axis=1),
    "var": lambda x, xp: xp.var(x, axis=0),
    "exp and mean": lambda x, xp: xp.mean(np.exp(x)),
    "x @ x.T": lambda x, xp: xp.matmul(x[:1024], x[:1024].T),
}


class Own:
    """Dask's functions, as they were before ours took their place in `dask.array`."""

    sum, mean, var, matmul = reductions.sum, reductions.mean, reductions.var, routines.matmul


class Methods:
    """NumPy's names as methods."""

    def __getattr__(self, name):
        if name == "matmul":
            return np.matmul
        return lambda x, **named: getattr(x, name)(**named)


@pytest.fixture(autouse=True)
def _threads():
    with dask.config.set(scheduler="threads", num_workers=2):
        yield


def numbers(*sizes):
    return np.random.default_rng(1).standard_normal(sizes, np.float32)


@pytest.mark.parametrize("who", ["dml_vk", "numpy"])
@pytest.mark.parametrize("case", SMALL)
def test_an_overhead(benchmark, case, who):
    x = numbers(CHUNKS * 10)
    describe(benchmark, "dask, a chunk", case, who, calls=CHUNKS)
    make = dml_vk.dask.from_array if who == "dml_vk" else da.from_array
    lazy = SMALL[case](make(x, chunks=10))
    with dask.config.set(scheduler="synchronous"):
        found = benchmark(lazy.compute)
    assert np.allclose(np.asarray(found), SMALL[case](x), 1e-5, 1e-5)


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("case", LARGE)
def test_whole_arrays(benchmark, case, who):
    x = numbers(SIDE, SIDE)
    describe(benchmark, "dask, 64 MiB in 16 chunks", case, who, x.nbytes)
    if who == "numpy":
        lazy = LARGE[case](da.from_array(x, chunks=PIECE), Methods())
    elif who == "one tensor":
        whole = dml_vk.asarray(x)
        call = LARGE[case]

        def one():
            found = call(whole, Methods())
            dml_vk.synchronize()
            return found

        benchmark(one)
        return
    else:
        held = dml_vk.dask.from_array(x, chunks=PIECE).persist()
        lazy = LARGE[case](held, Methods() if who == "dml_vk" else Own)

    def compute():
        found = lazy.compute()
        dml_vk.synchronize()
        return found

    found = benchmark(compute)
    expected = LARGE[case](x.astype(np.float64), np)
    assert np.allclose(np.asarray(found), expected, 1e-3, 1e-2)


@pytest.mark.parametrize("who", ["dml_vk", "numpy", "one tensor"])
def test_random_numbers(benchmark, who):
    describe(benchmark, "dask, 64 MiB in 16 chunks", "normal numbers", who, 4 * SIDE * SIDE)
    sizes = {"size": (SIDE, SIDE), "chunks": PIECE}

    def call():
        if who == "numpy":
            found = da.random.default_rng(1).standard_normal(dtype="float32", **sizes).max()
        elif who == "one tensor":
            return dml_vk.random.Generator(1).normal((SIDE, SIDE)).max().item()
        else:
            generator = dml_vk.dask.random.Generator(1)
            found = generator.normal((SIDE, SIDE), chunks=PIECE).max()
        return float(np.asarray(found.compute()))

    assert 4 < benchmark(call) < 7


@pytest.fixture(scope="module", params=[1, 2], ids="{0} workers".format)
def workers(request):
    env = {"LP_NUM_THREADS": "1"}
    options = {"dashboard_address": ":0", "silence_logs": 50, "env": env}
    cluster = dml_vk.dask.DeviceCluster(n_workers=request.param, **options)
    with cluster, Client(cluster) as client:
        yield request.param, client


def multiplied(x):
    for _ in range(20):
        x = x @ x / 16
    return x


def test_workers(benchmark, workers):
    """32 chunks of 20 products of 256 by 256 each: nearly all of it is computed by the devices."""
    count, client = workers
    describe(benchmark, "dask, workers", "products", f"{count} of them")
    x = dml_vk.dask.random.Generator(1).normal((32, 256, 256), chunks=(1, 256, 256))
    lazy = x.map_blocks(multiplied, meta=x._meta).sum(axis=(1, 2))
    client.compute(lazy).result()
    benchmark.pedantic(lambda: client.compute(lazy).result(), rounds=5)


def test_spilling(benchmark):
    """Chunks go to disk while others are drawn: 256 MiB, of which a worker holds 40."""
    memory = {"target": 0.02, "spill": False, "pause": False, "terminate": False}
    settings = {f"distributed.worker.memory.{name}": value for name, value in memory.items()}
    nbytes = 256 * 2**20
    describe(benchmark, "dask, workers", "chunks to disk and back", "dml_vk", nbytes)
    options = {"n_workers": 1, "dashboard_address": ":0", "memory_limit": "2GiB"}

    def call():
        x = dml_vk.dask.random.Generator(1).normal((64, 2**20), chunks=(1, 2**20))
        held = x.persist()
        wait(held)
        return held.sum().compute().item()

    with dask.config.set(settings):
        cluster = dml_vk.dask.DeviceCluster(**options)
        with cluster, Client(cluster):
            found = benchmark.pedantic(call, rounds=3)
    assert abs(found) < 6 * 2**13
