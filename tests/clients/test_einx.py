"""einx, by its backend for the array API, which needs array_api_compat to be imported."""

import subprocess
import sys

import array_api_compat  # noqa: F401
import einx
import numpy as np
import pytest

from tests.clients.agree import A, B, agree

CALLS = {
    "id": lambda x, _: einx.id("a (b c) -> c a b", x, c=2),
    "sum": lambda x, _: einx.sum("a [b]", x),
    "max": lambda x, _: einx.max("[a] b", x),
    "add": lambda x, y: einx.add("a b, a b", x, y),
    "dot": lambda x, y: einx.dot("a b, c b -> a c", x, y),
    "softmax": lambda x, _: einx.softmax("a [b]", x),
    "where": lambda x, y: einx.where("a b, a b, a b", x > 0, x, y),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_einx(call):
    agree(call, A, B)


ORDERS = ["einx, dml_vk, array_api_compat", "array_api_compat, dml_vk, einx"]


@pytest.mark.parametrize("order", ORDERS)
def test_any_may_be_imported_first(order):
    lines = (
        f"import {order}",
        "print(einx.id('(a b) -> b a', dml_vk.arange(6), a=2).tolist())",
    )
    run = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == str(np.arange(6).reshape(2, 3).T.tolist())
