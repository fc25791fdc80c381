"""einops: it has no notion of the array API, so its backend is one of ours."""

import subprocess
import sys

import einops
import numpy as np
import pytest

import dml_vk.einops
from tests.clients.agree import A, B, agree

CALLS = {
    "rearrange": lambda x, _: einops.rearrange(x, "a (b c) -> c a b", c=2),
    "reduce mean": lambda x, _: einops.reduce(x, "a b -> b", "mean"),
    "reduce max": lambda x, _: einops.reduce(x, "a (b c) -> a b", "max", c=3),
    "repeat": lambda x, _: einops.repeat(x, "a b -> (r a) b c", r=3, c=2),
    "einsum": lambda x, y: einops.einsum(x, y, "a b, c b -> a c"),
    "pack": lambda x, y: einops.pack([x, y], "a *")[0],
    "unpack": lambda x, _: einops.unpack(x, [[2], [4]], "a *"),
    "lists": lambda x, y: einops.rearrange([x, y], "n a b -> b (n a)"),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_einops(call):
    agree(call, A, B)


def test_numbers_go_there_and_back():
    backend = einops._backends.get_backend(dml_vk.ones((2,)))
    assert backend.to_numpy(backend.from_numpy(A)).tolist() == A.tolist()
    assert backend.arange(2, 5).tolist() == [2, 3, 4]


@pytest.mark.parametrize("order", ["einops, dml_vk.einops", "dml_vk.einops, einops"])
def test_either_may_be_imported_first(order):
    lines = (
        f"import {order}",
        "print(einops.rearrange(dml_vk.arange(6), '(a b) -> b a', a=2).tolist())",
    )
    run = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == str(np.arange(6).reshape(2, 3).T.tolist())
