"""Arrays of Dask from arrays, files and tensors, and what Dask knows of their chunks."""

from __future__ import annotations

import dask
import dask.array as da
import numpy as np
import pytest
import zarr
from dask.sizeof import sizeof
from dask.tokenize import tokenize

import dml_vk
from dml_vk.dask import asarray, from_array, from_zarr, to_zarr
from dml_vk.layout import Layout, channels_last, contiguous_format
from tests.chance import chance

X = np.arange(1, 2 * 3 * 4 * 5 + 1, dtype=np.float32).reshape(2, 3, 4, 5)


@pytest.fixture(autouse=True)
def _here():
    with dask.config.set(scheduler="synchronous"):
        yield


def is_equal(lazy, expected):
    found = lazy.compute()
    assert type(found) is type(lazy._meta) is dml_vk.Tensor
    assert (found.dtype, found.shape) == (lazy.dtype, lazy.shape)
    return np.array_equal(found.numpy(), expected)


def is_equal_up_to_shape(lazy, expected):
    """Where the number of elements is known only after the computation."""
    found = lazy.compute()
    assert type(found) is type(lazy._meta) is dml_vk.Tensor
    return np.array_equal(found.numpy(), expected)


def test_arrays_of_all_kinds(tmp_path):
    mapped = np.memmap(tmp_path / "x", np.float32, "w+", shape=X.shape)
    mapped[:] = X
    sources = {
        "an array": X,
        "columns first": np.asfortranarray(X),
        "a view": np.stack([X, -X], -1)[..., 0],
        "a file": mapped,
        "a tensor": dml_vk.asarray(X),
        "a view of a tensor": dml_vk.asarray(X[::-1])[::-1],
        "zarr": zarr.array(X, chunks=(1, 3, 2, 5)),
    }
    for name, source in sources.items():
        assert is_equal(from_array(source, (1, 2, 4, 3)), X), name
        assert is_equal(asarray(source), X), name
    assert asarray(sources["zarr"]).chunks == ((1, 1), (3,), (2, 2), (5,))
    assert is_equal(asarray([[1.5, 2.5]]), [[1.5, 2.5]])
    assert is_equal(asarray(da.from_array(X, 2)), X)
    lazy = from_array(X, 2)
    assert is_equal(asarray(lazy), X)


def test_dtypes_formats_and_devices():
    lazy = from_array(X, (1, 3, 4, 5), dtype="float16", memory_format=channels_last)
    assert lazy.dtype == dml_vk.float16
    assert lazy._meta.memory_format == channels_last
    assert lazy.compute().memory_format == channels_last
    assert (lazy * 2 + 1).compute().memory_format == channels_last
    nhwc = dml_vk.asarray(X, memory_format=channels_last)
    assert from_array(nhwc, (1, 3, 4, 5)).compute().memory_format == channels_last
    again = asarray(from_array(nhwc, (1, 3, 4, 5)), memory_format=contiguous_format)
    assert again.compute().memory_format == contiguous_format
    assert from_array(X, 3, device=0).compute().device is dml_vk.device(0)


READS = []


class Source:
    shape, dtype, ndim = (8, 8), np.dtype(np.int32), 2

    def __getitem__(self, key):
        made = np.ones((8, 8), np.int32)[key]
        if made.size:
            READS.append(key)
        return made


def test_nothing_is_read_before_it_is_computed():
    READS.clear()
    lazy = from_array(Source(), 4) + 1
    assert READS == []
    assert lazy[:3, 5:].compute().tolist() == [[2] * 3] * 3
    assert len(READS) == 1


