"""What a kernel makes and several steps after it read, with other values in each call."""

from __future__ import annotations

import pytest

import dml_vk
from dml_vk import nn
from dml_vk.program.attaching import _accesses
from tests import tier
from tests.kernel.program.tensors import same, tensor
from tests.kernel.program.test_attaching import jobs_of


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
# One short of and beyond tiles of 4, 8, 16, 32 and 64 rows. At 33, sums are kept for what follows.
ROWS = (1, 3, 5, 7, 9, 15, 17, 31, 32, 34, 35, 36, 63, 65, 129)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_call_has_its_own_values(name):
    turn = 4 * list(FUNCTIONS).index(name) % len(ROWS)
    for rows in (33, *(ROWS if tier.is_all() else ROWS[turn : turn + 1])):
        check(name, rows, 5 if rows % 2 else 48)


def check(name, rows, columns):
    compiled = dml_vk.compile(FUNCTIONS[name])
    for _ in range(3):
        shape = (24, rows) if name == "a convolution" else (rows, 24)
        x, w = tensor(*shape), tensor(24, columns)
        found, expected = compiled(x, w), FUNCTIONS[name](x, w)
        same(*(found, expected) if type(found) is tuple else ([found], [expected]))
    for job in jobs_of(compiled):
        read = [one for one in _accesses(job.step) if not one.writes]
        for one in _accesses(job.step):
            over = [each for each in read if one.writes and each.slot == one.slot]
            assert not over, "a launch reads what it writes"
