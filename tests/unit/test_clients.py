"""Registration with other libraries, whichever is imported first."""

import importlib
import sys

import numpy as np
import pytest

import dml_vk
from dml_vk import clients


@pytest.fixture
def einops(monkeypatch):
    """Einops, imported anew."""
    for name in [*sys.modules]:
        if name.split(".")[0] == "einops" or name == "dml_vk.clients.einops":
            monkeypatch.delitem(sys.modules, name)
    return importlib.import_module("einops")


X = np.arange(24, dtype=np.float32).reshape(4, 6) ** 2


@pytest.mark.parametrize(
    "call",
    [
        lambda ops, x: ops.rearrange(x, "a (b c) -> c a b", c=2),
        lambda ops, x: ops.rearrange([x, x], "n a b -> b (n a)"),
        lambda ops, x: ops.reduce(x, "a (b c) -> a b", "mean", c=3),
        lambda ops, x: ops.repeat(x, "a b -> (r a) b c", r=3, c=2),
        lambda ops, x: ops.einsum(x, x, "a b, c b -> a c"),
        lambda ops, x: ops.pack([x, x], "a *")[0],
    ],
)
def test_einops_that_is_imported_later_knows_tensors(einops, call):
    found = call(einops, dml_vk.asarray(X))
    assert isinstance(found, dml_vk.Tensor)
    np.testing.assert_allclose(found.numpy(), call(einops, X), rtol=1e-6)


def test_the_backend_moves_numbers(einops):
    backend = einops._backends.get_backend(dml_vk.ones((2,)))
    assert backend.to_numpy(backend.from_numpy(X)).tolist() == X.tolist()
    assert backend.arange(2, 5).tolist() == [2, 3, 4]


def test_libraries_that_are_there_are_told_at_once(einops, monkeypatch):
    del sys.modules["dml_vk.clients.einops"]
    monkeypatch.setitem(sys.modules, "einx", clients)  # any module
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    clients.watch()
    assert {"dml_vk.clients.einops", "dml_vk.clients.einx"} <= {*sys.modules}
    assert sys.meta_path[0] is clients._Finder


def test_modules_that_nobody_has_are_not_found(monkeypatch):
    monkeypatch.setattr(clients, "_AFTER", {"no_such_module": "einops"})
    assert clients._Finder.find_spec("no_such_module") is None
    assert clients._Finder.find_spec("some_other_module") is None
