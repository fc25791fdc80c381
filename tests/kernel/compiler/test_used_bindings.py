"""Which bindings a kernel uses is a fact of its row, which its folded modules confirm."""

from __future__ import annotations

import pytest

import dml_vk
from dml_vk import nn
from dml_vk.kernels.codegen.library import load_for
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.registry import NATIVE_MODULES, OF_MODULES
from dml_vk.runtime.device import Device
from dml_vk.runtime.queue import Queue
from dml_vk.spirv.module import Module

F32, F64 = "float32", "float64"
CALLS = {
    "conv": lambda: [nn.conv(of(2, 8, 9, 9), of(8, 8, 3, 3), bias) for bias in (None, of(8))],
    "conv in parts": lambda: [nn.conv(of(1, 1024, 6, 6), of(4, 1024, 3, 3), of(4))],
    "depthwise": lambda: [
        nn.conv(of(2, 8, 9, 9), of(8, 1, 3, 3), bias, groups=8) for bias in (None, of(8))
    ],
    "linear": lambda: [nn.linear(of(70, 70), of(70, 70), bias) for bias in (None, of(70))],
    "matmul": lambda: [of(70, 70, dtype=dtype) @ of(70, 70, dtype=dtype) for dtype in (F32, F64)],
    "sums of products": lambda: [of(1000, 1000, dtype=dtype).sum(axis=0) for dtype in (F32, F64)],
    "product of vectors": lambda: [
        of(1000, dtype=dtype) @ of(1000, dtype=dtype) for dtype in (F32, F64)
    ],
    "scan": lambda: [
        dml_vk.cumulative_sum(of(size, dtype=dtype), axis=0)
        for size in (8, 90_000)
        for dtype in (F32, F64, "int32", "int64")
    ],
    "search": lambda: [
        dml_vk.searchsorted(of(70), of(9), sorter=order) for order in (None, of(70, dtype="int64"))
    ],
    "pool": lambda: [nn.max_pool(of(1, 1, 300, 300), size) for size in (7, 250)],
    "norms of rows": lambda: [
        nn.layer_norm(of(4, size), size, weight and of(size), bias and of(size))
        for size in (70, 9000)
        for weight in (None, True)
        for bias in (None, True)
    ],
    "norms of channels": lambda: [
        nn.batch_norm(of(2, 8, 9, 9, dtype=dtype), of(8, dtype=dtype), of(8, dtype=dtype), weight)
        for dtype in (F32, "float16")
        for weight in (None, of(8, dtype=dtype))
    ],
    "softmax": lambda: [nn.softmax(of(70, 70), axis=axis) for axis in (0, 1)],
    "draws": lambda: [dml_vk.random.Generator(1).bits((70,))],
    "gather": lambda: [dml_vk.take(of(70, 70), of(9, dtype="int32"), axis=0)],
}


def of(*sizes, dtype=F32):
    return dml_vk.empty(sizes, dtype)


@pytest.mark.parametrize("name", CALLS)
def test_rows_know_the_bindings_that_modules_have(name, monkeypatch):
    plans = []

    def add(queue, plan, accesses, params, arguments=None):
        if isinstance(plan, Plan) and plan.recipe is None and plan.module in OF_MODULES:
            plans.append(plan)

    monkeypatch.setattr(Queue, "add", add)
    monkeypatch.setattr(Device, "verify", lambda *_: None)  # of words that nothing has cleared
    CALLS[name]()
    assert plans
    for plan in {(plan.module, plan.spec): plan for plan in plans}.values():
        row = OF_MODULES[plan.module]
        spec = (*plan.spec, 0) if plan.module in NATIVE_MODULES else plan.spec
        bound = set(Module(load_for(plan.module, spec)).bindings().values())
        assert row.used(plan.spec) == sorted(bound), plan.module
