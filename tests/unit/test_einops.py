"""einops takes tensors once a program imports `dml_vk.einops`, and nothing is told before."""

import subprocess
import sys

import einops
import numpy as np
import pytest

import dml_vk
import dml_vk.einops

X = np.arange(24, dtype=np.float32).reshape(4, 6) ** 2


@pytest.mark.parametrize(
    "call",
    [
        lambda x: einops.rearrange(x, "a (b c) -> c a b", c=2),
        lambda x: einops.rearrange([x, x], "n a b -> b (n a)"),
        lambda x: einops.reduce(x, "a (b c) -> a b", "mean", c=3),
        lambda x: einops.repeat(x, "a b -> (r a) b c", r=3, c=2),
        lambda x: einops.einsum(x, x, "a b, c b -> a c"),
        lambda x: einops.pack([x, x], "a *")[0],
    ],
)
def test_einops_knows_tensors(call):
    found = call(dml_vk.asarray(X))
    assert isinstance(found, dml_vk.Tensor)
    np.testing.assert_allclose(found.numpy(), call(X), rtol=1e-6)


def test_the_backend_moves_numbers():
    backend = einops._backends.get_backend(dml_vk.ones((2,)))
    assert backend.to_numpy(backend.from_numpy(X)).tolist() == X.tolist()
    assert backend.arange(2, 5).tolist() == [2, 3, 4]


def test_importing_the_package_changes_nothing():
    """Neither how modules are found, nor what other libraries have; and it imports none of them."""
    code = """
import sys
import dask.array, einops
def state():
    modules = dask.array, dask.array.core, dask.array.ufunc, dask.array.routines
    plugins = dask.config.get("array_plugins", None)
    return [*sys.meta_path], [dict(vars(one)) for one in modules], plugins
before, loaded = state(), {name.partition(".")[0] for name in sys.modules}
import dml_vk
dml_vk.Tensor, dml_vk.nn, dml_vk.linalg, dml_vk.compile, dml_vk.kernel
assert state() == before
assert not einops._backends.AbstractBackend.__subclasses__()[-1].__module__.startswith("dml_vk")
new = {name.partition(".")[0] for name in sys.modules} - loaded
assert new & {"distributed", "onnx", "einx", "xarray", "array_api_compat"} == set()
import dml_vk.dask
assert state() != before
"""
    subprocess.run([sys.executable, "-c", code], check=True)