def test_zarr_keeps_formats_and_refuses_what_it_cannot_hold(tmp_path):
    x = from_array(X, (1, 2, 4, 5), memory_format=channels_last)
    to_zarr(x, str(tmp_path / "a"))
    to_zarr(x[:, 0], str(tmp_path / "b"), component="deep/er")
    y = from_zarr(str(tmp_path / "a"))
    assert y.chunks == x.chunks
    assert y.compute().memory_format == channels_last
    assert is_equal(y, X)
    assert from_zarr(str(tmp_path / "a"), chunks=(2, 3, 4, 5)).numblocks == (1, 1, 1, 1)
    other = from_zarr(str(tmp_path / "a"), memory_format=contiguous_format)
    assert other.compute().memory_format == contiguous_format
    assert is_equal(from_zarr(str(tmp_path / "b"), component="deep/er"), X[:, 0])
    assert np.array_equal(zarr.open_array(str(tmp_path / "a"), mode="r")[:], X)
    to_zarr(x.transpose(1, 0, 3, 2), str(tmp_path / "d"))  # an order of dims without a name
    assert is_equal(from_zarr(str(tmp_path / "d")), X.transpose(1, 0, 3, 2))
    task = to_zarr(x + 1, str(tmp_path / "a"), overwrite=True, compute=False)
    task.compute()
    assert is_equal(from_zarr(str(tmp_path / "a")), X + 1)
    with pytest.raises(Exception, match="a"):
        to_zarr(x, str(tmp_path / "a"))
    with pytest.raises(dml_vk.LayoutError, match="to_zarr: chunks must be of one size"):
        to_zarr(from_array(X, ((2,), (1, 2), (4,), (5,))), str(tmp_path / "c"))


def test_sizes_are_those_of_memory():
    x = dml_vk.ones((100, 100))
    assert sizeof(x) == 40_000
    assert sizeof(x[:10]) == 4_000
    assert sizeof(x[0].expand(100, 100)) == 400
    assert sizeof(dml_vk.ones(0)) == 0
    assert sizeof({"a": x}) > 40_000


def test_tokens_tell_values_dtypes_and_formats():
    x = dml_vk.asarray(X)
    same = [x, dml_vk.asarray(X), x[:, :], dml_vk.asarray(X[::-1])[::-1].contiguous()]
    assert len({tokenize(one) for one in same}) == 1
    others = [
        *(x, x + 0.0 - 1.0, x.to(dml_vk.float16), x.to(channels_last), x.permute(0, 1, 3, 2)),
        *(x.reshape(6, 20), x.view(dml_vk.int32), x[0], dml_vk.float32, dml_vk.float16),
        *(x.layout, Layout((2, 3)), dml_vk.device(0)),
    ]
    assert len({tokenize(one) for one in others}) == len(others)
    for one in others:
        assert tokenize(one) == tokenize(one)


def test_the_backend_makes_tensors():
    with dask.config.set({"array.backend": "dml_vk"}):
        made = [da.ones((3, 4), chunks=2), da.zeros((3, 4)), da.full((3, 4), 7), da.arange(12)]
        assert da.empty((3, 4), chunks=2).compute().shape == (3, 4)
    for lazy, expected in zip(
        made, (np.ones((3, 4)), np.zeros((3, 4)), np.full((3, 4), 7), range(12))
    ):
        assert is_equal(lazy, expected)
    host = da.from_array(X, 2)
    moved = host.to_backend("dml_vk")
    assert da.backends.array_creation_dispatch.dispatch("dml_vk").to_backend_dispatch()(X[0]).shape
    assert is_equal(moved, X)
    assert moved.to_backend("dml_vk") is moved
    assert np.array_equal(moved.to_backend("numpy").compute(), X)
    assert type(moved.to_backend("numpy").compute()) is np.ndarray
    with dask.config.set({"array.backend": "dml_vk"}):
        for use in (da.random.default_rng, lambda: da.random.RandomState(1).normal(size=3)):
            with pytest.raises(dml_vk.DmlVkError, match=r"use dml_vk\.dask\.random\.Generator"):
                use()


