"""xarray over tensors."""

import dask.array as da
import numpy as np
import pytest
import xarray as xr

import dml_vk.dask
from tests.clients.agree import A, agree

LABELS = np.arange(6.0)
CALLS = {
    "abs": abs,
    "all": lambda x: (x > -9).all(),
    "any": lambda x: (x > 0).any("a"),
    "argmax": lambda x: x.argmax("a"),
    "astype": lambda x: x.astype("float64"),
    "clip": lambda x: x.clip(0, 1),
    "coarsen": lambda x: x.coarsen(b=2).mean(),
    "concat": lambda x: xr.concat([x, x], "a"),
    "count": lambda x: x.count("a"),
    "cumprod": lambda x: x.cumprod("a"),
    "cumsum": lambda x: x.cumsum("a"),
    "diff": lambda x: x.diff("a"),
    "differentiate": lambda x: x.assign_coords(b=LABELS).differentiate("b"),
    "dot": lambda x: x.dot(x),
    "expand_dims": lambda x: x.expand_dims("c"),
    "groupby": lambda x: x.assign_coords(b=[0, 0, 1, 1, 2, 2]).groupby("b").mean(),
    "isel": lambda x: x.isel(a=[0, 2], b=slice(1, 5, 2)),
    "isin": lambda x: x.isin([1.0, float(A[1, 2])]),
    "isnull": lambda x: x.isnull(),
    "max": lambda x: x.max("b"),
    "mean": lambda x: x.mean("a", skipna=True),
    "median": lambda x: x.median("a"),
    "min": lambda x: x.min(),
    "pad": lambda x: x.pad(a=1, constant_values=2),
    "polyfit": lambda x: x.assign_coords(b=LABELS).polyfit("b", 1).polyfit_coefficients,
    "prod": lambda x: x.prod("a"),
    "quantile": lambda x: x.quantile(0.3, "a"),
    "roll": lambda x: x.roll(a=1),
    "round": lambda x: x.round(1),
    "sel": lambda x: x.assign_coords(b=LABELS).sel(b=[1.0, 4.0]),
    "sortby": lambda x: x.assign_coords(b=-LABELS).sortby("b"),
    "stack": lambda x: x.stack(z=("a", "b")),
    "std": lambda x: x.std("a", ddof=1),
    "sum": lambda x: x.sum(),
    "transpose": lambda x: x.transpose("b", "a"),
    "ufunc": lambda x: np.exp(x),
    "var": lambda x: x.var(),
    "where": lambda x: x.where(x > 0, 0.0),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_xarray(call):
    agree(lambda x: call(xr.DataArray(x, dims=("a", "b"))).data, A)


def test_a_dataset_prints_and_computes():
    data = xr.Dataset({"t": (("a", "b"), dml_vk.asarray(A)), "u": ("a", dml_vk.asarray(A[:, 0]))})
    assert "Tensor" in repr(data)
    found = (data.t - data.u).mean("b").data
    np.testing.assert_allclose(np.asarray(found), (A - A[:, :1]).mean(1), rtol=1e-4, atol=1e-6)


# It asks that dtypes are NumPy's own before it fills with NaN. Windows it makes by `xp.lib`, which
# only NumPy has, and interpolation is SciPy's, on arrays.
IMPOSSIBLE = {
    "cov": lambda x: xr.cov(x, x, "b"),
    "fillna": lambda x: x.where(x > 0).fillna(0),
    "shift": lambda x: x.shift(a=1),
    "where": lambda x: x.where(x > 0),
}


@pytest.mark.parametrize("call", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_xarray_fills_only_dtypes_of_numpy(call):
    with pytest.raises(TypeError, match="must be one of an extension array dtype or numpy dtype"):
        call(xr.DataArray(dml_vk.asarray(A), dims=("a", "b")))


# Over chunks: the bits of one tensor, since xarray goes by NumPy's functions.
CHUNKED = {
    "arithmetic": lambda x: (x - x.mean("n")) / x.std("n"),
    "coarsen": lambda x: x.coarsen(h=2).mean(),
    "concat": lambda x: xr.concat([x, x], "n"),
    "groupby": lambda x: x.groupby("n").mean(),
    "max": lambda x: x.max("w"),
    "mean": lambda x: x.mean("h"),
    "mean of all": lambda x: x.mean(skipna=False),
    "sel": lambda x: x.isel(h=slice(1, 5)).sel(n=1),
    "std": lambda x: x.std(("n", "w")),
    "sum": lambda x: x.sum(),
    "ufunc": lambda x: np.exp(x),
    "where": lambda x: x.where(x > 0, 0).sum("c"),
}


@pytest.mark.parametrize("call", CHUNKED.values(), ids=CHUNKED)
def test_xarray_over_dask(call):
    sizes, labels = (6, 3, 20, 30), {"n": [0, 0, 1, 1, 2, 2]}
    lazy = dml_vk.dask.random.Generator(7).normal(sizes, chunks=(2, 3, 7, 30))
    whole = dml_vk.random.Generator(7).normal(sizes)
    found, expected = (call(xr.DataArray(x, labels, dims=list("nchw"))) for x in (lazy, whole))
    assert isinstance(found.data, da.Array)
    computed = found.compute(scheduler="synchronous").data
    assert isinstance(computed, dml_vk.Tensor)
    assert computed.shape == expected.shape
    assert computed.tobytes() == np.asarray(expected.data).tobytes()
