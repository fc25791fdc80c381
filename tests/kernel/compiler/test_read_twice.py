"""What a kernel makes and several steps after it read, with other values in each call."""

from __future__ import annotations

import pytest

import dml_vk
from dml_vk import nn
from dml_vk.compiler.passes import inline
from tests import tier
from tests.kernel.compiler.tensors import same, tensor
from tests.kernel.compiler.test_inlining import launches_of


def gelu(x):
    """As exporters of transformers write it."""
    return x * (dml_vk.erf(x / 1.4142135) + 1)


FUNCTIONS = {
    "a product": lambda x, w: gelu(x @ w),
    "a product and its bias": lambda x, w: gelu(x @ w + w[0]),
    "a product that is returned": lambda x, w: (gelu(x @ w + w[0]), x @ w + w[0]),
    "a sum": lambda x, w: gelu((x[:, :, None] * w).sum(axis=1) + w[0]),
    "a scan": lambda x, w: gelu(dml_vk.cumulative_sum(x, axis=0) + w[:, 0]),
    "a norm": lambda x, w: gelu(nn.layer_norm(x, x.shape[-1:]) + w[:, 0]),
    "a softmax": lambda x, w: gelu(nn.softmax(x) - w[:, 0]),
    "a convolution": lambda x, w: gelu(nn.conv(x[None], w.T[:, :, None]) + w[0][:, None]),
}
# One short of and beyond tiles of 4, 8, 16, 32 and 64. At 33 rows, sums are kept for what follows.
SIZES = (1, 3, 5, 7, 9, 15, 17, 31, 32, 33, 34, 35, 36, 63, 65, 129)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_call_has_its_own_values(name):
    turn = 5 * list(FUNCTIONS).index(name)
    check(name, 33, 24, 48)
    for place, rows in enumerate(SIZES):
        if tier.is_all() or place == turn % len(SIZES):
            for step in range(1, 16 if tier.is_all() else 2):
                depth, columns = SIZES[(place + turn + step) % 16], SIZES[(place + 7 * step) % 16]
                check(name, rows, depth, columns)


def check(name, rows, depth, columns):
    compiled = dml_vk.compile(FUNCTIONS[name])
    for _ in range(3):
        shape = (depth, rows) if name == "a convolution" else (rows, depth)
        x, w = tensor(*shape), tensor(depth, columns)
        found, expected = compiled(x, w), FUNCTIONS[name](x, w)
        same(*(found, expected) if type(found) is tuple else ([found], [expected]))


def test_a_program_with_a_launch_that_reads_what_it_writes_is_not_made(monkeypatch):
    monkeypatch.setattr(inline._Inlining, "_can_meet", lambda *_: True)

    @dml_vk.compile
    def function(x, w):
        sums = x @ w + w[0]
        return sums * 2 + dml_vk.flip(sums, axis=1)  # at other elements, after all are written

    with pytest.raises(AssertionError, match="would read what it writes"):
        function(tensor(33, 24), tensor(24, 48))


def test_a_chain_writes_over_what_it_reads_after_a_kernel():
    @dml_vk.compile
    def function(x, left, right):
        x += left @ right

    for _ in range(2):
        x, left, right = tensor(33, 48), tensor(33, 24), tensor(24, 48)
        expected = x + left @ right
        function(x, left, right)
        same([x], [expected])
    assert len(launches_of(function)) == 1