def test_what_dask_looks_up_by_the_type_of_chunks():
    x, y = chance().normal(size=(2, 20, 30)).astype(np.float32)
    a, b = from_array(x, (6, 8)), from_array(y, (7, 30))
    assert is_equal(da.concatenate([a, b], axis=1), np.concatenate([x, y], axis=1))
    assert is_equal(da.take(a, [3, 1, 1], axis=0), x[[3, 1, 1]])
    assert is_equal(a[[5, 2, 19]], x[[5, 2, 19]])
    assert is_equal(
        da.shuffle(a, [[0, 2], [1, *range(3, 20)]], axis=0), x[[0, 2, 1, *range(3, 20)]]
    )
    close = {"rtol": 1e-5, "atol": 1e-5}
    found = da.tensordot(a, b, axes=((1,), (1,))).compute()
    np.testing.assert_allclose(found.numpy(), np.tensordot(x, y, axes=((1,), (1,))), **close)
    found = da.einsum("ij,kj->ik", a, b, optimize=False).compute()
    np.testing.assert_allclose(found.numpy(), x @ y.T, **close)
    holed = x.copy()
    holed[::3, ::4] = np.nan
    for name in ("nanmean", "nanvar", "nanstd", "nansum"):
        found = getattr(da, name)(from_array(holed, (6, 8)), axis=0).compute()
        np.testing.assert_allclose(found.numpy(), getattr(np, name)(holed, axis=0), 1e-4)
    found = da.mean(a, axis=0).compute()  # Dask's own function
    np.testing.assert_allclose(found.numpy(), x.mean(0), **close)
    chosen = a[a > 0.5]
    assert sorted(chosen.compute().tolist()) == sorted(x[x > 0.5].tolist())
    for places in ((a > 1).nonzero(), np.nonzero(a > 1)):
        for found, expected in zip(places, np.nonzero(x > 1)):
            assert is_equal_up_to_shape(found, expected)


@pytest.mark.parametrize("method", ["linear", "lower", "higher", "nearest", "midpoint"])
def test_percentiles(method):
    x = chance().permutation(np.arange(101, dtype=np.float32))
    found = da.percentile(from_array(x, 101), [0, 25, 50, 100], method=method)
    assert is_equal(found, [0, 25, 50, 100])
    several = da.percentile(from_array(x, 40), [10, 90], method=method).compute()
    assert np.all(np.abs(several.numpy() - [10, 90]) <= 15)  # Dask merges those of chunks


def test_tensors_beside_arrays_of_dask():
    x = dml_vk.asarray(X)
    lazy = from_array(X, 2)
    for found in (lazy + x, x + lazy, np.add(x, lazy), np.multiply(lazy, 2), 2 * lazy, lazy + X):
        assert isinstance(found, da.Array)
    assert is_equal(x + lazy, X + X)
    assert is_equal(X - lazy, X - X)
    assert bool((x == lazy).all().compute())


SINGLE = from_array(X.astype(np.float32), 2)
WHOLE = from_array(np.arange(6, dtype=np.int32), 4)


@pytest.mark.parametrize(
    "found",
    [
        *(WHOLE / 3, 2.5 * WHOLE, WHOLE + np.int64(1), np.sqrt(WHOLE), da.maximum(WHOLE, 2.5)),
        *(SINGLE * np.float64(2.5), SINGLE + X[0], [1.0] * 5 + SINGLE, SINGLE > 0, da.sqrt(WHOLE)),
        *(da.where(WHOLE > 2, WHOLE, 0.5), da.where(SINGLE > 0, SINGLE, X), da.clip(WHOLE, 1, 3)),
        (WHOLE / 3).astype("float64"),
    ],
)
def test_dtypes_are_those_of_what_is_computed(found):
    computed = found.compute()
    assert type(computed) is type(found._meta) is dml_vk.Tensor
    assert computed.dtype == found.dtype == found._meta.dtype


def test_float16_beside_a_number_of_numpy_is_summed_as_one_tensor():
    x = from_array(np.full(4000, 10, np.float16), 1000)
    assert (x * np.float64(2.5)).mean().compute().item() == 25


def test_what_cannot_be_computed_is_an_error_of_dask():
    with pytest.raises((TypeError, ValueError)):
        SINGLE & SINGLE


def test_dasks_own_writers(tmp_path):
    x = from_array(X, 2)
    x.to_zarr(str(tmp_path / "a"))
    da.to_zarr(x, str(tmp_path / "b"))
    targets = [np.zeros_like(X), np.zeros_like(X)]
    x.store(targets[0])
    da.store(x, targets[1])
    for found in (*(da.from_zarr(str(tmp_path / name)).compute() for name in "ab"), *targets):
        assert np.array_equal(found, X)


def test_indexes_by_each_function():
    for function in (da.nonzero, np.nonzero):
        found = [one.compute() for one in function(SINGLE > 0)]
        assert all(type(one) is dml_vk.Tensor for one in found)
        assert np.array_equal(found, np.nonzero(X > 0))
